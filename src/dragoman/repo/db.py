"""Open a repository's index: one SQLite file whose tables stand in schema/, made anew where they have changed."""

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

from dragoman.harness.errors import ConfigurationError

_SCHEMA = Path(__file__).with_name("schema")
_TABLES = ("code.sql", "history.sql")
_WAIT_SECONDS = 10
_FULL = {"SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_FSYNC", "SQLITE_IOERR_TRUNCATE"}


class NotIndexed(ConfigurationError):
    """There is no index yet, or one of another version."""


class NoRoom(ConfigurationError):
    """The disk is full; what was published before is still there."""


def write(path: Path) -> sqlite3.Connection:
    """The index for writing, made where it is missing; one of another version is thrown away, since all of it is derived."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = _connect(path)
    if _version_or_none(connection) not in (0, version()):
        connection.close()
        for name in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
            name.unlink(missing_ok=True)
        connection = _connect(path)
    with room(path):
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        if _version(connection) == 0:
            connection.executescript(f"BEGIN; {_schema()} PRAGMA user_version = {version()}; COMMIT;")
    return connection


@contextmanager
def room(path: Path) -> Iterator[None]:
    """Turn the words for a full disk, and for a place where nothing can be written, into sentences.

    Raises NoRoom, and ConfigurationError.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _not_writable(path, error.strerror or str(error)) from None
    try:
        yield
    except sqlite3.OperationalError as error:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN")):
            raise _not_writable(path, str(error)) from error
        if name in _FULL:
            raise NoRoom(
                f"There is no room left for the index in {path.parent}. Free some space, or set DRAGOMAN_HOME to a folder "
                "on another disk; what was indexed before can still be asked."
            ) from error
        raise


def _not_writable(path: Path, why: str) -> ConfigurationError:
    return ConfigurationError(
        f"{path.parent} cannot be written ({why}). Make it writable, or set DRAGOMAN_HOME to a folder that is."
    )


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing, the right to write taken at once."""
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        yield


@contextmanager
def read(path: Path) -> Iterator[sqlite3.Connection]:
    """The index for reading, rows by name. Raises NotIndexed."""
    if not path.is_file():
        raise NotIndexed("This repository is not indexed yet. Run: dragoman scan")
    with closing(_open(path)) as connection:
        connection.row_factory = sqlite3.Row
        match _version_or_none(connection):
            case None:
                raise NotIndexed("The index is damaged. Run: dragoman scan")
            case other if other != version():
                raise NotIndexed("The index was made by another version. Run: dragoman scan")
        yield connection


@cache
def version() -> int:
    """A number that changes with the tables; SQLite keeps it in the file."""
    return int.from_bytes(hashlib.sha256(_schema().encode()).digest()[:4]) >> 1 or 1


def _open(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=_WAIT_SECONDS)
    try:
        _version_or_none(connection)
    except sqlite3.OperationalError:
        connection.close()
        left = path.with_name(path.name + "-wal")
        if left.exists() and left.stat().st_size:
            raise
        # A folder that nobody may write in has no place for the files that readers share; nobody changes the index either.
        return sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)
    return connection


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_WAIT_SECONDS)
    connection.row_factory = sqlite3.Row
    return connection


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _version_or_none(connection: sqlite3.Connection) -> int | None:
    try:
        return _version(connection)
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:  # no database at all
        return None


@cache
def _schema() -> str:
    return "\n".join((_SCHEMA / name).read_text("utf-8") for name in _TABLES)
