"""With a real SDK behind every door: a client that leaves closes the line to the service, and a missing key is said."""

import asyncio
import http.client
import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.providers.replay import Replay, replaying
from tests.transports.server import Browser, serving

# Which event of the text is the first that says something.
FIRST = {"anthropic": 3, "openai": 1, "google": 0, "ollama": 0}


@contextmanager
def service() -> Iterator[tuple[Replay, asyncio.AbstractEventLoop]]:
    """The replaying server in a loop and thread of its own, for the client of this test blocks."""
    started: Future[tuple[Replay, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def run() -> None:
        over = asyncio.Event()
        async with replaying() as replay:
            started.set_result((replay, asyncio.get_running_loop(), over))
            await over.wait()

    thread = threading.Thread(target=asyncio.run, args=(run(),))
    thread.start()
    replay, loop, over = started.result(20)
    try:
        yield replay, loop
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()


@pytest.mark.requirement("g.provider.disconnect")
@pytest.mark.parametrize("name", FIRST)
@pytest.mark.parametrize("kind", ["uvicorn", "daphne"])
async def test_a_client_that_leaves_closes_the_line_to_the_service(
    kind: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with service() as (replay, loop):
        monkeypatch.setenv("DRAGOMAN_TEST_PROVIDER", name)
        monkeypatch.setenv("DRAGOMAN_TEST_SERVICE", replay.url)
        monkeypatch.setenv("DRAGOMAN_TEST_KEY", "sk-secret")
        with serving(tmp_path, kind, "tests.transports.project.with_service") as server:
            browser = Browser(server)
            for door in ("stream", "socket", "post"):
                replay.play(f"{name}_text", f"endless={FIRST[name]}")
                await leave(browser, door, replay, loop)
                gone = asyncio.run_coroutine_threadsafe(asyncio.wait_for(replay.seen[-1].hung_up.wait(), 1), loop)
                await asyncio.wrap_future(gone)
                assert replay.seen[-1].sent < 100_000


@pytest.mark.requirement("r.chat.key-check", "r.chat.in-band")
async def test_a_missing_key_is_said_over_every_door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DRAGOMAN_TEST_PROVIDER", "deepseek")
    monkeypatch.setenv("DRAGOMAN_TEST_SERVICE", "http://127.0.0.1:9")
    monkeypatch.delenv("DEEPSEEK_API_KEY", raising=False)
    with serving(tmp_path, settings="tests.transports.project.with_service") as server:
        browser = Browser(server)
        status, posted = browser.post("/chat/", {"text": "Hello?"})
        async with browser.socket() as line:
            await line.say(type="message", text="Hello?")
            heard = (await line.hear_until("error"))[-1]
    assert status == 200
    told = next(frame for frame in posted["frames"] if frame["type"] == "error")
    for frame in (told, heard):
        assert frame["code"] == "missing_key"
        assert frame["message"] == "DeepSeekProvider has no key: set the environment variable DEEPSEEK_API_KEY."


async def leave(browser: Browser, door: str, replay: Replay, loop: asyncio.AbstractEventLoop) -> None:
    """Ask, wait until the service is answering, and hang up."""
    message = {"text": "Hello?", **browser.post("/chat/conversations/", {})[1]}
    asked = len(replay.seen)
    match door:
        case "stream":
            with browser.stream("/chat/", message) as frames:
                next(frame for frame in frames if frame["type"] == "text_chunk")
        case "socket":
            async with browser.socket() as line:
                await line.say(type="message", **message)
                await line.hear_until("text_chunk")
        case "post":
            leaving = asyncio.create_task(asyncio.to_thread(_post_and_leave, browser, message, replay, asked))
            await leaving


def _post_and_leave(browser: Browser, message: Any, replay: Replay, asked: int) -> None:
    line = http.client.HTTPConnection("127.0.0.1", browser.server.port)
    headers = {"Cookie": browser.cookie, "X-CSRFToken": browser.cookies["csrftoken"]}
    line.request("POST", "/chat/", json.dumps(message), headers)
    while len(replay.seen) == asked or not replay.seen[-1].sent:
        time.sleep(0.01)
    line.close()
