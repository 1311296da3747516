"""The whole script over two workers: whatever one of them began, the other goes on with, over another door.

Each kind of database; with PostgreSQL, Redis holds the workers' cache and sessions.
"""

import asyncio
import json
import os
from typing import Any

import pytest
import redis

from tests.transports import world
from tests.transports.clients import EVENTS, JSON, WAIT, Frame, kinds, named, text_of
from tests.transports.conftest import REDIS, WITH_REDIS
from tests.transports.server import Browser

CONFIGURED = "tests.transports.world.Configured"


def begin(browser: Browser, path: str = "/chat/") -> Frame:
    return browser.post(f"{path}conversations/", {})[1]


def request(browser: Browser, method: str, path: str, body: Frame | None = None) -> tuple[int, Any]:
    headers = {"Content-Type": JSON}
    with browser.request(method, path, body, **headers) as response:
        return response.status, json.load(response)


def replay(browser: Browser, place: Frame) -> Frame:
    return request(browser, "GET", f"/chat/conversations/{place['conversation_id']}/")[1]


async def at_rest(browser: Browser, place: Frame) -> list[Frame]:
    """The frames of a conversation once nothing goes on in it; an end is told a moment before it is let go."""
    async with asyncio.timeout(WAIT):
        while (kept := replay(browser, place))["running"]:  # noqa: ASYNC110  # in the other worker
            await asyncio.sleep(0.02)
    return kept["frames"]


def stream(browser: Browser, path: str, body: Frame) -> list[Frame]:
    with browser.stream(path, body) as frames:
        return list(frames)


async def speak(browser: Browser, *ends: str, **frame: Any) -> list[Frame]:
    """What a socket of its own hears until one of these."""
    async with browser.socket() as line:
        await line.say(**frame)
        return await line.hear_until(*ends)


@pytest.mark.requirement("g.transport.same-events", "g.sse.stream", "g.http.post")
@pytest.mark.parametrize("script", ["hello", "look", "look twice", "claim", "rename at once", "fail"])
async def test_a_script_says_the_same_over_every_door_of_either_worker(browsers: list[Browser], script: str):
    told = []
    for browser in browsers:
        told.append(browser.post("/chat/", {"text": script, **begin(browser)})[1]["frames"])
        told.append(stream(browser, "/chat/", {"text": script, **begin(browser)}))
        told.append(await speak(browser, "done", type="message", text=script))
    assert [named(frames) for frames in told] == [named(told[0])] * 6


@pytest.mark.requirement("g.conversation.multi-worker")
async def test_a_conversation_goes_on_in_the_other_worker_with_every_message(browsers: list[Browser]):
    one, other = browsers
    place = begin(one)
    one.post("/chat/", {"text": "hello", **place})
    stream(other, "/chat/", {"text": "look", **place})
    await speak(one, "done", type="message", text="claim", **place)
    for browser in browsers:
        kept = await at_rest(browser, place)
        assert [frame["text"] for frame in kept if frame["type"] == "user_message"] == ["hello", "look", "claim"]
        assert [frame["finish_reason"] for frame in kept if frame["type"] == "done"] == ["stop"] * 3


@pytest.mark.requirement("g.confirm.any-worker", "g.confirm.accept", "g.confirm.reject")
@pytest.mark.parametrize("confirmed", [True, False])
@pytest.mark.parametrize("door", ["post", "stream", "socket"])
async def test_what_one_worker_asks_for_is_decided_in_the_other(browsers: list[Browser], door: str, confirmed: bool):
    one, other = browsers
    asked = (await speak(one, "confirm_mutation", type="message", text="rename"))[-1]
    shown = replay(other, asked)["frames"][-1]
    assert {**shown, "seq": asked["seq"]} == asked
    body = {"confirmation_id": asked["id"], "confirmed": confirmed}
    match door:
        case "post":
            told = other.post("/chat/confirm/", body)[1]["frames"]
        case "stream":
            told = stream(other, "/chat/confirm/", body)
        case _:
            told = await speak(other, "done", type="confirm", **body)
    assert kinds(told) == ["tool_result", "text_chunk", "done"]
    assert [frame["seq"] for frame in told] == [asked["seq"] + 1 + step for step in range(3)]
    assert text_of(told) == ("Renamed." if confirmed else "Left it: user_rejected.")
    assert world.happened("renamed.Apollo") is confirmed
    again = one.post("/chat/confirm/", body)  # whoever asks twice is told again
    assert again == (200, {**again[1], "frames": [{**told[0], "seq": 0}]})
    assert {**replay(one, asked)["frames"][-1], "seq": 0} == {**told[-1], "seq": 0}


@pytest.mark.parametrize("door", ["post", "socket"])
async def test_an_answer_is_stopped_from_the_other_worker_and_its_text_is_kept(browsers: list[Browser], door: str):
    one, other = browsers
    async with one.socket() as line:
        await line.say(type="message", text="wait")
        told = await line.hear_until("text_chunk")
        place = {"conversation_id": told[0]["conversation_id"]}
        if door == "post":
            assert other.post("/chat/stop/", place) == (200, {**place, "stopped": True})
            rest = await line.hear_until("done")
        else:
            async with other.socket() as another:
                await another.say(type="stop", **place)
                rest = await line.hear_until("done")
    assert rest[-1]["finish_reason"] == "stopped"
    assert text_of(await at_rest(other, place)) == "Piece one, "
    assert text_of(stream(other, "/chat/", {"text": "hello", **place})) == "Good day."


@pytest.mark.parametrize("door", ["stream", "socket"])
async def test_an_answer_whose_line_broke_is_heard_to_its_end_in_the_other_worker(browsers: list[Browser], door: str):
    one, other = browsers
    with one.stream("/chat/", {"text": "wait", **begin(one)}) as frames:
        told = [next(frames), next(frames)]
    place = {"conversation_id": told[0]["conversation_id"], "run_id": told[0]["run_id"]}
    assert replay(other, place)["running"] is True
    async with asyncio.timeout(WAIT):
        while replay(other, place)["run_id"] != place["run_id"]:  # noqa: ASYNC110  # its log is begun by the other worker
            await asyncio.sleep(0.02)
    world.mark("wait.open")
    if door == "socket":
        heard = await speak(other, "done", type="attach", after_seq=1, **place)
    else:
        path = "/chat/conversations/{conversation_id}/runs/{run_id}/".format(**place)
        with other.request("GET", path, Accept=EVENTS, **{"Last-Event-ID": f"{place['run_id']}:1"}) as response:
            heard = list(other.frames(response))
    assert [frame["seq"] for frame in heard] == [2, 3, 4]
    assert heard[0] == told[1]
    assert text_of(heard) == "Piece one, piece two."


@pytest.mark.parametrize("door", ["post", "stream", "socket"])
async def test_what_was_said_in_one_worker_is_asked_anew_in_the_other(browsers: list[Browser], door: str):
    one, other = browsers
    first = stream(one, "/chat/", {"text": "hello", **begin(one)})
    stream(one, "/chat/", {"text": "claim", "conversation_id": first[0]["conversation_id"]})

    async def anew(browser: Browser, kind: str, **body: Any) -> list[Frame]:
        match door:
            case "post":
                return browser.post(f"/chat/{kind}/", body)[1]["frames"]
            case "stream":
                return stream(browser, f"/chat/{kind}/", body)
            case _:
                return await speak(browser, "done", type=kind, **body)

    edited = await anew(other, "edit", message_id=first[0]["id"], text="look")
    assert text_of(edited) == "Looking. Apollo is active."
    again = await anew(one, "regenerate", message_id=edited[-1]["message_id"])
    assert text_of(again) == "Looking. Apollo is active."
    for browser in browsers:
        frames = replay(browser, first[0])["frames"]
        assert [frame["text"] for frame in frames if frame["type"] == "user_message"] == ["look"]
        assert frames[-1]["message_id"] == again[-1]["message_id"]


@pytest.mark.requirement("r.chat.switch")
async def test_a_model_chosen_in_one_worker_answers_in_the_other(browsers: list[Browser]):
    one, other = browsers
    place = begin(one)
    path = f"/chat/conversations/{place['conversation_id']}/"
    assert request(one, "PATCH", path, {"provider": CONFIGURED, "model": "second"})[0] == 200
    told = [
        other.post("/chat/", {"text": "hello", **place})[1]["frames"],
        stream(other, "/chat/", {"text": "hello", **place}),
        await speak(other, "done", type="message", text="hello", **place),
    ]
    assert [frames[-1]["model"] for frames in told] == ["second at "] * 3


@pytest.mark.requirement("r.chat.sessions")
async def test_a_conversation_is_renamed_and_deleted_for_both_workers(browsers: list[Browser]):
    one, other = browsers
    place = begin(one)
    path = f"/chat/conversations/{place['conversation_id']}/"
    stream(one, "/chat/", {"text": "hello", **place})
    assert request(other, "PATCH", path, {"title": "Greetings"})[0] == 200
    [listed] = request(one, "GET", "/chat/conversations/")[1]["conversations"]
    assert (listed["conversation_id"], listed["title"]) == (place["conversation_id"], "Greetings")
    assert request(other, "DELETE", path)[0] == 200
    for browser in browsers:
        assert request(browser, "GET", path)[0] == 404
        assert request(browser, "GET", "/chat/conversations/")[1] == {"conversations": []}
        assert browser.post("/chat/", {"text": "hello", **place})[0] == 404


@pytest.mark.requirement("g.rate.error-frame", "g.rate.requests")
async def test_a_budget_is_used_up_in_both_workers_together(browsers: list[Browser]):
    one, other = browsers
    place = begin(one, "/five/")
    for browser in (one, other, one, other, one):
        assert browser.post("/five/", {"text": "hello", **place})[1]["answer"] == "Good day."
    refused = [browser.post("/five/", {"text": "hello", **place}) for browser in browsers]
    for browser in browsers:
        with browser.request("POST", "/five/", {"text": "hello", **place}, Accept=EVENTS) as response:
            refused.append((response.status, json.load(response)))
    assert {status for status, _ in refused} == {429}
    frames = [frame for _, frame in refused]
    for browser in browsers:
        async with browser.socket("/five/") as line:
            await line.say(type="message", text="hello", **place)
            frames.append(await line.hear())
    assert {(frame["type"], frame["message"], frame["code"]) for frame in frames} == {
        ("error", "Rate limit exceeded", "rate_limited")
    }
    assert all(3_000 < frame["retry_after"] <= 3_600 for frame in frames)


@pytest.mark.parametrize("workers", [WITH_REDIS], indirect=True)
async def test_sessions_lie_in_redis_where_it_is_configured(browsers: list[Browser]):
    _, _, name = os.environ["DRAGOMAN_TEST_SERVER"].partition(":")
    with redis.Redis.from_url(REDIS) as connection:
        kept = connection.keys(f"{name}:*{browsers[0].cookies['sessionid']}")
    assert len(kept) == 1
