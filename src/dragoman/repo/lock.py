"""One scan of a repository at a time, by a lock that frees itself when its process dies."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from dragoman.harness.errors import ConfigurationError

_PATIENCE_SECONDS = 0.5  # between two words to the one who waits


class Busy(ConfigurationError):
    """Another scan of this repository is running."""


@contextmanager
def held(folder: Path, *, wait: bool = True, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold the folder's lock. Without `wait` raises Busy where it is taken; with it `waiting` is called again and again."""
    # The operating system's lock as SQLite takes it: the same on every platform, and gone with its process.
    with closing(sqlite3.connect(folder / "scan.lock", timeout=_PATIENCE_SECONDS if wait else 0)) as connection:
        connection.isolation_level = None
        while True:
            try:
                connection.execute("BEGIN EXCLUSIVE")
                break
            except sqlite3.OperationalError as error:
                if getattr(error, "sqlite_errorname", "") != "SQLITE_BUSY":
                    raise
                if not wait:
                    raise Busy("Another scan of this repository is running; ask again when it is done.") from None
                waiting()
        yield
