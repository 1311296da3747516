"""What makes no sense is refused with an error a person understands, and nothing else stops working."""

from typing import Any

import pytest
from django.test import AsyncClient
from pytest_django import Settings

from dragoman.django import models
from tests.transports import world
from tests.transports.clients import EVENTS, post, socket, sse, text_of, websocket

pytestmark = pytest.mark.usefixtures("chat")

LONG = "a" * 1_000_000


@pytest.mark.parametrize("accept", ["application/json", EVENTS])
async def test_a_message_of_a_megabyte_is_refused_and_not_kept(client: AsyncClient, accept: str):
    response = await post(client, "/chat/", {"text": LONG}, accept)
    assert response.status_code == 413
    assert response.json()["code"] == "message_too_long"
    assert "Shorten it" in response.json()["message"]
    assert not await models.Message.objects.aexists()
    assert not world.happened("asked")


async def test_a_body_beyond_what_django_reads_is_refused_as_too_long(client: AsyncClient, settings: Settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    response = await post(client, "/chat/", {"text": "a" * 2000})
    assert (response.status_code, response.json()["code"]) == (413, "message_too_long")


@pytest.mark.parametrize("length", [30_000, 1_000_000])
async def test_a_message_that_is_too_long_leaves_the_socket_open(client: AsyncClient, length: int):
    async with socket(client) as line:
        await line.say(type="message", text="a" * length)
        refused = await line.hear()
        await line.say(type="message", text="hello")
        answer = await line.hear_until("done")
    assert refused["code"] == "message_too_long"
    assert text_of(answer) == "Good day."


FRAMES = {
    "broken JSON": ('{"type": "message", "text": ', "bad_json", "line 1, column 29"),
    "no JSON at all": ("hello", "bad_json", "Expecting value"),
    "a list": ("[]", "bad_event", "JSON object"),
    "an unknown frame": ('{"type": "launch"}', "bad_event", "message, confirm, stop"),
    "no type": ('{"text": "hello"}', "bad_event", "Unknown chat event"),
    "no text": ('{"type": "message"}', "bad_event", "'text'"),
    "a number for a text": ('{"type": "message", "text": 7}', "bad_event", "'text'"),
    "an empty text": ('{"type": "message", "text": "  "}', "empty_message", "empty"),
    "a decision that is none": ('{"type": "confirm", "confirmation_id": "x", "confirmed": "yes"}', "bad_event", "true"),
    "a made-up confirmation": (
        '{"type": "confirm", "confirmation_id": "x", "confirmed": true}',
        "bad_event",
        "Unknown",
    ),
    "a made-up conversation": (
        '{"type": "message", "text": "hello", "conversation_id": "x"}',
        "unknown_conversation",
        "Start a new one",
    ),
    "a stop of nothing": ('{"type": "stop", "conversation_id": "x"}', "unknown_conversation", "Start a new one"),
    "deep nesting": ("[" * 100_000, "bad_json", "JSON"),
}


@pytest.mark.parametrize("frame", FRAMES)
async def test_a_frame_that_makes_no_sense_is_told_and_the_socket_lives_on(client: AsyncClient, frame: str):
    text, code, words = FRAMES[frame]
    async with socket(client) as line:
        await line.communicator.send_to(text_data=text)
        refused = await line.hear()
        await line.say(type="message", text="hello")
        answer = await line.hear_until("done")
    assert (refused["type"], refused["code"]) == ("error", code)
    assert words in refused["message"]
    assert text_of(answer) == "Good day."


async def test_a_binary_frame_is_told_and_the_socket_lives_on(client: AsyncClient):
    async with socket(client) as line:
        await line.communicator.send_to(bytes_data=b"\x00\xff")
        assert (await line.hear())["code"] == "bad_json"
        await line.say(type="message", text="hello")
        assert text_of(await line.hear_until("done")) == "Good day."


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ("{", 400, "bad_json"),
        ("\x00", 400, "bad_json"),
        ("[1]", 400, "bad_event"),
        ("{}", 400, "bad_event"),
        ('{"text": ""}', 400, "empty_message"),
        ('{"type": "confirm", "confirmation_id": "x", "confirmed": true}', 400, "bad_event"),
        ('{"text": "hello", "conversation_id": "x"}', 404, "unknown_conversation"),
    ],
)
@pytest.mark.parametrize("accept", ["application/json", EVENTS])
async def test_a_post_that_makes_no_sense_has_a_status_and_says_why(
    client: AsyncClient, body: str, status: int, code: str, accept: str
):
    response = await client.post("/chat/", body, content_type="application/json", headers={"accept": accept})
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert not world.happened("asked")


@pytest.mark.parametrize("path", ["/chat/confirm/", "/chat/stop/", "/chat/edit/", "/chat/regenerate/"])
async def test_an_address_says_how_it_is_used(client: AsyncClient, path: str):
    response = await client.get(path)
    assert (response.status_code, response.json()["code"]) == (405, "method_not_allowed")
    assert "POST" in response.json()["message"]


@pytest.mark.requirement("g.conversation.owner")
async def test_a_strangers_conversation_is_unknown_on_every_way(client: AsyncClient, stranger: AsyncClient):
    asked = (await sse(client, "rename"))[-1]
    theirs = {"conversation_id": asked["conversation_id"]}
    for response in (
        await post(stranger, "/chat/", {"text": "hello", **theirs}),
        await post(stranger, "/chat/", {"text": "hello", **theirs}, EVENTS),
        await post(stranger, "/chat/stop/", theirs),
        await stranger.get(f"/chat/conversations/{theirs['conversation_id']}/"),
        await AsyncClient().get(f"/chat/conversations/{theirs['conversation_id']}/"),
    ):
        assert (response.status_code, response.json()["code"]) == (404, "unknown_conversation")
    async with socket(stranger) as line:
        for frame in ({"type": "message", "text": "hello"}, {"type": "stop"}):
            await line.say(**frame, **theirs)
            assert (await line.hear())["code"] == "unknown_conversation"
    body = {"confirmation_id": asked["id"], "confirmed": True}
    assert (await post(stranger, "/chat/confirm/", body)).status_code == 404
    assert world.written == []


async def test_a_text_that_no_database_takes_is_answered_all_the_same(client: AsyncClient, monkeypatch: Any):
    text = "nul \x00 and half \ud83d"
    monkeypatch.setitem(world.SCRIPTS, "nul \ufffd and half ?", [["Heard."]])
    assert text_of(await sse(client, text)) == "Heard."
    assert text_of(await websocket(client, text)) == "Heard."
