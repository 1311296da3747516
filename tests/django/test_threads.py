"""One person's slow query does not hold up another's."""

import asyncio
import contextvars
import functools
import os
import threading

import pytest
from django.db import connection, connections
from django.db.utils import ConnectionHandler
from pytest_django import DjangoDbBlocker

from dragoman.django import threads
from dragoman.django.threads import Pool, _with_fresh_connections, in_thread, share_the_test_thread

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


def test_a_thread_that_cannot_put_down_what_it_held_goes_on_working(caplog: pytest.LogCaptureFixture):
    tried = threading.Semaphore(0)

    def idle() -> None:
        tried.release()
        raise OSError("the server is gone")

    pool = Pool(1, 0.01, idle)
    assert pool.submit(lambda: 1).result(WAIT) == 1
    assert tried.acquire(timeout=WAIT)
    assert pool.submit(lambda: 2).result(WAIT) == 2
    assert "could not put down what it held" in caplog.text


@pytest.mark.service("postgres")
def test_a_thread_gives_a_connection_of_a_pool_back_at_once(
    monkeypatch: pytest.MonkeyPatch, django_db_blocker: DjangoDbBlocker
):
    monkeypatch.setattr(threads, "KEEP_CONNECTION_SECONDS", 3600)
    server = {
        "ENGINE": "django.db.backends.postgresql",
        "HOST": "127.0.0.1",
        "USER": os.environ.get("PGUSER", "postgres"),
        "NAME": "postgres",
        "OPTIONS": {"pool": {"min_size": 1, "max_size": 1, "timeout": WAIT}},
    }
    settings = ConnectionHandler({"default": {"ENGINE": "django.db.backends.sqlite3"}, "pooled": server}).settings
    monkeypatch.setitem(connections.settings, "pooled", settings["pooled"])
    crew, both = Pool(2, 3600, lambda: None), threading.Barrier(2)

    def ask() -> int:
        with connections["pooled"].cursor() as cursor:
            cursor.execute("select 1")
            return int(cursor.fetchone()[0])

    def together() -> int:
        both.wait(WAIT)
        return _with_fresh_connections(ask)

    with django_db_blocker.unblock():
        try:
            assert crew.submit(functools.partial(_with_fresh_connections, ask)).result(WAIT) == 1
            # Two threads, of which one has just had the pool's only connection and now has nothing more to do.
            waiting = [crew.submit(together) for _ in range(2)]
            assert [future.result(2 * WAIT) for future in waiting] == [1, 1]
        finally:
            connections["pooled"].close_pool()
