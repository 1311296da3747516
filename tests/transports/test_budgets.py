"""Whoever has used their hour is told so, in the same words over every door, and when to come back."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.sessions.models import Session
from django.test import AsyncClient
from django.utils import timezone
from pytest_django import Settings

from dragoman.django import assistants, budgets, models, standing
from dragoman.django.threads import in_thread
from dragoman.harness.caller import Caller
from dragoman.harness.errors import ProviderError, RateLimited
from dragoman.harness.messages import Usage
from dragoman.harness.provider import Spent, ToolRequest
from tests.transports import world
from tests.transports.clients import EVENTS, communicator, in_process, kinds, new_conversation, post, socket, sse

DEAR = [
    [ToolRequest("look_up", {"name": "Apollo"}), Spent(Usage(2_000, 500))],
    ["Apollo is active.", Spent(Usage(4_000, 400))],
]


@pytest.fixture
def limit(chat: dict[str, Any], settings: Settings) -> Any:
    """Sets the budget; both limits are off unless they are given."""

    def set_to(requests: int | None = None, tokens: int | None = None, **more: Any) -> None:
        rate = {"max_requests_per_hour": requests, "max_tokens_per_hour": tokens}
        settings.DRAGOMAN = {"default": {**chat, "rate_limit": rate, **more}}

    return set_to


@pytest.mark.requirement("g.rate.error-frame")
async def test_over_budget_every_door_gives_the_same_frame_and_nothing_is_stored_or_sent(
    client: AsyncClient, ada: Any, limit: Any
):
    limit(requests=1)
    await sse(client, "hello")
    (world.GATES / "asked").unlink()
    before = await models.Message.objects.acount(), await models.Conversation.objects.acount()
    plain, stream = (
        await post(client, "/chat/", {"text": "hello"}),
        await post(client, "/chat/", {"text": "hello"}, EVENTS),
    )
    async with socket(client) as line:
        await line.say(type="message", text="hello")
        told = await line.hear()
    caller = Caller(f"user:{ada.pk}", user=ada, is_authenticated=True)
    with pytest.raises(RateLimited) as refused:
        await in_process(caller, "hello")
    waits = [plain.json()["retry_after"], stream.json()["retry_after"], told["retry_after"], refused.value.retry_after]
    for frame in (plain.json(), stream.json(), told):
        assert {key: frame[key] for key in ("type", "message", "code")} == {
            "type": "error",
            "message": "Rate limit exceeded",
            "code": "rate_limited",
        }
    for response in (plain, stream):
        assert (response.status_code, response["Retry-After"]) == (429, str(response.json()["retry_after"]))
    assert all(3_000 < wait <= 3_600 for wait in waits)
    # The one in Python begins its conversation itself, before it asks.
    assert (await models.Message.objects.acount(), await models.Conversation.objects.acount() - 1) == before
    assert not world.happened("asked")


async def test_a_refusal_says_when_the_oldest_message_has_left_the_hour_and_then_lets_in(
    client: AsyncClient, limit: Any
):
    limit(requests=2)
    for age in (50, 20):
        await sse(client, "hello")
        newest = await models.Usage.objects.order_by("-created").afirst()
        await models.Usage.objects.filter(pk=newest.pk).aupdate(created=timezone.now() - timedelta(minutes=age))
    refused = (await post(client, "/chat/", {"text": "hello"})).json()
    assert 590 <= refused["retry_after"] <= 600
    await models.Usage.objects.aupdate(created=timezone.now() - timedelta(minutes=61))
    assert kinds(await sse(client, "hello"))[-1] == "done"


@pytest.mark.requirement("g.rate.requests")
async def test_one_persons_budget_is_not_anothers(client: AsyncClient, stranger: AsyncClient, limit: Any):
    limit(requests=1)
    assert kinds(await sse(client, "hello"))[-1] == "done"
    assert (await post(client, "/chat/", {"text": "hello"})).status_code == 429
    assert kinds(await sse(stranger, "hello"))[-1] == "done"


async def test_what_is_refused_for_another_reason_costs_nothing(client: AsyncClient, limit: Any):
    limit(requests=2)
    conversation = (await sse(client, "hello"))[0]["conversation_id"]
    for wrong in ({"text": " "}, {"text": "x" * 30_000}, {"text": "hello", "conversation_id": "0" * 32}):
        assert (await post(client, "/chat/", wrong)).status_code in (400, 404, 413)
    held = asyncio.create_task(sse(client, "wait", conversation_id=conversation))
    await world.until("wait.reached")
    assert (await post(client, "/chat/", {"text": "hello", "conversation_id": conversation})).status_code == 429
    limit(requests=3)
    assert (await post(client, "/chat/", {"text": "hello", "conversation_id": conversation})).status_code == 409
    world.mark("wait.open")
    await held
    assert kinds(await sse(client, "hello"))[-1] == "done"


async def test_a_decision_is_no_message_and_its_rounds_count_for_the_run_that_asked(client: AsyncClient, limit: Any):
    limit(requests=1, tokens=100_000)
    async with socket(client) as line:
        await line.say(type="message", text="rename")
        asked = (await line.hear_until("confirm_mutation"))[-1]
        await line.say(type="confirm", confirmation_id=asked["id"], confirmed=True)
        done = (await line.hear_until("done"))[-1]
    row = await models.Usage.objects.aget()
    assert 0 < row.input_tokens == done["usage"]["input_tokens"]
    assert (row.output_tokens, row.reserved_tokens) == (done["usage"]["output_tokens"], 0)
    assert (row.provider, row.model) == ("actor", "script")


# Tokens ---------------------------------------------------------------------------------------------------------------


@pytest.mark.requirement("g.rate.tokens")
@pytest.mark.parametrize("ending", ["done", "failed", "stopped", "left"])
async def test_every_round_counts_however_its_turn_ends(
    client: AsyncClient, limit: Any, monkeypatch: pytest.MonkeyPatch, ending: str
):
    spent = Spent(Usage(4_000, 400))
    last = {
        "done": ["Done.", spent],
        "failed": [spent, ProviderError("The model's service failed.")],
    }.get(ending, [spent, "Well, ", world.Gate("held")])
    monkeypatch.setitem(world.SCRIPTS, "spend", [DEAR[0], last])
    limit(tokens=6_900)
    async with socket(client) as line:
        await line.say(type="message", text="spend")
        if ending in ("done", "failed"):
            await line.hear_until("done")
        else:
            told = await line.hear_until("tool_result", "text_chunk")
            await world.until("held.reached")
            if ending == "stopped":
                await line.say(type="stop", conversation_id=told[0]["conversation_id"])
                await line.hear_until("done")
    row = await models.Usage.objects.aget()
    assert (row.input_tokens, row.output_tokens) == (6_000, 900)
    assert row.settled is not None
    refused = await post(client, "/chat/", {"text": "hello"})
    assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
    limit(tokens=7_900)
    assert kinds(await sse(client, "hello"))[-1] == "done"


@pytest.mark.requirement("g.rate.tokens")
async def test_folding_the_history_counts(client: AsyncClient, limit: Any, monkeypatch: pytest.MonkeyPatch):
    limit(conversation={"summarize_after": 1, "max_recent_messages": 1})
    conversation = (await sse(client, "hello"))[0]["conversation_id"]
    await sse(client, "hello", conversation_id=conversation)

    class Folding(world.Actor):
        async def complete(self, messages: Any, tools: Any) -> Any:
            if messages[0].text.startswith("Summarise"):
                yield world.Text("They said hello.")
                yield Spent(Usage(1_000, 7))
                return
            async for piece in super().complete(messages, tools):
                yield piece

    monkeypatch.setattr(world, "Folding", Folding, raising=False)
    limit(provider="tests.transports.world.Folding", conversation={"summarize_after": 1, "max_recent_messages": 1})
    done = (await sse(client, "look", conversation_id=conversation))[-1]
    row = await models.Usage.objects.order_by("-created").afirst()
    assert (row.input_tokens, row.output_tokens) == (1_060, 16)
    assert done["usage"]["input_tokens"] == 1_060


async def test_a_turn_uses_no_more_rounds_than_are_left_in_the_hour(
    client: AsyncClient, limit: Any, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(world.SCRIPTS, "spend", DEAR)
    limit(tokens=2_400)
    frames = await sse(client, "spend")
    assert [frame["code"] for frame in frames if frame["type"] == "error"] == ["turn_limit"]
    assert (await post(client, "/chat/", {"text": "hello"})).status_code == 429


async def test_a_reservation_whose_process_died_counts_what_was_stored_of_its_run(
    client: AsyncClient, limit: Any, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(world.SCRIPTS, "spend", DEAR)
    limit(tokens=10_000)
    await sse(client, "spend")
    died = timezone.now() - timedelta(minutes=2)
    lost = {"settled": None, "input_tokens": 0, "output_tokens": 0, "reserved_tokens": 10_000}
    await models.Usage.objects.aupdate(**lost, created=died)
    assert kinds(await sse(client, "hello"))[-1] == "done"
    limit(tokens=6_900)
    assert (await post(client, "/chat/", {"text": "hello"})).status_code == 429


async def test_a_run_whose_process_died_after_a_decision_counts_what_was_stored_of_it(client: AsyncClient, limit: Any):
    limit(tokens=100_000)
    await sse(client, "rename")
    row = await models.Usage.objects.aget()
    assert row.settled is None  # it waits for the person, and whoever goes on with it may die
    assert row.input_tokens > 0
    person = await get_user_model().objects.aget(username="wanda")
    await assistants.desk().budget.left(Caller(f"user:{person.pk}", person, is_authenticated=True), row.run_id)
    await models.Message.objects.filter(run_id=row.run_id, role="assistant").aupdate(input_tokens=7_000)
    assert await in_thread(standing.settle_lost, timezone.now() + timedelta(seconds=1)) == 1
    await row.arefresh_from_db()
    assert row.input_tokens == 7_000


async def test_what_asked_for_a_decision_counts_after_its_conversation_was_deleted(client: AsyncClient, limit: Any):
    limit(tokens=100_000)
    await sse(client, "rename")
    row = await models.Usage.objects.aget()
    used = row.input_tokens
    await models.Conversation.objects.all().adelete()
    limit(tokens=used)
    assert (await post(client, "/chat/", {"text": "hello"})).status_code == 429
    assert await in_thread(standing.settle_lost, timezone.now() + timedelta(seconds=1)) == 1
    await row.arefresh_from_db()
    assert (row.input_tokens, row.reserved_tokens) == (used, 0)
    assert row.settled is not None


async def test_a_reservation_counts_as_long_as_its_worker_holds_the_conversation(client: AsyncClient, limit: Any):
    limit(tokens=1_000)
    await sse(client, "look")
    long_ago = timezone.now() - timedelta(minutes=30)
    await models.Usage.objects.aupdate(settled=None, input_tokens=0, reserved_tokens=1_000, created=long_ago)
    for seconds, status in ((30, 429), (-1, 200)):
        lease = timezone.now() + timedelta(seconds=seconds)
        await models.Conversation.objects.aupdate(lease_holder="somebody", lease_until=lease)
        conversation = await new_conversation(client)
        response = await post(client, "/chat/", {"text": "hello", "conversation_id": conversation})
        assert response.status_code == status


async def test_a_reservation_counts_while_its_run_is_at_work(client: AsyncClient, limit: Any):
    limit(requests=2, tokens=10_000)
    held = asyncio.create_task(sse(client, "wait"))
    await world.until("wait.reached")
    assert (await models.Usage.objects.aget()).reserved_tokens == 5_000
    limit(tokens=5_000)
    assert (await post(client, "/chat/", {"text": "hello"})).status_code == 429
    world.mark("wait.open")
    await held
    assert kinds(await sse(client, "hello"))[-1] == "done"


# A message that would need more than is left -----------------------------------------------------------------------------


async def test_a_message_larger_than_what_is_left_is_refused_at_every_door_before_the_model_is_asked(
    client: AsyncClient, ada: Any, limit: Any, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(world.SCRIPTS, "spend", DEAR)
    limit(requests=2, tokens=7_000)
    await sse(client, "spend")
    (world.GATES / "asked").unlink()
    before = await models.Message.objects.acount()
    plain = await post(client, "/chat/", {"text": "hello"})
    stream = await post(client, "/chat/", {"text": "hello"}, EVENTS)
    async with socket(client) as line:
        await line.say(type="message", text="hello")
        told = await line.hear()
    with pytest.raises(RateLimited) as refused:
        await in_process(Caller(f"user:{ada.pk}", user=ada, is_authenticated=True), "hello")
    for frame in (plain.json(), stream.json(), told):
        assert (frame["type"], frame["code"], frame["message"]) == ("error", "rate_limited", "Rate limit exceeded")
    waits = [plain.json()["retry_after"], stream.json()["retry_after"], told["retry_after"], refused.value.retry_after]
    assert all(3_000 < wait <= 3_600 for wait in waits)
    assert (plain.status_code, stream.status_code) == (429, 429)
    assert not world.happened("asked")
    assert (await models.Message.objects.acount(), await models.Usage.objects.acount()) == (before, 1)
    limit(requests=2, tokens=7_300)  # none of the refused ones was counted
    assert kinds(await sse(client, "hello"))[-1] == "done"


async def test_without_that_guard_the_model_would_be_asked(
    client: AsyncClient, limit: Any, monkeypatch: pytest.MonkeyPatch
):
    limit(tokens=100)
    assert (await post(client, "/chat/", {"text": "hello"})).status_code == 429
    assert not world.happened("asked")

    async def nothing_set_aside(*arguments: Any) -> None:
        return None

    monkeypatch.setattr(budgets.Ledger, "reserve", nothing_set_aside)
    assert kinds(await sse(client, "hello"))[-1] == "done"
    assert world.happened("asked")


async def test_what_a_conversation_holds_counts_before_it_is_sent(
    client: AsyncClient, limit: Any, monkeypatch: pytest.MonkeyPatch
):
    limit(tokens=10_000)
    long = " ".join(["hello"] * 1_000)
    monkeypatch.setitem(world.SCRIPTS, long, world.SCRIPTS["hello"])
    conversation = (await sse(client, long))[0]["conversation_id"]
    row = await models.Usage.objects.aget()
    limit(tokens=row.input_tokens + row.output_tokens + 500)
    assert (await post(client, "/chat/", {"text": "hello", "conversation_id": conversation})).status_code == 429
    assert kinds(await sse(client, "hello", conversation_id=await new_conversation(client)))[-1] == "done"


async def test_a_refused_message_says_when_enough_of_the_hour_is_free_for_it(client: AsyncClient, limit: Any):
    limit(tokens=100_000)
    for age, tokens in ((50, 50), (20, 5_000)):
        await sse(client, "hello")
        newest = await models.Usage.objects.order_by("-created").afirst()
        aged = {"created": timezone.now() - timedelta(minutes=age), "input_tokens": tokens, "output_tokens": 0}
        await models.Usage.objects.filter(pk=newest.pk).aupdate(**aged)
    limit(tokens=5_100)  # 50 are left, and 50 more in ten minutes are not enough
    refused = (
        await post(client, "/chat/", {"text": "hello", "conversation_id": await new_conversation(client)})
    ).json()
    assert 2_390 <= refused["retry_after"] <= 2_400


async def test_a_refused_message_gives_up_nothing_that_waits_and_takes_nothing_back(
    client: AsyncClient, limit: Any, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(world.SCRIPTS, "spend", [[world.RENAME, Spent(Usage(6_000, 900))], ["Renamed."]])
    limit(tokens=100_000)
    said, *_ = frames = await sse(client, "spend")
    before = await models.Message.objects.filter(taken_back=False).acount()
    limit(tokens=7_000)
    refused = {"text": "hello", "conversation_id": said["conversation_id"]}
    assert (await post(client, "/chat/", refused)).status_code == 429
    edited = await post(client, "/chat/edit/", {"message_id": said["id"], "text": "hello"})
    assert (edited.status_code, edited.json()["code"]) == (429, "rate_limited")
    assert await models.Message.objects.filter(taken_back=False).acount() == before
    assert [paused.call_id async for paused in models.PausedCall.objects.filter(decision="")] == [frames[-1]["id"]]


async def test_as_many_are_answered_at_once_as_may_be_and_what_waits_for_a_person_is_none(
    client: AsyncClient, stranger: AsyncClient, limit: Any
):
    limit(rate_limit={"max_concurrent_turns": 1})
    held = asyncio.create_task(sse(client, "wait"))
    await world.until("wait.reached")
    plain, stream = (
        await post(client, "/chat/", {"text": "hello"}),
        await post(client, "/chat/", {"text": "hello"}, EVENTS),
    )
    async with socket(client) as line:
        await line.say(type="message", text="hello")
        told = await line.hear()
    assert (plain.status_code, stream.status_code) == (429, 429)
    assert {plain.json()["code"], stream.json()["code"], told["code"]} == {"too_many_turns"}
    assert kinds(await sse(stranger, "hello"))[-1] == "done"
    world.mark("wait.open")
    await held
    assert "confirm_mutation" in kinds(await sse(client, "rename"))
    conversation = await new_conversation(client)
    assert (await post(client, "/chat/", {"text": "hello", "conversation_id": conversation})).status_code == 200


# Whoever has no name --------------------------------------------------------------------------------------------------


async def test_dropping_the_cookie_gives_no_second_budget(chat: dict[str, Any], limit: Any):
    limit(requests=2)
    for allowed in (True, True, False, False):
        response = await post(AsyncClient(), "/chat/", {"text": "hello"})
        assert (response.status_code == 200) is allowed
    assert await models.Conversation.objects.acount() == 2


async def test_dropping_the_cookie_gives_no_second_budget_on_a_socket(chat: dict[str, Any], limit: Any):
    limit(requests=1)
    for allowed in (True, False):
        async with socket() as line:
            await line.say(type="message", text="hello")
            told = await line.hear_until("done", "error")
        assert (told[-1]["type"] == "done") is allowed
    assert await models.Conversation.objects.acount() == 1
    assert communicator().scope["path"] == "/chat/"


async def test_an_address_that_is_used_up_is_no_hindrance_for_people_who_signed_in(client: AsyncClient, limit: Any):
    limit(requests=1)
    assert (await post(AsyncClient(), "/chat/", {"text": "hello"})).status_code == 200
    assert (await post(AsyncClient(), "/chat/", {"text": "hello"})).status_code == 429
    assert kinds(await sse(client, "hello"))[-1] == "done"


async def test_behind_a_proxy_the_address_is_the_last_one_of_the_header_and_not_what_the_client_wrote(
    chat: dict[str, Any], limit: Any
):
    limit(requests=1, client_address_header="X-Forwarded-For")

    async def ask(header: str) -> int:
        return (await post(AsyncClient(), "/chat/", {"text": "hello"}, **{"x-forwarded-for": header})).status_code

    assert await ask("203.0.113.7") == 200
    assert await ask("1.2.3.4, 203.0.113.7") == 429
    assert await ask("203.0.113.8") == 200
    assert await ask("2001:db8::1") == 200
    assert await ask("2001:db8::ffff:2") == 429
    limit(requests=4)
    assert await ask("198.51.100.1") == 200  # without the setting a header says nothing


async def test_the_ledger_holds_no_address(chat: dict[str, Any], limit: Any):
    limit(requests=5)
    await post(AsyncClient(), "/chat/", {"text": "hello"})
    row = await models.Usage.objects.aget()
    assert "127.0.0.1" not in str(row.__dict__)
    assert len(row.address) == 32
    assert not await Session.objects.filter(pk=row.account.removeprefix("session:")).aexists()
