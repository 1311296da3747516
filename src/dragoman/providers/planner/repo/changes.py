"""Changes: what happened lately, in a path, about words, by somebody; one commit; when last, when first, and why."""

import datetime as dt
from collections.abc import Generator
from dataclasses import replace
from typing import Any

from dragoman.harness.provider import ToolRequest
from dragoman.providers.planner.history import Step
from dragoman.providers.planner.repo import code, wording
from dragoman.providers.planner.repo.paths import path_named
from dragoman.providers.planner.repo.plan import Calls, call, trouble
from dragoman.providers.planner.repo.question import Asked
from dragoman.providers.planner.repo.subject import Subject
from dragoman.providers.planner.repo.wording import Item, counted, listed

_EARLIER = 4  # times that something older is looked for
NOT_REASONS = "I cannot tell reasons yet"

type Place = Generator[list[ToolRequest], list[Step], tuple[str, str]]
type Touching = Generator[list[ToolRequest], list[Step], tuple[str, str, Step | None]]


def recent(asked: Asked) -> Calls:
    """The newest commits of the default branch."""
    step = yield from call("list_recent_activity", limit=asked.limit or wording.LINES)
    if step.failed:
        return trouble(step)
    commits: list[Item] = list(step.data.get("commits") or [])
    if not commits:
        return "There is no commit yet."
    branch = f" of `{step.data['branch']}`" if step.data.get("branch") else ""
    newest = "The newest commit" if len(commits) == 1 else f"The {len(commits)} newest commits"
    return (
        f"{newest}{branch}:\n{listed([wording.commit(one) for one in commits], len(commits), 'commit', len(commits))}"
    )


def changes(asked: Asked) -> Calls:
    """The commits within a period, by an author, in a path, or that speak of words."""
    subject, path, note = asked.subject, "", ""
    if subject.path or (subject.name and not asked.author and asked.kind == "path"):
        path, note = yield from place_of(subject)
        if not path:
            return note
    query = "" if path else subject.said
    step = yield from call(
        "find_changes", query=query, path=path, since=asked.since, until=asked.until, author=asked.author,
        limit=asked.limit or wording.LINES,
    )  # fmt: skip
    if step.failed:
        return trouble(step)
    if not step.data.get("found") and (asked.since or asked.until) and not (query or path or asked.author):
        newest = yield from call("list_recent_activity", limit=1)
        commits: list[Item] = list(newest.data.get("commits") or [])
        note = f"The newest commit is {wording.commit(commits[0])}." if commits else note
    return _commits(step.data, _told(asked, query, path), note)


def about(asked: Asked) -> Calls:
    """The commits that speak of words."""
    if asked.subject.path:
        return (yield from path(asked))
    return (yield from changes(asked))


def by(asked: Asked) -> Calls:
    """What somebody did."""
    return (yield from changes(replace(asked, subject=Subject())))


def path(asked: Asked) -> Calls:
    """The history of a path, under the names it had before."""
    if asked.since or asked.until or (asked.subject.words and not asked.subject.kind):
        return (yield from changes(replace(asked, kind="path")))
    if asked.subject.whole:
        return (yield from recent(asked))
    where, note, step = yield from touching(asked.subject, asked.limit or wording.LINES)
    return _commits(step.data, f" touched `{where}`", note) if step is not None else note


def last(asked: Asked) -> Calls:
    """The newest commit that touched something."""
    if asked.subject.words:
        return (yield from changes(replace(asked, kind="about")))
    where, note, step = yield from touching(asked.subject, 1)
    if step is None:
        return note
    found: list[Item] = list(step.data.get("commits") or [])
    if not found:
        return f"No commit that I know of touched `{where}`.{_noted(note)}"
    total = int(step.data.get("found") or 1)
    said = f"`{where}` was last changed on {wording.day(found[0])} by {found[0].get('author')}:\n- {wording.commit(found[0])}"
    return f"{said}\nIt is the newest of {counted(total, 'commit')} that touched it.{_noted(note)}"


def born(asked: Asked) -> Calls:
    """The oldest commit that touched something."""
    if asked.subject.words:
        return (yield from first_about(asked))
    where, note, newest = yield from touching(asked.subject, 1)
    if newest is None:
        return note
    total, oldest = int(newest.data.get("found") or 0), newest
    if total > 1:
        oldest = yield from call("get_area_history", path=where, limit=1, offset=total - 1)
        if oldest.failed:
            return trouble(oldest)
    found: list[Item] = list(oldest.data.get("commits") or [])
    if not found:
        return f"No commit that I know of touched `{where}`.{_noted(note)}"
    return (
        f"The first of {counted(total, 'commit')} that touched `{where}`:\n- {wording.commit(found[-1])}{_noted(note)}"
    )


def first_about(asked: Asked) -> Calls:
    """The commits that speak of words, and the oldest of them, where they all speak of all of the words."""
    said = yield from changes(replace(asked, kind="about"))
    arguments = {"query": asked.subject.said, "since": asked.since, "until": asked.until, "author": asked.author}
    step = yield from call("find_changes", **arguments, limit=asked.limit or wording.LINES)
    commits: list[Item] = list(step.data.get("commits") or [])
    if step.failed or step.data.get("partly") or len(commits) < 2:
        return said
    oldest = min(commits, key=lambda one: str(one["date"]))
    for _ in range(_EARLIER):
        found = int(step.data.get("found") or 0)
        # Those whose path alone holds the words come last whatever their age, so the last one is not yet the oldest.
        last = yield from call("find_changes", **arguments, limit=1, offset=found - 1)
        oldest = min([oldest, *(last.data.get("commits") or [])], key=lambda one: str(one["date"]))
        before = dt.date.fromisoformat(wording.day(oldest)) - dt.timedelta(days=1)
        step = yield from call("find_changes", **{**arguments, "until": before.isoformat()}, limit=1)
        if step.failed:
            return said
        if not step.data.get("found"):
            return f"{said}\nThe oldest of them: {wording.commit(oldest)}"
        arguments["until"] = before.isoformat()
    return said


def commit(asked: Asked) -> Calls:
    """One commit with its files."""
    sha = asked.subject.said or "HEAD"
    step = yield from call("get_commit", sha=sha)
    if step.failed:
        return trouble(step)
    data = step.data
    files: list[Any] = list(data.get("files") or [])
    lines = [f"`{one['path']}` {_status(one)}" for one in files]
    body = wording.clipped(str(data.get("body") or ""), 300)
    described = f'\nIts author wrote: "{data.get("subject")}"' if data.get("description") else ""
    said = wording.commit(data) + described + (f"\n{body}" if body else "")
    total = int(data.get("files_changed") or len(files))
    return f"{said}\n{listed(lines, total, 'file', 20)}" if lines else said


def why(asked: Asked) -> Calls:
    """No reasons, and where somebody may look for them."""
    subject = asked.subject
    if subject.empty:
        return f"{NOT_REASONS}. Ask what changed in a file, or about words, and I list the commits."
    if subject.words:
        step = yield from call("find_changes", query=subject.words, limit=5)
        if step.failed or not step.data.get("found"):
            return f'{NOT_REASONS}, and no commit speaks of "{subject.words}".'
        return f"{NOT_REASONS}. {_commits(step.data, f''' about "{subject.words}"''', '')}"
    where, note, touched = yield from touching(subject, 5)
    if touched is None:
        return f"{NOT_REASONS}. {note}"
    return f"{NOT_REASONS}. {_commits(touched.data, f' touched `{where}`', note)}"


def touching(subject: Subject, limit: int) -> Touching:
    """What was found of a thing, a path or a symbol's id, a note, and the commits that touched it; no step where there is
    none, the note saying why.

    A symbol's commits are those that changed its own lines; where nobody can tell, those of its file, and the note says so.
    """
    if not subject.path:
        if subject.name and (found := (yield from _lines_of(subject, limit))):
            return found
        where, note = yield from place_of(subject)
        if not where:
            return "", note, None
        step = yield from call("get_area_history", path=where, limit=limit)
        return where, trouble(step) if step.failed else note, None if step.failed else step
    step = yield from call("get_area_history", path=subject.path, limit=limit)
    if not step.failed and step.data.get("found"):
        return subject.path, "", step
    full = yield from path_named(subject.path)
    if full and full != subject.path:
        return (yield from touching(replace(subject, path=full), limit))
    return "", trouble(step) if step.failed else f"No commit that I know of touched `{subject.path}`.", None


def _lines_of(subject: Subject, limit: int) -> Generator[list[ToolRequest], list[Step], tuple[str, str, Step] | None]:
    named = yield from code.named("get_symbol", subject)
    if isinstance(named, str) or named.failed or named.data["symbol"]["kind"] == "module":
        return None
    name = str(named.data["symbol"]["id"])
    step = yield from call("get_area_history", path=name, limit=limit)
    return None if step.failed else (name, str(step.data.get("note") or ""), step)


def place_of(subject: Subject) -> Place:
    """The path of a file, a folder or a symbol, and a note; no path where there is none, the note saying why."""
    if subject.path:
        where, note, _ = yield from touching(subject, 1)
        return where, note
    if subject.words:
        return "", f'I found no file and no symbol called "{subject.words}".'
    step = yield from code.named("get_symbol", subject)
    if isinstance(step, str):
        return "", step
    if step.failed:
        # A thing in a file that the index has no symbol for: the file it was said to be in.
        full = yield from path_named(subject.name.partition("::")[0])
        return (full, "") if full else ("", trouble(step))
    symbol = step.data["symbol"]
    if symbol["kind"] == "module":
        return str(symbol["path"]), ""
    note = (
        f"This is about the whole file of {wording.name(symbol)} ({wording.place(symbol)}), not about its lines alone."
    )
    return str(symbol["path"]), note


# Pieces of these ------------------------------------------------------------------------------------------------------


def _commits(data: Item, told: str, note: str) -> str:
    commits: list[Item] = list(data.get("commits") or [])
    found = int(data.get("found") or len(commits))
    if not found:
        searched = f" {data['searched']}" if data.get("searched") else ""
        return f"No commit{told}.{searched}{_noted(note)}"
    known = [one for one in data.get("also_known_as") or [] if one]
    renamed = f" It was called {', '.join(f'`{one}`' for one in known)} before." if known else ""
    some = (
        f"No commit has all of these words. {counted(found, 'commit').capitalize()} with some of them, the best first"
    )
    opening = some if data.get("partly") else f"{counted(found, 'commit')}{told}"
    said = f"{opening}:\n{listed([wording.commit(one) for one in commits], found, 'commit', len(commits))}"
    return f"{said}{_noted((renamed + ' ' + note).strip())}"


def _told(asked: Asked, query: str, path: str) -> str:
    parts = [f' about "{query}"' if query else "", f" touched `{path}`" if path else ""]
    parts.append(f" by {asked.author}" if asked.author else "")
    parts.append(wording.period(asked.since, asked.until))
    return "".join(parts)


def _noted(note: str) -> str:
    return f"\n{note}" if note else ""


def _status(one: Item) -> str:
    renamed = f", called `{one['old_path']}` before" if one.get("old_path") else ""
    if one.get("insertions") is None:
        return f"({one.get('status')}{renamed})"
    return f"({one.get('status')}{renamed}, +{one['insertions']} -{one.get('deletions')})"
