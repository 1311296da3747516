"""What a project can set, send and hear is in the documentation."""

import re
import typing
from dataclasses import fields
from pathlib import Path

import pytest
from django.dispatch import Signal

from dragoman.django import audit, checks, conf, door, hazards, signals
from dragoman.harness import wire
from dragoman.harness.messages import FinishReason, new_id
from tests.django.one_of_each import events


@pytest.fixture(scope="module")
def settings_page() -> str:
    return (Path(__file__).resolve().parents[2] / "docs" / "settings.md").read_text()


@pytest.fixture(scope="module")
def transports_page() -> str:
    return (Path(__file__).resolve().parents[2] / "docs" / "transports.md").read_text()


def test_every_setting_is_documented(settings_page: str):
    names = {*conf._KEYS, *conf._PATIENCE}
    for _, keys in conf._SECTIONS.values():
        names |= set(keys)
    assert {name for name in names if f"`{name}`" not in settings_page} == set()


def test_every_documented_default_of_a_turns_limits_is_the_real_one(settings_page: str):
    told = dict(
        line.split("|")[1:3]
        for line in settings_page.split("## `limits`")[1].split("##")[0].splitlines()
        if "`" in line
    )
    defaults = {f" `{one.name}` ": one.default for one in fields(conf.Limits) if one.name not in conf._ELSEWHERE}
    assert {name: int(value.replace(" ", "")) for name, value in told.items()} == defaults


def test_every_check_is_documented(settings_page: str):
    ids = [
        word.rstrip(":")
        for check in [*vars(checks).values(), *vars(hazards).values()]
        if callable(check) and (doc := getattr(check, "__doc__", None) or "")
        for word in doc.split()[:1]
        if word[:1] in "EW" and word[1:4].isdigit()
    ]
    assert len(ids) >= 16
    assert len(ids) == len(set(ids))  # an id is what a project silences
    assert {one for one in ids if f"`dragoman.{one}`" not in settings_page} == set()


def test_every_frame_and_its_fields_are_documented(transports_page: str):
    for event in events():
        frame = wire.frame(wire.Envelope("c", new_id(), 1, event))
        assert f"| `{frame['type']}` |" in transports_page
        row = next(line for line in transports_page.splitlines() if line.startswith(f"| `{frame['type']}` |"))
        for name in frame.keys() - {"type", "conversation_id", "run_id", "seq"}:
            assert f"`{name}`" in row, (frame["type"], name)


def test_every_ending_and_every_status_is_documented(transports_page: str):
    for reason in typing.get_args(FinishReason):
        assert f"`{reason}`" in transports_page
    for code, status in door.STATUS.items():
        row = next(line for line in transports_page.splitlines() if line.startswith(f"| {status} |"))
        assert code.replace("_", " ").removesuffix(" confirmation") in row.replace("_", " ")


def test_every_signal_and_every_record_of_the_audit_log_is_documented():
    page = (Path(__file__).resolve().parents[2] / "docs" / "operations.md").read_text()
    for name in (name for name, thing in vars(signals).items() if isinstance(thing, Signal)):
        assert f"| `{name}` |" in page
    for record in re.findall(r'"event_type": "(\w+)"', Path(audit.__file__).read_text()):
        assert f"| `{record}` |" in page


def test_every_command_is_documented():
    page = (Path(__file__).resolve().parents[2] / "docs" / "operations.md").read_text()
    for command in (Path(checks.__file__).parent / "management" / "commands").glob("dragoman_*.py"):
        assert f"| `{command.stem}` |" in page
