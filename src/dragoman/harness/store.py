"""Store: conversations, their messages, and the calls that wait for a person."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

from dragoman.harness.caller import Caller
from dragoman.harness.errors import BadRequest
from dragoman.harness.messages import Message, ToolCall, new_id, now

TITLE_CHARACTERS = 80

Decision = Literal["confirmed", "user_rejected", "confirmation_timed_out", "superseded", "confirmation_unsupported"]


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation of one owner. Messages up to and including `summarized_through` are folded into `summary`.

    `provider` and `model` are what its owner switched to; empty is what the host has configured.
    """

    id: str = field(default_factory=new_id)
    owner: str = ""
    title: str = ""
    summary: str = ""
    summarized_through: str = ""
    created: datetime = field(default_factory=now)
    provider: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True)
class PausedCall:
    """A call that waits for a person. Its id is the call's, which is the server's.

    `operation` with `input` is what the person is shown, and nothing else may run.
    """

    call: ToolCall
    conversation_id: str
    run_id: str
    expires_at: datetime
    operation: str = ""
    input: Mapping[str, Any] = field(default_factory=dict)
    decision: Decision | None = None


@dataclass(slots=True)
class Hold:
    """The right to be the only one who conducts a run. `seq` is the number of the run's last event."""

    conversation_id: str
    run_id: str
    seq: int = 0


def changed() -> BadRequest:
    """What is told when a confirmation no longer stands for what was shown."""
    return BadRequest(
        "What would run now is not what was shown, so nothing was changed. Ask again.", code="confirmation_changed"
    )


def title_of(messages: Sequence[Message]) -> str:
    """What a conversation is called after its first message: that message's first line, cut at a word."""
    said = next((message.text for message in messages if message.role == "user" and message.text.strip()), "")
    line = " ".join(said.split("\n", 1)[0].split()) or " ".join(said.split())
    if len(line) <= TITLE_CHARACTERS:
        return line
    return line[: TITLE_CHARACTERS - 1].rsplit(" ", 1)[0] + "\u2026"


class Store(Protocol):
    """Where conversations live. Every method that takes a caller answers only for what is theirs."""

    async def create(self, caller: Caller) -> Conversation:
        """A new conversation of this caller."""
        ...

    async def get(self, conversation_id: str, caller: Caller) -> Conversation:
        """The caller's conversation. Raises UnknownConversation when it is not there or not theirs."""
        ...

    async def messages(self, conversation_id: str) -> list[Message]:
        """All messages, oldest first, folded ones included; those taken back are not."""
        ...

    async def recent(self, conversation: Conversation) -> list[Message]:
        """The messages after `summarized_through`, oldest first."""
        ...

    async def append(self, conversation_id: str, messages: Sequence[Message]) -> None:
        """Keep these messages, all or none, in order. The first of a person's gives an unnamed conversation its title."""
        ...

    async def take_back(self, conversation_id: str, message_id: str) -> None:
        """Take this message and all after it out of the history; a summary that covers any of them is dropped."""
        ...

    async def fold(self, conversation_id: str, summary: str, through: str) -> None:
        """Keep a summary of everything up to and including the message with the id `through`."""
        ...

    async def pause(self, calls: Sequence[PausedCall]) -> None:
        """Keep calls that wait for a person."""
        ...

    async def paused(self, conversation_id: str) -> list[PausedCall]:
        """The calls of a conversation nobody has decided, oldest first."""
        ...

    async def waiting(self, call_id: str, caller: Caller) -> PausedCall | None:
        """One undecided call of this caller, or None."""
        ...

    async def claim(self, call_id: str, caller: Caller, decision: Decision) -> PausedCall | None:
        """Decide a call. Of several at once exactly one gets the call, the others None.

        Raises BadRequest (confirmation_changed) where what is kept is not what was paused.
        """
        ...

    def hold(self, conversation_id: str, run_id: str, *, wait_seconds: float = 0) -> AbstractAsyncContextManager[Hold]:
        """Be the only one in this conversation; `Hold.seq` is kept at the end.

        Raises ConversationBusy when somebody else still is after `wait_seconds`.
        """
        ...
