"""Frames out, requests in, heartbeats between, and a stored conversation as the same frames."""

import asyncio
import json
from itertools import groupby
from typing import Any

import pytest

from dragoman.harness import wire
from dragoman.harness.claims.evidence import Basis
from dragoman.harness.errors import BadRequest, ChatError, ProviderError
from dragoman.harness.limits import Limits
from tests.harness.test_turn import look, mutate
from tests.harness.world import ADA, harbour, kinds, only


def joined(frames: list[wire.Frame]) -> list[wire.Frame]:
    """Frames with neighbouring pieces of text as one, and without their numbers."""
    frames = [{k: v for k, v in frame.items() if k != "seq"} for frame in frames]
    merged = []
    for is_text, group in groupby(frames, key=lambda f: f["type"] == "text_chunk"):
        group = list(group)
        merged += [{**group[0], "content": "".join(f["content"] for f in group)}] if is_text else group
    return merged


async def test_a_stored_conversation_replays_as_the_frames_that_were_told() -> None:
    limits = Limits(max_tool_rounds=3)
    port = await harbour(
        ["Let me ", "see. ", look("Argo"), mutate("paint")],
        ["All ", "painted."],
        ["Half ", ProviderError("Overloaded.", code="overloaded", retry_after=3)],
        *[[look("ghost")]] * 3,
        ["I found ", "nothing."],
        [look("Argo"), mutate("scrap", n=1)],
        "It is gone.",
        limits=limits,
    )
    told = []
    for question in ("one", "two", "three", "four"):
        told += await port.ask(question)
    waiting = [f for f in told if f["type"] == "confirm_mutation"]
    paused = await port.store.paused(port.conversation.id)
    replayed = wire.replay(port.conversation.id, await port.rows(), paused)
    assert joined([wire.frame(e) for e in replayed]) == joined(told)
    told += await port.decide(waiting[0]["id"])
    replayed = wire.replay(port.conversation.id, await port.rows(), await port.store.paused(port.conversation.id))
    assert joined([wire.frame(e) for e in replayed]) == joined([f for f in told if f != waiting[0]])
    for _, run in groupby(replayed, key=lambda e: e.run_id):
        seqs = [e.seq for e in run]
        assert seqs == list(range(1, len(seqs) + 1))


async def test_evidence_that_fails_ends_no_turn_and_no_replay(monkeypatch: pytest.MonkeyPatch, caplog: Any) -> None:
    def broken(self: Basis, answer: str) -> Any:
        raise IndexError(answer)

    monkeypatch.setattr(Basis, "of", broken)
    port = await harbour(["Argo is in port."])
    assert kinds(await port.ask("Where is Argo?")) == ["user_message", "text_chunk", "done"]
    assert kinds([wire.frame(e) for e in wire.replay(port.conversation.id, await port.rows())])[-1] == "done"
    assert "the turn goes on" in caplog.text


async def test_errors_told_before_the_text_are_replayed_before_it() -> None:
    port = await harbour(*[[look("ghost")]] * 2, "Nothing.", limits=Limits(max_retries=1))
    told = await port.ask("Look")
    replayed = [wire.frame(e) for e in wire.replay(port.conversation.id, await port.rows())]
    assert joined(replayed) == joined(told)
    assert only(replayed, "error")[0]["code"] == "retry_limit"


async def test_an_event_of_a_stream_is_one_data_line_with_run_and_number() -> None:
    port = await harbour("Line one\nline two")
    envelope = [e async for e in port.assistant.ask(ADA, port.conversation, "Hi")][1]
    head, data, *rest = wire.sse(envelope).split("\n")
    assert head == f"id: {envelope.run_id}:2"
    assert json.loads(data.removeprefix("data: ")) == wire.frame(envelope)
    assert rest == ["", ""]


@pytest.mark.parametrize(
    ("data", "request_"),
    [
        ('{"type": "message", "text": "Hi"}', wire.Ask("Hi")),
        (b'{"type": "message", "text": "Hi", "conversation_id": "c1"}', wire.Ask("Hi", "c1")),
        ('{"type": "message", "text": "Hi", "conversation_id": null}', wire.Ask("Hi")),
        ('{"type": "confirm", "confirmation_id": "x", "confirmed": false}', wire.Decide("x", False)),
        ('{"type": "stop", "conversation_id": "c1"}', wire.StopRun("c1")),
    ],
)
def test_a_clients_frame_becomes_a_request(data, request_) -> None:
    assert wire.parse(data) == request_


@pytest.mark.parametrize(
    ("data", "code", "says"),
    [
        ('{"type": "message", ', "bad_json", "at line 1, column 21"),
        (b'{"type": "\xff"}', "bad_json", "UTF-8"),
        ("[" * 100_000, "bad_json", "no valid JSON"),
        ("[]", "bad_event", "A frame is a JSON object"),
        ("{}", "bad_event", "Unknown chat event."),
        ('{"type": "mesage", "text": "Hi"}', "bad_event", "message, confirm, stop"),
        ('{"type": "message"}', "bad_event", "A message needs 'text', a text."),
        ('{"type": "message", "text": ["Hi"]}', "bad_event", "A message needs 'text', a text."),
        ('{"type": "message", "text": "Hi", "conversation_id": 7}', "bad_event", "needs 'conversation_id'"),
        ('{"type": "confirm", "confirmation_id": "x", "confirmed": "yes"}', "bad_event", "true or false"),
        ('{"type": "confirm", "confirmed": true}', "bad_event", "A confirm needs 'confirmation_id'"),
        ('{"type": "stop"}', "bad_event", "A stop needs 'conversation_id'"),
    ],
)
def test_a_frame_that_cannot_be_understood_gets_a_sentence_that_says_why(data, code, says) -> None:
    with pytest.raises(BadRequest) as refused:
        wire.parse(data)
    assert refused.value.code == code
    assert says in refused.value.message


async def test_a_silent_stream_gets_heartbeats_and_loses_nothing() -> None:
    gate = asyncio.Event()

    async def source():
        yield "one"
        await gate.wait()
        yield "two"

    heard = []
    async for text in wire.with_heartbeat(source(), seconds=0.01):
        heard.append(text)
        if heard.count(": still here\n\n") == 2:
            gate.set()
    assert [text for text in heard if not text.startswith(":")] == ["one", "two"]
    assert heard[0] == "one"


async def test_leaving_a_stream_with_heartbeats_closes_its_source() -> None:
    closed = asyncio.Event()

    async def source():
        try:
            yield "one"
            await asyncio.Event().wait()
            yield "never"
        finally:
            closed.set()

    stream = wire.with_heartbeat(source(), seconds=0.01)
    assert [await anext(stream), await anext(stream)] == ["one", ": still here\n\n"]
    await stream.aclose()
    assert closed.is_set()


def test_an_error_outside_any_run_has_the_same_shape() -> None:
    frame = wire.error_frame(ChatError("Slow down.", code="rate_limit", retry_after=60), "c1")
    assert frame == {
        "type": "error",
        "message": "Slow down.",
        "code": "rate_limit",
        "retry_after": 60,
        "conversation_id": "c1",
        "run_id": None,
        "seq": 0,
    }
