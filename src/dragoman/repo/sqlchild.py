"""Run one SELECT in a process of its own, which ends rather than take too much. Standard library only: it starts in 25 ms.

Reads a request as JSON from its input and writes the answer as JSON to its output. Nothing here trusts the statement.
"""

import json
import math
import os
import resource
import sqlite3
import sys
import time
import urllib.parse
from typing import Any

FUNCTIONS = frozenset(
    "count sum total avg min max group_concat round abs sign ceil ceiling floor sqrt coalesce ifnull nullif iif length lower"
    " upper substr substring trim ltrim rtrim instr date time datetime strftime julianday unixepoch like row_number rank dense_rank"
    " percent_rank cume_dist ntile lag lead first_value last_value nth_value".split()
)
MEMORY_BYTES = 512 << 20
HEAP_BYTES = 256 << 20
FILE_BYTES = 64 << 20
TEXT_BYTES = 100_000  # of any one value while the statement runs

_LIMITS = (
    (sqlite3.SQLITE_LIMIT_LENGTH, TEXT_BYTES),
    (sqlite3.SQLITE_LIMIT_SQL_LENGTH, 20_000),
    (sqlite3.SQLITE_LIMIT_COLUMN, 50),
    (sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 100),
    (sqlite3.SQLITE_LIMIT_COMPOUND_SELECT, 10),
    (sqlite3.SQLITE_LIMIT_FUNCTION_ARG, 16),
    (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
    (sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100),
    (sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 1),
)


def confine(seconds: int) -> None:
    """Bound the memory, the files and the processor time of this process."""
    for what, most in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_CPU, seconds + 2),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (most, most))


def connect(path: str, *, read_only: bool) -> sqlite3.Connection:
    """The database; with `read_only` nothing can be written through the connection."""
    name = urllib.parse.quote(path)
    if not read_only:
        return sqlite3.connect(f"file:{name}?mode=rw", uri=True, isolation_level=None)
    connection = sqlite3.connect(f"file:{name}?mode=ro", uri=True, isolation_level=None)
    try:
        connection.execute("PRAGMA user_version")
    except sqlite3.OperationalError:
        if os.path.exists(path + "-wal"):
            raise
        # A folder that nobody may write in has no place for the files that readers share; nobody changes it either.
        connection = sqlite3.connect(f"file:{name}?mode=ro&immutable=1", uri=True, isolation_level=None)
    connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)
    connection.execute("PRAGMA query_only = ON")
    return connection


def authorize(connection: sqlite3.Connection, tables: frozenset[str], denied: list[str]) -> None:
    """Let statements select from these tables by these functions; everything else SQLite can do is denied, and noted."""
    there = _everything(connection)

    def allow(action: int, first: str | None, second: str | None, database: str | None, _: str | None) -> int:
        match action:
            case sqlite3.SQLITE_SELECT:
                allowed = True
            case sqlite3.SQLITE_READ:  # an ordinary subquery has no name
                # A table of which no column is named comes without its database, which is then the only one there is.
                allowed = first == "" or (first in tables and database in ("main", None))
                # So does a WITH table; what is told by such a name can be nothing else where the database has none of it.
                allowed = allowed or (second == "" and database is None and _is_new(first or "", there))
            case sqlite3.SQLITE_FUNCTION:
                allowed = (second or "").lower() in FUNCTIONS
            case _:
                allowed = False
        if not allowed:
            denied.append(str((second if action == sqlite3.SQLITE_FUNCTION else first) or "that"))
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY

    connection.set_authorizer(allow)


def _everything(connection: sqlite3.Connection) -> frozenset[str]:
    """The names that stand for something without a WITH, in small letters; empty where SQLite does not tell all of them."""
    modules = [row[0] for row in connection.execute("PRAGMA module_list")]
    kept = [row[0] for row in connection.execute("SELECT name FROM sqlite_master")]
    return frozenset(name.lower() for name in (*modules, *kept)) if modules else frozenset()


def _is_new(name: str, there: frozenset[str]) -> bool:
    low = name.lower()
    return bool(there) and low not in there and not low.startswith(("sqlite_", "pragma_"))


def cap(connection: sqlite3.Connection, seconds: int) -> None:
    """Bound the heap, each value, the statement's own size and its steps; sorting stays in memory."""
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute(f"PRAGMA hard_heap_limit = {HEAP_BYTES}")
    for what, most in _LIMITS:
        connection.setlimit(what, most)
    end = time.process_time() + seconds  # a busy machine is not the statement's fault
    asker = os.getppid()  # another one when the first is gone, and then nobody waits for the answer
    connection.set_progress_handler(lambda: time.process_time() > end or os.getppid() != asker, 1_000)


def answer(connection: sqlite3.Connection, sql: str, rows: int, cell: int, room: int) -> dict[str, Any]:
    """Columns and rows, at most so many, each text at most `cell` characters and all of them `room`."""
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    cursor = connection.execute(sql)
    if cursor.description is None:
        return {"columns": [], "rows": [], "capped": False}
    kept: list[list[Any]] = []
    used, capped = 0, False
    for row in cursor:
        values = [_plain(value, cell) for value in row]
        used += len(json.dumps(values, ensure_ascii=False))
        if len(kept) >= rows or used > room:
            capped = True
            break
        kept.append(values)
    return {"columns": [column[0][:cell] for column in cursor.description], "rows": kept, "capped": capped}


def main() -> None:
    """Answer the one request on standard input."""
    asked = json.load(sys.stdin)
    denied: list[str] = []
    layers, caps = frozenset(asked["layers"]), asked["caps"]
    try:
        if "caps" in layers:
            confine(caps["seconds"])
        connection = connect(asked["path"], read_only="read_only" in layers)
        if "caps" in layers:
            cap(connection, caps["seconds"])
        if "authorizer" in layers:
            authorize(connection, frozenset(asked["tables"]), denied)
        told = answer(connection, asked["sql"], caps["rows"], caps["cell"], caps["room"])
    except (sqlite3.Error, sqlite3.Warning) as error:
        name = "SQLITE_AUTH" if denied else getattr(error, "sqlite_errorname", None) or type(error).__name__
        told = {"failure": name, "said": denied[0][:100] if denied else str(error)}
    except MemoryError:
        told = {"failure": "SQLITE_NOMEM", "said": "out of memory"}
    sys.stdout.write(json.dumps(told, allow_nan=False))


def _plain(value: Any, cell: int) -> Any:
    match value:
        case float():
            return value if math.isfinite(value) else None
        case str():
            return value if len(value) <= cell else value[: cell - 1] + "…"
        case bytes():
            return f"({len(value)} bytes)"
        case _:
            return value


if __name__ == "__main__":
    main()
