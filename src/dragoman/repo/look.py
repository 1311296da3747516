"""Look at one commit: what a name, a tag or the beginning of a SHA means, what the commit did, and its diff."""

import sqlite3
from dataclasses import dataclass

from rapidfuzz import fuzz, process

from dragoman.harness.tools import ToolError
from dragoman.repo import history, refs, walk, withheld
from dragoman.repo.git import Git
from dragoman.repo.history import Commit, File

_NEAR = 5


@dataclass(frozen=True, slots=True)
class Found:
    """A commit with its files; or the `choices` where the beginning of a SHA fits several."""

    commit: Commit | None = None
    files: tuple[File, ...] = ()
    choices: tuple[Commit, ...] = ()


def at(connection: sqlite3.Connection, git: Git, name: str) -> Found:
    """The commit that `name` means, from the index, or from git itself where it is not indexed. Raises ToolError
    (unknown_commit)."""
    name = name.strip()
    sha = refs.resolve(git, name)
    if sha is None and refs.is_short(name):
        choices = history.beginning_with(connection, name)
        if len(choices) > 1:
            return Found(choices=choices)
        # What the index alone still knows is not shown: the clone has lost it.
        sha = next(iter(refs.known(git, frozenset(one.sha for one in choices))), None)
    if sha is None:
        raise _unknown(git, name)
    if indexed := history.commit(connection, sha):
        return Found(indexed, history.files(connection, sha))
    return _from_git(git, sha)


def diff(git: Git, sha: str, room: int) -> tuple[str, bool]:
    """The diff of a commit against its first parent, at most `room` bytes of whole lines, and whether there is more.

    Of files that are never read it says no more than that there are some.
    """
    asked = ("log", "--no-walk", "--stdin", "--format=", "-p", "-M", "--diff-merges=first-parent", "--encoding=UTF-8")
    kept = b""
    with git.stream(*asked, "--no-color", "--no-ext-diff", "--no-textconv", given=f"{sha}\n".encode()) as stream:
        for piece in stream:
            kept += piece
            if len(kept) > room:
                break
    if len(kept) <= room:
        return withheld.without(kept.decode("utf-8", "replace")).strip("\n"), bool(stream.failure)
    return withheld.without(kept[:room].rpartition(b"\n")[0].decode("utf-8", "replace")).strip("\n"), True


def _from_git(git: Git, sha: str) -> Found:
    entry, incomplete = walk.one(git, sha), None
    if entry is None:
        entry, incomplete = walk.without_contents(git, sha) or (None, None)
    if entry is None:
        raise ToolError(f"git cannot read the commit {sha}.", "unknown_commit")
    commit = Commit(
        entry.sha, None, entry.subject, entry.author, entry.committed_at, len(entry.changes),
        sum(change.insertions or 0 for change in entry.changes), sum(change.deletions or 0 for change in entry.changes),
        incomplete, entry.body, entry.parents,
    )  # fmt: skip
    return Found(commit, tuple(File(c.path, c.old_path, c.status, c.insertions, c.deletions) for c in entry.changes))


def _unknown(git: Git, name: str) -> ToolError:
    known = [full.split("/", 2)[2] for full in refs.read(git).names]
    near = [one for one, *_ in process.extract(name, known, scorer=fuzz.ratio, limit=_NEAR, score_cutoff=50)]
    like = f" Like it: {', '.join(near)}." if near else ""
    return ToolError(
        f"There is no commit {name!r} here.{like} Give a SHA (4 digits or more), HEAD, a branch or a tag.",
        "unknown_commit",
        near=near,
    )
