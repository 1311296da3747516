"""A project asks its assistant in its own tests, as somebody, with a script for a model."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from dragoman.django import models, testing
from dragoman.django.signals import chat_mutation_executed
from dragoman.django.testing import acall, ask, call, decide, scripted
from dragoman.harness.errors import BadRequest, RateLimited, UnknownConversation
from dragoman.harness.provider import ToolRequest

pytestmark = pytest.mark.django_db

ARCHIVE = ToolRequest("mutate", {"mutation": "archiveProject", "input": {"project": "1"}})


@pytest.fixture
def ada() -> User:
    return User.objects.get(username="ada")


@pytest.fixture
def carla() -> User:
    return User.objects.get(username="carla")


def test_a_tool_answers_each_user_by_their_rights(ada: User, carla: User):
    margins = [
        call(user, "query", manager="Project", fields=["marginPercent"], limit=1)["rows"][0]["marginPercent"]
        for user in (ada, carla)
    ]
    assert margins[0] is None
    assert margins[1] is not None
    assert call(None, "query", manager="Project")["rows"] == []
    assert call(ada, "query", manager="Projekt")["code"] == "unknown_manager"


async def test_it_can_be_awaited():
    ada = await User.objects.aget(username="ada")
    assert (await acall(ada, "query", manager="Project", limit=1))["rows"]


def test_a_script_stands_in_for_the_model_and_everything_below_it_is_real(ada: User):
    heard: list[Any] = []
    chat_mutation_executed.connect(lambda **told: heard.append(told["mutation"]), weak=False, dispatch_uid="here")
    try:
        with scripted(["Well. ", ARCHIVE], "It is archived.") as model:
            told = ask(ada, "Archive Apollo, please")
            assert told.confirmation is not None
            assert told.confirmation["input"] == {"project": "1"}
            assert (told.answer, told.results, told.error) == ("Well. ", [], None)
            rest = decide(ada, told.confirmation, True)
    finally:
        chat_mutation_executed.disconnect(dispatch_uid="here")
    assert rest.answer == "It is archived."
    assert rest.results[0]["ok"] is True
    assert heard == ["archiveProject"]
    assert model.seen[0][0][-1].text == "Archive Apollo, please"
    assert [tool.name for tool in model.seen[0][1]][-1] == "mutate"
    kept = models.Conversation.objects.get(pk=told.conversation_id)
    assert kept.messages.count() == 4
    assert models.Usage.objects.count() == 1
    with scripted("It is."):
        again = ask(ada, "Is it archived?", conversation_id=told.conversation_id)
    assert again.conversation_id == told.conversation_id
    assert kept.messages.count() == 6


def test_what_is_refused_is_raised_and_what_goes_wrong_is_told(ada: User, carla: User, settings: Settings):
    with scripted([ARCHIVE], "Left it."):
        told = ask(ada, "Archive it")
        with pytest.raises(BadRequest):
            decide(carla, told.confirmation or {}, True)
        rejected = decide(ada, told.confirmation or {}, False)
        assert rejected.results == [{"status": "cancelled", "reason": "user_rejected"}]
        with pytest.raises(UnknownConversation):
            ask(carla, "Go on", conversation_id=told.conversation_id)
        over = ask(ada, "And now?")
    assert over.error is not None
    assert (over.error["code"], over.answer) == ("script_over", "")
    settings.DRAGOMAN = {"default": {**settings.DRAGOMAN["default"], "rate_limit": {"max_requests_per_hour": 0}}}
    with pytest.raises(RateLimited):
        ask(ada, "And now?")


def test_without_a_script_the_configured_provider_answers(ada: User):
    assert re.search(r"\d+ parts", ask(ada, "How many parts are there?").answer)


def test_every_helper_is_documented(root: Path):
    page = (root / "docs" / "testing.md").read_text()
    own = [name for name, thing in vars(testing).items() if getattr(thing, "__module__", "") == testing.__name__]
    helpers = [name for name in own if name[0] != "_" and name != "Told"]
    assert len(helpers) == 7
    attributes = [name for name, thing in vars(testing.Told).items() if isinstance(thing, property)]
    assert [name for name in [*helpers, *attributes] if f"`{name}" not in page] == []
