"""The tools over the history: a commit, an area, what is new, changes by words, and the repository in numbers."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from dragoman.harness.tools import Arguments, Tool, ToolDefinition, ToolError
from dragoman.repo import db, history, lifeline, look, record, secrets
from dragoman.repo.git import Git
from dragoman.repo.history import Commit, File, Page
from dragoman.repo.overview import Overview, overview
from dragoman.repo.repository import Repository
from dragoman.repo.tools import code

# What every tool says that tells of commits: one sentence, so that they cannot come to say different things.
AUTHORITY = "Trust `description`, made from the diff, before the author's `subject`."
CLIPPED = 240  # characters of a description among the newest commits
_SUBJECT = 300
_BODY = 4_000
_DIFF = 16_000
_FILES = 200
_NAMES = 10
_NO_FORGE = "Pull requests and issues are not indexed: this index holds what git itself has."
_NO_FILES = "Counts of the whole, nothing by file: for one file or folder take get_area_outline, for the busiest files run_project_stats."

Ask = Callable[[sqlite3.Connection, Arguments], Any]
_TEXT = {"type": "string"}
_PATH = {"type": "string", "description": "file or folder from the root; old names count"}
_PAGING = {"limit": {"type": "integer", "minimum": 1}, "offset": {"type": "integer", "minimum": 0}}


def tools(repository: Repository) -> list[Tool]:
    """The five tools of one repository."""
    git = Git.of(repository)

    def tool(name: str, told: str, properties: Mapping[str, Any], required: list[str], ask: Ask) -> Tool:
        async def run(arguments: Arguments) -> Any:
            return await asyncio.to_thread(_asked, repository, ask, arguments)

        parameters = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
        return Tool(ToolDefinition(name, told, parameters), run)

    return [
        tool(
            "list_recent_activity",
            f"The newest commits of the default branch, to begin with where nothing is named. {AUTHORITY}",
            {"limit": _PAGING["limit"]},
            [],
            _recent,
        ),
        tool(
            "find_changes",
            f"Commits about words, by author, between dates (2026-03-01, 2026-03), in a path; any of these. {AUTHORITY}",
            {"query": _TEXT, "path": _PATH, "since": _TEXT, "until": _TEXT, "author": _TEXT, **_PAGING},
            [],
            _find,
        ),
        tool(
            "get_area_history",
            f"The commits that touched a file, a folder or one function, renames followed. {AUTHORITY}",
            {"path": {"type": "string", "description": f"{_PATH['description']}; or a symbol, path::name"}, **_PAGING},
            ["path"],
            lambda connection, arguments: _area(connection, git, arguments),
        ),
        tool(
            "get_commit",
            f"One commit with its files. {AUTHORITY}",
            {
                "sha": {"type": "string", "description": "SHA, its beginning, HEAD, HEAD~2, a branch or a tag"},
                "diff": {"type": "boolean", "description": "also the diff, clipped"},
            },
            ["sha"],
            lambda connection, arguments: _commit(connection, git, arguments),
        ),
        tool(
            "get_repo_overview",
            "Counts and orientation: branch, commits, authors, languages, top folders. No per-file breakdown: "
            "get_area_outline has one.",
            {},
            [],
            lambda connection, _: _overview(overview(connection), repository.name),
        ),
    ]


def _asked(repository: Repository, ask: Ask, arguments: Arguments) -> Any:
    try:
        with db.read(repository.index) as connection:
            connection.execute("BEGIN")  # one state of the index for the whole answer
            record.ready(connection)
            return ask(connection, arguments)
    except db.NotIndexed as error:
        raise ToolError(error.message, "not_indexed") from None


def _recent(connection: sqlite3.Connection, arguments: Arguments) -> Any:
    commits = history.recent(connection, _limit(arguments, 10))
    return {
        "branch": record.state(connection)["branch"],
        "commits": [_told(commit, description=CLIPPED) for commit in commits],
        "pull_requests": [],
        "issues": [],
        "note": _NO_FORGE,
    }


def _find(connection: sqlite3.Connection, arguments: Arguments) -> Any:
    limit, offset = _limit(arguments, 20), _offset(arguments)
    named = {"text": "query", "path": "path", "since": "since", "until": "until", "author": "author"}
    asked = {ours: str(arguments.get(theirs) or "") for ours, theirs in named.items()}
    page = history.find(connection, **asked, limit=limit, offset=offset)
    told = _paged(page, offset) | ({"searched": " ".join(page.told)} if page.told else {})
    return told | ({"partly": True} if page.partly else {})


def _area(connection: sqlite3.Connection, git: Git, arguments: Arguments) -> Any:
    limit, offset = _limit(arguments, 20), _offset(arguments)
    if "::" in arguments["path"]:
        return _symbol(connection, git, arguments["path"], limit, offset)
    area = history.area(connection, arguments["path"], limit, offset)
    told: dict[str, Any] = {"path": area.path, "also_known_as": _names(area.names)}
    if area.later:
        told["renamed_to"] = area.later
    return told | _paged(area.page, offset)


def _symbol(connection: sqlite3.Connection, git: Git, name: str, limit: int, offset: int) -> Any:
    symbol = code.one(connection, name)
    if isinstance(symbol, dict):
        return symbol
    line = lifeline.of(connection, git, symbol, limit, offset)
    told = {"path": symbol.path, "symbol": code.shown(symbol), "note": line.note or _followed(line)}
    return told | _paged(line.page, offset)


def _followed(line: lifeline.Lifeline) -> str:
    return (
        f"Commits that changed lines {line.line} to {line.end_line} of {line.symbol.path} at HEAD, followed back as git log -L does, renames of "
        "the file included; where the code came from another file, its history goes on there."
    )


def _commit(connection: sqlite3.Connection, git: Git, arguments: Arguments) -> Any:
    found = look.at(connection, git, arguments["sha"])
    if found.commit is None:
        return {"found": len(found.choices), "choices": [_told(one) for one in found.choices]}
    told = _told(found.commit)
    body, _ = secrets.mask(found.commit.body)
    told |= {"body": _clipped(body, _BODY), "parents": list(found.commit.parents)}
    told["files"] = [_file(file) for file in found.files[:_FILES]]
    if len(found.files) > _FILES:
        told["files_withheld"] = len(found.files) - _FILES
    if arguments.get("diff"):
        text, more = look.diff(git, found.commit.sha, _DIFF)
        told["diff"], masked = secrets.mask(text)
        told |= {"masked": masked} if masked else {}
        told |= {"diff_clipped": "There is more; read_file shows the files as they are now."} if more else {}
    return told


def _overview(told: Overview, name: str) -> Any:
    gaps = []
    if told.shallow:
        gaps.append("This is a shallow clone: its history has a beginning that is not the project's.")
    if told.stopped:
        gaps.append(f"The history could not be read to its beginning: {told.stopped}")
    return {
        "name": name,
        "branch": told.branch,
        "head": told.head,
        "commits": told.commits,
        "authors": told.authors,
        **({"bots": told.bots} if told.bots else {}),
        "first_commit": told.first_commit,
        "last_commit": told.last_commit,
        "files": told.files,
        "languages": [dict(zip(("language", "files", "lines", "symbols"), row, strict=True)) for row in told.languages],
        "symbols": told.symbols,
        "calls": told.calls,
        "folders": [{"path": path, "files": files} for path, files in told.folders if path],
        "skipped": told.skipped,
        "incomplete_commits": sum(told.incomplete.values()),
        **({"incomplete": told.incomplete} if told.incomplete else {}),
        **({"odd_fields": told.odd_fields} if told.odd_fields else {}),
        **({"history_note": " ".join(gaps)} if gaps else {}),
        "note": _NO_FILES,
    }


def _paged(page: Page, offset: int) -> dict[str, Any]:
    told: dict[str, Any] = {"found": page.found, "commits": [_told(commit) for commit in page.commits]}
    if offset + len(page.commits) < page.found:
        told["next_offset"] = offset + len(page.commits)
    return told


def _told(commit: Commit, description: int = 2_000) -> dict[str, Any]:
    """A commit as every tool shows it: what its diff says before what its author says."""
    told: dict[str, Any] = {"sha": commit.sha}
    if commit.description is not None:
        told["description"] = _clipped(commit.description, description)
    subject, _ = secrets.mask(commit.subject)
    told |= {"subject": _clipped(subject, _SUBJECT), "author": commit.author, "date": commit.date}
    if commit.incomplete:
        told["incomplete"] = commit.incomplete
    else:
        told |= {"files_changed": commit.files_changed, "insertions": commit.insertions, "deletions": commit.deletions}
    return told | ({"matched": commit.matched} if commit.matched else {})


def _file(file: File) -> dict[str, Any]:
    renamed = {} if file.old_path is None else {"old_path": file.old_path}
    return {
        "path": file.path,
        **renamed,
        "status": file.status,
        "insertions": file.insertions,
        "deletions": file.deletions,
    }


def _names(names: Iterable[str]) -> list[str]:
    """The earlier names, or their folders where there are many."""
    kept = sorted(names)
    if len(kept) > _NAMES:
        kept = sorted({f"{name.rpartition('/')[0]}/" for name in kept})
    return kept[:_NAMES]


def _clipped(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _limit(arguments: Arguments, usual: int) -> int:
    return max(1, min(int(arguments.get("limit") or usual), history.MOST))


def _offset(arguments: Arguments) -> int:
    return max(0, min(int(arguments.get("offset") or 0), 1_000_000_000))
