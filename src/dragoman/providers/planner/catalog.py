"""Catalog: what the tools have said so far of types, fields, relations, rows, routes and changes on offer."""

import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from dragoman.providers.planner.words import split

NUMERIC = frozenset({"Int", "Float", "Decimal", "BigInt", "Measurement"})
TEMPORAL = frozenset({"Date", "DateTime"})
PLAIN_TEXT = frozenset({"String"})

# How many rows are looked at to learn the units of a type's measurements, or what a found piece of a text stands for;
# no other query asks for this many.
PROBED_ROWS = 15

Route = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Manager:
    """A type whose rows can be listed. `whole` is False while some of its fields may be unknown."""

    name: str
    about: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    relations: Mapping[str, str] = field(default_factory=dict)
    filters: Mapping[str, tuple[str, ...]] | None = None
    whole: bool = False
    found: bool = False

    def base(self, name: str) -> str:
        """The type of a field without its marks: `Date`, `Measurement`, `a|b`; "" where there is no such field."""
        return self.fields.get(name, "").rstrip("!").split(" ")[0].split("(")[0]

    def choices(self, name: str) -> tuple[str, ...]:
        """The values a field can have, where they are a closed list."""
        base = self.fields.get(name, "").rstrip("!").split(" ")[0]
        return tuple(choice for choice in base.split("|") if choice != "...") if "|" in base else ()

    def of(self, types: Iterable[str]) -> tuple[str, ...]:
        """The fields of these types."""
        wanted = frozenset(types)
        return tuple(name for name in self.fields if self.base(name) in wanted)

    @property
    def naming(self) -> tuple[str, ...]:
        """The fields that tell rows apart: the plain texts among the first two that are no ids or quantities."""
        plain = [n for n in self.fields if self.base(n) not in ("ID", "Measurement") and not n.endswith("Id")]
        first = plain[:2]
        return tuple(name for name in first if self.base(name) in PLAIN_TEXT)

    @property
    def single(self) -> tuple[str, ...]:
        """The relations to one row."""
        return tuple(name for name in self.relations if not self.is_many(name))

    def leads_to(self, relation: str) -> str:
        """The name of the type a relation leads to."""
        return self.relations[relation].strip("[]!")

    def is_many(self, relation: str) -> bool:
        """Whether a relation leads to a list."""
        return self.relations[relation].startswith("[")


@dataclass(frozen=True, slots=True)
class Hit:
    """A row's value that a search found, with a ready filter for each type that reaches it."""

    value: str
    manager: str
    field: str
    filters: Mapping[str, Mapping[str, Any]]

    @property
    def lookup(self) -> str:
        """How its own type's filter compares: "" for equal, `icontains` for a text that several rows contain."""
        key = next(iter(self.filters.get(self.manager, {})), "")
        return key.removeprefix(self.field).removeprefix("__") if key.startswith(self.field) else ""


@dataclass(frozen=True, slots=True)
class Offer:
    """A change the asking person may order: its inputs by name and type."""

    name: str
    about: str
    inputs: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Catalog:
    """Everything known. `searched` are the searches of this turn, `asked` the types whose whole schema was asked for."""

    managers: Mapping[str, Manager]
    hits: tuple[Hit, ...]
    offers: tuple[Offer, ...]
    routes: Mapping[tuple[str, str], Route | None]
    units: Mapping[tuple[str, str], str]
    searched: frozenset[str]
    asked: frozenset[str]

    def was_probed(self, manager: str) -> bool:
        """Whether the units of a type's measurements have been asked for."""
        return ("", manager) in self.units

    def route(self, start: str, end: str) -> Route | None:
        """The likeliest way from a type to another as relation names; None where none is known.

        A short way is likely; a relation with a name of its own, such as `judge` to a person, is not what people mean
        by the mere pair of types, so it counts as more than two ordinary ones; and so does a turn from what rows share to
        others that share it.
        """
        if start == end:
            return ()
        queue: list[tuple[float, int, str, Route]] = [(0.0, 0, start, ())]
        done: set[str] = set()
        best = self.routes.get((start, end))
        while queue:
            toll, count, here, way = heapq.heappop(queue)
            if best and self.toll(start, best) <= toll:
                return best
            if here == end:
                return way
            manager = self.managers.get(here)
            if here in done or manager is None or len(way) >= 6:
                continue
            done.add(here)
            for place, relation in enumerate(manager.relations):
                longer = (*way, relation)
                heapq.heappush(queue, (self.toll(start, longer), count + place + 1, manager.leads_to(relation), longer))
        return best

    def toll(self, start: str, route: Route) -> float:
        """How unlikely a way is: one a step, more for a relation with a name of its own and for a turn."""
        total, was_single = 0.0, False
        names = (start, *self.stops(start, route))
        for place, relation in enumerate(route):
            manager = self.managers.get(names[place]) if place < len(names) else None
            if manager is None or relation not in manager.relations:
                return total + 1.2 * (len(route) - place)  # a known step is better than one nothing is known of
            many = manager.is_many(relation)
            total += self._step(manager, relation) + (2.0 if was_single and many else 0)
            was_single = not many
        return total

    def is_named(self, start: str, relation: str) -> bool:
        """Whether a relation says more than which type it leads to, itself or seen from the other side."""
        manager = self.managers.get(start)
        return manager is not None and relation in manager.relations and self._step(manager, relation) > 2

    def _step(self, manager: Manager, relation: str) -> float:
        there = manager.leads_to(relation)
        words = split(relation)
        if not manager.is_many(relation):
            return 1.0 if words == split(there) else 2.6
        other = self.managers.get(there)
        back = [r for r in other.single if other.leads_to(r) == manager.name] if other else []
        return 2.6 if back and all(split(r) != split(manager.name) for r in back) else 1.0

    def stops(self, start: str, route: Route) -> tuple[str, ...]:
        """The types a route passes, its end included."""
        names: list[str] = []
        for relation in route:
            manager = self.managers.get(start)
            if manager is None or relation not in manager.relations:
                break
            start = manager.leads_to(relation)
            names.append(start)
        return tuple(names)

    def is_simple(self, start: str, route: Route) -> bool:
        """Whether a route passes no type twice, the one it starts from included; a single step always may.

        Where a type on it is not known, the names of its relations tell.
        """
        passed: tuple[object, ...] = (start, *self.stops(start, route))
        if len(passed) <= len(route):
            passed = (
                split(start),
                *(words[:-1] if words[1:] and words[-1] == "list" else words for words in map(split, route)),
            )
        return len(route) <= 1 or len(set(passed)) == len(passed)

    def reach(self, start: str, route: Route) -> str:
        """The type at the end of a route; "" where the way is not known."""
        stops = self.stops(start, route)
        return start if not route else stops[-1] if len(stops) == len(route) else ""

    def is_many(self, start: str, route: Route) -> bool:
        """Whether a route may end in more than one row."""
        for relation, name in zip(route, (start, *self.stops(start, route)), strict=False):
            manager = self.managers.get(name)
            if manager is None or relation not in manager.relations or manager.is_many(relation):
                return True
        return False


@lru_cache(maxsize=1024)
def noun_of(about: str) -> tuple[str, ...]:
    """What a description calls its thing: the words after its first article, up to what qualifies them."""
    found: list[str] = []
    for word in about.replace(",", " ,").replace(":", " :").replace(".", " .").split()[:8]:
        if word.lower() in ("a", "an", "the", "one") and not found:
            continue
        if not word.isalpha() or word.lower() in _QUALIFIERS or word.endswith("'s"):
            break
        found.append(word)
    return split(" ".join(found))


_QUALIFIERS = frozenset("that which who whom whose where in on of for to from we with by at is are and or as".split())
