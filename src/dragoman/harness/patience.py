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
    loop = asyncio.get_running_loop()
    started, deadline = False, loop.time() + first_seconds
    try:
        while True:
            wait = asyncio.timeout_at(deadline)
            try:
                async with wait:
                    piece = await anext(source)
            except StopAsyncIteration:
                return
            except TimeoutError:
                if not wait.expired():  # the source's own
                    raise
                if started:
                    raise ProviderStalled(f"The model fell silent for {between_seconds:g} seconds.") from None
                raise ProviderTimeout(f"The model did not begin to answer within {first_seconds:g} seconds.") from None
            if counts(piece):
                started = True
            yield piece
            if counts(piece):  # the wait is for the model: the time a slow reader takes is not held against it
                deadline = loop.time() + between_seconds
    finally:
        await close(source)


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
