"""Bound the wait for a stream's first piece and between pieces; see to the end what must not be cut short."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Literal

from dragoman.harness.errors import ProviderStalled, ProviderTimeout


class Interrupt:
    """Why a turn's task is cancelled: a person pressed stop, or nobody listens any more."""

    def __init__(self) -> None:
        self.reason: Literal["stopped", "interrupted"] = "interrupted"


async def patient[T](
    source: AsyncIterator[T], first_seconds: float, between_seconds: float, counts: Callable[[T], bool]
) -> AsyncIterator[T]:
    """Pass on the pieces of `source`, and close it however this ends.

    Raises ProviderTimeout when nothing came within `first_seconds`, ProviderStalled when nothing more came within
    `between_seconds`. A piece for which `counts` is false is passed on but does not renew the wait.
    """
    watch = _Watch(first_seconds)
    started = False
    try:
        while True:
            watch.begin()
            try:
                piece = await anext(source)
            except StopAsyncIteration:
                return
            except asyncio.CancelledError:
                if not watch.gave_up():
                    raise
                if started:
                    raise ProviderStalled(f"The model fell silent for {between_seconds:g} seconds.") from None
                raise ProviderTimeout(f"The model did not begin to answer within {first_seconds:g} seconds.") from None
            finally:
                watch.end()
            something = counts(piece)
            started = started or something
            yield piece
            if something:  # from now on: the time a slow reader takes is not held against the model
                watch.renew(between_seconds)
    finally:
        watch.close()
        await close(source)


class _Watch:
    """A deadline on a wait that begins again and again: one timer for all of them, looked at when it fires.

    `asyncio.timeout` arms and cancels a timer per wait, which costs a stream of short pieces a third of its time.
    """

    def __init__(self, seconds: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._seconds = seconds
        self._deadline = self._loop.time() + seconds
        self._timer = self._loop.call_at(self._deadline, self._look)
        self._task: asyncio.Task[object] | None = None
        self._cancelling = 0
        self._fired = False

    def begin(self) -> None:
        """Somebody waits from here on."""
        self._task = asyncio.current_task()
        self._cancelling = self._task.cancelling() if self._task else 0

    def end(self) -> None:
        """The wait is over, one way or the other."""
        if self._fired and self._task is not None:
            self._task.uncancel()
            self._fired = False
        self._task = None

    def gave_up(self) -> bool:
        """Whether the cancellation that ended the wait was this watch's, and nobody else's too."""
        if not self._fired or self._task is None:
            return False
        self._fired = False
        return self._task.uncancel() <= self._cancelling

    def renew(self, seconds: float) -> None:
        """The next wait may take this long."""
        self._seconds = seconds
        self._deadline = self._loop.time() + seconds
        if self._timer.when() > self._deadline:
            self._timer.cancel()
            self._timer = self._loop.call_at(self._deadline, self._look)

    def close(self) -> None:
        """No further wait."""
        self._timer.cancel()

    def _look(self) -> None:
        now = self._loop.time()
        if self._task is not None and now >= self._deadline:
            self._fired = True
            self._task.cancel()
            return
        self._timer = self._loop.call_at(max(self._deadline, now + 0.001), self._look)


async def close(source: object) -> None:
    """Close an async generator or stream, where it can be closed."""
    if aclose := getattr(source, "aclose", None):
        with suppress(Exception):  # what a broken stream says while it closes changes nothing any more
            await aclose()


async def uninterrupted[T](work: Awaitable[T]) -> T:
    """Await `work` to its end even when cancelled meanwhile; the cancellation is raised afterwards."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            if task.cancelled():
                raise
            cancelled = error
        except Exception:
            break
    if cancelled is not None:
        task.exception()  # seen, so that it is not reported as lost
        raise cancelled
    return task.result()
