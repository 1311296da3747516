"""RepoGrounding by the path of a repository, as the settings of a chat name it."""

from pathlib import Path

from dragoman.harness.caller import Caller
from dragoman.harness.tools import Toolbox
from dragoman.repo import config
from dragoman.repo.grounding import RepoGrounding
from dragoman.repo.repository import find


class RepositoryGrounding:
    """The grounding of the repository at a path. Raises ConfigurationError where there is none."""

    def __init__(self, repository: str) -> None:
        found = find(Path(repository))
        self._grounding = RepoGrounding(found, config.read(found))

    async def tools(self, caller: Caller) -> Toolbox:
        """The tools of the repository."""
        return await self._grounding.tools(caller)

    async def prompt(self, caller: Caller) -> str:
        """What the model is told of it."""
        return await self._grounding.prompt(caller)

    async def freshen(self) -> str:
        """Bring the index up to date where that is cheap; what somebody should know of its age, or nothing."""
        return await self._grounding.freshen()
