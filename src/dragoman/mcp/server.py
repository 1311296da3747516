"""A toolbox as an MCP server: its tools listed, called, and confirmed by what each protocol revision offers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import mcp_types as wire
from mcp.server import Server
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from dragoman.harness.errors import ChatError
from dragoman.harness.messages import ToolCall, ToolResult, new_id
from dragoman.harness.tools import Operation, Toolbox

# From this revision on a server asks nothing over the line: what it wants to know is the result, and the call comes again.
_ASKS_BY_RESULT = "2026"
_CONFIRM = "confirm"
_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {_CONFIRM: {"type": "boolean", "title": "Run it"}},
    "required": [_CONFIRM],
}


@dataclass(frozen=True, slots=True)
class Waiting:
    """A call that waits for a person. `id` cannot be guessed and means nothing to anybody but its owner."""

    id: str
    operation: Operation


@dataclass(frozen=True, slots=True)
class Noted:
    """A result, and what the client should know beside it; nothing where `note` is empty."""

    result: ToolResult
    note: str


class House(Protocol):
    """Where calls are run. `request` is what the transport gave with the message (an HTTP request, or None on stdio)."""

    async def toolbox(self, request: Any) -> Toolbox:
        """The tools of whoever sent this request. Raises ChatError for somebody who may not ask."""
        ...

    async def call(self, request: Any, call: ToolCall) -> ToolResult | Noted | Waiting:
        """Run a call, or keep it until a person has decided. Raises ChatError."""
        ...

    async def decide(self, request: Any, waiting_id: str, call: ToolCall, confirmed: bool) -> ToolResult:
        """Decide a kept call, once, if it is this very one. Raises ChatError for one that is not waiting for them."""
        ...


def server(name: str, version: str, house: House, instructions: str = "") -> Server[Any]:
    """An MCP server for the tools of `house`. Who asks is found anew for every message."""

    async def listed(
        context: ServerRequestContext[Any, Any], params: wire.PaginatedRequestParams | None
    ) -> wire.ListToolsResult:
        try:
            toolbox = await house.toolbox(context.request)
        except ChatError as error:
            raise MCPError(wire.INVALID_REQUEST, error.message) from None
        return wire.ListToolsResult(tools=[_described(toolbox, name) for name in toolbox.tools])

    async def called(
        context: ServerRequestContext[Any, Any], params: wire.CallToolRequestParams
    ) -> wire.CallToolResult | wire.InputRequiredResult:
        call = ToolCall(new_id(), params.name, dict(params.arguments or {}))
        try:
            if params.request_state:
                return await _decided(house, context, params, call)
            match await house.call(context.request, call):
                case Waiting() as waiting:
                    return await _asked(house, context, call, waiting)
                case Noted(result, note):
                    return _result(result, note)
                case result:
                    return _result(result)
        except ChatError as error:
            return _refused(error.message)

    return Server(name, version=version, instructions=instructions or None, on_list_tools=listed, on_call_tool=called)


async def _asked(
    house: House, context: ServerRequestContext[Any, Any], call: ToolCall, waiting: Waiting
) -> wire.CallToolResult | wire.InputRequiredResult:
    """Ask the person at the client, in the way of their protocol revision."""
    declared = context.session.client_capabilities
    if declared is None or declared.elicitation is None:
        await house.decide(context.request, waiting.id, call, False)
        return _refused(f"{waiting.operation.name} needs a person's confirmation, and this client cannot ask for one.")
    question = _question(waiting.operation)
    if context.protocol_version >= _ASKS_BY_RESULT:
        form = wire.ElicitRequestFormParams(message=question, requested_schema=_FORM)
        return wire.InputRequiredResult(
            input_requests={_CONFIRM: wire.ElicitRequest(params=form)}, request_state=waiting.id
        )
    try:
        answer = await context.session.elicit_form(question, _FORM, context.request_id)
    except BaseException:  # the line broke, or the client cannot after all: nothing may stay open
        await house.decide(context.request, waiting.id, call, False)
        raise
    return _result(await house.decide(context.request, waiting.id, call, _accepted(answer.action, answer.content)))


async def _decided(
    house: House, context: ServerRequestContext[Any, Any], params: wire.CallToolRequestParams, call: ToolCall
) -> wire.CallToolResult:
    """A call that comes again with a person's answer; no answer is a no."""
    answer = (params.input_responses or {}).get(_CONFIRM)
    confirmed = isinstance(answer, wire.ElicitResult) and _accepted(answer.action, answer.content)
    return _result(await house.decide(context.request, params.request_state or "", call, confirmed))


def _accepted(action: str, content: Mapping[str, Any] | None) -> bool:
    return action == "accept" and (content or {}).get(_CONFIRM) is True


def _question(operation: Operation) -> str:
    """What will run, exactly as it will."""
    lines = [f"  {name}: {value!r}" for name, value in operation.input.items()]
    return "\n".join([f"Run {operation.name}?", *lines])


def _described(toolbox: Toolbox, name: str) -> wire.Tool:
    tool = toolbox.tools[name]
    # Whether something is destroyed only means something of a tool that writes.
    hints = wire.ToolAnnotations(
        read_only_hint=not tool.writes, destructive_hint=True if tool.writes else None, open_world_hint=False
    )
    return wire.Tool(
        name=name,
        description=tool.definition.description,
        input_schema=dict(tool.definition.parameters),
        annotations=hints,
    )


def _result(result: ToolResult, note: str = "") -> wire.CallToolResult:
    """The result's own text first and whole; a note is a text of its own behind it."""
    refused = result.failed or (result.writes and not result.ran)
    texts = [result.content, note] if note else [result.content]
    return wire.CallToolResult(content=[wire.TextContent(type="text", text=text) for text in texts], is_error=refused)


def _refused(sentence: str) -> wire.CallToolResult:
    return wire.CallToolResult(content=[wire.TextContent(type="text", text=sentence)], is_error=True)
