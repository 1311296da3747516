"""Run synchronous work, such as the ORM's, off the event loop and off the one thread everybody else shares."""

import asyncio
import contextvars
import functools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from asgiref.sync import sync_to_async
from django.db import close_old_connections

# asgiref runs thread-sensitive work on one thread a process: a two-second query of one person would delay everybody's.
_pool = ThreadPoolExecutor(max_workers=32, thread_name_prefix="dragoman")
_shares_the_test_thread = False


async def in_thread[**P, R](function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    """The function's result, computed on a pool of our own with the caller's context variables.

    A database connection that outlived its age is closed before and after. What the function raises is raised here.
    Cancelling the wait does not stop a function that has begun.
    """
    if _shares_the_test_thread:
        return await sync_to_async(function, thread_sensitive=True)(*args, **kwargs)
    work = functools.partial(contextvars.copy_context().run, _with_fresh_connections, function, *args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(_pool, work)


@contextmanager
def share_the_test_thread() -> Iterator[None]:
    """Keep the work on the thread that holds a test's transaction; a thread of the pool would not see its rows."""
    global _shares_the_test_thread
    before, _shares_the_test_thread = _shares_the_test_thread, True
    try:
        yield
    finally:
        _shares_the_test_thread = before


def _with_fresh_connections[**P, R](function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    close_old_connections()
    try:
        return function(*args, **kwargs)
    finally:
        close_old_connections()
