"""The dialect of OpenAI's Chat Completions, which most services and local servers speak."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar
from urllib.parse import urlsplit

from dragoman.harness.errors import ProviderError
from dragoman.harness.messages import Message, Usage
from dragoman.harness.provider import Piece, Spent, Stop, StopReason, Text, Thought, ToolRequest, Writing
from dragoman.harness.results import to_json
from dragoman.harness.tools import ToolDefinition
from dragoman.providers import failures, history, schemas, sse, transport
from dragoman.providers.failures import Party
from dragoman.providers.models import Model
from dragoman.providers.service import Faults, Request, Service

_STOPS: dict[str, StopReason] = {
    "stop": "end",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "content_filter": "refusal",
}
_STATUS = {
    "authentication_error": 401,
    "invalid_request_error": 400,
    "insufficient_quota": 402,
    "rate_limit_exceeded": 429,
    "rate_limit_error": 429,
    "tokens": 429,
}
_WRITING = Writing()
_CONTEXT = "context_length_exceeded"


class OpenAIProvider(Service):
    """OpenAI, or with a `base_url` any server that speaks its dialect; those need no key."""

    name: ClassVar[str] = "openai"
    title: ClassVar[str] = "OpenAI"
    sdk: ClassVar[str] = "openai"
    extra: ClassVar[str] = "openai"
    keys: ClassVar[tuple[str, ...]] = ("OPENAI_API_KEY",)
    address: ClassVar[str] = "https://api.openai.com/v1"
    known: ClassVar[tuple[Model, ...]] = (
        Model("gpt-5.5", "GPT-5.5"),
        Model("gpt-6.2-sol", "GPT-6.2 Sol"),
        Model("gpt-5.4-mini", "GPT-5.4 mini"),
    )
    modes: ClassVar[tuple[str, ...]] = ("native", "json")
    length_key: ClassVar[str] = "max_completion_tokens"

    def needs_key(self) -> bool:
        """A server of one's own answers without a key."""
        return not self.settings.base_url

    def connect(self) -> Any:
        """The SDK's client; a server that wants no key is sent one all the same, the SDK insists."""
        import httpx2
        import openai

        return openai.AsyncOpenAI(
            api_key=self.key.value or "none",
            base_url=self.base_url,
            max_retries=0,
            timeout=self.silence_seconds,
            http_client=openai.DefaultAsyncHttpxClient(
                verify=transport.trust(), limits=httpx2.Limits(**transport.kept(self.base_url))
            ),
        )

    async def shut(self, client: Any) -> None:
        """Close the SDK's client."""
        await client.close()

    def faults(self) -> Faults:
        """The SDK's exceptions, and those of its transport, which it lets through in mid-stream."""
        import httpx2
        import openai

        return Faults(
            timeout=(openai.APITimeoutError, httpx2.TimeoutException),
            connection=(openai.APIConnectionError, httpx2.TransportError),
            status=(openai.APIStatusError,),
            garbled=(json.JSONDecodeError, UnicodeDecodeError, openai.APIError, httpx2.HTTPError, sse.Endless),
        )

    def status_error(self, error: Any) -> ProviderError:
        """The status in our words; a code says more where a service sends one."""
        return _error(self.party, error.status_code, str(error.code or ""), error.response.headers)

    def reply(self, request: Request) -> "Reply":
        """What reads the reply."""
        return Reply(self.party)

    async def stream(self, request: Request) -> AsyncGenerator[list[Any]]:
        """The JSON of the events as they come.

        The SDK's own stream builds typed objects from the same lines, which costs four times the CPU of all the rest.
        """
        events = sse.Events()
        create = self.client().chat.completions.with_streaming_response.create
        # As extra_body, for what is given by name is copied into the SDK's types first, at the cost of the whole rest.
        async with create(model=self.model, messages=[], stream=True, extra_body=self.body(request)) as response:
            async for chunk in transport.chunks(response.http_response):
                yield sse.decoded(events.feed(chunk))
            yield sse.decoded(events.end())

    async def listed(self) -> AsyncIterator[Model]:
        """The models of GET /models."""
        async for model in await self.client().models.list():
            yield Model(model.id, str(getattr(model, "name", "") or ""))

    def body(self, request: Request) -> dict[str, Any]:
        """A request."""
        body: dict[str, Any] = {
            "model": self.model,
            "messages": self.messages(request.messages),
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if request.tools:
            body["tools"] = [_tool(tool) for tool in request.tools]
        if request.form is not None:
            wanted = {"name": "step", "schema": request.form}
            body["response_format"] = {"type": "json_schema", "json_schema": wanted}
        if self.settings.max_tokens:
            body[self.length_key] = self.settings.max_tokens
        return {**body, **self.settings.options}

    def messages(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        """The conversation as this dialect has it."""
        prompt, rest = history.split(messages)
        told: list[dict[str, Any]] = [{"role": "system", "content": prompt}] if prompt else []
        last_question = max((i for i, message in enumerate(rest) if message.role == "user"), default=-1)
        for i, message in enumerate(rest):
            told += self._message(message, recent=i > last_question)
        return told

    def carry(self, message: Message, recent: bool) -> dict[str, Any]:
        """What goes back beside an assistant message's text; `recent` for those of the turn that still runs."""
        return {}

    def _message(self, message: Message, recent: bool) -> list[dict[str, Any]]:
        if message.result is not None:
            return [{"role": "tool", "tool_call_id": message.result.call_id, "content": message.result.content}]
        if message.role != "assistant":
            # Templates of many local models know a system message only at the beginning.
            role = "system" if message.role == "system" and self._is_at_home() else "user"
            return [{"role": role, "content": message.text}]
        if not message.text and not message.calls:
            return []
        # Some servers fail on content that is null.
        said: dict[str, Any] = {"role": "assistant", "content": message.text}
        if message.calls:
            said["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": history.tool_name(call.name), "arguments": to_json(call.arguments)},
                }
                for call in message.calls
            ]
        return [said | self.carry(message, recent)]

    def _is_at_home(self) -> bool:
        return urlsplit(self.base_url).hostname == urlsplit(self.address).hostname


class Reply:
    """Reads the chunks of one reply."""

    def __init__(self, who: Party) -> None:
        self.who = who
        self._calls: list[_Call] = []
        self._stop = ""
        self._refused = False

    def feed(self, event: Mapping[str, Any]) -> Iterable[Piece]:
        """The pieces of a chunk."""
        if event.get("error"):
            raise _named(self.who, event["error"])
        pieces: list[Piece] = []
        for choice in event.get("choices") or ():
            delta = choice.get("delta") or {}
            if content := delta.get("content"):
                pieces.append(Text(content))
            if len(delta) > 1 or "content" not in delta:
                pieces += self._more(delta)
            if reason := choice.get("finish_reason"):
                if reason == "error":
                    raise failures.of_status(self.who, 502, word="finish_reason error")
                self._stop = reason
        if event.get("usage"):
            pieces.append(Spent(_usage(event["usage"])))
        return pieces

    def end(self) -> Iterable[Piece]:
        """The calls, whole now, and why the reply stopped."""
        if not self._stop:
            raise failures.cut(self.who)
        for call in self._calls:
            yield ToolRequest(call.name, call.arguments)
        reason: StopReason = "refusal" if self._refused else _STOPS.get(self._stop, "unknown")
        yield Stop("tool_calls" if self._calls and reason in ("end", "unknown") else reason)

    def thought(self, delta: Mapping[str, Any]) -> Iterable[Piece]:
        """What the model thinks, by the name local servers and DeepSeek have for it, or OpenRouter's."""
        if text := delta.get("reasoning_content") or delta.get("reasoning"):
            yield Thought(text)

    def _more(self, delta: Mapping[str, Any]) -> Iterable[Piece]:
        """What a delta holds beside text, which most hold alone."""
        yield from self.thought(delta)
        if refusal := delta.get("refusal"):
            self._refused = True
            yield Text(refusal)
        for part in delta.get("tool_calls") or ():
            self._fragment(part)
            yield _WRITING

    def _fragment(self, part: Mapping[str, Any]) -> None:
        function = part.get("function") or {}
        name, arguments = function.get("name") or "", function.get("arguments")
        call = self._call_of(part.get("index"), part.get("id") or "", name)
        call.name = call.name or name
        if isinstance(arguments, str):
            call.text.append(arguments)
        elif arguments is not None:  # some servers send the object itself
            call.text.append(json.dumps(arguments))

    def _call_of(self, index: int | None, identity: str, name: str) -> "_Call":
        """The call a fragment belongs to. Some servers leave out the index, some give all calls the same."""
        for call in reversed(self._calls):
            same_place = call.index == index if index is not None else call is self._calls[-1]
            if same_place and not (name and identity and identity != call.identity):
                return call
        self._calls.append(_Call(index, identity))
        return self._calls[-1]


class _Call:
    """A call while its fragments come."""

    def __init__(self, index: int | None, identity: str) -> None:
        self.index, self.identity = index, identity
        self.name = ""
        self.text: list[str] = []

    @property
    def arguments(self) -> str:
        return "".join(self.text)


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    told = {"name": tool.name, "description": tool.description, "parameters": schemas.openai(tool.parameters)}
    return {"type": "function", "function": told}


def _usage(usage: Mapping[str, Any]) -> Usage:
    details = usage.get("prompt_tokens_details") or {}
    cached = details.get("cached_tokens") or usage.get("prompt_cache_hit_tokens") or 0
    return Usage(usage.get("prompt_tokens") or 0, usage.get("completion_tokens") or 0, cached)


def _named(who: Party, error: Any) -> ProviderError:
    """An error told inside a stream: an object with a code, a type or both, or only a text."""
    if not isinstance(error, Mapping):
        return failures.of_status(who, 500)
    words = [str(error.get(key) or "") for key in ("code", "type")]
    status = 500
    with suppress(StopIteration):
        status = next(
            int(word) if word.isdigit() else _STATUS[word] for word in words if word.isdigit() or word in _STATUS
        )
    return _error(who, status, words[0] or words[1])


def _error(who: Party, status: int, word: str, headers: Mapping[str, str] | None = None) -> ProviderError:
    if word == _CONTEXT:
        return failures.context_exceeded(who)
    if word == "insufficient_quota":  # comes with 429, and waiting does not help
        status = 402
    return failures.of_status(who, status if status >= 400 else 500, headers, word)
