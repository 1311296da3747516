"""Event: what a turn says while it runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from dragoman.harness.claims.claim import Claim
from dragoman.harness.messages import FinishReason, ToolCall, ToolResult, Usage


@dataclass(frozen=True, slots=True)
class UserSaid:
    """A person's message; told when a conversation is replayed."""

    id: str
    text: str
    created: datetime


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A piece of the answer."""

    content: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """A piece of what the model thinks aloud before it answers."""

    content: str


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """The model asked for a tool."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class ToolReturned:
    """A call has its result. Observers are told besides what was called, and for a writing tool what it changed."""

    result: ToolResult
    arguments: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    operation: str = field(default="", compare=False, repr=False)
    input: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ConfirmationNeeded:
    """A call waits for a person: `operation` with `input` is exactly what will run; `id` is what a decision names."""

    id: str
    operation: str
    input: Mapping[str, Any]
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class RoundLimit:
    """The turn used all its rounds; what follows is written without tools."""

    rounds: int


@dataclass(frozen=True, slots=True)
class Failed:
    """Something went wrong; `message` is for people, `code` for programs, `retry_after` in seconds."""

    code: str
    message: str
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the claims of the answer rest on; told before Done where there are any."""

    items: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Done:
    """The turn is over. `usage` is that of the whole turn."""

    finish_reason: FinishReason
    message_id: str
    provider: str
    model: str
    usage: Usage


Event = (
    UserSaid
    | TextChunk
    | Thinking
    | ToolCalled
    | ToolReturned
    | ConfirmationNeeded
    | RoundLimit
    | Failed
    | Evidence
    | Done
)


@dataclass(frozen=True, slots=True)
class Envelope:
    """An event with its place: `seq` is 1, 2, 3 ... within a run, without gaps, decisions included."""

    conversation_id: str
    run_id: str
    seq: int
    event: Event
