"""One script says the same over every door."""

from typing import Any

import pytest
from django.test import AsyncClient

from dragoman.harness.caller import Caller
from tests.transports.clients import in_process, kinds, named, new_conversation, plain_post, sse, text_of, websocket

SCRIPTS = ["hello", "look", "look twice", "claim", "rename at once", "fail", "break"]


@pytest.mark.requirement("g.transport.same-events", "g.sse.stream", "g.http.post")
@pytest.mark.parametrize("script", SCRIPTS)
async def test_a_script_says_the_same_in_process_over_post_events_and_websocket(
    client: AsyncClient, ada: Any, script: str
):
    caller = Caller(f"user:{ada.pk}", user=ada, is_authenticated=True, name=ada.username)
    expected = named(await in_process(caller, script))
    assert {frame["code"] for frame in expected if frame["type"] == "error"} <= {"provider_error"}
    assert named(await plain_post(client, script, conversation_id=await new_conversation(client))) == expected
    assert named(await sse(client, script, conversation_id=await new_conversation(client))) == expected
    assert named(await websocket(client, script)) == expected


@pytest.mark.requirement("g.ws.frame-fields", "g.ws.messages")
async def test_the_frames_have_the_fields_of_the_protocol(client: AsyncClient):
    frames = await websocket(client, "look")
    places = [(frame.pop("conversation_id"), frame.pop("run_id"), frame.pop("seq")) for frame in frames]
    assert len({place[:2] for place in places}) == 1
    assert [seq for *_, seq in places] == list(range(1, len(frames) + 1))
    said, thought, text, call, result, first, second, evidence, done = frames
    assert (said["type"], said["text"]) == ("user_message", "look")
    assert thought == {"type": "thinking", "content": "A name. "}
    assert text == {"type": "text_chunk", "content": "Looking. "}
    assert call == {"type": "tool_call", "id": call["id"], "name": "look_up", "args": {"name": "Apollo"}}
    assert result == {
        "type": "tool_result",
        "id": call["id"],
        "name": "look_up",
        "data": {"name": "Apollo", "status": "active"},
    }
    assert first["content"] + second["content"] == "Apollo is active."
    source = {"value": "Apollo", "call_id": call["id"], "tool": "look_up", "field": "name"}
    apollo = {"text": "Apollo", "start": 0, "end": 6, "kind": "name", "source": source, "how": "cell"}
    assert evidence == {"type": "evidence", "items": [apollo]}
    assert done == {
        "type": "done",
        "finish_reason": "stop",
        "message_id": done["message_id"],
        "provider": "actor",
        "model": "script",
        "usage": {"input_tokens": 60, "output_tokens": 9, "cached_tokens": 20, "estimated": False},
    }


async def test_a_mutation_answers_with_a_result_and_a_read_with_data(client: AsyncClient):
    frames = await sse(client, "rename at once")
    [result] = [frame for frame in frames if frame["type"] == "tool_result"]
    assert result["result"] == {"ok": True, "object": {"name": "Castor"}}
    assert "data" not in result


@pytest.mark.requirement("g.http.post")
async def test_a_plain_post_answers_with_the_whole_turn_and_its_answer(client: AsyncClient):
    response = await client.post("/chat/", '{"text": "look"}', content_type="application/json")
    body = response.json()
    assert body["answer"] == "Apollo is active."
    assert kinds(body["frames"])[-1] == "done"
    assert {body["conversation_id"]} == {frame["conversation_id"] for frame in body["frames"]}
    assert {body["run_id"]} == {frame["run_id"] for frame in body["frames"]}


async def test_a_failure_of_the_server_reaches_nobody_in_its_own_words(client: AsyncClient):
    for ask in (plain_post, sse, websocket):
        frames = await ask(client, "break")
        assert text_of(frames) == "It began, "
        assert "hunter2" not in str(frames)
        assert kinds(frames)[-2:] == ["error", "done"]


async def test_what_was_said_is_replayed_as_it_was_told(client: AsyncClient):
    told = await sse(client, "look")
    response = await client.get(f"/chat/conversations/{told[0]['conversation_id']}/")
    replayed = response.json()
    assert replayed["running"] is False
    whole = [frame for frame in replayed["frames"] if frame["type"] not in ("text_chunk", "thinking")]
    assert [{**frame, "seq": 0} for frame in whole] == [
        {**frame, "seq": 0} for frame in told if frame["type"] not in ("text_chunk", "thinking")
    ]
    assert text_of(replayed["frames"]) == text_of(told)
