"""Wording: values, rows and filters as people read them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dragoman.providers.planner.amounts import short
from dragoman.providers.planner.sense import phrase
from dragoman.providers.planner.words import join, say

_IRREGULAR = {
    "set": "set", "put": "put", "send": "sent", "make": "made", "take": "took", "pay": "paid", "run": "ran",
    "give": "gave", "hold": "held", "build": "built", "sell": "sold",
    "buy": "bought", "begin": "began", "write": "wrote", "withdraw": "withdrew",
}  # fmt: skip


def value(given: Any) -> str:
    """A value in words: 12.5 kg, 1,200 EUR, yes, 2026-03-01, none; a row by its name."""
    match given:
        case None:
            return "none"
        case bool():
            return "yes" if given else "no"
        case int() | float():
            return number(given)
        case Mapping() if "value" in given and "unit" in given:
            return (
                f"{number(given['value'])} {short(str(given['unit'] or ''))}".strip()
                if given["value"] is not None
                else "none"
            )
        case Mapping():
            return label(given)
        case list():
            more = f" and {len(given) - 20} more" if len(given) > 20 else ""
            return join([value(item) for item in given[:20]], "," if more else "and").replace(" ,", ",") + more
        case str():
            return given.replace("_", " ") if re.fullmatch(r"[a-z]+(_[a-z]+)+", given) else given
        case _:
            return str(given)


def number(given: Any) -> str:
    """A number with thousands set apart and at most two decimals (four for small ones)."""
    try:
        amount = float(given)
    except (TypeError, ValueError):
        return str(given)
    if amount.is_integer():
        return f"{int(amount):,}"
    digits = 2 if abs(amount) >= 10 else 4
    return f"{amount:,.{digits}f}".rstrip("0").rstrip(".")


def label(row: Mapping[str, Any], naming: Sequence[str] = ()) -> str:
    """What names a row: the naming fields, else its first text, else the rows it belongs to, else its values."""
    texts = [row[name] for name in naming if isinstance(row.get(name), str) and row[name]]
    if not texts:
        named = [value(row[name]) for name in naming if row.get(name) not in (None, "", [])]
        if named:
            return " / ".join(named)
        texts = [t for n, t in row.items() if isinstance(t, str) and t and n != "id" and not n.endswith(("Id", "_id"))]
    if texts:
        return value(next((text for text in texts if not _is_code(text)), texts[0]))
    nested = [label(given) for given in row.values() if isinstance(given, Mapping) and "unit" not in given]
    if nested:
        return " / ".join(nested)
    simple = [
        value(given)
        for name, given in row.items()
        if name != "id" and given is not None and not isinstance(given, list)
    ]
    return ", ".join(simple[:3]) or f"no. {row.get('id', '?')}"


def _is_code(text: str) -> bool:
    """Whether a text is a short sign for something rather than its name: a few capitals."""
    return text.isalpha() and text.isupper() and len(text) <= 5


def line(row: Mapping[str, Any], shown: Sequence[str], naming: Sequence[str] = ()) -> str:
    """A row on one line: its name, and the wanted values with what they are."""
    named = label(row, naming)
    values = [(name, dig(row, name)) for name in shown]
    told = [f"{say(name.split('__')[-1])} {value(given)}" for name, given in values if value(given) != named]
    return f"{named}: {', '.join(told)}" if told else named


def rest(row: Mapping[str, Any], naming: Sequence[str]) -> list[str]:
    """The plain values of a row that do not name it, for rows without a name of their own."""
    return [
        name
        for name, given in row.items()
        if name not in (*naming, "id")
        and given not in (None, "")
        and not isinstance(given, list)
        and not name.endswith("Id")
    ]


def dig(row: Mapping[str, Any], path: str) -> Any:
    """The value at `relation__field`; over a list the values of all its rows."""
    if path in row:
        return row[path]
    here: Any = row
    for name in path.split("__"):
        if isinstance(here, list):
            found = [item.get(name) for item in here if isinstance(item, Mapping)]
            here = [inner for item in found for inner in (item if isinstance(item, list) else [item])]
        elif isinstance(here, Mapping):
            here = here.get(name)
        else:
            return None
    return here


def past(verb: str) -> str:
    """The past of a verb: close, closed; stop, stopped; label, labelled."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("e"):
        return f"{verb}d"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ied"
    doubled = re.fullmatch(r"[^aeiou]*[aeiou][^aeiouwxy]|.*[aeiou]l|.*(?:mit|fer|cur)", verb)
    return f"{verb}{verb[-1] if doubled else ''}ed"


def bullets(lines: Iterable[str]) -> str:
    """Lines as a plain list."""
    return "\n".join(f"- {text}" for text in lines)


def filters(wanted: Mapping[str, Any], unwanted: Mapping[str, Any]) -> str:
    """Filters in words: "status is open and not town name is Bree"; empty without any."""
    told = [phrase(key, given, _shown(given)) for key, given in wanted.items()]
    told += [
        phrase(key, True, "") if key.endswith("__isnull") else f"not ({phrase(key, given, _shown(given))})"
        for key, given in unwanted.items()
    ]
    return " and ".join(told)


def _shown(given: Any) -> str:
    if isinstance(given, list):
        return join([value(item) for item in given], "or") if len(given) <= 5 else f"{len(given)} values"
    return value(given).replace("**3", "³").replace("**2", "²")
