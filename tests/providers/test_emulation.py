"""A small model fills one form, and a turn looks the same as with native calls."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.harness.limits import Limits
from dragoman.harness.messages import Message
from dragoman.harness.provider import ToolRequest
from dragoman.harness.tools import ToolDefinition
from dragoman.providers.emulation import Step, form
from tests.harness.world import kinds, only, text
from tests.providers.world import Desk, desk

SPEAKERS = ("openai", "openrouter", "ollama")


def says(one: Desk, *pieces: str) -> None:
    """Play a reply of these pieces of text."""
    if one.name == "ollama":
        lines = [{"message": {"role": "assistant", "content": piece}, "done": False} for piece in pieces]
        lines.append(
            {
                "message": {"role": "assistant", "content": ""},
                "done": True,
                "done_reason": "stop",
                "prompt_eval_count": 10,
                "eval_count": 5,
            }
        )
        body = "".join(
            json.dumps({"model": "m", "created_at": "2026-11-30T19:00:00Z", **line}) + "\n" for line in lines
        )
    else:
        chunks = [{"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]} for piece in pieces]
        chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
    one.server.play("", "json=200", body=body.encode())


@pytest.mark.parametrize("name", SPEAKERS)
async def test_a_form_about_a_tool_is_a_call_and_one_with_an_answer_streams(name: str):
    async with desk(name, tool_mode="json") as one:
        says(one, '{"tool": "lo', 'ok", "arguments": {"ship": "Argo"}}')
        says(one, '{"answer": "It is ', "at \\", '"sea\\" \\ud83d', '\\ude00."}')
        frames = await one.ask()
        assert kinds(frames)[:2] == ["tool_call", "tool_result"]
        assert only(frames, "tool_call")[0]["args"] == {"ship": "Argo"}
        assert [frame["content"] for frame in only(frames, "text_chunk")] == ["It is ", "at ", '"sea" ', "😀."]
        assert frames[-1]["finish_reason"] == "stop"
        assert one.fleet.done == [("look", "Argo")]


@pytest.mark.parametrize("name", SPEAKERS)
async def test_the_model_is_given_the_form_and_examples_from_the_tools_at_hand(name: str):
    async with desk(name, tool_mode="json") as one:
        says(one, '{"tool": "look", "arguments": {"ship": "Argo"}}')
        says(one, '{"answer": "There."}')
        await one.ask()
        first, second = (seen.body for seen in one.server.seen)
        given_form = first["format"] if name == "ollama" else first["response_format"]["json_schema"]["schema"]
        assert [step["properties"].get("tool", {}).get("enum") for step in given_form["anyOf"]] == [
            ["look"],
            ["mutate"],
            None,
        ]
        assert "tools" not in first or not first["tools"]
        assert '{"tool": "look", "arguments": {"ship": "ship"}}' in str([m["content"] for m in first["messages"]])
        said = [message["content"] for message in second["messages"]]
        assert '{"tool": "look", "arguments": {"ship": "Argo"}}' in said
        assert said[-1].startswith("Result of look:\n")
        assert all(message["role"] in ("system", "user", "assistant") for message in second["messages"])


async def test_a_form_that_is_broken_is_told_to_the_model_with_its_place():
    async with desk("ollama", tool_mode="json") as one:
        says(one, '{"tool": "look", "arguments": {"ship": "Ar')
        says(one, '{"answer": "Sorry."}')
        frames = await one.ask()
        assert only(frames, "tool_result")[0]["data"]["code"] == "malformed_arguments"
        assert text(frames) == "Sorry."


async def test_a_server_that_does_not_enforce_the_form_is_understood_all_the_same():
    for said in (
        "Just an answer.",
        '  { "answer" : "Just an answer." }',
        '{"thought": 1, "answer": "Just an answer."}',
    ):
        async with desk("openai", tool_mode="json") as one:
            says(one, said)
            assert text(await one.ask()) == "Just an answer."


async def test_a_round_without_tools_keeps_to_the_form_with_the_answer_alone():
    async with desk("ollama", tool_mode="json", limits=Limits(max_tool_rounds=1)) as one:
        says(one, '{"tool": "look", "arguments": {"ship": "Argo"}}')
        says(one, '{"answer": "At sea."}')
        frames = await one.ask()
        assert text(frames) == "At sea."
        assert list(one.server.seen[1].body["format"]["properties"]) == ["answer"]


async def test_a_summary_in_this_mode_is_plain_text():
    async with desk("ollama", tool_mode="json") as one:
        says(one, "They spoke of ships.")
        pieces = [piece async for piece in one.provider.complete([Message("user", "Summarise.")], ())]
        assert pieces[0].content == "They spoke of ships."
        assert not one.server.seen[0].body.get("format")


def test_without_tools_the_form_is_an_answer():
    assert list(form([])["properties"]) == ["answer"]


@given(st.text(), st.integers(1, 5), st.booleans())
def test_an_answer_comes_out_as_it_went_in_however_it_is_cut(answer: str, size: int, ascii_only: bool):
    answer = answer.encode("utf-8", "replace").decode()
    written = json.dumps({"answer": answer}, ensure_ascii=ascii_only)
    step = Step()
    assert "".join(step.feed(written[i : i + size]) for i in range(0, len(written), size)) == answer


@given(
    st.dictionaries(st.text(max_size=5), st.recursive(st.none() | st.text() | st.integers(), st.lists, max_leaves=4))
)
def test_a_call_comes_out_as_it_went_in(arguments: dict[str, Any]):
    step = Step()
    assert step.feed(json.dumps({"tool": "look", "arguments": arguments})) == ""
    assert step.request(["look"]) == ToolRequest("look", arguments)


def test_examples_fit_what_the_tools_take():
    tool = ToolDefinition("q", "Ask.", {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})
    assert form([tool])["anyOf"][0]["properties"]["arguments"]["properties"] == {"n": {"type": "integer"}}
