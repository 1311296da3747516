"""Read a history into the index: what git tells is what is kept, again and again, and whatever is odd costs little."""

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from dragoman.repo import db, record, walk
from dragoman.repo.git import Git
from tests.repo.histories import ADA, BEN, Clone, clone

FILES = "SELECT status, path, old_path, insertions, deletions FROM commit_files WHERE sha = ? ORDER BY path"


def test_a_commit_is_kept_with_its_author_message_and_files(tmp_path: Path) -> None:
    work = clone(tmp_path)
    sha = work.commit(
        "Begin\nthe work\n\nBecause it\nmust.\n", {"a.py": "1\n2\n", "b/é ü.txt": "x\n", "dot.bin": b"\0\1"}, BEN
    )
    told = work.index()
    assert (told.branch, told.head, told.new, told.commits, told.odd) == ("main", sha, 1, 1, 0)
    assert work.rows(
        "SELECT subject, body, authored_at, on_default_branch, is_merge, files_changed, insertions FROM commits"
    ) == [("Begin the work", "Because it\nmust.", "2026-01-01T01:00:00Z", 1, 0, 3, 3)]
    assert work.rows("SELECT name, email FROM authors") == [("Ben Ali", "ben@example.org")]
    assert work.rows(FILES, sha) == [
        ("A", "a.py", None, 2, 0),
        ("A", "b/é ü.txt", None, 1, 0),
        ("A", "dot.bin", None, None, None),
    ]


def test_the_counts_are_those_git_tells_itself(tmp_path: Path) -> None:
    work = branched(tmp_path)
    work.index()
    for sha, *counts in work.rows("SELECT sha, files_changed, insertions, deletions FROM commits"):
        told = work.git("log", "-1", "--format=", "--numstat", "-M", "--diff-merges=first-parent", sha).splitlines()
        numbers = [[int(n) for n in line.split("\t")[:2]] for line in told if line]
        assert counts == [len(numbers), sum(n for n, _ in numbers), sum(n for _, n in numbers)]


def branched(place: Path) -> Clone:
    """main with a merge, an octopus, a rename and a change of kind; topic stays behind."""
    work = clone(place)
    work.commit("one", {"a.py": "".join(f"{n}\n" for n in range(30)), "b.py": "b\n"})
    for name in ("topic", "left", "right"):
        work.branch(name, "main")
        work.commit(f"on {name}", {f"{name}.py": f"{name}\n"})
    work.checkout("main")
    work.commit("two", {"b.py": "b\nb\n"})
    work.merge("topic")
    work.merge("left", "right", message="Octopus")
    work.git("mv", "a.py", "c.py")
    work.commit("moved", {"c.py": "".join(f"{n}\n" for n in range(31))})
    return work


def test_merges_have_files_against_their_first_parent_and_the_line_is_that_of_the_first_parents(tmp_path: Path) -> None:
    work = branched(tmp_path)
    work.index()
    line = [row[0] for row in work.rows("SELECT subject FROM commits WHERE on_default_branch ORDER BY id")]
    assert line == ["one", "two", "Merge", "Octopus", "moved"]
    octopus = work.rows("SELECT sha, is_merge, parents FROM commits WHERE subject = 'Octopus'")[0]
    assert octopus[1] == 1
    assert len(octopus[2].split()) == 3
    assert [row[:2] for row in work.rows(FILES, octopus[0])] == [("A", "left.py"), ("A", "right.py")]
    assert work.rows(FILES, work.git("rev-parse", "HEAD")) == [("R", "c.py", "a.py", 1, 0)]


def test_a_second_scan_reads_only_what_is_new(tmp_path: Path) -> None:
    work = branched(tmp_path)
    whole = work.index().commits
    assert work.index().new == 0
    work.commit("three", {"b.py": "x\n"})
    with db.read(work.repository.index) as connection:
        assert not record.is_current(connection, work.repository)
    seen: list[tuple[str, int, int | None]] = []
    told = work.index(report=lambda *step: seen.append(step))
    assert (told.new, told.commits, seen) == (1, whole + 1, [("history", 0, 1), ("history", 1, 1)])
    with db.read(work.repository.index) as connection:
        assert record.is_current(connection, work.repository)


def test_a_second_scan_without_news_asks_for_no_diff(tmp_path: Path) -> None:
    work = branched(tmp_path)
    work.index()
    spy = tmp_path / "git"
    spy.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\nexec git "$@"\n')
    spy.chmod(0o755)
    git = Git(str(work.repository.git_dir), str(work.root), program=str(spy))
    work.index(git=git)
    assert " log " not in (tmp_path / "asked").read_text()


def test_a_rewritten_history_leaves_nobody_on_the_wrong_line(tmp_path: Path) -> None:
    work = clone(tmp_path)
    begin = work.commit("begin", {"a": "1\n"})
    wrong = work.commit("wrong", {"a": "2\n"})
    work.index()
    work.git("reset", "-q", "--hard", begin)
    work.commit("right", {"a": "3\n"})
    assert work.index().commits == 2
    state = "SELECT subject, on_default_branch, reachable FROM commits ORDER BY id"
    assert work.rows(state) == [("begin", 1, 1), ("wrong", 0, 0), ("right", 1, 1)]
    work.git("merge", "-q", "-s", "ours", "-m", "Take it back in", wrong)
    assert work.index().commits == 4
    assert work.rows(state)[1] == ("wrong", 0, 1)


def test_another_branch_of_the_same_commits_moves_the_line(tmp_path: Path) -> None:
    work = branched(tmp_path)
    work.index()
    told = work.index(default_branch="topic")
    assert told.branch == "topic"
    assert [row[0] for row in work.rows("SELECT subject FROM commits WHERE on_default_branch")] == ["one", "on topic"]


def test_no_character_of_a_message_or_a_name_moves_a_field(tmp_path: Path) -> None:
    work = clone(tmp_path)
    said = "Begin \x1e\x01\x02\x03 it\n\n:100644 100644 a b M\n1\t2\tpath\n\x1f\x0c end"
    odd = {
        "--output=x": "1\n",
        ":(exclude)b": "1\n",
        "new\nline": "1\n",
        "tab\there": "1\n",
        "a => b": "1\n",
        'q"uote': "1\n",
    }
    first = work.commit(said, odd, "Mal\x02 \x1eory <m\x01@example.org>")
    work.commit("next", {"a => b": "1\n2\n"})
    work.index()
    assert work.rows("SELECT subject, body FROM commits ORDER BY id LIMIT 1") == [
        ("Begin \x1e\x01\x02\x03 it", ":100644 100644 a b M\n1\t2\tpath\n\x1f\x0c end")
    ]
    assert {row[1] for row in work.rows(FILES, first)} == set(odd)
    assert all(row[3:] == (1, 0) for row in work.rows(FILES, first))
    assert not (work.root / "x").exists()


def test_a_byte_that_is_no_text_costs_one_field_and_is_counted(tmp_path: Path) -> None:
    work = clone(tmp_path)
    work.commit("good", {"a": "1\n"})
    work.commit(b"caf\xe9 au lait\n\nbody", {"a": "2\n"})
    place = os.fsencode(work.root) + b"/caf\xe9.txt"
    with open(place, "wb") as file:
        file.write(b"x\n")
    named = work.commit("named oddly")
    assert work.index().odd == 2
    assert work.rows("SELECT subject, body FROM commits WHERE id = 2") == [("caf\ufffd au lait", "body")]
    assert [row[1] for row in work.rows(FILES, named)] == ["caf\\xe9.txt"]


def test_a_missing_blob_costs_the_lines_of_one_commit_and_is_told(tmp_path: Path) -> None:
    work = clone(tmp_path)
    shas = [work.commit(f"step {n}", {"a.txt": f"content {n}\n", f"{n}.txt": f"{n}\n"}) for n in range(6)]
    blob = work.git("rev-parse", f"{shas[2]}:2.txt")
    place = work.root / ".git" / "objects" / blob[:2] / blob[2:]
    kept = place.read_bytes()
    place.unlink()
    told = work.index()
    assert (told.new, told.stopped, told.incomplete) == (6, "", {walk.NOT_COUNTED: 1})
    assert blob in told.told
    assert [row[1:] for row in work.rows(FILES, shas[2])] == [("2.txt", None, None, None), ("a.txt", None, None, None)]
    assert work.rows("SELECT count(*), sum(insertions) FROM commits WHERE incomplete IS NULL") == [(5, 10)]
    place.write_bytes(kept)
    work.commit("more", {"b": "b\n"})
    assert work.index().incomplete == {}
    assert work.rows("SELECT files_changed, insertions, deletions FROM commits WHERE id = 3") == [(2, 2, 1)]
    assert work.rows("SELECT rowid FROM commit_words WHERE commit_words MATCH 'step'") == [(n,) for n in range(1, 7)]


def test_a_missing_tree_costs_the_files_of_the_commits_it_is_needed_for(tmp_path: Path) -> None:
    work = clone(tmp_path)
    shas = [work.commit(f"step {n}", {f"d{n}/x": f"{n}\n"}) for n in range(4)]
    tree = work.git("rev-parse", f"{shas[1]}^{{tree}}")
    (work.root / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    told = work.index()
    assert (told.new, told.incomplete) == (4, {walk.NO_FILES: 2})
    assert [row[0] for row in work.rows("SELECT subject FROM commits ORDER BY id")] == [f"step {n}" for n in range(4)]


def test_a_missing_commit_ends_the_history_there_and_is_told_until_it_is_back(tmp_path: Path) -> None:
    work = clone(tmp_path)
    shas = [work.commit(f"step {n}", {"a": f"{n}\n"}) for n in range(4)]
    place = work.root / ".git" / "objects" / shas[1][:2] / shas[1][2:]
    kept = place.read_bytes()
    place.unlink()
    told = work.index()
    assert told.stopped
    assert [row[0] for row in work.rows("SELECT subject FROM commits WHERE reachable ORDER BY id")] == ["step 3"]
    place.write_bytes(kept)
    told = work.index()
    assert (told.stopped, told.commits, told.incomplete) == ("", 4, {})


def test_an_empty_clone_has_an_empty_history(tmp_path: Path) -> None:
    work = clone(tmp_path)
    told = work.index()
    assert (told.branch, told.head, told.new, told.commits, told.stopped) == ("main", "", 0, 0, "")
    work.commit("first", {"a": "a\n"})
    assert work.index().new == 1


def test_a_detached_head_is_indexed_and_the_default_branch_stays_main(tmp_path: Path) -> None:
    work = branched(tmp_path)
    work.git("checkout", "-q", "--detach")
    loose = work.commit("loose", {"b.py": "loose\n"})
    told = work.index()
    assert (told.branch, told.head) == ("main", loose)
    assert work.rows("SELECT on_default_branch, reachable FROM commits WHERE sha = ?", loose) == [(0, 1)]


def test_a_shallow_clone_says_so_and_is_mended_when_it_is_deepened(tmp_path: Path) -> None:
    origin = branched(tmp_path / "origin")
    origin.git("clone", "-q", "--depth=2", f"file://{origin.root}", str(tmp_path / "work"))
    work = Clone(tmp_path / "work", tmp_path / "state")
    told = work.index()
    assert told.shallow
    assert told.incomplete == {walk.SHALLOW: told.new - 1}
    assert work.rows("SELECT count(*) FROM commit_files") == [(1,)]
    work.git("fetch", "-q", "--unshallow")
    told = work.index()
    origin.index()
    assert (told.shallow, told.incomplete) == (False, {})
    everything = "SELECT sha, path, status, insertions FROM commit_files ORDER BY 1, 2"
    assert set(work.rows(everything)) <= set(origin.rows(everything))
    assert work.rows("SELECT count(*) FROM commit_files")[0][0] > 5


def test_a_partial_clone_is_read_without_asking_the_network_for_what_it_lacks(tmp_path: Path) -> None:
    origin = branched(tmp_path / "origin")
    origin.git("config", "uploadpack.allowFilter", "true")
    origin.git("clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{origin.root}", str(tmp_path / "work"))
    work = Clone(tmp_path / "work", tmp_path / "state")
    told = work.index()
    assert told.partial
    assert set(told.incomplete) == {walk.NOT_COUNTED}
    assert [row[0] for row in work.rows("SELECT DISTINCT path FROM commit_files ORDER BY 1")] == [
        *("a.py", "b.py", "c.py", "left.py", "right.py", "topic.py")
    ]
    assert "?" in work.git("rev-list", "--objects", "--all", "--missing=print")


def test_a_partial_clone_that_was_made_whole_is_mended_however_much_it_lacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin = clone(tmp_path / "origin")
    for n in range(12):
        origin.commit(f"step {n}", {"a.txt": f"{n}\n"})
    origin.git("config", "uploadpack.allowFilter", "true")
    origin.git("clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{origin.root}", str(tmp_path / "work"))
    work = Clone(tmp_path / "work", tmp_path / "state")
    monkeypatch.setattr(record, "_TRIED_AGAIN", 3)
    assert work.index().incomplete == {walk.NOT_COUNTED: 12}
    origin.commit("more", {"b.txt": "b\n"})
    work.git("fetch", "-q", "--no-filter")  # only what is new comes whole
    work.git("update-ref", "refs/heads/main", "origin/main")
    assert work.index().incomplete == {walk.NOT_COUNTED: 12}
    for blob in origin.git("rev-list", "--objects", "--no-object-names", "--all").split():
        work.git("cat-file", "-e", blob)  # git fetches it, as it would for a checkout
    origin.commit("and more", {"b.txt": "bb\n"})
    work.git("fetch", "-q", "--no-filter")
    work.git("update-ref", "refs/heads/main", "origin/main")
    assert work.index().incomplete == {}
    assert work.rows("SELECT count(*), sum(insertions) FROM commits") == [(14, 14)]


def test_bare_worktree_and_submodule_are_clones_like_others(tmp_path: Path) -> None:
    work = branched(tmp_path)
    work.index()
    expected = work.rows("SELECT sha FROM commits WHERE on_default_branch ORDER BY id")
    work.git("clone", "-q", "--bare", str(work.root), str(tmp_path / "bare.git"))
    work.git("worktree", "add", "-q", "--detach", str(tmp_path / "tree"))
    outer = clone(tmp_path / "outer")
    outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(work.root), "inner")
    outer.commit("With a submodule")
    for place in (tmp_path / "bare.git", tmp_path / "tree", outer.root / "inner"):
        other = Clone(place, tmp_path / "others")
        other.index()
        assert other.rows("SELECT sha FROM commits WHERE on_default_branch ORDER BY id") == expected
    outer.index()
    assert outer.rows("SELECT path, status, insertions FROM commit_files") == [
        (".gitmodules", "A", 3),
        ("inner", "A", 1),
    ]


def test_what_a_killed_scan_kept_stays_and_the_next_goes_on(tmp_path: Path) -> None:
    work = clone(tmp_path)
    grow(work, 1_200)
    code = (
        "import os, sys; from pathlib import Path; from dragoman.repo import db, record; from dragoman.repo.repository import find\n"
        "repository = find(Path(sys.argv[1]), Path(sys.argv[2]))\n"
        "record.update(db.write(repository.index), repository, lambda _, done, total: os.kill(os.getpid(), 9) if done else None)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(work.root), str(work.state)], check=False)
    assert done.returncode == -9
    assert work.rows("SELECT count(*) FROM commits") == [(500,)]
    seen: list[tuple[int, int | None]] = []
    told = work.index(report=lambda _, done, total: seen.append((done, total)))
    assert (told.new, told.commits) == (700, 1_200)
    assert seen == [(0, 1200), (1000, 1200), (1200, 1200)]
    assert work.rows("SELECT count(*), count(DISTINCT sha) FROM commits JOIN commit_files USING (sha)") == [
        (1200, 1200)
    ]


def grow(work: Clone, count: int) -> None:
    """So many commits at once, each of one file."""
    told = b"".join(
        b"commit refs/heads/main\ncommitter Ada <ada@example.org> %d +0000\ndata 2\nc\n" % (1_767_225_600 + n)
        + b"M 100644 inline f%d\ndata 2\nx\n" % n
        for n in range(count)
    )
    work.git("fast-import", "--quiet", given=told)


def test_two_scans_at_once_keep_everything_once(tmp_path: Path) -> None:
    work = clone(tmp_path)
    grow(work, 1_100)
    inner: list[int] = []

    def begin_another(_: str, done: int, __: int | None) -> None:
        if done == 500 and not inner:
            inner.append(0)
            inner[0] = work.index().commits

    told = work.index(report=begin_another)
    assert (inner, told.commits) == ([1_100], 1_100)
    assert work.rows("SELECT count(*) FROM commit_files") == [(1_100,)]
    assert work.rows("SELECT count(*) FROM commit_words WHERE commit_words MATCH 'c'") == [(1_100,)]


def test_a_git_that_falls_silent_is_ended_and_what_it_told_is_kept(tmp_path: Path) -> None:
    work = clone(tmp_path)
    shas = [work.commit(f"step {n}", {"a": f"{n}\n"}) for n in range(3)]
    slow = tmp_path / "git"
    slow.write_text('#!/bin/sh\ncase "$*" in *--numstat*) exec sleep 600;; *) exec git "$@";; esac\n')
    slow.chmod(0o755)
    git = Git(str(work.repository.git_dir), str(work.root), idle_seconds=0.2, program=str(slow))
    told = work.index(git=git)
    assert "said nothing for 0.2 seconds" in told.told
    assert (told.new, told.incomplete) == (len(shas), {walk.NOT_COUNTED: 3})


@pytest.mark.parametrize(
    ("key", "value"), [("diff.orderFile", "/nowhere"), ("diff.renames", "false"), ("log.diffMerges", "combined")]
)
def test_a_configuration_changes_nothing_that_is_kept(key: str, value: str, tmp_path: Path) -> None:
    work = branched(tmp_path)
    work.index()
    everything = "SELECT * FROM commits JOIN commit_files USING (sha) ORDER BY commits.id, path"
    expected = work.rows(everything)
    work.git("config", key, value)
    other = Clone(work.root, tmp_path / "other")
    other.index()
    assert other.rows(everything) == expected


def test_nothing_inherited_points_git_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work, elsewhere = branched(tmp_path / "a"), clone(tmp_path / "b")
    repository = work.repository
    for name, value in {
        "GIT_DIR": str(elsewhere.root / ".git"),
        "GIT_WORK_TREE": str(elsewhere.root),
        "GIT_EXTERNAL_DIFF": "/bin/false",
        "GIT_OBJECT_DIRECTORY": str(tmp_path),
    }.items():
        monkeypatch.setenv(name, value)
    with closing(db.write(repository.index)) as connection:
        assert record.update(connection, repository).commits == 8


def test_authors_are_one_by_mailmap_private_address_and_equal_email_and_never_by_name(tmp_path: Path) -> None:
    work = clone(tmp_path)
    spellings = [
        ADA, "ada <ADA@Example.org>", "Ada Lovelace <old@example.org>",
        "Ada Byron <other@example.org>",
        "ben <123+ben@users.noreply.github.com>", "Ben Ali <ben@users.noreply.github.com>",
        "dependabot[bot] <49699333+dependabot[bot]@users.noreply.github.com>", "dependabot[bot] <support@github.com>",
        "GitHub <noreply@github.com>", "Cleo <noreply@github.com>", "Nobody <>",
    ]  # fmt: skip
    for n, author in enumerate(spellings):
        work.commit(f"step {n}", {"a": f"{n}\n"}, author)
    work.write(".mailmap", "Ada Byron <ada@example.org> <old@example.org>\n")
    work.index()
    people = "SELECT group_concat(i.name || '/' || i.email, ' & '), is_bot FROM identities i JOIN authors a ON a.id = author_id GROUP BY a.id"
    assert sorted(work.rows(people)) == sorted(
        [
            ("Ada Byron/ada@example.org & ada/ADA@Example.org & Ada Lovelace/old@example.org", 0),
            ("Ada Byron/other@example.org", 0),
            ("ben/123+ben@users.noreply.github.com & Ben Ali/ben@users.noreply.github.com", 0),
            (
                "dependabot[bot]/49699333+dependabot[bot]@users.noreply.github.com & dependabot[bot]/support@github.com",
                1,
            ),
            ("GitHub/noreply@github.com", 0),
            ("Cleo/noreply@github.com", 0),
            ("Nobody/", 0),
        ]
    )
    (work.root / ".mailmap").unlink()
    work.index()
    assert work.rows("SELECT count(DISTINCT author_id), count(*) FROM commits") == [(8, 11)]
