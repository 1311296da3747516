"""What the torture says of what went wrong: each of its judges finds the fault it looks for, and none in what is right."""

import asyncio
import random
import sys
import uuid
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from dragoman.django import models
from tests.torture import __main__ as torture
from tests.torture import books, world
from tests.torture.person import Person, Record, _Heard

Frame = dict[str, Any]


# What one line is told ------------------------------------------------------------------------------------------------


def heard(*frames: tuple[str | None, int]) -> Record:
    """The record of a line that was told frames with these runs and numbers."""
    record = Record()
    line = _Heard(record)
    for run, seq in frames:
        line.hear({"type": "text_chunk", "run_id": run, "seq": seq})
    return record


@pytest.mark.parametrize(
    ("numbers", "faults"),
    [
        ([1, 2, 3], []),
        ([7, 8], []),  # a line may join a run late
        ([1, 3], ["run a: 3 came after 1"]),
        ([1, 2, 2], ["run a: 2 came after 2"]),
        ([2, 1], ["run a: 1 came after 2"]),
    ],
    ids=["in order", "from the middle", "a gap", "a double", "backwards"],
)
def test_a_gap_and_a_double_in_what_a_line_is_told_are_faults(numbers: list[int], faults: list[str]):
    assert heard(*(("a", number) for number in numbers)).faults == faults


def test_another_run_is_counted_from_anew_and_a_refusal_belongs_to_none():
    record = heard(("a", 1), ("a", 2), ("b", 1), (None, 0), ("b", 2))
    assert (record.faults, record.counts["frames"]) == ([], 5)


def test_only_a_change_that_was_told_as_done_is_kept_as_done():
    record = Record()
    line = _Heard(record)
    for seq, result in enumerate(({"ok": True, "mark": "p1-1"}, {"status": "cancelled", "mark": "p1-2"}), 1):
        line.hear({"type": "tool_result", "run_id": "a", "seq": seq, "result": result})
    assert record.done == {"p1-1"}


# What a conversation is replayed as -----------------------------------------------------------------------------------

SAID: Frame = {"type": "user_message", "run_id": "a"}
CALLED: Frame = {"type": "tool_call", "run_id": "a", "id": "c1"}
RETURNED: Frame = {"type": "tool_result", "run_id": "a", "id": "c1"}
DONE: Frame = {"type": "done", "run_id": "a", "finish_reason": "stop"}


def replayed(*frames: Frame) -> list[str]:
    """What is said of a conversation that is replayed as these frames."""
    person = Person(1, (), Record(), random.Random(0))
    person._judge("room", list(frames))
    return person.record.faults


def test_a_turn_with_one_end_and_a_result_for_every_call_is_right():
    assert replayed(SAID, CALLED, RETURNED, DONE) == []


@pytest.mark.parametrize(
    ("frames", "fault"),
    [
        ((SAID,), "run a has 0 ends"),
        ((SAID, DONE, DONE), "run a has 2 ends"),
        ((SAID, DONE, RETURNED), "run a has 1 ends"),
        ((SAID, CALLED, DONE), "run a has calls without one result each"),
        ((SAID, CALLED, RETURNED, RETURNED, DONE), "run a has calls without one result each"),
        ((SAID, RETURNED, DONE), "run a has calls without one result each"),
    ],
    ids=["no end", "two ends", "more after the end", "no result", "two results", "a result of no call"],
)
def test_a_turn_without_its_end_or_with_a_call_without_its_result_is_a_fault(frames: tuple[Frame, ...], fault: str):
    assert any(fault in said for said in replayed(*frames))


# What the changes wrote into the journal ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "faults"),
    [
        (["p1-1", "p2-1"], []),
        (["p1-1", "p2-1", "p1-1"], ["the change p1-1 ran 2 times"]),
        (["p2-1"], ["the change p1-1 was told as done and did not run"]),
    ],
    ids=["once each", "a double", "none"],
)
def test_a_change_that_ran_twice_or_was_told_and_did_not_run_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: list[str], faults: list[str]
):
    journal = tmp_path / "journal"
    journal.write_text("\n".join(lines))
    monkeypatch.setenv(world.JOURNAL, str(journal))
    record = Record(done={"p1-1"})
    torture._judge(record)
    assert record.faults == faults


# What the database holds at the end -----------------------------------------------------------------------------------


@pytest.fixture
def room(db: None) -> models.Conversation:
    """A conversation with one run whose books are in order."""
    room = models.Conversation.objects.create(owner="user:1")
    answer = {"input_tokens": 20, "output_tokens": 5}
    models.Message.objects.create(conversation=room, message_id="m1", run_id="a", role="user")
    models.Message.objects.create(conversation=room, message_id="m2", run_id="a", role="assistant", **answer)
    models.Usage.objects.create(run_id="a", account="user:1", conversation_id=room.pk, settled=timezone.now(), **answer)
    return room


def test_books_in_order_have_no_fault(room: models.Conversation):
    assert books.faults() == []


def _uncounted(room: models.Conversation) -> None:
    models.Message.objects.create(
        conversation=room, message_id="m3", run_id="a", role="assistant", input_tokens=1, output_tokens=1
    )


def _overcounted(room: models.Conversation) -> None:
    models.Usage.objects.update(output_tokens=6)


def _unbooked(room: models.Conversation) -> None:
    models.Message.objects.create(conversation=room, message_id="m3", run_id="b", role="user")


def _held(room: models.Conversation) -> None:
    models.Conversation.objects.update(lease_holder="x", lease_until=timezone.now() + timedelta(minutes=5))


def _waiting(room: models.Conversation) -> None:
    models.PausedCall.objects.create(
        call_id=uuid.uuid4().hex, conversation=room, run_id="a", call={}, expires_at=timezone.now()
    )


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (_uncounted, "the ledger has 20, 5 for a, the messages (21, 6)"),
        (_overcounted, "the ledger has 20, 6 for a, the messages (20, 5)"),
        (_unbooked, "the run b is in no row of the ledger"),
        (_held, "is still held"),
        (_waiting, "still waits"),
    ],
)
def test_each_thing_that_should_not_be_left_in_the_database_is_a_fault(
    room: models.Conversation, spoil: Callable[[models.Conversation], None], fault: str
):
    spoil(room)
    found = books.faults()
    assert len(found) == 1
    assert fault in found[0]


# What comes of it -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("missing", "fault", "ended"),
    [("", "", 0), ("kills", "", 1), ("", "run a: 3 came after 1", 1)],
    ids=["enough and nothing broke", "too little was done", "something broke"],
)
def test_too_little_done_ends_with_1_as_a_fault_does(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], missing: str, fault: str, ended: int
):
    async def tortured(*arguments: Any) -> Record:
        await asyncio.sleep(0)
        record = Record(faults=[fault] if fault else [])
        record.counts.update({name: count for name, count in torture.LEAST.items() if name != missing})
        return record

    monkeypatch.setenv(world.JOURNAL, "set anew by the torture")
    monkeypatch.setattr(torture, "_torture", tortured)
    monkeypatch.setattr(sys, "argv", ["torture", "--sqlite"])
    assert torture.main() == ended
    told = capsys.readouterr().out
    assert ("Nothing broke." in told) is (ended == 0)
    told_faults = [line.removeprefix("FAULT: ") for line in told.splitlines() if line.startswith("FAULT")]
    assert told_faults == [fault or "only 0 kills, expected 20"] * ended
