"""The dialect of Ollama, whose models run on a machine of one's own."""

import os
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Sequence
from contextlib import aclosing
from functools import cache
from typing import Any, ClassVar

from dragoman.harness.errors import ProviderError
from dragoman.harness.messages import Message, Usage
from dragoman.harness.provider import Piece, Spent, Stop, StopReason, Text, Thought, ToolRequest
from dragoman.harness.tools import ToolDefinition
from dragoman.providers import failures, history, schemas, transport
from dragoman.providers.failures import Party
from dragoman.providers.models import Model
from dragoman.providers.service import Faults, Request, Service

_STOPS: dict[str, StopReason] = {"stop": "end", "length": "length"}
# These stand beside the model in a request, everything else in `options` is the model's own.
_BESIDE = ("think", "keep_alive")


class OllamaProvider(Service):
    """An Ollama server; without a `model` the one it has used last."""

    name: ClassVar[str] = "ollama"
    title: ClassVar[str] = "Ollama"
    sdk: ClassVar[str] = "ollama"
    extra: ClassVar[str] = "ollama"
    keys: ClassVar[tuple[str, ...]] = ("OLLAMA_API_KEY",)
    address: ClassVar[str] = "http://localhost:11434"
    known: ClassVar[tuple[Model, ...]] = (Model("llama3.2"), Model("qwen3"), Model("mistral-nemo"))
    modes: ClassVar[tuple[str, ...]] = ("native", "json")

    _has_looked = False

    def needs_key(self) -> bool:
        """Never on one's own machine."""
        return False

    @property
    def base_url(self) -> str:
        """The configured address, or the one Ollama's own variable names."""
        return self.settings.base_url or os.environ.get("OLLAMA_HOST", "") or self.address

    async def prepare(self) -> None:
        """Take a model that is there, once, where none is configured."""
        if self._has_looked or self.settings.model:
            return
        self._has_looked = True
        there = await self.models()
        ids = [one.id for one in there.models]
        if there.source == "live" and ids and not {self.model, f"{self.model}:latest"} & set(ids):
            self.model = ids[0]

    def connect(self) -> Any:
        """The SDK's client."""
        import httpx
        import ollama

        return ollama.AsyncClient(
            host=self.base_url,
            timeout=self.silence_seconds,
            headers={"authorization": f"Bearer {self.key.value}"} if self.key.value else None,
            verify=_trust(),
            limits=httpx.Limits(**transport.kept(self.base_url)),
        )

    async def shut(self, client: Any) -> None:
        """Close the SDK's client."""
        await client.close()

    def faults(self) -> Faults:
        """The SDK's exceptions, and those of its transport, which it lets through. It checks with pydantic, whose
        errors are ValueErrors."""
        import httpx
        import ollama

        return Faults(
            timeout=(httpx.TimeoutException,),
            connection=(ConnectionError, httpx.TransportError),
            status=(ollama.ResponseError,),
            garbled=(httpx.HTTPError, ValueError),
        )

    def status_error(self, error: Any) -> ProviderError:
        """The status in our words; -1 is an error told in mid-stream."""
        return failures.of_status(self.party, error.status_code if error.status_code >= 400 else 500)

    def reply(self, request: Request) -> "Reply":
        """What reads the reply."""
        return Reply(self.party)

    async def stream(self, request: Request) -> AsyncGenerator[list[Any]]:
        """The SDK's lines as they come."""
        lines = await self.client().chat(**self.body(request))
        async with aclosing(lines):
            async for line in lines:
                yield [line]

    async def listed(self) -> AsyncIterator[Model]:
        """The models on that machine."""
        for model in (await self.client().list()).models:
            if model.model:
                yield Model(model.model)

    def body(self, request: Request) -> dict[str, Any]:
        """The arguments of a request."""
        options = dict(self.settings.options)
        beside = {key: options.pop(key) for key in _BESIDE if key in options}
        if self.settings.max_tokens:
            options["num_predict"] = self.settings.max_tokens
        return {
            "model": self.model,
            "messages": _messages(request.messages),
            "tools": [_tool(tool) for tool in request.tools] or None,
            "stream": True,
            "format": request.form,
            "options": options or None,
            **beside,
        }


class Reply:
    """Reads the lines of one reply."""

    def __init__(self, who: Party) -> None:
        self.who = who
        self._stop = ""
        self._called = False

    def feed(self, event: Any) -> Iterable[Piece]:
        """The pieces of a line."""
        said = event.message
        if said.thinking:
            yield Thought(said.thinking)
        if said.content:
            yield Text(said.content)
        for call in said.tool_calls or ():
            self._called = True
            yield ToolRequest(call.function.name, dict(call.function.arguments))
        if event.done:
            self._stop = event.done_reason or "stop"
            yield Spent(Usage(event.prompt_eval_count or 0, event.eval_count or 0))

    def end(self) -> Iterable[Piece]:
        """Why the reply stopped."""
        if not self._stop:
            raise failures.cut(self.who)
        reason = _STOPS.get(self._stop, "unknown")
        yield Stop("tool_calls" if self._called and reason != "length" else reason)


@cache
def _trust() -> ssl.SSLContext:
    """As `transport.trust`, for the older library this SDK stands on."""
    import httpx

    return httpx.create_ssl_context()


def _messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The conversation. There are no ids of calls here: results follow in the order of the calls, with their names."""
    prompt, rest = history.split(messages)
    told: list[dict[str, Any]] = [{"role": "system", "content": prompt}] if prompt else []
    for message in rest:
        if message.result is not None:
            name = history.tool_name(message.result.name)
            told.append({"role": "tool", "tool_name": name, "content": message.result.content})
        elif message.role != "assistant":
            told.append({"role": "user", "content": message.text})
        elif message.text or message.calls:
            calls = [
                {"function": {"name": history.tool_name(call.name), "arguments": dict(call.arguments)}}
                for call in message.calls
            ]
            told.append({"role": "assistant", "content": message.text, "tool_calls": calls})
    return told


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    told = {"name": tool.name, "description": tool.description, "parameters": schemas.ollama(tool.parameters)}
    return {"type": "function", "function": told}
