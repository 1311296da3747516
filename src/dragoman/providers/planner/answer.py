"""Answer: the rows of a query as a short text that names them and says which filter they passed."""

from collections.abc import Mapping, Sequence
from typing import Any

from dragoman.providers.planner import wording
from dragoman.providers.planner.amounts import Comparison
from dragoman.providers.planner.sense import Sense
from dragoman.providers.planner.words import plural, say

LINES = 10


def answer(sense: Sense, asked: Mapping[str, Any], data: Mapping[str, Any]) -> str:
    """The answer to a question in the rows that came back for it."""
    rows = [row for row in data.get("rows") or [] if isinstance(row, Mapping)]
    if sense.ask == "groups":
        text = _groups(sense, asked, rows, data)
    elif not rows and not data.get("total_count"):
        text = _nothing(sense, asked)
    else:
        text = _found(sense, asked, rows, data)
    return "\n".join([text, *_remarks(data)])


def gathered(calls: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> str:
    """What queries have brought so far, when no further call is allowed."""
    told = []
    for asked, data in calls:
        rows = [row for row in data.get("rows") or [] if isinstance(row, Mapping)]
        noun = _noun(str(asked.get("manager", "")), 2)
        lines = wording.bullets(wording.line(row, ()) for row in rows[:LINES])
        told.append(f"Found so far, {noun}{_where(asked)}:\n{lines}" if rows else f"No {noun} found{_where(asked)}.")
    return "\n".join(told)


def changed(asked: Mapping[str, Any], data: Mapping[str, Any], is_failed: bool, ran: bool) -> str:
    """What became of a change: done, not confirmed, or failed and why."""
    what = say(str(asked.get("mutation", "")))
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
        told = (
            [f"{say(str(name))}: {_text(text)}" for name, text in fields.items()] if isinstance(fields, Mapping) else []
        )
        return "\n".join([f"I could not {what}: {data.get('error', 'it failed')} Nothing was changed.", *told])
    thing = data.get("object")
    if not isinstance(thing, Mapping):
        return f"Done: {what}."
    values = [
        f"{say(n)} {wording.value(v)}" for n, v in thing.items() if n != "id" and v is not None and not n.endswith("Id")
    ]
    return f"Done: {what}. {wording.label(thing)}: {', '.join(values[:12])}."


def failed(sense: Sense, asked: Mapping[str, Any], failure: Mapping[str, Any]) -> str:
    """Why a query could not be answered."""
    return f"I could not look that up ({_noun(sense.manager, 2)}{_where(asked)}): {failure.get('error', 'the query failed')}"


def _text(given: Any) -> str:
    return "; ".join(map(str, given)) if isinstance(given, list) else str(given)


def _found(sense: Sense, asked: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], data: Mapping[str, Any]) -> str:
    total = data.get("total_count")
    known = total if isinstance(total, int) else None
    count = known if known is not None else len(rows)
    noun = _noun(sense.manager, count)
    shown = [name for name in asked.get("fields") or () if name != "id" and name not in sense.naming]
    if sense.ask == "check" and sense.expected is not None:
        return _check(sense, asked, rows)
    if sense.ask == "details" and len(rows) == 1:
        lines = [
            f"{say(n)}: {wording.value(wording.dig(rows[0], n))}" for n in shown if wording.dig(rows[0], n) is not None
        ]
        return f"{say(sense.manager).capitalize()} {wording.label(rows[0])}:\n{wording.bullets(lines)}"
    if sense.ask == "count":
        more = "" if known is not None else " or more"
        verb = "is" if count == 1 else "are"
        names = ", ".join(wording.label(row) for row in rows[:5])
        example = f"\nAmong them: {names}." if count > 5 else f"\n{names}." if names else ""
        return f"There {verb} {count:,}{more} {noun}{_where(asked)}.{example}"
    if sense.order_by and sense.limit and len(rows) <= sense.limit:
        by = say(sense.order_by[0].lstrip("-").split("__")[-1])
        way = "highest" if sense.order_by[0].startswith("-") else "lowest"
        lines = [wording.line(row, shown) for row in rows[:LINES]]
        if len(lines) == 1:
            return f"{lines[0]}. That is the {way} {by} of {count:,} {noun}{_where(asked)}."
        return f"The {len(lines)} {noun} with the {way} {by}{_where(asked)}:\n{wording.bullets(lines)}"
    most = len(rows) if count <= 2 * LINES else LINES
    lines = [wording.line(row, shown) for row in rows[:most]]
    head = f"Yes, {count:,} {noun}" if sense.ask == "exists" else f"{count:,} {noun}"
    rest = f" {count:,} in all, first {len(lines)} shown." if count > len(lines) else ""
    if data.get("has_more") and known is None:
        rest = f" There are more; the first {len(lines)} are shown."
    if sense.ask == "values" and len(rows) == 1:
        return f"{lines[0]}.{_filter(asked)}"
    return f"{head}{_where(asked)}:{rest}\n{wording.bullets(lines)}"


def _check(sense: Sense, asked: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str:
    assert sense.expected is not None
    lines = []
    for row in rows[:LINES]:
        given = wording.dig(row, sense.expected.field)
        agrees = _agrees(given, sense.expected.lookup, sense.expected.value)
        if agrees is None:
            word = ""
        else:
            word = "Yes. " if agrees is not sense.expected.exclude else "No. "
        lines.append(f"{word}{wording.line(row, [n for n in sense.shown if n in row])}.")
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


def _groups(sense: Sense, asked: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], data: Mapping[str, Any]) -> str:
    measures = list((asked.get("aggregate") or {}).get("measures", ()))
    kept = [row for row in rows if sense.having is None or _passes(row.get(measures[0]), sense.having)]
    noun = _noun(sense.manager, 2)
    what = ", ".join(_measure(name) for name in measures)
    if not sense.group_by:
        row = kept[0] if kept else {}
        over = data.get("computed_over")
        if over == 0 or not row:
            return _nothing(sense, asked)
        told = ", ".join(f"{_measure(name)} {wording.value(_of(row, name))}" for name in measures)
        count = f" over {over:,} {_noun(sense.manager, over)}" if isinstance(over, int) else ""
        return f"{told[:1].upper()}{told[1:]}{count}{_where(asked)}."
    if not kept:
        return _nothing(sense, asked)
    keys = [name for name in kept[0] if name not in measures and ":" not in name and name != "count"]
    lines = [
        f"{' / '.join(wording.value(row.get(k)) for k in keys)}: {', '.join(wording.value(_of(row, m)) for m in measures)}"
        for row in kept
    ]
    most = LINES
    rest = f" {len(lines):,} in all, first {most} shown." if len(lines) > most else ""
    if (
        sense.having is None
        and isinstance(data.get("total_count"), int)
        and data["total_count"] > len(rows)
        and not sense.limit
    ):
        rest = f" {data['total_count']:,} in all, first {min(most, len(lines))} shown."
    per = " and ".join(_by(key) for key in keys)
    bound = (
        f" with {sense.having.sign.replace('gte', 'at least').replace('lte', 'at most').replace('gt', 'more than').replace('lt', 'less than')} {wording.number(sense.having.amount.number)}"
        if sense.having
        else ""
    )
    return f"{what[:1].upper()}{what[1:]} of {noun} per {per}{bound}{_where(asked)}:{rest}\n{wording.bullets(lines[:most])}"


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
    word = {"avg": "average", "sum": "total", "min": "lowest", "max": "highest", "count": "number"}.get(
        function, function
    )
    return f"{word} {say(field.split('__')[-1])}".strip()


def _passes(given: Any, bound: Comparison) -> bool:
    amount = given.get("value") if isinstance(given, Mapping) else given
    if not isinstance(amount, int | float):
        return False
    limit = bound.amount.number
    return {
        "gt": amount > limit, "gte": amount >= limit, "lt": amount < limit, "lte": amount <= limit, "exact": amount == limit,
    }[bound.sign]  # fmt: skip


def _nothing(sense: Sense, asked: Mapping[str, Any]) -> str:
    noun = _noun(sense.manager, 2)
    lead = "No: I found no" if sense.ask == "exists" else "I found no"
    text = f"{lead} {noun}{_where(asked)}."
    return (
        f"{text} There may be some that you have no access to."
        if asked.get("filters") or asked.get("exclude")
        else text
    )


def _remarks(data: Mapping[str, Any]) -> list[str]:
    """Errors and notes that came with the rows, and rows that were withheld."""
    errors = [e if isinstance(e, str) else str(e.get("message", e)) for e in data.get("errors") or []]
    told = [f"Not all of it could be read: {'; '.join(dict.fromkeys(errors))}"] if errors else []
    if data.get("complete") is False:
        told += [f"Note: {note}" for note in data.get("notes") or []]
    told += [f"Withheld: {'; '.join(map(str, data['withheld']))}."] if data.get("withheld") else []
    return told


def _where(asked: Mapping[str, Any]) -> str:
    told = wording.filters(asked.get("filters") or {}, asked.get("exclude") or {})
    return f" where {told}" if told else ""


def _filter(asked: Mapping[str, Any]) -> str:
    told = wording.filters(asked.get("filters") or {}, asked.get("exclude") or {})
    return f" (Filter: {told}.)" if told else ""


def _noun(manager: str, count: int) -> str:
    noun = say(manager)
    return noun if count == 1 else plural(noun)
