"""Bring a tool's JSON Schema into the subset a dialect accepts: what cannot be said is left out, never refused."""

import json
from collections.abc import Mapping
from typing import Any

_DEEPEST = 8  # levels of a schema that refers to itself

_GEMINI_KEPT = ("description", "minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength", "pattern")
_GEMINI_FORMATS = {"date-time": "STRING", "enum": "STRING", "int32": "INTEGER", "int64": "INTEGER", "float": "NUMBER"}
_PLAIN_KEPT = ("description", "minimum", "maximum", "minItems", "maxItems")


def openai(schema: Mapping[str, Any]) -> dict[str, Any]:
    """An object at the top without a choice there; all else may stay as it is, references inside included."""
    return _rooted(schema)


def anthropic(schema: Mapping[str, Any]) -> dict[str, Any]:
    """As for OpenAI: JSON Schema 2020-12 with a plain object at the top."""
    return _rooted(schema)


def gemini(schema: Mapping[str, Any]) -> dict[str, Any]:
    """OpenAPI's Schema: no references, no `additionalProperties`, one type each, enums of texts.

    An object of free keys is refused there, so it becomes a text that holds one: `unpacked` is the way back.
    """
    whole = _rooted(resolved(schema))
    return _gemini(whole) if whole["properties"] else {"type": "OBJECT"}


def unpacked(value: Any, schema: Any) -> Any:
    """Arguments in which a text stands for an object of free keys, as `gemini` asked for, with the objects themselves."""
    one = _one_choice(schema) if isinstance(schema, Mapping) else {}
    if isinstance(value, str) and _is_free_object(one):
        try:
            found = json.loads(value)
        except json.JSONDecodeError:
            return value
        return found if isinstance(found, dict) else value
    if isinstance(value, Mapping):
        return {key: unpacked(inner, one.get("properties", {}).get(key)) for key, inner in value.items()}
    if isinstance(value, list):
        return [unpacked(item, one.get("items")) for item in value]
    return value


def ollama(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Type, items, description and enum of each property: all that its SDK passes on."""
    whole = _rooted(resolved(schema))
    properties = {
        name: {key: one[key] for key in ("type", "items", "description", "enum") if key in one}
        for name, one in ((name, _one_choice(inner)) for name, inner in whole.get("properties", {}).items())
    }
    return {"type": "object", "properties": properties, "required": list(whole.get("required", ()))}


def plain(schema: Mapping[str, Any]) -> dict[str, Any]:
    """What grammars that constrain a small model understand: no references, patterns, formats or defaults."""
    return dict(_plain(_rooted(resolved(schema))))


def example(schema: Mapping[str, Any]) -> Any:
    """A value that fits the schema, only with what it requires; its own examples and enums where it has some."""
    return _example(_rooted(resolved(schema)), "value", top=True)


def resolved(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with its references replaced by what they name; where it names itself without end, by anything."""
    definitions = {
        f"#/{key}/{name}": inner for key in ("$defs", "definitions") for name, inner in schema.get(key, {}).items()
    }
    return dict(_resolved({k: v for k, v in schema.items() if k not in ("$defs", "definitions")}, definitions, 0))


def _resolved(value: Any, definitions: Mapping[str, Any], depth: int) -> Any:
    if isinstance(value, list):
        return [_resolved(item, definitions, depth) for item in value]
    if not isinstance(value, Mapping):
        return value
    if isinstance(target := value.get("$ref"), str):
        beside = {key: inner for key, inner in value.items() if key != "$ref"}
        if depth >= _DEEPEST or target not in definitions:
            return _resolved(beside, definitions, depth)
        return _resolved({**definitions[target], **beside}, definitions, depth + 1)
    return {key: _resolved(inner, definitions, depth) for key, inner in value.items()}


def _rooted(schema: Mapping[str, Any]) -> dict[str, Any]:
    """An object at the top: a choice there is joined into one object that requires nothing all branches do not."""
    whole = {
        key: value for key, value in schema.items() if key not in ("anyOf", "oneOf", "allOf", "not", "enum", "$ref")
    }
    properties = dict(schema.get("properties", {}))
    for key in ("allOf", "anyOf", "oneOf"):
        for branch in schema.get(key, ()):
            properties.update(branch.get("properties", {}))
    return {**whole, "type": "object", "properties": properties}


def _one_choice(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Without anyOf, oneOf and allOf: the first choice that is not null, with what stands beside it."""
    beside = {key: value for key, value in schema.items() if key not in ("anyOf", "oneOf", "allOf")}
    for key in ("anyOf", "oneOf", "allOf"):
        for branch in schema.get(key, ()):
            if isinstance(branch, Mapping) and branch.get("type") != "null":
                return {**_one_choice(branch), **beside}
    return beside


def _types(schema: Mapping[str, Any]) -> tuple[list[str], bool]:
    """The types a value may have, and whether it may be null."""
    given = schema.get("type", [])
    listed = [given] if isinstance(given, str) else list(given)
    return [one for one in listed if one != "null"], "null" in listed


def _gemini(schema: Mapping[str, Any]) -> dict[str, Any]:
    choices = [one for key in ("anyOf", "oneOf") for one in schema.get(key, ()) if isinstance(one, Mapping)]
    real = [one for one in choices if one.get("type") != "null"]
    if len(real) == 1:
        return {**_gemini({**real[0], **_beside(schema)}), **({"nullable": True} if len(choices) > 1 else {})}
    if real:
        return {**_described(schema), "anyOf": _each_once([_gemini(one) for one in real])}
    if schema.get("allOf"):
        return _gemini(_one_choice(schema))
    types, nullable = _types(schema)
    if len(types) > 1:
        several = [_gemini({**schema, "type": one}) for one in types]
        return {**_described(schema), "anyOf": several, **({"nullable": True} if nullable else {})}
    enum = [schema["const"]] if "const" in schema else schema.get("enum")
    kind = types[0] if types else _guessed(schema)
    if kind == "object" and not schema.get("properties"):
        told = str(schema.get("description", "")).rstrip(". ")
        told = f"{told}. A JSON object, written as text." if told else "A JSON object, written as text."
        return {"type": "STRING", "description": told, **({"nullable": True} if nullable else {})}
    reduced: dict[str, Any] = {"type": kind.upper()}
    reduced |= {key: schema[key] for key in _GEMINI_KEPT if key in schema}
    if enum and kind == "string":
        reduced["enum"] = [str(one) for one in enum if one is not None]
    if _GEMINI_FORMATS.get(str(schema.get("format"))) == reduced["type"]:
        reduced["format"] = schema["format"]
    if kind == "array":
        items = schema.get("items")
        reduced["items"] = _gemini(items) if isinstance(items, Mapping) and items else {"type": "STRING"}
    if kind == "object" and schema.get("properties"):
        reduced["properties"] = {name: _gemini(inner) for name, inner in schema["properties"].items()}
        if required := [name for name in schema.get("required", ()) if name in reduced["properties"]]:
            reduced["required"] = required
    return {**reduced, **({"nullable": True} if nullable else {})}


def _each_once(schemas: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for i, one in enumerate(schemas) if one not in schemas[:i]]


def _beside(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key not in ("anyOf", "oneOf", "allOf")}


def _described(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"description": schema["description"]} if "description" in schema else {}


def _is_free_object(schema: Mapping[str, Any]) -> bool:
    types, _ = _types(schema)
    return types == ["object"] and not schema.get("properties")


def _guessed(schema: Mapping[str, Any]) -> str:
    if schema.get("properties") or "additionalProperties" in schema:
        return "object"
    return "array" if "items" in schema else "string"


def _plain(schema: Any) -> Any:
    if not isinstance(schema, Mapping):
        return {}
    if "const" in schema:
        return {"enum": [schema["const"]]}
    if schema.get("enum"):
        return {**_described(schema), "enum": list(schema["enum"])}
    choices = [_plain(one) for key in ("anyOf", "oneOf") for one in schema.get(key, ())]
    if choices:
        return {**_described(schema), "anyOf": choices}
    if schema.get("allOf"):
        return _plain(_one_choice(schema))
    types, nullable = _types(schema)
    if len(types) + nullable > 1:
        return {"anyOf": [_plain({**schema, "type": one}) for one in [*types, *(["null"] if nullable else [])]]}
    reduced = {key: schema[key] for key in _PLAIN_KEPT if key in schema}
    if types or nullable:
        reduced["type"] = types[0] if types else "null"
    if "items" in schema and reduced.get("type") == "array":
        reduced["items"] = _plain(schema["items"])
    if reduced.get("type") == "object":
        reduced |= {key: schema[key] for key in ("required", "additionalProperties") if key in schema}
        # An empty list of properties would mean an object that can hold nothing.
        if schema.get("properties"):
            reduced["properties"] = {name: _plain(inner) for name, inner in schema["properties"].items()}
        if isinstance(reduced.get("additionalProperties"), Mapping):
            reduced["additionalProperties"] = _plain(reduced["additionalProperties"])
    return reduced


def _example(schema: Any, name: str, *, top: bool = False) -> Any:
    one = _one_choice(schema) if isinstance(schema, Mapping) else {}
    if one.get("examples"):
        return one["examples"][0]
    if "const" in one or one.get("enum"):
        return one["const"] if "const" in one else one["enum"][0]
    if "default" in one and one["default"] is not None:
        return one["default"]
    types, _ = _types(one)
    match types[0] if types else ("object" if one.get("properties") else "string"):
        case "object":
            required = one.get("required", ())
            inner = {key: value for key, value in one.get("properties", {}).items() if key in required}
            if top and not inner:  # an empty call teaches nothing
                inner = dict(list(one.get("properties", {}).items())[:1])
            return {key: _example(value, key) for key, value in inner.items()}
        case "array":
            return [_example(one.get("items", {}), name)] if one.get("minItems") else []
        case "integer" | "number":
            return one.get("minimum", 1)
        case "boolean":
            return True
        case _:
            return name.replace("_", " ")
