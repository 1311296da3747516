"""GraphQLGrounding: a chat on a host's GraphQL schema, as the asking person may see it."""

import asyncio
import datetime as dt
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from dragoman.graphql import direct
from dragoman.graphql import prompt as prompts
from dragoman.graphql.execute import Documents
from dragoman.graphql.hints import Hints
from dragoman.graphql.host import Host
from dragoman.graphql.lookup import manager_index, mutation_index
from dragoman.graphql.mutations import offered
from dragoman.graphql.paths import Paths
from dragoman.graphql.schema import Catalog
from dragoman.graphql.tools import Ground, definitions, toolbox
from dragoman.harness.caller import Caller
from dragoman.harness.messages import now
from dragoman.harness.tools import Toolbox

Strategy = Literal["discovery", "direct"]


@dataclass(frozen=True, slots=True)
class _Built:
    ground: Ground
    text: str


class GraphQLGrounding:
    """The tools and the prompt of a host's schema, which is read when first needed and again when it was replaced.

    `allowed_mutations` may be run, by exact name; those in `confirm_mutations` wait for a person. `max_results` is the
    most rows of one answer, `deadline_seconds` the most time of one call. `strategy` is "discovery" (five tools of a
    fixed size) or "direct" (one reading tool a manager, for a small schema).
    """

    def __init__(
        self,
        host: Host,
        *,
        allowed_mutations: Sequence[str] = (),
        confirm_mutations: Sequence[str] = (),
        max_results: int = 200,
        deadline_seconds: float = 30,
        strategy: Strategy = "discovery",
        clock: Callable[[], dt.datetime] = now,
    ) -> None:
        self._host = host
        self._allowed = tuple(allowed_mutations)
        self._confirm = frozenset(confirm_mutations)
        self._max_results = max_results
        self._deadline_seconds = deadline_seconds
        self._strategy = strategy
        self._clock = clock
        self._built: _Built | None = None
        self._building = threading.Lock()

    async def tools(self, caller: Caller) -> Toolbox:
        """The tools for this caller. Raises ConfigurationError while there is no schema."""
        ground = (await self._current()).ground
        if self._strategy == "direct":
            return direct.toolbox(ground, self._host, caller)
        return toolbox(ground, self._host, caller)

    async def prompt(self, caller: Caller) -> str:
        """Rules, mutations, managers; then the day and the person. Raises ConfigurationError while there is no schema."""
        built = await self._current()
        return f"{built.text}\n{prompts.of_caller(caller, self._clock())}"

    def ground(self) -> Ground:
        """What is read from the schema, read now if need be. Takes a moment for a large schema; safe in any thread."""
        return self._read().ground

    async def _current(self) -> _Built:
        built = self._built
        if built is not None and built.ground.catalog.schema is self._host.schema():
            return built
        return await asyncio.to_thread(self._read)

    def _read(self) -> _Built:
        with self._building:
            built = self._built
            if built is None or built.ground.catalog.schema is not self._host.schema():
                built = self._built = self._build()
            return built

    def _build(self) -> _Built:
        catalog = Catalog(self._host)
        mutations = offered(catalog, self._allowed)
        ground = Ground(
            catalog=catalog,
            documents=Documents(catalog),
            paths=Paths(catalog),
            index=manager_index(catalog),
            hints=Hints(catalog, self._host),
            mutations=mutations,
            writes=mutation_index(mutations),
            confirm=self._confirm,
            max_results=self._max_results,
            deadline_seconds=self._deadline_seconds,
        )
        if self._strategy == "direct":
            return _Built(ground, prompts.direct(mutations, direct.grammar()))
        return _Built(ground, prompts.fixed(catalog, mutations, definitions(list(mutations))))
