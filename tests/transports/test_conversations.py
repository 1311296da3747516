"""Conversations over HTTP: begun, listed, renamed, deleted, resumed, asked anew, exported; each only by its owner."""

import json
from typing import Any

import pytest
from django.test import AsyncClient
from pytest_django import Settings

from dragoman.django import models
from tests.transports import world
from tests.transports.clients import JSON, Frame, kinds, new_conversation, post, socket, sse, text_of

pytestmark = pytest.mark.usefixtures("chat")


async def patch(client: AsyncClient, conversation_id: str, **body: str) -> Any:
    return await client.patch(f"/chat/conversations/{conversation_id}/", json.dumps(body), content_type=JSON)


async def replayed(client: AsyncClient, conversation_id: str) -> list[Frame]:
    return (await client.get(f"/chat/conversations/{conversation_id}/")).json()["frames"]


@pytest.mark.requirement("r.chat.sessions")
async def test_a_conversation_is_begun_named_by_its_first_message_listed_renamed_resumed_and_deleted(
    client: AsyncClient,
):
    begun = await new_conversation(client)
    assert (await client.get("/chat/conversations/")).json() == {"conversations": []}  # nothing was said yet
    await sse(client, "hello", conversation_id=begun)
    [listed] = (await client.get("/chat/conversations/")).json()["conversations"]
    assert (listed["conversation_id"], listed["title"], listed["running"]) == (begun, "hello", False)
    assert (await patch(client, begun, title=" Greetings ")).json()["title"] == "Greetings"
    resumed = await sse(client, "look", conversation_id=begun)
    assert resumed[0]["conversation_id"] == begun
    assert (await client.get("/chat/conversations/")).json()["conversations"][0]["title"] == "Greetings"
    assert (await client.delete(f"/chat/conversations/{begun}/")).json()["deleted"] is True
    assert (await client.get("/chat/conversations/")).json() == {"conversations": []}
    assert (await client.get(f"/chat/conversations/{begun}/")).status_code == 404
    assert not await models.Message.objects.aexists()


async def test_the_list_comes_in_pages_the_last_used_first(client: AsyncClient):
    ids = [await new_conversation(client) for _ in range(5)]
    for one in [*ids, ids[0]]:
        await sse(client, "hello", conversation_id=one)
    first = (await client.get("/chat/conversations/?limit=3")).json()
    rest = (await client.get(f"/chat/conversations/?limit=3&offset={first['next_offset']}")).json()
    told = [one["conversation_id"] for one in first["conversations"] + rest["conversations"]]
    assert told == [ids[0], *reversed(ids[1:])]
    assert "next_offset" not in rest


async def test_a_conversation_that_is_deleted_while_it_answers_is_stopped_first(client: AsyncClient):
    async with socket(client) as line:
        await line.say(type="message", text="wait")
        said = await line.hear()
        await world.until("wait.reached")
        listed = (await client.get("/chat/conversations/")).json()["conversations"]
        assert [one["running"] for one in listed] == [True]
        response = await client.delete(f"/chat/conversations/{said['conversation_id']}/")
        assert response.status_code == 200
        assert (await line.hear_until("done"))[-1]["finish_reason"] == "stopped"
    assert not await models.Conversation.objects.aexists()


@pytest.mark.parametrize(
    "body", [{}, {"title": ""}, {"title": "x" * 201}, {"titel": "x"}, {"title": 3}, {"model": "m" * 201}]
)
async def test_a_change_that_makes_no_sense_is_refused(client: AsyncClient, body: dict[str, Any]):
    begun = await new_conversation(client)
    assert (await patch(client, begun, **body)).status_code == 400


# Asked anew -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("door", ["post", "socket"])
async def test_an_edited_message_takes_the_place_of_its_turn_and_of_all_after_it(client: AsyncClient, door: str):
    told = await sse(client, "hello")
    place = told[0]["conversation_id"]
    await sse(client, "look", conversation_id=place)
    if door == "post":
        anew = await sse(client, "look twice", "/chat/edit/", message_id=told[0]["id"])
    else:
        async with socket(client) as line:
            await line.say(type="edit", message_id=told[0]["id"], text="look twice")
            anew = await line.hear_until("done")
    assert (anew[0]["type"], anew[0]["text"], anew[0]["conversation_id"]) == ("user_message", "look twice", place)
    assert text_of(anew) == "One is there."
    again = await replayed(client, place)
    assert [frame["text"] for frame in again if frame["type"] == "user_message"] == ["look twice"]
    kept = models.Message.objects.filter(taken_back=True)
    assert await kept.acount() == 6  # nothing that was said is lost


@pytest.mark.parametrize("door", ["post", "socket"])
@pytest.mark.parametrize("which", ["question", "answer"])
async def test_an_answer_is_written_again(client: AsyncClient, door: str, which: str, monkeypatch: pytest.MonkeyPatch):
    told = await sse(client, "hello")
    sent: list[int] = []

    def other(messages: Any) -> list[str]:
        sent.append(len(messages))
        return ["Good evening."]

    monkeypatch.setitem(world.SCRIPTS, "hello", [other])
    message_id = told[0]["id"] if which == "question" else told[-1]["message_id"]
    if door == "post":
        response = await post(client, "/chat/regenerate/", {"message_id": message_id})
        assert response.json()["answer"] == "Good evening."
    else:
        async with socket(client) as line:
            await line.say(type="regenerate", message_id=message_id)
            assert text_of(await line.hear_until("done")) == "Good evening."
    assert sent == [2]  # the prompt and the question: the first answer is not in the history
    assert text_of(await replayed(client, told[0]["conversation_id"])) == "Good evening."


@pytest.mark.parametrize(("path", "more"), [("edit", {"text": "hello"}), ("regenerate", {})])
async def test_a_change_that_was_made_is_never_made_again_by_asking_anew(
    client: AsyncClient, path: str, more: dict[str, str]
):
    told = await sse(client, "rename at once")
    await sse(client, "hello", conversation_id=told[0]["conversation_id"])
    world.forget()
    response = await post(client, f"/chat/{path}/", {"message_id": told[0]["id"], **more})
    assert (response.status_code, response.json()["code"]) == (409, "already_changed")
    assert world.written == []
    assert not world.happened("asked")
    assert not await models.Message.objects.filter(taken_back=True).aexists()


async def test_what_was_folded_into_a_summary_is_unfolded_when_it_is_taken_back(
    client: AsyncClient, chat: dict[str, Any], settings: Settings
):
    few = {"max_recent_messages": 1, "summarize_after": 1}
    settings.DRAGOMAN = {"default": {**chat, "conversation": few}}
    world.SCRIPTS.setdefault("", [["A summary."]])
    told = await sse(client, "hello")
    row = await models.Conversation.objects.aget()
    last = await models.Message.objects.order_by("-pk").afirst()
    assert last is not None
    row.summary, row.summarized_through = "They said hello.", last.message_id
    await row.asave()
    await post(client, "/chat/edit/", {"message_id": told[0]["id"], "text": "look"})
    await row.arefresh_from_db()
    assert (row.summary, row.summarized_through) == ("", "")


# A stranger -----------------------------------------------------------------------------------------------------------


async def test_a_message_of_nobody_cannot_be_asked_anew(client: AsyncClient):
    response = await post(client, "/chat/regenerate/", {"message_id": "made-up"})
    assert (response.status_code, response.json()["code"]) == (404, "unknown_conversation")


async def test_a_person_takes_all_their_data_with_them_and_has_it_deleted(
    client: AsyncClient, stranger: AsyncClient, nobody: AsyncClient
):
    await sse(client, "rename")
    await sse(stranger, "hello")
    told = (await client.get("/chat/data/")).json()
    [conversation] = told["conversations"]
    assert conversation["title"] == "rename"
    assert [message["role"] for message in conversation["messages"]] == ["user", "assistant"]
    assert [one["operation"] for one in conversation["confirmations"]] == ["renameProject"]
    assert (await client.delete("/chat/data/")).json() == {"deleted": 1}
    assert (await client.get("/chat/data/")).json()["conversations"] == []
    assert len((await stranger.get("/chat/data/")).json()["conversations"]) == 1
    assert (await nobody.get("/chat/data/")).status_code == 403
    assert (
        not await models.Usage.objects.filter(account__startswith="user:", user=None)
        .filter(conversation_id__isnull=False)
        .aexists()
    )


@pytest.mark.requirement("r.chat.durable-errors")
async def test_a_failure_before_the_first_word_is_a_row_with_its_error(client: AsyncClient):
    told = await sse(client, "fail at once")
    assert kinds(told) == ["user_message", "error", "done"]
    again = await replayed(client, told[0]["conversation_id"])
    assert [frame["type"] for frame in again] == ["user_message", "error", "done"]
    assert again[1]["code"] == "provider_error"
