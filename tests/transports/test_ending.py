"""A server that is told to end goes at once, whatever its streams wait for, and leaves to others what is theirs."""

import asyncio
import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.django import shutdown
from tests.transports import world
from tests.transports.clients import WAIT, kinds, text_of
from tests.transports.server import Browser, serving

LASTING = "tests.transports.project.lasting"


async def test_a_server_that_only_listens_to_an_answer_elsewhere_does_not_wait_for_it(tmp_path: Path):
    world.forget()
    with serving(tmp_path, settings=LASTING) as writer, serving(tmp_path, settings=LASTING) as listener:
        one = Browser(writer)
        other = Browser(listener, name="")
        other.cookies |= one.cookies
        with one.stream("/chat/", {"text": "wait"}) as frames:
            told = [next(frames), next(frames)]
            place = "/chat/conversations/{conversation_id}/runs/{run_id}/".format(**told[0])
            with other.request("GET", place, Accept="text/event-stream") as response:
                heard = [json.loads(row[6:]) for _, row in zip(told, _data(response), strict=False)]
                assert heard == told
                listener.process.send_signal(signal.SIGTERM)
                assert listener.process.wait(WAIT) in (0, -signal.SIGTERM)
                assert response.read().strip() == b""  # a lost line: whoever listened goes elsewhere
            world.mark("wait.open")
            assert text_of(list(frames)) == "piece two."


def _data(response):
    return (row for row in response if row.startswith(b"data: "))


@pytest.mark.parametrize("kind", ["uvicorn", "daphne"])
async def test_every_stream_and_socket_is_told_and_what_nobody_hears_is_put_away(tmp_path: Path, kind: str):
    """With a time of grace an answer outlives its line; it does not outlive its server, nor keep it."""
    world.forget()
    with serving(tmp_path, kind, settings=LASTING) as server:
        heard, unheard, spoken = Browser(server), Browser(server, "wilbur"), Browser(server, "carla")
        with unheard.stream("/chat/", {"text": "silent"}) as frames:
            left = next(frames)["conversation_id"]
            await world.until("silent.reached")
        with heard.stream("/chat/", {"text": "wait"}) as frames:
            assert kinds([next(frames), next(frames)]) == ["user_message", "text_chunk"]
            async with spoken.socket() as line:
                await line.say(type="message", text="long")
                await line.hear_until("text_chunk")
                await world.until("long.reached")
                server.process.send_signal(signal.SIGTERM)
                rest = list(frames)
                assert rest[-1]["finish_reason"] == "interrupted"
                assert (await line.hear_until("done"))[-1]["finish_reason"] == "interrupted"
            server.process.wait(WAIT)
    with serving(tmp_path, settings=LASTING) as anew:
        unheard.server = anew
        with unheard.request("GET", f"/chat/conversations/{left}/") as response:
            assert json.load(response)["frames"][-1]["finish_reason"] == "interrupted"


async def test_a_socket_is_not_closed_before_a_change_in_progress_was_told(tmp_path: Path):
    """Uvicorn closes its sockets at its next look after the signal: it gets the signal when all is said."""
    world.forget()
    with serving(tmp_path, settings=LASTING) as server:
        async with Browser(server).socket() as line:
            await line.say(type="message", text="rename slowly")
            await world.until("slow.reached")
            server.process.send_signal(signal.SIGTERM)
            await asyncio.sleep(0.5)
            world.mark("slow.open")
            told = await line.hear_until("done")
            assert told[-2]["result"]["ok"] is True
            assert told[-1]["finish_reason"] == "interrupted"
        server.process.wait(WAIT)


class _Streams:
    """Something with streams that end when a test lets them."""

    def __init__(self) -> None:
        self.asked = 0
        self.may_end = asyncio.Event()

    async def shutdown(self) -> None:
        self.asked += 1
        await self.may_end.wait()


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """What the handler of a server in this process has been told."""
    told: list[int] = []
    monkeypatch.setattr(shutdown, "_leaving", set())
    before = signal.signal(signal.SIGTERM, lambda number, _: told.append(number))
    yield told
    signal.signal(signal.SIGTERM, before)


async def _signal_comes() -> None:
    signal.raise_signal(signal.SIGTERM)
    await asyncio.sleep(0.05)


def test_the_server_is_told_when_all_has_been_said_and_at_once_the_second_time(served: list[int]):
    async def scene() -> None:  # signals come to the main thread, where our async tests are not
        streams = _Streams()
        shutdown.takes_leave(streams)
        await _signal_comes()
        assert (streams.asked, served) == (1, [])
        await _signal_comes()
        assert (streams.asked, served) == (1, [signal.SIGTERM])
        streams.may_end.set()
        await asyncio.sleep(0.05)
        assert (streams.asked, served) == (2, [signal.SIGTERM] * 2)

    asyncio.run(scene())


def test_the_server_is_told_though_something_does_not_end_or_fails(
    served: list[int], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    class Broken(_Streams):
        async def shutdown(self) -> None:
            raise RuntimeError("the disk is gone")

    async def scene() -> None:
        for one in (_Streams(), Broken()):
            shutdown.takes_leave(one)
        await _signal_comes()
        assert served == [signal.SIGTERM]

    monkeypatch.setattr(shutdown, "_PATIENCE_SECONDS", 0.01)
    asyncio.run(scene())
    assert "could not end with the server" in caplog.text
