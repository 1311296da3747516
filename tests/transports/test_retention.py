"""What outlived its time is deleted, by the command and by the application itself; what did not, is not."""

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.core.management import call_command
from django.test import AsyncClient
from django.utils import timezone
from pytest_django import Settings

from dragoman.django import assistants, conf, models, retention
from tests.transports import world
from tests.transports.clients import new_conversation, post, sse

pytestmark = pytest.mark.usefixtures("chat")


async def age(conversation_id: str, hours: float) -> None:
    """Let a conversation and its messages be this old."""
    then = timezone.now() - timedelta(hours=hours)
    await models.Conversation.objects.filter(pk=conversation_id).aupdate(created=then, updated=then)
    await models.Message.objects.filter(conversation=conversation_id).aupdate(created=then)


async def begun(client: AsyncClient) -> str:
    conversation_id = await new_conversation(client)
    await sse(client, "hello", conversation_id=conversation_id)
    return conversation_id


async def cleanup(*arguments: str) -> str:
    told = StringIO()
    await sync_to_async(call_command)("dragoman_cleanup", *arguments, stdout=told)
    return told.getvalue()


async def kept() -> set[str]:
    return {pk.hex async for pk in models.Conversation.objects.values_list("pk", flat=True)}


@pytest.mark.requirement("g.conversation.ttl")
async def test_the_command_deletes_what_had_no_message_for_its_time_and_says_so(client: AsyncClient):
    old, renewed, young = [await begun(client) for _ in range(3)]
    await age(old, 25)
    await age(renewed, 25)
    await sse(client, "hello", conversation_id=renewed)
    assert "would delete 1 conversations" in await cleanup("--dry-run")
    assert await kept() == {old, renewed, young}
    assert "deleted 1 conversations" in await cleanup()
    assert await kept() == {renewed, young}
    assert not await models.Message.objects.filter(conversation=old).aexists()
    assert "deleted 0 conversations" in await cleanup()
    response = await post(client, "/chat/", {"text": "hello", "conversation_id": old})
    assert (response.status_code, response.json()["code"]) == (404, "unknown_conversation")


@pytest.mark.requirement("g.conversation.ttl")
async def test_the_application_cleans_up_after_a_turn_and_then_not_again_for_a_while(client: AsyncClient):
    assistants._desk.cache_clear()
    old = await begun(client)
    await age(old, 25)
    [sweeper] = [one for one in assistants.desk().assistant.observers if isinstance(one, retention.Sweeper)]
    await sweeper.swept()
    sweeper._next = 0
    young = await begun(client)
    await sweeper.swept()
    assert await kept() == {young}
    await age(young, 25)
    other = await begun(client)
    await sweeper.swept()
    assert await kept() == {young, other}


async def test_a_conversation_that_is_being_answered_stays(client: AsyncClient):
    conversation_id = await begun(client)
    await age(conversation_id, 25)
    soon = timezone.now() + timedelta(seconds=30)
    await models.Conversation.objects.aupdate(lease_holder="somebody", lease_until=soon)
    await cleanup()
    assert await kept() == {conversation_id}
    await models.Conversation.objects.aupdate(lease_until=timezone.now() - timedelta(seconds=1))
    await cleanup()
    assert await kept() == set()


async def test_without_a_time_everything_is_kept(client: AsyncClient, chat: dict[str, Any], settings: Settings):
    settings.DRAGOMAN = {"default": {**chat, "conversation": {"ttl_hours": None}}}
    conversation_id = await begun(client)
    await age(conversation_id, 10_000)
    assert "deleted 0 conversations" in await cleanup()
    assert await kept() == {conversation_id}


async def test_what_is_more_than_a_batch_is_deleted_batch_by_batch(
    client: AsyncClient, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(retention, "BATCH", 2)
    for _ in range(5):
        await age(await new_conversation(client), 25)
    found = conf.assistants()["default"]
    assert (await sync_to_async(retention.clean)(found, batches=1)).conversations == 2
    assert "deleted 3 conversations" in await cleanup()


async def test_usage_outlives_its_conversation_and_then_its_own_time(client: AsyncClient):
    conversation_id = await begun(client)
    await age(conversation_id, 25)
    await cleanup()
    assert await models.Usage.objects.acount() == 1
    await models.Usage.objects.aupdate(created=timezone.now() - timedelta(days=91))
    await models.Account.objects.aupdate(used=timezone.now() - timedelta(days=2))
    assert "1 rows of usage and 1 accounts" in await cleanup()
    assert not await models.Usage.objects.aexists()


async def test_a_reservation_that_was_lost_is_settled_by_what_was_stored(client: AsyncClient):
    await sse(client, "look")
    then = timezone.now() - timedelta(hours=1)
    await models.Usage.objects.aupdate(settled=None, input_tokens=0, output_tokens=0, reserved_tokens=9, created=then)
    assert "1 lost reservations settled" in await cleanup()
    row = await models.Usage.objects.aget()
    assert (row.input_tokens, row.output_tokens, row.reserved_tokens) == (60, 9, 0)
    assert world.happened("asked")


async def test_the_log_of_a_run_goes_a_day_after_its_end_and_its_messages_stay(
    client: AsyncClient, chat: dict[str, Any], settings: Settings
):
    settings.DRAGOMAN = {"default": {**chat, "disconnect_grace_seconds": 60}}
    conversation = await begun(client)
    await cleanup()
    assert await models.Stretch.objects.aexists()
    await models.Run.objects.aupdate(updated=timezone.now() - timedelta(hours=25))
    await cleanup()
    assert not await models.Stretch.objects.aexists()
    assert await models.Message.objects.filter(conversation=conversation).acount() == 2
