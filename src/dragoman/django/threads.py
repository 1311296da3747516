"""Run synchronous work, such as the ORM's, off the event loop and off the one thread everybody else shares."""

import asyncio
import atexit
import contextvars
import functools
import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from inspect import isawaitable, iscoroutinefunction
from typing import Any

from asgiref.sync import sync_to_async
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

log = logging.getLogger("dragoman.threads")

# A turn is some twenty short pieces of work. Django's CONN_MAX_AGE of 0 means "until the end of the request"; taken
# literally it would open twenty connections a turn, at 5 ms each with SQLite and more over a network.
KEEP_CONNECTION_SECONDS = 1.0

_shares_the_test_thread = False


async def in_thread[**P, R](function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    """The function's result, computed on a pool of our own with the caller's context variables.

    A database connection that outlived its age is closed before; one that is to be closed after each request is closed
    when its thread had nothing to do for a second. What the function raises is raised here. Cancelling the wait does
    not stop a function that has begun.
    """
    if _shares_the_test_thread:
        return await sync_to_async(function, thread_sensitive=True)(*args, **kwargs)
    work = functools.partial(contextvars.copy_context().run, _with_fresh_connections, function, *args, **kwargs)
    return await asyncio.wrap_future(_pool.submit(work))


async def called(function: Callable[..., Any], /, *args: Any) -> Any:
    """What a callable of the project answers, sync or async; a sync one runs in a thread and may use the ORM."""
    if iscoroutinefunction(function) or iscoroutinefunction(getattr(function, "__call__", None)):  # noqa: B004
        return await function(*args)
    answer = await in_thread(function, *args)
    return await answer if isawaitable(answer) else answer


@contextmanager
def share_the_test_thread() -> Iterator[None]:
    """Keep the work on the thread that holds a test's transaction; a thread of the pool would not see its rows."""
    global _shares_the_test_thread
    before, _shares_the_test_thread = _shares_the_test_thread, True
    try:
        yield
    finally:
        _shares_the_test_thread = before


class Pool:
    """Up to `most` threads, made as they are needed. One with nothing to do for `idle_seconds` calls `idle`, once.

    asgiref runs thread-sensitive work on one thread a process: a two-second query of one person would delay everybody's.
    A ThreadPoolExecutor has no word for a thread that is idle.
    """

    def __init__(self, most: int, idle_seconds: float, idle: Callable[[], None]) -> None:
        self._most, self._idle_seconds, self._idle = most, idle_seconds, idle
        self._work: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = queue.SimpleQueue()
        self._free = threading.Semaphore(0)
        self._lock = threading.Lock()
        self._threads = 0
        self._running: set[Future[Any]] = set()
        atexit.register(self._finish)

    def submit[R](self, work: Callable[[], R]) -> "Future[R]":
        """A future of the work's result. One that is cancelled before a thread took it is not begun."""
        future: Future[R] = Future()
        self._running.add(future)
        future.add_done_callback(self._running.discard)
        self._work.put((work, future))
        if not self._free.acquire(blocking=False):
            with self._lock:
                if self._threads < self._most:
                    self._threads += 1
                    # Daemons, because one that waits for work must not keep the process; see `_finish`.
                    threading.Thread(target=self._serve, name=f"dragoman_{self._threads}", daemon=True).start()
        return future

    def _serve(self) -> None:
        while True:
            try:
                work, future = self._work.get(timeout=self._idle_seconds)
            except queue.Empty:
                try:
                    self._idle()
                except Exception:
                    log.exception("A thread that has nothing to do could not put down what it held.")
                work, future = self._work.get()
            if not future.set_running_or_notify_cancel():
                self._free.release()
                continue
            result, error = None, None
            try:
                result = work()
            except BaseException as raised:
                error = raised
            # Free before anybody hears of the result: who waited for it may have more work for this very thread.
            self._free.release()
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)
            del work, future, result, error  # a thread that waits holds on to nobody's rows

    def _finish(self) -> None:
        """Let what has begun come to its end before the process does."""
        wait(list(self._running), timeout=30)


def _with_fresh_connections[**P, R](function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    for connection in _open_connections():
        if not _is_kept(connection):
            connection.close_if_unusable_or_obsolete()
        elif time.monotonic() >= (connection.close_at or 0):
            connection.close()
    try:
        return function(*args, **kwargs)
    finally:
        for connection in _open_connections():
            if _is_kept(connection):
                connection.close_at = time.monotonic() + KEEP_CONNECTION_SECONDS
            if not _is_kept(connection) or connection.errors_occurred:
                connection.close_if_unusable_or_obsolete()


def _close_idle_connections() -> None:
    for connection in _open_connections():
        if _is_kept(connection):
            connection.close()


def _open_connections() -> list[BaseDatabaseWrapper]:
    return [one for one in connections.all(initialized_only=True) if one.connection is not None]


def _is_kept(connection: BaseDatabaseWrapper) -> bool:
    """Whether Django would close it at the end of a request, and we do a second after its last use.

    One of a pool goes back at once: to take another costs nothing, and threads that each sit on one starve the rest.
    """
    return connection.settings_dict["CONN_MAX_AGE"] == 0 and not connection.settings_dict["OPTIONS"].get("pool")


_pool = Pool(32, KEEP_CONNECTION_SECONDS, _close_idle_connections)
