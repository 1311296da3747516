"""What a project can set, send and hear is in the documentation."""

import re
import typing
from dataclasses import fields
from pathlib import Path

import pytest
from django.core.management import load_command_class
from django.dispatch import Signal

from dragoman.django import audit, checks, conf, door, grounding, signals, urls
from dragoman.harness import events as told
from dragoman.harness import wire
from dragoman.harness.messages import FinishReason, new_id
from tests.django.one_of_each import events

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "dragoman"


def page(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text()


def row(text: str, start: str) -> str:
    """The row of a table that begins so; empty where there is none."""
    return next((line for line in text.splitlines() if line.startswith(f"| {start} |")), "")


@pytest.fixture(scope="module")
def settings_page() -> str:
    return page("settings")


@pytest.fixture(scope="module")
def transports_page() -> str:
    return page("transports")


def test_every_setting_is_documented_where_it_stands(settings_page: str):
    missing = [key for key in conf._KEYS if not row(settings_page, f"`{key}`")]
    inner = {name: [*keys] for name, (_, keys) in conf._SECTIONS.items() if name != "limits"}
    inner["provider_config"] = [*conf._PATIENCE]
    inner["grounding"] = [
        "kind",
        "host",
        "value_search",
        *(key for *_, keys in grounding.HOSTS.values() for key in keys),
    ]
    missing += [
        f"{section}.{key}" for section, keys in inner.items() for key in keys
        if f"`{key}`" not in row(settings_page, f"`{section}`")
    ]  # fmt: skip
    assert missing == []


def test_every_documented_default_of_a_turns_limits_is_the_real_one(settings_page: str):
    told = dict(
        line.split("|")[1:3]
        for line in settings_page.split("## `limits`")[1].split("##")[0].splitlines()
        if "`" in line
    )
    defaults = {f" `{one.name}` ": one.default for one in fields(conf.Limits) if one.name not in conf._ELSEWHERE}
    assert {name: int(value.replace(" ", "")) for name, value in told.items()} == defaults


def test_every_check_is_documented_and_nothing_else(settings_page: str):
    named = {
        one for path in (SOURCE / "django").rglob("*.py") for one in re.findall(r"\bdragoman\.[EWIC]\d+\b", path.read_text())
    }  # fmt: skip
    assert len(named) >= 16
    # Each once: an id is what a project silences.
    assert sorted(re.findall(r"^\| `(dragoman\.\w+)` \|", settings_page, re.M)) == sorted(named)


def test_the_events_of_these_tests_are_all_there_are():
    kinds = {kind for kind in vars(told).values() if isinstance(kind, type) and kind in typing.get_args(told.Event)}
    assert {type(event) for event in events()} == kinds


def test_every_frame_of_the_server_and_its_fields_are_documented(transports_page: str):
    for event in events():
        frame = wire.frame(wire.Envelope("c", new_id(), 1, event))
        line = row(transports_page.split("## From the server")[1], f"`{frame['type']}`")
        for name in frame.keys() - {"type", "conversation_id", "run_id", "seq"}:
            assert f"`{name}`" in line, (frame["type"], name)


def test_every_frame_of_a_client_and_its_fields_are_documented(transports_page: str):
    documented = transports_page.split("## From the client")[1].split("## From the server")[0]
    kinds = re.findall(r'^        case "(\w+)":$', (SOURCE / "harness" / "wire.py").read_text(), re.M)
    rows = dict(re.findall(r'^\| `\{"type": "(\w+)"(.*?)\}` \|', documented, re.M))
    assert sorted(rows) == sorted(kinds)
    taken = {
        "message": wire.Ask, "edit": wire.Revise, "regenerate": wire.Revise,
        "confirm": wire.Decide, "stop": wire.StopRun, "attach": wire.Attach,
    }  # fmt: skip
    assert set(taken.values()) == set(typing.get_args(wire.Request))
    for kind, request in taken.items():
        for one in fields(request):
            assert f'"{one.name}"' in rows[kind] or (kind, one.name) == ("regenerate", "text")


def test_every_address_is_documented(transports_page: str):
    for route in urls._routes("default", "chat/"):
        path = "/" + str(route.pattern).replace("<str:conversation_id>", "<id>").replace("<str:", "<")
        assert re.search(rf"`(GET|POST|PATCH|DELETE) {re.escape(path)}[`?]", transports_page), path


def test_every_ending_and_every_status_is_documented(transports_page: str):
    for reason in typing.get_args(FinishReason):
        assert f"`{reason}`" in row(transports_page, "`done`")
    for code, status in door.STATUS.items():
        line = row(transports_page, str(status))
        assert code.replace("_", " ").removesuffix(" confirmation") in line.replace("_", " ")


def test_every_code_of_an_error_is_documented():
    written = r'code(?:: str)? ?= ?"(\w+)"|Outcome\("error", "(\w+)"|_stopped_by\("(\w+)"'
    rooms = [path for room in ("django", "harness") for path in (SOURCE / room).rglob("*.py")]
    codes = {one for path in rooms for found in re.findall(written, path.read_text()) for one in found if one}
    codes -= {"chat_error", "tool_error"}  # of the two trees' trunks, which nobody raises
    told = page("transports") + page("providers")
    assert len(codes) >= 25
    assert {code for code in codes if f"`{code}`" not in told} == set()


def test_every_signal_is_documented():
    for name in (name for name, thing in vars(signals).items() if isinstance(thing, Signal)):
        assert row(page("operations"), f"`{name}`")


def test_every_record_of_the_audit_log_is_documented():
    for record in re.findall(r'"event_type": "(\w+)"', Path(audit.__file__).read_text()):
        assert row(page("operations"), f"`{record}`")


def test_every_command_and_its_options_are_documented():
    said = page("operations") + page("evals")
    for command in (Path(checks.__file__).parent / "management" / "commands").glob("dragoman_*.py"):
        assert row(page("operations"), f"`{command.stem}`")
        parser = load_command_class("dragoman.django", command.stem).create_parser("manage.py", command.stem)
        own = [action for action in parser._actions if action.option_strings and action.dest not in _EVERY_COMMANDS]
        assert [one.option_strings[-1] for one in own if one.option_strings[-1] not in said] == []


_EVERY_COMMANDS = {
    "help", "version", "verbosity", "settings", "pythonpath", "traceback", "no_color", "force_color", "skip_checks",
}  # fmt: skip
