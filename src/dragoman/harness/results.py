"""Turn a tool's value into JSON text under a budget: always valid, and saying what it withheld."""

import datetime as dt
import json
import math
from collections.abc import Mapping
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID


def to_json(value: Any) -> str:
    """Compact JSON that any line can carry.

    Dates in ISO 8601, decimals and ids as strings, a number that JSON does not have as null, half of a surrogate pair as
    a question mark.
    """
    try:
        text = _ENCODE(value)
    except ValueError:  # NaN or an infinity somewhere inside
        text = _ENCODE(_finite(value))
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def assemble(value: Any, budget: int) -> str:
    """JSON of `value` in at most `budget` characters (a budget under 200 is taken as 200).

    What does not fit is left out from the end of the longest lists, then from the longest texts; `withheld` says what.
    """
    budget = max(budget, 200)
    text = to_json(value)
    if len(text) <= budget:
        return text
    plain = json.loads(text)
    if not isinstance(plain, dict):
        plain = {"value": plain}
    notes: list[str] = []
    plain["withheld"] = notes
    for shorten in (_shorten_lists, _shorten_texts):
        shorten(plain, budget, notes)
        text = to_json(plain)
        if len(text) <= budget:
            return text
    return to_json({"withheld": [f"everything: {len(text):,} characters, {budget:,} allowed. Ask for less at once."]})


def _shorten_lists(plain: dict[str, Any], budget: int, notes: list[str]) -> None:
    lists = {k: v for k, v in plain.items() if isinstance(v, list) and k != "withheld" and len(v) > 1}
    for name, items in sorted(lists.items(), key=lambda pair: -len(to_json(pair[1]))):
        whole = len(items)
        room = budget - (len(to_json(plain)) - len(to_json(items))) - 120
        kept, used = 0, 2
        for item in items:
            used += len(to_json(item)) + 1
            if used > room:
                break
            kept += 1
        if kept < whole:
            plain[name] = items[:kept]
            notes.append(f"{whole - kept} of {whole} {name}")
        if len(to_json(plain)) <= budget:
            return


def _shorten_texts(plain: dict[str, Any], budget: int, notes: list[str]) -> None:
    over = len(to_json(plain)) - budget
    for place, owner, key in sorted(_texts(plain), key=lambda found: -len(found[1][found[2]])):
        text = owner[key]
        if over <= 0 or len(text) < 80:
            return
        kept = max(40, len(text) - over - 120)
        owner[key] = text[:kept]
        notes.append(f"{len(text) - kept} of {len(text)} characters of {place}")
        over = len(to_json(plain)) - budget


def _texts(value: Any, place: str = "") -> list[tuple[str, Any, Any]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found: list[tuple[str, Any, Any]] = []
    for key, inner in pairs:
        where = f"{place}.{key}" if place else str(key)
        found += [(where, value, key)] if isinstance(inner, str) and key != "withheld" else _texts(inner, where)
    return found


def _plain(value: Any) -> Any:
    match value:
        case dt.datetime() | dt.date() | dt.time():
            return value.isoformat()
        case Enum():
            return value.value
        case Decimal() | UUID():
            return str(value)
        case Mapping():
            return dict(value)
        case set() | frozenset() | tuple():
            return list(value)
        case _:
            return str(value)


def _finite(value: Any) -> Any:
    match value:
        case float():
            return value if math.isfinite(value) else None
        case Mapping():
            return {key: _finite(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_finite(inner) for inner in value]
        case _:
            return value


# Made once: json.dumps with options of its own makes an encoder per call, half the cost of a short frame.
_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain, allow_nan=False).encode
