"""Sense: what a question means in terms of the schema, or what is still to be found out, or why it cannot be answered."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from dragoman.providers.planner.amounts import Comparison
from dragoman.providers.planner.catalog import Route
from dragoman.providers.planner.question import NOWHERE, Span
from dragoman.providers.planner.words import say

Ask = Literal["list", "count", "exists", "check", "details", "values", "groups"]
LOOKUPS = frozenset(
    "exact iexact icontains contains in gt gte lt lte startswith endswith istartswith iendswith isnull range".split()
)


@dataclass(frozen=True, slots=True)
class Condition:
    """A filter: the way from the asked-for type, the field, the lookup ("" for exact) and the value."""

    route: Route
    field: str
    lookup: str
    value: Any
    exclude: bool = False

    @property
    def key(self) -> str:
        """The filter's name as the tools take it."""
        return "__".join((*self.route, self.field, *((self.lookup,) if self.lookup else ())))


@dataclass(frozen=True, slots=True)
class Need:
    """A tool call that would tell something missing."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Sense:
    """A question understood. `missing` are places of words nothing explains, `trouble` a sentence on what stands in the
    way, `needs` what to ask first; with any of them the rest is not complete."""

    manager: str
    ask: Ask = "list"
    conditions: tuple[Condition, ...] = ()
    shown: tuple[str, ...] = ()
    order_by: tuple[str, ...] = ()
    limit: int = 0
    group_by: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    having: Comparison | None = None
    expected: Condition | None = None
    kind: str = ""
    missing: Span = NOWHERE
    needs: tuple[Need, ...] = ()
    trouble: str = ""
    naming: tuple[str, ...] = ()
    guesses: tuple[str, ...] = ()

    @property
    def filters(self) -> dict[str, Any]:
        """The filters rows must pass, as the tools take them."""
        return _merged([c for c in self.conditions if not c.exclude])

    @property
    def exclude(self) -> dict[str, Any]:
        """The filters rows must not pass."""
        return _merged([c for c in self.conditions if c.exclude])


@dataclass(frozen=True, slots=True)
class Earlier:
    """The rows an earlier question was answered with: how they were asked for and their ids."""

    manager: str
    filters: Mapping[str, Any] = field(default_factory=dict)
    exclude: Mapping[str, Any] = field(default_factory=dict)
    order_by: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    cut: bool = False
    text: str = ""
    grouped: bool = False


def _merged(conditions: list[Condition]) -> dict[str, Any]:
    """One filter per key; values of one exact key become a list."""
    filters: dict[str, Any] = {}
    for condition in conditions:
        if condition.key in filters and filters[condition.key] != condition.value and not condition.lookup:
            filters.setdefault(f"{condition.key}__in", [filters.pop(condition.key)]).append(condition.value)
        elif f"{condition.key}__in" in filters:
            filters[f"{condition.key}__in"].append(condition.value)
        else:
            filters[condition.key] = condition.value
    return filters


def parse(key: str) -> tuple[Route, str, str]:
    """A filter's key as way, field and lookup."""
    names = key.split("__")
    lookup = names.pop() if len(names) > 1 and names[-1] in LOOKUPS else ""
    return tuple(names[:-1]), names[-1], lookup


def clash(conditions: tuple[Condition, ...]) -> tuple[Condition, Condition] | None:
    """Two conditions of one name that cannot be asked for at once, such as two texts a name should contain."""
    seen: dict[tuple[str, bool], Condition] = {}
    for condition in conditions:
        other = seen.setdefault((condition.key, condition.exclude), condition)
        if other is not condition and other.value != condition.value and condition.lookup:
            return other, condition
    return None


_SIGNS = {
    "": "is", "exact": "is", "iexact": "is", "icontains": "contains", "contains": "contains", "in": "is one of",
    "gt": "over", "gte": "at least", "lt": "under", "lte": "at most", "startswith": "starts with", "endswith": "ends with",
    "istartswith": "starts with", "iendswith": "ends with",
}  # fmt: skip
_WHEN = {"gt": "after", "gte": "from", "lt": "before", "lte": "up to"}  # for dates


def phrase(key: str, value: Any, shown: str) -> str:
    """A filter in words: "town name is Bree"; for a yes-or-no field "open" or "not open"."""
    route, name, lookup = parse(key)
    steps = [*map(say, route), *([] if name == "id" and route else [say(name)])]
    where = " ".join(step for step, following in zip(steps, [*steps[1:], ""], strict=True) if step != following)
    if lookup == "isnull":
        if name == "id":
            return f"there is {'no' if value else 'a'} {where}"
        return f"{where} is empty" if value else f"{where} is there"
    if isinstance(value, bool) and lookup != "isnull":
        return f"{'' if value else 'not '}{where}"
    if lookup in _WHEN and isinstance(value, str) and value[:4].isdigit() and value.count("-") == 2:
        return f"{where.removesuffix(' on')} {_WHEN[lookup]} {shown}"
    return f"{where} {_SIGNS.get(lookup, lookup)} {shown}"
