"""Tool and Toolbox: what the assistant may do, named, typed and checked before it runs."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dragoman.harness.messages import ToolCall, ToolResult
from dragoman.harness.results import assemble
from dragoman.harness.schema import fault

log = logging.getLogger("dragoman.tools")

Arguments = Mapping[str, Any]


class ToolError(Exception):
    """A failure the model may read: a sentence that names the thing and the way out, a code, and details as JSON."""

    def __init__(self, message: str, code: str = "tool_error", **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.details = details


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """What a model is told of a tool; `parameters` is a JSON Schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Operation:
    """What a call would change, as a person is shown it: for `mutate` the mutation and its input."""

    name: str
    input: Mapping[str, Any]


def never(_: Arguments) -> bool:
    """No call of this tool waits for a person."""
    return False


@dataclass(frozen=True, slots=True)
class Tool:
    """A named, typed thing the assistant may do for one caller, whom `run` already knows.

    `run` takes the checked arguments and returns a JSON value, or raises ToolError. `confirm` says which calls wait for
    a person; `operation` names what a writing call changes, so that one mutation among many can be told from another.
    """

    definition: ToolDefinition
    run: Callable[[Arguments], Awaitable[Any]]
    writes: bool = False
    confirm: Callable[[Arguments], bool] = never
    operation: Callable[[Arguments], Operation] | None = None

    @property
    def name(self) -> str:
        """The name a call uses."""
        return self.definition.name

    def operation_of(self, arguments: Arguments) -> Operation:
        """What a call with these arguments would change."""
        return self.operation(arguments) if self.operation else Operation(self.name, arguments)


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The tools of one caller; a closed list."""

    tools: Mapping[str, Tool] = field(default_factory=dict)

    @classmethod
    def of(cls, tools: Iterable[Tool]) -> "Toolbox":
        """A box of these tools; two of one name are a programming mistake."""
        box: dict[str, Tool] = {}
        for tool in tools:
            if tool.name in box:
                raise ValueError(f"Two tools are called {tool.name!r}.")
            box[tool.name] = tool
        return cls(box)

    @property
    def definitions(self) -> tuple[ToolDefinition, ...]:
        """What a model is told, in a fixed order, so that providers can cache it."""
        return tuple(tool.definition for tool in self.tools.values())

    def writes(self, call: ToolCall) -> bool:
        """Whether the call is one of a tool that changes something."""
        tool = self.tools.get(call.name)
        return tool is not None and tool.writes

    def operation(self, call: ToolCall) -> Operation:
        """What the call would change."""
        tool = self.tools.get(call.name)
        return tool.operation_of(call.arguments) if tool else Operation(call.name, call.arguments)

    def objection(self, call: ToolCall) -> ToolError | None:
        """Why the call cannot run as it stands: malformed JSON, an unknown tool, arguments that do not fit; or None."""
        if call.malformed is not None:
            return ToolError(call.malformed, "malformed_arguments")
        tool = self.tools.get(call.name)
        if tool is None:
            return ToolError(
                f"Unknown tool {call.name!r}. There is: {', '.join(self.tools) or 'none'}.", "unknown_tool"
            )
        if wrong := fault(call.arguments, tool.definition.parameters):
            return ToolError(f"{call.name} did not run. {wrong[:1].upper()}{wrong[1:]}", "bad_arguments")
        return None

    def waits(self, call: ToolCall) -> bool:
        """Whether the call must be confirmed by a person first."""
        tool = self.tools.get(call.name)
        return tool is not None and tool.confirm(call.arguments)

    async def run(self, call: ToolCall, *, budget: int, timeout_seconds: float) -> ToolResult:
        """Run a call and return its result, a failed one as something the model can read. Raises nothing."""
        if objection := self.objection(call):
            return failed(call, objection, budget=budget, writes=self.writes(call), ran=False)
        tool = self.tools[call.name]
        try:
            async with asyncio.timeout(timeout_seconds):
                value = await tool.run(call.arguments)
        except ToolError as error:
            return failed(call, error, budget=budget, writes=tool.writes)
        except TimeoutError:
            late = ToolError(f"{call.name} took longer than {timeout_seconds:g} seconds.", "tool_timeout")
            return failed(call, late, budget=budget, writes=tool.writes)
        except Exception:
            log.exception("The tool %s failed.", call.name)
            return failed(call, ToolError(f"{call.name} failed.", "tool_failed"), budget=budget, writes=tool.writes)
        return ToolResult(call.id, call.name, assemble(value, budget), writes=tool.writes)


def failed(call: ToolCall, error: ToolError, *, budget: int, writes: bool = False, ran: bool = True) -> ToolResult:
    """A failed result: `{"error": sentence, "code": word, ...details}`."""
    content = assemble({"error": error.message, "code": error.code, **error.details}, budget)
    return ToolResult(call.id, call.name, content, writes=writes, failed=True, ran=ran)


def cancelled(call: ToolCall, reason: str, *, writes: bool = True) -> ToolResult:
    """The result of a call a person did not let run: `{"status": "cancelled", "reason": reason}`."""
    content = assemble({"status": "cancelled", "reason": reason}, 200)
    return ToolResult(call.id, call.name, content, writes=writes, ran=False)
