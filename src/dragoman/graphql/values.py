"""Values of a model's call: made fit for the schema's types, or refused with what was expected."""

from collections.abc import Mapping
from typing import Any

from graphql import (
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLScalarType,
    coerce_input_value,
    get_named_type,
)

from dragoman.graphql.naming import fold, listing
from dragoman.harness.tools import ToolError

_EXAMPLES = {
    "Date": "a date such as '2026-05-31'",
    "DateTime": "a moment such as '2026-05-31T09:30:00Z'",
    "Time": "a time such as '09:30:00'",
    "Int": "a whole number",
    "Float": "a number",
    "Decimal": "a number",
    "Boolean": "true or false",
    "ID": "an id",
}


def fit(value: Any, kind: GraphQLInputType, where: str, unit: str = "", choices: tuple[str, ...] = ()) -> Any:
    """The value as it can travel as a variable of this type.

    Numbers and truth values written as text are taken as such; a bare number for a measurement gets the field's base
    `unit`; a choice is matched whatever its case. Raises ToolError that names the place and what was expected.
    """
    fitted = _adapt(value, kind, unit)
    if choices:
        fitted = choose(fitted, choices, where)
    faults: list[str] = []
    try:
        coerce_input_value(fitted, kind, lambda path, bad, error: faults.append(error.message))
    except Exception:  # a scalar of the project that raises something of its own
        faults.append("")
    if faults:
        raise ToolError(f"{where}: expected {expected(kind)}, got {_show(value)}.", "bad_value")
    return fitted


def expected(kind: GraphQLInputType) -> str:
    """What a type expects, in words."""
    named = get_named_type(kind)
    text = _EXAMPLES.get(named.name) or ("a number with its unit such as '12 kg'" if _measures(named) else named.name)
    return f"a list, each {text}" if _is_list(kind) else text


def shown(kind: GraphQLInputType) -> str:
    """A type as a model is told it: measurements by their short name, exclamation marks kept."""
    text = str(kind)
    return text.replace("MeasurementScalar", "Measurement")


def _adapt(value: Any, kind: GraphQLInputType, unit: str) -> Any:
    if isinstance(kind, GraphQLNonNull):
        return _adapt(value, kind.of_type, unit)
    if isinstance(kind, GraphQLList):
        values = value if isinstance(value, list | tuple) else [value]
        return [_adapt(item, kind.of_type, unit) for item in values]
    if value is None or isinstance(kind, GraphQLInputObjectType):
        return value
    name = get_named_type(kind).name
    if name in ("Int", "Float", "Decimal") and isinstance(value, str):
        return _number(value)
    if name == "Int" and isinstance(value, float) and value.is_integer():
        return int(value)
    if name == "Boolean" and isinstance(value, str):
        return {"true": True, "yes": True, "false": False, "no": False}.get(value.casefold(), value)
    if name in ("String", "ID") and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if name in ("String", "ID") and isinstance(value, Mapping) and "id" in value:
        return str(value["id"])
    return _measurement(value, unit) if _measures(kind) else value


def _measurement(value: Any, unit: str) -> Any:
    if isinstance(value, Mapping) and "value" in value:
        return f"{value['value']} {value.get('unit') or unit}".strip()
    bare = isinstance(value, int | float) or (isinstance(value, str) and isinstance(_number(value), int | float))
    return f"{value} {unit}" if bare and unit and not isinstance(value, bool) else value


def amount(value: Any) -> tuple[Any, str]:
    """The number and the unit in a condition on a measurement: 12, "12 kg" or {"value": 12, "unit": "kg"}."""
    if isinstance(value, Mapping):
        return value.get("value"), str(value.get("unit") or "")
    if isinstance(value, str):
        number, _, unit = value.strip().partition(" ")
        return number, unit.strip()
    return value, ""


def _number(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text.strip())
        except ValueError:
            continue
    return text


def choose(value: Any, choices: tuple[str, ...], where: str) -> Any:
    """The choice that is meant, whatever its case. Raises ToolError that lists the choices."""
    if isinstance(value, list):
        return [choose(item, choices, where) for item in value]
    if not isinstance(value, str) or value in choices:
        return value
    if found := next((choice for choice in choices if fold(choice) == fold(value)), None):
        return found
    raise ToolError(f"{where}: {value!r} is not one of {listing(choices, 300)}.", "bad_value")


def _measures(kind: object) -> bool:
    return isinstance(kind, GraphQLScalarType) and kind.name.startswith("Measurement")


def _is_list(kind: GraphQLInputType) -> bool:
    return isinstance(kind.of_type if isinstance(kind, GraphQLNonNull) else kind, GraphQLList)


def _show(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
