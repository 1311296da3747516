"""The three doors of a repository in one process: what the chat, the Explorer and MCP say to the same calls.

    python -m tests.panel.one_toolbox HOME CLONE [replaced]

prints `{door: {tool: result}}`. With `replaced`, one function below the tools of each room says REPLACED instead.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from mcp.client import Client

from dragoman.harness.messages import Message
from dragoman.harness.provider import Piece, Stop, ToolRequest
from dragoman.harness.tools import ToolDefinition
from dragoman.mcp import stdio
from dragoman.panel import server, settings
from dragoman.repo import files, graph, history, sqlguard, stats
from dragoman.repo.grounding import RepoGrounding
from dragoman.repo.repository import find

REPLACED = "said by the function that was put in the place of another"
CALLS: dict[str, dict[str, Any]] = {
    "find_changes": {"query": "window", "limit": 2},
    "get_area_history": {"path": "src/orchard/window.py::Window.trim"},
    "get_area_outline": {"path": "src"},
    "get_callees": {"name": "main"},
    "get_callers": {"name": "fit_window", "limit": 1},
    "get_commit": {"sha": "HEAD", "diff": True},
    "get_repo_overview": {},
    "get_symbol": {"name": "Window"},
    "list_dir": {"path": "src/orchard"},
    "list_recent_activity": {"limit": 3},
    "read_file": {"path": "src/orchard/window.py", "offset": 20},
    "render_chart": {"sql": "SELECT kind, count(*) AS n FROM symbols GROUP BY kind", "kind": "bar", "title": "Kinds", "x": "kind", "y": ["n"]},
    "run_project_stats": {"sql": "SELECT count(*) FROM commits"},
    "search_symbols": {"query": "fit windw"},
    "search_text": {"query": "budget", "limit": 2},
}  # fmt: skip


class Asking:
    """A model that asks for every call there is, and says nothing."""

    name, model = "asking", ""

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolDefinition]) -> AsyncIterator[Piece]:
        """All calls in one round."""
        if messages[-1].role == "user":
            for name, arguments in CALLS.items():
                yield ToolRequest(name, arguments)
            yield Stop("tool_calls")
        else:
            yield Stop("end")


def replace() -> None:
    """Let one function below the tools of each room say something else."""
    caller, commit = (
        graph.Neighbour(REPLACED, "function", "", 1),
        history.Commit(REPLACED, None, "", "", "", 0, 0, 0, None),
    )
    graph.callers = lambda *_: graph.Page(1, (caller,))  # type: ignore[assignment]
    history.recent = lambda *_: (commit,)  # type: ignore[assignment]
    files.read = lambda *_: files.Page(REPLACED, 1, 1, 1, "")  # type: ignore[assignment]
    stats.ask = lambda *_: sqlguard.Answer(("kind", "n"), ((REPLACED, 1),), False)  # type: ignore[assignment]


async def chat(page: str) -> dict[str, Any]:
    """What the chat was told, as its conversation keeps it."""
    from django.test import AsyncClient

    client = AsyncClient()
    await client.get(f"{page}?token=t")
    told = (await client.post(page, {"text": "everything"}, content_type="application/json")).json()
    kept = (await client.get(f"{page}conversations/{told['conversation_id']}/")).json()
    return {frame["name"]: frame["data"] for frame in kept["frames"] if frame["type"] == "tool_result"}


async def explorer(page: str) -> dict[str, Any]:
    """What the Explorer was told, of the tools it has."""
    from django.test import AsyncClient

    from dragoman.panel.explorer import LOOKS

    client = AsyncClient()
    await client.get(f"{page}?token=t")
    found = {}
    for name in sorted(LOOKS):
        query = urlencode({key: json.dumps(value) if value is True else value for key, value in CALLS[name].items()})
        found[name] = (await client.get(f"{page}explorer/{name}?{query}")).json()["result"]
    return found


async def agent(grounding: RepoGrounding) -> dict[str, Any]:
    """What an agent was told over MCP."""
    box = await grounding.tools(None)
    async with Client(stdio.of(grounding, box)) as client:
        return {name: json.loads((await client.call_tool(name, told)).content[0].text) for name, told in CALLS.items()}


def main() -> None:
    """Ask all three, one after the other."""
    home, clone, *more = sys.argv[1:]
    if more:
        replace()
    repository = find(Path(clone), Path(home))
    places = settings.places([settings.Served(repository, "tests.panel.one_toolbox.Asking", {})])
    server.build(places, Path(home) / "chat.sqlite3", 8421, "t")

    async def told() -> dict[str, Any]:
        grounding = RepoGrounding(repository)
        await grounding.freshen()  # makes the index
        page = places[0].url
        return {"chat": await chat(page), "explorer": await explorer(page), "mcp": await agent(grounding)}

    sys.stdout.write(json.dumps(asyncio.run(told())))


if __name__ == "__main__":
    main()
