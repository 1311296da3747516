"""Calls from a CodeGraph database (`.codegraph/codegraph.db`), for languages whose calls are not followed here.

Only edges it is sure of: by its own measure its guesses are mostly wrong. The database is read as it lies there; nothing
is written beside it.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

from dragoman.repo.languages.edges import Edge
from dragoman.repo.languages.facts import FileFacts
from dragoman.repo.overlays import places
from dragoman.repo.repository import Repository

SURE = 0.85
FOLLOWED = frozenset({"python", "javascript", "typescript", "tsx"})
_COLUMNS = {
    "nodes": {"id", "name", "file_path", "start_line"},
    "edges": {"source", "target", "kind", "line", "col", "metadata"},
}
_MOST_STEPS = 20_000  # of a thousand instructions; a file of somebody else's does not keep us for ever


def mark(repository: Repository) -> str:
    """Changes with the database."""
    path = _path(repository)
    return f"codegraph:{path.stat().st_mtime_ns}:{path.stat().st_size}" if path else ""


def edges(repository: Repository, facts: Mapping[str, FileFacts]) -> list[Edge]:
    """Its sure calls between symbols that are here as well; none where there is no such database, or one of another kind."""
    path = _path(repository)
    if path is None:
        return []
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")
            steps = iter(range(_MOST_STEPS))
            connection.set_progress_handler(lambda: next(steps, None) is None, 1000)
            return list(_edges(connection, facts)) if _fits(connection) else []
    except sqlite3.Error:
        return []


def _path(repository: Repository) -> Path | None:
    folder = repository.root / ".codegraph"
    path = folder / "codegraph.db"
    plain = not repository.bare and not folder.is_symlink() and not path.is_symlink() and path.is_file()
    return path if plain else None


def _fits(connection: sqlite3.Connection) -> bool:
    for table, columns in _COLUMNS.items():
        kind = connection.execute("SELECT type FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        there = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
        if kind != ("table",) or not columns <= there:
            return False
    return True


def _edges(connection: sqlite3.Connection, facts: Mapping[str, FileFacts]) -> Iterator[Edge]:
    known = places.definitions(facts)
    rows = connection.execute(
        "SELECT s.file_path, s.start_line, s.name, t.file_path, t.start_line, t.name, e.line, e.col, e.metadata"
        " FROM edges e JOIN nodes s ON s.id = e.source JOIN nodes t ON t.id = e.target WHERE e.kind = 'calls'"
    )
    for path, line, name, other, other_line, other_name, at, column, metadata in rows:
        caller = known.get((path, line, name))
        callee = known.get((other, other_line, other_name))
        if caller and callee and isinstance(at, int) and facts[path].language not in FOLLOWED and _is_sure(metadata):
            yield Edge(caller, callee, path, at, column if isinstance(column, int) else 0, "typed")


def _is_sure(metadata: object) -> bool:
    try:
        told = json.loads(metadata) if isinstance(metadata, str) else {}
    except ValueError:
        return False
    confidence = told.get("confidence") if isinstance(told, dict) else None
    return isinstance(confidence, int | float) and confidence >= SURE
