"""What a repository is made of, in numbers."""

import sqlite3
from dataclasses import dataclass

from dragoman.repo import record

_MOST_FOLDERS = 40


@dataclass(frozen=True, slots=True)
class Overview:
    """Counts of the index. `authors` are people, each once whatever they call themselves; `bots` are counted beside them. `odd_fields` of
    commits held bytes that are no text."""

    branch: str
    head: str
    commits: int
    authors: int
    bots: int
    first_commit: str | None
    last_commit: str | None
    files: int
    symbols: int
    calls: int
    languages: tuple[tuple[str, int, int, int], ...]
    folders: tuple[tuple[str, int], ...]
    skipped: dict[str, int]
    incomplete: dict[str, int]
    odd_fields: int
    stopped: str
    shallow: bool


def overview(connection: sqlite3.Connection) -> Overview:
    """The numbers as the index has them. Languages by files, folders of the top by files, with "" for the top itself."""
    state = record.state(connection)
    commits, first, last = connection.execute(
        "SELECT count(*), min(committed_at), max(committed_at) FROM commits WHERE reachable"
    ).fetchone()
    bots, people = connection.execute(
        "SELECT coalesce(sum(is_bot), 0), coalesce(sum(NOT is_bot), 0) FROM authors "
        "WHERE EXISTS (SELECT 1 FROM commits WHERE author_id = authors.id AND reachable)"
    ).fetchone()
    languages = connection.execute(
        "SELECT language, count(*), sum(lines), (SELECT count(*) FROM symbols s JOIN files g ON g.id = s.file_id "
        "WHERE g.language = f.language AND s.kind <> 'module') FROM files f WHERE language <> '' GROUP BY language ORDER BY 2 DESC, 1"
    )
    folders = connection.execute(
        "SELECT CASE WHEN instr(path, '/') THEN substr(path, 1, instr(path, '/') - 1) ELSE '' END, count(*) FROM files "
        "GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?",
        (_MOST_FOLDERS,),
    )
    return Overview(
        state.get("branch", ""),
        state.get("head", ""),
        commits,
        people,
        bots,
        first,
        last,
        _count(connection, "SELECT count(*) FROM files"),
        _count(connection, "SELECT count(*) FROM symbols WHERE kind <> 'module'"),
        _count(connection, "SELECT count(*) FROM calls"),
        tuple((row[0], row[1], row[2], row[3]) for row in languages),
        tuple((row[0], row[1]) for row in folders),
        dict(connection.execute("SELECT reason, count(*) FROM skipped GROUP BY 1 ORDER BY 2 DESC, 1").fetchall()),
        record.incomplete(connection),
        int(state.get("odd", 0)),
        state.get("stopped", ""),
        bool(state.get("shallow")),
    )


def _count(connection: sqlite3.Connection, sql: str) -> int:
    return int(connection.execute(sql).fetchone()[0])
