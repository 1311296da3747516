"""Answer: the rows of a query as a short text that names them and says which filter they passed."""

from collections.abc import Mapping, Sequence
from typing import Any

from dragoman.providers.planner import wording
from dragoman.providers.planner.sense import Sense
from dragoman.providers.planner.tables import groups, noun, where
from dragoman.providers.planner.words import join, say, split

LINES = 10
NO_VALUE = "no value there, or you have no access to it"

Row = Mapping[str, Any]


def answer(sense: Sense, asked: Mapping[str, Any], data: Mapping[str, Any]) -> str:
    """The answer to a question in the rows that came back for it."""
    rows = [row for row in data.get("rows") or [] if isinstance(row, Mapping)]
    told = groups(sense, asked, rows, data) if sense.ask == "groups" else ""
    if not told and (sense.ask == "groups" or (not rows and not data.get("total_count"))):
        told = _nothing(sense, asked)
    told = told or _found(sense, asked, rows, data)
    return "\n".join([told, *_remarks(sense, data)])


def failed(sense: Sense, asked: Mapping[str, Any], failure: Mapping[str, Any]) -> str:
    """Why a query could not be answered."""
    error = failure.get("error", "the query failed")
    return f"I could not look that up ({noun(sense.manager, 2)}{where(asked)}): {error}"


def gathered(calls: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> str:
    """What queries have brought so far, when no further call is allowed."""
    told = []
    for asked, data in calls:
        rows = [row for row in data.get("rows") or [] if isinstance(row, Mapping)]
        nouns = noun(str(asked.get("manager", "")), 2)
        lines = wording.bullets(wording.line(row, ()) for row in rows[:LINES])
        told.append(f"Found so far, {nouns}{where(asked)}:\n{lines}" if rows else f"No {nouns} found{where(asked)}.")
    return "\n".join(told)


def changed(asked: Mapping[str, Any], data: Mapping[str, Any], is_failed: bool, now: Row | None) -> str:
    """What became of a change: done, not confirmed, or failed and why. `now` is the row as it was read afterwards."""
    verb, *rest = split(str(asked.get("mutation", ""))) or ("change",)
    what = " ".join((verb, *rest))
    if data.get("status") == "cancelled":
        reasons = {
            "user_rejected": "you declined it",
            "confirmation_timed_out": "it was not confirmed in time",
            "superseded": "another message came first",
        }
        reason = reasons.get(str(data.get("reason")), str(data.get("reason") or "it was not confirmed"))
        return f"Not done, nothing was changed: {reason}. ({what.capitalize()} was cancelled.)"
    if is_failed or data.get("ok") is False:
        fields = data.get("field_errors") or {}
        pairs = fields.items() if isinstance(fields, Mapping) else ()
        told = [f"{say(str(name))}: {_text(text)}" for name, text in pairs]
        return "\n".join([f"I could not {what}: {data.get('error', 'it failed')} Nothing was changed.", *told])
    thing = data.get("object")
    done = f"{wording.past(verb).capitalize()} {' '.join(rest)}".strip()
    rows = [row for row in (now, thing) if isinstance(row, Mapping)]
    if not rows:
        return f"{done}: done."
    values: dict[str, str] = {}
    for row in rows:
        for name, given in row.items():
            if name != "id" and given is not None and not name.endswith("Id"):
                values.setdefault(say(name), wording.value(given))
    label = wording.label(rows[-1] if len(rows) > 1 and wording.label(rows[-1]) else rows[0])
    told = [f"{name} {given}" for name, given in values.items() if given != label]
    return f"{done}: {label}.{f' It now has: {", ".join(told[:12])}.' if told else ''}"


def _found(sense: Sense, asked: Mapping[str, Any], rows: Sequence[Row], data: Mapping[str, Any]) -> str:
    total = data.get("total_count")
    known = total if isinstance(total, int) else None
    count = known if known is not None else len(rows)
    nouns = noun(sense.manager, count)
    naming = sense.naming
    shown = [name for name in asked.get("fields") or () if name != "id" and name not in naming]
    wanted = [*sense.shown, *(name.lstrip("-") for name in sense.order_by)]
    empty = [name for name in wanted if all(_is_empty(wording.dig(row, name)) for row in rows)]
    if sense.ask != "details" and wanted and len(empty) == len(wanted):
        names = join([wording.label(row, naming) for row in rows[:3]])
        what = join([say(name.split("__")[-1]) for name in empty])
        return f"I cannot tell the {what} of {names}{' and others' if len(rows) > 3 else ''}: there is {NO_VALUE}."
    if sense.ask == "check" and sense.expected is not None:
        return _check(sense, rows)
    if sense.ask == "details" and len(rows) == 1:
        return _details(sense, rows[0], shown)
    if sense.ask == "count":
        more = "" if known is not None else " or more"
        names = ", ".join(wording.label(row, naming) for row in rows[:5])
        some = f"\nAmong them: {names}." if count > 5 else f"\n{names}." if names else ""
        return f"There {'is' if count == 1 else 'are'} {count:,}{more} {nouns}{where(asked)}.{some}"
    if not shown and not any(name in row for row in rows for name in sense.naming[:1] if "__" in name):
        shown = _unnamed(rows, naming, asked)
    if sense.order_by and sense.limit and len(rows) <= sense.limit:
        return _best(sense, asked, rows, shown, count)
    most = len(rows) if count <= 2 * LINES else LINES
    lines = [wording.line(row, shown, naming) for row in rows[:most]]
    head = f"Yes, {count:,} {nouns}" if sense.ask == "exists" else f"{count:,} {nouns}"
    cut = f" {count:,} in all, first {len(lines)} shown." if count > len(lines) else ""
    if data.get("has_more") and known is None:
        cut = f" There are more; the first {len(lines)} are shown."
    if sense.ask == "values" and len(rows) == 1:
        return f"{lines[0]}.{_filter(asked)}"
    return f"{head}{where(asked)}:{cut}\n{wording.bullets(lines)}"


def _unnamed(rows: Sequence[Row], naming: Sequence[str], asked: Mapping[str, Any]) -> list[str]:
    """For rows that only other rows name, their own values too."""
    if asked.get("fields") or not rows or not any(isinstance(rows[0].get(name), Mapping) for name in naming):
        return []
    return wording.rest(rows[0], naming)


def _best(sense: Sense, asked: Mapping[str, Any], rows: Sequence[Row], shown: Sequence[str], count: int) -> str:
    by = say(sense.order_by[0].lstrip("-").split("__")[-1])
    down, value = sense.order_by[0].startswith("-"), wording.dig(rows[0], sense.order_by[0].lstrip("-"))
    dated = isinstance(value, str) and value[:4].isdigit()
    way = ("latest" if down else "earliest") if dated else ("highest" if down else "lowest")
    lines = [wording.line(row, shown, sense.naming) for row in rows[:LINES]]
    if len(lines) == 1:
        return f"{lines[0]}. That is the {way} {by} of {count:,} {noun(sense.manager, count)}{where(asked)}."
    return f"The {len(lines)} {noun(sense.manager, 2)} with the {way} {by}{where(asked)}:\n{wording.bullets(lines)}"


def _details(sense: Sense, row: Row, shown: Sequence[str]) -> str:
    values = [(say(name), wording.dig(row, name)) for name in shown]
    lines = [f"{name}: {wording.value(given)}" for name, given in values if not _is_empty(given)]
    return f"{say(sense.manager).capitalize()} {wording.label(row, sense.naming)}:\n{wording.bullets(lines)}"


def _check(sense: Sense, rows: Sequence[Row]) -> str:
    assert sense.expected is not None
    lines = []
    for row in rows[:LINES]:
        given = wording.dig(row, sense.expected.field)
        agrees = _agrees(given, sense.expected.lookup, sense.expected.value)
        word = "" if agrees is None else "Yes. " if agrees is not sense.expected.exclude else "No. "
        lines.append(f"{word}{wording.line(row, [n for n in sense.shown if n in row], sense.naming)}.")
    return "\n".join(lines)


def _agrees(given: Any, lookup: str, expected: Any) -> bool | None:
    """Whether a row's value meets a condition; None where that cannot be told."""
    if given is None:
        return None
    if lookup in ("", "in"):
        return given in expected if isinstance(expected, list) else str(given).casefold() == str(expected).casefold()
    if lookup == "icontains":
        return str(expected).casefold() in str(given).casefold()
    amount = given.get("value") if isinstance(given, Mapping) else given
    bound: Any = expected
    if isinstance(bound, str) and isinstance(amount, int | float):
        number, _, unit = bound.partition(" ")
        if isinstance(given, Mapping) and unit and unit != given.get("unit"):
            return None
        bound = float(number)
    try:
        return {"gt": amount > bound, "gte": amount >= bound, "lt": amount < bound, "lte": amount <= bound}.get(lookup)
    except TypeError:
        return None


def _is_empty(given: Any) -> bool:
    if isinstance(given, Mapping) and "unit" in given:
        return given.get("value") is None
    return given is None or given in ("", []) or (isinstance(given, list) and all(map(_is_empty, given)))


def _nothing(sense: Sense, asked: Mapping[str, Any]) -> str:
    nouns = noun(sense.manager, 2)
    head = "No: I found no" if sense.ask == "exists" else "I found no"
    return f"{head} {nouns}{where(asked)}. There may be some that you have no access to."


def _remarks(sense: Sense, data: Mapping[str, Any]) -> list[str]:
    """What was guessed, errors and notes that came with the rows, and rows that were withheld."""
    told = [f"I took {join(sense.guesses)}."] if sense.guesses else []
    errors = [e if isinstance(e, str) else str(e.get("message", e)) for e in data.get("errors") or []]
    told += [f"Not all of it could be read: {'; '.join(dict.fromkeys(errors))}"] if errors else []
    if data.get("complete") is False:
        told += [f"Note: {note}" for note in data.get("notes") or []]
    told += [f"Withheld: {'; '.join(map(str, data['withheld']))}."] if data.get("withheld") else []
    return told


def _filter(asked: Mapping[str, Any]) -> str:
    told = wording.filters(asked.get("filters") or {}, asked.get("exclude") or {})
    return f" (Filter: {told}.)" if told else ""


def _text(given: Any) -> str:
    return "; ".join(map(str, given)) if isinstance(given, list) else str(given)
