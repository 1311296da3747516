"""What every adapter of a model's service shares: its settings, its key, its SDK, and its failures in our words."""

import asyncio
import importlib
import importlib.util
import json
import logging
import sys
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from types import TracebackType
from typing import Any, ClassVar, Protocol

from dragoman.harness.errors import ChatError, ConfigurationError, ProviderError, ProviderStalled, ProviderTimeout
from dragoman.harness.messages import Message
from dragoman.harness.provider import Piece
from dragoman.harness.tools import ToolDefinition
from dragoman.providers import emulation, failures, settings
from dragoman.providers.failures import Party
from dragoman.providers.models import Model, Models

log = logging.getLogger("dragoman.providers")

_LISTING_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked: the messages, the tools on offer, and the JSON Schema the whole reply must follow, if any."""

    messages: Sequence[Message]
    tools: Sequence[ToolDefinition]
    form: Mapping[str, Any] | None = None


class Reply(Protocol):
    """Reads one reply of a dialect."""

    def feed(self, event: Any) -> Iterable[Piece]:
        """The pieces in the next event of the wire. Raises ProviderError for an error told in mid-stream."""
        ...

    def end(self) -> Iterable[Piece]:
        """What is left at the end of the stream. Raises ProviderError where the reply gave no reason to stop."""
        ...


@dataclass(frozen=True, slots=True)
class Faults:
    """The exceptions an SDK and its transport raise, by what they mean."""

    timeout: tuple[type[Exception], ...]
    connection: tuple[type[Exception], ...]
    status: tuple[type[Exception], ...]
    garbled: tuple[type[Exception], ...] = (json.JSONDecodeError,)


class Service(ABC):
    """A Provider on top of an official SDK. The keys of its configuration are those of `settings.Settings`.

    The constructor raises ConfigurationError for an unknown key, a missing SDK and a missing key, and imports nothing:
    an SDK takes seconds and megabytes, so it is loaded with the first request.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    sdk: ClassVar[str]
    extra: ClassVar[str]
    keys: ClassVar[tuple[str, ...]] = ()
    address: ClassVar[str] = ""
    known: ClassVar[tuple[Model, ...]]
    modes: ClassVar[tuple[str, ...]] = ("native",)

    def __init__(self, **config: Any) -> None:
        provider = type(self).__name__
        self.settings = settings.read(provider, config, self.modes)
        if not installed(self.sdk):
            raise ConfigurationError(f'To use {provider}, install: pip install "dragoman[{self.extra}]"')
        self.key = settings.key_of(provider, self.settings, self.keys, needed=self.needs_key())
        self.model = self.settings.model or self.known[0].id
        self._clients: dict[asyncio.AbstractEventLoop, Any] = {}

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolDefinition]) -> AsyncGenerator[Piece]:
        """Stream a reply in pieces; closing the generator closes the connection. Raises ProviderError, never retries."""
        await self.load()
        await self.prepare()
        request = Request(messages, tools)
        with _Telling(self) as telling:
            reply = self.reply(request)
            if self.settings.tool_mode == "json" and (tools or emulation.began(messages)):
                form = emulation.form(tools)
                request = Request(emulation.rewritten(messages, tools), (), form)
                reply = emulation.Reply(self.reply(request), tools)
            async with aclosing(self.stream(request)) as batches:
                async for batch in batches:
                    for event in batch:
                        for piece in reply.feed(event):
                            telling.began = True
                            yield piece
            for piece in reply.end():
                yield piece

    async def models(self) -> Models:
        """What the service offers, or a short list of our own and the reason. Raises ConfigurationError only."""
        await self.load()
        try:
            async with asyncio.timeout(_LISTING_SECONDS):
                with _Telling(self):
                    live = [model async for model in self.listed()]
        except TimeoutError:
            reason = f"{self.title} did not list its models within {_LISTING_SECONDS} seconds."
        except ProviderError as error:
            reason = error.message
        else:
            return Models("live", sorted(live, key=lambda model: model.title.lower()))
        return Models("fallback", self.known, reason)

    async def load(self) -> None:
        """Import the SDK, the first time on a thread: it takes seconds, in which others are answered."""
        if self.sdk not in sys.modules:
            await asyncio.to_thread(importlib.import_module, self.sdk)

    async def aclose(self) -> None:
        """Close the connections kept open in this event loop."""
        if client := self._clients.pop(asyncio.get_running_loop(), None):
            await self.shut(client)

    # What an adapter says -------------------------------------------------------------------------------------------

    @abstractmethod
    def connect(self) -> Any:
        """A new client of the SDK, without retries."""

    @abstractmethod
    async def shut(self, client: Any) -> None:
        """Close such a client."""

    @abstractmethod
    def reply(self, request: Request) -> Reply:
        """What reads the reply to this request."""

    @abstractmethod
    def stream(self, request: Request) -> AsyncGenerator[Iterable[Any]]:
        """Send the request; the events of the reply, as many at a time as arrived together."""

    @abstractmethod
    def listed(self) -> AsyncIterator[Model]:
        """The models the service lists."""

    @abstractmethod
    def faults(self) -> Faults:
        """The SDK's exceptions."""

    def status_error(self, error: Any) -> ProviderError:
        """An exception of the kind `status`, in our words."""
        headers = getattr(getattr(error, "response", None), "headers", None)
        status = getattr(error, "status_code", 0)
        return failures.of_status(self.party, status if status >= 400 else 500, headers, type(error).__name__)

    def needs_key(self) -> bool:
        """Whether the service answers nobody without a key."""
        return bool(self.keys)

    async def prepare(self) -> None:
        """Find out what has to be known before a request; most services need nothing."""
        return

    # What an adapter uses -------------------------------------------------------------------------------------------

    @property
    def party(self) -> Party:
        """Who is asked, for errors."""
        return Party(self.title, self.key.variable, self.model)

    @property
    def base_url(self) -> str:
        """The address asked."""
        return self.settings.base_url or self.address

    @property
    def silence_seconds(self) -> float:
        """How long the transport waits for bytes; who waits for pieces, as the turn does, waits more exactly."""
        return max(self.settings.timeout_seconds, self.settings.stream_timeout_seconds)

    def client(self) -> Any:
        """The SDK's client for the running event loop: a connection belongs to the loop it was made in."""
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            for ended in [other for other in self._clients if other.is_closed()]:
                del self._clients[ended]
            self._clients[loop] = self.connect()
        return self._clients[loop]

    def failure(self, error: Exception, began: bool) -> ProviderError | None:
        """The exception in our words; None for one that is none of the SDK's."""
        kinds = self.faults()
        log.warning("%s failed with %s.", self.title, type(error).__name__)
        log.debug("%s said: %s", self.title, self.redacted(str(error)))
        if isinstance(error, kinds.timeout):
            if began:
                return ProviderStalled(f"{self.title} fell silent in the middle of its reply. Ask again.")
            return ProviderTimeout(f"{self.title} did not begin to answer in time.")
        if isinstance(error, kinds.status):
            return self.status_error(error)
        if isinstance(error, kinds.connection):
            return failures.cut(self.party) if began else failures.unreachable(self.party, self.base_url)
        if isinstance(error, kinds.garbled):
            return failures.garbled(self.party)
        return None

    def redacted(self, text: str) -> str:
        """The text without the key, should the service have repeated it."""
        return text.replace(self.key.value, "[key]") if self.key.value else text


def installed(module: str) -> bool:
    """Whether the SDK is there, without importing it."""
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:
        return False


class _Telling:
    """Turns what an SDK raises within into a ProviderError; a class, for a generator may be closed inside it."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.began = False

    def __enter__(self) -> "_Telling":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Exception) and not isinstance(error, ChatError):
            told = self.service.failure(error, self.began)
            if told is not None:
                raise told from error
