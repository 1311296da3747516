"""RepoGrounding by the path of a repository, as the settings of a chat name it."""

from functools import cache
from pathlib import Path

from dragoman.harness.caller import Caller
from dragoman.harness.tools import Toolbox
from dragoman.repo import config
from dragoman.repo.grounding import RepoGrounding
from dragoman.repo.repository import find


@cache
def at(repository: str) -> RepoGrounding:
    """The one grounding of the repository at a path, for the chat and the Explorer. Raises ConfigurationError."""
    found = find(Path(repository))
    return RepoGrounding(found, config.read(found))


class RepositoryGrounding:
    """The grounding of the repository at a path. Raises ConfigurationError where there is none."""

    def __init__(self, repository: str) -> None:
        self._grounding = at(repository)

    async def tools(self, caller: Caller) -> Toolbox:
        """The tools of the repository."""
        return await self._grounding.tools(caller)

    async def prompt(self, caller: Caller) -> str:
        """What the model is told of it."""
        return await self._grounding.prompt(caller)
