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


THREE = ([SEARCH], [QUERY], answer)
FIVE = ([SEARCH], [SCHEMA], [PATH], [QUERY], answer)


def stream() -> list[Piece]:
    """A long answer in small pieces."""
    return [Text(f"word{n % 10} ") for n in range(CHUNKS)]
