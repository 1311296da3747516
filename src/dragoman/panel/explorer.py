"""The Explorer: a page that looks at the repository through the tools the chat has, as the same person."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponseBase, QueryDict
from django.shortcuts import render

from dragoman.django.assistants import Desk
from dragoman.django.door import as_json, door
from dragoman.django.identity import Visitor
from dragoman.django.threads import in_thread
from dragoman.harness import wire
from dragoman.harness.errors import ChatError
from dragoman.harness.messages import ToolCall, new_id
from dragoman.harness.tools import Tool
from dragoman.panel import chat

# What a GET may call. An image in a foreign page is a GET as well: nothing stands here that writes, or that asks a model.
LOOKS = frozenset({
    "find_changes", "get_area_history", "get_area_outline", "get_callees", "get_callers", "get_commit", "get_repo_overview",
    "get_symbol", "list_dir", "list_recent_activity", "read_file", "search_symbols", "search_text",
})  # fmt: skip

_DIGITS = 15  # of a number; more of them are no line and no offset


@door("GET", "HEAD", begins_session=False)
async def page(request: HttpRequest, desk: Desk, visitor: Visitor) -> HttpResponseBase:
    """The page; what it shows stands in its own address."""
    return await in_thread(render, request, "panel/explorer.html", {"base": desk.settings.url})


@door("GET", begins_session=False)
async def look(request: HttpRequest, desk: Desk, visitor: Visitor, tool: str) -> HttpResponseBase:
    """What a tool says to the arguments of the query: `{"result": {...}, "failed": bool, "note": str}`.

    `result` is what the chat's model would get, a failed one too; `note` is about the age of the index, or empty.
    """
    box, limits = await desk.assistant.grounding.tools(visitor.caller), desk.settings.limits
    if tool not in LOOKS:
        unknown = ChatError(f"The Explorer has no {tool!r}. It has: {', '.join(sorted(LOOKS))}.", code="unknown_tool")
        return as_json(wire.error_frame(unknown), status=404)
    call = ToolCall(new_id(), tool, _arguments(request.GET, box.tools[tool]))
    note = await chat.at(str(desk.settings.grounding["repository"])).freshen()
    result = await box.run(call, budget=limits.result_characters, timeout_seconds=limits.tool_timeout_seconds)
    return as_json({"result": result.data, "failed": result.failed, "note": note})


def _arguments(query: QueryDict, tool: Tool) -> dict[str, Any]:
    """The query as the arguments the tool asks for; what does not fit stays as it is, and the tool says what is wrong."""
    properties: Mapping[str, Mapping[str, Any]] = tool.definition.parameters["properties"]
    return {name: _typed(value, properties.get(name, {}).get("type")) for name, value in query.items()}


def _typed(value: str | list[object], kind: object) -> Any:
    if kind == "boolean":
        return {"true": True, "false": False}.get(str(value), value)
    digits = str(value)
    if kind == "integer" and digits.isascii() and digits.isdecimal() and len(digits) <= _DIGITS:
        return int(digits)
    return value
