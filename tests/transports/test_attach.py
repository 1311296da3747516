"""A run outlives the line that asked: it is heard again from any frame on, in any worker, and stopped from anywhere."""

import asyncio
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.test import AsyncClient
from django.utils import timezone
from pytest_django import Settings

from dragoman.django import assistants, models, runlog, runs
from dragoman.django.threads import in_thread
from dragoman.harness.runs import Supervisor
from tests.transports import world
from tests.transports.clients import EVENTS, WAIT, Frame, events, kinds, new_conversation, socket, sse, text_of

HERE, ELSEWHERE = "in the worker that runs it", "in another worker"
workers = pytest.mark.parametrize("where", [HERE, ELSEWHERE])


@pytest.fixture(autouse=True)
def lasting(chat: dict[str, Any], settings: Settings) -> None:
    settings.DRAGOMAN = {"default": {**chat, "disconnect_grace_seconds": 60}}


@pytest.fixture
def placed(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Elsewhere nothing is known of a run but what the database says."""
    if where == ELSEWHERE:
        monkeypatch.setattr(Supervisor, "find", lambda *_: None)


async def asked_and_left(client: AsyncClient, text: str = "wait", gate: str = "wait") -> list[Frame]:
    """The first frames of an answer whose line is gone."""
    async with socket(client) as line:
        await line.say(type="message", text=text)
        told = await line.hear_until("text_chunk")
        await world.until(f"{gate}.reached")
    return told


def place(told: list[Frame]) -> dict[str, Any]:
    return {"conversation_id": told[0]["conversation_id"], "run_id": told[0]["run_id"]}


async def is_logged(run_id: str, seq: int) -> None:
    async with asyncio.timeout(WAIT):
        while not await models.Stretch.objects.filter(run__run_id=run_id, last__gte=seq).aexists():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


@pytest.mark.requirement("g.conversation.multi-worker")
@pytest.mark.usefixtures("placed")
@workers
@pytest.mark.parametrize("after", [0, 1, 2])
async def test_what_was_missed_is_heard_without_a_gap_and_without_a_second_call(client: AsyncClient, after: int):
    told = await asked_and_left(client)
    world.forget()
    async with socket(client) as line:
        await line.say(type="attach", after_seq=after, **place(told))
        early = [await line.hear() for _ in range(2 - after)]
        world.mark("wait.open")
        heard = early + await line.hear_until("done")
    assert [frame["seq"] for frame in heard] == list(range(after + 1, 5))
    assert (told + heard[2 - after :])[:2] == told
    assert heard[-1]["finish_reason"] == "stop"
    assert not world.happened("asked")


@pytest.mark.usefixtures("placed")
@workers
async def test_a_stream_goes_on_after_its_last_event(client: AsyncClient, where: str):
    told = await asked_and_left(client)
    world.mark("wait.open")
    path = "/chat/conversations/{conversation_id}/runs/{run_id}/".format(**place(told))
    last = f"{told[0]['run_id']}:1"
    response = await client.get(path, headers={"accept": EVENTS, "last-event-id": last})
    heard = [frame async for frame in events(response)]
    assert [frame["seq"] for frame in heard] == [2, 3, 4]
    assert text_of(heard) == "Piece one, piece two."
    again = await client.get(f"{path}?after=4")
    assert again.status_code == 204


@pytest.mark.usefixtures("placed")
@workers
async def test_attaching_against_the_last_event_misses_nothing(
    client: AsyncClient, where: str, monkeypatch: pytest.MonkeyPatch
):
    """The listener is held at the gate between its look and its wait while the run ends."""
    told = await asked_and_left(client)
    looked, ended = asyncio.Event(), asyncio.Event()
    before = runs.in_thread

    async def held(function: Any, *arguments: Any) -> Any:
        found = await before(function, *arguments)
        if function is runlog.look:
            looked.set()
            await asyncio.wait_for(ended.wait(), WAIT)
        return found

    monkeypatch.setattr(runs, "in_thread", held)
    path = "/chat/conversations/{conversation_id}/runs/{run_id}/?after=2".format(**place(told))
    listening = asyncio.ensure_future(client.get(path, headers={"accept": EVENTS}))
    if where == ELSEWHERE:
        await looked.wait()
    world.mark("wait.open")
    live = assistants.desk().supervisor.running(told[0]["conversation_id"])
    if live is not None:
        await asyncio.wait([live.task])
    ended.set()
    response = await listening
    assert [frame["seq"] async for frame in events(response)] == [3, 4]


async def test_a_conversation_that_another_worker_answers_in_says_so_before_there_is_a_log(client: AsyncClient):
    place = await new_conversation(client)
    soon = timezone.now() + timedelta(minutes=1)
    await models.Conversation.objects.aupdate(lease_holder="elsewhere", lease_until=soon)
    told = (await client.get(f"/chat/conversations/{place}/")).json()
    assert (told["running"], told["run_id"]) == (True, None)


async def test_a_run_that_went_on_after_a_decision_is_heard_from_its_first_frame(client: AsyncClient):
    asked = (await sse(client, "rename"))[-1]
    told = await sse(client, "", "/chat/confirm/", confirmation_id=asked["id"], confirmed=True)
    path = f"/chat/conversations/{asked['conversation_id']}/runs/{asked['run_id']}/"
    heard = [frame async for frame in events(await client.get(path))]
    assert [frame["seq"] for frame in heard] == list(range(1, told[-1]["seq"] + 1))
    assert heard[-len(told) :] == told


async def test_a_stop_from_another_worker_ends_the_run_and_keeps_its_text(client: AsyncClient):
    async with socket(client) as line:
        await line.say(type="message", text="wait")
        told = await line.hear_until("text_chunk")
        assert await runs.stop(Supervisor(), told[0]["conversation_id"]) is True  # which knows of no run
        rest = await line.hear_until("done")
    assert rest[-1]["finish_reason"] == "stopped"
    assert await runs.stop(Supervisor(), told[0]["conversation_id"]) is False
    replayed = (await client.get(f"/chat/conversations/{told[0]['conversation_id']}/")).json()
    assert text_of(replayed["frames"]) == "Piece one, "
    assert (replayed["running"], replayed["run_id"]) == (False, None)


async def test_a_stop_that_a_dead_worker_never_saw_stops_nobody_after_it(client: AsyncClient):
    conversation = await new_conversation(client)
    long_ago = timezone.now() - timedelta(minutes=1)
    held = models.Conversation.objects.filter(pk=uuid.UUID(conversation))
    await held.aupdate(stop_requested=True, lease_holder="gone", lease_until=long_ago)
    stopped, _ = await in_thread(runs._look, [conversation])
    assert stopped == []
    await held.aupdate(lease_until=timezone.now() + timedelta(minutes=1))
    stopped, _ = await in_thread(runs._look, [conversation])
    assert stopped == [conversation]


async def test_a_conversation_says_which_run_goes_on(client: AsyncClient):
    told = await asked_and_left(client)
    replayed = (await client.get(f"/chat/conversations/{told[0]['conversation_id']}/")).json()
    assert (replayed["running"], replayed["run_id"]) == (True, told[0]["run_id"])
    world.mark("wait.open")


@pytest.mark.usefixtures("placed")
@pytest.mark.parametrize("where", [ELSEWHERE])
async def test_a_run_whose_worker_died_is_told_to_be_lost(
    client: AsyncClient, where: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(runs, "_LOST_SECONDS", 0)
    told = await asked_and_left(client)
    await is_logged(told[0]["run_id"], 2)
    await models.Conversation.objects.aupdate(lease_until=None)
    async with socket(client) as line:
        await line.say(type="attach", after_seq=2, **place(told))
        lost = await line.hear()
    assert (lost["type"], lost["code"]) == ("error", "run_lost")
    world.mark("wait.open")


async def test_a_log_is_joined_and_goes_when_the_next_run_begins(client: AsyncClient):
    first = await sse(client, "hello")
    rows = [row async for row in models.Stretch.objects.filter(run__run_id=first[0]["run_id"])]
    pieces = [frame for row in rows for frame in row.frames if "pieces" in frame]
    assert [piece for frame in pieces for piece in frame["pieces"]] == ["Good ", "day."]
    second = await sse(client, "hello", conversation_id=first[0]["conversation_id"])
    assert not await models.Stretch.objects.filter(run__run_id=first[0]["run_id"]).aexists()
    path = "/chat/conversations/{conversation_id}/runs/{run_id}/".format(**place(first))
    gone = await client.get(path)
    assert (gone.status_code, gone.json()["code"]) == (404, "unknown_run")
    assert kinds(second)[-1] == "done"


async def test_without_a_grace_period_no_log_is_kept(client: AsyncClient, chat: dict[str, Any], settings: Settings):
    settings.DRAGOMAN = {"default": chat}
    told = await sse(client, "hello")
    assert not await models.Stretch.objects.aexists()
    async with socket(client) as line:
        await line.say(type="attach", after_seq=0, **place(told))
        assert (await line.hear())["code"] == "unknown_run"


@pytest.mark.requirement("r.chat.rounds-persisted", "g.mutations.reconnect")
async def test_after_a_killed_worker_the_conversation_goes_on_and_the_lost_change_is_not_made_again(
    client: AsyncClient,
):
    """The rows are those a worker leaves that was killed while a change was being made."""
    told = await sse(client, "rename at once")
    rows = models.Message.objects.filter(run_id=told[0]["run_id"])
    await rows.filter(role="tool").adelete()
    await rows.filter(outcome__isnull=False).exclude(role="user").filter(calls=[]).adelete()
    world.forget()
    anew = await sse(client, "hello", conversation_id=told[0]["conversation_id"])
    assert anew[0]["run_id"] != told[0]["run_id"]
    assert world.written == []
    replayed = (await client.get(f"/chat/conversations/{told[0]['conversation_id']}/")).json()["frames"]
    lost = [frame for frame in replayed if frame["run_id"] == told[0]["run_id"]]
    assert kinds(lost) == ["user_message", "tool_call", "tool_result", "done"]
    assert lost[2]["result"]["code"] == "interrupted"
    assert lost[3]["finish_reason"] == "interrupted"
