"""How what was read of the files differs from what is published of them."""

import hashlib
import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dragoman.repo.languages.configs import NAMES, UNREADABLE


@dataclass(frozen=True, slots=True)
class Difference:
    """How what was read differs from what is published. `changed` and `gone` are paths; `languages` are those of all files
    of which there are facts, and `configs` what is kept of those that say where modules are. `moved` says that what is
    published has other paths, or languages, or was resolved with other configs."""

    changed: Sequence[str]
    gone: Sequence[str]
    languages: Mapping[str, str]
    configs: Mapping[str, str]
    moved: bool
    skipped: bool  # whether others are left out now, or for other reasons

    @property
    def any(self) -> bool:
        """Whether there is any."""
        return bool(self.changed or self.gone or self.skipped)


def between(connection: sqlite3.Connection, skipped: Mapping[str, str], resolved_with: str) -> Difference:
    """How the files that are published, or left out, differ from those that were read.

    `resolved_with` is the `mark` of the configs that what is published was resolved with.
    """
    read, there = wanted(connection), published(connection)
    languages = {path: str(row[1]) for path, row in read.items() if row[3]}
    without = left_out(connection, skipped)
    configs = _configs(connection, without)
    return Difference(
        [path for path, row in read.items() if there.get(path) != row[:4]],
        [path for path in there if path not in read],
        languages,
        configs,
        mark(configs) != resolved_with or languages != {path: row[1] for path, row in there.items() if row[3]},
        without != told_left_out(connection),
    )


def mark(configs: Mapping[str, str]) -> str:
    """A word for what configs say; empty where there are none."""
    told = json.dumps(sorted(configs.items())).encode()
    return hashlib.blake2b(told, digest_size=12).hexdigest() if configs else ""


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


def _configs(connection: sqlite3.Connection, without: Mapping[str, str]) -> dict[str, str]:
    """What is kept of the configs, by path. One that is left out still stands where it is, and nobody knows what it says."""
    found = dict(connection.execute("SELECT path, config FROM readings WHERE config IS NOT NULL AND reason IS NULL"))
    return found | {path: UNREADABLE for path in without if path.rpartition("/")[2] in NAMES}


def told_left_out(connection: sqlite3.Connection) -> dict[str, str]:
    """Those that are published."""
    return dict(connection.execute("SELECT path, reason FROM skipped"))
