"""Somebody who knows every id of another person gets nothing by them, on whatever route there is."""

import json
from typing import Any

import pytest
from django.test import AsyncClient

from dragoman.django import models, records, urls
from tests.transports import world
from tests.transports.clients import EVENTS, JSON, Frame, sse

pytestmark = pytest.mark.usefixtures("chat")

METHODS = ("GET", "POST", "PATCH", "PUT", "DELETE")
# What a stranger gets here is their own, and no id is asked for.
OWN = {"default", "default-models", "default-data", "default-conversations", "default-mcp"}


async def victims(client: AsyncClient) -> Frame:
    """Every id of a conversation that waits for a confirmation."""
    told = await sse(client, "rename")
    return {
        "conversation_id": told[0]["conversation_id"],
        "run_id": told[0]["run_id"],
        "message_id": told[0]["id"],
        "confirmation_id": told[-1]["id"],
        "confirmed": True,
        "text": "hello",
        "title": "Mine now",
    }


def paths(ids: Frame) -> dict[str, str]:
    """Every route by its name, with another person's ids where it takes any."""
    found = {}
    for route in urls.routes():
        names = route.pattern.converters
        assert set(names) <= set(ids), f"{route.name} takes something this test knows nothing of"
        found[str(route.name)] = "/" + str(route.pattern).replace("<str:", "<").translate(
            str.maketrans({"<": "{", ">": "}"})
        ).format(**ids)
    return found


async def ask(visitor: AsyncClient, method: str, path: str, ids: Frame, accept: str) -> Any:
    body = {} if method == "GET" else {"data": json.dumps(ids), "content_type": JSON}
    return await visitor.generic(method, path, headers={"accept": accept}, **body)


@pytest.mark.requirement("g.conversation.owner")
@pytest.mark.parametrize("accept", [JSON, EVENTS])
@pytest.mark.parametrize("who", ["stranger", "nobody"])
async def test_no_route_gives_a_stranger_anything_by_another_ones_ids(
    client: AsyncClient, stranger: AsyncClient, nobody: AsyncClient, who: str, accept: str
):
    visitor = {"stranger": stranger, "nobody": nobody}[who]
    ids = await victims(client)
    before = await state()
    asked = 0
    for name, path in paths(ids).items():
        for method in METHODS:
            response = await ask(visitor, method, path, ids, accept)
            if name not in OWN or (name == "default" and method == "POST"):
                assert response.status_code in (404, 405), (method, path, response.status_code)
                asked += response.status_code == 404
            assert b"Apollo" not in getattr(response, "content", b""), (method, path)
    assert asked >= 8
    assert await state() == before
    assert world.written == []


async def test_the_owner_gets_something_by_them(client: AsyncClient):
    """The test above is about the person: with the same ids, the owner is answered."""
    ids = await victims(client)
    path = f"/chat/conversations/{ids['conversation_id']}/"
    assert (await ask(client, "GET", path, ids, JSON)).status_code == 200
    confirmed = await ask(client, "POST", "/chat/confirm/", ids, JSON)
    assert confirmed.status_code == 200


@pytest.mark.parametrize("switched_off", ["records", "store"])
async def test_without_the_check_of_owners_a_stranger_would_get_in(
    client: AsyncClient, stranger: AsyncClient, monkeypatch: pytest.MonkeyPatch, switched_off: str
):
    ids = await victims(client)

    def everybodys(*arguments: Any) -> Any:
        return models.Conversation.objects.all()

    if switched_off == "store":
        monkeypatch.setattr("dragoman.django.store.DjangoStore._owned", everybodys)
        response = await stranger.get(f"/chat/conversations/{ids['conversation_id']}/")
        assert response.status_code == 200
    else:
        monkeypatch.setattr(records, "_owned", everybodys)
        records_of = (await stranger.get("/chat/conversations/")).json()["conversations"]
        assert [one["title"] for one in records_of] == ["rename"]


async def state() -> list[Any]:
    return [
        [row async for row in models.Conversation.objects.filter(title="rename").values()],
        [row async for row in models.Message.objects.filter(conversation__title="rename").values()],
        [row async for row in models.PausedCall.objects.values()],
    ]
