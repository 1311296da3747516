"""One person's slow query does not hold up another's."""

import asyncio
import contextvars
import threading

import pytest

from dragoman.django.threads import in_thread, share_the_test_thread

WAIT = 10  # seconds until a test that hangs is called failed; nothing measures against it

who = contextvars.ContextVar("who", default="nobody")


async def test_a_slow_query_of_one_person_does_not_delay_another_persons():
    started, gate = threading.Event(), threading.Event()

    def slow() -> str:
        started.set()
        assert gate.wait(WAIT)
        return "slow"

    first = asyncio.create_task(in_thread(slow))
    try:
        assert await in_thread(started.wait, WAIT)
        async with asyncio.timeout(WAIT):
            assert await in_thread(lambda: "quick") == "quick"
        assert not first.done()
    finally:
        gate.set()
    assert await first == "slow"


async def test_work_sees_the_context_of_who_asked_for_it():
    who.set("ada")
    assert await in_thread(who.get) == "ada"


async def test_an_error_reaches_the_one_who_waits():
    with pytest.raises(ZeroDivisionError):
        await in_thread(lambda: 1 / 0)


async def test_inside_a_test_the_work_stays_on_the_thread_that_holds_the_transaction():
    here = threading.current_thread()
    with share_the_test_thread():
        first = await in_thread(threading.current_thread)
    assert await in_thread(threading.current_thread) not in (first, here)
    with share_the_test_thread():
        assert await in_thread(threading.current_thread) is first
