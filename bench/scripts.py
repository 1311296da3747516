"""The fixed scripts every figure is taken with: what a model would ask, written down."""

from collections.abc import Sequence

from dragoman.harness.messages import Message
from dragoman.harness.provider import Piece, Text, ToolRequest
from dragoman.harness.tools import ToolDefinition

QUESTION = "What projects contain parts with cobalt?"
SEARCH = ToolRequest("search_managers", {"query": "projects with cobalt"})
SCHEMA = ToolRequest("get_manager_schema", {"manager": "Project"})
PATH = ToolRequest("find_path", {"from": "Project", "to": "Material"})
QUERY = ToolRequest(
    "query",
    {
        "manager": "Project",
        "fields": ["id", "name"],
        "filters": {"billOfMaterialList__part__material__name__icontains": "cobalt"},
    },
)

# The question put to one server after another: what it asks for is one GraphQL document, whoever writes it.
PARTS_QUESTION = "Which parts are called Bracket 9 or begin like that?"
PARTS_QUERY = ToolRequest(
    "query",
    {"manager": "Part", "fields": ["id", "name"], "filters": {"name__icontains": "Bracket 9"}, "limit": 20},
)

CHUNKS = 2_000


def answer(messages: Sequence[Message], tools: Sequence[ToolDefinition]) -> list[Piece]:
    """A short answer that names the rows. A script that got an error instead of rows measures nothing, so it raises."""
    for message in messages:
        if message.result is not None and (message.result.failed or '"error"' in message.result.content[:9]):
            raise AssertionError(f"{message.result.name} failed: {message.result.content}")
    assert messages[-1].result is not None
    names = [row["name"] for row in messages[-1].result.data["rows"]]
    assert names, "The query found no rows."
    return [Text(f"Parts with cobalt are in {len(names)} projects: {', '.join(names)}.")]


def parts_answer(names: Sequence[str]) -> str:
    """The answer to PARTS_QUESTION. A model that was given no rows measures nothing, so it raises."""
    assert names, "The query found no rows."
    return f"{len(names)} parts are called so: {', '.join(names)}."


def _parts_answer(messages: Sequence[Message], tools: Sequence[ToolDefinition]) -> list[Piece]:
    result = messages[-1].result
    assert result is not None
    assert not result.failed, result
    return [Text(parts_answer([row["name"] for row in result.data["rows"]]))]


PARTS = ([PARTS_QUERY], _parts_answer)
THREE = ([SEARCH], [QUERY], answer)
FIVE = ([SEARCH], [SCHEMA], [PATH], [QUERY], answer)


def stream() -> list[Piece]:
    """A long answer in small pieces."""
    return [Text(f"word{n % 10} ") for n in range(CHUNKS)]
