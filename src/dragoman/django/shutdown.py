"""Let a server that is told to end take leave of its streams: runs are interrupted, stored, and said to be over."""

import asyncio
import logging
import signal
import threading
from collections.abc import Callable
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


_leaving: set[Leaving] = set()
_chained: set[Callable[..., Any]] = set()


def takes_leave(one: Leaving) -> None:
    """See to it that the streams of this one end with the server.

    A server waits for its open streams, and a stream waits for its run: without this, one open stream keeps Uvicorn
    from ending, or is cut off with nothing said. The server's own handler is called as before.
    """
    _leaving.add(one)
    if threading.current_thread() is not threading.main_thread():
        return
    for number in _SIGNALS:
        handler = signal.getsignal(number)
        if handler not in _NOBODY and handler not in _chained and callable(handler):
            signal.signal(number, _before(handler, asyncio.get_running_loop()))


def _before(handler: Callable[[int, FrameType | None], Any], loop: asyncio.AbstractEventLoop) -> Callable[..., None]:
    def told(number: int, frame: FrameType | None) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(_end_all)
        handler(number, frame)

    _chained.add(told)
    return told


def _end_all() -> None:
    for one in _leaving:
        task = asyncio.ensure_future(one.shutdown())
        _farewells.add(task)
        task.add_done_callback(_farewells.discard)


# The loop keeps no reference to a task; without one it may be collected before it is done.
_farewells: set[asyncio.Future[None]] = set()
