"""Follow the lines of one symbol back through its file's history, edits and renames, as `git log -L` does."""

import os
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from dragoman.repo import history, paths
from dragoman.repo.git import Git, lines
from dragoman.repo.graph import Symbol
from dragoman.repo.history import Page
from dragoman.repo.languages import registry

_IDLE_SECONDS = 20  # of silence, after which what is known so far is the answer
_FORMAT = "--format=%x00%H"
_HUNK = re.compile(rb"@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")
_CALLED = frozenset({"function", "method"})

NOT_COMMITTED = "HEAD has no such symbol: it was never committed, or is new."
CUT_SHORT = "git could not follow it further back: {}"


@dataclass(frozen=True, slots=True)
class Lifeline:
    """The commits that changed a symbol's lines, newest first. `line` and `end_line` are those at HEAD, 0 where it is not there.

    `note` says what stands in the way of more.
    """

    symbol: Symbol
    line: int
    end_line: int
    page: Page
    note: str = ""


class _Place(NamedTuple):
    """The lines a commit left, both from 1 and both included."""

    sha: str
    path: bytes
    first: int
    last: int


def of(connection: sqlite3.Connection, git: Git, symbol: Symbol, limit: int, offset: int) -> Lifeline:
    """The history of a symbol of the index; merges left out, since what they brought is told by its own commits."""
    git = replace(git, idle_seconds=_IDLE_SECONDS)
    span = _at_head(git, symbol)
    if span is None:
        return Lifeline(symbol, 0, 0, Page(0, ()), NOT_COMMITTED)
    word = f"-L{span[0]},{span[1]}:{_as_word(symbol.path)}"
    with git.stream("log", word, "-p", "-M", "--no-ext-diff", "--no-textconv", "--no-color", _FORMAT, "HEAD") as stream:
        places = list(_places(lines(stream, b"\n")))
    while places and not _defines(git, places[-1], symbol):
        places.pop()
    note = CUT_SHORT.format(stream.failure) if stream.failure else ""
    return Lifeline(symbol, *span, history.among(connection, [one.sha for one in places], limit, offset), note)


def _places(told: Iterator[bytes]) -> Iterator[_Place]:
    """Where the lines stood after each commit. What git prints of the text itself begins with a sign and is passed over."""
    sha, path = "", b""
    for line in told:
        if line.startswith(b"\0"):
            sha, path = line[1:].decode("ascii", "replace"), b""
        elif sha and line.startswith(b"+++ "):
            path = line[4:].rstrip(b"\t").removeprefix(b"b/")
        elif sha and (hunk := _HUNK.match(line)):
            first = int(hunk[1])
            yield _Place(sha, path, first, first + int(hunk[2] or 1) - 1)
            sha = ""


def _defines(git: Git, place: _Place, symbol: Symbol) -> bool:
    """Whether something of the symbol's kind was defined there, as far as can be told.

    Git follows lines that replaced others back to those others, beyond the commit that brought the symbol.
    """
    found = git.run("cat-file", "blob", f"{place.sha}:{os.fsdecode(place.path)}")
    if not found.ok:
        return True
    return any(
        place.first <= one.line <= place.last and (one.kind in _CALLED) == (symbol.kind in _CALLED)
        for one in registry.read(symbol.path, found.out).symbols
    )


def _at_head(git: Git, symbol: Symbol) -> tuple[int, int] | None:
    """The first and the last line it has at HEAD, whatever the work tree has made of it."""
    found = git.run("cat-file", "blob", f"HEAD:{_as_word(symbol.path)}")
    if not found.ok:
        return None
    name = symbol.id.removeprefix(f"{symbol.path}::")
    for one in registry.read(symbol.path, found.out).symbols:
        if one.qualname == name:
            return one.line, one.end_line
    return None


def _as_word(path: str) -> str:
    """A path as a word of a command: the bytes git knows it by."""
    return paths.raw(path).decode("utf-8", "surrogateescape")
