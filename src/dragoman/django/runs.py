"""Runs as other tabs and other workers meet them: hear one from any frame on, stop one, keep one that is listened to."""

import asyncio
import logging
import uuid
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager, suppress

from django.utils import timezone

from dragoman.django import models, runlog
from dragoman.django.shutdown import takes_leave
from dragoman.django.threads import in_thread
from dragoman.django.transactions import again
from dragoman.harness import wire
from dragoman.harness.errors import ChatError
from dragoman.harness.runs import Run, Supervisor

log = logging.getLogger("dragoman.runs")

WATCH_SECONDS = 1  # until a stop from another process is seen
_LOOK_SECONDS = 0.2  # between two looks at the log of a run elsewhere
_LOST_SECONDS = 3  # a run whose worker holds its conversation no longer is given this to write its end


class UnknownRun(ChatError):
    """There is no such run of this conversation, or its log is not kept any more."""

    code = "unknown_run"


async def attach(supervisor: Supervisor, conversation_id: str, run_id: str, after: int) -> AsyncGenerator[wire.Frame]:
    """The frames of a run after the number `after`, to its end or to where it waits for a person, in any worker.

    The model is asked nothing anew. Raises UnknownRun, and ChatError (run_lost) when the worker of the run died.
    """
    live = supervisor.find(conversation_id, run_id)
    if live is None:
        async for frame in _tail(conversation_id, run_id, after):
            yield frame
        return
    first = live.first(run_id) or 1
    if after + 1 < first:  # this part of the run began with a decision; what was told before is in the log
        found = await in_thread(runlog.look, conversation_id, run_id, after)
        earlier = [frame for frame in (found.frames if found else []) if frame["seq"] < first]
        if [frame["seq"] for frame in earlier] != list(range(after + 1, first)):
            raise _unknown()
        for frame in earlier:
            yield frame
    async with aclosing(live.listen()) as envelopes:
        async for envelope in envelopes:
            if envelope.run_id == run_id and envelope.seq > after:
                yield wire.frame(envelope)


async def _tail(conversation_id: str, run_id: str, after: int) -> AsyncGenerator[wire.Frame]:
    """The frames of a run elsewhere. They end without a last word when this server does: it goes on in its own worker."""
    lost = 0.0
    with _listeners.one() as ending:
        while not ending.is_set():
            found = await in_thread(runlog.look, conversation_id, run_id, after)
            if found is None or (not found.running and not found.frames and found.seq > after):
                raise _unknown()
            for frame in found.frames:
                if frame["seq"] != after + 1:
                    raise _unknown()
                after += 1
                yield frame
            if not found.running:
                return
            lost = 0 if found.held or found.frames else lost + _LOOK_SECONDS
            if lost > _LOST_SECONDS:
                raise ChatError("The server that wrote this answer is gone. What was kept is there.", code="run_lost")
            with suppress(TimeoutError):
                await asyncio.wait_for(ending.wait(), _LOOK_SECONDS)


class _Listeners:
    """Who listens in this process to runs elsewhere; their streams end with the server."""

    def __init__(self) -> None:
        self._ending: set[asyncio.Event] = set()

    @contextmanager
    def one(self) -> Iterator[asyncio.Event]:
        """One more; the event is set when the server ends."""
        ending = asyncio.Event()
        self._ending.add(ending)
        takes_leave(self)
        try:
            yield ending
        finally:
            self._ending.discard(ending)

    async def shutdown(self) -> None:
        """Tell all of them."""
        for ending in self._ending:
            ending.set()


_listeners = _Listeners()


async def stop(supervisor: Supervisor, conversation_id: str) -> bool:
    """Stop what answers in a conversation: at once in this process, within about a second in another one.

    False where nothing answers.
    """
    if await supervisor.stop(conversation_id):
        return True
    return await in_thread(_ask_to_stop, conversation_id)


async def going_on(supervisor: Supervisor, conversation_id: str) -> tuple[bool, str | None]:
    """Whether something answers in a conversation now, here or elsewhere, and the id of the run to attach to, if any.

    A run elsewhere can be attached to as soon as its log is begun, a moment after its first frame.
    """
    live = supervisor.running(conversation_id)
    if live is not None and live.run_id and live.first(live.run_id) == 1:
        return True, live.run_id
    held, run_id = await in_thread(_running_elsewhere, conversation_id)
    return held or live is not None, run_id


class Watch:
    """Looks once a second, while anything runs here, whether somebody elsewhere stops a run or listens to it."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor
        self._task: asyncio.Task[None] | None = None

    def over(self, run: Run) -> None:
        """Watch as long as this run, or any other, goes on."""
        if self._task is None or self._task.done() or self._task.get_loop() is not asyncio.get_running_loop():
            self._task = asyncio.ensure_future(self._look())
        run.task.add_done_callback(lambda _: self._rest())

    def _rest(self) -> None:
        if not self._supervisor.conversations() and self._task is not None:
            self._task.cancel()
            self._task = None

    async def _look(self) -> None:
        while ids := self._supervisor.conversations():
            await asyncio.sleep(WATCH_SECONDS)
            try:
                stopped, watched = await in_thread(_look, ids)
            except Exception:
                log.exception("Whether a run is stopped elsewhere could not be seen; it is tried again.")
                continue
            for conversation_id in ids:
                for run in self._supervisor.runs(conversation_id):
                    run.watched(conversation_id in watched)
            for conversation_id in stopped:
                await self._supervisor.stop(conversation_id)


def _unknown() -> UnknownRun:
    return UnknownRun("There is no such run, or it is not kept any more. Load the conversation.")


@again
def _ask_to_stop(conversation_id: str) -> bool:
    held = models.Conversation.objects.filter(pk=uuid.UUID(conversation_id), lease_until__gt=timezone.now())
    return bool(held.update(stop_requested=True))


def _running_elsewhere(conversation_id: str) -> tuple[bool, str | None]:
    key = uuid.UUID(conversation_id)
    if not models.Conversation.objects.filter(pk=key, lease_until__gt=timezone.now()).exists():
        return False, None
    running = models.Run.objects.filter(state="running", conversation_id=key).order_by("-updated")
    return True, running.values_list("pk", flat=True).first()


def _look(ids: list[str]) -> tuple[list[str], set[str]]:
    keys = [uuid.UUID(one) for one in ids]
    # A stop that a dead worker never saw is none for whoever comes after it.
    held = models.Conversation.objects.filter(pk__in=keys, stop_requested=True, lease_until__gt=timezone.now())
    stopped = held.values_list("pk", flat=True)
    watched = models.Run.objects.filter(conversation_id__in=keys, watched_until__gt=timezone.now())
    return [one.hex for one in stopped], {one.hex for one in watched.values_list("conversation_id", flat=True)}
