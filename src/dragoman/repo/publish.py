"""Put what was read into the tables that are asked: files, symbols, and the edges between them.

Readers see the old index until the new one is whole. Rows that stay the same are not written again.
"""

import hashlib
import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from dragoman.repo import dependents, difference, names
from dragoman.repo.dependents import Change
from dragoman.repo.languages.edges import Resolution
from dragoman.repo.languages.facts import FileFacts
from dragoman.repo.languages.resolve import Resolver

_LONGEST_DOC = 2_000  # characters of a docstring that are kept and searched

Rows = list[tuple[Any, ...]]
# The tables of edges: their columns, the uids and paths among them not yet replaced by ids.
_EDGES = {
    "calls": ("caller_id", "callee_id", "line", "column", "tier", "resolver"),
    "possible_calls": ("caller_id", "callee_id", "line", "column"),
    "unresolved_calls": ("caller_id", "line", "text", "name", "is_external"),
    "handed_over": ("holder_id", "target_id", "line", "column", "tier"),
    "imports": ("line", "module", "target_id"),
}
_UIDS = {"caller_id", "callee_id", "holder_id"}


@dataclass(frozen=True, slots=True)
class Found:
    """What is to be published: the files' edges and, by path, calls of somebody else's index.

    `change` is what the edges were found for, beside `resolver.reads`; None where all files were resolved.
    """

    resolution: Resolution
    resolver: Resolver
    facts: Callable[[str], FileFacts]
    overlaid: Mapping[str, Sequence[tuple[Any, ...]]]
    change: Change | None


def publish(connection: sqlite3.Connection, found: Found, skipped: Mapping[str, str], anew: bool = False) -> None:
    """Make the index say what the kept readings say. To be called in a transaction.

    With `anew` every file is compared, also where its content is the same: it may have been read in another way.
    """
    changed = _files(connection, skipped, anew)
    ids = dict(connection.execute("SELECT path, id FROM files"))
    known = found.resolver.languages
    symbols = _Ids(connection, whole=found.change is None)
    _symbols(connection, changed, ids, symbols, {path: found.facts(path) for path in changed if path in known})
    resolved = {*changed, *found.resolver.reads} if found.change else ids.keys()
    _edges(connection, ids, symbols, changed, resolved, _by_path(found.resolution, found.overlaid))
    dependents.keep(connection, found.resolver, ids, found.change)


class _Ids(dict[str, int]):
    """The ids of symbols by their uids, all of them at once or each when it is asked for."""

    def __init__(self, connection: sqlite3.Connection, whole: bool) -> None:
        super().__init__(connection.execute("SELECT uid, id FROM symbols") if whole else ())
        self._connection, self._whole = connection, whole
        self._gone: set[str] = set()
        self.last: int
        self.count: int
        self.last, self.count = connection.execute("SELECT ifnull(max(id), 0), count(*) FROM symbols").fetchone()

    def get(self, uid: str, default: int | None = None) -> int | None:  # type: ignore[override]
        """The id, or nothing where there is no such symbol."""
        known = super().get(uid, default)
        if known is None and not self._whole and uid not in self._gone:
            row = self._connection.execute("SELECT id FROM symbols WHERE uid = ?", (uid,)).fetchone()
            if row is not None:
                known = self[uid] = row[0]
        return known

    def new(self, uid: str) -> int:
        """The id of a new symbol."""
        self.last += 1
        made = self[uid] = self.last
        return made

    def forget(self, uid: str) -> None:
        """The symbol is no more."""
        self.pop(uid, None)
        self._gone.add(uid)


def _files(connection: sqlite3.Connection, skipped: Mapping[str, str], anew: bool) -> list[str]:
    """Bring `files` and `skipped` up to date; the paths whose symbols are to be compared."""
    wanted, there = difference.wanted(connection), difference.published(connection)
    connection.executemany("DELETE FROM files WHERE path = ?", [(path,) for path in there if path not in wanted])
    changed = [path for path, row in wanted.items() if anew or there.get(path) != row[:4]]
    connection.executemany(
        "INSERT INTO files (path, language, digest, size, lines, is_test) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (path) DO UPDATE SET language = excluded.language, digest = excluded.digest,"
        " size = excluded.size, lines = excluded.lines, edges = ''",
        [(path, *wanted[path][1:3], *wanted[path][4:], names.is_test(path)) for path in changed],
    )
    left_out = difference.left_out(connection, skipped)
    if left_out != difference.told_left_out(connection):
        connection.execute("DELETE FROM skipped")
        connection.executemany("INSERT INTO skipped VALUES (?, ?)", left_out.items())
    return changed


_COLUMNS = "dotted, name, kind, signature, doc, line, end_line, words, parent_id"


def _symbols(
    connection: sqlite3.Connection,
    changed: Sequence[str],
    files: Mapping[str, int],
    ids: _Ids,
    facts: Mapping[str, FileFacts],
) -> None:
    """Bring the symbols of these files up to date, and their ids."""
    new: Rows = []
    other: Rows = []
    for path in changed:
        rows = _rows(path, facts[path]) if path in facts else []
        there = _there(connection, files[path])
        if gone := there.keys() - {row[0] for row in rows}:
            # What stays does not go along with what it stood in, for it is known elsewhere by its id.
            connection.executemany(
                "UPDATE symbols SET parent_id = NULL WHERE parent_id = ?", [(there[uid][0],) for uid in gone]
            )
            connection.executemany("DELETE FROM symbols WHERE uid = ?", [(uid,) for uid in gone])
            for uid in gone:
                ids.forget(uid)
            there = _there(connection, files[path])
        for uid, parent, *rest in rows:
            values = (*rest, ids.get(parent))
            if uid in there:
                if there[uid][1] != values:
                    other.append((*values, there[uid][0]))
            elif ids.get(uid) is None:  # a file may be named like something inside another
                new.append((*values, ids.new(uid), files[path], uid))
    with _searched_again(connection, len(new) + len(other) > (ids.count + len(new)) // 4):
        sets = ", ".join(f"{column} = ?" for column in _COLUMNS.split(", "))
        connection.executemany(f"UPDATE symbols SET {sets} WHERE id = ?", other)
        marks = ", ".join("?" * (_COLUMNS.count(",") + 4))
        connection.executemany(f"INSERT INTO symbols ({_COLUMNS}, id, file_id, uid) VALUES ({marks})", new)


def _there(connection: sqlite3.Connection, file_id: int) -> dict[str, tuple[int, tuple[object, ...]]]:
    rows = connection.execute(f"SELECT uid, id, {_COLUMNS} FROM symbols WHERE file_id = ?", (file_id,))
    return {uid: (id, tuple(rest)) for uid, id, *rest in rows}


@contextmanager
def _searched_again(connection: sqlite3.Connection, much: bool) -> Iterator[None]:
    """Where much changes, make the search's tables anew at the end instead of row by row; it takes a fraction of the time."""
    if not much:
        yield
        return
    triggers = connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'symbols'"
    ).fetchall()
    for name, _ in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    yield
    for _, sql in triggers:
        connection.execute(sql)
    for table in ("symbol_names", "symbol_words"):
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('rebuild')")


def _rows(path: str, facts: FileFacts) -> Rows:
    """(uid, uid of the parent, dotted, name, kind, signature, doc, line, end_line, words), parents before what is in them."""
    module = names.module(path)
    name = module.rpartition(".")[2]
    # A module's name is told apart from what is in it by having no `::`.
    rows: Rows = [
        (
            path,
            "",
            module,
            name,
            "module",
            "",
            facts.doc[:_LONGEST_DOC],
            1,
            max(facts.lines, 1),
            " ".join(names.words(name)),
        )
    ]
    parents = {symbol.qualname: symbol.parent for symbol in facts.symbols}
    for symbol in sorted(facts.symbols, key=lambda symbol: _depth(symbol.qualname, parents)):
        rows.append(
            (
                f"{path}::{symbol.qualname}",
                f"{path}::{symbol.parent}" if symbol.parent else path,
                f"{module}.{symbol.qualname}",
                symbol.name,
                symbol.kind,
                symbol.signature,
                symbol.doc[:_LONGEST_DOC],
                symbol.line,
                symbol.end_line,
                " ".join(names.words(symbol.name)),
            )
        )
    return rows


def _depth(qualname: str, parents: Mapping[str, str]) -> int:
    depth = 0
    while qualname and depth < len(parents):
        qualname, depth = parents.get(qualname, ""), depth + 1
    return depth


def _by_path(resolution: Resolution, overlaid: Mapping[str, Sequence[tuple[Any, ...]]]) -> dict[str, dict[str, Rows]]:
    found: dict[str, dict[str, Rows]] = defaultdict(lambda: {table: [] for table in _EDGES})
    for edge in resolution.edges:
        found[edge.path]["calls"].append((edge.caller, edge.callee, edge.line, edge.column, edge.tier, ""))
    for path, rows in overlaid.items():
        found[path]["calls"].extend(rows)
    for maybe in resolution.possible:
        found[maybe.path]["possible_calls"].append((maybe.caller, maybe.callee, maybe.line, maybe.column))
    for call in resolution.unresolved:
        row = (call.caller, call.line, call.text, call.name, int(call.external))
        found[call.path]["unresolved_calls"].append(row)
    for held in resolution.references:
        found[held.path]["handed_over"].append((held.holder, held.target, held.line, held.column, held.tier))
    for imported in resolution.imports:
        found[imported.path]["imports"].append((imported.line, imported.module, imported.target))
    return found


def _edges(
    connection: sqlite3.Connection,
    ids: Mapping[str, int],
    symbols: _Ids,
    changed: Iterable[str],
    resolved: Iterable[str],
    found: Mapping[str, Mapping[str, Rows]],
) -> None:
    """Write the edges of each resolved file where they are not what they were."""
    anew = set(changed)
    there = dict(connection.execute("SELECT path, edges FROM files"))
    digests = {path: _digest(rows) for path, rows in found.items()}
    stale = [path for path in resolved if path in anew or there[path] != digests.get(path, "")]
    for path in stale:
        file_id = ids[path]
        for table, columns in _EDGES.items():
            connection.execute(f"DELETE FROM {table} WHERE file_id = ?", (file_id,))
            rows = _with_ids(found[path][table], columns, symbols, ids) if path in found else []
            marks = ", ".join("?" * (len(columns) + 1))
            connection.executemany(
                f"INSERT INTO {table} ({', '.join(columns)}, file_id) VALUES ({marks})",
                [(*row, file_id) for row in rows],
            )
        connection.execute("UPDATE files SET edges = ? WHERE id = ?", (digests.get(path, ""), file_id))


def _with_ids(
    rows: Rows, columns: Sequence[str], symbols: _Ids, files: Mapping[str, int]
) -> Iterable[tuple[object, ...]]:
    imports = columns[0] == "line" and columns[-1] == "target_id"
    for row in rows:
        if imports:
            yield (*row[:-1], files.get(str(row[-1])) if row[-1] else None)
            continue
        named = [symbols.get(str(value)) if column in _UIDS or column == "target_id" else value
                 for column, value in zip(columns, row, strict=True)]  # fmt: skip
        if None not in named:
            yield tuple(named)


def _digest(rows: Mapping[str, Rows]) -> str:
    return hashlib.blake2b(json.dumps(rows).encode(), digest_size=12).hexdigest()
