"""A server that is told to end goes at once, whatever its streams wait for, and leaves to others what is theirs."""

import json
import signal
from pathlib import Path

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


async def test_every_stream_and_socket_is_told_and_what_nobody_hears_is_put_away(tmp_path: Path):
    """With a time of grace an answer outlives its line; it does not outlive its server, nor keep it."""
    world.forget()
    with serving(tmp_path, settings=LASTING) as server:
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
