"""Ask the history: commits of a path under all its names, by words, by author, by time; the newest; one of them."""

import datetime as dt
import json
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field

from rapidfuzz import fuzz, process

from dragoman.harness.tools import ToolError
from dragoman.repo import words

MOST = 50  # commits of one answer
_NEAR = 5
_FOREVER = "9999"


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit of the index. `matched` tells where a question's words were found: description, message or path."""

    sha: str
    description: str | None
    subject: str
    author: str
    date: str
    files_changed: int
    insertions: int
    deletions: int
    incomplete: str | None
    body: str = ""
    parents: tuple[str, ...] = ()
    matched: str | None = None


@dataclass(frozen=True, slots=True)
class File:
    """What a commit did to a file; the counts are None for a binary file, and where they are not known."""

    path: str
    old_path: str | None
    status: str
    insertions: int | None
    deletions: int | None


@dataclass(frozen=True, slots=True)
class Page:
    """Some of the `found` commits, newest first; `partly` says that they have only some of the words, the best first."""

    found: int
    commits: tuple[Commit, ...]
    told: tuple[str, ...] = ()
    partly: bool = False


@dataclass(frozen=True, slots=True)
class Area:
    """The history of a path. `names` are those that it, or what is in it, had before; `later` is what it is called now."""

    path: str
    names: tuple[str, ...]
    later: str | None
    page: Page


@dataclass(slots=True)
class Filter:
    """Conditions on commits, and the values they need."""

    conditions: list[str] = field(default_factory=lambda: ["c.reachable"])
    values: list[object] = field(default_factory=list)

    def add(self, condition: str, *values: object) -> None:
        """One more condition."""
        self.conditions.append(condition)
        self.values += values

    @property
    def sql(self) -> str:
        """All of them."""
        return " AND ".join(self.conditions)


# Every name that a path, or a file in a folder, had before, and until when it had it. A name may have been another file's
# later; what happened to that one is not part of this history.
_NAMES = """
    WITH RECURSIVE names (path, until) AS (
        SELECT DISTINCT path, '9999' FROM commit_files WHERE {within}
        UNION
        SELECT f.old_path, c.committed_at FROM names n
        JOIN commit_files f ON f.path = n.path AND f.old_path IS NOT NULL JOIN commits c USING (sha)
        WHERE c.committed_at <= n.until AND c.reachable
    )
"""
_COLUMNS = """c.sha, c.description, c.subject, a.name AS author, c.committed_at AS date, c.files_changed, c.insertions, c.deletions,
    c.incomplete, c.body, c.parents"""
_FROM = "FROM commits c JOIN authors a ON a.id = c.author_id"
_NEWEST = "ORDER BY c.committed_at DESC, c.id DESC"


def recent(connection: sqlite3.Connection, limit: int) -> tuple[Commit, ...]:
    """The newest commits of the default branch's own line: merges stand for what they brought."""
    rows = connection.execute(f"SELECT {_COLUMNS} {_FROM} WHERE c.on_default_branch {_NEWEST} LIMIT ?", (limit,))
    return tuple(_commit(row) for row in rows)


def area(connection: sqlite3.Connection, path: str, limit: int, offset: int) -> Area:
    """The commits that touched a file, or anything in a folder, also under earlier names; merges left out, since what they
    brought is told by its own commits. Raises ToolError (unknown_path)."""
    path = clean(path)
    asked = Filter()
    asked.add("NOT c.is_merge")
    names: tuple[str, ...] = ()
    if path:
        names = touching(connection, asked, path)
    return Area(path, names, _later(connection, path), _page(connection, asked, limit, offset))


def touching(connection: sqlite3.Connection, asked: Filter, path: str) -> tuple[str, ...]:
    """Ask for commits that touched this path; the other names it had. Raises ToolError (unknown_path)."""
    within, values = _within("path", path)
    rows = connection.execute(
        f"{_NAMES.format(within=within)} SELECT path, max(until) FROM names GROUP BY path", values
    )
    until = {row[0]: row[1] for row in rows}
    away, more = _within("old_path", path)
    if not until and not connection.execute(f"SELECT 1 FROM commit_files WHERE {away} LIMIT 1", more).fetchone():
        _must_exist(connection, path)
    names = {name: end for name, end in until.items() if end != _FOREVER}
    asked.add(
        f"""c.sha IN (
            SELECT sha FROM commit_files WHERE {within}
            UNION SELECT sha FROM commit_files WHERE {away}
            UNION SELECT f.sha FROM json_each(?) n JOIN commit_files f ON f.path = n.key JOIN commits o USING (sha)
            WHERE o.committed_at <= n.value
        )""",
        *values,
        *more,
        _json(names),
    )
    return tuple(sorted(names))


def find(
    connection: sqlite3.Connection,
    text: str = "",
    path: str = "",
    since: str = "",
    until: str = "",
    author: str = "",
    limit: int = 20,
    offset: int = 0,
) -> Page:
    """The commits that speak of the words, touched the path, were made in the time, by the author; what is empty asks nothing.

    Words are looked for in the description where a commit has one, else in its author's message, and in the paths. `since`
    and `until` are dates, both included. Raises ToolError (unknown_path, unknown_author, bad_date).
    """
    asked, told = Filter(), list[str]()
    if path := clean(path):
        asked.add("NOT c.is_merge")
        if names := touching(connection, asked, path):
            told.append(f"Also under its earlier names: {', '.join(names[:_NEAR])}.")
    if since.strip():
        asked.add("c.committed_at >= ?", _day(since))
    if until.strip():
        asked.add("c.committed_at < ?", _day(until, after=True))
    if author.strip():
        people = _authors(connection, author)
        asked.add("c.author_id IN (SELECT value FROM json_each(?))", _json(list(people)))
        if len(people) > 1:
            told.append(f"{len(people)} people fit {author!r}: {', '.join(list(people.values())[:_NEAR])}.")
    question = words.question(connection, text)
    if not question.words:
        return _page(connection, asked, limit, offset, tuple(told))
    told += [f"Nobody wrote {said!r}; searched {meant!r}." for said, meant in question.corrected]
    page = _searched(connection, asked, question, limit, offset, any_word=False, told=tuple(told))
    partly = not page.found and len(question.words) > 1
    if partly:
        page = _searched(connection, asked, question, limit, offset, any_word=True, told=tuple(told))
        if page.found:
            told.append("No commit has all of the words; these have some, the best first.")
    return Page(page.found, page.commits, (_where(connection), *told), partly and bool(page.found))


def among(connection: sqlite3.Connection, shas: Sequence[str], limit: int, offset: int) -> Page:
    """Of these commits the indexed ones, without merges."""
    asked = Filter()
    asked.add("NOT c.is_merge")
    asked.add("c.sha IN (SELECT value FROM json_each(?))", _json(shas))
    return _page(connection, asked, limit, offset)


def commit(connection: sqlite3.Connection, sha: str) -> Commit | None:
    """The indexed commit of this full SHA."""
    row = connection.execute(f"SELECT {_COLUMNS} {_FROM} WHERE c.sha = ?", (sha,)).fetchone()
    return _commit(row) if row else None


def files(connection: sqlite3.Connection, sha: str) -> tuple[File, ...]:
    """What a commit did, file by file, in the order of the paths."""
    rows = connection.execute(
        "SELECT path, old_path, status, insertions, deletions FROM commit_files WHERE sha = ? ORDER BY path", (sha,)
    )
    return tuple(File(*row) for row in rows)


def beginning_with(connection: sqlite3.Connection, prefix: str, limit: int = 10) -> tuple[Commit, ...]:
    """The reachable commits whose SHA begins like this."""
    low = prefix.lower()
    rows = connection.execute(
        f"SELECT {_COLUMNS} {_FROM} WHERE c.sha >= ? AND c.sha < ? AND c.reachable {_NEWEST} LIMIT ?",
        (low, low + "g", limit),
    )
    return tuple(_commit(row) for row in rows)


def clean(path: str) -> str:
    """A path from the root, as the index has it; the root is empty."""
    parts = [part for part in path.strip().split("/") if part not in ("", ".")]
    return "/".join(parts)


def _page(connection: sqlite3.Connection, asked: Filter, limit: int, offset: int, told: tuple[str, ...] = ()) -> Page:
    found = connection.execute(f"SELECT count(*) FROM commits c WHERE {asked.sql}", asked.values).fetchone()[0]
    rows = connection.execute(
        f"SELECT {_COLUMNS} {_FROM} WHERE {asked.sql} {_NEWEST} LIMIT ? OFFSET ?", (*asked.values, limit, offset)
    )
    return Page(found, tuple(_commit(row) for row in rows), told)


def _searched(
    connection: sqlite3.Connection,
    asked: Filter,
    question: words.Question,
    limit: int,
    offset: int,
    *,
    any_word: bool,
    told: tuple[str, ...],
) -> Page:
    everywhere = question.match(any_word=any_word)
    places = {"told": everywhere, "message": question.match("message", any_word=any_word)}
    places |= {"paths": question.match("paths", any_word=any_word), "both": everywhere}
    hits = """
        WITH hits (id, place, fit) AS (
            SELECT rowid, 0, rank FROM description_words WHERE description_words MATCH :told
            UNION ALL SELECT rowid, 1, rank FROM commit_words WHERE commit_words MATCH :message
            UNION ALL SELECT rowid, 2, rank FROM commit_words WHERE commit_words MATCH :paths
            UNION ALL SELECT rowid, 3, rank FROM commit_words WHERE commit_words MATCH :both
        ), best (id, place, fit) AS (
            SELECT h.id, min(h.place), min(h.fit) FROM hits h JOIN commits c ON c.id = h.id
            WHERE h.place IN (0, 2) OR c.description IS NULL GROUP BY h.id
        )
    """
    # sqlite3 takes values by name or by place, not both.
    values = places | {f"v{i}": value for i, value in enumerate(asked.values)}
    names = iter(range(len(asked.values)))
    condition = re.sub(r"\?", lambda _: f":v{next(names)}", asked.sql)
    found = connection.execute(
        f"{hits} SELECT count(*) FROM best JOIN commits c USING (id) WHERE {condition}", values
    ).fetchone()[0]
    # What somebody said of a change comes before a path that happens to hold the words.
    order = f"ORDER BY b.place = 2, {'b.fit, ' if any_word else ''}c.committed_at DESC, c.id DESC"
    rows = connection.execute(
        f"{hits} SELECT {_COLUMNS}, b.place {_FROM} JOIN best b ON b.id = c.id WHERE {condition} {order} LIMIT {limit:d} OFFSET {offset:d}",
        values,
    )
    return Page(found, tuple(_commit(row, _PLACES[row["place"]]) for row in rows), told)


_PLACES = ("description", "message", "path", "message")


def _where(connection: sqlite3.Connection) -> str:
    described, every = connection.execute("SELECT count(description), count(*) FROM commits WHERE reachable").fetchone()
    if not described:
        return "No commit has a description made from its diff: searched the authors' own words and the paths."
    if described == every:
        return "Searched the descriptions made from the diffs, and the paths."
    return (
        f"Searched the descriptions made from the diffs of {described:,} commits, the authors' own words for the other "
        f"{every - described:,}, and the paths."
    )


def _commit(row: sqlite3.Row, matched: str | None = None) -> Commit:
    sha, description, subject, author, date, files_changed, insertions, deletions, incomplete, body, parents = tuple(
        row
    )[:11]
    counts = files_changed, insertions, deletions
    return Commit(sha, description, subject, author, date, *counts, incomplete, body, tuple(parents.split()), matched)


def _within(column: str, path: str) -> tuple[str, list[object]]:
    """A file of this path, or anything below it; `0` comes right after `/`."""
    return f"({column} = ? OR ({column} >= ? AND {column} < ?))", [path, f"{path}/", f"{path}0"]


def _later(connection: sqlite3.Connection, path: str) -> str | None:
    """What a file that is not there any more was renamed to."""
    seen = {path}
    now = path
    while row := connection.execute(
        "SELECT f.path FROM commit_files f JOIN commits c USING (sha) WHERE f.old_path = ? AND c.reachable AND NOT EXISTS ("
        " SELECT 1 FROM commit_files g JOIN commits d USING (sha) WHERE g.path = ? AND d.committed_at > c.committed_at"
        ") ORDER BY c.committed_at DESC, c.id DESC LIMIT 1",
        (now, now),
    ).fetchone():
        if row[0] in seen:
            break
        now = row[0]
        seen.add(now)
    return now if now != path else None


def _must_exist(connection: sqlite3.Connection, path: str) -> None:
    """Let a file pass that no commit touched yet."""
    within, values = _within("path", path)
    if connection.execute(f"SELECT 1 FROM files WHERE {within} LIMIT 1", values).fetchone():
        return
    known = [row[0] for row in connection.execute("SELECT DISTINCT path FROM commit_files")]
    name = path.rpartition("/")[2]
    same = sorted(one for one in known if one.rpartition("/")[2] == name or f"/{name}/" in f"/{one}")
    near = same[:_NEAR] or [
        one for one, *_ in process.extract(path, known, scorer=fuzz.WRatio, limit=_NEAR, score_cutoff=70)
    ]
    like = f" Like it: {', '.join(near)}." if near else ""
    raise ToolError(f"No commit touched a path {path!r}.{like} Paths count from the root.", "unknown_path", near=near)


def _authors(connection: sqlite3.Connection, said: str) -> dict[int, str]:
    """The authors of whom one spelling holds this text, whatever the case."""
    wanted = said.strip().casefold()
    rows = connection.execute(
        "SELECT a.id, a.name, i.name, i.email FROM identities i JOIN authors a ON a.id = i.author_id ORDER BY a.id"
    ).fetchall()
    found = {row[0]: row[1] for row in rows if wanted in f"{row[2]} <{row[3]}>".casefold()}
    if not found:
        names = list({row[1] for row in rows})
        near = [one for one, *_ in process.extract(said, names, scorer=fuzz.WRatio, limit=_NEAR, score_cutoff=60)]
        like = f" Like it: {', '.join(near)}." if near else ""
        raise ToolError(f"Nobody called {said!r} wrote a commit.{like}", "unknown_author", near=near)
    return found


def _day(said: str, *, after: bool = False) -> str:
    """The first moment of a date, year or month, or with `after` the first one past it; a time of day is taken as it is."""
    text = said.strip()
    try:
        if match := re.fullmatch(r"(\d{4})(?:-(\d{2}))?", text):
            year, month = int(match[1]), int(match[2] or 1)
            begin = dt.date(year, month, 1)
            step = 1 if match[2] else 12
            months = year * 12 + month - 1 + step
            return (dt.date(months // 12, months % 12 + 1, 1) if after else begin).isoformat()
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
            return (dt.date.fromisoformat(text) + dt.timedelta(days=after)).isoformat()
        moment = dt.datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=dt.UTC) if moment.tzinfo is None else moment.astimezone(dt.UTC)
        return (moment + dt.timedelta(seconds=after)).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError):
        raise ToolError(f"{said!r} is no date. Write it as 2026-03-01, 2026-03 or 2026.", "bad_date") from None


def _json(value: Sequence[int] | Sequence[str] | dict[str, str]) -> str:
    return json.dumps(value)
