"""MemoryStore: a Store that lives and dies with the process."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from dragoman.harness.caller import Caller
from dragoman.harness.errors import ConversationBusy, UnknownConversation
from dragoman.harness.messages import Message
from dragoman.harness.store import Conversation, Decision, Hold, PausedCall, title_of


class MemoryStore:
    """Keeps everything in dictionaries; one event loop, no expiry."""

    def __init__(self) -> None:
        self._conversations: dict[str, Conversation] = {}
        self._messages: dict[str, list[Message]] = {}
        self._paused: dict[str, PausedCall] = {}
        self._seqs: dict[str, int] = defaultdict(int)
        self._locks: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def create(self, caller: Caller) -> Conversation:
        """A new conversation of this caller."""
        conversation = Conversation(owner=caller.key)
        self._conversations[conversation.id] = conversation
        self._messages[conversation.id] = []
        return conversation

    async def get(self, conversation_id: str, caller: Caller) -> Conversation:
        """The caller's conversation. Raises UnknownConversation when it is not there or not theirs."""
        found = self._conversations.get(conversation_id)
        if found is None or found.owner != caller.key:
            raise UnknownConversation("There is no such conversation of yours. Start a new one.")
        return found

    async def messages(self, conversation_id: str) -> list[Message]:
        """All messages, oldest first, folded ones included."""
        return list(self._messages[conversation_id])

    async def recent(self, conversation: Conversation) -> list[Message]:
        """The messages after `summarized_through`, oldest first."""
        kept = self._messages[conversation.id]
        through = self._conversations[conversation.id].summarized_through
        ids = [message.id for message in kept]
        return kept[ids.index(through) + 1 :] if through in ids else list(kept)

    async def append(self, conversation_id: str, messages: Sequence[Message]) -> None:
        """Keep these messages, all or none, in order; the first of a person's is the title."""
        self._messages[conversation_id].extend(messages)
        found = self._conversations[conversation_id]
        if not found.title:
            self._conversations[conversation_id] = replace(found, title=title_of(messages))

    async def take_back(self, conversation_id: str, message_id: str) -> None:
        """Take this message and all after it out of the history; a summary that covers any of them is dropped."""
        ids = [message.id for message in self._messages[conversation_id]]
        if message_id not in ids:
            return
        del self._messages[conversation_id][ids.index(message_id) :]
        found = self._conversations[conversation_id]
        if found.summarized_through in ids[ids.index(message_id) :]:
            self._conversations[conversation_id] = replace(found, summary="", summarized_through="")

    async def fold(self, conversation_id: str, summary: str, through: str) -> None:
        """Keep a summary of everything up to and including the message with the id `through`."""
        found = self._conversations[conversation_id]
        self._conversations[conversation_id] = replace(found, summary=summary, summarized_through=through)

    async def pause(self, calls: Sequence[PausedCall]) -> None:
        """Keep calls that wait for a person."""
        self._paused.update({paused.call.id: paused for paused in calls})

    async def paused(self, conversation_id: str) -> list[PausedCall]:
        """The calls of a conversation nobody has decided, oldest first."""
        return [p for p in self._paused.values() if p.conversation_id == conversation_id and p.decision is None]

    async def waiting(self, call_id: str, caller: Caller) -> PausedCall | None:
        """One undecided call of this caller, or None."""
        found = self._paused.get(call_id)
        if found is None or found.decision is not None:
            return None
        return found if self._conversations[found.conversation_id].owner == caller.key else None

    async def claim(self, call_id: str, caller: Caller, decision: Decision) -> PausedCall | None:
        """Decide a call. Of several at once exactly one gets the call, the others None."""
        found = await self.waiting(call_id, caller)
        if found is not None:
            found = self._paused[call_id] = replace(found, decision=decision)
        return found

    @asynccontextmanager
    async def hold(self, conversation_id: str, run_id: str, *, wait_seconds: float = 0) -> AsyncIterator[Hold]:
        """Be the only one in this conversation. Raises ConversationBusy after `wait_seconds`."""
        lock = self._locks[conversation_id]
        if lock.locked() and not wait_seconds:
            raise ConversationBusy("This conversation is still answering. Wait for the answer, or stop it.")
        try:
            await asyncio.wait_for(lock.acquire(), wait_seconds or None)
        except TimeoutError:
            raise ConversationBusy("This conversation is still answering. Try again in a moment.") from None
        hold = Hold(conversation_id, run_id, self._seqs[run_id])
        try:
            yield hold
        finally:
            self._seqs[run_id] = hold.seq
            lock.release()
