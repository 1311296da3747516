"""A schema of a thousand types without any library behind it, to search in."""

import asyncio
import statistics
from collections.abc import Mapping, Sequence
from time import perf_counter, process_time
from typing import Any

from graphql import DocumentNode, GraphQLSchema, build_schema

from bench.world import AREAS, KINDS
from dragoman.graphql.dialects import Dialect, NestedFilters, NumberedPages, OrderObjects
from dragoman.graphql.grounding import GraphQLGrounding
from dragoman.graphql.host import Answer, Manager
from dragoman.harness.caller import Caller

SIDES = ("", "Test", "Spare", "Old", "Export")
QUERIES = (
    "projects with cobalt",
    "overdue deliveries of the rotor area",
    "supplier rating",
    "inspektion findings",
    "valve parts mass",
)


class WideHost:
    """Lists of a thousand managers; every query answers nothing."""

    def __init__(self, types: int) -> None:
        self.dialect = Dialect(NumberedPages(), NestedFilters(), OrderObjects())
        self.names = [f"{side}{area}{kind}" for side in SIDES for area in AREAS[:25] for kind in KINDS][:types]
        self._schema = build_schema(_sdl(self.names))

    def schema(self) -> GraphQLSchema:
        """The schema."""
        return self._schema

    def managers(self) -> Sequence[Manager]:
        """All of them, exposed."""
        return [
            Manager(
                name, f"{name}Type", exposed=True, about=f"What we keep of a {name}.", naming=("name",), searchable=()
            )
            for name in self.names
        ]

    async def execute(self, document: DocumentNode, variables: Mapping[str, Any], caller: Caller) -> Answer:
        """Nothing is there."""
        return Answer({})

    async def hints(self, manager: str, field: str, most: int) -> Sequence[str]:
        """Nor any value."""
        return []


def search(types: int = 1_000) -> dict[str, float]:
    """Milliseconds of a search over so many types: the first, in which the index is built, and the median later one."""
    return asyncio.run(_search(types))


async def _search(types: int) -> dict[str, float]:
    grounding, caller = GraphQLGrounding(WideHost(types)), Caller(key="bench")

    async def once(query: str) -> tuple[float, float]:
        cpu, wall = process_time(), perf_counter()
        toolbox = await grounding.tools(caller)
        found = await toolbox.tools["search_managers"].run({"query": query})
        assert found["managers"], query
        return (process_time() - cpu) * 1000, (perf_counter() - wall) * 1000

    first, _ = await once(QUERIES[0])
    later = [await once(query) for query in QUERIES * 20]
    return {
        "types": types,
        "first": first,
        "median": statistics.median(cpu for cpu, _ in later),
        "slowest": max(cpu for cpu, _ in later),
    }


def _sdl(names: Sequence[str]) -> str:
    lists = "\n".join(
        f"{name[0].lower()}{name[1:]}List(filter: {name}Filter, page: Int, pageSize: Int): {name}Page!"
        for name in names
    )
    parts = [f"type Query {{ {lists} }}", "type PageInfo { totalCount: Int }"]
    for n, name in enumerate(names):
        other = names[(n * 7 + 1) % len(names)]
        link = f"{other[0].lower()}{other[1:]}"
        parts.append(f"type {name}Page {{ items: [{name}Type!]! pageInfo: PageInfo! }}")
        parts.append(
            f"type {name}Type {{ id: ID! name: String! status: String mass: Float dueOn: String rating: Int "
            f"isApproved: Boolean finding: String quantity: Int {link}: {other}Type }}"
        )
        parts.append(
            f"input {name}Filter {{ name: String name_Icontains: String rating_Gte: Int {link}: {other}Filter }}"
        )
    return "\n".join(parts)
