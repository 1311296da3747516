"""Store: conversations, their messages, and the calls that wait for a person."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from dragoman.harness.caller import Caller
from dragoman.harness.messages import Message, ToolCall, new_id, now

Decision = Literal["confirmed", "user_rejected", "confirmation_timed_out", "superseded", "confirmation_unsupported"]


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation of one owner. Messages up to and including `summarized_through` are folded into `summary`."""

    id: str = field(default_factory=new_id)
    owner: str = ""
    title: str = ""
    summary: str = ""
    summarized_through: str = ""
    created: datetime = field(default_factory=now)


@dataclass(frozen=True, slots=True)
class PausedCall:
    """A call that waits for a person. Its id is the call's, which is the server's."""

    call: ToolCall
    conversation_id: str
    run_id: str
    expires_at: datetime
    decision: Decision | None = None


@dataclass(slots=True)
class Hold:
    """The right to be the only one who conducts a run. `seq` is the number of the run's last event."""

    conversation_id: str
    run_id: str
    seq: int = 0


class Store(Protocol):
    """Where conversations live. Every method that takes a caller answers only for what is theirs."""

    async def create(self, caller: Caller) -> Conversation:
        """A new conversation of this caller."""
        ...

    async def get(self, conversation_id: str, caller: Caller) -> Conversation:
        """The caller's conversation. Raises UnknownConversation when it is not there or not theirs."""
        ...

    async def messages(self, conversation_id: str) -> list[Message]:
        """All messages, oldest first, folded ones included."""
        ...

    async def recent(self, conversation: Conversation) -> list[Message]:
        """The messages after `summarized_through`, oldest first."""
        ...

    async def append(self, conversation_id: str, messages: Sequence[Message]) -> None:
        """Keep these messages, all or none, in order."""
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
        """Decide a call. Of several at once exactly one gets the call, the others None."""
        ...

    def hold(self, conversation_id: str, run_id: str, *, wait_seconds: float = 0) -> AbstractAsyncContextManager[Hold]:
        """Be the only one in this conversation; `Hold.seq` is kept at the end.

        Raises ConversationBusy when somebody else still is after `wait_seconds`.
        """
        ...
