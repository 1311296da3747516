"""The asking person's tools over MCP: the library's own client against a real server, in both protocol revisions."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as wire
import pytest
from django.test import AsyncClient
from mcp.client import Client, ClientRequestContext
from mcp.client.streamable_http import streamable_http_client
from pytest_django import Settings

from tests.transports import world
from tests.transports.clients import post
from tests.transports.server import Browser, Server, serving

REVISIONS = {"auto": "2026-07-28", "legacy": "2025-11-25"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("mcp")) as running:
        yield running


@pytest.fixture
def browser(server: Server) -> Browser:
    world.forget()
    return Browser(server)


@asynccontextmanager
async def connected(
    browser: Browser, mode: str, answer: wire.ElicitResult | None = None, path: str = "/chat/mcp/"
) -> AsyncIterator[Any]:
    """A client with this browser's session. `asked` of it holds the questions it was asked; it gives `answer` to each."""
    asked: list[str] = []

    async def elicited(context: ClientRequestContext, params: wire.ElicitRequestParams) -> wire.ElicitResult:
        asked.append(params.message)
        assert answer is not None
        return answer

    headers = {"Cookie": browser.cookie, "X-CSRFToken": browser.cookies["csrftoken"]}
    async with httpx2.AsyncClient(headers=headers, trust_env=False, timeout=30) as http:
        line = streamable_http_client(f"{browser.server.url}{path}", http_client=http)
        callback = elicited if answer else None
        async with Client(line, mode=mode, elicitation_callback=callback) as client:
            assert client.protocol_version == REVISIONS[mode]
            client.asked = asked
            yield client


YES = wire.ElicitResult(action="accept", content={"confirm": True})
RENAME = {"name": "Apollo", "to": "Artemis"}


@pytest.mark.parametrize("mode", REVISIONS)
async def test_the_tools_are_those_of_the_chat_and_say_what_they_do(browser: Browser, mode: str):
    async with connected(browser, mode) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        found = await client.call_tool("look_up", {"name": "Apollo"})
        missing = await client.call_tool("look_up", {"name": "Vostok"})
    assert tools.keys() == {"look_up", "rename", "draw"}
    assert tools["look_up"].annotations.read_only_hint
    assert tools["rename"].annotations.destructive_hint
    assert json.loads(found.content[0].text) == {"name": "Apollo", "status": "active"}
    assert not found.is_error
    assert missing.is_error
    assert "There is no project 'Vostok'" in missing.content[0].text


@pytest.mark.parametrize("mode", REVISIONS)
async def test_a_change_is_shown_as_it_will_run_and_runs_when_it_is_confirmed(browser: Browser, mode: str):
    async with connected(browser, mode, YES) as client:
        done = await client.call_tool("rename", RENAME)
        assert client.asked == ["Run renameProject?\n  name: 'Apollo'\n  to: 'Artemis'"]
    assert not done.is_error
    assert json.loads(done.content[0].text) == {"ok": True, "object": {"name": "Artemis"}}
    assert world.happened("renamed.Apollo")


@pytest.mark.parametrize("mode", REVISIONS)
@pytest.mark.parametrize(
    "answer",
    [
        wire.ElicitResult(action="decline"),
        wire.ElicitResult(action="cancel"),
        wire.ElicitResult(action="accept", content={"confirm": False}),
        wire.ElicitResult(action="accept", content={"confirm": "true"}),
        wire.ElicitResult(action="decline", content={"confirm": True}),
    ],
)
async def test_anything_but_a_yes_is_a_no(browser: Browser, mode: str, answer: wire.ElicitResult):
    async with connected(browser, mode, answer) as client:
        refused = await client.call_tool("rename", RENAME)
    assert refused.is_error
    assert json.loads(refused.content[0].text) == {"status": "cancelled", "reason": "user_rejected"}
    assert not world.happened("renamed.Apollo")


@pytest.mark.parametrize("mode", REVISIONS)
async def test_a_client_that_cannot_ask_a_person_changes_nothing_that_needs_one(browser: Browser, mode: str):
    async with connected(browser, mode) as client:
        refused = await client.call_tool("rename", RENAME)
        at_once = await client.call_tool("rename", {"name": "Gemini", "to": "Castor"})
    assert refused.is_error
    assert "this client cannot ask for one" in refused.content[0].text
    assert not world.happened("renamed.Apollo")
    assert not at_once.is_error
    assert world.happened("renamed.Gemini")


async def test_a_confirmed_call_runs_once_and_only_as_it_was_shown(browser: Browser):
    yes = {"confirm": YES}
    async with connected(browser, "auto", YES) as client:
        waits = await client.session.call_tool("rename", RENAME, allow_input_required=True)
        other = {**RENAME, "to": "Aurora"}
        swapped = await client.call_tool("rename", other, input_responses=yes, request_state=waits.request_state)
        assert swapped.is_error
        assert not world.happened("renamed.Apollo")
        done = await client.call_tool("rename", RENAME, input_responses=yes, request_state=waits.request_state)
        assert not done.is_error
        world.forget()
        again = await client.call_tool("rename", RENAME, input_responses=yes, request_state=waits.request_state)
        made_up = await client.call_tool("rename", RENAME, input_responses=yes, request_state="0" * 32)
    assert again.is_error
    assert made_up.is_error
    assert not world.happened("renamed.Apollo")


async def test_a_stranger_cannot_confirm_or_speak_in_somebody_elses_session(browser: Browser, server: Server):
    stranger = Browser(server, "wilbur")
    async with connected(browser, "auto", YES) as client, connected(stranger, "auto", YES) as theirs:
        waits = await client.session.call_tool("rename", RENAME, allow_input_required=True)
        stolen = await theirs.call_tool(
            "rename", RENAME, input_responses={"confirm": YES}, request_state=waits.request_state
        )
    assert stolen.is_error
    assert not world.happened("renamed.Apollo")
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    kinds = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    with browser.request("POST", "/chat/mcp/", hello, **kinds) as response:
        response.read()
        session = response.headers["Mcp-Session-Id"]
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    statuses = []
    for who in (browser, stranger):
        with who.request("POST", "/chat/mcp/", ping, **kinds, **{"Mcp-Session-Id": session}) as response:
            statuses.append(response.status)
    assert statuses == [200, 404]


async def test_calls_count_against_the_budget(browser: Browser):
    async with connected(browser, "auto", path="/five/mcp/") as client:
        found = [await client.call_tool("look_up", {"name": "Apollo"}) for _ in range(6)]
    assert [call.is_error for call in found] == [False] * 5 + [True]
    assert found[-1].content[0].text == "Rate limit exceeded"


async def test_who_is_nobody_comes_from_elsewhere_or_has_no_csrf_token_gets_nothing(browser: Browser, server: Server):
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    kinds = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    nobody = Browser(server, "")
    for who, headers in (
        (nobody, {}),
        (browser, {"Origin": "http://evil.example"}),
        (browser, {"X-CSRFToken": "wrong"}),
    ):
        with who.request("POST", "/chat/mcp/", body, **{**kinds, **headers}) as response:
            assert response.status == 403, headers


async def test_without_the_setting_nothing_answers(client: AsyncClient, chat: dict[str, Any]):
    assert (await post(client, "/chat/mcp/", {})).status_code == 404


def test_the_setting_without_its_library_is_told_with_the_way_out(
    settings: Settings, chat: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    from dragoman.django import checks

    monkeypatch.setattr("dragoman.django.checks.find_spec", lambda name: None)
    settings.DRAGOMAN = {"default": {**chat, "mcp": True}}
    (told,) = checks.mcp_is_installed()
    assert told.id == "dragoman.E008"
    assert told.hint == "pip install 'dragoman[mcp]'"
