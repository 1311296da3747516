"""Tables: groups and their measures as text, and the noun and filter every answer speaks of."""

from collections.abc import Mapping, Sequence
from typing import Any

from dragoman.providers.planner import wording
from dragoman.providers.planner.amounts import Comparison
from dragoman.providers.planner.sense import Sense
from dragoman.providers.planner.words import plural, say

LINES = 12
_MEASURES = {"avg": "average", "sum": "total", "min": "lowest", "max": "highest", "count": "number"}
_BOUNDS = {"gt": "more than", "gte": "at least", "lt": "less than", "lte": "at most", "exact": "exactly"}


def groups(sense: Sense, asked: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], data: Mapping[str, Any]) -> str:
    """Groups as text, the largest first as the query sorted them; empty where there is nothing to tell."""
    measures: list[str] = list((asked.get("aggregate") or {}).get("measures", ()))
    kept = [row for row in rows if sense.having is None or _passes(row.get(measures[0]), sense.having)]
    if rows and not kept and sense.having:
        per = " and ".join(_by(key) for key in sense.group_by)
        return f"I found no {per} with {_bound(sense.having)} {noun(sense.manager, 2)}{where(asked)}."
    if not kept or data.get("computed_over") == 0:
        return ""
    if not sense.group_by:
        return _one(asked, kept[0], measures, data, sense)
    keys = [name for name in kept[0] if name not in measures and ":" not in name and name != "count"]
    lines = [_line(row, keys, measures) for row in kept]
    total = data.get("total_count")
    whole = total if isinstance(total, int) and sense.having is None and not sense.limit else len(lines)
    cut = f" {whole:,} in all, first {min(LINES, len(lines))} shown." if whole > LINES else ""
    what = ", ".join(_measure(name) for name in measures)
    per = " and ".join(_by(key) for key in keys)
    bound = f" with {_bound(sense.having)}" if sense.having else ""
    head = f"{what[:1].upper()}{what[1:]} of {noun(sense.manager, 2)} per {per}{bound}{where(asked)}"
    return f"{head}:{cut}\n{wording.bullets(lines[:LINES])}"


def where(asked: Mapping[str, Any]) -> str:
    """The filter of a query as the end of a sentence; empty without one."""
    told = wording.filters(asked.get("filters") or {}, asked.get("exclude") or {})
    return f" where {told}" if told else ""


def noun(manager: str, count: int) -> str:
    """What rows of a type are called, so many of them."""
    name = say(manager)
    return name if count == 1 else plural(name)


def _one(
    asked: Mapping[str, Any], row: Mapping[str, Any], measures: Sequence[str], data: Mapping[str, Any], sense: Sense
) -> str:
    if all(_of(row, name) is None for name in measures):
        what = ", ".join(_measure(name) for name in measures)
        return f"I cannot tell the {what}: there are no values, or you have no access to them{where(asked)}."
    told = ", ".join(f"{_measure(name)} {wording.value(_of(row, name))}" for name in measures)
    over = data.get("computed_over")
    count = f" over {over:,} {noun(sense.manager, over)}" if isinstance(over, int) else ""
    return f"{told[:1].upper()}{told[1:]}{count}{where(asked)}."


def _line(row: Mapping[str, Any], keys: Sequence[str], measures: Sequence[str]) -> str:
    named = " / ".join(wording.value(row.get(key)) for key in keys)
    return f"{named}: {', '.join(wording.value(_of(row, name)) for name in measures)}"


def _bound(having: Comparison) -> str:
    return f"{_BOUNDS[having.sign]} {wording.number(having.amount.number)}"


def _by(key: str) -> str:
    steps = key.split("__")
    return (
        say(steps[-2]) if len(steps) > 1 and steps[-1] not in ("month", "year", "date") else " ".join(map(say, steps))
    )


def _of(row: Mapping[str, Any], measure: str) -> Any:
    if measure in row:
        return row[measure]
    return next((given for name, given in row.items() if name.startswith(measure)), None)


def _measure(name: str) -> str:
    function, _, field = name.partition(":")
    word, what = _MEASURES.get(function, function), say(field.split("__")[-1])
    return word if what == word else f"{word} {what}".strip()


def _passes(given: Any, bound: Comparison) -> bool:
    amount = given.get("value") if isinstance(given, Mapping) else given
    if not isinstance(amount, int | float):
        return False
    limit = bound.amount.number
    return {
        "gt": amount > limit, "gte": amount >= limit, "lt": amount < limit, "lte": amount <= limit, "exact": amount == limit,
    }[bound.sign]  # fmt: skip
