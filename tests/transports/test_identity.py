"""Who asks decides what they may, and that is looked up for every message."""

import asyncio
import json
from typing import Any

import pytest
from asgiref.sync import iscoroutinefunction, markcoroutinefunction, sync_to_async
from channels.routing import URLRouter
from channels.testing import WebsocketCommunicator
from django.contrib.auth import get_user_model
from django.contrib.sessions.models import Session
from django.test import AsyncClient
from pytest_django import Settings

from dragoman.django import models
from dragoman.django.routing import websocket_routes
from tests.transports import world
from tests.transports.clients import (
    EVENTS,
    WAIT,
    communicator,
    cookies_of,
    post,
    socket,
    sse,
    text_of,
    websocket,
)

pytestmark = pytest.mark.usefixtures("chat")


async def logged_out(client: AsyncClient, ada: Any) -> None:
    await client.alogout()


async def deactivated(client: AsyncClient, ada: Any) -> None:
    ada.is_active = False
    await ada.asave()


async def given_a_new_password(client: AsyncClient, ada: Any) -> None:
    ada.set_password("other")
    await ada.asave()


async def deleted(client: AsyncClient, ada: Any) -> None:
    await ada.adelete()


@pytest.mark.parametrize("what_happens", [logged_out, deactivated, given_a_new_password, deleted])
async def test_an_open_socket_of_somebody_who_is_gone_can_neither_ask_nor_decide(
    client: AsyncClient, ada: Any, what_happens: Any
):
    async with socket(client) as line, socket(client) as other:
        await line.say(type="message", text="rename")
        asked = (await line.hear_until("confirm_mutation"))[-1]
        await what_happens(client, ada)
        world.forget()
        await line.say(type="confirm", confirmation_id=asked["id"], confirmed=True)
        await other.say(type="message", text="hello")
        for one in (line, other):
            assert (await one.hear())["code"] == "signed_out"
            assert await one.is_closed() == 4401
    assert world.written == []
    assert not world.happened("asked")


@pytest.mark.requirement("g.ws.anonymous-session")
async def test_an_anonymous_socket_gets_a_session_that_its_next_socket_goes_on_with(nobody: AsyncClient):
    line = communicator()
    accepted, _ = await line.connect(WAIT)
    assert accepted
    cookie = dict(line.response_headers)[b"set-cookie"].decode()
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert not await Session.objects.aexists()  # silent so far
    await line.send_json_to({"type": "message", "text": "hello"})
    first = await line.receive_json_from(WAIT)
    assert await Session.objects.acount() == 1
    while (await line.receive_json_from(WAIT))["type"] != "done":
        pass
    await line.disconnect()
    key = cookie.split(";")[0].split("=")[1]
    nobody.cookies["sessionid"] = key
    told = await sse(nobody, "hello", conversation_id=first["conversation_id"])
    assert {frame["conversation_id"] for frame in told} == {first["conversation_id"]}


async def test_silent_sockets_leave_nothing_behind():
    for _ in range(3):
        async with socket():
            pass
    assert not await Session.objects.aexists()
    assert not await models.Conversation.objects.aexists()


async def test_two_anonymous_visitors_are_two(nobody: AsyncClient):
    first = (await sse(nobody, "hello"))[0]["conversation_id"]
    other = AsyncClient()
    assert (await sse(other, "hello"))[0]["conversation_id"] != first
    response = await post(other, "/chat/", {"text": "hello", "conversation_id": first})
    assert response.status_code == 404


async def test_an_anonymous_socket_whose_session_is_gone_is_told(nobody: AsyncClient):
    async with socket() as line:
        await line.say(type="message", text="hello")
        await line.hear_until("done")
        await Session.objects.all().adelete()
        await line.say(type="message", text="hello")
        assert (await line.hear())["code"] == "signed_out"


async def test_without_an_id_a_visitor_goes_on_with_their_newest_conversation(client: AsyncClient):
    first = (await sse(client, "hello"))[0]["conversation_id"]
    assert (await sse(client, "hello"))[0]["conversation_id"] == first
    response = await post(client, "/chat/", {"text": "hello"})
    assert response.json()["conversation_id"] == first


async def test_no_frame_waits_for_the_thread_that_everybody_shares(
    client: AsyncClient, monkeypatch: pytest.MonkeyPatch
):
    async def busy() -> None:
        raise AssertionError("The shared thread was waited for.")

    async with socket(client) as line:
        with monkeypatch.context() as patched:
            patched.setattr("channels.consumer.aclose_old_connections", busy)
            await line.say(type="message", text="hello")
            assert text_of(await line.hear_until("done")) == "Good day."


async def test_four_first_messages_at_once_begin_one_conversation(client: AsyncClient):
    await asyncio.gather(*(post(client, "/chat/", {"text": "hello"}) for _ in range(4)))
    assert await models.Conversation.objects.acount() == 1


async def test_a_socket_goes_on_with_its_own_conversation(client: AsyncClient):
    async with socket(client) as line, socket(client) as other:
        ids = []
        for one in (line, line, other):
            await one.say(type="message", text="hello")
            ids.append((await one.hear_until("done"))[0]["conversation_id"])
    assert ids[0] == ids[1] != ids[2]


@pytest.mark.requirement("g.conversation.login-fresh")
async def test_signing_in_begins_a_fresh_conversation_and_takes_nothing_along(nobody: AsyncClient, ada: Any):
    before = (await sse(nobody, "hello"))[0]["conversation_id"]
    await nobody.aforce_login(ada)
    after = (await sse(nobody, "hello"))[0]["conversation_id"]
    assert after != before
    assert (await post(nobody, "/chat/", {"text": "hello", "conversation_id": before})).status_code == 404
    await nobody.alogout()
    await nobody.aforce_login(ada)
    assert (await sse(nobody, "hello"))[0]["conversation_id"] not in (before, after)


# The project's own gate -----------------------------------------------------------------------------------------------


def says_nothing(user: Any, context: Any) -> None:
    """A permission callable that forgot to answer."""


def says_one(user: Any, context: Any) -> int:
    return 1


async def says_no(user: Any, context: Any) -> bool:
    return user.is_authenticated is None


def asks_the_database(user: Any, context: Any) -> bool:
    return get_user_model().objects.filter(pk=user.pk, username="wanda").exists()


async def says_yes_to_a_context(user: Any, context: Any) -> bool:
    return bool(context["type"] == "websocket" if isinstance(context, dict) else context.path.startswith("/chat/"))


HERE = "tests.transports.test_identity"


@pytest.mark.requirement("g.permission.callable")
@pytest.mark.parametrize("gate", [says_nothing, says_one, says_no])
async def test_a_gate_that_does_not_say_true_refuses_everywhere(
    client: AsyncClient, chat: dict[str, Any], settings: Settings, gate: Any
):
    settings.DRAGOMAN = {"default": {**chat, "permission": gate}}
    for response in (
        await client.get("/chat/"),
        await post(client, "/chat/", {"text": "hello"}),
        await post(client, "/chat/", {"text": "hello"}, EVENTS),
        await post(client, "/chat/confirm/", {"confirmation_id": "x", "confirmed": True}),
        await post(client, "/chat/conversations/", {}),
    ):
        assert (response.status_code, response.json()["code"]) == (403, "permission_denied")
    line = communicator(cookies_of(client))
    assert await line.connect(WAIT) == (False, 4403)
    assert not world.happened("asked")
    assert not await models.Conversation.objects.aexists()


async def test_whoever_is_refused_gets_no_session(nobody: AsyncClient, chat: dict[str, Any], settings: Settings):
    settings.DRAGOMAN = {"default": {**chat, "permission": f"{HERE}.says_no"}}
    assert (await post(nobody, "/chat/", {"text": "hello"})).status_code == 403
    assert not await Session.objects.aexists()


@pytest.mark.requirement("g.permission.callable")
async def test_a_gate_may_ask_the_database_on_every_way(
    client: AsyncClient, stranger: AsyncClient, chat: dict[str, Any], settings: Settings
):
    settings.DRAGOMAN = {"default": {**chat, "permission": f"{HERE}.asks_the_database"}}
    assert text_of(await websocket(client, "hello")) == "Good day."
    assert text_of(await sse(client, "hello")) == "Good day."
    assert (await post(stranger, "/chat/", {"text": "hello"})).status_code == 403
    assert (await communicator(cookies_of(stranger)).connect(WAIT))[0] is False


async def test_a_gate_is_given_the_request_or_the_scope(client: AsyncClient, chat: dict[str, Any], settings: Settings):
    settings.DRAGOMAN = {"default": {**chat, "permission": f"{HERE}.says_yes_to_a_context"}}
    assert text_of(await websocket(client, "hello")) == "Good day."
    assert text_of(await sse(client, "hello")) == "Good day."


async def test_a_right_that_is_taken_ends_an_open_socket(client: AsyncClient, chat: dict[str, Any], settings: Settings):
    async with socket(client) as line:
        settings.DRAGOMAN = {"default": {**chat, "permission": f"{HERE}.says_no"}}
        await line.say(type="message", text="hello")
        assert (await line.hear())["code"] == "permission_denied"


# What the browser guards ----------------------------------------------------------------------------------------------


@pytest.mark.requirement("g.http.csrf")
@pytest.mark.parametrize("path", ["", "confirm/", "stop/", "conversations/"])
async def test_a_post_without_its_token_is_refused(ada: Any, path: str):
    client = AsyncClient(enforce_csrf_checks=True)
    await client.aforce_login(ada)
    response = await client.post(f"/chat/{path}", '{"text": "hello"}', content_type="application/json")
    assert response.status_code == 403
    assert not world.happened("asked")


async def test_a_post_with_the_token_of_the_page_is_answered(ada: Any):
    client = AsyncClient(enforce_csrf_checks=True)
    await client.aforce_login(ada)
    assert (await client.get("/chat/")).status_code == 200
    token = client.cookies["csrftoken"].value
    response = await client.post(
        "/chat/", '{"text": "hello"}', content_type="application/json", headers={"x-csrftoken": token}
    )
    assert response.json()["answer"] == "Good day."


@pytest.mark.requirement("g.ws.origin", "g.ws.auth-stack")
async def test_a_socket_from_a_foreign_page_is_refused(client: AsyncClient, chat: dict[str, Any], settings: Settings):
    cookies = cookies_of(client)
    for origin in ("https://evil.example", "http://testserver.evil.example", "null", ""):
        assert (await communicator(cookies, origin=origin).connect(WAIT))[0] is False
    settings.DRAGOMAN = {"default": {**chat, "allowed_origins": ["https://app.example.com"]}}
    assert (await communicator(cookies, origin="http://testserver").connect(WAIT))[0] is False
    async with socket(client, origin="https://app.example.com") as line:
        await line.say(type="message", text="hello")
        assert text_of(await line.hear_until("done")) == "Good day."


@pytest.mark.requirement("g.auth.agnostic")
async def test_whoever_the_projects_middleware_says_is_asking_is_believed(
    ada: Any, chat: dict[str, Any], settings: Settings
):
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, f"{HERE}.by_token"]
    response = await post(AsyncClient(), "/chat/", {"text": "rename at once"}, authorization="Token wanda")
    assert response.json()["answer"] == "Renamed."
    conversation = await models.Conversation.objects.aget()
    assert (conversation.user_id, conversation.session) == (ada.pk, "")


async def test_whoever_is_deactivated_is_refused_whatever_the_projects_middleware_says(
    ada: Any, chat: dict[str, Any], settings: Settings
):
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, f"{HERE}.by_token"]
    await get_user_model().objects.filter(pk=ada.pk).aupdate(is_active=False)
    for path, body in (("/chat/", {"text": "hello"}), ("/chat/confirm/", {"confirmation_id": "x", "confirmed": True})):
        response = await post(AsyncClient(), path, body, authorization="Token wanda")
        assert (response.status_code, response.json()["code"]) == (403, "signed_out")
    assert not world.happened("asked")


@pytest.mark.requirement("g.permission.callable")
async def test_a_decision_is_gated_like_a_message(client: AsyncClient, chat: dict[str, Any], settings: Settings):
    async with socket(client) as line:
        await line.say(type="message", text="rename")
        asked = (await line.hear_until("confirm_mutation"))[-1]
        settings.DRAGOMAN = {"default": {**chat, "permission": f"{HERE}.says_no"}}
        decision = {"confirmation_id": asked["id"], "confirmed": True}
        await line.say(type="confirm", **decision)
        assert (await line.hear())["code"] == "permission_denied"
        assert (await post(client, "/chat/confirm/", decision)).status_code == 403
    assert world.written == []


def by_token(get_response: Any) -> Any:
    """Authentication by a header, as a project may have it."""
    assert iscoroutinefunction(get_response)

    async def middleware(request: Any) -> Any:
        if name := request.headers.get("authorization", "").removeprefix("Token "):
            request.user = await sync_to_async(get_user_model().objects.get)(username=name)
        return await get_response(request)

    return markcoroutinefunction(middleware)


by_token.async_capable = True  # type: ignore[attr-defined]
by_token.sync_capable = False  # type: ignore[attr-defined]


async def test_an_open_socket_of_a_token_ends_with_its_user(ada: Any):
    routes = URLRouter(websocket_routes())

    async def signed_in(scope: Any, receive: Any, send: Any) -> None:
        await routes({**scope, "user": ada}, receive, send)

    line = WebsocketCommunicator(signed_in, "/chat/", headers=[(b"origin", b"http://testserver")])
    assert (await line.connect(WAIT))[0] is True
    await line.send_json_to({"type": "message", "text": "hello"})
    while (await line.receive_json_from(WAIT))["type"] != "done":
        pass
    await get_user_model().objects.filter(pk=ada.pk).aupdate(is_active=False)
    await line.send_json_to({"type": "message", "text": "hello"})
    assert (await line.receive_json_from(WAIT))["code"] == "signed_out"
    await line.disconnect()


@pytest.mark.requirement("g.activate.settings")
async def test_a_disabled_assistant_answers_nothing(client: AsyncClient, chat: dict[str, Any], settings: Settings):
    settings.DRAGOMAN = {"default": {**chat, "enabled": False}}
    for response in (
        await client.get("/chat/"),
        await post(client, "/chat/", {"text": "hello"}),
        await post(client, "/chat/confirm/", {"confirmation_id": "x", "confirmed": True}),
    ):
        assert response.status_code == 404
    with pytest.raises(ValueError, match="No route found"):
        await communicator(cookies_of(client)).wait(WAIT)
    assert json.dumps(await models.Conversation.objects.acount()) == "0"
