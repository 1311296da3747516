"""The log of a run in the database: written in stretches while it goes on, read by whoever comes later or elsewhere."""

import asyncio
import logging
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby

from django.utils import timezone

from dragoman.django import models
from dragoman.django.rows import storable
from dragoman.django.threads import in_thread
from dragoman.django.transactions import again, writing
from dragoman.harness import wire
from dragoman.harness.events import Done, Envelope
from dragoman.harness.patience import uninterrupted

log = logging.getLogger("dragoman.runlog")

STRETCH_SECONDS = 0.2  # of frames are written at once
WATCHED_SECONDS = 5  # how long a run counts as listened to after somebody elsewhere looked at its log
_PLACE = ("conversation_id", "run_id", "seq")
_PIECES = ("text_chunk", "thinking")


@dataclass(frozen=True, slots=True)
class Look:
    """What a log holds: whether its run goes on, whether a worker still holds its conversation, the last number, frames."""

    running: bool
    held: bool
    seq: int
    frames: list[wire.Frame]


async def logged(envelopes: AsyncGenerator[Envelope]) -> AsyncGenerator[Envelope]:
    """Pass on what a run tells, and keep its log. A log that cannot be written never breaks the turn."""
    writer = _Writer()
    try:
        async with aclosing(envelopes):
            async for envelope in envelopes:
                writer.add(envelope)
                yield envelope
    finally:
        await uninterrupted(writer.finish())


@again
def look(conversation_id: str, run_id: str, after: int) -> Look | None:
    """The log of a run from the frame after `after` on; None where none is kept. Whoever looks counts as listening."""
    runs = models.Run.objects.filter(run_id=run_id, conversation_id=uuid.UUID(conversation_id)).exclude(state="")
    now = timezone.now()
    # The state first: a run that is over has written all its frames.
    run = runs.select_related("conversation").first()
    if run is None:
        return None
    if run.state == "running":
        runs.update(watched_until=now + timedelta(seconds=WATCHED_SECONDS))
    until = run.conversation.lease_until
    frames = [
        frame
        for stretch in models.Stretch.objects.filter(run_id=run_id, last__gt=after).order_by("first")
        for frame in _spread(stretch, conversation_id)
        if frame["seq"] > after
    ]
    return Look(run.state == "running", until is not None and until > now, run.seq, frames)


def prune(before: datetime) -> int:
    """Delete the logs of runs that ended before; how many stretches. The messages stay."""
    return models.Stretch.objects.filter(run__updated__lt=before).exclude(run__state="running").delete()[0]


class _Writer:
    """Writes what was told in a task of its own, some of it at once, so that nobody who listens waits for a database."""

    def __init__(self) -> None:
        self._fresh: list[Envelope] = []
        self._ended = asyncio.Event()
        self._news = asyncio.Event()
        self._task = asyncio.ensure_future(self._write())

    def add(self, envelope: Envelope) -> None:
        self._fresh.append(envelope)
        self._news.set()

    async def finish(self) -> None:
        self._ended.set()
        self._news.set()
        await self._task

    async def _write(self) -> None:
        last: Envelope | None = None
        while not self._ended.is_set() or self._fresh:
            await self._news.wait()
            self._news.clear()
            fresh, self._fresh = self._fresh, []
            if not fresh:
                continue
            last = fresh[-1]
            try:
                await in_thread(_keep, fresh)
            except Exception:
                # The conversation may have been deleted meanwhile; a log with a hole is refused by whoever reads it.
                log.warning("The log of run %s could not be written.", last.run_id, exc_info=True)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._ended.wait(), STRETCH_SECONDS)
        if last is not None and not isinstance(last.event, Done):
            await in_thread(_set_state, last.run_id, "waiting", last.seq)


@again
def _keep(fresh: Sequence[Envelope]) -> None:
    with writing():
        for run_id, told in groupby(fresh, key=lambda envelope: envelope.run_id):
            envelopes = list(told)
            first, last = envelopes[0], envelopes[-1]
            state = "over" if isinstance(last.event, Done) else "running"
            conversation_id = uuid.UUID(first.conversation_id)
            _, made = models.Run.objects.get_or_create(
                run_id=run_id,
                defaults={"conversation_id": conversation_id, "state": state, "seq": last.seq},
            )
            if not made:
                _set_state(run_id, state, last.seq)
            models.Stretch.objects.create(run_id=run_id, first=first.seq, last=last.seq, frames=_joined(envelopes))
            if first.seq == 1:  # the log of the run before has done its duty
                old = models.Stretch.objects.filter(run__conversation_id=conversation_id, run__state="over")
                old.exclude(run_id=run_id).delete()


@again
def _set_state(run_id: str, state: str, seq: int) -> None:
    """Where a run stands after this number. Another worker may have gone on with it since: then that one's word holds."""
    models.Run.objects.filter(run_id=run_id, seq__lte=seq).update(state=state, seq=seq, updated=timezone.now())


def _joined(envelopes: Sequence[Envelope]) -> list[wire.Frame]:
    """The frames without their places; pieces of one text stand together."""
    frames: list[wire.Frame] = []
    for envelope in envelopes:
        frame = {key: value for key, value in wire.frame(envelope).items() if key not in _PLACE}
        if frame["type"] in _PIECES:
            if frames and frames[-1]["type"] == frame["type"]:
                frames[-1]["pieces"].append(frame["content"])
                continue
            frame = {"type": frame["type"], "pieces": [frame["content"]]}
        frames.append(frame)
    return storable(wire.decode(frames))


def _spread(stretch: models.Stretch, conversation_id: str) -> list[wire.Frame]:
    """The frames of a stretch as they were told, each in its place."""
    bodies: list[wire.Frame] = []
    for frame in stretch.frames:
        pieces = frame.get("pieces")
        bodies += [frame] if pieces is None else [{"type": frame["type"], "content": piece} for piece in pieces]
    place = {"conversation_id": conversation_id, "run_id": stretch.run.run_id}
    return [{**body, **place, "seq": stretch.first + step} for step, body in enumerate(bodies)]
