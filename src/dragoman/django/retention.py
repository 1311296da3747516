"""Delete what outlived its time: conversations after their last message, and the books of what messages cost."""

import asyncio
import itertools
import logging
import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import router
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from dragoman.django import models, runlog, standing
from dragoman.django.conf import AssistantSettings
from dragoman.django.threads import in_thread
from dragoman.harness.caller import Caller
from dragoman.harness.events import Done, Envelope
from dragoman.harness.messages import new_id

log = logging.getLogger("dragoman.retention")

BATCH = 200
SWEEP_SECONDS = 600  # how often a process looks by itself, at most

_CLAIM = timedelta(minutes=5)
_ACCOUNTS = timedelta(days=1)
_LOGS = timedelta(days=1)  # long after the last listener; the messages tell the same


@dataclass(frozen=True, slots=True)
class Cleaned:
    """How many rows were deleted, or with `dry_run` would be; `settled` are messages whose process had died."""

    conversations: int = 0
    usage: int = 0
    accounts: int = 0
    settled: int = 0

    def __str__(self) -> str:
        return (
            f"{self.conversations} conversations, {self.usage} rows of usage and {self.accounts} accounts; "
            f"{self.settled} lost reservations settled"
        )


def clean(found: AssistantSettings, *, dry_run: bool = False, batches: int | None = None) -> Cleaned:
    """Delete what outlived its time, a batch at a time, as many times as called.

    A conversation that is being answered stays, and nobody can go on with one that is being deleted.
    """
    now = timezone.now()
    usage = _usage().filter(
        alias=found.alias, created__lt=now - timedelta(days=found.usage_days), settled__isnull=False
    )
    accounts = models.Account.objects.using(_database()).filter(used__lt=now - _ACCOUNTS)
    if dry_run:
        return Cleaned(_expired(found, now).count(), usage.count(), accounts.count())
    settled = standing.settle_lost(now - timedelta(seconds=2 * found.limits.turn_seconds))
    runlog.prune(now - _LOGS)
    conversations = 0
    for _ in range(batches) if batches else itertools.count():
        deleted = _delete_batch(found, now)
        conversations += deleted
        if deleted < BATCH:
            break
    return Cleaned(conversations, usage.delete()[0], accounts.delete()[0], settled)


@dataclass(slots=True)
class Sweeper:
    """An observer that cleans up after a turn, at most every `SWEEP_SECONDS`, and keeps nobody waiting."""

    found: AssistantSettings
    _next: float = 0
    _at_work: set["asyncio.Future[None]"] = field(default_factory=set)

    async def __call__(self, caller: Caller, envelope: Envelope) -> None:
        """Begin to clean up when a turn is over and it is time."""
        if not isinstance(envelope.event, Done) or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + SWEEP_SECONDS
        task = asyncio.ensure_future(self._sweep())
        self._at_work.add(task)
        task.add_done_callback(self._at_work.discard)

    async def swept(self) -> None:
        """Wait until what was begun is done."""
        await asyncio.gather(*self._at_work)

    async def _sweep(self) -> None:
        try:
            cleaned = await in_thread(clean, self.found, batches=1)
        except Exception:
            log.exception("The assistant %r could not clean up; it is tried again.", self.found.alias)
        else:
            log.info("The assistant %r deleted %s.", self.found.alias, cleaned)


def _expired(found: AssistantSettings, now: datetime) -> Any:
    """The conversations without a message since the time they are kept, and with nobody answering."""
    rows = models.Conversation.objects.using(_database()).filter(alias=found.alias)
    if found.conversation.ttl_hours is None:
        return rows.none()
    before = now - timedelta(hours=found.conversation.ttl_hours)
    newer = models.Message.objects.filter(conversation=OuterRef("pk"), created__gte=before)
    return rows.filter(Q(lease_until=None) | Q(lease_until__lt=now), ~Exists(newer), created__lt=before)


def _delete_batch(found: AssistantSettings, now: datetime) -> int:
    some = list(_expired(found, now).values_list("pk", flat=True)[:BATCH])
    if not some:
        return 0
    # Held like one that is answering: a message that comes at this moment keeps it, or finds it gone, and no half of it.
    holder = new_id()
    claimed = _expired(found, now).filter(pk__in=some)
    claimed.update(lease_holder=holder, lease_until=timezone.now() + _CLAIM)
    _, by_kind = models.Conversation.objects.using(_database()).filter(lease_holder=holder).delete()
    return by_kind.get(models.Conversation._meta.label, 0)


def _usage() -> Any:
    return models.Usage.objects.using(_database())


def _database() -> str:
    return router.db_for_write(models.Conversation)
