"""Two Uvicorn workers on one database, each kind of it: a run is heard, stopped and decided from the other one."""

import pytest

from tests.transports import world
from tests.transports.clients import text_of
from tests.transports.server import Browser


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
