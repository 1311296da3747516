"""A conversation as values: messages, tool calls, their results, and what a round cost."""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

Role = Literal["system", "user", "assistant", "tool"]
FinishReason = Literal["stop", "round_limit", "stopped", "interrupted", "error"]


def new_id() -> str:
    """An id that cannot be guessed (122 random bits, 32 hexadecimal digits)."""
    return uuid.uuid4().hex


def now() -> datetime:
    """This moment, with its zone."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens. `cached_tokens` are those of `input_tokens` that came from a provider's cache."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    estimated: bool = False

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            self.estimated or other.estimated,
        )


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What the model wants done. `id` is ours; the provider's own id never leaves its adapter.

    `malformed` holds the argument text that was no JSON object; `arguments` is then empty and the tool does not run.
    """

    id: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    malformed: str | None = None


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The answer to a call: `content` is the JSON text the model reads, the very text that is shown and stored.

    `ran` is False for a call that never reached its tool (cancelled, refused, malformed).
    """

    call_id: str
    name: str
    content: str
    writes: bool = False
    failed: bool = False
    ran: bool = True

    @property
    def data(self) -> Any:
        """The content as a value."""
        return json.loads(self.content)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a turn ended; carried by its last assistant message."""

    finish_reason: FinishReason
    error_code: str = ""
    error_message: str = ""
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """What was said: text, calls, or the answer to a call.

    An assistant message is one round of the model: its text, its calls, what it cost (`usage`, folding the history
    included) and which model said it. `carry` is opaque data its provider wants back, such as signatures of thoughts.
    """

    role: Role
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    result: ToolResult | None = None
    id: str = field(default_factory=new_id)
    run_id: str = ""
    created: datetime = field(default_factory=now)
    provider: str = ""
    model: str = ""
    usage: Usage = Usage()
    outcome: Outcome | None = None
    carry: tuple[Mapping[str, Any], ...] = ()


def unanswered(messages: Sequence[Message]) -> list[tuple[Message, ToolCall]]:
    """The calls that no tool message answers yet, in the order asked, each with the message that asked."""
    answered = {m.result.call_id for m in messages if m.result is not None}
    return [(m, call) for m in messages for call in m.calls if call.id not in answered]
