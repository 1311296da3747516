"""What a service is sent: schemas in its subset, a history in its order, marks where it caches."""

import json
from typing import Any

import pytest

from dragoman.harness.messages import Message, ToolCall, ToolResult
from dragoman.harness.tools import ToolDefinition
from dragoman.providers import schemas
from dragoman.providers.emulation import form
from tests.providers import dialect_rules
from tests.providers.world import DIALECTS, desk

ANY = {"type": "object"}
NASTY: dict[str, dict[str, Any]] = {
    "nothing": {"type": "object", "properties": {}},
    "bare": {},
    "free": {
        "type": "object",
        "properties": {"filters": ANY, "input": {"type": "object", "additionalProperties": True}},
    },
    "choices": {
        "type": "object",
        "properties": {
            "fields": {"type": "array", "items": {"anyOf": [{"type": "string"}, ANY]}},
            "limit": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}], "default": None},
            "many": {"type": ["string", "integer", "null"]},
            "whole": {"allOf": [{"type": "string"}], "description": "All of it."},
        },
        "required": ["fields"],
    },
    "references": {
        "type": "object",
        "$defs": {
            "Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "name": {"type": "string"}}},
        },
        "properties": {"first": {"$ref": "#/$defs/Node"}, "all": {"type": "array", "items": {"$ref": "#/$defs/Node"}}},
        "additionalProperties": False,
    },
    "enums": {
        "type": "object",
        "properties": {
            "kind": {"const": "a"},
            "size": {"enum": [1, 2, 3], "type": "integer"},
            "part": {"type": "string", "enum": ["x", "y"]},
            "when": {"type": "string", "format": "date-time"},
            "mail": {"type": "string", "format": "email", "pattern": "^.+$"},
            "rest": {"type": "array"},
            "map": {"type": "object", "additionalProperties": {"type": "integer"}, "patternProperties": {"^x": {}}},
        },
        "required": ["kind", "gone"],
    },
    "top choice": {"oneOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, ANY], "title": "T"},
}
MADE_BY = {
    "anthropic": schemas.anthropic,
    "openai": schemas.openai,
    "openrouter": schemas.openai,
    "deepseek": schemas.openai,
    "google": schemas.gemini,
    "ollama": schemas.ollama,
}


@pytest.mark.parametrize("schema", NASTY.values(), ids=NASTY)
@pytest.mark.parametrize("name", DIALECTS)
def test_a_schema_comes_out_in_the_subset_of_its_dialect(name: str, schema: dict[str, Any]):
    reduced = MADE_BY[name](schema)
    faults = list(getattr(dialect_rules, name)(reduced))
    if name == "google" and not reduced.get("properties"):
        faults = [fault for fault in faults if fault != "an object without properties"]  # and is then left out whole
    assert faults == []
    json.dumps(reduced)


@pytest.mark.parametrize("schema", NASTY.values(), ids=NASTY)
def test_a_form_for_a_small_model_can_be_made_a_grammar(schema: dict[str, Any]):
    assert list(dialect_rules.grammar(form([ToolDefinition("look", "Look.", schema)]))) == []


@pytest.mark.parametrize("name", DIALECTS)
async def test_schemas_that_reach_the_service_are_in_its_subset(name: str):
    tools = [ToolDefinition(kind.replace(" ", "_"), "Do it.", schema) for kind, schema in NASTY.items()]
    async with desk(name) as one:
        one.play("text")
        [_ async for _ in one.provider.complete([Message("user", "Hello?")], tools)]
        sent = _declared(name, one.server.seen[0].body)
        assert len(sent) == len(NASTY)
        faults = [fault for schema in sent if schema for fault in getattr(dialect_rules, name)(schema)]
        assert faults == []


def _declared(name: str, body: dict[str, Any]) -> list[Any]:
    if name == "anthropic":
        return [tool["input_schema"] for tool in body["tools"]]
    if name == "google":
        return [tool.get("parameters") for tool in body["tools"][0]["functionDeclarations"]]
    return [tool["function"]["parameters"] for tool in body["tools"]]


def test_an_object_that_was_asked_for_as_text_is_an_object_again():
    schema = NASTY["free"]
    assert schemas.gemini(schema)["properties"]["filters"]["type"] == "STRING"
    given = {"filters": '{"name": "Argo"}', "input": {"a": 1}}
    assert schemas.unpacked(given, schema) == {"filters": {"name": "Argo"}, "input": {"a": 1}}
    assert schemas.unpacked({"filters": "not json"}, schema) == {"filters": "not json"}


# ---- histories -------------------------------------------------------------------------------------------------------


def result(call: ToolCall, content: str = '{"ok": true}', failed: bool = False) -> Message:
    return Message("tool", result=ToolResult(call.id, call.name, content, failed=failed))


def long_history() -> list[Message]:
    """All that may stand in one: two rounds, a made-up name, a malformed call, nothing said, a note at the end."""
    one, two = ToolCall("a" * 32, "look", {"ship": "Argo"}), ToolCall("b" * 32, "functions.look: now!", {})
    bad = ToolCall("c" * 32, "look", malformed="The arguments of look are no valid JSON.")
    return [
        Message("system", "You look after ships."),
        Message("assistant", "Left over from a history that was cut."),
        Message("user", "Summary so far.", id="summary"),
        Message("user", "Where is the Argo?"),
        Message("assistant", "", (one, two)),
        result(one),
        result(two, '{"error": "Unknown tool.", "$ref": "#/x"}', failed=True),
        Message("assistant", "", (bad,)),
        result(bad, '{"error": "no JSON"}', failed=True),
        Message("assistant", " "),
        Message("user", "And now?"),
        Message("system", "No further tool call is possible."),
    ]


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("with_tools", [True, False])
async def test_a_history_is_sent_in_the_order_the_dialect_wants(name: str, with_tools: bool):
    tools = [ToolDefinition("look", "Look.", NASTY["enums"])] if with_tools else []
    async with desk(name) as one:
        one.play("text")
        [_ async for _ in one.provider.complete(long_history(), tools)]
        body = one.server.seen[0].body
        assert list(getattr(dialect_rules, f"{name}_body")(body)) == []
        for said in ("You look after ships.", "Summary so far.", "And now?", "No further tool call is possible."):
            assert one.sent().count(said) == 1


@pytest.mark.parametrize("name", DIALECTS)
async def test_what_comes_first_in_a_request_is_the_same_in_the_next_round(name: str):
    async with desk(name) as one:
        one.play("one")
        one.play("text")
        await one.ask()
        first, second = (
            json.loads(one.sent(i).replace(', "cache_control": {"type": "ephemeral"}', "")) for i in (0, 1)
        )
        turns = "contents" if name == "google" else "messages"
        assert second[turns][: len(first[turns])] == first[turns]
        assert {k: v for k, v in first.items() if k != turns} == {k: v for k, v in second.items() if k != turns}


async def test_anthropic_is_told_where_to_cache():
    async with desk("anthropic") as one:
        one.play("text")
        await one.ask()
        body = one.server.seen[0].body
        for place in (body["system"][-1], body["tools"][-1], body["messages"][-1]["content"][-1]):
            assert place["cache_control"] == {"type": "ephemeral"}


async def test_openrouter_is_told_where_to_cache_for_the_models_that_want_it():
    for model, marked in (("anthropic/claude-opus-5", True), ("openai/gpt-5.5", False)):
        async with desk("openrouter", model=model) as one:
            one.play("text")
            await one.ask()
            assert ("cache_control" in one.sent()) is marked


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("anthropic", ("temperature",)),
        ("openai", ("temperature",)),
        ("openrouter", ("temperature",)),
        ("deepseek", ("temperature",)),
        ("google", ("generationConfig", "temperature")),
        ("ollama", ("options", "temperature")),
    ],
)
async def test_options_reach_the_request(name: str, place: tuple[str, ...]):
    async with desk(name, options={"temperature": 0.25}, max_tokens=77) as one:
        one.play("text")
        await one.ask()
        value: Any = one.server.seen[0].body
        for key in place:
            value = value[key]
        assert value == 0.25
        assert one.sent().count("77") == 1


@pytest.mark.parametrize("name", DIALECTS)
async def test_a_summary_is_one_request_without_tools(name: str):
    async with desk(name) as one:
        one.play("text")
        asked = [Message("system", "Summarise."), Message("user", "A long story.")]
        pieces = [piece async for piece in one.provider.complete(asked, ())]
        assert "".join(getattr(piece, "content", "") for piece in pieces) == "Hello there."
        assert not one.server.seen[0].body.get("tools")
