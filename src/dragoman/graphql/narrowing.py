"""Narrowing: where the rows of a list come from, and the conditions that are met on the rows themselves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dragoman.graphql.compute import Condition, matches, number
from dragoman.graphql.host import UNSUPPORTED
from dragoman.graphql.rows import Source
from dragoman.graphql.schema import Exposed
from dragoman.graphql.values import amount, choose
from dragoman.graphql.where import Where, truth
from dragoman.harness.tools import ToolError

_NUMBERS = ("Int", "Float", "Decimal")
_COMPARED = ("exact", "in", "gt", "gte", "lt", "lte")


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What narrows a list: where its rows come from, what is left to check on them, and whether nothing can match.

    The fields of what is left are columns, so `project__id` is one. `units` are those the conditions speak of.
    """

    source: Source = field(default_factory=Source)
    left: tuple[Condition, ...] = ()
    without: tuple[Condition, ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)
    nothing: bool = False

    @property
    def computed(self) -> bool:
        """Whether rows must be checked after they were read."""
        return bool(self.left or self.without)

    @property
    def fields(self) -> list[str]:
        """The columns `keeps` looks at."""
        return list(dict.fromkeys(c.field for c in (*self.left, *self.without)))

    def keeps(self, row: Mapping[str, Any]) -> bool:
        """Whether a row that was read stays."""
        if self.without and all(matches(row.get(c.field), c.lookup, c.value) for c in self.without):
            return False
        return all(matches(row.get(c.field), c.lookup, c.value) for c in self.left)

    def blind(self, rows: Sequence[Mapping[str, Any]]) -> list[str]:
        """Sentences about conditions on a field that was null in every row, as it is for those who may not read it."""
        asked = {c.field for c in (*self.left, *self.without) if c.lookup != "isnull"}
        return [
            f"{name} is null in every row that was read; perhaps this person may not read it."
            for name in sorted(asked)
            if rows and all(row.get(name) is None for row in rows)
        ]


def on_the_rows(where: Where, exclude: Where, failure: ToolError) -> Narrowing:
    """The same conditions, all met on the rows, after the system behind the schema turned out not to have them.

    Raises the failure where it was another one, or where that cannot be done.
    """
    if failure.code != UNSUPPORTED or where.related or exclude.related:
        raise failure
    return left_over(where.manager, {}, None, where.conditions, exclude.conditions)


def left_over(
    manager: Exposed,
    arguments: Mapping[str, Any],
    ids: tuple[str, ...] | None,
    left: Sequence[Condition],
    without: Sequence[Condition],
) -> Narrowing:
    """A narrowing with conditions to be met on rows, their values fit to be compared."""
    units: dict[str, str] = {}
    checked = [tuple(_checked(manager, c, units) for c in part) for part in (left, without)]
    return Narrowing(Source(arguments, ids), checked[0], checked[1], units)


def _checked(manager: Exposed, condition: Condition, units: dict[str, str]) -> Condition:
    entry = manager.fields.get(condition.field)
    if entry is None or condition.lookup not in _COMPARED or isinstance(condition.value, frozenset):
        return condition
    where = named(manager, condition)
    if entry.is_measurement or entry.kind in _NUMBERS:
        values = condition.value if isinstance(condition.value, list) else [condition.value]
        amounts = [amount(value) for value in values]
        for value, (found, unit) in zip(values, amounts, strict=True):
            if number(found) is None or (unit and not entry.is_measurement):
                raise ToolError(f"{where}: expected a number, got {value!r}.", "bad_value")
        if entry.is_measurement and (unit := next((u for _, u in amounts if u), entry.unit)):
            units[condition.field] = unit
        numbers = [found for found, _ in amounts]
        return Condition(condition.field, condition.lookup, numbers if condition.lookup == "in" else numbers[0])
    if entry.kind == "Boolean" and condition.lookup == "exact":
        return Condition(condition.field, "exact", truth(condition.value, condition.field))
    if entry.choices and condition.lookup in ("exact", "in"):
        return Condition(condition.field, condition.lookup, choose(condition.value, entry.choices, where))
    return condition


def named(manager: Exposed, condition: Condition) -> str:
    """A condition as an error speaks of it."""
    lookup = "" if condition.lookup == "exact" else f"__{condition.lookup}"
    return f"filter {condition.field}{lookup} of {manager.name}"
