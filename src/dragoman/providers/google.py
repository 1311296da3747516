"""The dialect of Google's Gemini."""

import json
from base64 import b64decode, b64encode
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from contextlib import aclosing
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, ClassVar

from dragoman.harness.errors import ProviderError
from dragoman.harness.messages import Message, Usage
from dragoman.harness.provider import Carry, Piece, Spent, Stop, StopReason, Text, Thought, ToolRequest
from dragoman.harness.tools import ToolDefinition
from dragoman.providers import failures, history, schemas, transport
from dragoman.providers.failures import Party
from dragoman.providers.models import Model
from dragoman.providers.service import Faults, Request, Service

_STOPS: dict[str, StopReason] = {
    "STOP": "end",
    "MAX_TOKENS": "length",
    **dict.fromkeys(
        (
            "SAFETY",
            "RECITATION",
            "LANGUAGE",
            "BLOCKLIST",
            "PROHIBITED_CONTENT",
            "SPII",
            "IMAGE_SAFETY",
            "IMAGE_PROHIBITED_CONTENT",
            "MODEL_ARMOR",
        ),
        "refusal",
    ),
}
# The model wrote a call that the service could not read, and says it in words.
_MALFORMED = ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL")

_held: ContextVar[list[Any]] = ContextVar("dragoman_google_responses")


async def _hold(response: Any) -> None:
    """Note a response for whoever made the request."""
    if (held := _held.get(None)) is not None:
        held.append(response)


@dataclass(frozen=True, slots=True)
class _Line:
    """The SDK's client and what it speaks through."""

    sdk: Any
    http: Any


class GoogleProvider(Service):
    """Google's Gemini API."""

    name: ClassVar[str] = "google"
    title: ClassVar[str] = "Google"
    sdk: ClassVar[str] = "google.genai"
    extra: ClassVar[str] = "google"
    keys: ClassVar[tuple[str, ...]] = ("GOOGLE_API_KEY", "GEMINI_API_KEY")
    address: ClassVar[str] = "https://generativelanguage.googleapis.com"
    known: ClassVar[tuple[Model, ...]] = (
        Model("gemini-3-pro", "Gemini 3 Pro"),
        Model("gemini-3-flash", "Gemini 3 Flash"),
        Model("gemini-2.5-flash", "Gemini 2.5 Flash"),
    )

    def connect(self) -> "_Line":
        """The SDK's client, on a transport of ours: left alone it takes aiohttp where that is installed, whose timeout
        is for the whole answer and whose errors are others."""
        import httpx2
        from google import genai
        from google.genai import types

        http = httpx2.AsyncClient(
            verify=transport.trust(),
            limits=httpx2.Limits(**transport.kept(self.base_url)),
            timeout=self.silence_seconds,
            follow_redirects=True,
            event_hooks={"response": [_hold]},
        )
        options = types.HttpOptions(
            base_url=self.base_url,
            api_version="v1beta",  # the SDK's own default, v1, knows fewer features
            httpx_async_client=http,
            # Two that are never used: without them the SDK makes its own, and reads all certificates for each.
            httpx_client=httpx2.Client(verify=transport.trust()),
            async_client_args={"ssl": transport.trust()},
            retry_options=types.HttpRetryOptions(attempts=1),
        )
        return _Line(genai.Client(api_key=self.key.value, vertexai=False, http_options=options), http)

    async def shut(self, client: "_Line") -> None:
        """Close the transport: the SDK leaves one that was given to it to the giver."""
        await client.http.aclose()

    def faults(self) -> Faults:
        """The SDK's exceptions, and those of its transport, which it lets through."""
        import httpx2
        from google.genai import errors

        return Faults(
            timeout=(httpx2.TimeoutException,),
            connection=(httpx2.TransportError,),
            status=(errors.APIError,),
            garbled=(json.JSONDecodeError, UnicodeDecodeError, errors.UnknownApiResponseError, httpx2.HTTPError),
        )

    def status_error(self, error: Any) -> ProviderError:
        """The status in our words; a wait is in the details of the error, a key that is wrong has status 400."""
        status = error.code if isinstance(error.code, int) and error.code >= 400 else 500
        details = _details(error.details)
        if any(one.get("reason") == "API_KEY_INVALID" for one in details):
            status = 401
        headers = dict(getattr(error.response, "headers", None) or {})
        for one in details:
            if delay := str(one.get("retryDelay", "")).removesuffix("s"):
                headers = {"retry-after": delay}
        return failures.of_status(self.party, status, headers, str(error.status or ""))

    def reply(self, request: Request) -> "Reply":
        """What reads the reply."""
        return Reply(self.party, request.tools)

    async def stream(self, request: Request) -> AsyncGenerator[list[Any]]:
        """The SDK's chunks as they come.

        Its stream is a generator of generators, and closing the outer one leaves the connection to the inner ones, which
        nobody closes: so the response is closed here.
        """
        held: list[Any] = []
        _held.set(held)
        try:
            chunks = await self.client().sdk.aio.models.generate_content_stream(**self.body(request))
            async with aclosing(chunks):
                async for chunk in chunks:
                    yield [chunk]
        finally:
            for response in held:
                await response.aclose()

    async def listed(self) -> AsyncIterator[Model]:
        """The models that can answer a chat, with the names the service gives them."""
        async for model in await self.client().sdk.aio.models.list():
            if "generateContent" in (model.supported_actions or ("generateContent",)):
                yield Model(str(model.name).removeprefix("models/"), model.display_name or "")

    def body(self, request: Request) -> dict[str, Any]:
        """The arguments of a request."""
        prompt, rest = history.split(request.messages)
        config: dict[str, Any] = {"automatic_function_calling": {"disable": True}, **self.settings.options}
        if prompt:
            config["system_instruction"] = prompt
        if request.tools:
            config["tools"] = [{"function_declarations": [_declared(tool) for tool in request.tools]}]
        if self.settings.max_tokens:
            config["max_output_tokens"] = self.settings.max_tokens
        return {"model": self.model, "contents": _contents(rest, self.name, self.model), "config": config}


class Reply:
    """Reads the chunks of one reply."""

    def __init__(self, who: Party, tools: Sequence[ToolDefinition]) -> None:
        self.who = who
        self._parameters = {tool.name: tool.parameters for tool in tools}
        self._stop = ""
        self._calls = 0
        self._spent = Usage()

    def feed(self, event: Any) -> Iterable[Piece]:
        """The pieces of a chunk."""
        if (usage := _usage(event.usage_metadata)) and usage != self._spent:
            self._spent = usage
            yield Spent(usage)
        feedback = event.prompt_feedback
        if feedback is not None and feedback.block_reason:
            self._stop = "SAFETY"
        for candidate in event.candidates or ():
            for part in (candidate.content.parts if candidate.content else None) or ():
                yield from self._part(part)
            if candidate.finish_reason:
                self._stop = _word(candidate.finish_reason)
                if self._stop in _MALFORMED:
                    yield self._malformed(candidate.finish_message or "")

    def end(self) -> Iterable[Piece]:
        """Why the reply stopped."""
        if not self._stop:
            raise failures.cut(self.who)
        reason = _STOPS.get(self._stop, "unknown")
        yield Stop("tool_calls" if self._calls and reason in ("end", "unknown") else reason)

    def _part(self, part: Any) -> Iterable[Piece]:
        if part.text:
            yield Thought(part.text) if part.thought else Text(part.text)
        if call := part.function_call:
            name = call.name or ""
            arguments = schemas.unpacked(call.args or {}, self._parameters.get(name))
            yield ToolRequest(name, arguments)
        if part.thought_signature:
            place = self._calls if part.function_call else None
            yield Carry({"call": place, "signature": b64encode(part.thought_signature).decode()})
        self._calls += part.function_call is not None

    def _malformed(self, message: str) -> ToolRequest:
        """The call as the service tells of it, for the model to read what was wrong; it is no JSON."""
        self._calls += 1
        name = next((name for name in self._parameters if name in message), next(iter(self._parameters), "unknown"))
        return ToolRequest(name, message or "unreadable")


def _contents(messages: Sequence[Message], provider: str, model: str) -> list[dict[str, Any]]:
    """The conversation in turns that begin with the person's."""
    told: list[dict[str, Any]] = []
    for by_model, group in history.sides(messages):
        parts = [part for message in group for part in _parts(message, provider, model)]
        role = "model" if by_model else "user"
        if parts and told and told[-1]["role"] == role:
            told[-1]["parts"] += parts
        elif parts:
            told.append({"role": role, "parts": parts})
    if told and told[0]["role"] == "model":
        told.insert(0, {"role": "user", "parts": [{"text": "(The conversation goes on.)"}]})
    return told


def _parts(message: Message, provider: str, model: str) -> list[dict[str, Any]]:
    if message.result is not None:
        answer = {"id": message.result.call_id, "name": history.tool_name(message.result.name)}
        return [{"function_response": answer | {"response": _response(message.result.content)}}]
    parts: list[dict[str, Any]] = [{"text": message.text}] if message.text.strip() else []
    signatures = {
        one["call"]: b64decode(one["signature"])
        for one in history.carried(message, provider, model)
        if "signature" in one
    }
    if parts and signatures.get(None) and not message.calls:
        parts[0]["thought_signature"] = signatures[None]
    for i, call in enumerate(message.calls):
        part: dict[str, Any] = {
            "function_call": {"id": call.id, "name": history.tool_name(call.name), "args": dict(call.arguments)}
        }
        if i in signatures:
            part["thought_signature"] = signatures[i]
        parts.append(part)
    return parts


def _response(content: str) -> dict[str, Any]:
    """A result as an object; as text where the service would take a key in it for a reference."""
    value = json.loads(content)
    return value if isinstance(value, dict) and '"$ref"' not in content else {"result": content}


def _declared(tool: ToolDefinition) -> dict[str, Any]:
    declared: dict[str, Any] = {"name": tool.name, "description": tool.description}
    parameters = schemas.gemini(tool.parameters)
    # An object without properties is refused; a tool without parameters has none to declare.
    return declared | {"parameters": parameters} if parameters.get("properties") else declared


def _usage(metadata: Any) -> Usage | None:
    if metadata is None:
        return None
    sent = (metadata.prompt_token_count or 0) + (metadata.tool_use_prompt_token_count or 0)
    said = (metadata.candidates_token_count or 0) + (metadata.thoughts_token_count or 0)
    return Usage(sent, said, metadata.cached_content_token_count or 0)


def _word(reason: Any) -> str:
    return str(getattr(reason, "value", reason))


def _details(body: Any) -> list[Mapping[str, Any]]:
    error = body.get("error", body) if isinstance(body, Mapping) else {}
    details = error.get("details") if isinstance(error, Mapping) else None
    return [one for one in details if isinstance(one, Mapping)] if isinstance(details, list) else []
