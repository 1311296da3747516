"""Hold a conversation: a lock keeps out who else is in this process, a lease in the database the other workers.

A lease runs out some time after its worker died.
"""

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from weakref import WeakValueDictionary

from django.db import IntegrityError
from django.db.models import Q
from django.utils import timezone

from dragoman.django import models
from dragoman.django.threads import in_thread
from dragoman.django.transactions import again, writing
from dragoman.harness.errors import ConversationBusy, UnknownConversation
from dragoman.harness.messages import new_id
from dragoman.harness.patience import uninterrupted
from dragoman.harness.store import Hold

log = logging.getLogger("dragoman.leases")


@asynccontextmanager
async def hold(
    conversation_id: str, run_id: str, *, lease_seconds: float, wait_seconds: float = 0
) -> AsyncIterator[Hold]:
    """Be the only one in this conversation, among all workers; `Hold.seq` is kept at the end.

    Raises ConversationBusy when somebody else still is after `wait_seconds`, UnknownConversation when it is gone.
    """
    deadline = asyncio.get_running_loop().time() + wait_seconds
    async with _alone_in_this_process(conversation_id, wait_seconds):
        holder = new_id()
        renewing: asyncio.Task[None] | None = None
        taking = asyncio.ensure_future(_taken(conversation_id, run_id, holder, lease_seconds, deadline))
        held = Hold(conversation_id, run_id)
        try:
            held.seq = await asyncio.shield(taking)
            renewing = asyncio.ensure_future(_renew(conversation_id, holder, lease_seconds))
            yield held
        finally:
            # Whoever leaves right after the last word cancels this too; a lease that stays would lock them out.
            await uninterrupted(_let_go(held, holder, taking, renewing))


def unknown() -> UnknownConversation:
    """What is said of a conversation that is not there, or not the caller's."""
    return UnknownConversation("There is no such conversation of yours. Start a new one.")


# What runs in a thread ------------------------------------------------------------------------------------------------


@again
def take(conversation_id: str, run_id: str, holder: str, lease_seconds: float) -> int | None:
    """Take the lease: the run's last number, or None while somebody else has it. Raises UnknownConversation."""
    this = models.Conversation.objects.filter(pk=uuid.UUID(conversation_id))
    free = Q(lease_until=None) | Q(lease_until__lte=timezone.now())
    if not this.filter(free).update(
        lease_holder=holder, lease_until=_end(lease_seconds), updated=timezone.now(), stop_requested=False
    ):
        if not this.exists():
            raise unknown()
        return None
    return models.Run.objects.filter(run_id=run_id).values_list("seq", flat=True).first() or 0


@again
def prolong(conversation_id: str, holder: str, lease_seconds: float) -> bool:
    """Let the lease run on; False where it was lost."""
    held = models.Conversation.objects.filter(pk=uuid.UUID(conversation_id), lease_holder=holder)
    return bool(held.update(lease_until=_end(lease_seconds)))


def give_back(hold: Hold, holder: str) -> None:
    """Give the lease back, unless it was lost, and keep the run's last number."""
    held_id = uuid.UUID(hold.conversation_id)
    if _freed(held_id, holder) and hold.seq:
        _keep_number(hold.run_id, held_id, hold.seq)


@again
def _freed(conversation_id: uuid.UUID, holder: str) -> bool:
    held = models.Conversation.objects.filter(pk=conversation_id, lease_holder=holder)
    return bool(held.update(lease_holder="", lease_until=None, updated=timezone.now()))


@again
def _keep_number(run_id: str, conversation_id: uuid.UUID, seq: int) -> None:
    runs = models.Run.objects.filter(run_id=run_id)
    if runs.update(seq=seq, updated=timezone.now()):
        return
    try:
        with writing():
            models.Run.objects.create(run_id=run_id, conversation_id=conversation_id, seq=seq)
    except IntegrityError:  # the run's log has just written the very same row
        runs.update(seq=seq, updated=timezone.now())


def _end(lease_seconds: float) -> datetime:
    return timezone.now() + timedelta(seconds=lease_seconds)


# On the event loop ----------------------------------------------------------------------------------------------------


async def _taken(conversation_id: str, run_id: str, holder: str, lease_seconds: float, deadline: float) -> int:
    while (seq := await in_thread(take, conversation_id, run_id, holder, lease_seconds)) is None:
        left = deadline - asyncio.get_running_loop().time()
        if left <= 0:
            raise _busy()
        await asyncio.sleep(min(0.1, left))
    return seq


async def _renew(conversation_id: str, holder: str, lease_seconds: float) -> None:
    while True:
        await asyncio.sleep(lease_seconds / 3)
        try:
            kept = await in_thread(prolong, conversation_id, holder, lease_seconds)
        except Exception:
            log.exception("The lease on conversation %s could not be renewed; it is tried again.", conversation_id)
            continue
        if not kept:
            log.error("The lease on conversation %s was lost to another worker.", conversation_id)
            return


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
    await in_thread(give_back, hold, holder)
    if not taking.cancelled():
        taking.exception()  # looked at, so that it is not reported as forgotten; whoever awaited it was told
