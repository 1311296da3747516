"""What only a real server shows: the same events, frames as they happen, a client that leaves, a server that ends."""

import asyncio
import http.client
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.transports import world
from tests.transports.clients import WAIT, kinds, named, text_of
from tests.transports.server import Browser, Server, serving


@pytest.fixture(scope="module", params=["uvicorn", "daphne"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp(request.param), request.param) as running:
        yield running


@pytest.fixture
def browser(server: Server) -> Browser:
    world.forget()
    return Browser(server)


@pytest.mark.requirement("g.transport.same-events")
@pytest.mark.parametrize("script", ["hello", "look", "look twice", "rename at once", "fail"])
async def test_a_script_says_the_same_over_every_door_of_a_real_server(browser: Browser, script: str):
    def new() -> dict[str, str]:
        return {"text": script, "conversation_id": browser.post("/chat/conversations/", {})[1]["conversation_id"]}

    status, whole = browser.post("/chat/", new())
    assert status == 200
    with browser.stream("/chat/", new()) as frames:
        streamed = list(frames)
    async with browser.socket() as line:
        await line.say(type="message", text=script)
        told = await line.hear_until("done")
    assert named(streamed) == named(whole["frames"]) == named(told)


@pytest.mark.requirement("g.sse.stream", "g.ws.streaming")
async def test_piece_one_is_there_while_the_model_still_holds_piece_two(browser: Browser):
    with browser.stream("/chat/", {"text": "wait"}) as frames:
        assert next(frames)["type"] == "user_message"
        assert next(frames)["content"] == "Piece one, "
        await world.until("wait.reached")
        world.mark("wait.open")
        assert text_of(list(frames)) == "piece two."
    world.forget()
    async with browser.socket() as line:
        await line.say(type="message", text="wait")
        assert text_of(await line.hear_until("text_chunk")) == "Piece one, "
        world.mark("wait.open")
        assert text_of(await line.hear_until("done")) == "piece two."


@pytest.mark.requirement("g.provider.disconnect")
@pytest.mark.parametrize("door", ["socket", "stream", "post"])
async def test_a_client_that_leaves_ends_the_call_to_a_silent_model(browser: Browser, door: str):
    conversation = browser.post("/chat/conversations/", {})[1]
    message = {"text": "silent", **conversation}
    match door:
        case "socket":
            async with browser.socket() as line:
                await line.say(type="message", **message)
                await world.until("silent.reached")
        case "stream":
            with browser.stream("/chat/", message) as frames:
                next(frames)
                await world.until("silent.reached")
        case "post":
            asking = asyncio.create_task(asyncio.to_thread(ask_and_leave, browser, message))
            await world.until("silent.reached")
            await asking
    # The bound is the promise itself: a second, and not the minute that the model would be waited for.
    await world.until("silent.left", seconds=1)
    assert await how_it_ended(browser, conversation["conversation_id"]) == "interrupted"


async def how_it_ended(browser: Browser, conversation_id: str) -> str:
    """The finish reason of a conversation's last turn, once it is written down."""
    async with asyncio.timeout(WAIT):
        while True:
            with browser.request("GET", f"/chat/conversations/{conversation_id}/") as response:
                last = json.load(response)["frames"][-1]
            if last["type"] == "done":
                return last["finish_reason"]
            await asyncio.sleep(0.02)


def ask_and_leave(browser: Browser, message: dict[str, str]) -> None:
    """A plain POST whose client hangs up as soon as the model was asked."""
    line = http.client.HTTPConnection("127.0.0.1", browser.server.port)
    headers = {"Cookie": browser.cookie, "X-CSRFToken": browser.cookies["csrftoken"]}
    line.request("POST", "/chat/", json.dumps(message), headers)
    asyncio.run(world.until("silent.reached"))
    line.close()


async def test_a_stop_is_handled_while_the_model_is_silent_and_keeps_the_text(browser: Browser):
    async with browser.socket() as line:
        await line.say(type="message", text="wait")
        told = await line.hear_until("text_chunk")
        await line.say(type="stop", conversation_id=told[0]["conversation_id"])
        rest = await line.hear_until("done")
    assert rest[-1]["finish_reason"] == "stopped"
    with browser.request("GET", f"/chat/conversations/{told[0]['conversation_id']}/") as response:
        assert b"Piece one, " in response.read()


async def test_a_second_message_is_told_that_the_first_is_still_answered(browser: Browser):
    async with browser.socket() as line:
        await line.say(type="message", text="silent")
        await world.until("silent.reached")
        await line.say(type="message", text="hello")
        refused = (await line.hear_until("error"))[-1]
        assert refused["code"] == "conversation_busy"
        world.mark("silent.open")
        assert text_of(await line.hear_until("done")) == "Too late."


@pytest.mark.requirement("g.confirm.accept")
async def test_a_change_is_confirmed_on_a_real_socket(browser: Browser):
    async with browser.socket() as line:
        await line.say(type="message", text="rename")
        asked = (await line.hear_until("confirm_mutation"))[-1]
        await line.say(type="confirm", confirmation_id=asked["id"], confirmed=True)
        assert text_of(await line.hear_until("done")) == "Renamed."
    assert world.happened("renamed.Apollo")


@pytest.mark.requirement("g.confirm.timeout-ws")
async def test_a_confirmation_is_timed_out_on_a_real_socket(browser: Browser):
    async with browser.socket("/quick/") as line:
        await line.say(type="message", text="rename")
        told = await line.hear_until("done")
    assert text_of(told).endswith("Left it: confirmation_timed_out.")
    assert not world.happened("renamed.Apollo")


def test_a_server_that_is_told_to_end_ends_its_streams_and_writes_them_down(tmp_path: Path):
    world.forget()
    with serving(tmp_path) as server:
        browser = Browser(server)
        with browser.stream("/chat/", {"text": "wait"}) as frames:
            assert kinds([next(frames), next(frames)]) == ["user_message", "text_chunk"]
            server.process.terminate()
            rest = list(frames)
        assert rest[-1]["finish_reason"] == "interrupted"
        server.process.wait(20)
        assert world.happened("wait.left")
