"""DjangoStore: a Store over the ORM, for any number of workers."""

import hashlib
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Any

from django.contrib.auth import get_user_model
from django.utils.crypto import constant_time_compare

from dragoman.django import leases, models, rows
from dragoman.django.leases import unknown
from dragoman.django.rows import storable
from dragoman.django.threads import in_thread
from dragoman.django.transactions import again, writing
from dragoman.harness.caller import Caller
from dragoman.harness.messages import Message, ToolResult
from dragoman.harness.store import Conversation, Decision, Hold, PausedCall, changed, title_of


class DjangoStore:
    """The conversations of one assistant, in the project's database.

    A conversation is held by a lock in this process and by a lease in the database, which keeps other workers out and
    runs out `lease_seconds` after its worker died.
    """

    def __init__(self, alias: str = "default", *, lease_seconds: float = 30) -> None:
        self.alias = alias
        self.lease_seconds = lease_seconds

    async def create(self, caller: Caller, session: str = "") -> Conversation:
        """A new conversation of this caller, begun in this session."""
        return await in_thread(self._create, caller, session)

    async def newest(self, caller: Caller, session: str) -> Conversation:
        """The caller's newest conversation of this session, or a new one; two at once get the same."""
        return await in_thread(self._newest, caller, session)

    async def get(self, conversation_id: str, caller: Caller) -> Conversation:
        """The caller's conversation. Raises UnknownConversation when it is not there or not theirs."""
        return await in_thread(self._get, conversation_id, caller)

    async def messages(self, conversation_id: str) -> list[Message]:
        """All messages, oldest first, folded ones included; those taken back are not."""
        return await in_thread(_messages, conversation_id, "")

    async def recent(self, conversation: Conversation) -> list[Message]:
        """The messages after `summarized_through`, oldest first."""
        return await in_thread(_messages, conversation.id, conversation.summarized_through)

    async def append(self, conversation_id: str, messages: Sequence[Message]) -> None:
        """Keep these messages, all or none, in order; the first of a person's is the title."""
        await in_thread(_append, conversation_id, messages)

    async def take_back(self, conversation_id: str, message_id: str) -> None:
        """Take this message and all after it out of the history; a summary that covers any of them is dropped."""
        await in_thread(_take_back, conversation_id, message_id)

    async def fold(self, conversation_id: str, summary: str, through: str) -> None:
        """Keep a summary of everything up to and including the message with the id `through`."""
        await in_thread(_fold, conversation_id, summary, through)

    async def pause(self, calls: Sequence[PausedCall]) -> None:
        """Keep calls that wait for a person."""
        await in_thread(_pause, calls)

    async def paused(self, conversation_id: str) -> list[PausedCall]:
        """The calls of a conversation nobody has decided, oldest first."""
        return await in_thread(_paused, conversation_id)

    async def waiting(self, call_id: str, caller: Caller) -> PausedCall | None:
        """One undecided call of this caller, or None."""
        return await in_thread(self._waiting, call_id, caller)

    async def claim(self, call_id: str, caller: Caller, decision: Decision) -> PausedCall | None:
        """Decide a call. Of several at once, in any worker, exactly one gets the call, the others None."""
        return await in_thread(self._claim, call_id, caller, decision)

    async def decided(self, call_id: str, caller: Caller) -> tuple[PausedCall, ToolResult | None] | None:
        """A call of this caller that a person decided, with its result once there is one; None where there is none."""
        return await in_thread(self._decided, call_id, caller)

    async def of_message(self, message_id: str, caller: Caller) -> Conversation:
        """The caller's conversation that holds a message. Raises UnknownConversation."""
        return await in_thread(self._of_message, message_id, caller)

    async def switch(self, conversation_id: str, provider: str, model: str) -> None:
        """Keep which provider and model answer from now on; empty is as configured."""
        await in_thread(_switch, conversation_id, provider, model)

    @asynccontextmanager
    async def hold(self, conversation_id: str, run_id: str, *, wait_seconds: float = 0) -> AsyncIterator[Hold]:
        """Be the only one in this conversation, among all workers; `Hold.seq` is kept at the end.

        Raises ConversationBusy when somebody else still is after `wait_seconds`, UnknownConversation when it is gone.
        """
        held = leases.hold(conversation_id, run_id, lease_seconds=self.lease_seconds, wait_seconds=wait_seconds)
        async with held as hold:
            yield hold

    # What runs in a thread ------------------------------------------------------------------------------------------

    @again
    def _create(self, caller: Caller, session: str) -> Conversation:
        return rows.conversation(models.Conversation.objects.create(**self._new(caller, session)))

    @again
    def _newest(self, caller: Caller, session: str) -> Conversation:
        own = self._owned(caller).filter(session=session)
        row = own.order_by("-created", "pk").first()
        if row is None:
            slot = hashlib.sha256(f"{self.alias}\n{caller.key}\n{session}".encode()).hexdigest()
            row, _ = models.Conversation.objects.get_or_create(slot=slot, defaults=self._new(caller, session))
        return rows.conversation(row)

    def _get(self, conversation_id: str, caller: Caller) -> Conversation:
        try:
            row = self._owned(caller).get(pk=uuid.UUID(conversation_id))
        except (ValueError, models.Conversation.DoesNotExist):
            raise unknown() from None
        return rows.conversation(row)

    def _of_message(self, message_id: str, caller: Caller) -> Conversation:
        row = self._owned(caller).filter(messages__message_id=message_id).first()
        if row is None:
            raise unknown()
        return rows.conversation(row)

    def _waiting(self, call_id: str, caller: Caller) -> PausedCall | None:
        row = self._open(call_id, caller).first()
        return rows.paused_call(row) if row else None

    def _decided(self, call_id: str, caller: Caller) -> tuple[PausedCall, ToolResult | None] | None:
        row = self._own_calls(call_id, caller).filter(decision__in=("confirmed", "user_rejected")).first()
        if row is None:
            return None
        return rows.paused_call(row), ToolResult(**row.result) if row.result else None

    @again
    def _claim(self, call_id: str, caller: Caller, decision: Decision) -> PausedCall | None:
        row = self._open(call_id, caller).first()
        if row is None:
            return None
        # Only a yes can do harm: whatever else is decided of a changed row, nothing runs.
        if decision == "confirmed" and not constant_time_compare(
            row.seal, rows.seal(rows.paused_call(row), caller.key)
        ):
            raise changed()
        # One UPDATE with its condition is atomic in every database, whatever the isolation.
        if not models.PausedCall.objects.filter(pk=row.pk, decision="").update(decision=decision):
            return None
        row.decision = decision
        return rows.paused_call(row)

    def _owned(self, caller: Caller) -> Any:
        return models.Conversation.objects.filter(owner=caller.key, alias=self.alias)

    def _open(self, call_id: str, caller: Caller) -> Any:
        return self._own_calls(call_id, caller).filter(decision="")

    def _own_calls(self, call_id: str, caller: Caller) -> Any:
        return models.PausedCall.objects.filter(
            call_id=call_id, conversation__owner=caller.key, conversation__alias=self.alias
        )

    def _new(self, caller: Caller, session: str) -> dict[str, Any]:
        user = caller.user if caller.is_authenticated and isinstance(caller.user, get_user_model()) else None
        return {
            "alias": self.alias,
            "owner": caller.key,
            "user_id": None if user is None else user.pk,
            "session": session,
        }


# What needs no owner ---------------------------------------------------------------------------------------------------


def _messages(conversation_id: str, after: str) -> list[Message]:
    found = models.Message.objects.filter(conversation_id=uuid.UUID(conversation_id), taken_back=False).order_by("pk")
    if after:
        last = found.filter(message_id=after).values_list("pk", flat=True).first()
        found = found.filter(pk__gt=last) if last is not None else found
    return [rows.message(row) for row in found]


@again
def _append(conversation_id: str, messages: Sequence[Message]) -> None:
    key = uuid.UUID(conversation_id)
    results = [message.result for message in messages if message.result is not None and message.result.writes]
    with writing():
        models.Message.objects.bulk_create([rows.row(key, message) for message in messages])
        for result in results:  # of a confirmation it is kept there as well, for whoever answers it twice
            models.PausedCall.objects.filter(call_id=result.call_id).update(result=storable(asdict(result)))
        if title := title_of(messages):
            models.Conversation.objects.filter(pk=key, title="").update(title=storable(title))


@again
def _take_back(conversation_id: str, message_id: str) -> None:
    this = models.Conversation.objects.filter(pk=uuid.UUID(conversation_id))
    found = models.Message.objects.filter(conversation_id=uuid.UUID(conversation_id))
    first = found.filter(message_id=message_id).values_list("pk", flat=True).first()
    if first is None:
        return
    with writing():
        found = found.filter(pk__gte=first)
        found.update(taken_back=True)
        folded = this.values_list("summarized_through", flat=True).get()
        if folded and found.filter(message_id=folded).exists():
            this.update(summary="", summarized_through="")


@again
def _switch(conversation_id: str, provider: str, model: str) -> None:
    models.Conversation.objects.filter(pk=uuid.UUID(conversation_id)).update(provider=provider, model=model)


@again
def _fold(conversation_id: str, summary: str, through: str) -> None:
    models.Conversation.objects.filter(pk=uuid.UUID(conversation_id)).update(
        summary=storable(summary), summarized_through=through
    )


@again
def _pause(calls: Sequence[PausedCall]) -> None:
    owners = dict(
        models.Conversation.objects.filter(pk__in={uuid.UUID(one.conversation_id) for one in calls}).values_list(
            "pk", "owner"
        )
    )
    models.PausedCall.objects.bulk_create(
        [
            models.PausedCall(
                call_id=paused.call.id,
                conversation_id=uuid.UUID(paused.conversation_id),
                run_id=paused.run_id,
                call=storable(asdict(paused.call)),
                operation=storable(paused.operation),
                input=storable(dict(paused.input)),
                seal=rows.seal(paused, owners[uuid.UUID(paused.conversation_id)]),
                expires_at=paused.expires_at,
                decision=paused.decision or "",
            )
            for paused in calls
        ]
    )


def _paused(conversation_id: str) -> list[PausedCall]:
    found = models.PausedCall.objects.filter(conversation_id=uuid.UUID(conversation_id), decision="").order_by("pk")
    return [rows.paused_call(row) for row in found]
