"""A person decides what may be changed, over every door that has a way back to them."""

import asyncio
from typing import Any

import pytest
from django.test import AsyncClient
from pytest_django import Settings

from dragoman.django import assistants, consumer, models
from tests.transports import world
from tests.transports.clients import EVENTS, events, kinds, new_conversation, post, socket, sse, text_of

pytestmark = pytest.mark.usefixtures("chat")


async def test_a_socket_is_asked_for_the_very_change_that_will_be_made(client: AsyncClient):
    async with socket(client) as line:
        await line.say(type="message", text="rename")
        asked = (await line.hear_until("confirm_mutation"))[-1]
    assert asked["mutation"] == "renameProject"
    assert asked["input"] == {"name": "Apollo", "to": "Artemis"}
    assert world.written == []


@pytest.mark.requirement("g.confirm.accept", "g.confirm.event")
async def test_a_change_confirmed_on_a_socket_is_made_once_and_the_turn_goes_on(client: AsyncClient):
    async with socket(client) as line:
        await line.say(type="message", text="rename")
        asked = (await line.hear_until("confirm_mutation"))[-1]
        await line.say(type="confirm", confirmation_id=asked["id"], confirmed=True)
        told = await line.hear_until("done")
    assert told[0]["type"] == "tool_result"
    assert (told[0]["id"], told[0]["name"], told[0]["result"]["ok"]) == (asked["id"], "rename", True)
    assert [frame["seq"] for frame in told] == [asked["seq"] + 1 + step for step in range(len(told))]
    assert {frame["run_id"] for frame in told} == {asked["run_id"]}
    assert text_of(told) == "Renamed."
    assert world.written == [("Apollo", "Artemis")]


@pytest.mark.requirement("g.confirm.reject")
async def test_a_change_rejected_on_a_socket_is_not_made_and_the_model_is_told(client: AsyncClient):
    async with socket(client) as line:
        await line.say(type="message", text="rename")
        asked = (await line.hear_until("confirm_mutation"))[-1]
        await line.say(type="confirm", confirmation_id=asked["id"], confirmed=False)
        told = await line.hear_until("done")
    assert told[0]["result"] == {"status": "cancelled", "reason": "user_rejected"}
    assert text_of(told) == "Left it: user_rejected."
    assert world.written == []


@pytest.mark.requirement("g.confirm.timeout-ws")
async def test_a_confirmation_nobody_answers_on_a_socket_is_cancelled_and_the_turn_goes_on(
    client: AsyncClient, chat: dict[str, Any], settings: Settings
):
    settings.DRAGOMAN = {"default": {**chat, "confirm_timeout_seconds": 0}}
    async with socket(client) as line:
        await line.say(type="message", text="rename")
        told = await line.hear_until("done")
    assert [frame["result"] for frame in told if frame["type"] == "tool_result"] == [
        {"status": "cancelled", "reason": "confirmation_timed_out"}
    ]
    assert text_of(told).endswith("Left it: confirmation_timed_out.")
    assert world.written == []


@pytest.mark.requirement("g.confirm.sse", "g.confirm.http-body")
@pytest.mark.parametrize(
    ("confirmed", "answer", "written"),
    [(True, "Renamed.", [("Apollo", "Artemis")]), (False, "Left it: user_rejected.", [])],
)
async def test_a_change_asked_for_in_a_stream_is_decided_by_a_post(
    client: AsyncClient, confirmed: bool, answer: str, written: list[tuple[str, str]]
):
    asked = (await sse(client, "rename"))[-1]
    assert asked["type"] == "confirm_mutation"
    told = await sse(client, "", "/chat/confirm/", confirmation_id=asked["id"], confirmed=confirmed)
    assert kinds(told) == ["tool_result", "text_chunk", "done"]
    assert told[0]["id"] == asked["id"]
    assert text_of(told) == answer
    assert world.written == written


async def test_a_decision_is_answered_as_one_object_where_no_stream_is_wanted(client: AsyncClient):
    asked = (await sse(client, "rename"))[-1]
    response = await post(client, "/chat/confirm/", {"confirmation_id": asked["id"], "confirmed": True})
    assert response.json()["answer"] == "Renamed."


@pytest.mark.requirement("g.confirm.once")
async def test_of_two_answers_at_once_one_is_taken(client: AsyncClient):
    asked = (await sse(client, "rename"))[-1]
    body = {"confirmation_id": asked["id"], "confirmed": True}
    answers = await asyncio.gather(*(post(client, "/chat/confirm/", body) for _ in range(4)))
    assert [response.status_code for response in answers] == [200] * 4
    results = [frame for response in answers for frame in response.json()["frames"] if frame["type"] == "tool_result"]
    assert len(results) == 4
    assert [result["result"] for result in results] == [results[0]["result"]] * 4
    assert sum(result["seq"] > 0 for result in results) == 1
    assert world.written == [("Apollo", "Artemis")]


async def test_two_changes_are_decided_apart_and_the_turn_goes_on_after_the_last(client: AsyncClient):
    async with socket(client) as line:
        await line.say(type="message", text="rename two")
        told = await line.hear_until("confirm_mutation")
        told += await line.hear_until("confirm_mutation")
        first, second = [frame for frame in told if frame["type"] == "confirm_mutation"]
        await line.say(type="confirm", confirmation_id=second["id"], confirmed=True)
        assert [(frame["type"], frame["id"]) for frame in await line.hear_until("tool_result")] == [
            ("tool_result", second["id"])
        ]
        await line.say(type="confirm", confirmation_id=first["id"], confirmed=False)
        rest = await line.hear_until("done")
    assert rest[0]["result"]["reason"] == "user_rejected"
    assert world.written == [("Apollo", "Aurora")]


async def test_a_new_message_gives_up_what_was_still_open(client: AsyncClient):
    async with socket(client) as line:
        await line.say(type="message", text="rename")
        asked = (await line.hear_until("confirm_mutation"))[-1]
        await line.say(type="message", text="hello")
        told = await line.hear_until("done")
        told += await line.hear_until("done")
        await line.say(type="confirm", confirmation_id=asked["id"], confirmed=True)
        refused = await line.hear()
    assert told[0]["result"] == {"status": "cancelled", "reason": "superseded"}
    assert text_of(told) == "Good day."
    assert (refused["type"], refused["code"]) == ("error", "bad_event")
    assert world.written == []


@pytest.mark.requirement("g.confirm.expired")
@pytest.mark.parametrize("accept", ["application/json", EVENTS])
async def test_a_confirmation_that_is_unknown_or_too_late_is_an_unknown_event(
    client: AsyncClient, chat: dict[str, Any], settings: Settings, accept: str
):
    settings.DRAGOMAN = {"default": {**chat, "confirm_timeout_seconds": 0}}
    expired = (await sse(client, "rename"))[-1]
    for call_id in ("made-up", expired["id"]):
        body = {"confirmation_id": call_id, "confirmed": True}
        response = await post(client, "/chat/confirm/", body, accept)
        assert response.status_code == 404
        assert response.json() == {"type": "error", "message": "Unknown chat event.", "code": "bad_event"}
    assert world.written == []


async def test_nobody_decides_for_somebody_else(client: AsyncClient, stranger: AsyncClient):
    asked = (await sse(client, "rename"))[-1]
    body = {"confirmation_id": asked["id"], "confirmed": True}
    assert (await post(stranger, "/chat/confirm/", body)).status_code == 404
    async with socket(stranger) as line:
        await line.say(type="confirm", **body)
        assert (await line.hear())["code"] == "bad_event"
    assert world.written == []
    assert (await post(client, "/chat/confirm/", body)).status_code == 200


@pytest.mark.requirement("g.http.confirm-rejected")
@pytest.mark.parametrize("script", ["rename", "rename two", "rename again and again"])
async def test_a_plain_post_makes_no_change_that_needs_a_confirmation(client: AsyncClient, script: str):
    response = await post(client, "/chat/", {"text": script})
    body = response.json()
    assert response.status_code == 409
    assert (body["type"], body["code"]) == ("error", "confirmation_unsupported")
    assert kinds(body["frames"])[-1] == "done"
    results = [frame["result"] for frame in body["frames"] if frame["type"] == "tool_result"]
    assert results[0] == {"status": "cancelled", "reason": "confirmation_unsupported"}
    assert not any(result.get("ok") for result in results)
    assert world.written == []
    assert not await models.PausedCall.objects.filter(decision="").aexists()


@pytest.mark.requirement("g.confirm.any-worker")
async def test_what_was_asked_in_a_stream_is_announced_again_and_decided_on_a_socket(client: AsyncClient):
    asked = (await sse(client, "rename"))[-1]
    again = (await client.get(f"/chat/conversations/{asked['conversation_id']}/")).json()["frames"][-1]
    assert {**again, "seq": 0} == {**asked, "seq": 0}
    async with socket(client) as line:
        await line.say(type="confirm", confirmation_id=asked["id"], confirmed=True)
        assert text_of(await line.hear_until("done")) == "Renamed."


async def test_a_stream_of_a_decision_that_loses_the_race_gets_the_result_of_the_other(client: AsyncClient):
    asked = (await sse(client, "rename"))[-1]
    body = {"confirmation_id": asked["id"], "confirmed": False}
    responses = await asyncio.gather(*(post(client, "/chat/confirm/", body, EVENTS) for _ in range(2)))
    [won] = [response for response in responses if response["Content-Type"] == EVENTS]
    [lost] = [response for response in responses if response is not won]
    assert lost.json()["frames"][0]["result"] == {"status": "cancelled", "reason": "user_rejected"}
    assert kinds([frame async for frame in events(won)])[-1] == "done"


async def test_a_change_that_was_being_made_when_the_line_broke_is_written_down_and_not_made_again(
    client: AsyncClient, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(consumer, "LEAVING_SECONDS", 0)
    async with socket(client) as line:
        await line.say(type="message", text="rename slowly")
        said = await line.hear()
        await world.until("slow.reached")
    run = assistants.desk().supervisor.running(said["conversation_id"])
    assert run is not None
    world.mark("slow.open")
    await asyncio.wait([run.task])
    replayed = (await client.get(f"/chat/conversations/{said['conversation_id']}/")).json()["frames"]
    assert kinds(replayed) == ["user_message", "tool_call", "tool_result", "done"]
    assert replayed[-1]["finish_reason"] == "interrupted"
    async with socket(client) as line:
        await line.say(type="message", text="hello", conversation_id=said["conversation_id"])
        told = await line.hear_until("done")
    assert told[0]["run_id"] != said["run_id"]
    assert kinds(told) == ["user_message", "text_chunk", "text_chunk", "done"]
    assert world.written == [("Gemini", "Slow")]


@pytest.mark.requirement("g.auth.anonymous-reads")
async def test_an_anonymous_visitor_may_ask_and_change_nothing(nobody: AsyncClient):
    assert text_of(await sse(nobody, "hello")) == "Good day."
    frames = await sse(nobody, "rename at once")
    [result] = [frame["result"] for frame in frames if frame["type"] == "tool_result"]
    assert result["code"] == "permission_denied"
    assert world.written == []


# What runs is what was shown ------------------------------------------------------------------------------------------


@pytest.mark.requirement("g.confirm.once")
@pytest.mark.parametrize("confirmed", [True, False])
async def test_a_second_answer_gets_the_result_of_the_first_and_changes_nothing(client: AsyncClient, confirmed: bool):
    asked = (await sse(client, "rename"))[-1]
    first = await post(client, "/chat/confirm/", {"confirmation_id": asked["id"], "confirmed": True})
    again = await post(client, "/chat/confirm/", {"confirmation_id": asked["id"], "confirmed": confirmed})
    assert again.json()["frames"] == [{**first.json()["frames"][0], "seq": 0}]
    async with socket(client) as line:
        await line.say(type="confirm", confirmation_id=asked["id"], confirmed=confirmed)
        assert await line.hear() == {**first.json()["frames"][0], "seq": 0}
    assert world.written == [("Apollo", "Artemis")]


OTHER = {"name": "Apollo", "to": "Ares"}


async def change_the_call(row: models.PausedCall) -> None:
    """Both rows, as somebody would who may write to the tables: the call that was said and the one that waits."""
    row.call["arguments"], row.input = OTHER, OTHER
    await row.asave()
    said = await models.Message.objects.aget(calls__0__id=row.call_id)
    said.calls[0]["arguments"] = OTHER
    await said.asave()


async def change_the_seal(row: models.PausedCall) -> None:
    row.seal = "0" * 64
    await row.asave()


@pytest.mark.parametrize("tamper", [change_the_call, change_the_seal])
async def test_a_row_that_was_changed_meanwhile_does_not_run(client: AsyncClient, tamper: Any):
    asked = (await sse(client, "rename"))[-1]
    await tamper(await models.PausedCall.objects.aget(call_id=asked["id"]))
    refused = await post(client, "/chat/confirm/", {"confirmation_id": asked["id"], "confirmed": True})
    assert (refused.status_code, refused.json()["code"]) == (409, "confirmation_changed")
    assert world.written == []
    rejected = await post(client, "/chat/confirm/", {"confirmation_id": asked["id"], "confirmed": False})
    assert rejected.status_code == 200


async def test_without_the_seal_a_changed_row_would_run(client: AsyncClient, monkeypatch: pytest.MonkeyPatch):
    """The guard of the test above is the seal and nothing else."""
    monkeypatch.setattr("dragoman.django.store.constant_time_compare", lambda one, other: True)
    asked = (await sse(client, "rename"))[-1]
    await change_the_call(await models.PausedCall.objects.aget(call_id=asked["id"]))
    await post(client, "/chat/confirm/", {"confirmation_id": asked["id"], "confirmed": True})
    assert world.written == [("Apollo", "Ares")]


async def test_a_tool_that_would_do_something_else_by_now_does_not_run(
    client: AsyncClient, monkeypatch: pytest.MonkeyPatch
):
    asked = (await sse(client, "rename"))[-1]
    monkeypatch.setattr(world, "OPERATION", "deleteProject")
    refused = await post(client, "/chat/confirm/", {"confirmation_id": asked["id"], "confirmed": True})
    assert (refused.status_code, refused.json()["code"]) == (409, "confirmation_changed")
    assert world.written == []


async def test_a_confirmation_shows_only_in_its_own_conversation(client: AsyncClient):
    asked = (await sse(client, "rename"))[-1]
    other = await new_conversation(client)
    await sse(client, "hello", conversation_id=other)
    for place, shown in ((asked["conversation_id"], 1), (other, 0)):
        frames = (await client.get(f"/chat/conversations/{place}/")).json()["frames"]
        assert [frame["id"] for frame in frames if frame["type"] == "confirm_mutation"] == [asked["id"]] * shown
