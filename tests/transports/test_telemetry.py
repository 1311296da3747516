"""Turns, calls to a model and tools are spans; what was said is in none of them unless somebody asks for it."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from django.test import AsyncClient
from opentelemetry import trace
from opentelemetry.trace import NonRecordingSpan, SpanContext, StatusCode, TraceFlags
from pytest_django import Settings

from dragoman.django import assistants, telemetry
from dragoman.harness.messages import new_id
from tests.transports import world
from tests.transports.clients import EVENTS, plain_post, post, socket, sse, text_of, websocket


class Recorded(NonRecordingSpan):
    """A span that remembers."""

    def __init__(self, name: str, parent: str, attributes: dict[str, Any]) -> None:
        number = int(new_id()[:16], 16) or 1
        super().__init__(SpanContext(number, number, False, TraceFlags(1)))
        self.name, self.parent, self.attributes, self.ended, self.failed = name, parent, dict(attributes), 0, False

    def set_attribute(self, key: str, value: Any) -> None:
        self.attributes[key] = value

    def set_attributes(self, attributes: Any) -> None:
        self.attributes.update(attributes)

    def set_status(self, status: Any, description: str | None = None) -> None:
        self.failed = status.status_code is StatusCode.ERROR
        assert status.description is None

    def record_exception(self, *arguments: Any, **more: Any) -> None:
        raise AssertionError("An exception's words may be anybody's.")

    def end(self, end_time: int | None = None) -> None:
        self.ended += 1


@dataclass
class Tracer:
    """What there is of a tracer without an SDK."""

    spans: list[Recorded] = field(default_factory=list)

    def start_span(self, name: str, context: Any, kind: Any, attributes: dict[str, Any]) -> Recorded:
        parent = trace.get_current_span(context) if context is not None else None
        self.spans.append(Recorded(name, getattr(parent, "name", ""), attributes))
        return self.spans[-1]

    def names(self) -> list[tuple[str, str]]:
        return [(span.name, span.parent) for span in self.spans]


@pytest.fixture
def tracer(chat: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Tracer:
    found = Tracer()
    monkeypatch.setattr(trace, "get_tracer", lambda name: found)
    return found


LOOKED = [
    ("invoke_agent default", ""),
    ("chat script", "invoke_agent default"),
    ("execute_tool look_up", "invoke_agent default"),
    ("chat script", "invoke_agent default"),
]


async def test_a_turn_is_a_span_with_its_calls_and_tools_inside_over_every_door(client: AsyncClient, tracer: Tracer):
    for ask in (plain_post, sse, websocket):
        tracer.spans.clear()
        frames = await ask(client, "look")
        assert tracer.names() == LOOKED
        assert [span.ended for span in tracer.spans] == [1] * 4
    turn, first, tool, last = (span.attributes for span in tracer.spans)
    assert turn["gen_ai.operation.name"] == "invoke_agent"
    assert turn["gen_ai.conversation.id"] == frames[0]["conversation_id"]
    assert (turn["gen_ai.usage.input_tokens"], turn["gen_ai.response.finish_reasons"]) == (60, ["stop"])
    assert (first["gen_ai.provider.name"], first["gen_ai.request.model"]) == ("actor", "script")
    assert (first["gen_ai.usage.input_tokens"], first["gen_ai.usage.output_tokens"]) == (20, 5)
    assert first["gen_ai.response.time_to_first_chunk"] >= 0
    assert last["gen_ai.usage.cache_read.input_tokens"] == 20
    assert (tool["gen_ai.operation.name"], tool["gen_ai.tool.name"]) == ("execute_tool", "look_up")


async def test_what_goes_on_after_a_decision_is_a_turn_of_its_own(client: AsyncClient, tracer: Tracer):
    async with socket(client) as line:
        await line.say(type="message", text="rename")
        asked = (await line.hear_until("confirm_mutation"))[-1]
    tracer.spans.clear()
    await post(client, "/chat/confirm/", {"confirmation_id": asked["id"], "confirmed": True}, EVENTS)
    assert [name for name, _ in tracer.names()] == ["invoke_agent default", "execute_tool rename", "chat script"]
    assert tracer.spans[0].attributes["gen_ai.conversation.id"] == asked["conversation_id"]


@pytest.mark.parametrize(("script", "code"), [("fail", "provider_error"), ("break", "RuntimeError")])
async def test_a_failure_is_told_by_its_kind_and_never_in_its_words(
    client: AsyncClient, tracer: Tracer, script: str, code: str
):
    await sse(client, script)
    turn, call = tracer.spans
    assert (turn.failed, turn.attributes["error.type"]) == (True, "provider_error")
    assert (call.failed, call.attributes["error.type"]) == (True, code)
    assert "hunter2" not in str(turn.attributes) + str(call.attributes)


async def test_a_tools_failure_is_told(client: AsyncClient, tracer: Tracer):
    await sse(client, "look twice")
    tools = [span for span in tracer.spans if span.name.startswith("execute_tool")]
    assert [(span.failed, span.attributes.get("error.type")) for span in tools] == [(False, None), (True, "not_found")]


async def test_what_was_said_is_in_no_span_unless_it_is_asked_for(
    client: AsyncClient, chat: dict[str, Any], settings: Settings, tracer: Tracer
):
    await sse(client, "look")
    told = str([span.attributes for span in tracer.spans])
    for said in ("Apollo", "active", "You know projects", "'look'"):
        assert said not in told
    settings.DRAGOMAN = {
        "default": {**chat, "telemetry_content": True, "audit": {"redact_fields": ["status"]}},
    }
    tracer.spans.clear()
    await sse(client, "look")
    told = str([span.attributes for span in tracer.spans])
    for said in ("Apollo", "You know projects", "Looking. "):
        assert said in told
    tool = tracer.spans[2].attributes
    assert tool["gen_ai.tool.call.arguments"] == '{"name": "Apollo"}'
    assert tool["gen_ai.tool.call.result"] == '{"name": "Apollo", "status": "[redacted]"}'


async def test_a_client_that_leaves_ends_every_span(client: AsyncClient, tracer: Tracer):
    async with socket(client) as line:
        await line.say(type="message", text="silent")
        await world.until("silent.reached")
    assert [span.ended for span in tracer.spans] == [1, 1]


async def test_without_the_api_the_assistant_answers_as_it_is(
    client: AsyncClient, tracer: Tracer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(telemetry, "available", False)
    assistants._desk.cache_clear()
    assert text_of(await sse(client, "look")) == "Looking. Apollo is active."
    assert type(assistants.assistant()) is assistants.Assistant
    assert tracer.spans == []
    assistants._desk.cache_clear()
