"""OpenTelemetry spans of turns, calls to a model and tools, by the names of its conventions for generative AI.

Only the API is needed; without it, or without an SDK that a project sets up, nothing is measured. What people and models
say is left out unless `telemetry_content` asks for it.
"""

import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import aclosing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from inspect import isawaitable
from typing import Any

from dragoman.django.redact import Redactor, scrub
from dragoman.harness.assistant import Assistant
from dragoman.harness.caller import Caller
from dragoman.harness.errors import ChatError
from dragoman.harness.events import ConfirmationNeeded, Done, Envelope, Failed
from dragoman.harness.grounding import Grounding
from dragoman.harness.messages import Message
from dragoman.harness.patience import close
from dragoman.harness.provider import Piece, Provider, Spent, Stop, Text, ToolRequest, model_of, name_of
from dragoman.harness.tools import Arguments, Tool, Toolbox, ToolDefinition, ToolError

try:
    from opentelemetry import trace
    from opentelemetry.trace import Span, SpanKind, Status, StatusCode
except ImportError:
    available = False
else:
    available = True

# The span of the turn that this task conducts. It is not made OpenTelemetry's current one: a generator is left and
# entered in its listener's context, where the current span is the listener's own affair.
_turn: "ContextVar[Span | None]" = ContextVar("dragoman_turn", default=None)


@dataclass(frozen=True, slots=True)
class Tracing:
    """What spans are named after, and whether they hold what was said."""

    alias: str
    redactor: Redactor
    content: bool = False

    def assistant(self, made: Assistant) -> Assistant:
        """The same assistant with a span for each turn, call to its model and tool; itself where there is no API."""
        if not available:
            return made
        grounding = TracedGrounding(made.grounding, self)
        return replace(made, provider=self.provider(made.provider), grounding=grounding, tracer=self)

    def provider(self, inner: Provider) -> Provider:
        """The same provider, its replies being spans `chat`."""
        return TracedProvider(inner, self)

    async def turn(self, envelopes: AsyncGenerator[Envelope]) -> AsyncGenerator[Envelope]:
        """The same envelopes inside a span `invoke_agent`."""
        attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": self.alias}
        with _span(f"invoke_agent {self.alias}", attributes, None, SpanKind.INTERNAL) as span:
            _turn.set(span)
            async with aclosing(envelopes):
                async for envelope in envelopes:
                    _note_turn(span, envelope)
                    yield envelope


@dataclass(frozen=True, slots=True)
class TracedProvider:
    """A provider whose replies are spans `chat`."""

    inner: Provider
    tracing: Tracing

    @property
    def name(self) -> str:
        """The inner one's."""
        return name_of(self.inner)

    @property
    def model(self) -> str:
        """The inner one's."""
        return model_of(self.inner)

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolDefinition]) -> AsyncIterator[Piece]:
        """As the inner one's; how long the first piece took and what was used are noted."""
        attributes: dict[str, Any] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": self.name,
            "gen_ai.request.model": self.model,
            "gen_ai.request.stream": True,
        }
        if self.tracing.content:
            attributes["gen_ai.input.messages"] = _messages(messages)
        reply = _Reply(time.monotonic())
        with _span(f"chat {self.model}".strip(), attributes, _turn.get(), SpanKind.CLIENT) as span:
            stream = self.inner.complete(messages, tools)
            try:
                if isawaitable(stream):
                    stream = await stream
                async for piece in stream:
                    reply.note(piece)
                    yield piece
            finally:
                span.set_attributes(reply.attributes(self.tracing))
                await close(stream)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


@dataclass(frozen=True, slots=True)
class TracedGrounding:
    """A grounding whose tools are spans `execute_tool`."""

    inner: Grounding
    tracing: Tracing

    async def prompt(self, caller: Caller) -> str:
        """The inner one's."""
        return await self.inner.prompt(caller)

    async def tools(self, caller: Caller) -> Toolbox:
        """The inner one's, each with a span around it."""
        return Toolbox.of(self._traced(tool) for tool in (await self.inner.tools(caller)).tools.values())

    def _traced(self, tool: Tool) -> Tool:
        async def run(arguments: Arguments) -> Any:
            attributes = {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": tool.name,
                "gen_ai.tool.type": "function",
            }
            if self.tracing.content:
                self.tracing.redactor.remember(arguments)
                attributes["gen_ai.tool.call.arguments"] = _json(self.tracing.redactor.value(arguments))
            with _span(f"execute_tool {tool.name}", attributes, _turn.get(), SpanKind.INTERNAL) as span:
                # Here what the tool does - queries, requests - may well be told as its own.
                with trace.use_span(span, record_exception=False, set_status_on_exception=False):
                    result = await tool.run(arguments)
                if self.tracing.content:
                    span.set_attribute("gen_ai.tool.call.result", _json(self.tracing.redactor.value(result)))
                return result

        return replace(tool, run=run)


# ----------------------------------------------------------------------------------------------------------------------


class _Reply:
    """What a reply of a model came to."""

    def __init__(self, began: float) -> None:
        self._began = began
        self._first: float | None = None
        self._texts: list[str] = []
        self._calls: list[str] = []
        self._found: dict[str, Any] = {}

    def note(self, piece: Piece) -> None:
        if self._first is None:
            self._first = time.monotonic() - self._began
        match piece:
            case Text(content):
                self._texts.append(content)
            case ToolRequest(name):
                self._calls.append(name)
            case Stop(reason):
                self._found["gen_ai.response.finish_reasons"] = [reason]
            case Spent(usage):
                self._found["gen_ai.usage.input_tokens"] = usage.input_tokens
                self._found["gen_ai.usage.output_tokens"] = usage.output_tokens
                self._found["gen_ai.usage.cache_read.input_tokens"] = usage.cached_tokens

    def attributes(self, tracing: Tracing) -> dict[str, Any]:
        found = dict(self._found)
        if self._first is not None:
            found["gen_ai.response.time_to_first_chunk"] = self._first
        if tracing.content:
            found["gen_ai.output.messages"] = _json(
                [{"role": "assistant", "text": scrub("".join(self._texts)), "calls": self._calls}]
            )
        return found


@contextmanager
def _span(name: str, attributes: dict[str, Any], parent: "Span | None", kind: "SpanKind") -> "Iterator[Span]":
    """A span that ends with its block. Of an error its kind is noted and never its words, which may be anybody's."""
    context = trace.set_span_in_context(parent) if parent is not None else None
    span = trace.get_tracer("dragoman").start_span(name, context, kind, attributes)
    try:
        yield span
    except Exception as error:
        code = error.code if isinstance(error, ChatError | ToolError) else type(error).__name__
        span.set_attribute("error.type", code)
        span.set_status(Status(StatusCode.ERROR))
        raise
    finally:
        span.end()


def _note_turn(span: "Span", envelope: Envelope) -> None:
    match envelope.event:
        case Failed(code):
            span.set_attribute("error.type", code)
            span.set_status(Status(StatusCode.ERROR))
        case Done(finish_reason, _, provider, model, usage):
            span.set_attributes(
                {
                    "gen_ai.conversation.id": envelope.conversation_id,
                    "gen_ai.response.finish_reasons": [finish_reason],
                    "gen_ai.provider.name": provider,
                    "gen_ai.response.model": model,
                    "gen_ai.usage.input_tokens": usage.input_tokens,
                    "gen_ai.usage.output_tokens": usage.output_tokens,
                }
            )
        case ConfirmationNeeded():
            span.set_attribute("gen_ai.conversation.id", envelope.conversation_id)


def _messages(messages: Sequence[Message]) -> str:
    return _json([{"role": message.role, "text": scrub(message.text)} for message in messages if message.text])


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
