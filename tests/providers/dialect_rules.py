"""What each service refuses in a tool's schema and in a history, as sentences; none where it accepts them."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

GEMINI_KEYS = {
    "type", "description", "enum", "format", "nullable", "items", "properties", "required", "anyOf", "minimum",
    "maximum", "minItems", "maxItems", "minLength", "maxLength", "pattern", "title", "default", "propertyOrdering",
}  # fmt: skip
GEMINI_TYPES = {"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT"}
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ID = re.compile(r"[a-zA-Z0-9_-]{1,40}")


def openai(schema: Mapping[str, Any]) -> Iterator[str]:
    if schema.get("type") != "object" or "properties" not in schema:
        yield "the top is no object with properties"
    yield from (f"{key} at the top" for key in ("anyOf", "oneOf", "allOf", "enum", "not") if key in schema)
    yield from _dangling(schema, schema.get("$defs", {}))


anthropic = openrouter = deepseek = openai


def google(schema: Any) -> Iterator[str]:
    # Its JSON takes the names of the fields as well, which its SDK sends in some places.
    schema = {re.sub("_([a-z])", lambda found: found[1].upper(), key): value for key, value in schema.items()}
    yield from (f"unknown key {key}" for key in schema if key not in GEMINI_KEYS)
    kind = schema.get("type")
    if "anyOf" in schema:
        if not schema["anyOf"]:
            yield "an empty anyOf"
        for one in schema["anyOf"]:
            yield from google(one)
        return
    if kind not in GEMINI_TYPES:
        yield f"type {kind!r}"
    if "enum" in schema and (kind != "STRING" or not all(isinstance(one, str) for one in schema["enum"])):
        yield "an enum that is not of texts"
    if (kind == "ARRAY") != ("items" in schema):
        yield "items that do not go with the type"
    if kind == "OBJECT" and not schema.get("properties"):
        yield "an object without properties"
    yield from (
        f"{name} required and not there" for name in schema.get("required", ()) if name not in schema["properties"]
    )
    for inner in [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]:
        yield from google(inner)


def ollama(schema: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"unknown key {key}" for key in schema if key not in ("type", "properties", "required"))
    for name, inner in schema["properties"].items():
        yield from (f"{name}: {key}" for key in inner if key not in ("type", "items", "description", "enum"))
    yield from _dangling(schema, {})


def grammar(schema: Any) -> Iterator[str]:
    """What turns a schema into a grammar knows few words."""
    known = {"type", "description", "enum", "anyOf", "items", "properties", "required", "additionalProperties"}
    known |= {"minimum", "maximum", "minItems", "maxItems"}
    yield from (f"unknown key {key}" for key in schema if key not in known)
    if isinstance(schema.get("type"), list):
        yield "several types"
    if schema.get("properties") == {}:
        yield "an object that may hold nothing"
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
    inner += [schema[key] for key in ("items", "additionalProperties") if isinstance(schema.get(key), dict)]
    for one in inner:
        yield from grammar(one)


def _dangling(schema: Any, definitions: Mapping[str, Any]) -> Iterator[str]:
    if isinstance(schema, Mapping):
        target = schema.get("$ref")
        if isinstance(target, str) and target.removeprefix("#/$defs/") not in definitions:
            yield f"a reference to {target}"
        for inner in schema.values():
            yield from _dangling(inner, definitions)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _dangling(inner, definitions)


# ---- histories -------------------------------------------------------------------------------------------------------


def anthropic_body(body: Mapping[str, Any]) -> Iterator[str]:
    turns = body["messages"]
    if turns[0]["role"] != "user":
        yield "the first turn is not the person's"
    yield from ("two turns of one side" for a, b in pairwise(turns) if a["role"] == b["role"])
    open_calls: set[str] = set()
    for turn in turns:
        answered = {block["tool_use_id"] for block in turn["content"] if block["type"] == "tool_result"}
        if answered != open_calls:
            yield "calls and results that do not belong together"
        kinds = [block["type"] for block in turn["content"]]
        if "tool_result" in kinds and kinds[: kinds.count("tool_result")] != ["tool_result"] * kinds.count(
            "tool_result"
        ):
            yield "a text before a result"
        yield from (
            "an empty text" for block in turn["content"] if block["type"] == "text" and not block["text"].strip()
        )
        calls = [block for block in turn["content"] if block["type"] == "tool_use"]
        open_calls = {block["id"] for block in calls}
        yield from (f"a name {call['name']}" for call in calls if not NAME.fullmatch(call["name"]))
        yield from (f"an id {call['id']}" for call in calls if not ID.fullmatch(call["id"]))
        if calls and not body.get("tools"):
            yield "calls without tools"
    marks = str(body).count("'cache_control'")
    if marks > 4:
        yield f"{marks} marks for the cache"


def openai_body(body: Mapping[str, Any]) -> Iterator[str]:
    open_calls: list[str] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_calls:
                yield "a result of no call"
            else:
                open_calls.remove(message["tool_call_id"])
            continue
        if open_calls:
            yield "a call without a result"
        open_calls = [call["id"] for call in message.get("tool_calls", ())]
        if not isinstance(message["content"], str | list):
            yield "content that is no text"
        for call in message.get("tool_calls", ()):
            if not NAME.fullmatch(call["function"]["name"]) or not isinstance(call["function"]["arguments"], str):
                yield "a call that cannot be read"


openrouter_body = deepseek_body = openai_body


def google_body(body: Mapping[str, Any]) -> Iterator[str]:
    turns = body["contents"]
    if turns[0]["role"] != "user":
        yield "the first turn is not the person's"
    yield from ("two turns of one side" for a, b in pairwise(turns) if a["role"] == b["role"])
    open_calls = 0
    for turn in turns:
        answers = [part for part in turn["parts"] if "functionResponse" in part]
        if len(answers) != open_calls:
            yield "as many results as calls"
        yield from (
            "a result that is no object" for one in answers if not isinstance(one["functionResponse"]["response"], dict)
        )
        open_calls = sum("functionCall" in part for part in turn["parts"])


def ollama_body(body: Mapping[str, Any]) -> Iterator[str]:
    yield from (
        "an argument that is no object"
        for m in body["messages"]
        for c in m.get("tool_calls", ())
        if not isinstance(c["function"]["arguments"], dict)
    )
    yield from ("a system message in the middle" for m in body["messages"][1:] if m["role"] == "system")
