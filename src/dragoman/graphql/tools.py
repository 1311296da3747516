"""The five tools: search_managers, get_manager_schema, find_path, query, mutate. Their size never grows with a schema."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dragoman.graphql import aggregate, describe, lookup, mutations, query
from dragoman.graphql.execute import Documents, Session
from dragoman.graphql.hints import Hints
from dragoman.graphql.host import Host
from dragoman.graphql.mutations import Mutation
from dragoman.graphql.naming import unknown
from dragoman.graphql.paths import Paths
from dragoman.graphql.schema import Catalog
from dragoman.graphql.search import Index
from dragoman.harness.caller import Caller
from dragoman.harness.tools import Arguments, Operation, Tool, Toolbox, ToolDefinition, ToolError

GROUPS = 50  # how many groups an aggregate shows when no limit is given
_NAMED_MUTATIONS = 30  # up to so many are listed in the tool's own definition


@dataclass(frozen=True, slots=True)
class Ground:
    """All that is read from a schema once and shared by every caller."""

    catalog: Catalog
    documents: Documents
    paths: Paths
    index: Index
    hints: Hints
    mutations: Mapping[str, Mutation]
    writes: Index
    confirm: frozenset[str] = frozenset()
    max_results: int = 200
    deadline_seconds: float = 30


def toolbox(ground: Ground, host: Host, caller: Caller) -> Toolbox:
    """The tools as this caller may use them."""
    session = Session(ground.catalog, ground.documents, host, caller)
    catalog, offers = ground.catalog, ground.mutations

    async def search_managers(arguments: Arguments) -> Any:
        return await lookup.search(
            session, arguments["query"], ground.index, ground.hints, ground.paths, offers, ground.writes
        )

    async def get_manager_schema(arguments: Arguments) -> Any:
        part = arguments.get("part") or "overview"
        return describe.describe(catalog, catalog.manager(arguments["manager"]), offers, part)

    async def find_path(arguments: Arguments) -> Any:
        return describe.way(ground.paths, catalog.manager(arguments["from"]), catalog.manager(arguments["to"]))

    async def run_query(arguments: Arguments) -> Any:
        return await ask(session, ground, arguments)

    runs: dict[str, Callable[[Arguments], Awaitable[Any]]] = {
        "search_managers": search_managers,
        "get_manager_schema": get_manager_schema,
        "find_path": find_path,
        "query": run_query,
    }
    named = {definition.name: definition for definition in definitions(list(offers))}
    reading = [Tool(named[name], limited(named[name], run, ground.deadline_seconds)) for name, run in runs.items()]
    return Toolbox.of([*reading, mutate_tool(ground, session)])


async def ask(session: Session, ground: Ground, arguments: Arguments) -> Any:
    """What `query` answers: rows, or groups where there is an aggregate."""
    wanted = arguments.get("aggregate")
    if wanted is None:
        question = query.ask(session, arguments, ground.max_results)
        return await query.rows(session, question, arguments.get("fields"))
    question = query.ask(session, {"limit": GROUPS, **arguments}, ground.max_results)
    return await aggregate.groups(session, question, wanted)


def mutate_tool(ground: Ground, session: Session) -> Tool:
    """The one tool that writes."""

    async def mutate(arguments: Arguments) -> Any:
        if not session.caller.is_authenticated:
            raise ToolError("Only somebody who is signed in may change data.", "not_authenticated")
        mutation = mutations.pick(ground.mutations, arguments["mutation"])
        return await mutations.run(session, mutation, arguments.get("input") or {})

    def confirm(arguments: Arguments) -> bool:
        name = arguments["mutation"]
        if name not in ground.confirm or not session.caller.is_authenticated:
            return False
        return _checked(ground, arguments) is not None  # what cannot run anyway is refused without asking a person

    def operation(arguments: Arguments) -> Operation:
        given = arguments.get("input") or {}
        return Operation(str(arguments.get("mutation", "")), _checked(ground, arguments) or given)

    definition = mutate_definition(list(ground.mutations))
    run = limited(definition, mutate, ground.deadline_seconds)
    return Tool(definition, run, writes=True, confirm=confirm, operation=operation)


def definitions(allowed: list[str]) -> list[ToolDefinition]:
    """What a model is told of the tools."""
    text, manager = {"type": "string"}, {"type": "string"}
    texts = {"type": "array", "items": text}
    return [
        _definition(
            "search_managers",
            "Find managers (kinds of rows), fields, mutations and values by the words of a question. "
            "Values come with filters ready for query.",
            {"query": text},
        ),
        _definition(
            "get_manager_schema",
            "Fields, relations, filters and order of one manager.",
            {"manager": manager, "part": {"type": "string", "enum": list(describe.PARTS)}},
            optional=("part",),
        ),
        _definition(
            "find_path", "The relations from one manager to another, as a filter prefix.", {"from": text, "to": text}
        ),
        _definition(
            "query",
            "Rows of a manager. fields: names, and {relation: [fields]}. filters: {field: value}, joined by and; "
            "reach over relations with __ and end in a lookup: relation__field__icontains, __in, __gte, __lt, __isnull. "
            "exclude: rows to leave out. order_by: -field is descending. aggregate: "
            '{"group_by": ["relation__field", "date__month"], "measures": ["count", "avg:field", "sum:", "min:", "max:"]}'
            " counts over all rows; order_by then takes a measure.",
            {
                "manager": manager,
                "fields": {"type": "array", "items": {"anyOf": [text, {"type": "object"}]}},
                "filters": {"type": "object"},
                "exclude": {"type": "object"},
                "order_by": texts,
                "limit": {"type": "integer"},
                "offset": {"type": "integer"},
                "aggregate": {"type": "object", "properties": {"group_by": texts, "measures": texts}},
            },
            optional=("fields", "filters", "exclude", "order_by", "limit", "offset", "aggregate"),
        ),
        mutate_definition(allowed),
    ]


def mutate_definition(allowed: list[str]) -> ToolDefinition:
    """What a model is told of `mutate`: the names, while they are few."""
    named = {"type": "string", "enum": allowed} if 0 < len(allowed) <= _NAMED_MUTATIONS else {"type": "string"}
    told = "Change data by an allowed mutation." if allowed else "Change data; no mutation is allowed here."
    return _definition("mutate", told, {"mutation": named, "input": {"type": "object"}})


def _definition(
    name: str, description: str, properties: dict[str, Any], optional: tuple[str, ...] = ()
) -> ToolDefinition:
    required = [key for key in properties if key not in optional]
    return ToolDefinition(name, description, {"type": "object", "properties": properties, "required": required})


def limited(
    definition: ToolDefinition, run: Callable[[Arguments], Awaitable[Any]], seconds: float
) -> Callable[[Arguments], Awaitable[Any]]:
    """The tool under a deadline, for arguments it knows."""
    known = list(definition.parameters["properties"])

    async def run_in_time(arguments: Arguments) -> Any:
        for name in arguments:
            if name not in known:
                raise ToolError(unknown("argument", name, definition.name, known), "bad_arguments")
        try:
            async with asyncio.timeout(seconds):
                return await run(arguments)
        except TimeoutError:
            late = f"{definition.name} took longer than {seconds:g} seconds."
            if definition.name == "mutate":
                late += " It may have been done all the same: look before it is tried again."
                raise ToolError(late, "mutation_timeout") from None
            raise ToolError(f"{late} Narrow the question.", "query_timeout") from None

    return run_in_time


def _checked(ground: Ground, arguments: Arguments) -> dict[str, Any] | None:
    try:
        mutation = mutations.pick(ground.mutations, str(arguments.get("mutation", "")))
        return mutations.check(mutation, arguments.get("input") or {})
    except ToolError:
        return None
