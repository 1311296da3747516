"""Of two who want the same at once, each held until the other is there, one gets it: in every kind of database.

The threads stand for workers: they share the database and nothing else. The store's own conditions decide; with each of
them switched off, both get it.
"""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.core.exceptions import ObjectDoesNotExist
from django.db import connection
from django.db.models import QuerySet
from django.db.models.signals import pre_save

from dragoman.django import leases, models, runlog, store
from dragoman.django.store import DjangoStore
from dragoman.harness.caller import Caller
from dragoman.harness.events import Done, Envelope
from dragoman.harness.messages import ToolCall, Usage, new_id
from dragoman.harness.store import Decision, Hold, PausedCall
from tests.databases import SERVERS

ADA = Caller("user:1", is_authenticated=True)
WAIT = 60  # seconds until a test that hangs is called failed

pytestmark = pytest.mark.usefixtures("shared_database")


def both(one: Callable[[], Any], other: Callable[[], Any]) -> list[Any]:
    """What each of two threads got, which worked at the same time."""

    def work(side: Callable[[], Any]) -> Any:
        try:
            return side()
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(work, (one, other)))


@pytest.fixture
def gate() -> threading.Barrier:
    return threading.Barrier(2, timeout=WAIT)


@pytest.fixture
def careless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every update is taken as done, whatever its condition was."""
    update = QuerySet.update

    def updated(self: QuerySet[Any], **values: Any) -> int:
        update(self, **values)
        return 1

    monkeypatch.setattr(QuerySet, "update", updated)


# Two decisions, and a decision against a timeout ------------------------------------------------------------------------

SIDES = [
    ("confirmed", "confirmed"),
    ("confirmed", "user_rejected"),
    ("confirmed", "confirmation_timed_out"),
    ("user_rejected", "superseded"),
]


@pytest.fixture
def deciding(gate: threading.Barrier, monkeypatch: pytest.MonkeyPatch) -> Callable[[Decision], PausedCall | None]:
    """Decides a call that waits; held between its look, which finds the call open, and its claim."""
    first = QuerySet.first

    def look_and_wait(self: QuerySet[Any]) -> Any:
        found = first(self)
        if isinstance(found, models.PausedCall):
            gate.wait()
        return found

    conversation = DjangoStore()._create(ADA, "")
    call = ToolCall("call", "mutate", {"mutation": "archive"})
    store._pause([PausedCall(call, conversation.id, "run", datetime.now(UTC) + timedelta(minutes=1))])
    monkeypatch.setattr(QuerySet, "first", look_and_wait)
    return lambda decision: DjangoStore()._claim("call", ADA, decision)


@pytest.mark.parametrize("sides", SIDES)
def test_of_two_decisions_one_gets_the_call(
    deciding: Callable[[Decision], PausedCall | None], sides: tuple[Decision, Decision]
):
    claimed = both(*(partial(deciding, side) for side in sides))
    [won] = [call for call in claimed if call is not None]
    assert won.decision == sides[claimed.index(won)] == models.PausedCall.objects.get().decision


@pytest.mark.usefixtures("careless")
@pytest.mark.parametrize("sides", SIDES)
def test_without_its_condition_both_decisions_would_get_the_call(
    deciding: Callable[[Decision], PausedCall | None], sides: tuple[Decision, Decision]
):
    assert None not in both(*(partial(deciding, side) for side in sides))


# Two messages ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def taking(gate: threading.Barrier) -> Callable[[], int | None]:
    """Takes a conversation; held before the one statement which does that."""
    conversation = DjangoStore()._create(ADA, "")

    def take() -> int | None:
        gate.wait()
        return leases.take(conversation.id, "run", new_id(), 30)

    return take


def test_of_two_messages_one_gets_the_conversation(taking: Callable[[], int | None]):
    assert sorted(seq is None for seq in both(taking, taking)) == [False, True]
    assert models.Conversation.objects.get().lease_until is not None


@pytest.mark.usefixtures("careless")
def test_without_its_condition_both_messages_would_get_the_conversation(taking: Callable[[], int | None]):
    assert None not in both(taking, taking)


# The first conversation -----------------------------------------------------------------------------------------------


@pytest.fixture
def missing(gate: threading.Barrier, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever looks for a row and finds none is held before they write it."""
    get = QuerySet.get

    def look_and_wait(self: QuerySet[Any], *args: Any, **kwargs: Any) -> Any:
        try:
            return get(self, *args, **kwargs)
        except ObjectDoesNotExist:
            gate.wait()
            raise

    monkeypatch.setattr(QuerySet, "get", look_and_wait)


@pytest.fixture
def beginning(missing: None) -> Callable[[], str]:
    """Goes on with the session's conversation; held between its last look, which finds none, and its own new row."""
    return lambda: DjangoStore()._newest(ADA, "monday").id


@pytest.fixture
def without_the_slot() -> Iterator[None]:
    def leave_out(sender: Any, instance: models.Conversation, **_: Any) -> None:
        instance.slot = None

    pre_save.connect(leave_out, models.Conversation)
    yield
    pre_save.disconnect(leave_out, models.Conversation)


def test_two_first_messages_of_a_session_begin_one_conversation(beginning: Callable[[], str]):
    assert len(set(both(beginning, beginning))) == 1
    assert models.Conversation.objects.count() == 1


@pytest.mark.usefixtures("without_the_slot")
def test_without_its_slot_a_session_would_get_two_conversations(beginning: Callable[[], str]):
    assert len(set(both(beginning, beginning))) == 2


# The end of a run and its log -----------------------------------------------------------------------------------------


@pytest.fixture
def both_write(gate: threading.Barrier) -> Iterator[None]:
    """Whoever is about to write a run is held there."""

    def wait(**_: Any) -> None:
        gate.wait()

    pre_save.connect(wait, models.Run)
    yield
    pre_save.disconnect(wait, models.Run)


# SQLite lets one transaction write at a time: there they never meet.
@pytest.mark.parametrize("shared_database", SERVERS, indirect=True)
@pytest.mark.usefixtures("both_write")
def test_the_end_of_a_run_and_its_log_write_one_row():
    conversation = DjangoStore()._create(ADA, "")
    leases.take(conversation.id, "run", "holder", 30)
    told = [Envelope(conversation.id, "run", 1, Done("stop", "message", "actor", "script", Usage()))]
    both(
        lambda: leases.give_back(Hold(conversation.id, "run", 1), "holder"),
        lambda: runlog._keep(told),
    )
    run = models.Run.objects.get()
    assert (run.run_id, run.seq, run.state) == ("run", 1, "over")
    assert [frame["seq"] for frame in runlog.look(conversation.id, "run", 0).frames] == [1]
    assert models.Conversation.objects.get().lease_until is None


def test_a_log_that_comes_late_takes_back_no_word_of_whoever_went_on():
    conversation = DjangoStore()._create(ADA, "")
    models.Run.objects.create(run_id="run", conversation_id=conversation.id, seq=9, state="over")
    runlog._set_state("run", "waiting", 5)
    assert models.Run.objects.values_list("seq", "state").get() == (9, "over")
    runlog._set_state("run", "waiting", 9)
    assert models.Run.objects.values_list("seq", "state").get() == (9, "waiting")
