"""How what was read of the files differs from what is published of them."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Difference:
    """How what was read differs from what is published. `changed` and `gone` are paths; `languages` are those of all files
    of which there are facts, and `moved` says that it has other paths, or other languages, than what is published."""

    changed: Sequence[str]
    gone: Sequence[str]
    languages: Mapping[str, str]
    moved: bool
    skipped: bool  # whether others are left out now, or for other reasons

    @property
    def any(self) -> bool:
        """Whether there is any."""
        return bool(self.changed or self.gone or self.skipped)


def between(connection: sqlite3.Connection, skipped: Mapping[str, str]) -> Difference:
    """How the files that are published, or left out, differ from those that were read."""
    read, there = wanted(connection), published(connection)
    languages = {path: str(row[1]) for path, row in read.items() if row[3]}
    return Difference(
        [path for path, row in read.items() if there.get(path) != row[:4]],
        [path for path in there if path not in read],
        languages,
        languages != {path: row[1] for path, row in there.items() if row[3]},
        left_out(connection, skipped) != told_left_out(connection),
    )


def wanted(connection: sqlite3.Connection) -> dict[str, tuple[object, ...]]:
    """What is to be published of each file: its path, language, digest, whether there are facts of it, size, lines."""
    kept = "SELECT path, language, digest, facts IS NOT NULL, size, lines FROM readings WHERE reason IS NULL"
    return {row[0]: tuple(row) for row in connection.execute(kept)}


def published(connection: sqlite3.Connection) -> dict[str, tuple[object, ...]]:
    """What is published of each file: its path, language, digest, whether its symbols are."""
    told = "SELECT path, language, digest, EXISTS (SELECT 1 FROM symbols WHERE uid = path) FROM files"
    return {row[0]: tuple(row) for row in connection.execute(told)}


def left_out(connection: sqlite3.Connection, skipped: Mapping[str, str]) -> dict[str, str]:
    """The reasons of all files that are left out, by path."""
    return dict(connection.execute("SELECT path, reason FROM readings WHERE reason IS NOT NULL")) | dict(skipped)


def told_left_out(connection: sqlite3.Connection) -> dict[str, str]:
    """Those that are published."""
    return dict(connection.execute("SELECT path, reason FROM skipped"))
