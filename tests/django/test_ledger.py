"""Of many messages at once, as many are let in as there is room for: on every database, and only because of its lock."""

import threading
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from dragoman.django import budgets, models
from dragoman.django.budgets import Ledger
from dragoman.django.conf import RateLimit
from dragoman.harness.caller import Caller
from dragoman.harness.errors import RateLimited, TooManyTurns
from dragoman.harness.messages import new_id
from tests.databases import SERVERS

MESSAGES, BUDGET = 20, 5
WAIT = 60  # seconds until a test that hangs is called failed

pytestmark = pytest.mark.usefixtures("shared_database")


def at_once(ledger: Ledger, callers: list[Caller], tokens: int = 0) -> int:
    """How many of a message from each of these, all at the same time, are let in; with `tokens`, all needing so many."""
    gate = threading.Barrier(len(callers), timeout=WAIT)

    def ask(caller: Caller) -> bool:
        run_id = new_id()
        try:
            gate.wait()
            ledger._admit(caller, uuid.uuid4().hex, run_id)
            if tokens:
                gate.wait()
                ledger._reserve(caller, run_id, tokens)
        except (RateLimited, TooManyTurns):
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(len(callers)) as pool:
        return sum(pool.map(ask, callers))


ADA = Caller("user:1", is_authenticated=True)
LEDGER = Ledger("default", RateLimit(BUDGET, None))


def test_of_twenty_messages_at_once_on_a_budget_of_five_five_are_let_in():
    assert at_once(LEDGER, [ADA] * MESSAGES) == BUDGET
    assert models.Usage.objects.count() == BUDGET


def test_of_twenty_at_once_from_one_address_five_are_let_in_whatever_session_they_begin():
    visitors = [Caller(f"session:{number}", address="somewhere") for number in range(MESSAGES)]
    assert at_once(LEDGER, visitors) == BUDGET


def test_of_twenty_at_once_as_many_are_let_in_as_an_hours_tokens_are_meant_for():
    assert at_once(Ledger("default", RateLimit(BUDGET, 100_000)), [ADA] * MESSAGES) == BUDGET
    assert at_once(Ledger("other", RateLimit(None, 20_000)), [ADA] * MESSAGES) == BUDGET


# Each of the twenty counts 4,000 tokens when it is let in: 16 of those and four times 30,000 are 184,000, and one more too many.
ROOMY = Ledger("roomy", RateLimit(None, 200_000, None))


def test_of_twenty_at_once_as_many_are_sent_as_there_are_tokens_for():
    assert at_once(ROOMY, [ADA] * MESSAGES, tokens=30_000) == 4


def test_of_twenty_at_once_as_many_are_let_in_as_may_be_answered_at_once():
    assert at_once(Ledger("crowd", RateLimit(None, None, 3)), [ADA] * MESSAGES) == 3
    assert at_once(Ledger("alone", RateLimit(None, None, 3)), [ADA] * 3) == 3


def test_people_do_not_share_a_budget():
    people = [Caller(f"user:{number}", is_authenticated=True) for number in range(MESSAGES)]
    assert at_once(LEDGER, people) == MESSAGES


# SQLite lets one transaction write at a time, lock or not.
@pytest.mark.parametrize("shared_database", SERVERS, indirect=True)
def test_without_the_lock_all_twenty_count_before_any_has_written_and_all_are_let_in(monkeypatch: pytest.MonkeyPatch):
    counting: Callable[..., Any] = Ledger._room
    gate = threading.Barrier(MESSAGES, timeout=WAIT)

    def count_and_wait(self: Ledger, *arguments: Any, **more: Any) -> Any:
        room = counting(self, *arguments, **more)
        gate.wait()
        return room

    monkeypatch.setattr(Ledger, "_room", count_and_wait)
    monkeypatch.setattr(budgets, "_lock", lambda keys: None)
    assert at_once(LEDGER, [ADA] * MESSAGES) == MESSAGES
    assert at_once(ROOMY, [ADA] * MESSAGES, tokens=30_000) == MESSAGES
