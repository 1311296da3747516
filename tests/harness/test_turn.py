"""The loop, seen from the assistant's door."""

import asyncio
import json
import logging

import pytest

from dragoman.harness.assistant import Assistant
from dragoman.harness.errors import BadRequest, ConversationBusy, ProviderError
from dragoman.harness.limits import Limits
from dragoman.harness.messages import Usage
from dragoman.harness.provider import Spent, Stop, Text, ToolRequest
from tests.harness.world import ADA, harbour, kinds, only, text


def look(ship: str, **more: object) -> ToolRequest:
    return ToolRequest("look", {"ship": ship, **more})


def mutate(name: str, **given: object) -> ToolRequest:
    return ToolRequest("mutate", {"mutation": name, "input": given})


async def test_a_turn_tells_its_text_its_calls_and_how_it_ended() -> None:
    port = await harbour(["Let me see. ", look("Argo")], ["Argo is ", "in port."])
    frames = await port.ask("Where is Argo?")
    call_id = frames[2]["id"]
    place = {"conversation_id": port.conversation.id, "run_id": frames[0]["run_id"]}
    source = {"value": "Argo", "call_id": call_id, "tool": "look", "field": "ship"}
    argo = {"text": "Argo", "start": 0, "end": 4, "kind": "name", "source": source, "how": "cell"}
    usage = frames[-1].pop("usage")
    frames[0].pop("id"), frames[0].pop("created"), frames[-1].pop("message_id")
    assert frames == [
        {"type": "user_message", "text": "Where is Argo?", **place, "seq": 1},
        {"type": "text_chunk", "content": "Let me see. ", **place, "seq": 2},
        {"type": "tool_call", "id": call_id, "name": "look", "args": {"ship": "Argo"}, **place, "seq": 3},
        {"type": "tool_result", "id": call_id, "name": "look", "data": {"ship": "Argo", "log": ""}, **place, "seq": 4},
        {"type": "text_chunk", "content": "Argo is ", **place, "seq": 5},
        {"type": "text_chunk", "content": "in port.", **place, "seq": 6},
        {"type": "evidence", "items": [argo], **place, "seq": 7},
        {"type": "done", "finish_reason": "stop", "provider": "scripted", "model": "script", **place, "seq": 8},
    ]
    assert usage["estimated"]
    assert usage["input_tokens"] > 0


@pytest.mark.requirement("r.chat.persistence-free")
async def test_the_history_sent_is_one_assistant_message_per_round_with_its_own_calls_in_order() -> None:
    port = await harbour(["First. ", look("Argo")], [look("Beagle"), look("Cutty")], "All found.", "Again.")
    await port.ask("Look around")
    await port.ask("And?")
    sent = port.provider.seen[-1][0]
    assert [(m.role, m.text, [c.arguments["ship"] for c in m.calls]) for m in sent] == [
        ("system", "You look after ships.", []),
        ("user", "Look around", []),
        ("assistant", "First. ", ["Argo"]),
        ("tool", "", []),
        ("assistant", "", ["Beagle", "Cutty"]),
        ("tool", "", []),
        ("tool", "", []),
        ("assistant", "All found.", []),
        ("user", "And?", []),
    ]
    assert [m.result.data["ship"] for m in sent if m.result] == ["Argo", "Beagle", "Cutty"]


async def test_reads_of_one_round_run_side_by_side_and_are_told_in_the_order_asked() -> None:
    port = await harbour([look("Argo"), look("Beagle")], "Both found.")
    port.fleet.gates = {"Argo": asyncio.Event()}
    port.fleet.began = {"Beagle": asyncio.Event()}

    async def open_the_first_when_the_second_has_begun() -> None:
        await asyncio.wait_for(port.fleet.began["Beagle"].wait(), 5)
        port.fleet.gates["Argo"].set()

    frames, _ = await asyncio.gather(port.ask("Both?"), open_the_first_when_the_second_has_begun())
    assert [f["data"]["ship"] for f in only(frames, "tool_result")] == ["Argo", "Beagle"]
    assert port.fleet.done == [("look", "Beagle"), ("look", "Argo")]


async def test_no_more_reads_run_at_once_than_allowed() -> None:
    port = await harbour([look(str(i)) for i in range(6)], "Done.", limits=Limits(parallel_reads=2))
    frames = await port.ask("All six")
    assert len(only(frames, "tool_result")) == 6
    assert port.fleet.most_at_once == 2


async def test_writes_run_one_after_another_in_the_order_asked_and_a_read_after_them_sees_them() -> None:
    port = await harbour([mutate("launch", n=1), mutate("paint", n=2), look("Argo"), mutate("launch", n=3)], "Done.")
    await port.ask("Go")
    assert port.fleet.done == [("launch", {"n": 1}), ("paint", {"n": 2}), ("look", "Argo"), ("launch", {"n": 3})]


async def test_malformed_arguments_go_back_with_the_position_and_the_tool_does_not_run() -> None:
    port = await harbour([ToolRequest("look", '{"ship": }')], "Sorry.")
    frames = await port.ask("Where?")
    result = only(frames, "tool_result")[0]["data"]
    assert result["code"] == "malformed_arguments"
    assert "line 1, column 10" in result["error"]
    assert port.fleet.done == []
    assert port.provider.seen[1][0][-1].result.data == result


@pytest.mark.parametrize(
    ("request_", "code", "says"),
    [
        (ToolRequest("lokk", {}), "unknown_tool", "There is: look, mutate."),
        (ToolRequest("look", {"ship": 7}), "bad_arguments", "Ship: expected string, got 7."),
        (ToolRequest("look", "[1]"), "malformed_arguments", "must be a JSON object, not a list"),
    ],
)
async def test_a_call_that_does_not_fit_is_a_result_the_model_can_read(request_, code, says) -> None:
    port = await harbour([request_], "I see.")
    frames = await port.ask("Go")
    result = only(frames, "tool_result")[0]["data"]
    assert result["code"] == code
    assert says in result["error"]
    assert text(frames) == "I see."
    assert port.fleet.done == []


async def test_a_crash_inside_a_tool_tells_the_model_nothing_of_it(caplog) -> None:
    port = await harbour([look("reef")], "It failed.")
    with caplog.at_level(logging.ERROR, "dragoman.tools"):
        frames = await port.ask("Go")
    assert only(frames, "tool_result")[0]["data"] == {"error": "look failed.", "code": "tool_failed"}
    assert "hunter2" not in json.dumps(frames)
    assert len(caplog.records) == 1


async def test_calls_get_ids_of_our_own() -> None:
    port = await harbour([look("Argo"), look("Argo")], [look("Argo")], "Done.")
    ids = [f["id"] for f in only(await port.ask("Thrice"), "tool_call")]
    assert len(set(ids)) == 3
    assert all(len(id) == 32 for id in ids)


@pytest.mark.requirement("g.query.retries")
async def test_the_fourth_failure_ends_the_lookups_and_the_answer_is_written_without_tools() -> None:
    port = await harbour(
        [look("ghost")], [look("ghost")], [look("Argo")], [look("ghost")], [look("ghost")], "No ghost."
    )
    frames = await port.ask("Find the ghost")
    assert kinds(frames)[-3:] == ["error", "text_chunk", "done"]
    assert frames[-3]["code"] == "retry_limit"
    assert text(frames) == "No ghost."
    assert frames[-1]["finish_reason"] == "error"
    assert [len(tools) for _, tools in port.provider.seen] == [2, 2, 2, 2, 2, 0]


async def test_successes_and_failed_mutations_are_no_retries() -> None:
    rounds = [[look("a")], [mutate("sink")], [look("b")], [look("c")], [look("d")], [look("ghost")], "Found."]
    port = await harbour(*rounds)
    frames = await port.ask("Find them")
    assert only(frames, "error") == []
    assert frames[-1]["finish_reason"] == "stop"


async def test_failures_of_one_round_are_no_retries_of_each_other() -> None:
    port = await harbour([look("ghost") for _ in range(5)], "None there.")
    frames = await port.ask("Find five ghosts")
    assert only(frames, "error") == []
    assert text(frames) == "None there."


@pytest.mark.requirement("g.mutations.no-retry")
async def test_a_failed_mutation_is_not_issued_again_before_a_new_message() -> None:
    port = await harbour(
        [mutate("sink", n=1), mutate("paint")],
        [mutate("sink", n=2), mutate("launch")],
        "It failed.",
        [mutate("sink", n=3)],
        "Again.",
    )
    frames = await port.ask("Sink it")
    results = [f["result"] for f in only(frames, "tool_result")]
    assert [r.get("code", "ok") for r in results] == ["permission_denied", "ok", "not_repeated", "ok"]
    assert "ask what to do" in results[2]["error"]
    await port.ask("Try once more")
    assert port.fleet.done == [("sink", {"n": 1}), ("paint", {}), ("launch", {}), ("sink", {"n": 3})]


@pytest.mark.requirement("r.chat.round-limit")
async def test_a_turn_that_uses_all_its_rounds_says_so_and_ends_in_prose_of_its_own_row() -> None:
    port = await harbour(*[[look(str(i))] for i in range(8)], "This is what I found.")
    frames = await port.ask("Look everywhere")
    assert kinds(frames)[-3:] == ["round_limit", "text_chunk", "done"]
    assert only(frames, "round_limit")[0]["rounds"] == 8
    assert frames[-1]["finish_reason"] == "round_limit"
    assert port.provider.seen[-1][1] == ()
    last = (await port.rows())[-1]
    assert (last.text, last.calls, last.outcome.finish_reason) == ("This is what I found.", (), "round_limit")


async def test_a_model_that_still_wants_tools_at_the_limit_gets_an_ending_all_the_same() -> None:
    port = await harbour([look("a")], [look("b")], [look("c")], limits=Limits(max_tool_rounds=2))
    frames = await port.ask("Look everywhere")
    assert text(frames) == "I could not finish this: 2 of 2 lookups succeeded. Ask again, perhaps for less at once."
    assert port.fleet.done == [("look", "a"), ("look", "b")]


async def test_a_turn_that_spent_its_tokens_ends_in_prose() -> None:
    spent = Spent(Usage(900, 100))
    port = await harbour([look("a"), spent], ["That is all I have.", spent], limits=Limits(turn_tokens=1_000))
    frames = await port.ask("Look")
    assert kinds(frames)[-3:] == ["error", "text_chunk", "done"]
    assert frames[-3]["code"] == "turn_limit"
    assert frames[-1]["usage"]["input_tokens"] == 1_800


async def test_usage_is_that_of_every_round_the_providers_own_or_an_estimate() -> None:
    port = await harbour([look("a"), Spent(Usage(100, 10, 50))], ["Done.", Spent(Usage(200, 20))])
    frames = await port.ask("Look")
    assert frames[-1]["usage"] == {"input_tokens": 300, "output_tokens": 30, "cached_tokens": 50, "estimated": False}
    assert [row.usage.input_tokens for row in await port.rows()] == [0, 100, 0, 200]


@pytest.mark.requirement("r.chat.durable-errors")
async def test_a_failure_before_the_first_token_is_a_stored_row(caplog) -> None:
    port = await harbour([RuntimeError("401 key sk-secret is wrong")])
    frames = await port.ask("Hello")
    assert kinds(frames) == ["user_message", "error", "done"]
    assert frames[1]["code"] == "provider_error"
    assert "sk-secret" not in json.dumps(frames)
    last = (await port.rows())[-1]
    assert (last.role, last.text, last.outcome.error_code) == ("assistant", "", "provider_error")
    assert port.provider.open == 0


async def test_a_failure_half_way_keeps_the_text_and_counts_its_tokens() -> None:
    port = await harbour(["Half an ans", ProviderError("The service is overloaded.", code="overloaded", retry_after=9)])
    frames = await port.ask("Hello")
    assert kinds(frames) == ["user_message", "text_chunk", "error", "done"]
    assert (frames[2]["message"], frames[2]["retry_after"]) == ("The service is overloaded.", 9)
    last = (await port.rows())[-1]
    assert last.text == "Half an ans"
    assert last.usage.estimated
    assert last.usage.output_tokens > 0


async def test_a_row_without_words_is_not_sent_to_the_model() -> None:
    port = await harbour([ProviderError("No.")], "Better now.")
    await port.ask("One")
    await port.ask("Two")
    assert [m.role for m in port.provider.seen[1][0]] == ["system", "user", "user"]


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        (["So", Stop("length")], "reply_cut"),
        ([Stop("end")], "empty_reply"),
        (["I must ", Stop("refusal")], "provider_refused"),
        ([42], "provider_error"),
    ],
)
async def test_a_reply_that_is_no_whole_answer_is_said_to_be_none(lines, code) -> None:
    port = await harbour(lines)
    frames = await port.ask("Hello")
    assert [f["code"] for f in only(frames, "error")] == [code]
    assert frames[-1]["finish_reason"] == "error"


async def test_a_grounding_that_fails_is_a_stored_row_and_leaks_nothing(caplog) -> None:
    port = await harbour("Never said.")

    class Broken:
        async def tools(self, caller):
            raise KeyError("dsn=postgres://root:hunter2@db")

        async def prompt(self, caller):
            return ""

    assistant = Assistant(port.provider, Broken(), port.store)
    frames = [e.event async for e in assistant.ask(ADA, port.conversation, "Hello")]
    assert frames[1].code == "internal_error"
    assert "hunter2" not in repr(frames)
    assert (await port.rows())[-1].outcome.error_code == "internal_error"


@pytest.mark.parametrize(("said", "code"), [("  \n", "empty_message"), ("x" * 1_000_000, "message_too_long")])
async def test_an_empty_or_oversized_message_is_refused_before_anything_is_stored_or_sent(said, code) -> None:
    port = await harbour("Never said.")
    with pytest.raises(BadRequest) as refused:
        await port.ask(said)
    assert refused.value.code == code
    assert await port.rows() == []
    assert port.provider.seen == []


async def test_a_second_message_to_a_conversation_that_answers_is_refused() -> None:
    gate, began = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        began.set()
        await asyncio.wait_for(gate.wait(), 5)

    port = await harbour(["One ", wait, "two."], "Next.")
    first = asyncio.ensure_future(port.ask("First"))
    await asyncio.wait_for(began.wait(), 5)
    with pytest.raises(ConversationBusy):
        await port.ask("Second")
    gate.set()
    assert text(await first) == "One two."
    assert text(await port.ask("Third")) == "Next."


async def test_a_result_larger_than_its_budget_is_cut_to_valid_json_that_says_so() -> None:
    port = await harbour([look("Argo", big=5_000)], "Long.", limits=Limits(result_characters=1_000))
    frames = await port.ask("Read the log")
    content = port.provider.seen[1][0][-1].result.content
    assert len(content) <= 1_000
    data = json.loads(content)
    assert data["withheld"] == [f"{5_000 - len(data['log'])} of 5000 characters of log"]
    assert only(frames, "tool_result")[0]["data"] == data


async def test_old_results_are_withheld_when_a_turn_outgrows_the_window() -> None:
    rounds = [[look(str(i), big=3_000)] for i in range(4)]
    port = await harbour(*rounds, "Done.", limits=Limits(context_tokens=1_500))
    frames = await port.ask("Read all logs")
    assert text(frames) == "Done."
    results = [m.result.data for m in port.provider.seen[-1][0] if m.result]
    assert "withheld" in results[0]
    assert results[-1]["ship"] == "3"


async def test_an_observer_that_fails_breaks_nothing(caplog) -> None:
    seen = []

    async def good(caller, envelope):
        seen.append(envelope.seq)

    async def bad(caller, envelope):
        raise OSError("disk full")

    port = await harbour("Hello.", observers=(bad, good))
    frames = await port.ask("Hi")
    assert seen == [f["seq"] for f in frames] == [1, 2, 3]


async def test_a_provider_may_be_a_coroutine_that_returns_its_stream() -> None:
    port = await harbour("unused")

    class Custom:
        async def complete(self, messages, tools):
            async def stream():
                yield Text("From a class of your own.")

            return stream()

    assistant = Assistant(Custom(), port.fleet, port.store)
    events = [e.event async for e in assistant.ask(ADA, port.conversation, "Hi")]
    assert events[1].content == "From a class of your own."
    assert events[-1].provider == "custom"


async def test_the_developers_words_follow_the_prompt() -> None:
    port = await harbour("Aye.", instructions="Speak like a sailor.")
    await port.ask("Hi")
    assert port.provider.seen[0][0][0].text == "You look after ships.\n\nSpeak like a sailor."
