"""Search the tracked files for a text."""

from pathlib import Path

import pytest

from dragoman.harness.tools import ToolError
from dragoman.repo import grep
from dragoman.repo.grep import Match
from dragoman.repo.repository import Repository, find
from tests.repo.clones import clone, commit, git, put

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return clone(
        tmp_path,
        {
            "a.py": "def Fit(window):\n    return window.*size\n",
            "b/c.py": "fit = 1\n# the window of the largest size\n",
            "b/[d].txt": "fit\n",
            ".env": "FIT=1\n",
            "x.bin": b"fit\0",
            ".gitattributes": "a.py binary\n",
        },
    )


def places(found: grep.Found) -> list[tuple[str, int]]:
    return [(match.path, match.line) for match in found.matches]


def test_a_text_is_found_in_any_case_and_in_no_file_that_may_not_be_read(repository: Repository) -> None:
    put(repository.root, {"new.py": "fit"})
    found = grep.search(repository, "fit")
    assert places(found) == [("a.py", 1), ("b/[d].txt", 1), ("b/c.py", 1)]
    assert (found.found, found.next_offset, found.words) == (3, None, False)


def test_a_text_is_no_pattern_and_no_option(repository: Repository) -> None:
    assert grep.search(repository, "w.ndow").found == 0
    assert places(grep.search(repository, "window.*size")) == [("a.py", 2)]
    assert grep.search(repository, "--all-match").found == 0
    assert grep.search(repository, "-e").found == 0


def test_words_that_stand_nowhere_side_by_side_are_found_on_one_line(repository: Repository) -> None:
    found = grep.search(repository, "size window largest")
    assert (places(found), found.words) == ([("b/c.py", 2)], True)


def test_a_path_narrows_and_is_no_pattern_either(repository: Repository) -> None:
    assert places(grep.search(repository, "fit", "b")) == [("b/[d].txt", 1), ("b/c.py", 1)]
    assert places(grep.search(repository, "fit", "b/[d].txt")) == [("b/[d].txt", 1)]
    assert grep.search(repository, "fit", "b/*").found == 0
    for path in ("..", ".env", "/etc"):
        with pytest.raises(ToolError):
            grep.search(repository, "fit", path)


def test_pages_hold_every_match_once(tmp_path: Path) -> None:
    repository = clone(tmp_path, {f"f{n}.txt": "hit\nmiss\nhit\n" for n in range(25)})
    seen: list[tuple[str, int]] = []
    offset: int | None = 0
    while offset is not None:
        found = grep.search(repository, "hit", limit=20, offset=offset)
        assert found.found == 50
        seen += places(found)
        offset = found.next_offset
    assert len(seen) == len(set(seen)) == 50
    assert grep.search(repository, "hit", offset=99).matches == ()


def test_a_search_cannot_feel_its_way_through_a_secret(tmp_path: Path) -> None:
    key = "-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq0p0q9Xr1Zk3u0vJmQpYx2\n-----END PRIVATE KEY-----\n"
    repository = clone(tmp_path, {"a.txt": f"token = '{TOKEN}'\n{key}"})
    for guess in ("ghp_a", TOKEN, "MIIEp", "7bq0p0"):
        assert grep.search(repository, guess).found == 0, guess
    assert grep.search(repository, "token").matches == (Match("a.txt", 1, "token = '[masked]'"),)


def test_a_long_line_is_shown_around_the_match(tmp_path: Path) -> None:
    repository = clone(tmp_path, {"a.txt": "x" * 5_000 + " needle " + "y" * 5_000})
    (match,) = grep.search(repository, "needle").matches
    assert " needle " in match.text
    assert len(match.text) <= 242


def test_a_folder_that_became_a_link_is_not_searched_beyond(tmp_path: Path) -> None:
    repository = clone(tmp_path, {"a/b.txt": "needle\n"})
    put(tmp_path, {"elsewhere/b.txt": "needle\n"})
    (repository.root / "a/b.txt").unlink()
    (repository.root / "a").rmdir()
    (repository.root / "a").symlink_to(tmp_path / "elsewhere")
    assert grep.search(repository, "needle").found == 0


def test_a_bare_repository_is_searched_at_its_head(repository: Repository, tmp_path: Path) -> None:
    commit(repository.root, {}, "All")
    git(tmp_path, "clone", "--quiet", "--bare", str(repository.root), "bare.git")
    bare = find(tmp_path / "bare.git", tmp_path / "state")
    assert places(grep.search(bare, "fit")) == [("a.py", 1), ("b/[d].txt", 1), ("b/c.py", 1)]
    assert places(grep.search(bare, "fit", "b/c.py")) == [("b/c.py", 1)]


@pytest.mark.parametrize("query", ["", "  ", "a\nb", "a\0b", "x" * 201])
def test_what_cannot_be_searched_is_refused(repository: Repository, query: str) -> None:
    with pytest.raises(ToolError, match="one line of text"):
        grep.search(repository, query)
