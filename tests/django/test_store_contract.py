"""A store keeps what it is given, for its owner alone; the one in memory and the one in the database alike."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth import get_user_model

from dragoman.django import models
from dragoman.django.store import DjangoStore
from dragoman.harness.caller import Caller
from dragoman.harness.errors import ConversationBusy, UnknownConversation
from dragoman.harness.memory import MemoryStore
from dragoman.harness.messages import Message, Outcome, ToolCall, ToolResult, Usage
from dragoman.harness.store import PausedCall, Store

WAIT = 10
ADA, BOB = Caller("user:1"), Caller("user:2")

pytestmark = pytest.mark.usefixtures("database", "db", "on_the_test_thread")

both = pytest.mark.parametrize("make", [MemoryStore, DjangoStore])
Make = Callable[[], Store]


@both
async def test_a_conversation_is_found_by_its_owner_and_by_nobody_else(make: Make):
    store = make()
    created = await store.create(ADA)
    assert await store.get(created.id, ADA) == created
    assert created.owner == ADA.key
    with pytest.raises(UnknownConversation):
        await store.get(created.id, BOB)


@both
@pytest.mark.parametrize("made_up", ["", "1", "no id at all", "0" * 32, "\x00", "'; drop table"])
async def test_an_id_that_is_none_is_an_unknown_conversation(make: Make, made_up: str):
    with pytest.raises(UnknownConversation):
        await make().get(made_up, ADA)


@both
async def test_messages_come_back_as_they_were_said_and_in_order(make: Make):
    store = make()
    conversation = await store.create(ADA)
    said = a_whole_turn()
    await store.append(conversation.id, said[:2])
    await store.append(conversation.id, said[2:])
    assert await store.messages(conversation.id) == said
    assert await store.recent(conversation) == said


@both
async def test_two_conversations_keep_their_messages_apart(make: Make):
    store = make()
    one, other = await store.create(ADA), await store.create(ADA)
    await store.append(one.id, [Message("user", "one")])
    await store.append(other.id, [Message("user", "other")])
    assert [m.text for m in await store.messages(one.id)] == ["one"]


@both
async def test_folded_messages_are_kept_and_no_longer_recent(make: Make):
    store = make()
    conversation = await store.create(ADA)
    said = [Message("user", str(number)) for number in range(4)]
    await store.append(conversation.id, said)
    await store.fold(conversation.id, "about numbers", said[1].id)
    folded = await store.get(conversation.id, ADA)
    assert (folded.summary, folded.summarized_through) == ("about numbers", said[1].id)
    assert await store.recent(folded) == said[2:]
    assert await store.messages(conversation.id) == said


@both
async def test_calls_that_wait_come_back_in_the_order_asked(make: Make):
    store = make()
    conversation = await store.create(ADA)
    waiting = [a_paused_call(conversation.id, f"{name}") for name in "zab"]
    await store.pause(waiting)
    assert await store.paused(conversation.id) == waiting
    assert await store.waiting("a", ADA) == waiting[1]


@both
async def test_nobody_else_sees_or_decides_a_call_that_waits(make: Make):
    store = make()
    conversation = await store.create(ADA)
    await store.pause([a_paused_call(conversation.id, "call")])
    assert await store.waiting("call", BOB) is None
    assert await store.claim("call", BOB, "confirmed") is None
    assert await store.waiting("call", ADA) is not None


@both
async def test_a_decided_call_no_longer_waits(make: Make):
    store = make()
    conversation = await store.create(ADA)
    call = a_paused_call(conversation.id, "call")
    await store.pause([call])
    assert await store.claim("call", ADA, "user_rejected") == replace(call, decision="user_rejected")
    assert await store.claim("call", ADA, "confirmed") is None
    assert await store.waiting("call", ADA) is None
    assert await store.paused(conversation.id) == []


@both
async def test_of_several_decisions_at_once_exactly_one_gets_the_call(make: Make):
    store = make()
    conversation = await store.create(ADA)
    await store.pause([a_paused_call(conversation.id, "call")])
    claims = await asyncio.gather(*(store.claim("call", ADA, "confirmed") for _ in range(8)))
    assert [claim is not None for claim in claims].count(True) == 1


@both
async def test_a_conversation_is_held_by_one_at_a_time(make: Make):
    store = make()
    conversation = await store.create(ADA)
    async with store.hold(conversation.id, "run"):
        with pytest.raises(ConversationBusy):
            async with store.hold(conversation.id, "other"):
                pass
    async with store.hold(conversation.id, "other") as hold:
        assert (hold.conversation_id, hold.run_id, hold.seq) == (conversation.id, "other", 0)


@both
async def test_whoever_waits_for_a_conversation_gets_it_when_it_is_free(make: Make):
    store = make()
    conversation = await store.create(ADA)
    held, release = asyncio.Event(), asyncio.Event()

    async def first() -> None:
        async with store.hold(conversation.id, "run"):
            held.set()
            await release.wait()

    async def second() -> str:
        async with store.hold(conversation.id, "other", wait_seconds=WAIT) as hold:
            return hold.run_id

    holding = asyncio.create_task(first())
    await held.wait()
    waiting = asyncio.create_task(second())
    await asyncio.sleep(0)
    assert not waiting.done()
    release.set()
    await holding
    assert await waiting == "other"


@both
async def test_the_number_of_a_runs_last_event_is_kept(make: Make):
    store = make()
    conversation = await store.create(ADA)
    async with store.hold(conversation.id, "run") as hold:
        hold.seq = 7
    with pytest.raises(ZeroDivisionError):
        await count_and_fail(store, conversation.id)
    async with store.hold(conversation.id, "run") as hold:
        assert hold.seq == 9


@both
async def test_a_holder_that_is_cancelled_leaves_the_conversation_free(make: Make):
    store = make()
    conversation = await store.create(ADA)
    held = asyncio.Event()

    async def hold_for_ever() -> None:
        async with store.hold(conversation.id, "run"):
            held.set()
            await asyncio.Event().wait()

    holding = asyncio.create_task(hold_for_ever())
    await held.wait()
    holding.cancel()
    await asyncio.wait([holding])
    async with store.hold(conversation.id, "other"):
        pass


@both
async def test_a_holder_that_is_cancelled_while_it_lets_go_leaves_the_conversation_free(make: Make):
    store = make()
    conversation = await store.create(ADA)
    last_word = asyncio.Event()

    async def hold_to_the_end() -> None:
        async with store.hold(conversation.id, "run"):
            last_word.set()

    for steps in range(12):  # wherever it is by then
        last_word.clear()
        holding = asyncio.create_task(hold_to_the_end())
        await last_word.wait()
        for _ in range(steps):
            await asyncio.sleep(0)
        holding.cancel()
        await asyncio.wait([holding])
        async with store.hold(conversation.id, "other"):
            pass


# What only the database can do ----------------------------------------------------------------------------------------


async def test_another_worker_is_kept_out_by_the_lease():
    here, elsewhere = DjangoStore(), DjangoStore()
    conversation = await here.create(ADA)
    await leased_elsewhere(conversation.id, seconds=60)
    with pytest.raises(ConversationBusy):
        async with elsewhere.hold(conversation.id, "run"):
            pass


async def test_the_lease_of_a_killed_worker_runs_out():
    store = DjangoStore()
    conversation = await store.create(ADA)
    await leased_elsewhere(conversation.id, seconds=-1)
    async with store.hold(conversation.id, "run"):
        row = await models.Conversation.objects.aget(pk=conversation.id)
        assert row.lease_holder != "elsewhere"


async def test_a_lease_is_prolonged_while_its_holder_lives():
    store = DjangoStore(lease_seconds=0.03)
    conversation = await store.create(ADA)
    async with asyncio.timeout(WAIT), store.hold(conversation.id, "run"):
        first = (await models.Conversation.objects.aget(pk=conversation.id)).lease_until
        while (await models.Conversation.objects.aget(pk=conversation.id)).lease_until == first:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_a_worker_that_lost_its_lease_leaves_the_others_alone():
    store = DjangoStore()
    conversation = await store.create(ADA)
    async with store.hold(conversation.id, "run"):
        await leased_elsewhere(conversation.id, seconds=60)
    row = await models.Conversation.objects.aget(pk=conversation.id)
    assert row.lease_holder == "elsewhere"


async def test_a_conversation_that_was_deleted_is_unknown():
    store = DjangoStore()
    conversation = await store.create(ADA)
    await models.Conversation.objects.all().adelete()
    with pytest.raises(UnknownConversation):
        async with store.hold(conversation.id, "run"):
            pass


async def test_messages_are_kept_all_or_none():
    store = DjangoStore()
    conversation = await store.create(ADA)
    once = Message("user", "once")
    with pytest.raises(Exception, match=r"UNIQUE|unique|Duplicate"):
        await store.append(conversation.id, [once, Message("assistant", "twice", id=once.id)])
    assert await store.messages(conversation.id) == []


async def test_what_no_database_takes_is_replaced_and_the_rest_is_kept():
    store = DjangoStore()
    conversation = await store.create(ADA)
    call = ToolCall("c", "query", {"name": "a\x00b", "half": "\ud83d", "size": float("nan"), "fine": "\\u0000 é 漢 😀"})
    await store.append(conversation.id, [Message("assistant", "nul \x00 half \ud83d end", calls=(call,))])
    [kept] = await store.messages(conversation.id)
    assert kept.text == "nul \ufffd half ? end"
    assert kept.calls[0].arguments == {"name": "a\ufffdb", "half": "?", "size": None, "fine": "\\u0000 é 漢 😀"}


async def test_an_assistant_does_not_know_the_conversations_of_another_one():
    sales, support = DjangoStore("sales"), DjangoStore("support")
    conversation = await sales.create(ADA)
    await sales.pause([a_paused_call(conversation.id, "call")])
    with pytest.raises(UnknownConversation):
        await support.get(conversation.id, ADA)
    assert await support.claim("call", ADA, "confirmed") is None


async def test_the_newest_conversation_is_that_of_this_session():
    store = DjangoStore()
    begun = await store.newest(ADA, "monday")
    assert await store.newest(ADA, "monday") == begun
    assert (await store.newest(ADA, "tuesday")).id != begun.id
    later = await store.create(ADA, "monday")
    assert (await store.newest(ADA, "monday")).id == later.id
    assert (await store.newest(BOB, "monday")).id not in (begun.id, later.id)


async def test_a_conversation_goes_with_its_user():
    user = await get_user_model().objects.acreate(username="leaving")
    store = DjangoStore()
    conversation = await store.create(Caller(f"user:{user.pk}", user=user, is_authenticated=True))
    await store.append(conversation.id, [Message("user", "hello")])
    await user.adelete()
    assert not await models.Conversation.objects.filter(pk=conversation.id).aexists()
    assert not await models.Message.objects.aexists()


# ----------------------------------------------------------------------------------------------------------------------


async def count_and_fail(store: Store, conversation_id: str) -> None:
    async with store.hold(conversation_id, "run") as hold:
        assert hold.seq == 7
        hold.seq = 9
        raise ZeroDivisionError


def a_whole_turn() -> list[Message]:
    call = ToolCall("call", "query", {"manager": "Project", "filters": {"name": "é"}, "limit": 3})
    broken = ToolCall("broken", "query", malformed="Expected ',' at 7")
    at = datetime(2026, 5, 4, 3, 2, 1, 123456, tzinfo=UTC)
    return [
        Message("user", "Which projects?", run_id="run", created=at),
        Message(
            "assistant",
            "Looking.",
            calls=(call, broken),
            run_id="run",
            provider="scripted",
            model="script",
            usage=Usage(10, 2, 1, True),
            carry=({"signature": "x"},),
        ),
        Message("tool", result=ToolResult("call", "query", '{"rows":[]}'), run_id="run"),
        Message("tool", result=ToolResult("broken", "query", '{"error":"no"}', True, True, False), run_id="run"),
        Message("assistant", "None.", run_id="run", outcome=Outcome("error", "provider_error", "It failed.", 1.5)),
    ]


def a_paused_call(conversation_id: str, call_id: str) -> PausedCall:
    call = ToolCall(call_id, "mutate", {"mutation": "archive", "input": {"id": 1}})
    return PausedCall(call, conversation_id, "run", datetime.now(UTC) + timedelta(seconds=30))


async def leased_elsewhere(conversation_id: str, *, seconds: float) -> None:
    """The database as another worker leaves it that holds the conversation."""
    until = datetime.now(UTC) + timedelta(seconds=seconds)
    rows = models.Conversation.objects.filter(pk=conversation_id)
    await rows.aupdate(lease_holder="elsewhere", lease_until=until)
