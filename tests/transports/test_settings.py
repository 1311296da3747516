"""What the settings say is what answers."""

from typing import Any

import pytest
from django.test import AsyncClient
from django.urls import include, path
from pytest_django import Settings

from dragoman.django import assistants, conf, urls
from dragoman.harness.limits import Limits
from tests.transports import world
from tests.transports.clients import communicator, cookies_of, kinds, post, sse, text_of, websocket

pytestmark = pytest.mark.usefixtures("chat")

WORLD = {"kind": "tests.transports.world.World"}


def everybody(user: Any, context: Any) -> bool:
    return True


def audit_logger(*arguments: Any) -> None:
    """A place for the audit log."""


@pytest.mark.requirement("g.config.keys")
async def test_the_specifications_dictionary_answers_as_written(client: AsyncClient, settings: Settings):
    settings.DRAGOMAN = {
        "default": {
            "enabled": True,
            "url": "/chat/",
            "provider": "tests.transports.world.Configured",
            "provider_config": {"model": "llama3", "base_url": "http://localhost:11434"},
            "permission": "tests.transports.test_settings.everybody",
            "allowed_mutations": ["createOrder", "deleteProject", "archiveProject", "updateProjectStatus"],
            "confirm_mutations": ["deleteProject"],
            "confirm_timeout_seconds": 30,
            "allowed_origins": ["https://app.example.com"],
            "system_prompt": "You are a helpful assistant for our logistics platform.",
            "tool_strategy": "discovery",
            "rate_limit": {"max_requests_per_hour": 60, "max_tokens_per_hour": 100_000},
            "query_limits": {"max_results": 200, "query_timeout_seconds": 5, "max_retries_per_message": 3},
            "conversation": {"max_recent_messages": 20, "summarize_after": 10, "ttl_hours": 24},
            "audit": {
                "enabled": True,
                "level": "tool_calls",
                "logger": "tests.transports.test_settings.audit_logger",
                "max_result_size": 4096,
                "redact_fields": ["password", "secret", "token", "key", "credential"],
            },
            "grounding": WORLD,
        }
    }
    frames = await sse(client, "look")
    assert text_of(frames) == "Looking. Apollo is active."
    assert frames[-1]["model"] == "llama3 at http://localhost:11434"


@pytest.mark.requirement("g.config.provider", "g.provider.protocol")
async def test_a_provider_of_ones_own_is_built_with_its_config_and_watched_with_its_timeouts(
    client: AsyncClient, chat: dict[str, Any], settings: Settings
):
    provider = {
        "provider": "tests.transports.world.Configured",
        "provider_config": {"model": "m", "base_url": "u", "timeout_seconds": 0.05, "stream_timeout_seconds": 0.05},
    }
    settings.DRAGOMAN = {"default": {**chat, **provider}}
    assert (await sse(client, "hello"))[-1]["model"] == "m at u"
    for script, code in (("silent", "provider_timeout"), ("wait", "provider_stalled")):
        frames = await sse(client, script)
        assert kinds(frames)[-2:] == ["error", "done"]
        assert frames[-2]["code"] == code


@pytest.mark.requirement("g.config.defaults")
async def test_what_is_left_out_has_its_documented_default(client: AsyncClient, settings: Settings):
    settings.DRAGOMAN = {"default": {"enabled": True, "provider": "tests.transports.world.Actor", "grounding": WORLD}}
    assert text_of(await sse(client, "hello")) == "Good day."
    desk = assistants.desk()
    found = desk.settings
    assert (found.url, found.tool_strategy, found.confirm_timeout_seconds) == ("/chat/", "discovery", 30)
    assert found.rate_limit == conf.RateLimit(60, 100_000)
    assert found.query_limits == conf.QueryLimits(200, 5, 3)
    assert found.conversation == conf.ConversationLimits(20, 10, 24)
    assert found.audit == conf.Audit(True, "tool_calls", "", 4096, ("password", "secret", "token", "key", "credential"))
    assert desk.assistant.limits == Limits(
        timeout_seconds=60,
        stream_timeout_seconds=30,
        max_retries=3,
        summarize_after=10,
        max_recent_messages=20,
        confirm_timeout_seconds=30,
    )


@pytest.mark.requirement("g.config.permission-optional")
async def test_without_a_gate_whoever_the_transport_lets_in_may_ask(client: AsyncClient, nobody: AsyncClient):
    for visitor in (client, nobody):
        assert text_of(await sse(visitor, "hello")) == "Good day."
        assert text_of(await websocket(visitor, "hello")) == "Good day."


@pytest.mark.requirement("g.config.url")
async def test_each_assistant_answers_at_its_url(client: AsyncClient, chat: dict[str, Any], settings: Settings):
    chat.pop("url")
    settings.DRAGOMAN = {"default": chat, "sales": {**chat, "url": "help/sales"}, "off": {"url": "/off/"}}
    settings.ROOT_URLCONF = (path("", include((urls.routes(), "dragoman"))),)
    for url in ("/chat/", "/help/sales/"):
        assert (await post(client, url, {"text": "hello"})).json()["answer"] == "Good day."
        line = communicator(cookies_of(client), path=url)
        assert (await line.connect())[0] is True
        await line.disconnect()
    assert (await client.get("/off/")).status_code == 404


@pytest.mark.requirement("g.prompt.additions")
async def test_the_developers_words_are_added_to_the_prompt(
    client: AsyncClient, chat: dict[str, Any], settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    prompts: list[str] = []

    def listen(messages: Any) -> list[str]:
        prompts.append(messages[0].text)
        return ["Yes."]

    monkeypatch.setitem(world.SCRIPTS, "listen", [listen])
    settings.DRAGOMAN = {"default": {**chat, "system_prompt": "Answer like a pirate."}}
    await sse(client, "listen")
    assert prompts == ["You know projects. wanda asks.\n\nAnswer like a pirate."]


@pytest.mark.requirement("g.confirm.others-immediate")
async def test_a_change_that_needs_no_confirmation_is_made_at_once(client: AsyncClient):
    assert text_of(await sse(client, "rename at once")) == "Renamed."
    assert world.written == [("Gemini", "Castor")]
