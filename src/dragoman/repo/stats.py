"""What statistics may be asked of: the tables and columns shown, with the rules that keep answers right."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from functools import cache
from importlib.resources import files

from dragoman.repo import db, record, secrets, sqlguard
from dragoman.repo.repository import Repository

# The tables on offer and what is told of their columns; one that is not in the schema is left out by itself.
_TOLD: Mapping[str, str] = {
    "commits": "sha author_id authored_at committed_at subject is_merge on_default_branch files_changed insertions deletions",
    "commit_files": "sha path old_path status insertions deletions",
    "authors": "id name is_bot",
    "files": "id path language lines is_test",
    "symbols": "id file_id name kind line end_line",
    "calls": "caller_id callee_id",
    "pull_requests": "number author_id title state created_at merged_at closed_at",
    "issues": "number author_id title state created_at closed_at",
}
_SEVERAL = {"status": "status(A M D R)"}

MEMBERSHIP = "Count commits with on_default_branch = 1, or those of other branches count too."
GROUPING = "Times are ISO text in UTC: group with strftime('%Y-%m', committed_at) ('%Y-%m-%d', '%Y-W%W'), never substr."
SUBTRACTING = "Subtract times with julianday(later) - julianday(earlier), in days; never as text."
MERGED = "A merged pull request has state 'closed' and merged_at set; cycle time is merged_at minus created_at."
RENAMES = "commit_files.path is the name at that commit; a rename has old_path."


def tables() -> tuple[str, ...]:
    """The names of the tables that may be read."""
    return tuple(_columns())


def described() -> str:
    """The tables with their columns and the rules, for the tool's description."""
    shown = "; ".join(
        f"{table}({', '.join(_SEVERAL.get(c, c) for c in columns)})" for table, columns in _columns().items()
    )
    rules = [MEMBERSHIP, GROUPING, SUBTRACTING, *([MERGED] if "pull_requests" in _columns() else []), RENAMES]
    return f"Tables: {shown}. Rules: {' '.join(rules)}"


def ask(repository: Repository, sql: str, caps: sqlguard.Caps | None = None) -> sqlguard.Answer:
    """The rows of a statistic, secrets masked. Blocks. Raises ToolError, and NotIndexed where there is no index."""
    with db.read(repository.index) as connection:
        record.ready(connection)
    answer = sqlguard.run(repository.index, tables(), sql, caps=caps)
    rows = tuple(tuple(secrets.mask(v)[0] if isinstance(v, str) else v for v in row) for row in answer.rows)
    return sqlguard.Answer(answer.columns, rows, answer.capped)


@cache
def _columns() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    with closing(sqlite3.connect(":memory:")) as connection:
        for part in sorted(files("dragoman.repo").joinpath("schema").iterdir(), key=lambda part: part.name):
            connection.executescript(part.read_text("utf-8"))
        for table, told in _TOLD.items():
            there = {name for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))}
            if there:
                found[table] = tuple(column for column in told.split() if column in there)
    return found
