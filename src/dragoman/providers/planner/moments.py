"""Moments: the dates a sentence speaks of, as whole days."""

import calendar
import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass

from dragoman.providers.planner.amounts import NUMBERS
from dragoman.providers.planner.words import Token

_MONTHS = {name.lower(): i for i, name in enumerate(calendar.month_name) if name}
_MONTHS |= {name.lower(): i for i, name in enumerate(calendar.month_abbr) if name} | {"sept": 9}
_LENGTHS = {"day": 1, "days": 1, "week": 7, "weeks": 7}
_OPENING = frozenset("in on during of for since from after before until till by as".split())


@dataclass(frozen=True, slots=True)
class Period:
    """Days from `first` to `last`, both included; None means open on that side. `span` is where the words stand."""

    first: dt.date | None
    last: dt.date | None
    span: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Days:
    first: dt.date
    last: dt.date
    start: int
    end: int


def periods(tokens: Sequence[Token], today: dt.date) -> tuple[Period, ...]:
    """The periods a sentence names, the word that opens or closes them (before, since ...) minded."""
    found: list[Period] = []
    at = 0
    while at < len(tokens):
        days = None if tokens[at].quoted else _days(tokens, at, today)
        if days is None:
            at += 1
            continue
        word = tokens[at - 1].lower if at else ""
        back = 1 if word in _OPENING else 0
        second = (
            _days(tokens, days.end + 1, today)
            if _says(tokens, days.end, "and", "to", "until", "till", "through")
            else None
        )
        if second and (word in ("between", "from") or back):
            found.append(Period(days.first, second.last, frozenset(range(at - 1, second.end))))
            at = second.end
            continue
        if word in ("before", "until", "till") or (word == "than" and _says(tokens, at - 2, "earlier", "older")):
            last = days.last if word in ("until", "till") else days.first - dt.timedelta(days=1)
            found.append(Period(None, last, frozenset(range(at - (2 if word == "than" else 1), days.end))))
        elif word == "by":
            found.append(Period(None, days.last, frozenset(range(at - 1, days.end))))
        elif word == "after" or (word == "than" and _says(tokens, at - 2, "later", "newer")):
            after = days.last + dt.timedelta(days=1)
            found.append(Period(after, None, frozenset(range(at - (2 if word == "than" else 1), days.end))))
        elif word in ("since", "from"):
            found.append(Period(days.first, None, frozenset(range(at - 1, days.end))))
        else:
            found.append(Period(days.first, days.last, frozenset(range(at - back, days.end))))
        at = days.end
    return tuple(found)


def _says(tokens: Sequence[Token], at: int, *words: str) -> bool:
    return 0 <= at < len(tokens) and tokens[at].lower in words


def _days(tokens: Sequence[Token], at: int, today: dt.date) -> _Days | None:
    if at >= len(tokens):
        return None
    word = tokens[at].lower
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", word):
        try:
            day = dt.date.fromisoformat(word)
        except ValueError:
            return None
        return _Days(day, day, at, at + 1)
    if (match := re.fullmatch(r"((?:19|20)\d\d)-(0[1-9]|1[0-2])", word)) is not None:
        chosen, month = int(match[1]), int(match[2])
        return _Days(
            dt.date(chosen, month, 1), dt.date(chosen, month, calendar.monthrange(chosen, month)[1]), at, at + 1
        )
    relative = {"today": 0, "yesterday": -1, "tomorrow": 1}
    if word in relative:
        day = today + dt.timedelta(days=relative[word])
        return _Days(day, day, at, at + 1)
    return (
        _named_month(tokens, at, today)
        or _quarter(tokens, at, today)
        or _year(tokens, at)
        or _relative(tokens, at, today)
    )


def _named_month(tokens: Sequence[Token], at: int, today: dt.date) -> _Days | None:
    """March, March 2026, 1 March 2026, March 1st, 2026; without a year the current one. "may" needs a capital."""
    day, here = _day_number(tokens, at), at
    if day:
        here += 2 if _says(tokens, at + 1, "of") else 1
    if here >= len(tokens) or tokens[here].lower not in _MONTHS or not (tokens[here].capital or day):
        return None
    month, end = _MONTHS[tokens[here].lower], here + 1
    if not day and (day := _day_number(tokens, end)):
        end += 1
    end_of_year = end + 1 if _says(tokens, end, "of") else end
    year = _year(tokens, end_of_year)
    chosen, end = (year.first.year, year.end) if year else (today.year, end)
    last = calendar.monthrange(chosen, month)[1]
    if day:
        exact = dt.date(chosen, month, min(day, last))
        return _Days(exact, exact, at, end)
    return _Days(dt.date(chosen, month, 1), dt.date(chosen, month, last), at, end)


def _day_number(tokens: Sequence[Token], at: int) -> int:
    match = re.fullmatch(r"(\d{1,2})(?:st|nd|rd|th)?", tokens[at].lower) if at < len(tokens) else None
    return int(match[1]) if match and 1 <= int(match[1]) <= 31 else 0


def _quarter(tokens: Sequence[Token], at: int, today: dt.date) -> _Days | None:
    if not re.fullmatch(r"q[1-4]", tokens[at].lower):
        return None
    year = _year(tokens, at + 1)
    first, last = _quarter_of(year.first.year if year else today.year, int(tokens[at].lower[1]))
    return _Days(first, last, at, year.end if year else at + 1)


def _quarter_of(year: int, quarter: int) -> tuple[dt.date, dt.date]:
    month = quarter * 3
    return dt.date(year, month - 2, 1), dt.date(year, month, calendar.monthrange(year, month)[1])


def _year(tokens: Sequence[Token], at: int) -> _Days | None:
    if at >= len(tokens) or not re.fullmatch(r"(19|20)\d\d", tokens[at].text):
        return None
    before = tokens[at - 1].lower if at else ""
    if before in ("than", "over", "under", "above", "below", "least", "most", "exceeding", "€", "$", "£"):
        return None
    year = int(tokens[at].text)
    return _Days(dt.date(year, 1, 1), dt.date(year, 12, 31), at, at + 1)


def _relative(tokens: Sequence[Token], at: int, today: dt.date) -> _Days | None:
    """last month, this year, the next 30 days, 2 weeks ago, within 10 days"""
    word = tokens[at].lower
    if word in ("last", "past", "previous", "next", "this", "current", "coming", "following", "within"):
        count, here = 1, at + 1
        if word == "within" and _says(tokens, here, "the"):
            here += 1
        if word == "within" and _says(tokens, here, "next", "coming", "last", "past"):
            return None
        several = here < len(tokens) and (tokens[here].lower.isdigit() or tokens[here].lower in NUMBERS)
        if several:
            number = tokens[here].lower
            count, here = int(number) if number.isdigit() else NUMBERS[number], here + 1
        if here >= len(tokens) or not re.fullmatch(r"(day|week|month|quarter|year)s?", tokens[here].lower):
            return None
        span = tokens[here].lower.rstrip("s")
        ahead = word in ("next", "coming", "following", "within")
        if several or word == "within":
            first, last = (today, _moved(today, span, count)) if ahead else (_moved(today, span, -count), today)
        else:
            first, last = _calendar(today, span, 0 if word in ("this", "current") else 1 if ahead else -1)
        return _Days(first, last, at, here + 1)
    if word.isdigit() and len(word) < 4 and _says(tokens, at + 2, "ago"):
        span = tokens[at + 1].lower.rstrip("s")
        if span in ("day", "week", "month", "quarter", "year"):
            day = _moved(today, span, -int(word))
            return _Days(day, day, at, at + 3)
    return None


def _calendar(today: dt.date, span: str, step: int) -> tuple[dt.date, dt.date]:
    """The calendar week, month, quarter or year that lies `step` away from today's."""
    if span == "day":
        day = today + dt.timedelta(days=step)
        return day, day
    if span == "week":
        monday = today - dt.timedelta(days=today.weekday()) + dt.timedelta(weeks=step)
        return monday, monday + dt.timedelta(days=6)
    if span == "year":
        return dt.date(today.year + step, 1, 1), dt.date(today.year + step, 12, 31)
    there = _moved(today.replace(day=1), span, step)
    if span == "quarter":
        return _quarter_of(there.year, (there.month - 1) // 3 + 1)
    return there, there.replace(day=calendar.monthrange(there.year, there.month)[1])


def _moved(day: dt.date, span: str, count: int) -> dt.date:
    if span in _LENGTHS:
        return day + dt.timedelta(days=_LENGTHS[span] * count)
    months = day.year * 12 + day.month - 1 + count * {"month": 1, "quarter": 3, "year": 12}[span]
    year, month = divmod(months, 12)
    return dt.date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))
