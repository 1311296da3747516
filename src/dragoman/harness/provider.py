"""Provider: one request to a model, streamed back in pieces."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from dragoman.harness.messages import Message, Usage
from dragoman.harness.tools import ToolDefinition

StopReason = Literal["end", "tool_calls", "length", "refusal", "unknown"]


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of the reply; an empty one is a keep-alive and no piece."""

    content: str


@dataclass(frozen=True, slots=True)
class Thought:
    """A piece of what the model thinks aloud."""

    content: str


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A whole call: `arguments` as an object, or as the JSON text the model wrote."""

    name: str
    arguments: Mapping[str, Any] | str


@dataclass(frozen=True, slots=True)
class Writing:
    """The model is at a call that is not whole yet: nothing to show, but no silence either."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What the request cost; the last one of a reply counts, each being the total so far."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class Carry:
    """Opaque data this provider wants back with the message, such as a signature of its thoughts."""

    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Stop:
    """Why the reply ended."""

    reason: StopReason


Piece = Text | Thought | ToolRequest | Writing | Spent | Carry | Stop


class Provider(Protocol):
    """A model's service. `complete` may be an async generator, or a coroutine that returns an async iterator.

    Messages are those of `messages.Message`: system first, then user, assistant and tool in order. It raises
    `errors.ProviderError`; anything else it raises is treated as a failure whose text nobody is shown. It never
    retries. A class may also have `name` and `model` (told with each answer) and `models()` (what may be chosen).
    """

    def complete(self, messages: Sequence[Message], tools: Sequence[ToolDefinition]) -> AsyncIterator[Piece]:
        """Stream a reply to these messages, with these tools on offer."""
        ...


def name_of(provider: Provider) -> str:
    """The name an answer is signed with."""
    return str(getattr(provider, "name", "") or type(provider).__name__.removesuffix("Provider").lower())


def model_of(provider: Provider) -> str:
    """The model an answer is signed with; empty where there is no choice."""
    return str(getattr(provider, "model", "") or "")
