"""Check a value against the part of JSON Schema that tools use to describe their arguments."""

from collections.abc import Mapping
from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (Mapping,),
    "array": (list, tuple),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_KEYWORDS = frozenset(
    "type properties required additionalProperties items enum anyOf minimum maximum minItems maxItems minLength"
    " maxLength description title default examples format".split()
)


def fault(value: Any, schema: Mapping[str, Any], where: str = "") -> str | None:
    """The first thing wrong with `value`, as a sentence that names the place, or None when it fits.

    Understands type, properties, required, additionalProperties (a boolean), items, enum, anyOf, minimum, maximum,
    minItems, maxItems, minLength and maxLength.
    """
    place = where or "the arguments"
    if options := schema.get("anyOf"):
        faults = [fault(value, option, where) for option in options]
        return None if None in faults else faults[-1]
    if wanted := schema.get("type"):
        names = [wanted] if isinstance(wanted, str) else list(wanted)
        if not any(_is(value, name) for name in names):
            return f"{place}: expected {' or '.join(names)}, got {_show(value)}."
    if "enum" in schema and value not in schema["enum"]:
        return f"{place}: {_show(value)} is not allowed. It can be: {', '.join(map(_show, schema['enum']))}."
    return _bounds(value, schema, place) or _items(value, schema, where) or _properties(value, schema, where)


def unsupported(schema: Mapping[str, Any]) -> list[str]:
    """The keywords of a schema that `fault` does not check, sorted; a tool must not use them."""
    found = {keyword for keyword in schema if keyword not in _KEYWORDS}
    for inner in schema.get("properties", {}).values():
        found |= set(unsupported(inner))
    for inner in (schema.get("items"), *schema.get("anyOf", ())):
        if inner:
            found |= set(unsupported(inner))
    return sorted(found)


def _is(value: Any, name: str) -> bool:
    if isinstance(value, bool):  # a bool is an int in Python, and neither integer nor number in JSON
        return name == "boolean"
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES[name])


def _bounds(value: Any, schema: Mapping[str, Any], place: str) -> str | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        size, least, most, unit = value, schema.get("minimum"), schema.get("maximum"), ""
    elif isinstance(value, str):
        size, least, most, unit = len(value), schema.get("minLength"), schema.get("maxLength"), " characters"
    elif isinstance(value, list | tuple):
        size, least, most, unit = len(value), schema.get("minItems"), schema.get("maxItems"), " items"
    else:
        return None
    if least is not None and size < least:
        return f"{place}: expected at least {least}{unit}, got {size}."
    if most is not None and size > most:
        return f"{place}: expected at most {most}{unit}, got {size}."
    return None


def _items(value: Any, schema: Mapping[str, Any], where: str) -> str | None:
    inner = schema.get("items")
    if not inner or not isinstance(value, list | tuple):
        return None
    return next((f for i, item in enumerate(value) if (f := fault(item, inner, f"{where}[{i}]"))), None)


def _properties(value: Any, schema: Mapping[str, Any], where: str) -> str | None:
    if not isinstance(value, Mapping):
        return None
    known = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            return f"{_join(where, name)}: missing. Needed: {', '.join(schema['required'])}."
    for name, item in value.items():
        if name in known:
            if wrong := fault(item, known[name], _join(where, name)):
                return wrong
        elif schema.get("additionalProperties") is False:
            return f"{_join(where, name)}: unknown. It has: {', '.join(known) or 'nothing'}."
    return None


def _join(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _show(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
