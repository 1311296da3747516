"""Races through two workers, both sides held at a gate until both are there: one outcome wins, and nothing is lost.

That it is the store's conditions and the ledger's lock which decide them is shown by tests/django/test_store_races.py
and tests/django/test_ledger.py, where they are switched off.
"""

import asyncio
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from tests.transports import world
from tests.transports.clients import WAIT, Frame, kinds, text_of
from tests.transports.server import Browser

MESSAGES, BUDGET = 20, 5

Answer = tuple[int, Any]


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    """A thread for each side: they wait together."""
    with ThreadPoolExecutor(MESSAGES) as threads:
        yield threads


async def meet(pool: ThreadPoolExecutor, gate: str, *sides: Callable[[], Answer]) -> list[asyncio.Future[Answer]]:
    """The answers to come. Every side has been at the gate before any of them went on."""
    world.close(gate)
    answers = [asyncio.get_running_loop().run_in_executor(pool, side) for side in sides]
    await world.open_for(gate, len(sides))
    return answers


def begin(browser: Browser, path: str = "/chat/") -> Frame:
    return browser.post(f"{path}conversations/", {})[1]


def read(browser: Browser, path: str) -> Frame:
    with browser.request("GET", path) as response:
        assert response.status == 200
        return json.load(response)


def replay(browser: Browser, conversation_id: str, path: str = "/chat/") -> list[Frame]:
    return read(browser, f"{path}conversations/{conversation_id}/")["frames"]


@pytest.mark.requirement("g.confirm.any-worker", "g.confirm.once")
@pytest.mark.parametrize("answers", [(True, True), (True, False), (False, False)])
async def test_of_two_decisions_one_is_carried_out_and_both_are_told_its_result(
    browsers: list[Browser], pool: ThreadPoolExecutor, answers: tuple[bool, bool]
):
    with browsers[0].stream("/chat/", {"text": "rename", **begin(browsers[0])}) as frames:
        asked = list(frames)[-1]
    sides = [
        partial(browser.post, "/chat/confirm/", {"confirmation_id": asked["id"], "confirmed": confirmed})
        for browser, confirmed in zip(browsers, answers, strict=True)
    ]
    told = await asyncio.gather(*await meet(pool, "lease", *sides))
    assert [status for status, _ in told] == [200, 200]
    results = [frame for _, body in told for frame in body["frames"] if frame["type"] == "tool_result"]
    assert len(results) == 2
    assert results[0]["result"] == results[1]["result"]
    assert sum(result["seq"] > 0 for result in results) == 1  # a result that is told again has no place in the run
    winner = answers[[result["seq"] > 0 for result in results].index(True)]
    assert results[0]["result"].get("ok", False) is winner
    assert world.happened("renamed.Apollo") is winner
    kept = replay(browsers[0], asked["conversation_id"])
    assert kinds(kept) == ["user_message", "text_chunk", "tool_call", "tool_result", "text_chunk", "done"]


@pytest.mark.requirement("g.confirm.any-worker")
async def test_of_two_messages_in_one_conversation_one_is_answered_and_one_is_refused(
    browsers: list[Browser], pool: ThreadPoolExecutor
):
    begun = begin(browsers[0])
    sides = [partial(browser.post, "/chat/", {"text": "wait", **begun}) for browser in browsers]
    answers = await meet(pool, "lease", *sides)
    [refused], [answered] = await asyncio.wait(answers, return_when=asyncio.FIRST_COMPLETED)
    status, body = refused.result()
    assert (status, body["code"]) == (409, "conversation_busy")
    world.mark("wait.open")
    status, body = await answered
    assert (status, body["answer"]) == (200, "Piece one, piece two.")
    kept = replay(browsers[1], begun["conversation_id"])
    assert kinds(kept) == ["user_message", "text_chunk", "done"]
    assert text_of(kept) == "Piece one, piece two."


async def test_the_first_messages_of_a_session_share_one_conversation(
    browsers: list[Browser], pool: ThreadPoolExecutor
):
    sides = [partial(browser.post, "/chat/", {"text": "hello"}) for browser in browsers]
    told = await asyncio.gather(*await meet(pool, "first", *sides))
    [listed] = read(browsers[1], "/chat/conversations/")["conversations"]
    answered = [body for status, body in told if status == 200]
    assert {body["conversation_id"] for body in answered} == {listed["conversation_id"]}
    # Whoever had to wait too long for the other's answer is refused, and nothing of them is kept.
    assert [body["code"] for status, body in told if status != 200] == ["conversation_busy"] * (2 - len(answered))
    kept = replay(browsers[1], listed["conversation_id"])
    assert kinds(kept) == ["user_message", "text_chunk", "done"] * len(answered)


@pytest.mark.requirement("g.rate.requests")
async def test_of_twenty_messages_on_a_budget_of_five_five_are_answered(
    browsers: list[Browser], pool: ThreadPoolExecutor
):
    rooms = [begin(browsers[0], "/five/") for _ in range(MESSAGES)]
    sides = [
        partial(browsers[number % 2].post, "/five/", {"text": "hello", **room}) for number, room in enumerate(rooms)
    ]
    told = await asyncio.gather(*await meet(pool, "budget", *sides))
    assert sorted(status for status, _ in told) == [200] * BUDGET + [429] * (MESSAGES - BUDGET)
    assert {body["code"] for status, body in told if status == 429} == {"rate_limited"}
    assert [body["answer"] for status, body in told if status == 200] == ["Good day."] * BUDGET
    answered = {body["conversation_id"] for status, body in told if status == 200}
    for room in rooms:
        kept = kinds(replay(browsers[1], room["conversation_id"], "/five/"))
        assert bool(kept) is (room["conversation_id"] in answered)


@pytest.mark.requirement("g.conversation.multi-worker")
async def test_of_attaching_and_the_last_event_neither_is_lost(browsers: list[Browser], pool: ThreadPoolExecutor):
    """One has looked and found the run going on; the other is about to write that it is over."""
    one, other = browsers
    with one.stream("/chat/", {"text": "wait", **begin(one)}) as frames:
        told = [next(frames), next(frames)]
    place = {"conversation_id": told[0]["conversation_id"], "run_id": told[0]["run_id"]}
    path = "/chat/conversations/{conversation_id}/runs/{run_id}/?after=1".format(**place)
    async with asyncio.timeout(WAIT):
        while read(other, f"/chat/conversations/{place['conversation_id']}/")["run_id"] != place["run_id"]:  # noqa: ASYNC110
            await asyncio.sleep(0.02)

    def attach() -> Answer:
        with other.request("GET", path, Accept="text/event-stream") as response:
            return response.status, list(other.frames(response))

    world.close("last")
    heard = asyncio.get_running_loop().run_in_executor(pool, attach)
    world.mark("wait.open")
    await world.open_for("last", 2)
    status, rest = await heard
    assert (status, [frame["seq"] for frame in rest]) == (200, [2, 3, 4])
    assert (rest[0], rest[-1]["type"]) == (told[1], "done")
