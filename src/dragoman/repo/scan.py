"""Bring a repository's index up to date, the code and the history, and tell whether it is."""

import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

from dragoman.harness.errors import ConfigurationError
from dragoman.repo import db, graph, index, intake, lock, record, tree
from dragoman.repo.index import Indexed
from dragoman.repo.intake import Report
from dragoman.repo.reading import really_changed
from dragoman.repo.record import Recorded
from dragoman.repo.repository import Repository

# Up to these a question brings the index up to date by itself.
MOST_CHANGED = 60  # files
MOST_COMMITS = 2_000
_MOST_COMPARED = 3_000  # files whose content is looked at to tell whether they changed


@dataclass(frozen=True, slots=True)
class Scanned:
    """What a scan did. `fault` says in a sentence why the index is not to be trusted, where it is not."""

    repository: Repository
    indexed: Indexed
    recorded: Recorded
    seconds: float

    @property
    def fault(self) -> str | None:
        """See Indexed."""
        return self.indexed.fault


@dataclass(frozen=True, slots=True)
class Freshness:
    """How the index stands to the files: `state` is current, updated, stale, busy or missing; `note` is a sentence for
    whoever reads the answer, empty where there is nothing to say."""

    state: str
    changed: int = 0
    note: str = ""


def silent(stage: str, done: int, total: int | None) -> None:
    """A report that nobody reads."""


def scan(
    repository: Repository,
    report: Report = silent,
    *,
    anew: bool = False,
    wait: bool = True,
    exclude: Sequence[str] = (),
    default_branch: str = "",
    jobs: int | None = None,
    listed: tree.Tree | None = None,
) -> Scanned:
    """Index what changed since the last scan, everything with `anew`. A second scan waits for the first.

    Raises NoRoom where the disk is full, lock.Busy without `wait`, ConfigurationError where git cannot tell or the state
    folder cannot be written.
    """
    begun = time.monotonic()
    with db.room(repository.index):
        _hide(repository)
        with (
            lock.held(repository.state, wait=wait, waiting=lambda: report("wait for another scan", 0, None)),
            closing(db.write(repository.index)) as connection,
        ):
            listed = listed or tree.listing(repository, exclude)
            indexed = index.update(connection, repository, report, listed=listed, anew=anew, jobs=jobs)
            recorded = record.update(connection, repository, report, default_branch=default_branch)
            # Then the file alone is the index, for whoever may only read it.
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return Scanned(repository, indexed, recorded, time.monotonic() - begun)


def freshen(
    repository: Repository, *, exclude: Sequence[str] = (), default_branch: str = "", most: int = MOST_CHANGED
) -> Freshness:
    """Bring the index up to date before a question when at most `most` files changed; otherwise say how old it is.

    Waits for nobody and raises nothing: an index that cannot be brought up to date can still be asked.
    """
    try:
        with db.read(repository.index) as connection:
            graph.ready(connection)
            told = index.state(connection)
            listed = tree.listing(repository, exclude)
            touched, changed = _changed(connection, repository, listed)
            commits = _new_commits(connection, repository, default_branch)
    except db.NotIndexed as error:
        return Freshness("missing", note=error.message)
    except ConfigurationError as error:
        return Freshness("stale", note=f"Whether this answer is up to date is not known. {error.message}")
    if told.get("reader") != intake.reader():
        return Freshness("stale", changed, "The index was made by another version of dragoman. Run: dragoman scan")
    current = not changed and commits == 0 and told.get("head") == tree.head(repository)
    if current and touched <= most:
        return Freshness("current")
    if changed > most or commits is None:
        return Freshness("stale", changed, _how_old(changed))
    try:
        scan(repository, wait=False, exclude=exclude, default_branch=default_branch, listed=listed)
    except lock.Busy:
        if current:
            return Freshness("current")
        return Freshness(
            "busy", changed, "A scan of this repository is running; this answer rests on the one before it."
        )
    except (sqlite3.Error, OSError, ConfigurationError):
        return Freshness("current") if current else Freshness("stale", changed, _how_old(changed))
    return Freshness("current") if current else Freshness("updated", changed)


def _new_commits(connection: sqlite3.Connection, repository: Repository, default_branch: str) -> int | None:
    """About how many commits are to be read, at least 1 where anything moved; None where they are too many."""
    if record.is_current(connection, repository, default_branch=default_branch):
        return 0
    known = record.state(connection).get("head", "")
    asked = [
        "rev-list",
        "--count",
        f"--max-count={MOST_COMMITS + 1}",
        "--all",
        "HEAD",
        *([f"^{known}"] if known else []),
    ]
    try:
        count = int(tree.ask(repository, *asked))
    except ConfigurationError:  # a branch that is not born yet, or a head that was collected since
        return 1 if not known else None
    return None if count > MOST_COMMITS else max(count, 1)


def _changed(connection: sqlite3.Connection, repository: Repository, listed: tree.Tree) -> tuple[int, int]:
    """How many files look changed, and how many are: by their content, where it can be asked quickly."""
    there = {entry.path for entry in listed.files}
    gone = sum(path not in there for (path,) in connection.execute("SELECT path FROM readings"))
    wanted = intake.outdated(connection, listed)
    few = len(wanted) <= _MOST_COMPARED
    return len(wanted) + gone, gone + (really_changed(repository, wanted) if few else len(wanted))


def _how_old(changed: int) -> str:
    what = f"{changed:,} files" if changed else "Branches"
    return f"{what} changed since the last scan, so this answer may be out of date. Run: dragoman scan"


def _hide(repository: Repository) -> None:
    if repository.state.is_relative_to(repository.root):
        # Somebody keeps our folder inside the work tree: it hides itself, so that `git status` stays clean.
        (repository.state / ".gitignore").write_text("*\n", "utf-8")
