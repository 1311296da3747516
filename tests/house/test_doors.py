"""A door counts when its code starts, however it was reached, and not before."""

import subprocess
import sys
from contextlib import aclosing

import pytest

from dragoman.harness.assistant import Assistant
from dragoman.harness.caller import Caller
from dragoman.harness.memory import MemoryStore
from dragoman.harness.tools import Toolbox
from dragoman.providers.scripted import Scripted
from tests import doors

ask_as_it_was_at_import = Assistant.ask


class Nothing:
    """A grounding on no system at all."""

    async def tools(self, caller: Caller) -> Toolbox:
        return Toolbox()

    async def prompt(self, caller: Caller) -> str:
        return ""


async def test_the_assistant_is_a_door_from_its_first_event_on():
    caller = Caller("ada")
    store = MemoryStore()
    assistant = Assistant(Scripted("Hello."), Nothing(), store)
    answer = ask_as_it_was_at_import(assistant, caller, await store.create(caller), "Hello?")
    assert doors.entered() == frozenset()
    async with aclosing(answer):
        await anext(answer)
    assert doors.entered() == {"Assistant.ask"}


def test_what_one_test_went_through_does_not_count_for_the_next():
    assert doors.entered() == frozenset()


def test_a_program_of_ours_is_the_command_line():
    subprocess.run([sys.executable, "-c", "", "dragoman_cleanup"], check=True)
    assert doors.entered() == {"command line"}


@pytest.mark.parametrize(
    ("words", "ours"),
    [
        ("dragoman ask why", True),
        ("/venv/bin/dragoman scan", True),
        ("python -m dragoman scan", True),
        ("python manage.py dragoman_eval", True),
        ("python examples/parts/manage.py check --deploy", True),
        ("python manage.py migrate", False),
        ("git clone /home/ada/dragoman", False),
        ("python -m pytest dragoman", False),
    ],
)
def test_only_this_projects_commands_are_its_command_line(words: str, ours: bool):
    assert doors.is_our_command(words.split()) is ours
