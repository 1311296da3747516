"""Let a server that is told to end take leave of its streams: runs are interrupted, stored, and said to be over."""

import asyncio
import logging
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from dragoman.harness.runs import Supervisor

log = logging.getLogger("dragoman.shutdown")

_SIGNALS = (signal.SIGTERM, signal.SIGINT)
# What Python and programs without a server of ours have in place; then nobody is there to be told, and nothing is changed.
_NOBODY = (None, signal.SIG_DFL, signal.SIG_IGN, signal.default_int_handler)

_supervisors: set[Supervisor] = set()
_chained: set[Callable[..., Any]] = set()


def takes_leave(supervisor: Supervisor) -> None:
    """See to it that the runs of this supervisor end with the server.

    A server waits for its open streams, and a stream waits for its run: without this, one open stream keeps Uvicorn
    from ending, or is cut off with nothing said. The server's own handler is called as before.
    """
    _supervisors.add(supervisor)
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
    for supervisor in _supervisors:
        task = asyncio.ensure_future(supervisor.shutdown())
        _farewells.add(task)
        task.add_done_callback(_farewells.discard)


# The loop keeps no reference to a task; without one it may be collected before it is done.
_farewells: set[asyncio.Future[None]] = set()
