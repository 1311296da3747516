"""Open a repository's index: one SQLite file whose tables stand in schema/, made anew where they have changed."""

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path

from dragoman.harness.errors import ConfigurationError

_TABLES = ("code.sql", "history.sql")
_WAIT_SECONDS = 10


class NotIndexed(ConfigurationError):
    """There is no index yet, or one of another version."""


def write(path: Path) -> sqlite3.Connection:
    """The index for writing, made where it is missing; one of another version is thrown away, since all of it is derived."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = _connect(path)
    if _version(connection) not in (0, version()):
        connection.close()
        for name in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
            name.unlink(missing_ok=True)
        connection = _connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")
    if _version(connection) == 0:
        connection.executescript(f"BEGIN; {_schema()} PRAGMA user_version = {version()}; COMMIT;")
    return connection


@contextmanager
def read(path: Path) -> Iterator[sqlite3.Connection]:
    """The index for reading, rows by name. Raises NotIndexed."""
    if not path.is_file():
        raise NotIndexed("This repository is not indexed yet. Run: dragoman scan")
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=_WAIT_SECONDS)) as connection:
        connection.row_factory = sqlite3.Row
        if _version(connection) != version():
            raise NotIndexed("The index was made by another version. Run: dragoman scan")
        yield connection


@cache
def version() -> int:
    """A number that changes with the tables; SQLite keeps it in the file."""
    return int.from_bytes(hashlib.sha256(_schema().encode()).digest()[:4]) >> 1 or 1


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_WAIT_SECONDS)
    connection.row_factory = sqlite3.Row
    return connection


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


@cache
def _schema() -> str:
    return "\n".join(files("dragoman.repo").joinpath("schema", name).read_text("utf-8") for name in _TABLES)
