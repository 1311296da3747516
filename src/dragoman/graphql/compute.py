"""What a schema cannot do itself, done on rows that were read: conditions, order, and numbers with their units."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

LOOKUPS = (
    "exact", "iexact", "in", "contains", "icontains", "startswith", "istartswith", "endswith", "iendswith",
    "gt", "gte", "lt", "lte", "isnull",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition on a field of a row."""

    field: str
    lookup: str
    value: Any


def matches(value: Any, lookup: str, wanted: Any) -> bool:
    """Whether a value of a row meets a condition. Null meets none but `isnull`; of a measurement the number counts."""
    if lookup == "isnull":
        return (value is None) is bool(wanted)
    if isinstance(wanted, frozenset):  # ids, and "out" for none of them
        return value is not None and (str(value) in wanted) is (lookup == "in")
    if lookup == "in":
        return any(matches(value, "exact", item) for item in (wanted if isinstance(wanted, list) else [wanted]))
    if value is None or wanted is None:
        return False
    if lookup in ("exact", "gt", "gte", "lt", "lte"):
        return _compared(value, lookup, wanted)
    text, part = str(value), str(wanted)
    if lookup.startswith("i"):
        text, part = text.casefold(), part.casefold()
    return _TEXT[lookup.removeprefix("i")](text, part)


def number(value: Any) -> Decimal | None:
    """The number in a value: itself, a text of digits, or the value of a measurement; None when there is none."""
    if isinstance(value, Mapping):
        value = value.get("value")
    if isinstance(value, bool) or value is None:
        return None
    try:
        found = Decimal(str(value))
    except InvalidOperation:
        return None
    return found if found.is_finite() else None


def unit(value: Any) -> str:
    """The unit of a measurement, empty for anything else."""
    return str(value.get("unit") or "") if isinstance(value, Mapping) else ""


def plain(value: Decimal) -> int | float:
    """A number as JSON has it, without the noise of binary fractions."""
    rounded = round(value, 6)
    return int(rounded) if rounded == rounded.to_integral_value() else float(rounded)


def in_order(rows: Sequence[Any], keys: Sequence[tuple[Callable[[Any], Any], bool]]) -> list[Any]:
    """Rows sorted by several keys, each with whether it is descending; null comes last either way."""
    ordered = list(rows)
    for key, down in reversed(keys):
        known = [row for row in ordered if key(row) is not None]
        missing = [row for row in ordered if key(row) is None]
        ordered = sorted(known, key=lambda row: rank(key(row)), reverse=down) + missing
    return ordered


def rank(value: Any) -> tuple[int, Any]:
    """A key by which values of one column can be sorted, whatever is in it."""
    if isinstance(value, bool):
        return 0, int(value)
    if isinstance(value, int | float | Decimal | Mapping):
        found = number(value)
        return (0, found) if found is not None else (1, str(value))
    return 1, str(value).casefold()


def _compared(value: Any, lookup: str, wanted: Any) -> bool:
    if isinstance(value, bool) or isinstance(wanted, bool):
        return lookup == "exact" and value is wanted
    left, right = number(value), number(wanted)
    if left is None or right is None:
        if lookup == "exact":
            return str(value) == str(wanted)
        left, right = str(value), str(wanted)  # type: ignore[assignment]
    return _ORDERED[lookup](left, right)


_ORDERED: dict[str, Callable[[Any, Any], bool]] = {
    "exact": lambda a, b: a == b,
    "gt": lambda a, b: a > b,
    "gte": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "lte": lambda a, b: a <= b,
}
_TEXT: dict[str, Callable[[str, str], bool]] = {
    "exact": lambda text, part: text == part,
    "contains": lambda text, part: part in text,
    "startswith": lambda text, part: text.startswith(part),
    "endswith": lambda text, part: text.endswith(part),
}
