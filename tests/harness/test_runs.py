"""A run belongs to its supervisor: stop and leaving take effect at once, and nothing said is lost."""

import asyncio
from contextlib import aclosing

import pytest

from dragoman.harness import wire
from dragoman.harness.errors import BadRequest, ChatError
from dragoman.harness.messages import Usage
from dragoman.harness.provider import Spent
from dragoman.harness.runs import Run, Supervisor
from tests.harness.test_turn import look, mutate
from tests.harness.world import ADA, Harbour, harbour, kinds, only

SOON = 1.0  # a second is what stopping may take


def start(port: Harbour, supervisor: Supervisor, text: str = "Hello") -> Run:
    id = port.conversation.id
    return supervisor.start(id, lambda why: port.assistant.ask(ADA, port.conversation, text, interrupt=why))


async def heard(run: Run, after: int = 0) -> list[wire.Frame]:
    return [wire.frame(envelope) async for envelope in run.listen(after)]


def silence() -> tuple[asyncio.Event, object]:
    reached = asyncio.Event()

    async def wait() -> None:
        reached.set()
        await asyncio.Event().wait()

    return reached, wait


async def test_stop_takes_effect_while_the_model_is_silent_and_keeps_the_text() -> None:
    reached, wait = silence()
    port = await harbour(["So far ", wait, "and on"])
    supervisor = Supervisor()
    run = start(port, supervisor)
    listening = asyncio.ensure_future(heard(run))
    await asyncio.wait_for(reached.wait(), 5)
    assert await asyncio.wait_for(supervisor.stop(port.conversation.id), SOON)
    frames = await listening
    assert kinds(frames) == ["user_message", "text_chunk", "done"]
    assert frames[-1]["finish_reason"] == "stopped"
    assert frames[-1]["usage"]["output_tokens"] > 0
    last = (await port.rows())[-1]
    assert (last.text, last.outcome.finish_reason) == ("So far ", "stopped")
    assert port.provider.open == 0
    assert supervisor.running(port.conversation.id) is None
    assert not await supervisor.stop(port.conversation.id)


async def test_a_run_that_is_stopped_before_its_first_event_says_that_it_did_not_begin() -> None:
    port = await harbour("Never said.")
    supervisor = Supervisor()
    async with port.assistant.store.hold(port.conversation.id, "somebody-elses-run"):
        run = start(port, supervisor)
        await asyncio.sleep(0)  # it waits for the conversation now
        assert await asyncio.wait_for(supervisor.stop(port.conversation.id), SOON)
    with pytest.raises(ChatError) as told:
        await heard(run)
    assert told.value.code == "not_begun"


@pytest.mark.parametrize("lines", [[], ["So far "]])
async def test_when_the_last_listener_leaves_the_call_is_cancelled_and_the_turn_marked_interrupted(lines) -> None:
    reached, wait = silence()
    port = await harbour([*lines, wait])
    run = start(port, Supervisor())

    async def leave_when_it_is_silent() -> None:
        async with aclosing(run.listen()) as envelopes:
            async for _ in envelopes:
                if reached.is_set():
                    break

    leaving = asyncio.ensure_future(leave_when_it_is_silent())
    await asyncio.wait_for(reached.wait(), 5)
    leaving.cancel()
    await asyncio.wait_for(asyncio.wait([run.task]), SOON)
    last = (await port.rows())[-1]
    assert (last.text, last.outcome.finish_reason) == ("".join(lines), "interrupted")
    assert port.provider.open == 0


async def test_within_the_grace_period_a_listener_may_come_back_and_hear_the_rest() -> None:
    gate = asyncio.Event()

    async def wait() -> None:
        await asyncio.wait_for(gate.wait(), 5)

    port = await harbour(["One ", "two ", wait, "three."])
    run = start(port, Supervisor(grace_seconds=5))
    async with aclosing(run.listen()) as envelopes:
        async for envelope in envelopes:
            if envelope.seq == 2:
                break
    gate.set()
    frames = await heard(run, after=2)
    assert [f["seq"] for f in frames] == [3, 4, 5]
    assert "".join(f["content"] for f in only(frames, "text_chunk")) == "two three."


async def test_two_listeners_hear_the_same_and_one_may_leave() -> None:
    port = await harbour(["One ", "two."])
    run = start(port, Supervisor())

    async def first_only() -> None:
        async with aclosing(run.listen()) as envelopes:
            async for _ in envelopes:
                break

    one, two, _ = await asyncio.gather(heard(run), heard(run), first_only())
    assert one == two
    assert kinds(one)[-1] == "done"


async def test_a_write_that_has_begun_is_seen_to_its_end_when_the_turn_is_stopped() -> None:
    port = await harbour([look("Argo"), mutate("launch"), mutate("paint")], "Never said.")
    port.fleet.gates, port.fleet.began = {"launch": asyncio.Event()}, {"launch": asyncio.Event()}
    supervisor = Supervisor()
    run = start(port, supervisor)
    listening = asyncio.ensure_future(heard(run))
    await asyncio.wait_for(port.fleet.began["launch"].wait(), 5)
    stopping = asyncio.ensure_future(supervisor.stop(port.conversation.id))
    await asyncio.sleep(0)
    port.fleet.gates["launch"].set()
    await asyncio.wait_for(stopping, SOON)
    frames = await listening
    results = [(m.result.name, m.result.data.get("code", "ok")) for m in await port.rows() if m.result]
    assert results == [("look", "ok"), ("mutate", "ok"), ("mutate", "interrupted")]
    assert port.fleet.done == [("look", "Argo"), ("launch", {})]
    assert kinds(frames)[-3:] == ["tool_result", "tool_result", "done"]
    assert only(frames, "tool_result")[1]["result"] == {"ok": True, "mutation": "launch"}


async def test_usage_of_a_stopped_round_is_what_the_provider_had_said() -> None:
    reached, wait = silence()
    port = await harbour(["So far", Spent(Usage(70, 3)), wait])
    supervisor = Supervisor()
    listening = asyncio.ensure_future(heard(start(port, supervisor)))
    await asyncio.wait_for(reached.wait(), 5)
    await supervisor.stop(port.conversation.id)
    assert (await listening)[-1]["usage"]["input_tokens"] == 70


async def test_a_refusal_before_the_first_event_reaches_the_listener() -> None:
    port = await harbour("Never said.")
    run = start(port, Supervisor(), "x" * 100_000)
    with pytest.raises(BadRequest):
        await heard(run)
    with pytest.raises(BadRequest):  # whoever asks later hears the same
        await heard(run)


async def test_a_shutdown_interrupts_every_run_and_stores_where_it_stood() -> None:
    supervisor = Supervisor(grace_seconds=60)
    ports = []
    for _ in range(3):
        reached, wait = silence()
        ports.append(port := await harbour(["So far ", wait]))
        start(port, supervisor)
        await asyncio.wait_for(reached.wait(), 5)
    await asyncio.wait_for(supervisor.shutdown(), SOON)
    assert [(await port.rows())[-1].outcome.finish_reason for port in ports] == ["interrupted"] * 3
    assert [(await port.rows())[-1].text for port in ports] == ["So far "] * 3


async def test_a_consumer_that_closes_the_assistants_stream_leaves_a_stored_answer() -> None:
    port = await harbour(["So far ", "and on ", "and on."])
    async with aclosing(port.assistant.ask(ADA, port.conversation, "Hi")) as envelopes:
        async for envelope in envelopes:
            if envelope.seq == 2:
                break
    last = (await port.rows())[-1]
    assert (last.text, last.outcome.finish_reason) == ("So far ", "interrupted")
    assert port.provider.open == 0
