"""DjangoStore: a Store over the ORM, for any number of workers."""

import asyncio
import hashlib
import logging
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import timedelta
from typing import Any
from weakref import WeakValueDictionary

from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from dragoman.django import models, rows
from dragoman.django.rows import storable
from dragoman.django.threads import in_thread
from dragoman.harness.caller import Caller
from dragoman.harness.errors import ConversationBusy, UnknownConversation
from dragoman.harness.messages import Message, ToolResult, new_id
from dragoman.harness.patience import uninterrupted
from dragoman.harness.store import Conversation, Decision, Hold, PausedCall, changed, title_of

log = logging.getLogger("dragoman.store")


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
        deadline = asyncio.get_running_loop().time() + wait_seconds
        async with _alone_in_this_process(conversation_id, wait_seconds):
            holder = new_id()
            renewing: asyncio.Task[None] | None = None
            taking = asyncio.ensure_future(self._take(conversation_id, run_id, holder, deadline))
            hold = Hold(conversation_id, run_id)
            try:
                hold.seq = await asyncio.shield(taking)
                renewing = asyncio.ensure_future(self._renew(conversation_id, holder))
                yield hold
            finally:
                # Whoever leaves right after the last word cancels this too; a lease that stays would lock them out.
                await uninterrupted(_let_go(hold, holder, taking, renewing))

    async def _take(self, conversation_id: str, run_id: str, holder: str, deadline: float) -> int:
        while (seq := await in_thread(self._try_to_take, conversation_id, run_id, holder)) is None:
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0:
                raise _busy()
            await asyncio.sleep(min(0.1, left))
        return seq

    async def _renew(self, conversation_id: str, holder: str) -> None:
        while True:
            await asyncio.sleep(self.lease_seconds / 3)
            try:
                kept = await in_thread(self._prolong, conversation_id, holder)
            except Exception:
                log.exception("The lease on conversation %s could not be renewed; it is tried again.", conversation_id)
                continue
            if not kept:
                log.error("The lease on conversation %s was lost to another worker.", conversation_id)
                return

    # What runs in a thread ------------------------------------------------------------------------------------------

    def _create(self, caller: Caller, session: str) -> Conversation:
        return rows.conversation(models.Conversation.objects.create(**self._new(caller, session)))

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
            raise _unknown() from None
        return rows.conversation(row)

    def _of_message(self, message_id: str, caller: Caller) -> Conversation:
        row = self._owned(caller).filter(messages__message_id=message_id).first()
        if row is None:
            raise _unknown()
        return rows.conversation(row)

    def _waiting(self, call_id: str, caller: Caller) -> PausedCall | None:
        row = self._open(call_id, caller).first()
        return rows.paused_call(row) if row else None

    def _decided(self, call_id: str, caller: Caller) -> tuple[PausedCall, ToolResult | None] | None:
        row = self._own_calls(call_id, caller).filter(decision__in=("confirmed", "user_rejected")).first()
        if row is None:
            return None
        return rows.paused_call(row), ToolResult(**row.result) if row.result else None

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

    def _try_to_take(self, conversation_id: str, run_id: str, holder: str) -> int | None:
        """The run's last number, or None while somebody else has the lease."""
        this = models.Conversation.objects.filter(pk=uuid.UUID(conversation_id))
        free = Q(lease_until=None) | Q(lease_until__lte=timezone.now())
        if not this.filter(free).update(
            lease_holder=holder, lease_until=self._lease_end(), updated=timezone.now(), stop_requested=False
        ):
            if not this.exists():
                raise _unknown()
            return None
        return models.Run.objects.filter(run_id=run_id).values_list("seq", flat=True).first() or 0

    def _prolong(self, conversation_id: str, holder: str) -> bool:
        held = models.Conversation.objects.filter(pk=uuid.UUID(conversation_id), lease_holder=holder)
        return bool(held.update(lease_until=self._lease_end()))

    def _lease_end(self) -> Any:
        return timezone.now() + timedelta(seconds=self.lease_seconds)

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


def _unknown() -> UnknownConversation:
    return UnknownConversation("There is no such conversation of yours. Start a new one.")


def _busy() -> ConversationBusy:
    return ConversationBusy("This conversation is still answering. Wait for the answer, or stop it.")


# A lock is kept while somebody waits for it or has it. It belongs to one event loop, so the loop is part of its name;
# a second loop in this process meets the lease, as another worker does.
_locks: WeakValueDictionary[tuple[int, str], asyncio.Lock] = WeakValueDictionary()


@asynccontextmanager
async def _alone_in_this_process(conversation_id: str, wait_seconds: float) -> AsyncIterator[None]:
    lock = _locks.setdefault((id(asyncio.get_running_loop()), conversation_id), asyncio.Lock())
    if lock.locked() and wait_seconds <= 0:
        raise _busy()
    try:
        async with asyncio.timeout(wait_seconds if wait_seconds > 0 else None):
            await lock.acquire()
    except TimeoutError:
        raise _busy() from None
    try:
        yield
    finally:
        lock.release()


async def _let_go(hold: Hold, holder: str, taking: asyncio.Future[int], renewing: asyncio.Task[None] | None) -> None:
    if renewing is not None:
        renewing.cancel()
    await asyncio.wait([task for task in (taking, renewing) if task is not None])
    # What was cut off half-way may have taken the lease all the same.
    await in_thread(_give_back, hold, holder)
    if not taking.cancelled():
        taking.exception()  # looked at, so that it is not reported as forgotten; whoever awaited it was told


# What needs no owner ---------------------------------------------------------------------------------------------------


def _messages(conversation_id: str, after: str) -> list[Message]:
    found = models.Message.objects.filter(conversation_id=uuid.UUID(conversation_id), taken_back=False).order_by("pk")
    if after:
        last = found.filter(message_id=after).values_list("pk", flat=True).first()
        found = found.filter(pk__gt=last) if last is not None else found
    return [rows.message(row) for row in found]


def _append(conversation_id: str, messages: Sequence[Message]) -> None:
    key = uuid.UUID(conversation_id)
    results = [message.result for message in messages if message.result is not None and message.result.writes]
    with transaction.atomic():
        models.Message.objects.bulk_create([rows.row(key, message) for message in messages])
        for result in results:  # of a confirmation it is kept there as well, for whoever answers it twice
            models.PausedCall.objects.filter(call_id=result.call_id).update(result=storable(asdict(result)))
        if title := title_of(messages):
            models.Conversation.objects.filter(pk=key, title="").update(title=storable(title))


def _take_back(conversation_id: str, message_id: str) -> None:
    this = models.Conversation.objects.filter(pk=uuid.UUID(conversation_id))
    found = models.Message.objects.filter(conversation_id=uuid.UUID(conversation_id))
    first = found.filter(message_id=message_id).values_list("pk", flat=True).first()
    if first is None:
        return
    with transaction.atomic():
        found = found.filter(pk__gte=first)
        found.update(taken_back=True)
        folded = this.values_list("summarized_through", flat=True).get()
        if folded and found.filter(message_id=folded).exists():
            this.update(summary="", summarized_through="")


def _switch(conversation_id: str, provider: str, model: str) -> None:
    models.Conversation.objects.filter(pk=uuid.UUID(conversation_id)).update(provider=provider, model=model)


def _fold(conversation_id: str, summary: str, through: str) -> None:
    models.Conversation.objects.filter(pk=uuid.UUID(conversation_id)).update(
        summary=storable(summary), summarized_through=through
    )


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


def _give_back(hold: Hold, holder: str) -> None:
    held_id = uuid.UUID(hold.conversation_id)
    held = models.Conversation.objects.filter(pk=held_id, lease_holder=holder)
    if not held.update(lease_holder="", lease_until=None, updated=timezone.now()):
        return
    runs = models.Run.objects.filter(run_id=hold.run_id)
    if hold.seq and not runs.update(seq=hold.seq, updated=timezone.now()):
        # The run's log may be writing the very same row.
        models.Run.objects.update_or_create(
            run_id=hold.run_id,
            defaults={"seq": hold.seq},
            create_defaults={"conversation_id": held_id, "seq": hold.seq},
        )
