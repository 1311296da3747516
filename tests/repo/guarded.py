"""Ask one tool over a clone through the Assistant, as a model would; and a history made in a moment."""

import datetime as dt
import subprocess
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dragoman.harness import wire
from dragoman.harness.assistant import Assistant
from dragoman.harness.caller import Caller
from dragoman.harness.limits import Limits
from dragoman.harness.memory import MemoryStore
from dragoman.harness.provider import ToolRequest
from dragoman.harness.tools import Tool, Toolbox
from dragoman.providers.scripted import Scripted
from dragoman.repo import db, record
from dragoman.repo.repository import Repository, find
from dragoman.repo.tools import files, stats

ADA = Caller("user:ada", is_authenticated=True)

Room = Callable[[Repository], list[Tool]]
ROOMS: tuple[Room, ...] = (files.tools, stats.tools)


@dataclass(frozen=True)
class Desk:
    """A grounding of these rooms' tools alone."""

    repository: Repository
    rooms: Iterable[Room] = ROOMS

    async def tools(self, caller: Caller) -> Toolbox:
        return Toolbox.of(tool for room in self.rooms for tool in room(self.repository))

    async def prompt(self, caller: Caller) -> str:
        return "You know a repository."


async def turn(
    repository: Repository, *rounds: Any, rooms: Iterable[Room] = ROOMS, limits: Limits | None = None
) -> list[wire.Frame]:
    """The frames of a turn whose model plays these rounds."""
    store = MemoryStore()
    assistant = Assistant(Scripted(*rounds), Desk(repository, tuple(rooms)), store, limits or Limits())
    conversation = await store.create(ADA)
    return [wire.frame(envelope) async for envelope in assistant.ask(ADA, conversation, "Do it.")]


async def call(
    repository: Repository,
    name: str,
    /,
    *,
    rooms: Iterable[Room] = ROOMS,
    limits: Limits | None = None,
    **arguments: Any,
) -> dict[str, Any]:
    """What the model is told when it calls a tool in a turn of the Assistant."""
    frames = await turn(repository, [ToolRequest(name, arguments)], "Done.", rooms=rooms, limits=limits)
    return next(frame for frame in frames if frame["type"] == "tool_result")["data"]


@dataclass(frozen=True)
class Change:
    """A commit of a made-up history: when, what it says, the files it leaves with their content, on which branch."""

    when: str
    subject: str
    files: Mapping[str, str]
    branch: str = "main"
    author: str = "Ada <ada@example.org>"


def past(place: Path, *changes: Change) -> Repository:
    """A bare clone with this history on its branches, indexed."""
    subprocess.run(["git", "init", "--quiet", "--bare", "-b", "main", str(place / "past.git")], check=True)
    stream = b""
    for change in changes:
        seconds = int(dt.datetime.fromisoformat(change.when).replace(tzinfo=dt.UTC).timestamp())
        stream += f"commit refs/heads/{change.branch}\n".encode()
        for who in ("author", "committer"):
            stream += f"{who} {change.author} {seconds} +0000\n".encode()
        stream += _data(change.subject)
        for path, content in change.files.items():
            stream += f"M 100644 inline {path}\n".encode() + _data(content)
        stream += b"\n"
    git_dir = str(place / "past.git")
    subprocess.run(["git", "--git-dir", git_dir, "fast-import", "--quiet"], input=stream, check=True)
    repository = find(Path(git_dir), place / "state")
    with closing(db.write(repository.index)) as connection:
        record.update(connection, repository)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return repository


def _data(text: str) -> bytes:
    return f"data {len(text.encode())}\n{text}\n".encode()
