"""RepoGrounding: the tools and the prompt that tie a chat to one repository."""

import asyncio
import math
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dragoman.harness.caller import Caller
from dragoman.harness.errors import ChatError, ConfigurationError
from dragoman.harness.tools import Arguments, Tool, Toolbox, ToolError
from dragoman.repo import db, prompt, scan, tree
from dragoman.repo.config import Config
from dragoman.repo.repository import Repository
from dragoman.repo.tools import code, files, history, stats

ROOMS: tuple[Callable[[Repository], list[Tool]], ...] = (code.tools, history.tools, files.tools, stats.tools)


SMALL = 300  # files up to which a first question makes the index by itself
EVERY = 2.0  # seconds; an edit is seen by the first call that comes so long after it


class _Look:
    """When it was last looked whether the index is behind, and what was found; for all who ask one grounding."""

    def __init__(self) -> None:
        self.at, self.note, self.lock = -math.inf, "", threading.Lock()


@dataclass(frozen=True, slots=True)
class RepoGrounding:
    """One repository. Everybody who may ask at all sees all of it; nobody can change anything through it."""

    repository: Repository
    settings: Config = field(default_factory=Config)
    _look: _Look = field(default_factory=_Look, init=False, repr=False, compare=False)

    async def tools(self, caller: Caller) -> Toolbox:
        """The closed list of tools; none writes, none runs a program of the asker's."""
        return Toolbox.of(_speaking(tool) for room in ROOMS for tool in room(self.repository))

    async def prompt(self, caller: Caller) -> str:
        """What the model is told: the repository as it is now, its index brought up to date where that is cheap."""
        try:
            stale = await asyncio.to_thread(_fresh, self.repository, self.settings)
            overview = await (await self.tools(caller)).tools["get_repo_overview"].run({})
            found = await asyncio.to_thread(_example, self.repository)
        except (ToolError, ChatError) as error:
            return prompt.unindexed(self.repository.name, error.message, caller)
        return prompt.build(overview if isinstance(overview, Mapping) else {}, found, caller, stale)

    async def freshen(self) -> str:
        """For calls that no prompt came before: what `prompt` does first, every two seconds at most.

        Returns what somebody should know of the index's age, or nothing.
        """
        return await asyncio.to_thread(self._freshened)

    def _freshened(self) -> str:
        with self._look.lock:  # whoever comes meanwhile takes what this one finds
            if time.monotonic() - self._look.at >= EVERY:
                try:
                    self._look.note = _fresh(self.repository, self.settings)
                except ChatError as error:
                    self._look.note = error.message
                self._look.at = time.monotonic()
            return self._look.note


def _fresh(repository: Repository, settings: Config) -> str:
    """Bring the index up to date where that is cheap; what somebody should know of its age, or nothing."""
    exclude, branch = settings.index.exclude, settings.default_branch
    found = scan.freshen(repository, exclude=exclude, default_branch=branch)
    if found.state == "missing":
        listed = tree.listing(repository, exclude)
        if len(listed.files) <= SMALL:
            try:
                scan.scan(repository, exclude=exclude, default_branch=branch, listed=listed)
            except (OSError, sqlite3.Error) as error:
                why = getattr(error, "strerror", None) or error
                raise ConfigurationError(
                    f"The index cannot be made ({why}). Look around with: dragoman doctor"
                ) from None
            return ""
    return found.note


def _example(repository: Repository) -> prompt.Example:
    with db.read(repository.index) as index:
        return prompt.example(index)


def _speaking(tool: Tool) -> Tool:
    """The tool, which tells the model when there is no index instead of failing without a word."""

    async def run(arguments: Arguments) -> Any:
        try:
            return await tool.run(arguments)
        except db.NotIndexed as error:
            raise ToolError(error.message, "not_indexed") from None

    return replace(tool, run=run)
