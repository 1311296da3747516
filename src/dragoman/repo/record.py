"""Read the history of a clone into the index, again and again: only what is new, kept as it is read, never deleted."""

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from dragoman.repo import db, membership, people, refs, walk
from dragoman.repo.git import Git
from dragoman.repo.keeper import Keeper
from dragoman.repo.refs import Refs
from dragoman.repo.repository import Repository
from dragoman.repo.walk import Walk

Report = Callable[[str, int, int | None], None]

_STAGE = "history"
_TRIED_AGAIN = (
    200  # commits with missing objects of which a scan looks whether the objects have come; at the rest if some have
)


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a scan found. `new` commits were read now, `commits` are reachable now, `odd` fields of the
    new ones held bytes that are no text.

    `incomplete` counts the commits without files or counts by their reason; `told` is git's first sentence about one.
    `stopped` says why the history ends before its beginning, where it does; a later scan tries again.
    """

    branch: str
    head: str
    new: int
    commits: int
    odd: int
    incomplete: Mapping[str, int]
    told: str = ""
    stopped: str = ""
    shallow: bool = False
    partial: bool = False


def silent(stage: str, done: int, total: int | None) -> None:
    """A report that nobody reads."""


def update(
    connection: sqlite3.Connection,
    repository: Repository,
    report: Report = silent,
    *,
    default_branch: str = "",
    git: Git | None = None,
) -> Recorded:
    """Bring the history up to date with the clone's branches and tags; `connection` is one that writes (`db.write`).

    `report` is told how many of the new commits are done. What an interrupted scan kept stays, and the next one goes on.
    """
    git = git or Git.of(repository)
    connection.commit()  # what was begun before is not undone with us
    now = refs.read(git, default_branch)
    left = state(connection)
    keeper, log = Keeper(connection), Walk()
    # A history that could not be read to its beginning is tried again, now whole: the tips do not tell what is missing.
    if left.get("stopped") or not _is_current(connection, repository, now):
        anew = bool(left.get("stopped")) or left.get("shallow") != _digest(now.shallow)
        old = frozenset[str]() if anew else refs.known(git, _indexed_tips(connection))
        _read_again(connection, git, now, keeper, every=anew)
        _read(connection, git, now, old, keeper, log, report)
        with db.transaction(connection):
            people.unify(connection, git)
            membership.mark_default_branch(connection, git, now)
            if not log.stopped:
                membership.mark_reachable(connection, git, now, old, _indexed_tips(connection))
            connection.execute("DELETE FROM tips")
            connection.executemany("INSERT INTO tips VALUES (?)", [(sha,) for sha in sorted(now.tips)])
            odd = int(left.get("odd", 0)) + keeper.odd
            marks = _marks(repository, now) | {"stopped": log.stopped, "odd": str(odd)}
            connection.executemany("INSERT OR REPLACE INTO history VALUES (?, ?)", list(marks.items()))
    return _recorded(connection, now, keeper, log)


def is_current(connection: sqlite3.Connection, repository: Repository, *, default_branch: str = "") -> bool:
    """Whether the history is as the branches and tags have it; a few short calls of git."""
    return _is_current(connection, repository, refs.read(Git.of(repository), default_branch))


def ready(connection: sqlite3.Connection) -> None:
    """Raises NotIndexed where no scan read the history to its end; what one that was cut short kept is only a part."""
    if "head" not in state(connection):
        raise db.NotIndexed("The history of this repository is not indexed yet. Run: dragoman scan")


def state(connection: sqlite3.Connection) -> dict[str, str]:
    """What the last scan left: branch, head, head_branch, default_tip, odd, stopped, partial, and digests of what it rests on."""
    return {row["key"]: row["value"] for row in connection.execute("SELECT key, value FROM history")}


def incomplete(connection: sqlite3.Connection) -> dict[str, int]:
    """The commits whose files are not known, or their lines not counted, by the reason."""
    rows = connection.execute(
        "SELECT incomplete, count(*) AS n FROM commits WHERE incomplete IS NOT NULL AND reachable GROUP BY 1 ORDER BY 2 DESC"
    )
    return {row["incomplete"]: row["n"] for row in rows}


def _read(
    connection: sqlite3.Connection,
    git: Git,
    now: Refs,
    old: frozenset[str],
    keeper: Keeper,
    log: Walk,
    report: Report,
) -> None:
    with walk.listing(git, now.tips, old, log) as listing:
        broken, log.stopped = log.stopped, ""
        done = 0
        report(_STAGE, done, listing.total)
        for shas in listing.chunks():
            new = keeper.unknown(shas)
            before = done + len(shas) - len(new)
            for kept in keeper.keep(walk.read(git, new, now, log)):
                report(_STAGE, before + kept, listing.total)
            done += len(shas)
            if log.stopped:
                break
        log.stopped = log.stopped or broken


def _read_again(connection: sqlite3.Connection, git: Git, now: Refs, keeper: Keeper, *, every: bool) -> None:
    """Look again at commits whose objects were missing; at all of them once a shallow clone has been deepened."""
    rows = connection.execute("SELECT sha, incomplete FROM commits WHERE incomplete IS NOT NULL ORDER BY id").fetchall()
    shas = [row["sha"] for row in rows if every or row["incomplete"] != walk.SHALLOW]
    there = refs.known(git, frozenset(shas))
    shas = [sha for sha in shas if sha in there]
    step = 1 if every else -(-len(shas) // _TRIED_AGAIN) or 1  # some of all ages, the newest among them
    for part in (shas[::-1][::step], [sha for at, sha in enumerate(shas[::-1]) if at % step]):
        before = sum(incomplete(connection).values())
        for _ in keeper.keep(walk.read(git, part, now, Walk())):
            pass
        if sum(incomplete(connection).values()) == before:
            break


def _is_current(connection: sqlite3.Connection, repository: Repository, now: Refs) -> bool:
    left = state(connection)
    marks = _marks(repository, now)
    return _indexed_tips(connection) == now.tips and all(left.get(key) == value for key, value in marks.items())


def _marks(repository: Repository, now: Refs) -> dict[str, str]:
    """What decides whether a scan has anything to do, beside the tips."""
    return {
        "branch": now.default,
        "default_tip": now.default_tip,
        "head": now.head,
        "head_branch": now.branch,
        "shallow": _digest(now.shallow),
        "partial": "yes" if now.partial else "",
        "mailmap": _mailmap(repository),
    }


def _mailmap(repository: Repository) -> str:
    place = repository.root / ".mailmap"  # of a bare clone it is HEAD's, and HEAD is a mark itself
    try:
        told = b"" if repository.bare or place.is_symlink() or not place.is_file() else place.read_bytes()
    except OSError:
        return ""
    return hashlib.sha256(told).hexdigest() if told else ""


def _digest(shas: Iterable[str]) -> str:
    told = "\n".join(sorted(shas))
    return hashlib.sha256(told.encode()).hexdigest() if told else ""


def _indexed_tips(connection: sqlite3.Connection) -> frozenset[str]:
    return frozenset(row["sha"] for row in connection.execute("SELECT sha FROM tips"))


def _recorded(connection: sqlite3.Connection, now: Refs, keeper: Keeper, log: Walk) -> Recorded:
    commits = connection.execute("SELECT count(*) FROM commits WHERE reachable").fetchone()[0]
    told = log.told[0] if log.told else ""
    return Recorded(
        now.default,
        now.head,
        keeper.new,
        commits,
        keeper.odd,
        incomplete(connection),
        told,
        state(connection).get("stopped", ""),
        bool(now.shallow),
        now.partial,
    )
