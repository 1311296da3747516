"""A transaction that writes waits for its turn, also on an SQLite of which the project's settings say nothing."""

import sqlite3
import threading
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.db.models import Value
from django.db.models.functions import Concat

from dragoman.django import leases, models, runlog, store
from dragoman.django.budgets import Ledger
from dragoman.django.conf import RateLimit
from dragoman.django.transactions import again, writing
from dragoman.harness.caller import Caller
from dragoman.harness.events import Done, Envelope
from dragoman.harness.messages import Message, Usage, new_id
from dragoman.harness.store import Hold
from tests.databases import SERVERS

ADA = Caller("user:1", is_authenticated=True)
WAIT = 60  # seconds until a test that hangs is called failed

sqlite = pytest.mark.parametrize("shared_database", ["sqlite3"], indirect=True)


@pytest.fixture
def plain(shared_database: str, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], Any]:
    """Does something on a connection with Django's defaults while another program writes for some time."""
    monkeypatch.setitem(connection.settings_dict, "OPTIONS", {})
    file = connection.settings_dict["NAME"]

    def work(what: Callable[[], Any], held: threading.Event) -> Any:
        try:
            held.wait(WAIT)
            return what()
        finally:
            connection.close()

    def meanwhile(what: Callable[[], Any]) -> Any:
        held = threading.Event()
        with ThreadPoolExecutor(1) as pool, closing(sqlite3.connect(file, isolation_level=None)) as other:
            done = pool.submit(work, what, held)
            other.execute("begin immediate")
            held.set()
            threading.Event().wait(0.3)
            waited = not done.done()
            other.execute("commit")
            result = done.result(WAIT)
        assert waited
        return result

    return meanwhile


def _read_and_write(transact: Any, conversation: models.Conversation) -> Callable[[], int]:
    def work() -> int:
        with transact:
            title = models.Conversation.objects.get(pk=conversation.pk).title
            return models.Conversation.objects.filter(title=title).update(title="new")

    return work


@pytest.fixture
def conversation(shared_database: str) -> models.Conversation:
    return models.Conversation.objects.create(alias="default", owner=ADA.key, lease_holder="me")


@sqlite
def test_what_reads_first_waits_for_its_turn_to_write(plain: Any, conversation: models.Conversation):
    assert plain(_read_and_write(writing(), conversation)) == 1


@sqlite
def test_without_it_sqlite_refuses_at_once(plain: Any, conversation: models.Conversation):
    with pytest.raises(OperationalError, match="locked"):
        plain(_read_and_write(transaction.atomic(), conversation))


def _settled(conversation: models.Conversation, run_id: str) -> None:
    leases.give_back(Hold(conversation.pk.hex, run_id, 3), "me")


def _logged(conversation: models.Conversation, run_id: str) -> None:
    runlog._keep([Envelope(conversation.pk.hex, run_id, 1, Done("stop", new_id(), "planner", "", Usage(1, 1)))])


def _admitted(conversation: models.Conversation, run_id: str) -> None:
    ledger = Ledger("default", RateLimit(max_requests_per_hour=5, max_tokens_per_hour=1000))
    ledger._admit(ADA, conversation.pk.hex, run_id)
    ledger._reserve(ADA, run_id, 10)


def _appended(conversation: models.Conversation, run_id: str) -> None:
    message = Message("user", "Hello", id=new_id(), run_id=run_id)
    store._append(conversation.pk.hex, [message])
    store._take_back(conversation.pk.hex, message.id)


@sqlite
@pytest.mark.parametrize("work", [_settled, _logged, _admitted, _appended])
def test_all_that_is_stored_waits_for_its_turn(plain: Any, conversation: models.Conversation, work: Any):
    plain(lambda: work(conversation, new_id()))


@sqlite
def test_without_it_a_log_would_be_lost(plain: Any, conversation: models.Conversation, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(runlog, "writing", transaction.atomic)
    with pytest.raises(OperationalError, match="locked"):
        plain(lambda: _logged(conversation, new_id()))


def _fails_half_way(conversation: models.Conversation) -> None:
    with writing():
        models.Conversation.objects.filter(pk=conversation.pk).update(title="new")
        with writing():  # one within it is a part of it
            models.Conversation.objects.create(alias="default", owner=ADA.key)
        raise ZeroDivisionError


def test_it_is_one_transaction_on_every_database(shared_database: str, conversation: models.Conversation):
    usual = getattr(connection, "transaction_mode", None)
    with pytest.raises(ZeroDivisionError):
        _fails_half_way(conversation)
    assert list(models.Conversation.objects.values_list("title", flat=True)) == [""]
    assert getattr(connection, "transaction_mode", None) == usual


# Called off --------------------------------------------------------------------------------------------------------------


def _two_that_wait_for_each_other(write: Callable[[uuid.UUID, uuid.UUID, Callable[[], Any]], None]) -> list[Any]:
    """What became of two who write the same two rows, each beginning with another and held until both have begun."""
    one, two = (models.Conversation.objects.create(alias="default", owner=ADA.key).pk for _ in range(2))
    gate = threading.Barrier(2)

    def work(first: uuid.UUID, second: uuid.UUID) -> BaseException | None:
        try:
            write(first, second, partial(gate.wait, WAIT))
        except OperationalError as error:
            return error
        finally:
            connection.close()
        return None

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(work, (one, two), (two, one)))


def _write_both() -> Callable[[uuid.UUID, uuid.UUID, Callable[[], Any]], None]:
    begun: set[int] = set()

    def write(first: uuid.UUID, second: uuid.UUID, meet: Callable[[], Any]) -> None:
        with writing():
            models.Conversation.objects.filter(pk=first).update(title=Concat("title", Value("x")))
            if threading.get_ident() not in begun:
                begun.add(threading.get_ident())
                meet()
            models.Conversation.objects.filter(pk=second).update(title=Concat("title", Value("x")))

    return write


on_servers = pytest.mark.parametrize("shared_database", SERVERS, indirect=True)


@on_servers
def test_of_two_that_wait_for_each_other_both_are_carried_out_once(shared_database: str):
    assert _two_that_wait_for_each_other(again(_write_both())) == [None, None]
    assert list(models.Conversation.objects.values_list("title", flat=True)) == ["xx", "xx"]


@on_servers
def test_without_it_one_of_them_fails(shared_database: str):
    became = _two_that_wait_for_each_other(_write_both())
    assert became.count(None) == 1
    assert list(models.Conversation.objects.values_list("title", flat=True)) == ["x", "x"]


def _failing(*errors: BaseException) -> Callable[[], str]:
    left = list(errors)

    def work() -> str:
        if left:
            raise left.pop(0)
        return "done"

    return work


DEADLOCK = OperationalError(1213, "Deadlock found when trying to get lock; try restarting transaction")


def test_it_is_not_carried_out_again_for_ever(shared_database: str):
    assert again(_failing(*[DEADLOCK] * 4))() == "done"
    with pytest.raises(OperationalError, match="Deadlock"):
        again(_failing(*[DEADLOCK] * 5))()


def test_any_other_error_is_raised_at_once(shared_database: str):
    with pytest.raises(OperationalError, match="gone"):
        again(_failing(OperationalError(2006, "The server has gone away")))()


def test_within_a_transaction_of_somebody_else_nothing_is_carried_out_again(shared_database: str):
    work = again(_failing(DEADLOCK))
    with pytest.raises(OperationalError), transaction.atomic():
        work()
