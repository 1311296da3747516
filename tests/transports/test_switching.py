"""Another provider and another model in mid-conversation; one that cannot answer is told in the turn and kept."""

import json
from typing import Any

import pytest
from django.test import AsyncClient
from pytest_django import Settings

from tests.transports.clients import JSON, kinds, new_conversation, post, sse, text_of, websocket

CONFIGURED = "tests.transports.world.Configured"


@pytest.fixture(autouse=True)
def choice(chat: dict[str, Any], settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    offered = {CONFIGURED: {"model": "first", "models": ["first", "second"]}, "anthropic": {}}
    settings.DRAGOMAN = {"default": {**chat, "providers": offered}}


@pytest.mark.requirement("r.chat.switch")
async def test_provider_and_model_are_switched_and_each_answer_says_who_gave_it(client: AsyncClient):
    place = await new_conversation(client)
    first = await sse(client, "hello", conversation_id=place)
    switched = await client.patch(
        f"/chat/conversations/{place}/", json.dumps({"provider": CONFIGURED}), content_type=JSON
    )
    assert switched.json()["model"] == "first at "  # its default model
    second = await sse(client, "hello", conversation_id=place)
    third = await sse(client, "hello", conversation_id=place, provider=CONFIGURED, model="second")
    fourth = await sse(client, "hello", conversation_id=place)  # it stays
    signed = [told[-1]["model"] for told in (first, second, third, fourth)]
    assert signed == ["script", "first at ", "second at ", "second at "]
    replayed = (await client.get(f"/chat/conversations/{place}/")).json()["frames"]
    assert [frame["model"] for frame in replayed if frame["type"] == "done"] == signed


@pytest.mark.requirement("r.chat.in-band", "r.chat.durable-errors")
@pytest.mark.parametrize(
    ("chosen", "code"),
    [
        ({"provider": "os.system"}, "unknown_provider"),
        ({"provider": "anthropic"}, "missing_key"),
        ({"provider": CONFIGURED, "model": "third"}, "unknown_model"),
    ],
)
async def test_a_provider_that_cannot_answer_is_an_error_frame_and_a_stored_row(
    client: AsyncClient, chosen: dict[str, str], code: str
):
    place = await new_conversation(client)
    told = await sse(client, "hello", conversation_id=place, **chosen)
    posted = await post(client, "/chat/", {"text": "hello", "conversation_id": place, **chosen})
    assert posted.status_code == 200
    replayed = (await client.get(f"/chat/conversations/{place}/")).json()["frames"]
    for frames in (told, posted.json()["frames"], replayed[:3], replayed[3:]):
        assert kinds(frames) == ["user_message", "error", "done"]
        assert frames[1]["code"] == code
    await sse(client, "hello", conversation_id=place, provider="tests.transports.world.Actor")


async def test_a_model_that_is_not_offered_cannot_be_switched_to(client: AsyncClient):
    place = await new_conversation(client)
    for body, code in (({"provider": "os.system"}, "unknown_provider"), ({"model": "x" * 201}, "bad_event")):
        refused = await client.patch(f"/chat/conversations/{place}/", json.dumps(body), content_type=JSON)
        assert (refused.status_code, refused.json()["code"]) == (400, code)
    assert text_of(await sse(client, "hello", conversation_id=place)) == "Good day."


async def test_the_models_of_a_provider_are_those_the_project_lists(client: AsyncClient):
    told = (await client.get("/chat/models/", {"provider": CONFIGURED})).json()
    assert (told["source"], [model["id"] for model in told["models"]]) == ("settings", ["first", "second"])


async def test_a_socket_answers_with_the_configured_provider(client: AsyncClient):
    assert (await websocket(client, "hello"))[-1]["model"] == "script"
