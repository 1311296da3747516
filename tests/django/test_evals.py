"""Evals in a Django project: each case finds the same rows, and the command says what share was right."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import Group, User
from django.core.management.base import BaseCommand

from dragoman.django.evals import DatabaseStage
from dragoman.django.management.commands.dragoman_eval import Command
from dragoman.evals.cases import Case, CaseError, Exchange, parse

LOADED: list[str] = []


def two_groups() -> None:
    """A fixture of these tests."""
    LOADED.append("two groups")
    Group.objects.bulk_create([Group(name="eval-a"), Group(name="eval-b")])


def case(name: str, fixture: str = "tests.django.test_evals.two_groups", user: str = "") -> Case:
    return Case(name, (Exchange("Hello"),), fixtures=(fixture,) if fixture else (), user=user, source="cases.yaml")


def groups() -> set[str]:
    return set(Group.objects.filter(name__startswith="eval-").values_list("name", flat=True))


@pytest.fixture
def stage(db: None) -> Iterator[DatabaseStage]:
    """A stage that is cleared: one left standing keeps its transaction open inside the test's own."""
    stage = DatabaseStage()
    yield stage
    stage.close()


async def test_each_case_finds_its_fixtures_as_loaded_whatever_the_one_before_it_changed(stage: DatabaseStage) -> None:
    LOADED.clear()
    async with stage.set_for(case("first")):
        await Group.objects.filter(name="eval-a").adelete()
        assert [
            name async for name in Group.objects.filter(name__startswith="eval-").values_list("name", flat=True)
        ] == ["eval-b"]
    async with stage.set_for(case("second")):
        assert await Group.objects.filter(name="eval-a").aexists()
    async with stage.set_for(case("third", fixture="")):
        assert not await Group.objects.filter(name__startswith="eval-").aexists()
    assert LOADED == ["two groups"]


async def test_a_case_is_asked_as_its_user_and_an_unknown_user_or_fixture_is_named(stage: DatabaseStage) -> None:
    await User.objects.acreate(username="eva")
    async with stage.set_for(case("as eva", user="eva")) as caller:
        assert (caller.name, caller.is_authenticated, caller.user.username) == ("eva", True, "eva")
    async with stage.set_for(case("anonymous")) as caller:
        assert (caller.user, caller.is_authenticated) == (None, False)
    with pytest.raises(CaseError) as refused:
        async with stage.set_for(case("nobody", user="nobody")):
            pass
    assert refused.value.message == "cases.yaml: case 'nobody', setup.user: there is no user 'nobody'."
    with pytest.raises(CaseError) as refused:
        async with stage.set_for(case("lost", fixture="nowhere.to.be_found")):
            pass
    assert refused.value.message == "cases.yaml: case 'lost', setup.fixtures: 'nowhere.to.be_found' cannot be imported."


def run(root: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    """The command, as a person types it."""
    return subprocess.run(
        [sys.executable, "examples/parts/manage.py", "dragoman_eval", *options],
        check=False, capture_output=True, text=True, cwd=root,
    )  # fmt: skip


HELLO = """
- name: hello
  conversation:
    - user: Hello!
  expectations: {tool_calls: [], answer_contains: [[hello, hi]], results_exclude: [Apollo]}
- name: what_is_this
  conversation:
    - user: Hello!
      expect: {answer_contains: [[hello, hi]]}
    - user: Thank you.
  expectations: {tool_calls: []}
"""


@pytest.mark.requirement("g.evals.yaml", "g.evals.judges", "g.evals.compare")
def test_providers_are_compared_in_a_table_and_one_that_fails_gives_exit_code_1(root: Path, tmp_path: Path) -> None:
    cases = tmp_path / "hello.yaml"
    cases.write_text(HELLO)
    told = run(root, "--cases", str(cases), "--compare", "planner,scripted")
    planner, scripted = (
        next(line for line in told.stdout.splitlines() if line.startswith(f"│ {name} "))
        for name in ("planner", "scripted")
    )
    assert told.returncode == 1, told.stderr
    assert planner.split("│")[2].strip() == "2/2 100%"
    assert planner.split("│")[6].strip() == "2/2 100%"
    assert scripted.split("│")[6].strip() == "0/2 0%"
    assert "'Hello!' ended in script_over" in told.stdout


@pytest.mark.requirement("g.evals.yaml")
def test_one_case_is_played_and_told_as_json(root: Path, tmp_path: Path) -> None:
    cases = tmp_path / "hello.yaml"
    cases.write_text(HELLO)
    told = run(root, "--cases", str(cases), "--case", "hello", "--json")
    assert told.returncode == 0, told.stderr
    [verdict] = json.loads(told.stdout)
    assert (verdict["case"], verdict["passed"], verdict["turns"][0]["calls"]) == ("hello", True, [])


@pytest.mark.requirement("g.evals.yaml")
def test_a_malformed_file_and_an_unknown_case_are_told_in_a_sentence(root: Path, tmp_path: Path) -> None:
    cases = tmp_path / "broken.yaml"
    cases.write_text("- name: hello\n  conversation: Hello!\n")
    told = run(root, "--cases", str(cases))
    assert told.returncode == 1
    # In a clone whose database is not migrated the checks of GeneralManager speak first.
    assert told.stderr.strip().splitlines()[-1] == (
        f"CommandError: {cases}: case 'hello', conversation: expected a list of turns, each `user: text`, got 'Hello!'."
    )
    cases.write_text(HELLO)
    told = run(root, "--cases", str(cases), "--case", "goodbye")
    assert (
        told.stderr.strip().splitlines()[-1]
        == "CommandError: No case is called goodbye. There is: hello, what_is_this."
    )


def test_the_page_on_evals_shows_a_case_that_is_read_and_names_every_option(root: Path) -> None:
    page = (root / "docs/evals.md").read_text()
    [block] = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    [shown] = parse(block, "docs/evals.md")
    assert (shown.fixtures, shown.user) == (("catalog.seed.seed",), "ada")
    parser = Command().create_parser("manage.py", "dragoman_eval")
    base = BaseCommand().create_parser("manage.py", "any")
    own = {word for action in parser._actions for word in action.option_strings}
    own -= {word for action in base._actions for word in action.option_strings}
    assert {word for word in own if word not in page} == set()
