"""What of a long history is sent: the newest in full, the rest as one summary."""

import itertools

import pytest

from dragoman.harness.errors import ProviderError
from dragoman.harness.limits import Limits
from dragoman.harness.messages import Message, ToolCall, ToolResult
from dragoman.harness.window import fit
from tests.harness.test_turn import look
from tests.harness.world import harbour, only


def history(*roles: str) -> list[Message]:
    """u: user, a: assistant, c: assistant that calls, t: the call's result."""
    made, call = [], None
    for place, role in enumerate(roles, start=1):
        if role == "c":
            call = ToolCall(f"call{place}", "look")
        match role:
            case "u":
                made.append(Message("user", f"question {place}", id=str(place)))
            case "a":
                made.append(Message("assistant", f"answer {place}", id=str(place)))
            case "c":
                made.append(Message("assistant", calls=(call,), id=str(place)))
            case "t":
                made.append(Message("tool", result=ToolResult(call.id, "look", '{"x":1}'), id=str(place)))
    return made


def ids(messages) -> list[str]:
    return [m.id for m in messages]


@pytest.mark.requirement("g.conversation.window", "g.conversation.one-summary")
async def test_of_25_messages_the_first_five_are_summarised_and_the_rest_sent_in_full() -> None:
    port = await harbour("They said hello five times.", "The answer.")
    words = [f"message {n}" for n in range(1, 25)]
    roles = itertools.cycle(("user", "assistant"))
    await port.store.append(
        port.conversation.id, [Message(role, word) for role, word in zip(roles, words, strict=False)]
    )
    await port.ask("message 25")
    folding, asking = (request for request, _ in port.provider.seen)
    assert all(f"message {n}" in folding[1].text.splitlines()[n - 1] for n in range(1, 6))
    assert "message 6" not in folding[1].text
    assert asking[1].text.endswith("They said hello five times.")
    assert [m.text for m in asking[2:]] == [f"message {n}" for n in range(6, 26)]


async def test_folding_goes_on_from_the_summary_there_is() -> None:
    limits = Limits(summarize_after=2, max_recent_messages=4)
    port = await harbour(*["A.", "B.", "Sum one.", "C.", "Sum two.", "D."], limits=limits)
    for question in ("one", "two", "three", "four"):
        await port.ask(question)
    folds = [request for request, tools in port.provider.seen if not tools]
    assert folds[0][1].text == "Person: one"
    assert folds[1][1].text == "Sum one.\nAssistant: A.\nPerson: two"
    last = port.provider.seen[-1][0]
    assert last[1].text.endswith("Sum two.")
    assert [m.text for m in last[2:]] == ["B.", "three", "C.", "four"]


async def test_when_summarising_fails_a_plain_extract_is_kept_and_the_answer_still_comes(caplog) -> None:
    limits = Limits(summarize_after=1, max_recent_messages=2)
    port = await harbour("A.", "B.", ProviderError("Overloaded."), "C.", limits=limits)
    port.provider.rounds[2] = [ProviderError("Overloaded.")]
    for question in ("one", "two", "three"):
        frames = await port.ask(question)
    assert only(frames, "error") == []
    assert port.provider.seen[-1][0][1].text.endswith("Person: one\nAssistant: A.")


async def test_what_folding_cost_is_counted_with_the_answer() -> None:
    limits = Limits(summarize_after=1, max_recent_messages=2)
    port = await harbour("A.", "B.", "Summary.", "C.", limits=limits)
    costs = [(await port.ask(q))[-1]["usage"]["input_tokens"] for q in ("one", "two", "three")]
    assert costs[2] > costs[1] + 40  # the instructions of the summary alone are that long


@pytest.mark.requirement("g.conversation.last-results")
async def test_results_of_the_latest_exchange_are_sent_in_full_whatever_the_counts() -> None:
    limits = Limits(summarize_after=1, max_recent_messages=1)
    port = await harbour([look("Argo")], [look("Beagle")], "Two ships.", "In port.", limits=limits)
    await port.ask("Which ships?")
    await port.ask("Where are they?")
    sent = port.provider.seen[-1][0]
    assert [m.result.data["ship"] for m in sent if m.result] == ["Argo", "Beagle"]


@pytest.mark.parametrize("recent", range(1, 9))
def test_a_cut_never_parts_a_call_from_its_result(recent: int) -> None:
    messages = history(*"uctcttauctau")
    window = fit(messages, Limits(summarize_after=1, max_recent_messages=recent))
    assert [*window.folded, *window.kept] == messages
    asked = {call.id for m in window.kept for call in m.calls}
    assert {m.result.call_id for m in window.kept if m.result} <= asked


def test_nothing_is_folded_up_to_the_first_threshold() -> None:
    messages = history(*"uauauau")
    assert fit(messages, Limits(summarize_after=7, max_recent_messages=2)).folded == ()
    assert ids(fit(messages, Limits(summarize_after=6, max_recent_messages=5)).folded) == ["1", "2"]


@pytest.mark.requirement("r.chat.window")
async def test_a_token_budget_folds_more_oldest_first_but_never_the_latest_exchange() -> None:
    port = await harbour(
        *["word " * 200] * 2, "One.", "word " * 200, "Two.", "Done.", limits=Limits(context_tokens=500)
    )
    for question in ("one", "two", "three", "four"):
        frames = await port.ask(question)
    assert frames[-1]["finish_reason"] == "stop"
    sent = port.provider.seen[-1][0]
    assert [m.text[:4] for m in sent[2:]] == ["thre", "word", "four"]
