"""Whatever dialect a service speaks, a turn looks the same; COVERAGE.md says which case is played where."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest

from dragoman.harness import wire
from dragoman.harness.assistant import Assistant
from dragoman.harness.events import TextChunk
from dragoman.harness.limits import Limits
from dragoman.harness.memory import MemoryStore
from dragoman.harness.messages import Message, Usage
from dragoman.harness.provider import Piece, Text, ToolRequest
from dragoman.providers import catalog
from tests.harness.world import ADA, Fleet, kinds, only, text
from tests.providers.world import DIALECTS, KEY, desk

pytestmark = pytest.mark.requirement("r.chat.dialects")
each_dialect = pytest.mark.parametrize("name", DIALECTS)

TURN = ["tool_call", "tool_result", "text_chunk", "text_chunk", "done"]
# Who sends a call in fragments, and who has a word for a refusal; the others have no such case.
FRAGMENTING = ("anthropic", "openai", "openrouter", "deepseek")
REFUSING = (*FRAGMENTING, "google")


@each_dialect
async def test_a_text_arrives_piece_by_piece_with_what_it_cost(name: str) -> None:
    async with desk(name) as one:
        one.play("text")
        frames = await one.ask()
        assert kinds(frames) == ["text_chunk", "text_chunk", "done"]
        assert [frame["content"] for frame in only(frames, "text_chunk")] == ["Hel", "lo there."]
        assert frames[-1]["finish_reason"] == "stop"
        assert (frames[-1]["provider"], frames[-1]["model"]) == (name, "model-of-ours")
        cached = 0 if name == "ollama" else 64
        assert (await one.rows())[-1].usage == Usage(101, 42, cached)


@each_dialect
async def test_one_call_is_run_and_its_result_sent_back_under_the_id_of_the_call(name: str) -> None:
    async with desk(name) as one:
        one.play("one")
        one.play("text")
        frames = await one.ask()
        assert kinds(frames) == ["text_chunk", *TURN]
        assert text(frames) == "Let me look.Hello there."
        assert one.fleet.done == [("look", "Argo")]
        call = (await one.rows())[1].calls[0]
        assert one.sent().count(call.id) == (0 if name == "ollama" else 2)


@each_dialect
async def test_two_calls_at_once_keep_their_arguments_apart(name: str) -> None:
    async with desk(name) as one:
        one.play("two")
        one.play("text")
        frames = await one.ask()
        assert [frame["args"] for frame in only(frames, "tool_call")] == [{"ship": "Argo"}, {"ship": "Beagle"}]
        assert sorted(one.fleet.done) == [("look", "Argo"), ("look", "Beagle")]
        assert text(frames) == "Hello there."


@pytest.mark.parametrize("size", [1, 7, 100_000])
@each_dialect
async def test_bytes_may_be_cut_anywhere(name: str, size: int) -> None:
    async with desk(name) as one:
        one.play("two", f"pieces={size}")
        one.play("text", f"pieces={size}")
        frames = await one.ask()
        assert [frame["args"] for frame in only(frames, "tool_call")] == [{"ship": "Argo"}, {"ship": "Beagle"}]
        assert text(frames) == "Hello there."


@pytest.mark.parametrize("name", FRAGMENTING)
async def test_arguments_in_fragments_are_put_together(name: str) -> None:
    async with desk(name) as one:
        one.play("fragmented", "pieces=5")
        one.play("text")
        frames = await one.ask()
        assert only(frames, "tool_call")[0]["args"] == {"ship": "Argo", "note": 'café "á la" naïve'}


@pytest.mark.parametrize("name", FRAGMENTING)
async def test_a_long_call_is_no_silence_while_its_fragments_come(name: str) -> None:
    async with desk(name, limits=Limits(stream_timeout_seconds=1)) as one:
        one.play("fragmented", "gap=0.1")  # more than two seconds until the call is whole
        one.play("text")
        frames = await one.ask()
        assert len(only(frames, "tool_result")) == 1
        assert text(frames) == "Hello there."


@each_dialect
async def test_malformed_arguments_are_told_to_the_model_which_may_try_again(name: str) -> None:
    async with desk(name) as one:
        one.play("malformed")
        one.play("one")
        one.play("text")
        frames = await one.ask()
        if name == "ollama":  # its SDK refuses arguments that are no object before anybody sees them
            assert frames[-2]["code"] == "provider_garbled"
            return
        failed, good = only(frames, "tool_result")
        assert failed["data"]["code"] == "malformed_arguments"
        assert "is no valid JSON" in failed["data"]["error"] or "are no valid JSON" in failed["data"]["error"]
        assert good["data"]["ship"] == "Argo"
        assert text(frames) == "Let me look.Hello there."
        assert "malformed_arguments" in one.sent(1)


@each_dialect
async def test_thoughts_are_shown_and_not_taken_for_text(name: str) -> None:
    async with desk(name) as one:
        one.play("thinking")
        one.play("text")
        frames = await one.ask()
        assert kinds(frames) == ["thinking", "thinking", *TURN]
        assert [frame["content"] for frame in only(frames, "thinking")] == ["One ", "lookup."]
        assert text(frames) == "Hello there."


@each_dialect
async def test_what_vouches_for_a_thought_goes_back_to_the_same_model_and_to_no_other(name: str) -> None:
    marks = {
        "anthropic": ("EqQBCgIYAhIM", "EmwKAhgB"),
        "openrouter": ("EqQBCgIYAhIM", '"text": "One lookup."'),
        "deepseek": ('"reasoning_content": "One lookup."',),
        "google": ("Q2hlY2s=",),
    }
    async with desk(name) as one:
        one.play("thinking")
        one.play("text")
        await one.ask()
        assert all(mark in one.sent() for mark in marks.get(name, ())), one.sent()
        one.provider.model = "another-model"
        one.play("text")
        await one.ask("And the Beagle?")
        assert not any(mark in one.sent() for mark in marks.get(name, ())), one.sent()


@pytest.mark.parametrize("name", REFUSING)
async def test_a_refusal_is_said_as_one(name: str) -> None:
    async with desk(name) as one:
        one.play("refusal")
        frames = await one.ask()
        assert frames[-2]["code"] == "provider_refused"
        assert frames[-1]["finish_reason"] == "error"


@each_dialect
async def test_a_reply_cut_at_its_length_is_said_to_be(name: str) -> None:
    async with desk(name) as one:
        one.play("length")
        frames = await one.ask()
        assert text(frames) == "Hello, it is a"
        assert frames[-2]["code"] == "reply_cut"


@each_dialect
async def test_an_error_in_mid_stream_ends_the_turn_with_a_sentence_of_our_own(name: str) -> None:
    async with desk(name) as one:
        one.play("error_mid")
        frames = await one.ask()
        assert kinds(frames) == ["text_chunk", "error", "done"]
        assert frames[1]["code"] == "provider_unavailable"
        assert frames[1]["message"].startswith(f"{one.provider.title} is overloaded or broken right now")
        assert KEY not in str(frames)
        row = (await one.rows())[-1]
        assert row.text == "Let me "
        assert row.usage.input_tokens > 0


@pytest.mark.parametrize("fault", ["cut=1", "drop=1", "cut=0", "drop=0"])
@each_dialect
async def test_a_stream_that_breaks_off_is_an_error_and_no_short_answer(name: str, fault: str) -> None:
    before = {"anthropic": 4, "openai": 1, "openrouter": 2, "deepseek": 1}.get(name, 0)
    kind, _, events = fault.partition("=")
    async with desk(name) as one:
        one.play("text", f"{kind}={before + 1 if events == '1' else 0}")
        frames = await one.ask()
        assert kinds(frames)[-2:] == ["error", "done"]
        assert frames[-2]["code"] in ("stream_cut", "provider_unreachable"), frames
        assert len(one.server.seen) == 1


@pytest.mark.requirement("g.provider.stall-timeout")
@each_dialect
async def test_silence_in_mid_stream_ends_the_turn_and_the_connection(name: str) -> None:
    before = {"anthropic": 4, "openai": 2, "openrouter": 3, "deepseek": 2}.get(name, 1)
    async with desk(name, limits=Limits(stream_timeout_seconds=0.2)) as one:
        one.play("text", f"stall={before}")
        frames = await one.ask()
        assert frames[-2]["code"] == "provider_stalled"
        await asyncio.wait_for(one.server.seen[0].hung_up.wait(), 1)
        assert len(one.server.seen) == 1


@pytest.mark.requirement("g.provider.first-chunk-timeout")
@each_dialect
async def test_a_service_that_never_begins_is_left_after_the_configured_seconds(name: str) -> None:
    async with desk(name, limits=Limits(timeout_seconds=0.2)) as one:
        one.play("text", "wait")
        frames = await one.ask()
        assert frames[-2]["code"] == "provider_timeout"
        await asyncio.wait_for(one.server.seen[0].hung_up.wait(), 1)


@each_dialect
async def test_the_configured_seconds_reach_the_transport_too(name: str) -> None:
    async with desk(name, timeout_seconds=0.2, stream_timeout_seconds=0.2) as one:
        one.play("text", "wait")
        frames = await one.ask()
        assert frames[-2]["code"] == "provider_timeout"
        assert len(one.server.seen) == 1


@each_dialect
async def test_what_nobody_knows_yet_is_passed_over(name: str) -> None:
    async with desk(name) as one:
        one.play("unknown")
        frames = await one.ask()
        assert text(frames) == "Hello there."
        assert frames[-1]["finish_reason"] == "stop"


@pytest.mark.parametrize("leave", ["close", "cancel"])
@each_dialect
async def test_who_leaves_closes_the_connection_to_the_service(name: str, leave: str) -> None:
    before = {"anthropic": 3, "openai": 1, "openrouter": 2, "deepseek": 1}.get(name, 0)
    async with desk(name) as one:
        one.play("text", f"endless={before}")
        seen = asyncio.Event()

        async def listen() -> None:
            async with aclosing(one.assistant.ask(ADA, one.conversation, "Hello?")) as events:
                async for envelope in events:
                    if not isinstance(envelope.event, TextChunk):
                        continue
                    seen.set()
                    if leave == "close":
                        return

        listening = asyncio.create_task(listen())
        await asyncio.wait_for(seen.wait(), 5)
        if leave == "cancel":
            listening.cancel()
        await asyncio.wait({listening}, timeout=5)
        await asyncio.wait_for(one.server.seen[0].hung_up.wait(), 1)


@each_dialect
async def test_no_connection_is_kept_that_a_server_of_ones_own_may_have_dropped(name: str) -> None:
    async with desk(name) as one:
        for _ in range(2):  # the server keeps its lines open, as most do for some seconds
            one.play("text", "open")
            await one.ask()
        assert len({seen.peer for seen in one.server.seen}) == 2


@each_dialect
async def test_pieces_left_unread_close_the_connection_with_the_generator(name: str) -> None:
    before = {"anthropic": 3, "openai": 1, "openrouter": 2, "deepseek": 1}.get(name, 0)
    async with desk(name) as one:
        one.play("text", f"endless={before}")
        async with aclosing(one.provider.complete([Message("user", "Hello?")], ())) as pieces:
            async for _ in pieces:
                break
        await asyncio.wait_for(one.server.seen[0].hung_up.wait(), 1)


async def test_what_a_real_small_model_sent_is_read_too():
    async with desk("openai") as one:
        one.server.play("openai_llama_server")
        one.play("text")
        frames = await one.ask()
        assert only(frames, "tool_call")[0]["name"] == "find_path"
        assert list(only(frames, "tool_call")[0]["args"]) == ["from_manager", "to_manager"]
        assert only(frames, "tool_result")[0]["data"]["code"] == "unknown_tool"
        assert text(frames) == "Hello there."


@pytest.mark.requirement("g.provider.shipped")
@each_dialect
async def test_each_provider_answers_by_its_path_in_a_configuration(name: str) -> None:
    async with desk(name) as one:
        one.provider = catalog.create(
            f"dragoman.providers.{type(one.provider).__name__}",
            {"base_url": one.server.url, "api_key": KEY, "model": "of-the-settings"},
        )
        one.assistant = Assistant(one.provider, one.fleet, one.store)
        one.play("text")
        frames = await one.ask()
        assert text(frames) == "Hello there."
        assert (frames[-1]["provider"], frames[-1]["model"]) == (name, "of-the-settings")
        await one.provider.aclose()


class Echo:
    """A provider of somebody's own: nothing but the one method."""

    async def complete(self, messages: Any, tools: Any) -> AsyncIterator[Piece]:
        if messages[-1].role == "user":
            yield ToolRequest("look", {"ship": messages[-1].text})
        else:
            yield Text(f"It says {messages[-1].result.data['ship']}.")


@pytest.mark.requirement("g.provider.protocol")
async def test_any_class_with_complete_is_a_provider_by_its_path() -> None:
    fleet, store = Fleet(), MemoryStore()
    assistant = Assistant(catalog.create("tests.providers.test_dialects.Echo"), fleet, store)
    frames = [wire.frame(e) async for e in assistant.ask(ADA, await store.create(ADA), "Argo")]
    assert kinds(frames) == ["user_message", "tool_call", "tool_result", "text_chunk", "evidence", "done"]
    assert text(frames) == "It says Argo."
