"""Let a server that is told to end take leave of its streams: runs are interrupted, stored, and said to be over."""

import asyncio
import logging
import signal
import threading
from collections.abc import Callable, Coroutine
from types import FrameType
from typing import Any, Protocol

log = logging.getLogger("dragoman.shutdown")

_SIGNALS = (signal.SIGTERM, signal.SIGINT)
# What Python and programs without a server of ours have in place; then nobody is there to be told, and nothing is changed.
_NOBODY = (None, signal.SIG_DFL, signal.SIG_IGN, signal.default_int_handler)


class Leaving(Protocol):
    """What has open streams."""

    async def shutdown(self) -> None:
        """End them, and wait until they have."""
        ...


# How long a server waits before it closes its sockets itself; the end of an answer is told and stored in a moment.
_PATIENCE_SECONDS = 3

_leaving: set[Leaving] = set()
_chained: set[Callable[..., Any]] = set()


def takes_leave(one: Leaving) -> None:
    """See to it that the streams of this one end with the server.

    A server waits for its open streams, and a stream waits for its run: without this, one open stream keeps Uvicorn
    from ending. A socket it closes at its next look, with nothing said: so its own handler is called when everybody has
    been told, after three seconds at the latest, or at once when the signal comes again.
    """
    _leaving.add(one)
    if threading.current_thread() is not threading.main_thread():
        return
    for number in _SIGNALS:
        handler = signal.getsignal(number)
        if handler not in _NOBODY and handler not in _chained and callable(handler):
            signal.signal(number, _before(handler, asyncio.get_running_loop()))


def _before(handler: Callable[[int, FrameType | None], Any], loop: asyncio.AbstractEventLoop) -> Callable[..., None]:
    asked = False

    def told(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        if asked or loop.is_closed():
            handler(number, frame)
        else:
            asked = True
            loop.call_soon_threadsafe(_keep, _farewell(lambda: handler(number, None)))

    _chained.add(told)
    return told


async def _farewell(go: Callable[[], object]) -> None:
    try:
        await _end_all()
    finally:
        go()
    await _end_all()  # and whatever was begun meanwhile, before the server closed its door


async def _end_all() -> None:
    ends = [asyncio.ensure_future(one.shutdown()) for one in _leaving]
    for done in (await asyncio.wait(ends, timeout=_PATIENCE_SECONDS))[0] if ends else ():
        if not done.cancelled() and done.exception():
            log.error("Something could not end with the server.", exc_info=done.exception())
    _keep(*ends)


def _keep(*work: Coroutine[Any, Any, None] | asyncio.Future[None]) -> None:
    for one in work:
        task = asyncio.ensure_future(one)
        _farewells.add(task)
        task.add_done_callback(_farewells.discard)


# The loop keeps no reference to a task; without one it may be collected before it is done.
_farewells: set[asyncio.Future[None]] = set()
