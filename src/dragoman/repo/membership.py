"""Which commits lie on the default branch's own line, and which are reachable at all; two sets, made anew by comparing."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from dragoman.repo.git import Git, lines
from dragoman.repo.refs import Refs


def mark_default_branch(connection: sqlite3.Connection, git: Git, now: Refs) -> None:
    """Mark the first-parent line of the default branch, and no other commit."""
    with _walked(
        connection, git, ("rev-list", "--first-parent", "--stdin"), [now.default_tip] if now.default_tip else []
    ):
        _mark(connection, "on_default_branch")


def mark_reachable(
    connection: sqlite3.Connection, git: Git, now: Refs, old: frozenset[str], indexed: frozenset[str]
) -> None:
    """Unmark what no branch and no tag leads to any more. `old` are the indexed tips git still knows.

    While the lines only grow there is nothing to do: new commits are kept as reachable ones.
    """
    if old == indexed and old and not _lost(git, now, old):
        return
    with _walked(connection, git, ("rev-list", "--stdin"), sorted(now.tips)):
        _mark(connection, "reachable")


def _lost(git: Git, now: Refs, old: frozenset[str]) -> bool:
    given = [*sorted(old), *(f"^{sha}" for sha in sorted(now.tips))]
    return bool(git.run("rev-list", "--max-count=1", "--stdin", given=_told(given)).out)


def _mark(connection: sqlite3.Connection, column: str) -> None:
    for value, there in ((1, "IN"), (0, "NOT IN")):
        connection.execute(f"UPDATE commits SET {column} = {value} WHERE {column} <> {value} AND sha {there} walked")


@contextmanager
def _walked(connection: sqlite3.Connection, git: Git, words: Iterable[str], given: list[str]) -> Iterator[None]:
    connection.execute("CREATE TEMP TABLE walked (sha TEXT PRIMARY KEY) WITHOUT ROWID")
    try:
        if given:
            with git.stream(*words, given=_told(given)) as pieces:
                found = ((sha.decode("ascii"),) for sha in lines(pieces, b"\n"))
                connection.executemany("INSERT OR IGNORE INTO walked VALUES (?)", found)
        yield
    finally:
        connection.execute("DROP TABLE walked")


def _told(given: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in given).encode()
