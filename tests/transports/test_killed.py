"""A worker that is killed with -9 in the middle of an answer: its conversation goes on in another one, and says what was lost."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.transports import world
from tests.transports.clients import Frame, kinds
from tests.transports.server import Browser, Server, serving


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("killed")


@pytest.fixture(scope="module")
def survivor(folder: Path) -> Iterator[Server]:
    with serving(folder) as server:
        yield server


@pytest.fixture
def workers(folder: Path, survivor: Server) -> Iterator[tuple[Server, Server]]:
    """Two Uvicorn workers on one database, the first of them to be killed."""
    world.forget()
    with serving(folder) as victim:
        yield victim, survivor


async def killed_in(workers: tuple[Server, Server], text: str, gate: str) -> tuple[Browser, str, list[Frame]]:
    """The person at the worker that lives, their conversation, and what they heard before the other one was killed."""
    one = Browser(workers[0])
    survivor = Browser(workers[1], name="")
    survivor.cookies |= one.cookies
    conversation = one.post("/chat/conversations/", {})[1]["conversation_id"]
    with one.stream("/chat/", {"text": text, "conversation_id": conversation}) as frames:
        heard = [next(frames), next(frames)]
        await world.until(f"{gate}.reached")
        workers[0].process.kill()
        workers[0].process.wait()
    assert not world.happened(f"{gate}.left")  # nobody had time to put anything away
    return survivor, conversation, heard


def the_lease_runs_out(folder: Path) -> None:
    """The dead worker's hold on its conversation ends, as it does by itself after half a minute."""
    with closing(sqlite3.connect(folder / "db.sqlite3", timeout=20)) as database, database:
        done = database.execute(
            "update dragoman_conversation set lease_until = '2000-01-01 00:00:00' where lease_until > '2001-01-01'"
        )
    assert done.rowcount == 1


def replayed(browser: Browser, conversation: str) -> list[Frame]:
    with browser.request("GET", f"/chat/conversations/{conversation}/") as response:
        return json.load(response)["frames"]


@pytest.mark.requirement("g.conversation.multi-worker", "r.chat.rounds-persisted")
async def test_the_conversation_goes_on_elsewhere_and_the_unfinished_round_is_marked_interrupted(
    workers: tuple[Server, Server], folder: Path
):
    survivor, conversation, heard = await killed_in(workers, "wait", "wait")
    assert kinds(heard) == ["user_message", "text_chunk"]
    asked = {"text": "hello", "conversation_id": conversation}
    status, refused = survivor.post("/chat/", asked)
    assert (status, refused["code"]) == (409, "conversation_busy")  # nobody knows yet that it is dead
    the_lease_runs_out(folder)
    status, told = survivor.post("/chat/", asked)
    assert (status, told["answer"]) == (200, "Good day.")
    frames = replayed(survivor, conversation)
    lost = [frame for frame in frames if frame["run_id"] == heard[0]["run_id"]]
    assert kinds(lost) == ["user_message", "done"]
    assert lost[-1]["finish_reason"] == "interrupted"
    assert [frame["text"] for frame in frames if frame["type"] == "user_message"] == ["wait", "hello"]
    assert frames[-1]["finish_reason"] == "stop"


@pytest.mark.requirement("g.mutations.reconnect")
async def test_a_change_that_was_being_made_counts_as_failed_and_is_not_made_again(
    workers: tuple[Server, Server], folder: Path
):
    survivor, conversation, heard = await killed_in(workers, "rename slowly", "slow")
    assert kinds(heard) == ["user_message", "tool_call"]
    world.mark("slow.open")
    the_lease_runs_out(folder)
    assert survivor.post("/chat/", {"text": "hello", "conversation_id": conversation})[1]["answer"] == "Good day."
    lost = [frame for frame in replayed(survivor, conversation) if frame["run_id"] == heard[0]["run_id"]]
    assert kinds(lost) == ["user_message", "tool_call", "tool_result", "done"]
    assert (lost[2]["result"]["code"], lost[3]["finish_reason"]) == ("interrupted", "interrupted")
    assert not world.happened("renamed.Gemini")
