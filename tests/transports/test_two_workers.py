"""Two Uvicorn workers on one database, each kind of it: a run is heard, stopped and decided from the other one."""

import asyncio
import json
import os
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.db.utils import ConnectionHandler
from pytest_django import DjangoDbBlocker

from tests.transports import world
from tests.transports.clients import kinds, text_of
from tests.transports.server import Browser, serving

SETTINGS = "tests.transports.project.workers"
KINDS = [
    "sqlite3",
    pytest.param("postgresql", marks=pytest.mark.service("postgres", "redis")),
    pytest.param("mysql", marks=pytest.mark.service("mariadb")),
]


@pytest.fixture(scope="module", params=KINDS)
def browsers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker
) -> Iterator[list[Browser]]:
    """One person at two workers of one project."""
    folder = tmp_path_factory.mktemp(request.param)
    name = f"dragoman_runs_{uuid.uuid4().hex[:12]}"
    with pytest.MonkeyPatch.context() as patch:
        if request.param != "sqlite3":
            patch.setenv("DRAGOMAN_TEST_SERVER", f"{request.param}:{name}")
            with django_db_blocker.unblock():
                _execute(request.param, f"create database {name}")
        if request.param == "postgresql":
            patch.setenv("DRAGOMAN_TEST_REDIS", "1")
        try:
            with serving(folder, settings=SETTINGS) as first, serving(folder, settings=SETTINGS) as second:
                one, other = Browser(first), Browser(second, name="")
                other.cookies |= one.cookies
                yield [one, other]
        finally:
            if request.param != "sqlite3":
                force = " with (force)" if request.param == "postgresql" else ""
                with django_db_blocker.unblock():
                    _execute(request.param, f"drop database {name}{force}")


@pytest.fixture(autouse=True)
def closed_gates() -> None:
    world.forget()


@pytest.mark.requirement("g.conversation.multi-worker")
async def test_an_answer_is_heard_in_the_other_worker_without_a_gap(browsers: list[Browser]):
    one, other = browsers
    async with one.socket() as line:
        await line.say(type="message", text="wait")
        told = await line.hear_until("text_chunk")
    world_asked = world.GATES / "asked"
    world_asked.unlink()
    place = {"conversation_id": told[0]["conversation_id"], "run_id": told[0]["run_id"]}
    async with other.socket() as line:
        await line.say(type="attach", after_seq=1, **place)
        heard = [await line.hear()]
        world.mark("wait.open")
        heard += await line.hear_until("done")
    assert [frame["seq"] for frame in heard] == [2, 3, 4]
    assert text_of(heard) == "Piece one, piece two."
    assert not world_asked.exists()


async def test_an_answer_is_stopped_from_the_other_worker(browsers: list[Browser]):
    one, other = browsers
    async with one.socket() as line:
        await line.say(type="message", text="wait")
        told = await line.hear_until("text_chunk")
        status, answer = other.post("/chat/stop/", {"conversation_id": told[0]["conversation_id"]})
        assert (status, answer["stopped"]) == (200, True)
        rest = await line.hear_until("done")
    assert rest[-1]["finish_reason"] == "stopped"


@pytest.mark.requirement("g.confirm.any-worker", "g.confirm.once")
async def test_of_decisions_in_both_workers_at_once_one_is_carried_out_and_all_are_told(browsers: list[Browser]):
    one, _ = browsers
    with one.stream("/chat/", {"text": "rename", **one.post("/chat/conversations/", {})[1]}) as frames:
        asked = list(frames)[-1]
    body = {"confirmation_id": asked["id"], "confirmed": True}
    answers = await asyncio.gather(
        *(asyncio.to_thread(browser.post, "/chat/confirm/", body) for browser in browsers * 2)
    )
    assert [status for status, _ in answers] == [200] * 4
    results = [frame for _, told in answers for frame in told["frames"] if frame["type"] == "tool_result"]
    assert [result["result"] for result in results] == [{"ok": True, "object": {"name": "Artemis"}}] * 4
    assert sum(result["seq"] > 0 for result in results) == 1


async def test_two_messages_in_one_conversation_at_once_are_one_answer_and_one_refusal(browsers: list[Browser]):
    one, other = browsers
    begun = one.post("/chat/conversations/", {})[1]
    async with one.socket() as line:
        await line.say(type="message", text="wait", **begun)
        await world.until("wait.reached")
        status, refused = other.post("/chat/", {"text": "hello", **begun})
        assert (status, refused["code"]) == (409, "conversation_busy")
        world.mark("wait.open")
        await line.hear_until("done")
    with other.request("GET", f"/chat/conversations/{begun['conversation_id']}/") as response:
        assert kinds(json.load(response)["frames"]) == ["user_message", "text_chunk", "done"]


async def test_the_first_messages_of_a_session_in_both_workers_share_one_conversation(browsers: list[Browser]):
    one, other = (Browser(browser.server, name="") for browser in browsers)
    one.post("/chat/conversations/", {})  # a session, whose conversation is deleted again
    other.cookies |= one.cookies
    with one.request("GET", "/chat/conversations/") as response:
        assert json.load(response)["conversations"] == []
    answers = await asyncio.gather(
        *(asyncio.to_thread(browser.post, "/chat/", {"text": "hello"}) for browser in (one, other))
    )
    ids = {told["conversation_id"] for status, told in answers if status == 200}
    assert len(ids) == 1


def _execute(kind: str, sql: str) -> None:
    user = {"postgresql": os.environ.get("PGUSER", "postgres"), "mysql": os.environ.get("MYSQL_USER", "root")}[kind]
    server: dict[str, Any] = {
        "ENGINE": f"django.db.backends.{kind}",
        "NAME": {"postgresql": "postgres", "mysql": "mysql"}[kind],
        "HOST": "127.0.0.1",
        "USER": user,
    }
    connection = ConnectionHandler({"default": server})["default"]
    try:
        connection.set_autocommit(True)
        with connection.cursor() as cursor:
            cursor.execute(sql)
    finally:
        connection.close()
