"""One person's slow query does not hold up another's."""

import asyncio
import contextvars
import threading

import pytest
from django.db import connection

from dragoman.django.threads import Pool, in_thread, share_the_test_thread

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


def test_a_thread_with_nothing_to_do_says_so_once_and_works_on_afterwards():
    told = threading.Semaphore(0)
    pool = Pool(1, 0.01, told.release)
    assert pool.submit(lambda: 1).result(WAIT) == 1
    assert told.acquire(timeout=WAIT)
    assert not told.acquire(timeout=0.05)
    assert pool.submit(lambda: 2).result(WAIT) == 2
    assert told.acquire(timeout=WAIT)


def test_work_is_spread_over_as_many_threads_as_are_allowed_and_no_more():
    pool, both = Pool(2, 60, lambda: None), threading.Barrier(2)
    waiting = [pool.submit(lambda: (both.wait(WAIT), threading.current_thread())[1]) for _ in range(2)]
    first, second = (future.result(WAIT) for future in waiting)
    assert first is not second
    assert {pool.submit(threading.current_thread).result(WAIT) for _ in range(8)} <= {first, second}


def test_what_was_given_up_before_a_thread_took_it_is_not_begun():
    pool, gate, begun = Pool(1, 60, lambda: None), threading.Event(), threading.Event()
    blocking = pool.submit(lambda: gate.wait(WAIT))
    waiting = pool.submit(begun.set)
    assert waiting.cancel()
    gate.set()
    assert blocking.result(WAIT)
    assert pool.submit(lambda: "next").result(WAIT) == "next"
    assert not begun.is_set()


@pytest.mark.django_db(transaction=True)
async def test_the_work_of_one_turn_does_not_open_a_connection_each_time():
    def used() -> object:
        connection.ensure_connection()
        return connection.connection

    opened = {id(kept) for kept in [await in_thread(used) for _ in range(5)]}
    assert len(opened) == 1
