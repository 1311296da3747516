"""A chart checked against the rows it draws: columns that exist, numbers that are numbers, and a time axis that is one."""

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from dragoman.harness.tools import ToolError
from dragoman.repo.sqlguard import Answer

Kind = Literal["line", "bar", "horizontal", "stacked"]
KINDS: tuple[str, ...] = get_args(Kind)
MOST_POINTS = 200
MOST_SERIES = 8

# How each step of time is written, and what it is called.
_STEPS = (
    (re.compile(r"(?:19|20)\d\d"), "%Y", "year"),
    (re.compile(r"(?:19|20)\d\d-\d\d"), "%Y-%m", "month"),
    (re.compile(r"(?:19|20)\d\d-W\d\d"), "%Y-W%W", "week"),
    (re.compile(r"(?:19|20)\d\d-\d\d-\d\d"), "%Y-%m-%d", "day"),
)


@dataclass(frozen=True, slots=True)
class Series:
    """A column drawn: one number for each value of the axis."""

    name: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """What a page draws. `caption` says what was filled in."""

    kind: str
    title: str
    label: str
    values: tuple[str, ...]
    series: tuple[Series, ...]
    caption: str = ""

    def told(self) -> dict[str, Any]:
        """As JSON: {kind, title, x: {label, values}, series: [{name, values}], caption?}."""
        told = {
            "kind": self.kind,
            "title": self.title,
            "x": {"label": self.label, "values": list(self.values)},
            "series": [{"name": one.name, "values": list(one.values)} for one in self.series],
        }
        return {**told, "caption": self.caption} if self.caption else told


def chart(answer: Answer, kind: str, title: str, x: str, y: Sequence[str]) -> Chart:
    """The rows as a chart of column `x` against the columns `y`. Raises ToolError (bad_chart) where they do not fit."""
    if answer.capped:
        raise _bad("The statement gives more rows than a chart has points. Group by a longer time, or add a LIMIT")
    if not answer.rows:
        raise _bad("The statement gives no rows, so there is nothing to draw")
    if not 1 <= len(y) <= MOST_SERIES or len(set(y)) < len(y):
        raise _bad(f"y names 1 to {MOST_SERIES} different columns")
    labels = [_label(row[_column(answer, x)]) for row in answer.rows]
    if twice := next((label for at, label in enumerate(labels) if label in labels[:at]), None):
        raise _bad(
            f"{x} has {twice!r} twice. Give one row for each, and each series a column of its own (sum(a = 'b'))"
        )
    numbers = [_numbers(answer, name, kind) for name in y]
    axis, caption = _axis(labels)
    if len(axis) > MOST_POINTS:
        raise _bad(
            f"That is {len(axis):,} points; at most {MOST_POINTS} are drawn. Group by a longer time, or add a LIMIT"
        )
    series = []
    for name, values in zip(y, numbers, strict=True):
        at = dict(zip(labels, values, strict=True))
        series.append(Series(name, tuple(at.get(label, 0) for label in axis)))
    return Chart(kind, title, x, tuple(axis), tuple(series), caption)


def _column(answer: Answer, name: str) -> int:
    if answer.columns.count(name) != 1:
        raise _bad(f"The statement has no one column {name!r}. It has: {', '.join(answer.columns)}")
    return answer.columns.index(name)


def _label(value: Any) -> str:
    return "(none)" if value is None else str(value)


def _numbers(answer: Answer, name: str, kind: str) -> list[float]:
    at = _column(answer, name)
    values = [row[at] for row in answer.rows]
    for value in values:
        if not isinstance(value, int | float):
            raise _bad(f"Column {name!r} holds {value!r}, which is no number. Take a number, or coalesce({name}, 0)")
        if kind == "stacked" and value < 0:
            raise _bad(f"Column {name!r} holds {value}, and what is below zero cannot be stacked. Take a bar chart")
    return values


def _axis(labels: Sequence[str]) -> tuple[list[str], str]:
    """The labels to draw, in time order and with the missing ones where they are times; and what to say of it."""
    for written, form, name in _STEPS:
        if all(written.fullmatch(label) for label in labels):
            every = _every(form, labels)
            if unknown := next((label for label in labels if label not in every), None):
                hint = "; write weeks as strftime('%Y-W%W', ...)" if name == "month" else ""
                raise _bad(f"{unknown!r} is no {name}{hint}")
            order = list(every)
            axis = order[order.index(min(labels)) : order.index(max(labels)) + 1]
            missing = len(axis) - len(labels)
            several = f"{missing:,} {name}s" if missing > 1 else f"1 {name}"
            return axis, f"{several} without rows drawn as 0." if missing else ""
    return list(labels), ""


def _every(form: str, labels: Sequence[str]) -> dict[str, None]:
    """Every step from the first year to the last, in order."""
    day, end = dt.date(int(min(labels)[:4]), 1, 1), dt.date(int(max(labels)[:4]), 12, 31)
    return dict.fromkeys((day + dt.timedelta(days)).strftime(form) for days in range((end - day).days + 1))


def _bad(sentence: str) -> ToolError:
    return ToolError(f"{sentence}.", "bad_chart")
