"""Ask the code graph: one symbol, what is around it, who calls whom. Every list comes with its true total, a page at a time."""

import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dragoman.repo import db, search

# Languages whose calls are followed; of others the symbols are known, and calls only where another index was read in.
WITH_CALLS = frozenset({"python", "javascript", "typescript", "tsx"})

_SELECT = """
    SELECT s.id AS row, s.uid, s.dotted, s.name, s.kind, f.path, s.line, s.end_line, s.signature, s.doc, f.language
    FROM symbols s JOIN files f ON f.id = s.file_id
"""
_PLACE = re.compile(r"(.+):(\d+)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Symbol:
    """Something defined. `id` is `path::Outer.inner`, or the path alone for a module; `dotted` is its name with its package."""

    row: int
    id: str
    dotted: str
    name: str
    kind: str
    path: str
    line: int
    end_line: int
    signature: str
    doc: str
    language: str


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The other end of a call: what it is and where the call stands. `tier` is proven, typed or, for a candidate, empty."""

    id: str
    kind: str
    path: str
    line: int
    tier: str = ""


@dataclass(frozen=True, slots=True)
class Page[T]:
    """Some of `found`, from `offset` on."""

    found: int
    items: tuple[T, ...]
    offset: int = 0

    @property
    def next_offset(self) -> int | None:
        """Where the next page begins, or None on the last."""
        end = self.offset + len(self.items)
        return end if end < self.found and self.items else None


def ready(connection: sqlite3.Connection) -> None:
    """Raises NotIndexed where the code was never published; the first scan may be at it."""
    if connection.execute("SELECT 1 FROM state WHERE name = 'code'").fetchone() is None:
        raise db.NotIndexed("The code of this repository is not indexed yet. Run: dragoman scan")


def lookup(connection: sqlite3.Connection, name: str) -> tuple[Symbol, ...]:
    """The symbols `name` means, in one of the shapes of `names.NAME_SHAPES`: one, several to choose from, or none."""
    name = name.strip()
    for where, values in _meanings(name):
        rows = connection.execute(f"{_SELECT} WHERE {where} ORDER BY f.is_test, f.path, s.line", values).fetchall()
        if rows:
            return tuple(map(_symbol, rows))
    return ()


def near(connection: sqlite3.Connection, name: str, most: int = 5) -> list[str]:
    """Names that look like one that is not there."""
    last = re.split(r"[.:#/]", name.rstrip("()*"))[-1] or name
    return [symbol.id for symbol in find(connection, last, limit=most).items]


def find(
    connection: sqlite3.Connection, query: str, kind: str | None = None, limit: int = 20, offset: int = 0
) -> Page[Symbol]:
    """Symbols by their names, the words these are made of, or their docstrings, the best first; typing mistakes are forgiven."""
    rows = search.ranked(connection, query, kind)
    chosen = rows[offset : offset + limit]
    return Page(len(rows), tuple(_by_row(connection, chosen)), offset)


def _by_row(connection: sqlite3.Connection, rows: Sequence[int]) -> list[Symbol]:
    marks = ", ".join("?" * len(rows))
    found = {row["row"]: _symbol(row) for row in connection.execute(f"{_SELECT} WHERE s.id IN ({marks})", rows)}
    return [found[row] for row in rows]


def parent(connection: sqlite3.Connection, symbol: Symbol) -> Symbol | None:
    """What it stands in; None for a module."""
    row = connection.execute(
        f"{_SELECT} WHERE s.id = (SELECT parent_id FROM symbols WHERE id = ?)", (symbol.row,)
    ).fetchone()
    return _symbol(row) if row else None


def members(connection: sqlite3.Connection, symbol: Symbol, limit: int = 100, offset: int = 0) -> Page[Symbol]:
    """What stands in it, in the order of the text."""
    found = _count(connection, "symbols WHERE parent_id = ?", (symbol.row,))
    rows = connection.execute(
        f"{_SELECT} WHERE s.parent_id = ? ORDER BY s.line, s.uid LIMIT ? OFFSET ?", (symbol.row, limit, offset)
    )
    return Page(found, tuple(map(_symbol, rows)), offset)


def callers(connection: sqlite3.Connection, symbol: Symbol, limit: int = 50, offset: int = 0) -> Page[Neighbour]:
    """Who calls it for certain, call by call; calling a class is calling its constructor."""
    return _neighbours(
        connection, "calls", "callee_id", "caller_id", _with_constructor(connection, symbol), limit, offset
    )


def possible_callers(
    connection: sqlite3.Connection, symbol: Symbol, limit: int = 50, offset: int = 0
) -> Page[Neighbour]:
    """Calls of something of that name which may be this one."""
    rows = _with_constructor(connection, symbol)
    return _neighbours(connection, "possible_calls", "callee_id", "caller_id", rows, limit, offset)


def holders(connection: sqlite3.Connection, symbol: Symbol, limit: int = 50, offset: int = 0) -> Page[Neighbour]:
    """Who hands it over without calling it."""
    return _neighbours(connection, "handed_over", "target_id", "holder_id", [symbol.row], limit, offset)


def callees(connection: sqlite3.Connection, symbol: Symbol, limit: int = 50, offset: int = 0) -> Page[Neighbour]:
    """What it calls for certain, call by call."""
    return _neighbours(connection, "calls", "caller_id", "callee_id", _within(connection, symbol), limit, offset)


def possible_callees(
    connection: sqlite3.Connection, symbol: Symbol, limit: int = 50, offset: int = 0
) -> Page[Neighbour]:
    """What it may call, by the name alone."""
    rows = _within(connection, symbol)
    return _neighbours(connection, "possible_calls", "caller_id", "callee_id", rows, limit, offset)


def unresolved(
    connection: sqlite3.Connection, symbol: Symbol, limit: int = 50, offset: int = 0
) -> Page[tuple[str, int]]:
    """(callee as written, line) of its calls whose target is not known; those of the language and of libraries are left out."""
    rows = _within(connection, symbol)
    source = f"unresolved_calls WHERE caller_id IN ({_marks(rows)}) AND is_external = 0"
    found = connection.execute(
        f"SELECT text, line FROM {source} ORDER BY line, text LIMIT ? OFFSET ?", (*rows, limit, offset)
    )
    return Page(_count(connection, source, rows), tuple((text, line) for text, line in found), offset)


def unresolved_by_name(connection: sqlite3.Connection, symbol: Symbol) -> int:
    """How many calls of something of its name lead nowhere known: as many callers may be missing."""
    return _count(connection, "unresolved_calls WHERE name = ? AND is_external = 0", (symbol.name,))


def has_calls(connection: sqlite3.Connection, language: str) -> bool:
    """Whether calls of a language are known."""
    if language in WITH_CALLS:
        return True
    sql = "SELECT 1 FROM calls c JOIN files f ON f.id = c.file_id WHERE f.language = ? LIMIT 1"
    return connection.execute(sql, (language,)).fetchone() is not None


# ---- below the questions ---------------------------------------------------------------------------------------------


def _meanings(name: str) -> list[tuple[str, tuple[Any, ...]]]:
    """Conditions to try one after the other; the first that finds something is what the name means."""
    meanings: list[tuple[str, tuple[Any, ...]]] = [("s.uid = ?", (name,)), ("s.dotted = ?", (name,))]
    path, separator, rest = name.partition("::")
    if separator and "/" not in rest:
        last = rest.rpartition(".")[2].partition("#")[0]
        meanings.append(
            (
                "s.name = ? AND s.parent_id IS NOT NULL AND substr(s.uid, -length(?)) = ?",
                (last, _tail(name), _tail(name)),
            )
        )
    elif place := _PLACE.fullmatch(name):
        path, line = place.group(1), int(place.group(2))
        inside = "f.path = ? AND s.line <= ? AND s.end_line >= ?"
        # The smallest around the line; a module is around all of them.
        smallest = (
            f"s.id = (SELECT s.id FROM symbols s JOIN files f ON f.id = s.file_id WHERE {inside}"
            " ORDER BY s.parent_id IS NULL, s.end_line - s.line, s.line DESC LIMIT 1)"
        )
        meanings.append((smallest, (path, line, line)))
    elif "." in name:
        last = name.rpartition(".")[2]
        meanings.append(("s.name = ? AND substr(s.dotted, -length(?)) = ?", (last, f".{name}", f".{name}")))
    else:
        meanings.append(("s.name = ? AND s.parent_id IS NOT NULL", (name,)))
        meanings.append(("s.name = ?", (name,)))
    return meanings


def _tail(name: str) -> str:
    return f"/{name}"


def _symbol(row: sqlite3.Row) -> Symbol:
    return Symbol(*row)


def _with_constructor(connection: sqlite3.Connection, symbol: Symbol) -> list[int]:
    sql = "SELECT id FROM symbols WHERE parent_id = ? AND name IN ('__init__', '__new__', 'constructor') AND kind != 'class'"
    return [symbol.row, *(row for (row,) in connection.execute(sql, (symbol.row,)))]


def _within(connection: sqlite3.Connection, symbol: Symbol) -> list[int]:
    """A class calls what its methods call; a function also what functions inside it do. A module is its own statements."""
    if symbol.id == symbol.path:
        return [symbol.row]
    sql = """
        WITH RECURSIVE inside (id) AS (
            SELECT ? UNION SELECT s.id FROM symbols s JOIN inside ON s.parent_id = inside.id
        ) SELECT id FROM inside LIMIT 30000
    """
    return [row for (row,) in connection.execute(sql, (symbol.row,))]


def _neighbours(
    connection: sqlite3.Connection, table: str, here: str, there: str, rows: Sequence[int], limit: int, offset: int
) -> Page[Neighbour]:
    source = f"{table} WHERE {here} IN ({_marks(rows)})"
    tier = "''" if table == "possible_calls" else "e.tier"
    found = connection.execute(
        f"""
        SELECT s.uid, s.kind, f.path, e.line, {tier} FROM (SELECT * FROM {source}) e
        JOIN symbols s ON s.id = e.{there} JOIN files f ON f.id = e.file_id
        ORDER BY f.is_test, f.path, e.line, e.column, s.uid LIMIT ? OFFSET ?
        """,
        (*rows, limit, offset),
    )
    return Page(_count(connection, source, rows), tuple(Neighbour(*row) for row in found), offset)


def _marks(rows: Sequence[int]) -> str:
    return ", ".join("?" * len(rows))


def _count(connection: sqlite3.Connection, source: str, values: Sequence[Any]) -> int:
    return int(connection.execute(f"SELECT count(*) FROM {source}", values).fetchone()[0])
