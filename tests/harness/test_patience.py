"""Waiting for a model: for its first piece, and between two."""

import asyncio

import pytest

from dragoman.harness.limits import Limits
from dragoman.harness.patience import uninterrupted
from dragoman.harness.provider import Thought
from tests.harness.world import ADA, harbour, kinds, only


async def for_ever() -> None:
    await asyncio.Event().wait()


@pytest.mark.requirement("g.provider.first-chunk-timeout")
async def test_a_model_that_does_not_begin_is_given_up_and_its_stream_closed() -> None:
    port = await harbour([for_ever, "late"], limits=Limits(timeout_seconds=0.05))
    frames = await port.ask("Hello")
    assert kinds(frames) == ["user_message", "error", "done"]
    assert frames[1]["code"] == "provider_timeout"
    assert frames[1]["message"] == "The model did not begin to answer within 0.05 seconds."
    assert port.provider.open == 0
    assert len(port.provider.seen) == 1


@pytest.mark.requirement("g.provider.stall-timeout")
async def test_a_model_that_falls_silent_is_given_up_and_not_asked_again() -> None:
    port = await harbour(["Well, ", for_ever], "Never asked.", limits=Limits(stream_timeout_seconds=0.05))
    frames = await port.ask("Hello")
    assert kinds(frames) == ["user_message", "text_chunk", "error", "done"]
    assert frames[2]["code"] == "provider_stalled"
    assert port.provider.open == 0
    assert len(port.provider.seen) == 1
    assert (await port.rows())[-1].text == "Well, "


@pytest.mark.parametrize("empty", ["", Thought("")])
async def test_keep_alives_are_no_pieces(empty: object) -> None:
    async def a_moment() -> None:
        await asyncio.sleep(0.02)

    port = await harbour([empty, a_moment] * 50, limits=Limits(timeout_seconds=0.1))
    assert [f["code"] for f in only(await port.ask("Hello"), "error")] == ["provider_timeout"]


async def test_a_time_out_of_the_services_own_is_a_failed_service(caplog: pytest.LogCaptureFixture) -> None:
    port = await harbour(["Well, ", TimeoutError("read timed out")])
    assert [f["code"] for f in only(await port.ask("Hello"), "error")] == ["provider_error"]


async def test_the_time_a_slow_reader_takes_is_not_held_against_the_model() -> None:
    port = await harbour(["One ", "two."], limits=Limits(stream_timeout_seconds=0.05))
    frames = []
    async for envelope in port.assistant.ask(ADA, port.conversation, "Hi"):
        frames.append(envelope.event)
        await asyncio.sleep(0.1)
    assert [type(e).__name__ for e in frames] == ["UserSaid", "TextChunk", "TextChunk", "Done"]


async def test_work_that_must_end_is_seen_to_its_end_and_the_cancellation_kept() -> None:
    begun, gate, ended = asyncio.Event(), asyncio.Event(), []

    async def work() -> None:
        begun.set()
        await gate.wait()
        ended.append("done")

    task = asyncio.ensure_future(uninterrupted(work()))
    await begun.wait()
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == ["done"]


async def test_uninterrupted_work_passes_on_what_it_raises() -> None:
    async def work() -> str:
        raise KeyError("lost")

    with pytest.raises(KeyError):
        await uninterrupted(work())
