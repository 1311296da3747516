"""Bring the code graph up to date: read what changed, resolve calls from what is kept of all files, publish."""

import gc
import json
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from dragoman.repo import db, dependents, difference, intake, overlays, publish, tree
from dragoman.repo.dependents import Change
from dragoman.repo.difference import Difference
from dragoman.repo.intake import Report
from dragoman.repo.languages import facts, resolve
from dragoman.repo.languages.facts import FileFacts
from dragoman.repo.languages.resolve import Resolver
from dragoman.repo.publish import Found
from dragoman.repo.repository import Repository

_WORTH_A_LOOK = 60  # files, up to which it is always worth looking for those that an edit can change
_WITH_FACTS = "facts IS NOT NULL AND reason IS NULL"
_MOST_FAILED = 0.2  # share of the source files, above which something is wrong with us and not with them
_FEW = 5  # failed files below which the share tells nothing, unless not one could be read


@dataclass(frozen=True, slots=True)
class Indexed:
    """What an update did. `fault` says in a sentence why the index is not to be trusted, where it is not."""

    files: int
    read: int
    symbols: int
    calls: tuple[tuple[str, int], ...]  # (tier, how many)
    possible: int
    unresolved: int
    skipped: tuple[tuple[str, int], ...]  # (reason, how many)
    failed: tuple[tuple[str, str], ...]  # (path, why)
    fault: str | None = None


def update(
    connection: sqlite3.Connection,
    repository: Repository,
    report: Report,
    *,
    listed: tree.Tree | None = None,
    anew: bool = False,
    jobs: int | None = None,
) -> Indexed:
    """Index the files as they stand now; only those that changed are read. With `anew` all are.

    What was read is kept on the way, so that an update that was cut short goes on where it was. The tables that are
    asked change at the end and at once. Raises ConfigurationError where git cannot tell the files.
    """
    if anew:
        connection.execute("DELETE FROM readings")
        connection.commit()
    report("list", 0, None)
    listed = listed or tree.listing(repository)
    at = tree.head(repository)
    wanted = intake.outdated(connection, listed)
    changed = intake.take(connection, repository, wanted, report, jobs)
    _forget(connection, listed)
    told = state(connection)
    # A scan may have been cut short after it read everything: what counts is what was published.
    differs = difference.between(connection, listed.skipped, str(told.get("configs", "")))
    now = {
        "head": at,
        "reader": intake.reader(),
        "overlay": overlays.mark(repository),
        "configs": difference.mark(differs.configs),
        "at": int(time.time()),
    }
    reader_is_new = told.get("reader") != now["reader"]
    with _no_collection():
        found = None
        if reader_is_new or told.get("overlay", "") != now["overlay"] or differs.any:
            report("resolve", 0, None)
            plain = not (reader_is_new or told.get("overlay") or now["overlay"])
            found = (_some(connection, differs) if plain else None) or _all(connection, repository, differs.configs)
            report("publish", 0, None)
        with db.transaction(connection):
            if found:
                publish.publish(connection, found, listed.skipped, anew=reader_is_new)
            connection.execute("INSERT OR REPLACE INTO state VALUES ('code', ?)", (json.dumps(now),))
    return _counted(connection, intake.known(connection, (entry.path for entry in listed.files), changed))


def state(connection: sqlite3.Connection) -> dict[str, object]:
    """What was published last: `head`, the commit it stands for beside the work tree, and `at`, in seconds; empty before."""
    row = connection.execute("SELECT value FROM state WHERE name = 'code'").fetchone()
    return json.loads(row[0]) if row else {}


def _all(connection: sqlite3.Connection, repository: Repository, configs: Mapping[str, str]) -> Found:
    """The edges of all files."""
    known = {}
    unreadable = []
    for path, stored in connection.execute(f"SELECT path, facts FROM readings WHERE {_WITH_FACTS}"):
        try:
            known[path] = facts.load(stored)
        except ValueError:  # an odd block on the disk costs that file; it is read again next time
            unreadable.append((path,))
    connection.executemany("UPDATE readings SET mark = '', digest = '' WHERE path = ?", unreadable)
    connection.commit()
    languages = {path: each.language for path, each in known.items()}
    resolver = Resolver(languages, known.__getitem__, resolve.named(known), configs)
    for path in sorted(known):
        resolver.add(path)
    overlaid = overlays.lay(repository, known, resolver.resolution())
    return Found(overlaid.resolution, resolver, known.__getitem__, overlaid.calls, None)


def _some(connection: sqlite3.Connection, differs: Difference) -> Found | None:
    """The edges of the files that changed, and of those whose calls that may change; None where it is better to look at all."""
    count = len(differs.languages)
    if len(differs.changed) + len(differs.gone) > max(_WORTH_A_LOOK, count // 5):
        return None
    known: dict[str, FileFacts] = {}

    def load(path: str) -> FileFacts:
        if path not in known:
            rows = connection.execute(f"SELECT facts FROM readings WHERE path = ? AND {_WITH_FACTS}", (path,))
            try:
                known[path] = facts.load(rows.fetchone()[0])
            except ValueError as error:
                raise _Unreadable from error
        return known[path]

    try:
        new = {path: load(path) for path in differs.changed if path in differs.languages}
        gone = [*differs.gone, *(path for path in differs.changed if path not in new)]
        change = Change(new, gone, differs.moved)
        look = dependents.named(connection, change)
        resolver = Resolver(differs.languages, load, look, differs.configs)
        wanted = dependents.affected(connection, change, resolver, look) | new.keys()
        if len(wanted) > max(_WORTH_A_LOOK, count // 2):
            return None
        for path in sorted(wanted):
            resolver.add(path)
    except _Unreadable:
        return None
    return Found(resolver.resolution(), resolver, load, {}, change)


class _Unreadable(Exception):
    """The kept facts of a file are damaged."""


@contextmanager
def _no_collection() -> Iterator[None]:
    """Let nobody look for circles among the millions of small values that live until the block ends: it takes as long again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _forget(connection: sqlite3.Connection, listed: tree.Tree) -> None:
    there = {entry.path for entry in listed.files}
    gone = [(path,) for (path,) in connection.execute("SELECT path FROM readings") if path not in there]
    connection.executemany("DELETE FROM readings WHERE path = ?", gone)
    connection.commit()


def _counted(connection: sqlite3.Connection, taken: intake.Intake) -> Indexed:
    def one(sql: str) -> int:
        return int(connection.execute(sql).fetchone()[0])

    def pairs(sql: str) -> tuple[tuple[str, int], ...]:
        return tuple((name, count) for name, count in connection.execute(sql))

    return Indexed(
        files=one("SELECT count(*) FROM files"),
        read=taken.read,
        symbols=one("SELECT count(*) FROM symbols WHERE parent_id IS NOT NULL"),
        calls=pairs("SELECT tier, count(*) FROM calls GROUP BY tier ORDER BY tier"),
        possible=one("SELECT count(*) FROM possible_calls"),
        unresolved=one("SELECT count(*) FROM unresolved_calls WHERE is_external = 0"),
        skipped=pairs("SELECT reason, count(*) FROM skipped GROUP BY reason ORDER BY count(*) DESC, reason"),
        failed=taken.failed,
        fault=_fault(taken.failed, taken.sources),
    )


def _fault(failed: Sequence[tuple[str, str]], sources: int) -> str | None:
    if len(failed) <= _MOST_FAILED * sources or len(failed) < min(_FEW, sources):
        return None
    path, why = failed[0]
    return (
        f"{len(failed):,} of {sources:,} source files could not be read, the first of them {path} ({why}). "
        "If a parser is missing, install dragoman again; what could be read is indexed."
    )
