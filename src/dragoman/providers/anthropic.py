"""The dialect of Anthropic's Messages."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from dragoman.harness.errors import ProviderError
from dragoman.harness.messages import Message, Usage
from dragoman.harness.provider import Carry, Piece, Spent, Stop, StopReason, Text, Thought, ToolRequest, Writing
from dragoman.harness.tools import ToolDefinition
from dragoman.providers import failures, history, schemas, sse, transport
from dragoman.providers.failures import Party
from dragoman.providers.models import Model
from dragoman.providers.service import Faults, Request, Service

_MAX_TOKENS = 8192  # the dialect has no default, and the oldest models served allow no more
_WRITING = Writing()
_CACHED = {"cache_control": {"type": "ephemeral"}}
_STOPS: dict[str, StopReason] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}
_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}


class AnthropicProvider(Service):
    """Anthropic's own service, or with a `base_url` a gateway to it."""

    name: ClassVar[str] = "anthropic"
    title: ClassVar[str] = "Anthropic"
    sdk: ClassVar[str] = "anthropic"
    extra: ClassVar[str] = "anthropic"
    keys: ClassVar[tuple[str, ...]] = ("ANTHROPIC_API_KEY",)
    address: ClassVar[str] = "https://api.anthropic.com"
    known: ClassVar[tuple[Model, ...]] = (
        Model("claude-sonnet-5", "Claude Sonnet 5"),
        Model("claude-opus-5", "Claude Opus 5"),
        Model("claude-haiku-4-5", "Claude Haiku 4.5"),
    )

    def connect(self) -> Any:
        """The SDK's client."""
        import anthropic
        import httpx2

        return anthropic.AsyncAnthropic(
            api_key=self.key.value,
            base_url=self.base_url,
            max_retries=0,
            timeout=self.silence_seconds,
            http_client=anthropic.DefaultAsyncHttpxClient(
                verify=transport.trust(), limits=httpx2.Limits(**transport.kept(self.base_url))
            ),
        )

    async def shut(self, client: Any) -> None:
        """Close the SDK's client."""
        await client.close()

    def faults(self) -> Faults:
        """The SDK's exceptions, and those of its transport, which it lets through in mid-stream."""
        import anthropic
        import httpx2

        return Faults(
            timeout=(anthropic.APITimeoutError, httpx2.TimeoutException),
            connection=(anthropic.APIConnectionError, httpx2.TransportError),
            status=(anthropic.APIStatusError,),
            garbled=(json.JSONDecodeError, UnicodeDecodeError, anthropic.APIError, httpx2.HTTPError, sse.Endless),
        )

    def reply(self, request: Request) -> "Reply":
        """What reads the reply."""
        return Reply(self.party)

    async def stream(self, request: Request) -> AsyncGenerator[list[Any]]:
        """The JSON of the events as they come; each says its type itself, whatever its `event:` line says."""
        events = sse.Events()
        create = self.client().messages.with_streaming_response.create
        body = self.body(request)
        # As extra_body, for what is given by name is copied into the SDK's types first, at the cost of the whole rest.
        async with create(
            model=self.model, max_tokens=body["max_tokens"], messages=[], stream=True, extra_body=body
        ) as response:
            async for chunk in transport.chunks(response.http_response):
                yield sse.decoded(events.feed(chunk))
            yield sse.decoded(events.end())

    async def listed(self) -> AsyncIterator[Model]:
        """The models of GET /v1/models, with the names it gives them."""
        async for model in self.client().models.list(limit=100):
            yield Model(model.id, model.display_name)

    def body(self, request: Request) -> dict[str, Any]:
        """A request. What stays the same between rounds is marked for the cache."""
        prompt, rest = history.split(request.messages)
        body: dict[str, Any] = {
            "model": self.model,
            "max_tokens": self.settings.max_tokens or _MAX_TOKENS,
            "messages": _messages(rest, self.name, self.model),
            "stream": True,
        }
        if prompt:
            body["system"] = [{"type": "text", "text": prompt, **_CACHED}]
        if request.tools:
            tools = [_tool(tool) for tool in request.tools]
            body["tools"] = [*tools[:-1], tools[-1] | _CACHED]
        elif names := history.called(rest):
            # A history with calls is refused where no tools are declared.
            body["tools"] = [{"name": name, "input_schema": {"type": "object"}} for name in names]
            body["tool_choice"] = {"type": "none"}
        return {**body, **self.settings.options}


class Reply:
    """Reads the events of one reply; those it does not know are left out, as the service asks."""

    def __init__(self, who: Party) -> None:
        self.who = who
        self._blocks: dict[int, dict[str, Any]] = {}
        self._stop = ""
        self._input = self._cached = self._output = 0
        self._said = self._counted = 0

    def feed(self, event: Mapping[str, Any]) -> Iterable[Piece]:
        """The pieces of an event."""
        match event.get("type"):
            case "content_block_delta":
                return self._delta(event.get("index", 0), event.get("delta") or {})
            case "content_block_start":
                return self._begin(event.get("index", 0), event.get("content_block") or {})
            case "content_block_stop":
                return _whole(self._blocks.pop(event.get("index", 0), {}))
            case "message_start":
                return self._count((event.get("message") or {}).get("usage") or {})
            case "message_delta":
                self._stop = (event.get("delta") or {}).get("stop_reason") or self._stop
                return self._count(event.get("usage") or {})
            case "error":
                raise _named(self.who, event.get("error") or {})
        return ()

    def end(self) -> Iterable[Piece]:
        """Why the reply stopped, after any block that nobody closed."""
        if not self._stop:
            raise failures.cut(self.who)
        for block in self._blocks.values():
            yield from _whole(block)
        yield Stop(_STOPS.get(self._stop, "unknown"))

    def _begin(self, index: int, block: Mapping[str, Any]) -> Iterable[Piece]:
        self._blocks[index] = {**block, "json": []}
        if text := block.get("text"):
            yield Text(text)
        if thought := block.get("thinking"):
            yield Thought(thought)

    def _delta(self, index: int, delta: Mapping[str, Any]) -> Iterable[Piece]:
        match delta.get("type"):
            case "text_delta":
                return (Text(delta.get("text", "")), *self._meter(delta.get("text", "")))
            case "thinking_delta":
                block = self._blocks.setdefault(index, {"type": "thinking"})
                block["thinking"] = block.get("thinking", "") + delta.get("thinking", "")
                return (Thought(delta.get("thinking", "")), *self._meter(delta.get("thinking", "")))
            case "signature_delta":
                block = self._blocks.setdefault(index, {"type": "thinking"})
                block["signature"] = block.get("signature", "") + delta.get("signature", "")
            case "input_json_delta" if index in self._blocks:
                self._blocks[index].setdefault("json", []).append(delta.get("partial_json", ""))
                return (_WRITING,)
        return ()

    def _count(self, usage: Mapping[str, Any]) -> Iterable[Piece]:
        """What was spent so far; the parts from and into the cache are not in `input_tokens` here."""
        if usage.get("input_tokens") is not None:
            self._cached = usage.get("cache_read_input_tokens") or 0
            created = usage.get("cache_creation_input_tokens") or 0
            self._input = usage["input_tokens"] + created + self._cached
        self._output = usage.get("output_tokens") or self._output
        yield Spent(Usage(self._input, self._output, self._cached))

    def _meter(self, text: str) -> Iterable[Piece]:
        """Now and then what the words so far must have cost: the true count comes last, and not if this breaks off."""
        self._said += len(text)
        if self._said - self._counted >= 400:
            self._counted = self._said
            yield Spent(Usage(self._input, max(self._output, self._said // 4), self._cached, estimated=True))


def _whole(block: Mapping[str, Any]) -> Iterable[Piece]:
    """What a block amounts to at its end."""
    match block.get("type"):
        case "tool_use":
            text = "".join(block.get("json", ()))
            yield ToolRequest(block.get("name", ""), text if text.strip() else (block.get("input") or {}))
        case "thinking" if block.get("signature"):
            kept = {key: block.get(key, "") for key in ("type", "thinking", "signature")}
            yield Carry({"block": kept})
        case "redacted_thinking":
            yield Carry({"block": {"type": "redacted_thinking", "data": block.get("data", "")}})


def _messages(messages: Sequence[Message], provider: str, model: str) -> list[dict[str, Any]]:
    """The conversation in turns that begin with the person's; the last of it is marked for the cache."""
    told: list[dict[str, Any]] = []
    for by_model, group in history.sides(messages):
        blocks = [block for message in group for block in _blocks(message, provider, model)]
        if not blocks:
            continue
        role = "assistant" if by_model else "user"
        if told and told[-1]["role"] == role:
            told[-1]["content"] += blocks
        else:
            told.append({"role": role, "content": blocks})
    if told and told[0]["role"] == "assistant":
        told.insert(0, {"role": "user", "content": [{"type": "text", "text": "(The conversation goes on.)"}]})
    if told and told[-1]["role"] == "user":
        told[-1]["content"][-1] |= _CACHED
    return told


def _blocks(message: Message, provider: str, model: str) -> list[dict[str, Any]]:
    if message.result is not None:
        block = {
            "type": "tool_result",
            "tool_use_id": message.result.call_id,
            "content": message.result.content,
        }
        return [block | {"is_error": True} if message.result.failed else block]
    text = [{"type": "text", "text": message.text}] if message.text.strip() else []
    if message.role != "assistant":
        return text
    thoughts = [dict(one["block"]) for one in history.carried(message, provider, model) if "block" in one]
    calls = [
        {"type": "tool_use", "id": call.id, "name": history.tool_name(call.name), "input": dict(call.arguments)}
        for call in message.calls
    ]
    # Thoughts alone are no message.
    return [*thoughts, *text, *calls] if text or calls else []


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": schemas.anthropic(tool.parameters),
    }


def _named(who: Party, error: Mapping[str, Any]) -> ProviderError:
    word = str(error.get("type") or "")
    return failures.of_status(who, _STATUS.get(word, 500), word=word)
