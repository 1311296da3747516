"""What is in a part of the repository: its symbols by file, the files alone where these are many, or the folders."""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

MOST_SYMBOLS = 150
MOST_FILES = 300


@dataclass(frozen=True, slots=True)
class Line:
    """A symbol within an outline; `name` is dotted below its file."""

    name: str
    kind: str
    line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Area:
    """A file, or a folder and the `files` in it. `commits` touched it; 0 where the history is not known."""

    path: str
    commits: int
    symbol_count: int
    lines: int
    files: int = 1
    symbols: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """`shape` is symbols, files or folders, the first that is small enough; whatever it is, nothing is left out of the counts."""

    path: str
    shape: str
    symbol_count: int
    areas: tuple[Area, ...]


# Commits that touched a file, under earlier names too; a merge is told by what it brought, as in an area's history.
_COMMITS = """
    WITH RECURSIVE names (origin, path, until) AS (
        SELECT path, path, '9999' FROM files WHERE {within}
        UNION
        SELECT n.origin, f.old_path, c.committed_at FROM names n
        JOIN commit_files f ON f.path = n.path AND f.old_path IS NOT NULL JOIN commits c USING (sha)
        WHERE c.committed_at <= n.until AND c.reachable
    ), touched (origin, sha, until) AS (
        SELECT n.origin, f.sha, n.until FROM names n JOIN commit_files f ON f.path = n.path
        UNION SELECT n.origin, f.sha, n.until FROM names n JOIN commit_files f ON f.old_path = n.origin
    )
    SELECT t.origin, count(DISTINCT t.sha) FROM touched t JOIN commits c USING (sha)
    WHERE c.reachable AND NOT c.is_merge AND c.committed_at <= t.until GROUP BY t.origin
"""


def outline(connection: sqlite3.Connection, path: str) -> Outline | None:
    """The outline of a file or a folder, "" for all; None where nothing indexed is of that path."""
    within, values = _below("path", path)
    files = connection.execute(
        f"""
        SELECT f.path, f.lines, f.id, (SELECT count(*) FROM symbols s WHERE s.file_id = f.id AND s.parent_id IS NOT NULL)
        FROM files f WHERE {within} ORDER BY f.path
        """,
        values,
    ).fetchall()
    if not files and path:
        return None
    commits = dict(connection.execute(_COMMITS.format(within=within), values))
    count = sum(row[3] for row in files)
    if count <= MOST_SYMBOLS and len(files) <= MOST_FILES:
        lines = {row[2]: _lines(connection, row[2], row[0]) for row in files if row[3]}
        areas = [Area(p, commits.get(p, 0), n, size, symbols=lines.get(id, ())) for p, size, id, n in files]
        return Outline(path, "symbols", count, tuple(areas))
    areas = [Area(p, commits.get(p, 0), n, size) for p, size, _, n in files]
    if len(files) <= MOST_FILES:
        return Outline(path, "files", count, tuple(areas))
    return Outline(path, "folders", count, tuple(_folders(connection, path, areas)))


def _lines(connection: sqlite3.Connection, file_id: int, path: str) -> tuple[Line, ...]:
    sql = "SELECT uid, kind, line, end_line FROM symbols WHERE file_id = ? AND parent_id IS NOT NULL ORDER BY line, uid"
    return tuple(Line(uid[len(path) + 2 :], *rest) for uid, *rest in connection.execute(sql, (file_id,)))


def _folders(connection: sqlite3.Connection, path: str, areas: Iterable[Area]) -> Iterable[Area]:
    """Folders as deep as there is room for."""
    areas = list(areas)
    start = path.count("/") + 1 if path else 0
    chosen: dict[str, list[Area]] = {}
    for depth in range(start + 1, start + 20):
        deeper: dict[str, list[Area]] = {}
        for area in areas:
            folder = "/".join(area.path.split("/")[:-1][:depth])
            deeper.setdefault(folder, []).append(area)
        if chosen and len(deeper) > MOST_FILES // 3:
            break
        if len(deeper) == len(chosen):
            break
        chosen = deeper
    for folder, inside in chosen.items():
        where, values = _below("path", folder)
        if folder == path or any(other != folder and other.startswith(f"{folder}/") for other in chosen):
            touched = sum(area.commits for area in inside)  # its own files alone
        else:
            sql = f"SELECT count(DISTINCT sha) FROM commit_files JOIN commits USING (sha) WHERE reachable AND NOT is_merge AND {where}"
            touched = connection.execute(sql, values).fetchone()[0]
        yield Area(
            folder, touched, sum(area.symbol_count for area in inside), sum(area.lines for area in inside), len(inside)
        )


def _below(column: str, path: str) -> tuple[str, tuple[str, ...]]:
    """A condition for a path and all below it, in which no letter is a wildcard."""
    if not path:
        return "1", ()
    return f"({column} = ? OR ({column} >= ? AND {column} < ?))", (path, f"{path}/", f"{path}0")  # 0 comes after /
