"""The six questions that `make demo` asks this repository, held against git and Python's own parser at the same commit."""

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

JUDGES = "src/dragoman/evals/judges"


def git(root: Path, *words: str) -> list[str]:
    return subprocess.run(
        ["git", "-C", str(root), *words], check=True, capture_output=True, text=True
    ).stdout.splitlines()


def default_branch(root: Path) -> str:
    """The branch whose history counts: what origin says, main, master, else the one at hand."""
    names = git(root, "for-each-ref", "--format=%(refname)", "refs/remotes/origin/HEAD", "refs/heads")
    wanted = ("refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master")
    return next((name for name in wanted if name in names), "HEAD")


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[int, str]:
    """What the demonstration printed, by the number of the question."""
    root = Path(__file__).resolve().parents[2]
    told = subprocess.run(
        [sys.executable, "examples/repository/demo.py"], check=False, capture_output=True, text=True, cwd=root,
        env={**os.environ, "DRAGOMAN_HOME": str(tmp_path_factory.mktemp("home")), "COLUMNS": "400"},
    )  # fmt: skip
    assert told.returncode == 0, told.stdout + told.stderr
    assert "All of them were answered." in told.stdout
    parts = re.split(r"^ ?(\d+)\. .*$", told.stdout, flags=re.MULTILINE)
    return {int(number): text for number, text in zip(parts[1::2], parts[2::2], strict=True)}


def sources(root: Path) -> Iterator[tuple[str, ast.Module]]:
    for path in git(root, "ls-files", "*.py"):
        if (root / path).is_file():
            yield path, ast.parse((root / path).read_text("utf-8"))


def test_where_is_where_the_parser_finds_the_definition(root: Path, answers: dict[int, str]):
    places = {
        f"{path}:{node.lineno}"
        for path, tree in sources(root)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == "conduct"
    }
    assert set(re.findall(r"`(\S+?:\d+)`", answers[1])) == places


def test_the_callers_are_the_calls_the_parser_finds(root: Path, answers: dict[int, str]):
    calls = {
        f"{path}:{node.lineno}"
        for path, tree in sources(root)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and (getattr(node.func, "id", "") == "start_of_turn" or getattr(node.func, "attr", "") == "start_of_turn")
    }
    assert calls
    assert f"called in {len(calls)} place" in answers[2]
    assert set(re.findall(r"at `(\S+?:\d+)`", answers[2])) == calls


def test_what_changed_in_a_path_is_what_git_says(root: Path, answers: dict[int, str]):
    shas = git(root, "log", "--format=%H", "--", JUDGES)
    told = re.findall(r"- `([0-9a-f]{10})` ", answers[3])
    assert told == [sha[:10] for sha in shas[: len(told)]]
    assert f"{len(shas)} commit" in answers[3]


def test_what_is_in_a_folder_is_what_git_tracks(root: Path, answers: dict[int, str]):
    names = {Path(path).name for path in git(root, "ls-files", JUDGES)}
    for name in names:
        assert f"`{name}`" in answers[4]
    assert f"has {len(names)} entries" in answers[4]


def test_the_busiest_files_are_those_git_counts(root: Path, answers: dict[int, str]):
    log = git(root, "log", "--first-parent", "-M", "--format=", "--name-only", default_branch(root))
    counts = Counter(path for path in log if path)
    told = {path: int(number) for path, number in re.findall(r"- `([^`]+)`: (\d+) commits?", answers[5])}
    assert len(told) == 10
    assert told == {path: counts[path] for path in told}
    assert sorted(told.values(), reverse=True) == sorted(counts.values(), reverse=True)[:10]


def test_the_line_shown_is_the_line_of_the_file(root: Path, answers: dict[int, str]):
    (line, *_) = (root / "src/dragoman/harness/events.py").read_text("utf-8").splitlines()
    assert line in answers[6]
