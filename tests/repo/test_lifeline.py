"""The history of one symbol: its own lines, through edits, renames and what is not committed yet."""

import os
from pathlib import Path
from typing import Any

import pytest

from dragoman.repo import lifeline, scan
from dragoman.repo.repository import Repository, find
from dragoman.repo.tools import history
from tests.repo import guarded
from tests.repo.clones import clone, commit, git, put

FIRST = "def above():\n    return 1\n\n\ndef kept(n):\n    return n\n"


async def told(repository: Repository, name: str, **more: Any) -> dict[str, Any]:
    scan.scan(repository)
    return await guarded.call(repository, "get_area_history", rooms=[history.tools], path=name, **more)


def subjects(answer: dict[str, Any]) -> list[str]:
    return [one["subject"] for one in answer["commits"]]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    found = clone(tmp_path, {"a.py": FIRST})
    commit(found.root, {"a.py": FIRST.replace("return 1", "return 2")}, "Change what is above")
    commit(
        found.root, {"a.py": "import os\n\n\n" + FIRST.replace("return n", "return n + 1")}, "Change it and import os"
    )
    git(found.root, "mv", "a.py", "b.py")
    commit(found.root, {}, "Move the file")
    commit(found.root, {"b.py": (found.root / "b.py").read_text().replace("n + 1", "n + 2")}, "Change it again")
    return found


async def test_the_commits_of_a_symbol_are_those_that_changed_its_lines(repository: Repository) -> None:
    answer = await told(repository, "b.py::kept")
    assert subjects(answer) == ["Change it again", "Change it and import os", "Begin"]
    assert (answer["found"], answer["symbol"]["id"]) == (3, "b.py::kept")
    assert "lines 8 to 9 of b.py at HEAD" in answer["note"]
    page = await told(repository, "b.py::kept", limit=1, offset=1)
    assert (subjects(page), page["next_offset"]) == (["Change it and import os"], 2)


async def test_what_is_not_committed_moves_nothing(repository: Repository) -> None:
    text = (repository.root / "b.py").read_text()
    put(repository.root, {"b.py": "# new\n" * 7 + text.replace("n + 2", "n + 3") + "\n\ndef fresh():\n    return 0\n"})
    assert subjects(await told(repository, "b.py::kept")) == ["Change it again", "Change it and import os", "Begin"]
    answer = await told(repository, "b.py::fresh")
    assert (answer["found"], answer["note"]) == (0, lifeline.NOT_COMMITTED)


async def test_a_bare_clone_and_an_odd_name_are_followed_as_well(repository: Repository, tmp_path: Path) -> None:
    odd = b"caf\xe9\n:1.py"
    git(repository.root, "mv", "b.py", os.fsdecode(odd))
    commit(repository.root, {}, "Move it to an odd name")
    git(tmp_path, "clone", "--quiet", "--bare", str(repository.root), "bare.git")
    for one in (repository, find(tmp_path / "bare.git", tmp_path / "state")):
        answer = await told(one, "caf\\xe9\n:1.py::kept")
        assert subjects(answer) == ["Change it again", "Change it and import os", "Begin"]


async def test_the_history_begins_where_the_symbol_does_and_not_with_the_lines_it_replaced(tmp_path: Path) -> None:
    repository = clone(tmp_path, {"a.py": "def old():\n    x = 1\n    y = 2\n    return x + y\n"})
    new = "def old():\n    return New().sum()\n\n\nclass New:\n    def sum(self):\n        return 3\n"
    commit(repository.root, {"a.py": new}, "Bring the new one")
    commit(repository.root, {"a.py": new.replace("3", "4")}, "Change it")
    commit(
        repository.root,
        {"a.py": new.replace("3", "4").replace("def sum", "def total").replace(".sum", ".total")},
        "Rename it",
    )
    # git alone goes on to the lines that the new ones took the place of.
    assert "Begin" in git(repository.root, "log", "-L6,7:a.py", "-s", "--format=%s")
    assert subjects(await told(repository, "a.py::New.total")) == ["Rename it", "Change it", "Bring the new one"]


async def test_where_a_blob_is_missing_what_is_newer_is_told(repository: Repository) -> None:
    blob = git(repository.root, "rev-parse", "HEAD~3:a.py")
    (repository.git_dir / "objects" / blob[:2] / blob[2:]).unlink()
    answer = await told(repository, "b.py::kept")
    assert subjects(answer) == ["Change it again"]
    assert answer["note"].startswith("git could not follow it further back: ")
    assert blob in answer["note"]


async def test_a_name_of_two_symbols_gives_a_choice_and_an_unknown_one_its_neighbours(tmp_path: Path) -> None:
    repository = clone(tmp_path, {"x/a.py": FIRST, "y/a.py": FIRST})
    answer = await told(repository, "a.py::kept")
    assert [one["id"] for one in answer["choices"]] == ["x/a.py::kept", "y/a.py::kept"]
    assert (await told(repository, "x/a.py::kpet"))["code"] == "unknown_symbol"


async def test_no_program_that_the_repository_names_is_started(repository: Repository, tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\ntouch {tmp_path}/started\ncat "$1"\n')
    program.chmod(0o755)
    commit(repository.root, {".gitattributes": "*.py diff=odd filter=odd\n"}, "Name programs")
    for key in ("diff.external", "diff.odd.textconv", "diff.odd.command", "filter.odd.clean", "filter.odd.smudge"):
        git(repository.root, "config", key, str(program))
    git(repository.root, "log", "-p", "--ext-diff", "-1", "--", "b.py")
    assert (tmp_path / "started").exists()  # a git that is not told otherwise does start it
    (tmp_path / "started").unlink()
    assert subjects(await told(repository, "b.py::kept"))
    assert not (tmp_path / "started").exists()
