"""Bring the code graph up to date: read what changed, resolve calls from what is kept of all files, publish."""

import gc
import json
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from dragoman.repo import intake, overlays, publish, tree
from dragoman.repo.intake import Report
from dragoman.repo.languages import facts, resolve
from dragoman.repo.repository import Repository

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
    reader_is_new = state(connection).get("reader") != intake.reader()
    # A scan may have been cut short after it read everything: what counts is what was published.
    overlay = overlays.mark(repository)
    overlay_is_new = state(connection).get("overlay", "") != overlay
    if reader_is_new or overlay_is_new or publish.is_behind(connection, listed.skipped):
        _publish(connection, repository, listed, report, anew=reader_is_new)
    connection.execute(
        "INSERT OR REPLACE INTO state VALUES ('code', ?)",
        (json.dumps({"head": at, "reader": intake.reader(), "overlay": overlay, "at": int(time.time())}),),
    )
    connection.commit()
    return _counted(connection, intake.known(connection, (entry.path for entry in listed.files), changed))


def state(connection: sqlite3.Connection) -> dict[str, object]:
    """What was published last: `head`, the commit it stands for beside the work tree, and `at`, in seconds; empty before."""
    row = connection.execute("SELECT value FROM state WHERE name = 'code'").fetchone()
    return json.loads(row[0]) if row else {}


def _publish(
    connection: sqlite3.Connection, repository: Repository, listed: tree.Tree, report: Report, *, anew: bool
) -> None:
    with _no_collection():
        report("resolve", 0, None)
        known = {}
        unreadable = []
        for path, stored in connection.execute(
            "SELECT path, facts FROM readings WHERE facts IS NOT NULL AND reason IS NULL"
        ):
            try:
                known[path] = facts.load(stored)
            except ValueError:  # an odd block on the disk costs that file; it is read again next time
                unreadable.append((path,))
        connection.executemany("UPDATE readings SET mark = '', digest = '' WHERE path = ?", unreadable)
        connection.commit()
        resolution = resolve.resolve(known)
        report("publish", 0, None)
        overlaid = overlays.lay(repository, known, resolution)
        publish.publish(connection, known, overlaid.resolution, listed.skipped, overlaid.calls, anew=anew)


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
