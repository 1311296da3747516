"""The audit log holds what its level says, the same over every door, and never a secret."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import AsyncClient
from pytest_django import Settings

from dragoman.django import audit, redact
from dragoman.harness.caller import Caller
from dragoman.harness.provider import ToolRequest
from dragoman.harness.tools import Operation, Tool, Toolbox, ToolDefinition, ToolError
from tests.transports import listening, world
from tests.transports.clients import EVENTS, kinds, plain_post, post, socket, sse, text_of, websocket

HERE = "tests.transports.listening"
log = logging.getLogger("dragoman.vault")


@pytest.fixture
def audited(chat: dict[str, Any], settings: Settings) -> Any:
    """Sets keys of `audit`, with a sink of ours; what was written."""
    listening.records.clear()

    def set_to(**audit: Any) -> list[dict[str, Any]]:
        settings.DRAGOMAN = {"default": {**chat, "audit": {"logger": f"{HERE}.sink", **audit}}}
        return listening.records

    return set_to


def told(records: list[dict[str, Any]]) -> list[str]:
    return [record["event_type"] for record in records]


# Levels ---------------------------------------------------------------------------------------------------------------

MESSAGES = ["user_message", "assistant_message"]
TOOL_CALLS = ["user_message", "tool_call", "tool_result", "assistant_message"]


@pytest.mark.requirement("g.audit.levels")
@pytest.mark.parametrize(("level", "expected"), [("off", []), ("messages", MESSAGES), ("tool_calls", TOOL_CALLS)])
@pytest.mark.parametrize("sink", ["sink", "async_sink"])
async def test_each_level_writes_what_it_says_over_every_door(
    client: AsyncClient, audited: Any, level: str, expected: list[str], sink: str
):
    records = audited(level=level, logger=f"{HERE}.{sink}")
    written = []
    for ask in (plain_post, sse, websocket):
        await ask(client, "look")
        assert told(records) == expected
        left_out = ("at", "conversation_id", "run_id", "call_id", "message_id", "seq")
        written.append([{key: value for key, value in one.items() if key not in left_out} for one in records])
        records.clear()
    assert written[0] == written[1] == written[2]


@pytest.mark.requirement("g.audit.enabled")
async def test_switched_off_nothing_is_written_whatever_the_level_says(client: AsyncClient, audited: Any):
    records = audited(enabled=False, level="tool_calls")
    for ask in (plain_post, sse, websocket):
        await ask(client, "look")
    assert records == []


async def test_a_record_says_who_did_what_where_and_when(client: AsyncClient, ada: Any, audited: Any):
    records = audited()
    frames = await sse(client, "look")
    said, called, returned, answered = records
    for record in records:
        assert (record["alias"], record["user"]) == ("default", f"user:{ada.pk}")
        assert (record["conversation_id"], record["run_id"]) == (frames[0]["conversation_id"], frames[0]["run_id"])
    assert said["message"] == "look"
    assert (called["tool_name"], called["args"]) == ("look_up", {"name": "Apollo"})
    assert (returned["args"], returned["result"]) == ({"name": "Apollo"}, {"name": "Apollo", "status": "active"})
    assert (answered["message"], answered["finish_reason"]) == ("Looking. Apollo is active.", "stop")
    assert (answered["usage"]["input_tokens"], answered["message_id"]) == (60, frames[-1]["message_id"])


async def test_a_change_is_written_with_its_question_and_its_decision(client: AsyncClient, audited: Any):
    records = audited()
    async with socket(client) as line:
        await line.say(type="message", text="rename")
        asked = (await line.hear_until("confirm_mutation"))[-1]
    decision = {"confirmation_id": asked["id"], "confirmed": True}
    assert (await post(client, "/chat/confirm/", decision, EVENTS)).status_code == 200
    assert "confirmation_needed" in told(records)
    [result] = [record for record in records if record["event_type"] == "tool_result"]
    assert (result["mutation"], result["input"]) == ("renameProject", {"name": "Apollo", "to": "Artemis"})
    assert (result["call_id"], result["result"]["ok"]) == (asked["id"], True)
    assert next(record["message"] for record in records if record["event_type"] == "assistant_message") == "I will. "


async def test_without_a_sink_of_ones_own_a_line_of_json_goes_to_the_log(
    client: AsyncClient, audited: Any, caplog: pytest.LogCaptureFixture
):
    audited(logger="")
    with caplog.at_level(logging.INFO, "dragoman.audit"):
        await sse(client, "look")
    lines = [json.loads(record.getMessage()) for record in caplog.records if record.name == "dragoman.audit"]
    assert told(lines) == TOOL_CALLS


async def test_a_broken_sink_breaks_no_turn(client: AsyncClient, audited: Any):
    audited(logger=f"{HERE}.broken_sink")
    for ask in (plain_post, sse, websocket):
        assert text_of(await ask(client, "look")) == "Looking. Apollo is active."


async def test_a_sink_that_cannot_be_imported_is_told_and_nothing_is_answered_unrecorded(
    client: AsyncClient, audited: Any
):
    audited(logger="nowhere.at.all")
    response = await post(client, "/chat/", {"text": "hello"})
    assert (response.status_code, response.json()["code"]) == (503, "configuration")
    assert not world.happened("asked")


@pytest.mark.requirement("g.audit.redact")
async def test_a_long_result_is_cut(client: AsyncClient, audited: Any):
    records = audited(max_result_size=20)
    await sse(client, "look")
    [result] = [record["result"] for record in records if record["event_type"] == "tool_result"]
    assert result == '{"name":"Apollo","st… (15 characters more)'


# Secrets --------------------------------------------------------------------------------------------------------------

SECRETS = ("hunter2-A", "hunter2-B", "hunter2-C", "hunter2-D", "hunter2-E")
INPUT = {
    "name": "Apollo",
    "PASSWORD": SECRETS[0],
    "owner": {"accounts": [{"apiKey": SECRETS[1]}, {"access_token": {"value": SECRETS[2]}}]},
    "note": json.dumps({"clientSecret": SECRETS[3]}),
    "credentials": [SECRETS[4]],
}


class Vault:
    """A grounding whose one mutation tells its secrets wherever it can."""

    async def prompt(self, caller: Caller) -> str:
        return "You keep secrets."

    async def tools(self, caller: Caller) -> Toolbox:
        async def mutate(arguments: Any) -> Any:
            log.warning("Saving %s", arguments)
            match arguments["name"]:
                case "crash":
                    raise RuntimeError(f"could not save {arguments}")
                case "refuse":
                    raise ToolError(f"{SECRETS[0]} is no good password.", "invalid")
            return {"ok": True, "object": {**arguments, "echo": f"saved {SECRETS[0]}"}}

        definition = ToolDefinition("mutate", "Change.", {"type": "object"})
        operation = lambda arguments: Operation("setPassword", arguments)  # noqa: E731
        confirm = lambda arguments: arguments["name"] == "asks"  # noqa: E731
        return Toolbox.of([Tool(definition, mutate, writes=True, confirm=confirm, operation=operation)])


@pytest.fixture
def vault(audited: Any, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, Any]]]:
    for name in ("saves", "crash", "refuse", "asks"):
        script = [[ToolRequest("mutate", {**INPUT, "name": name})], [f"The password is now {SECRETS[0]}."]]
        monkeypatch.setitem(world.SCRIPTS, name, script)
    records = audited()
    settings.DRAGOMAN["default"]["grounding"] = {"kind": "tests.transports.test_audit.Vault"}
    settings.DRAGOMAN = {**settings.DRAGOMAN}
    redact._known.clear()
    yield records
    redact._known.clear()


@pytest.mark.requirement("g.audit.redact")
@pytest.mark.parametrize("what", ["saves", "crash", "refuse", "asks"])
async def test_no_secret_of_a_change_reaches_the_audit_log_our_own_log_or_an_error(
    client: AsyncClient, vault: list[dict[str, Any]], caplog: pytest.LogCaptureFixture, what: str
):
    with caplog.at_level(logging.DEBUG, "dragoman"):
        async with socket(client) as line:
            await line.say(type="message", text=what)
            frames = await line.hear_until("done", "confirm_mutation")
            if what == "asks":
                redact._known.clear()  # as in another process, which never saw the call being made
                decision = {"confirmation_id": frames[-1]["id"], "confirmed": True}
                assert (await post(client, "/chat/confirm/", decision, EVENTS)).status_code == 200
    written = json.dumps(vault) + caplog.text
    assert "Saving" in caplog.text
    assert [secret for secret in SECRETS if secret in written] == []
    assert redact.REDACTED in written
    result = next(record for record in vault if record["event_type"] == "tool_result")
    assert (result["input"]["name"], result["input"]["PASSWORD"]) == (what, redact.REDACTED)
    errors = [frame for frame in frames if frame["type"] == "error"]
    assert not any(secret in json.dumps(errors) for secret in SECRETS)


DOORS = pytest.mark.parametrize("ask", [plain_post, sse, websocket], ids=lambda one: one.__name__)


@DOORS
@pytest.mark.parametrize("what", ["saves", "crash", "refuse"])
async def test_no_secret_is_written_down_whatever_the_door(
    client: AsyncClient, vault: list[dict[str, Any]], caplog: pytest.LogCaptureFixture, ask: Any, what: str
):
    with caplog.at_level(logging.DEBUG):
        frames = await ask(client, what)
    written = json.dumps(vault) + caplog.text + json.dumps([one for one in frames if one["type"] == "error"])
    assert "Saving" in caplog.text
    assert [secret for secret in SECRETS if secret in written] == []


@DOORS
@pytest.mark.parametrize("guard", ["value", "remember"])
async def test_without_the_guard_the_secrets_would_be_found(
    client: AsyncClient,
    vault: list[dict[str, Any]],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    ask: Any,
    guard: str,
):
    monkeypatch.setattr(redact.Redactor, guard, {"value": lambda _, data: data, "remember": lambda *_: None}[guard])
    with caplog.at_level(logging.DEBUG, "dragoman"):
        await ask(client, "crash")
    written = json.dumps(vault) if guard == "value" else caplog.text
    assert all(secret in written for secret in SECRETS)


async def test_fields_named_by_the_project_are_redacted_in_their_stead(client: AsyncClient, audited: Any):
    records = audited(redact_fields=["name"])
    assert kinds(await sse(client, "look"))[-1] == "done"
    [result] = [record for record in records if record["event_type"] == "tool_result"]
    assert (result["args"], result["result"]) == (
        {"name": redact.REDACTED},
        {"name": redact.REDACTED, "status": "active"},
    )
    redact._known.clear()


@pytest.mark.parametrize(
    ("name", "covered"),
    [
        *((name, True) for name in ("password", "newPassword", "PASSWORD_2", "api_key", "apikey", "APIKey", "keys")),
        *((name, True) for name in ("access-token", "tokens", "x_secret__icontains", "Credentials", "sshKeyPath")),
        *((name, False) for name in ("name", "keyboard", "hockey_team_size", "status", "", "monkeys")),
    ],
)
def test_a_name_is_covered_in_any_spelling(name: str, covered: bool):
    assert redact.Redactor(audit.Audit().redact_fields).covers(name) is covered
