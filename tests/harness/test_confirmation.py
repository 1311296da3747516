"""Calls that wait for a person: decided once, apart, by whom they belong to, and run as they were shown."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from dragoman.harness.caller import Caller
from dragoman.harness.errors import BadRequest
from dragoman.harness.limits import Limits
from dragoman.harness.messages import now
from dragoman.harness.provider import ToolRequest
from dragoman.harness.store import PausedCall
from tests.harness.test_turn import look, mutate
from tests.harness.world import BEN, harbour, kinds, only, text


async def test_a_turn_stops_at_a_call_that_must_be_confirmed_and_goes_on_when_it_is() -> None:
    port = await harbour(["I will scrap it. ", mutate("scrap", ship="Argo")], "It is gone.")
    frames = await port.ask("Scrap Argo")
    assert kinds(frames) == ["user_message", "text_chunk", "tool_call", "confirm_mutation"]
    asked = frames[-1]
    assert (asked["mutation"], asked["input"]) == ("scrap", {"ship": "Argo"})
    assert port.fleet.done == []
    later = await port.decide(asked["id"])
    assert kinds(later) == ["tool_result", "text_chunk", "done"]
    assert later[0]["id"] == asked["id"]
    assert later[0]["result"] == {"ok": True, "mutation": "scrap"}
    assert [f["seq"] for f in later] == [5, 6, 7]
    assert {f["run_id"] for f in later} == {asked["run_id"]}
    assert port.fleet.done == [("scrap", {"ship": "Argo"})]


@pytest.mark.parametrize("decision", ["user_rejected", "confirmation_timed_out"])
async def test_a_rejected_mutation_is_told_to_the_model_as_cancelled(decision: str) -> None:
    port = await harbour([mutate("scrap", ship="Argo")], "I left it alone.")
    asked = (await port.ask("Scrap Argo"))[-1]
    frames = await port.decide(asked["id"], decision)
    assert frames[0]["result"] == {"status": "cancelled", "reason": decision}
    assert port.provider.seen[-1][0][-1].result.data == frames[0]["result"]
    assert text(frames) == "I left it alone."
    assert port.fleet.done == []


async def test_other_calls_of_the_round_run_at_once_and_nothing_runs_twice_when_the_turn_goes_on() -> None:
    port = await harbour([look("Argo"), mutate("scrap"), mutate("paint"), look("Beagle")], "Done.")
    frames = await port.ask("Do all")
    assert kinds(frames)[-4:] == ["tool_result", "tool_result", "tool_result", "confirm_mutation"]
    await port.decide(frames[-1]["id"])
    assert port.fleet.done == [("look", "Argo"), ("paint", {}), ("look", "Beagle"), ("scrap", {})]


async def test_several_pending_calls_are_decided_apart_and_the_turn_goes_on_after_the_last() -> None:
    port = await harbour([mutate("scrap", n=1), mutate("scrap", n=2), mutate("scrap", n=3)], "Two are gone.")
    asked = only(await port.ask("Scrap three"), "confirm_mutation")
    assert len(asked) == 3
    assert kinds(await port.decide(asked[2]["id"])) == ["tool_result"]
    assert kinds(await port.decide(asked[0]["id"], "user_rejected")) == ["tool_result"]
    assert kinds(await port.decide(asked[1]["id"])) == ["tool_result", "text_chunk", "evidence", "done"]
    assert port.fleet.done == [("scrap", {"n": 3}), ("scrap", {"n": 2})]


@pytest.mark.requirement("g.confirm.once")
@pytest.mark.parametrize("sides", [("confirmed", "confirmation_timed_out"), ("confirmation_timed_out", "confirmed")])
async def test_of_a_decision_and_a_time_out_at_the_same_moment_one_is_taken(
    sides: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    port = await harbour([mutate("scrap")], "That is that.")
    asked = (await port.ask("Scrap it"))[-1]
    gate, look_up = asyncio.Barrier(2), port.store.waiting
    looked: list[PausedCall | None] = []

    async def both_have_looked(call_id: str, caller: Caller) -> PausedCall | None:
        found = await look_up(call_id, caller)
        looked.append(found)
        if len(looked) <= 2:  # their first looks
            async with asyncio.timeout(5):
                await gate.wait()
        return found

    monkeypatch.setattr(port.store, "waiting", both_have_looked)
    told = await asyncio.gather(*(port.decide(asked["id"], side) for side in sides), return_exceptions=True)
    assert None not in looked[:2]  # to both sides the call was still open
    taken = [frames for frames in told if isinstance(frames, list)]
    refused = [error for error in told if isinstance(error, BadRequest)]
    assert (len(taken), len(refused)) == (1, 1)
    assert kinds(taken[0]) == ["tool_result", "text_chunk", "done"]
    ran = taken[0][0]["result"].get("ok", False)
    assert port.fleet.done == ([("scrap", {})] if ran else [])
    assert ran == (sides[told.index(taken[0])] == "confirmed")


@pytest.mark.requirement("g.confirm.once")
async def test_two_answers_at_once_run_it_once() -> None:
    port = await harbour([mutate("scrap")], "Gone.")
    asked = (await port.ask("Scrap it"))[-1]
    port.fleet.gates, port.fleet.began = {"scrap": asyncio.Event()}, {"scrap": asyncio.Event()}
    first = asyncio.ensure_future(port.decide(asked["id"]))
    await asyncio.wait_for(port.fleet.began["scrap"].wait(), 5)
    with pytest.raises(BadRequest) as refused:
        await port.decide(asked["id"])
    assert (refused.value.code, refused.value.message) == ("bad_event", "Unknown chat event.")
    port.fleet.gates["scrap"].set()
    assert kinds(await first) == ["tool_result", "text_chunk", "done"]
    assert port.fleet.done == [("scrap", {})]


async def test_two_decisions_of_one_round_at_once_continue_the_turn_once() -> None:
    port = await harbour([mutate("scrap", n=1), mutate("scrap", n=2)], "Both gone.")
    asked = only(await port.ask("Scrap two"), "confirm_mutation")
    one, two = await asyncio.gather(port.decide(asked[0]["id"]), port.decide(asked[1]["id"]))
    assert sorted([kinds(one), kinds(two)]) == [["tool_result"], ["tool_result", "text_chunk", "done"]]
    assert sorted(f["seq"] for f in [*one, *two]) == [6, 7, 8, 9]


async def test_an_unknown_foreign_or_expired_confirmation_runs_nothing() -> None:
    port = await harbour([mutate("scrap")], "Gone.", limits=Limits(confirm_timeout_seconds=0))
    asked = (await port.ask("Scrap it"))[-1]
    for call_id, caller in ((asked["id"], BEN), ("0" * 32, None), (asked["id"], None)):
        with pytest.raises(BadRequest, match=r"Unknown chat event\."):
            await (port.decide(call_id, caller=caller) if caller else port.decide(call_id))
    assert port.fleet.done == []


async def test_no_argument_of_a_tool_stands_for_a_decision() -> None:
    sneaky = ToolRequest("mutate", {"mutation": "scrap", "input": {}, "confirmed": True, "decision": "confirmed"})
    port = await harbour([sneaky], "Waiting.")
    assert kinds(await port.ask("Scrap it, I confirm it already"))[-1] == "confirm_mutation"
    assert port.fleet.done == []


async def test_a_new_message_gives_up_what_waits_and_ends_its_run() -> None:
    port = await harbour([mutate("scrap"), mutate("paint")], "Fine.")
    asked = (await port.ask("Scrap it"))[-1]
    frames = await port.ask("Never mind")
    assert kinds(frames) == ["tool_result", "done", "user_message", "text_chunk", "done"]
    assert frames[0]["result"] == {"status": "cancelled", "reason": "superseded"}
    assert [f["run_id"] == asked["run_id"] for f in frames] == [True, True, False, False, False]
    assert [f["seq"] for f in frames] == [asked["seq"] + 1, asked["seq"] + 2, 1, 2, 3]
    assert port.fleet.done == [("paint", {})]
    with pytest.raises(BadRequest):
        await port.decide(asked["id"])


async def test_a_claimed_call_without_an_answer_is_told_as_failed_and_not_run_again() -> None:
    port = await harbour([mutate("scrap")], "What happened is unknown.")
    asked = (await port.ask("Scrap it"))[-1]
    await port.store.claim(asked["id"], port_caller := replace(BEN, key="user:ada"), "confirmed")  # then it crashed
    frames = await port.ask("Did it work?")
    told = [m.result for m in port.provider.seen[-1][0] if m.result][-1]
    assert told.failed
    assert told.data["code"] == "interrupted"
    assert text(frames) == "What happened is unknown."
    assert port.fleet.done == []
    assert port_caller.key == port.conversation.owner
    assert [r.outcome.finish_reason for r in await port.rows() if r.outcome] == ["interrupted", "stop"]


async def test_a_stored_call_that_differs_from_what_was_said_does_not_run() -> None:
    port = await harbour([mutate("scrap", ship="Argo")], "Gone.")
    asked = (await port.ask("Scrap Argo"))[-1]
    paused = port.store._paused[asked["id"]]
    other = replace(paused.call, arguments={"mutation": "scrap", "input": {"ship": "Beagle"}})
    port.store._paused[asked["id"]] = replace(paused, call=other)
    with pytest.raises(BadRequest):
        await port.decide(asked["id"])
    assert port.fleet.done == []


async def test_rights_are_asked_for_anew_when_a_call_is_decided() -> None:
    port = await harbour([mutate("scrap")], "Gone.")
    asked = (await port.ask("Scrap it"))[-1]
    before = port.fleet.boxes
    await port.decide(asked["id"])
    assert port.fleet.boxes > before


async def test_a_refused_operation_is_not_asked_for_again_in_the_same_turn() -> None:
    port = await harbour([mutate("scrap", n=1)], [mutate("scrap", n=2)], "You said no.")
    asked = (await port.ask("Scrap it"))[-1]
    frames = await port.decide(asked["id"], "user_rejected")
    assert [f["result"].get("code", "cancelled") for f in only(frames, "tool_result")] == ["cancelled", "not_repeated"]
    assert only(frames, "confirm_mutation") == []


async def test_the_wait_ends_when_it_was_said_to_end() -> None:
    port = await harbour([mutate("scrap")], "Gone.", limits=Limits(confirm_timeout_seconds=90))
    asked = (await port.ask("Scrap it"))[-1]
    [paused] = await port.store.paused(port.conversation.id)
    assert paused.expires_at.isoformat() == asked["expires_at"]
    assert timedelta(seconds=60) < paused.expires_at - now() <= timedelta(seconds=90)
