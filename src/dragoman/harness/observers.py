"""Who attends a turn: observers are told each event before its listener, a tracer stands around the whole."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import Protocol

from dragoman.harness.caller import Caller
from dragoman.harness.events import Envelope, Event, TextChunk, Thinking
from dragoman.harness.patience import uninterrupted
from dragoman.harness.provider import Provider
from dragoman.harness.store import Hold

log = logging.getLogger("dragoman.assistant")

Observer = Callable[[Caller, Envelope], Awaitable[None]]

_OBSERVING_SECONDS = 5  # how long a turn waits for an observer that does not come back


class Tracer(Protocol):
    """What stands around a turn, as spans do."""

    def provider(self, inner: Provider) -> Provider:
        """The provider of one turn, with whatever is to surround its replies."""
        ...

    def turn(self, envelopes: AsyncGenerator[Envelope]) -> AsyncGenerator[Envelope]:
        """The same envelopes; closed, it closes them."""
        ...


class Untraced:
    """Stands around nothing."""

    def provider(self, inner: Provider) -> Provider:
        """The same."""
        return inner

    def turn(self, envelopes: AsyncGenerator[Envelope]) -> AsyncGenerator[Envelope]:
        """The same."""
        return envelopes


async def tell(observers: Sequence[Observer], caller: Caller, hold: Hold, event: Event) -> Envelope:
    """The event with its number in the run, once the observers were told; they neither break a turn nor hold it up."""
    hold.seq += 1
    envelope = Envelope(hold.conversation_id, hold.run_id, hold.seq, event)
    if observers and isinstance(event, TextChunk | Thinking):
        await _observe(observers, caller, envelope, None)  # hundreds a turn: an observer takes note and does not wait
    elif observers:
        try:
            await uninterrupted(_observe(observers, caller, envelope, _OBSERVING_SECONDS))
        except asyncio.CancelledError:
            # What was observed is told first; the cancellation comes at the next wait.
            if task := asyncio.current_task():
                task.uncancel()
                task.cancel()
    return envelope


async def _observe(observers: Sequence[Observer], caller: Caller, envelope: Envelope, seconds: float | None) -> None:
    for observer in observers:
        try:
            if seconds is None:  # even a timeout without an end costs more than most observers
                await observer(caller, envelope)
                continue
            async with asyncio.timeout(seconds):
                await observer(caller, envelope)
        except TimeoutError:
            log.error("An observer did not come back within %s seconds; the turn goes on.", seconds)
        except Exception:
            log.exception("An observer failed; the turn goes on.")
