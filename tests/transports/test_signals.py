"""Receivers hear of messages, tools, changes and failures, the same over every door; none of them can break a turn."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.dispatch import Signal
from django.test import AsyncClient

from dragoman.django import signals
from dragoman.harness.caller import Caller
from tests.transports import world
from tests.transports.clients import (
    in_process,
    kinds,
    plain_post,
    post,
    socket,
    sse,
    text_of,
    websocket,
)

NAMES = ("chat_message_received", "chat_mutation_executed", "chat_tool_called", "chat_error")


@pytest.fixture
def heard() -> Iterator[list[tuple[str, dict[str, Any]]]]:
    """What was sent, with its name; the receivers ask the database."""
    told: list[tuple[str, dict[str, Any]]] = []
    receivers: list[tuple[Signal, Any]] = []
    for name in NAMES:

        def receive(name: str = name, **kwargs: Any) -> None:
            assert get_user_model().objects.filter(pk=kwargs["user"].pk).exists()
            told.append((name, {**kwargs, "asked": world.happened("asked")}))

        signal = getattr(signals, name)
        signal.connect(receive)
        receivers.append((signal, receive))
    yield told
    for signal, receive in receivers:
        signal.disconnect(receive)


def said(heard: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, dict[str, Any]]]:
    """What was sent without the places, which differ between runs."""
    left_out = ("signal", "sender", "conversation_id", "run_id", "asked", "user", "context")
    return [
        (name, {key: str(value) if key == "error" else value for key, value in told.items() if key not in left_out})
        for name, told in heard
    ]


LOOKED = {
    "alias": "default",
    "tool_name": "look_up",
    "args": {"name": "Apollo"},
    "result": {"name": "Apollo", "status": "active"},
}
RENAMED = {"ok": True, "object": {"name": "Castor"}}
EXPECTED: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "look twice": [
        ("chat_message_received", {"alias": "default", "message": "look twice"}),
        ("chat_tool_called", LOOKED),
        (
            "chat_tool_called",
            {
                **LOOKED,
                "args": {"name": "Vostok"},
                "result": {
                    "error": "There is no project 'Vostok'. There is: Apollo, Gemini.",
                    "code": "not_found",
                },
            },
        ),
        ("chat_error", {"alias": "default", "error": "There is no project 'Vostok'. There is: Apollo, Gemini."}),
    ],
    "rename at once": [
        ("chat_message_received", {"alias": "default", "message": "rename at once"}),
        (
            "chat_tool_called",
            {
                "alias": "default",
                "tool_name": "rename",
                "args": {"name": "Gemini", "to": "Castor"},
                "result": RENAMED,
            },
        ),
        (
            "chat_mutation_executed",
            {
                "alias": "default",
                "mutation": "renameProject",
                "input": {"name": "Gemini", "to": "Castor"},
                "result": RENAMED,
            },
        ),
    ],
    "fail": [
        ("chat_message_received", {"alias": "default", "message": "fail"}),
        ("chat_error", {"alias": "default", "error": "The model's service failed."}),
    ],
}


@pytest.mark.requirement("g.signals.four")
@pytest.mark.parametrize("script", EXPECTED)
@pytest.mark.parametrize("door", ["python", "post", "sse", "websocket"])
async def test_the_same_is_heard_over_every_door(
    client: AsyncClient, ada: Any, heard: list[Any], door: str, script: str
):
    match door:
        case "python":
            await in_process(Caller(f"user:{ada.pk}", user=ada, is_authenticated=True), script)
        case "post":
            await plain_post(client, script)
        case "sse":
            await sse(client, script)
        case "websocket":
            await websocket(client, script)
    assert said(heard) == EXPECTED[script]
    assert {told["user"].pk for _, told in heard} == {ada.pk}
    assert len({told["conversation_id"] for name, told in heard if name != "chat_error"}) == 1


@pytest.mark.requirement("g.signals.four")
async def test_a_message_is_announced_before_the_model_is_asked(client: AsyncClient, heard: list[Any]):
    frames = await sse(client, "hello")
    [(name, told)] = heard
    assert (name, told["message"], told["asked"]) == ("chat_message_received", "hello", False)
    assert told["conversation_id"] == frames[0]["conversation_id"]


@pytest.mark.requirement("g.signals.four")
@pytest.mark.parametrize("over", ["websocket", "post"])
async def test_a_change_is_announced_when_it_was_confirmed_and_not_when_it_was_rejected(
    client: AsyncClient, heard: list[Any], over: str
):
    for confirmed in (False, True):
        heard.clear()
        async with socket(client) as line:
            await line.say(type="message", text="rename")
            asked = (await line.hear_until("confirm_mutation"))[-1]
            assert [name for name, _ in heard] == ["chat_message_received"]
            decision = {"confirmation_id": asked["id"], "confirmed": confirmed}
            if over == "websocket":
                await line.say(type="confirm", **decision)
                await line.hear_until("done")
            else:
                assert (await post(client, "/chat/confirm/", decision)).status_code == 200
        done = [(name, told) for name, told in heard if name != "chat_message_received"]
        assert [name for name, _ in done] == (["chat_tool_called", "chat_mutation_executed"] if confirmed else [])
        for _, told in done[1:]:
            assert (told["mutation"], told["input"]) == ("renameProject", {"name": "Apollo", "to": "Artemis"})


async def test_an_error_says_where_it_happened(client: AsyncClient, heard: list[Any]):
    frames = await sse(client, "look twice")
    [error] = [told for name, told in heard if name == "chat_error"]
    assert error["error"].code == "not_found"
    assert error["context"] == {
        "alias": "default",
        "conversation_id": frames[0]["conversation_id"],
        "run_id": frames[0]["run_id"],
        "tool_name": "look_up",
        "args": {"name": "Vostok"},
    }


async def test_a_receiver_may_be_async_and_use_the_database(client: AsyncClient):
    told: list[str] = []

    async def receive(user: Any, message: str, **kwargs: Any) -> None:
        told.append(f"{(await get_user_model().objects.aget(pk=user.pk)).username}: {message}")

    signals.chat_message_received.connect(receive)
    try:
        for ask in (plain_post, sse, websocket):
            assert text_of(await ask(client, "hello")) == "Good day."
    finally:
        signals.chat_message_received.disconnect(receive)
    assert told == ["wanda: hello"] * 3


async def test_a_receiver_that_raises_breaks_no_turn_and_hinders_no_other(client: AsyncClient, heard: list[Any]):
    def raises(**kwargs: Any) -> None:
        raise RuntimeError("This receiver is broken.")

    for name in NAMES:
        getattr(signals, name).connect(raises)
    try:
        for script in ("hello", "look", "rename at once", "fail"):
            for ask in (plain_post, sse, websocket):
                frames = await ask(client, script)
                assert kinds(frames)[-1] == "done"
                assert frames[-1]["finish_reason"] == ("error" if script == "fail" else "stop")
    finally:
        for name in NAMES:
            getattr(signals, name).disconnect(raises)
    assert heard


async def test_a_change_whose_client_left_meanwhile_is_announced_all_the_same(client: AsyncClient, heard: list[Any]):
    async with socket(client) as line:
        await line.say(type="message", text="rename slowly")
        await world.until("slow.reached")
        await line.communicator.send_input({"type": "websocket.disconnect", "code": 1001})
        world.mark("slow.open")
        await world.until("renamed.Gemini")
    assert [name for name, _ in heard] == ["chat_message_received", "chat_tool_called", "chat_mutation_executed"]
