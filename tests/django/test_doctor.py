"""`dragoman_doctor` and `dragoman_usage` say what an operator asks them."""

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone
from pytest_django import Settings

from dragoman.django import models, threads
from dragoman.django.hosts import models as hosts

CHAT = {
    "enabled": True,
    "url": "/chat/",
    "provider": "planner",
    "system_prompt": "Answer like a pirate.",
    "allowed_mutations": ["archiveProject", "createOrder"],
    "confirm_mutations": ["archiveProject"],
}

pytestmark = pytest.mark.django_db


def run(command: str, *arguments: str) -> str:
    told = StringIO()
    with threads.share_the_test_thread():
        call_command(command, *arguments, stdout=told)
    return told.getvalue()


def may_ask(user: Any, context: Any) -> bool:
    return bool(user.username == "wanda" and context.path == "/chat/")


@pytest.fixture
def wanda(settings: Settings) -> Any:
    settings.DRAGOMAN = {"default": {**CHAT, "permission": "tests.django.test_doctor.may_ask"}}
    return get_user_model().objects.create_user("wanda")


def test_each_misconfiguration_is_named_with_its_setting_and_its_fix(settings: Settings):
    settings.DRAGOMAN = {"default": {**CHAT, "provder": "planner"}}
    told = StringIO()
    with pytest.raises(CommandError, match="1 of 1 findings"):
        call_command("dragoman_doctor", stdout=told)
    assert "wrong  dragoman.E001: DRAGOMAN['default']['provder']: is not a setting." in told.getvalue()
    assert "Did you mean 'provider'?" in told.getvalue()


def test_hazards_are_minded_and_do_not_fail(settings: Settings):
    settings.DRAGOMAN = {"default": CHAT}
    told = run("dragoman_doctor")
    assert "mind  dragoman.W014" in told
    assert "The planner answers, without any model" in told


def test_migrations_that_are_not_applied_are_told(wanda: Any, monkeypatch: pytest.MonkeyPatch):
    applied = "django.db.migrations.recorder.MigrationRecorder.applied_migrations"
    monkeypatch.setattr(applied, lambda self: {})
    told = StringIO()
    with pytest.raises(CommandError):
        call_command("dragoman_doctor", stdout=told)
    assert "Migrations are not applied: 0001_initial, 0002_usage" in told.getvalue()
    assert "manage.py migrate" in told.getvalue()


def test_what_a_persons_assistant_sees_and_is_sent_is_told_with_what_it_costs(wanda: Any):
    told = run("dragoman_doctor", "--user", "wanda", "Which projects are late?")
    assert "wanda may ask: permission (tests.django.test_doctor.may_ask) answers True" in told
    assert "Project" in told.split("sees ")[1].splitlines()[0]
    assert "each because its class does not say chat_exposed = True: write that on the manager" in told
    assert "(told to superusers by name)" in told
    assert "SupplierContract" not in told
    assert "may change, as far as this person may: archiveProject (asks first), createOrder" in told
    sections = {line.split()[1]: int(line.split()[0].replace(",", "")) for line in told.splitlines() if _is_size(line)}
    assert {"prompt", "system_prompt", "tool", "question", "all"} <= set(sections)
    assert sections["all"] > sections["prompt"] > 100
    assert "pirate" not in told
    assert "Answer like a pirate." in run("dragoman_doctor", "--user", "wanda", "--show")


def _is_size(line: str) -> bool:
    return line.startswith("  ") and line.split()[0].replace(",", "").isdigit()


def test_only_a_superuser_is_told_the_names_of_what_is_hidden(wanda: Any):
    wanda.is_superuser = True
    wanda.save()
    assert "SupplierContract" in run("dragoman_doctor", "--user", "wanda")


@pytest.mark.parametrize(
    ("said", "listed", "why"),
    [
        (None, [], "types of grounding does not name it"),
        (False, ["BookType"], "its class says chat_exposed = False, which counts more than types"),
        ("yes", [], "its class says chat_exposed = 'yes'"),
        (True, [], ""),
        (None, ["BookType"], ""),
    ],
)
def test_why_a_type_over_a_model_is_hidden_is_told_by_what_hides_it(said: Any, listed: list[str], why: str):
    source = type("BookType", (), {} if said is None else {"chat_exposed": said})
    told = hosts.hidden(source, "BookType", listed)
    assert told.startswith(why)
    assert bool(told) is bool(why)


def test_whoever_may_not_ask_is_told_why(wanda: Any):
    get_user_model().objects.create_user("wilbur")
    assert "wilbur may not ask: permission" in run("dragoman_doctor", "--user", "wilbur")
    wanda.is_active = False
    wanda.save()
    assert "wanda may not ask: the account is not active" in run("dragoman_doctor", "--user", "wanda")
    with pytest.raises(CommandError, match="There is no user 'nobody'"):
        run("dragoman_doctor", "--user", "nobody")


def test_usage_is_told_by_day_person_and_model(wanda: Any):
    day = timezone.localtime(timezone.now()).date().isoformat()
    for number, (user, model, tokens) in enumerate(
        [(wanda, "m1", 100), (wanda, "m1", 20), (wanda, "m2", 3), (None, "m1", 4)]
    ):
        models.Usage.objects.create(
            run_id=str(number), account="a", user=user, model=model, input_tokens=tokens, output_tokens=1
        )
    lines = [line.split() for line in run("dragoman_usage").splitlines()]
    assert lines[0] == ["day", "assistant", "person", "model", "messages", "input", "output", "cached"]
    assert lines[1:] == [
        [day, "default", "wanda", "m2", "1", "3", "1", "0"],
        [day, "default", "wanda", "m1", "2", "120", "2", "0"],
        [day, "default", "anonymous", "m1", "1", "4", "1", "0"],
    ]
    assert len(run("dragoman_usage", "--user", "wanda").splitlines()) == 3
    assert f"{day},default,wanda,m1,2,120,2,0" in run("dragoman_usage", "--csv")
    models.Usage.objects.update(created=timezone.now() - timedelta(days=31))
    assert "Nobody has asked anything." in run("dragoman_usage")
