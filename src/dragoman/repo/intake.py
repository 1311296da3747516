"""Read the files that changed since they were read last, and keep what was read; cut short, it goes on where it was."""

import hashlib
import sqlite3
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from dragoman.repo import tree
from dragoman.repo.reading import Read, Wanted, read_all
from dragoman.repo.repository import Repository

Report = Callable[[str, int, int | None], None]  # stage, done, of how many where that is known

_KEEP_EVERY = 300  # files; what a kill can cost
# A file changed this shortly before it was read may have changed again without its stat telling.
_TICK_NS = 50_000_000
_COARSE_TICK_NS = 2_000_000_000  # of a file system that counts in whole seconds
_GRAMMARS = "python javascript typescript go rust java c cpp c-sharp ruby php"


@dataclass(frozen=True, slots=True)
class Intake:
    """What a look at the files found: how many there are, how many had to be read, and which did not fit any language."""

    files: int
    read: int
    failed: tuple[tuple[str, str], ...]  # (path, why)
    sources: int  # files in a language that is read


def outdated(connection: sqlite3.Connection, listed: tree.Tree) -> list[Wanted]:
    """The files of which the kept reading may be old."""
    if _kept_by(connection) != reader():
        return [Wanted(entry) for entry in listed.files]
    rows = connection.execute("SELECT path, mark, read_ns, digest, facts IS NULL AND failure IS NOT NULL FROM readings")
    kept = {path: (mark, read_ns, "" if failed else digest) for path, mark, read_ns, digest, failed in rows}
    wanted = []
    for entry in listed.files:
        mark, read_ns, digest = kept.get(entry.path, ("", 0, ""))
        if mark != entry.mark or not digest or _may_have_changed(entry, read_ns):
            wanted.append(Wanted(entry, digest))
    return wanted


def take(
    connection: sqlite3.Connection,
    repository: Repository,
    wanted: Sequence[Wanted],
    report: Report,
    jobs: int | None = None,
) -> int:
    """Read these files and keep what was read; how many had really changed."""
    if _kept_by(connection) != reader():
        connection.execute("DELETE FROM readings")
        connection.execute("INSERT OR REPLACE INTO state VALUES ('reader', ?)", (reader(),))
        connection.commit()
    changed = 0
    waiting: list[Read] = []
    for done, read in enumerate(read_all(repository, wanted, jobs), 1):
        waiting.append(read)
        changed += not read.same
        if len(waiting) >= _KEEP_EVERY:
            _keep(connection, waiting)
            waiting = []
        if done % 50 == 0 or done == len(wanted):
            report("read", done, len(wanted))
    _keep(connection, waiting)
    return changed


def known(connection: sqlite3.Connection, paths: Iterable[str], read: int) -> Intake:
    """What the kept readings say of these paths."""
    asked = set(paths)
    failed, sources, count = [], 0, 0
    for path, language, failure in connection.execute("SELECT path, language, failure FROM readings"):
        if path in asked:
            count += 1
            sources += bool(language)
            if failure is not None:
                failed.append((path, failure))
    return Intake(count, read, tuple(sorted(failed)), sources)


@cache
def reader() -> str:
    """A word that changes with the code that reads files, and with the grammars: what was read before is then read again."""
    # What Python defines itself is asked of the Python that runs.
    found = hashlib.sha256(repr(sys.version_info[:2]).encode())
    for file in sorted(Path(__file__).with_name("languages").glob("*.py")):
        found.update(file.read_bytes())
    for grammar in _GRAMMARS.split():
        try:
            found.update(version(f"tree-sitter-{grammar}").encode())
        except PackageNotFoundError:
            found.update(b"-")
    return found.hexdigest()[:16]


def _may_have_changed(entry: tree.Entry, read_ns: int) -> bool:
    tick = _TICK_NS if entry.changed_ns % 1_000_000_000 else _COARSE_TICK_NS
    return bool(entry.changed_ns) and entry.changed_ns + tick > read_ns


def _kept_by(connection: sqlite3.Connection) -> str:
    row = connection.execute("SELECT value FROM state WHERE name = 'reader'").fetchone()
    return row[0] if row else ""


def _keep(connection: sqlite3.Connection, found: Sequence[Read]) -> None:
    connection.executemany(
        "UPDATE readings SET mark = ?, read_ns = ? WHERE path = ?",
        [(read.entry.mark, read.read_ns, read.entry.path) for read in found if read.same],
    )
    connection.executemany(
        "INSERT OR REPLACE INTO readings (path, mark, read_ns, digest, language, size, lines, reason, failure, config, facts)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                read.entry.path, read.entry.mark, read.read_ns, read.digest, read.language, read.entry.size, read.lines,
                read.reason, read.failure, read.config, read.facts,
            )
            for read in found
            if not read.same
        ],
    )  # fmt: skip
    connection.commit()
