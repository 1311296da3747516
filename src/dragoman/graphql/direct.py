"""One tool for each exposed manager, for a small schema: nothing has to be looked up first."""

from dragoman.graphql.execute import Session
from dragoman.graphql.host import Host
from dragoman.graphql.naming import first_sentence, listing, snake
from dragoman.graphql.schema import Exposed
from dragoman.graphql.tools import Ground, ask, definitions, limited, mutate_tool
from dragoman.harness.caller import Caller
from dragoman.harness.tools import Arguments, Tool, Toolbox, ToolDefinition


def toolbox(ground: Ground, host: Host, caller: Caller) -> Toolbox:
    """A reading tool for each manager that can be listed, and `mutate`."""
    session = Session(ground.catalog, ground.documents, host, caller)
    reading = [_tool(ground, session, manager) for manager in ground.catalog.managers.values() if manager.root]
    return Toolbox.of([*reading, mutate_tool(ground, session)])


def grammar() -> str:
    """How their arguments are written, said once for all of them."""
    return next(tool.description for tool in definitions([]) if tool.name == "query")


def _tool(ground: Ground, session: Session, manager: Exposed) -> Tool:
    async def run(arguments: Arguments) -> object:
        return await ask(session, ground, {**arguments, "manager": manager.name})

    definition = _definition(manager)
    return Tool(definition, limited(definition, run, ground.deadline_seconds))


def _definition(manager: Exposed) -> ToolDefinition:
    query = next(tool for tool in definitions([]) if tool.name == "query")
    properties = {name: kind for name, kind in query.parameters["properties"].items() if name != "manager"}
    fields = listing([f"{name} {entry.shown}" for name, entry in manager.fields.items()], 600)
    related = [f"{name} {relation.shown}" for name, relation in manager.relations.items()]
    told = f"{first_sentence(manager.about, 120)} Fields: {fields}."
    told += f" Relations: {listing(related)}." if related else ""
    return ToolDefinition(
        f"query_{snake(manager.name)}", told.strip(), {"type": "object", "properties": properties, "required": []}
    )
