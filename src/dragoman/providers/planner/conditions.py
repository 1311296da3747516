"""Conditions: what the linked words of a question demand of the rows."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dragoman.providers.planner import bind
from dragoman.providers.planner.catalog import TEMPORAL, Manager, Route
from dragoman.providers.planner.lexicon import COMPOUNDS, OVERDUE
from dragoman.providers.planner.link import Mention, Reading
from dragoman.providers.planner.question import NOWHERE, Span
from dragoman.providers.planner.reader import Read, Reader
from dragoman.providers.planner.sense import Condition, Need, parse
from dragoman.providers.planner.words import split


class Conditions(Reader):
    """A reader that finds conditions: names, choices, numbers, dates, texts, and those of earlier rows."""

    def _rows(self, readings: Sequence[Read]) -> None:
        for mention, reading in readings:
            if reading.sort != "row" or reading.hit is None:
                continue
            ready = self._ready(reading)
            route = self.ways.to(reading.manager, mention, ready[0] if ready else None)
            if route and self._is_far_fetched(mention, reading, route):
                continue
            self.used |= mention.span
            for span, row in self.beside.items():
                if row.span & mention.span:
                    self.used |= span
                    self.ways.routed.add(reading.manager)
            if route is None:
                self._no_way(reading.manager)
                continue
            lookup, value = ("icontains", self.question.words(mention.span))
            if reading.whole:
                lookup, value = reading.hit.lookup, reading.value
                if ready and route == ready[0]:
                    lookup, value = ready[1], ready[2]
            if not route:
                self.itself.append(reading)
            self._add(mention, Condition(route, reading.name, lookup, value))

    def _is_far_fetched(self, mention: Mention, reading: Reading, route: Route) -> bool:
        """Whether a word is only a piece of a text of a type nobody named, which no straight way leads to."""
        piece = not reading.whole or (reading.hit is not None and reading.hit.lookup == "icontains")
        if not piece or any(r.manager == reading.manager for m in self.mentions for r in m.of("type")):
            return False
        return self.catalog.toll(self.manager, route) > len(route) + 1

    def _ready(self, reading: Reading) -> tuple[Route, str, Any] | None:
        for key, value in (reading.hit.filters.get(self.manager) or {}).items() if reading.hit else ():
            route, name, lookup = parse(key)
            if name == reading.name:
                return route, lookup, value
        return None

    def _flags(self, readings: Sequence[Read]) -> None:
        for mention, reading in readings:
            if reading.sort not in ("flag", "choice"):
                continue
            unnamed = reading.manager != self.manager and not self._is_named(reading.manager, mention)
            if unnamed and mention.span <= self.question.overdue:
                continue  # the asked-for type's own date says so, or nothing does
            route = self.ways.to(reading.manager, mention)
            if unnamed and len(route or ()) > 1:
                continue  # a state of something far away that nobody spoke of
            self.used |= mention.span
            if route is None:
                self._no_way(reading.manager)
                continue
            self.ways.routed.add(reading.manager)
            before = self.question.lowers[mention.first - 1] if mention.first else ""
            if before in ("who", "whom") and reading.manager == self.manager:
                done = self.question.words(mention.span)
                self.trouble = self.trouble or f'I cannot tell who "{done}" it: I found no field for that.'
            if reading.sort == "choice":
                for m in self.mentions:  # the name of a field beside its value says nothing more: "colour red"
                    if m is not mention and any(
                        r.name == reading.name and r.manager == reading.manager for r in m.of("field")
                    ):
                        self.used |= m.span
                self._add(mention, Condition(route, reading.name, "", reading.value))
            else:
                self.conditions.append(Condition(route, reading.name, "", not self._denied(mention)))
                self.made[mention.span] = self.conditions[-1]

    def _add(self, mention: Mention, condition: Condition) -> None:
        self.conditions.append(replace(condition, exclude=self._denied(mention)))
        self.made[mention.span] = self.conditions[-1]

    def _joined(self) -> str:
        """Why conditions that "or" or "and" joins cannot be asked for at once; empty where they can."""
        for place, word in enumerate(self.question.lowers):
            if word not in ("or", "and"):
                continue
            left = max((span for span in self.made if max(span) < place), key=max, default=None)
            right = min((span for span in self.made if min(span) > place), key=min, default=None)
            if left is None or right is None or any(m.first < place < m.last for m in self.mentions):
                continue
            first, second = self.made[left], self.made[right]
            same = first.key == second.key
            if word == "or" and not same and min(right) - place <= 3:
                return 'I can join different conditions with "and" only, not with "or". Please ask one after the other.'
            if (
                word == "and"
                and same
                and first.value != second.value
                and self.catalog.is_many(self.manager, first.route)
            ):
                return (
                    f'I cannot look for rows that have both "{first.value}" and "{second.value}". Ask for one of them.'
                )
        return ""

    def _comparisons(self, bound: bind.Fields) -> list[Condition]:
        found: list[Condition] = []
        for comparison in self.question.comparisons:
            if comparison is self.having:
                continue
            place = bound.amount(comparison.amount, comparison.kind, comparison.span)
            if not self._is_bound(place, comparison.span):
                continue
            route = self.ways.to(place.manager)
            if route is not None:
                sign = "" if comparison.sign == "exact" else comparison.sign
                found.append(Condition(route, place.field, sign, place.value))
        return found

    def _numbers(self, bound: bind.Fields) -> None:
        """Numbers beside the name of a field: "with 3 floors", "size 5"."""
        spent = (
            frozenset().union(*(c.span for c in self.question.comparisons)) if self.question.comparisons else NOWHERE
        )
        spent |= self.question.superlative.span if self.question.superlative else NOWHERE
        for amount in self.question.amounts:
            if amount.span & spent or amount.span <= self.used or (self.limit and self.limit == amount.number):
                continue
            place = bound.amount(amount, amount.kind if amount.unit else "-", amount.span)
            if self._is_bound(place, amount.span) and (route := self.ways.to(place.manager)) is not None:
                self.conditions.append(Condition(route, place.field, "", place.value))

    def _periods(self, bound: bind.Fields) -> list[Condition]:
        found: list[Condition] = []
        for period in self.question.periods:
            place = self._date_of_neighbour(bound, period.span) or bound.date(period.span)
            if not self._is_bound(place, period.span) or (route := self.ways.to(place.manager)) is None:
                continue
            if period.first:
                found.append(Condition(route, place.field, "gte", period.first.isoformat()))
            if period.last:
                found.append(Condition(route, place.field, "lte", period.last.isoformat()))
        return found

    def _date_of_neighbour(self, bound: bind.Fields, span: Span) -> bind.Place | None:
        """The only date of the type that the words right before a period belong to, where that is not the asked-for one."""
        if any(bound.is_of(r, TEMPORAL) for _, r in bound.free()):
            return None
        for mention in self.mentions:
            if not 0 < min(span) - mention.last <= 2 or mention.names_type or mention is self.target:
                continue
            reading = self._read(mention)
            if reading is None or reading.sort not in ("choice", "flag") or reading.manager == self.manager:
                continue
            there = self.catalog.managers.get(reading.manager, Manager(reading.manager))
            if not there.whole and reading.manager not in self.catalog.asked:
                return bind.Place(needs=(Need("get_manager_schema", {"manager": reading.manager}),))
            dates = there.of(TEMPORAL)
            return bind.Place(reading.manager, dates[0], None, span) if len(dates) == 1 else bind.Place(options=dates)
        return None

    def _absent(self, bound: bind.Fields) -> list[Condition]:
        """ "without a date", "have no size": the field is empty."""
        found: list[Condition] = []
        for mention, reading in bound.free():
            before = self.question.lowers[max(0, mention.first - 2) : mention.first]
            if reading.sort != "field" or not {"no", "without"} & set(before):
                continue
            if (route := self.ways.to(reading.manager)) is not None and self._denied(mention):
                bound.spend(mention)
                self.used |= mention.span
                found.append(Condition(route, reading.name, "isnull", True))
        return found

    def _gone_by(self, bound: bind.Fields) -> list[Condition]:
        """ "past their date", "beyond its date": the date named is before today."""
        found: list[Condition] = []
        for place, word in enumerate(self.question.lowers):
            if word not in ("past", "beyond") or place in self.used:
                continue
            for mention, reading in bound.free():
                if 0 < mention.first - place <= 3 and bound.is_of(reading, TEMPORAL):
                    route = self.ways.to(reading.manager, mention)
                    if route is not None:
                        bound.spend(mention)
                        self.used |= {place, *mention.span}
                        found.append(Condition(route, reading.name, "lt", self.today.isoformat()))
        return found

    def _valid(self, bound: bind.Fields) -> list[Condition]:
        """ "valid", "no longer valid", where the schema has a date "valid until": from today on, or before today."""
        found: list[Condition] = []
        for mention, reading in bound.free():
            words = split(reading.name)
            if words[-1:] != ("until",) or not bound.is_of(reading, TEMPORAL) or mention.span & self.used:
                continue
            expired = any(self.question.lowers[i] in ("expired", "expire") for i in mention.span)
            if {"until", "when"} & set(self.question.lowers) or self.question.lowers[0] == "what":
                continue
            if (route := self.ways.to(reading.manager, mention)) is not None:
                bound.spend(mention)
                self.used |= mention.span
                lookup = "lt" if self._denied(mention) != expired else "gte"
                found.append(Condition(route, reading.name, lookup, self.today.isoformat()))
        return found

    def _texts(self, bound: bind.Fields) -> None:
        """A word nothing explains beside a text field is its value: "colour teal"."""
        for place in self.question.content:
            if place in self.used or any(place in m.span for m in self.mentions):
                continue
            for mention, reading in bound.free():
                if not bound.is_of(reading, frozenset({"String"})):
                    continue
                gap = self.question.lowers[mention.last + 1 : place] if place > mention.last else ("-",)
                follows = len(gap) <= 2 and all(w in ("is", "of", "by", "like", "called", "the") for w in gap)
                if place != mention.first - 1 and not follows:
                    continue
                if place == mention.last + 1 and self.question.lowers[place] in COMPOUNDS:
                    self.used.add(place)  # "the e-mail address": no value
                    break
                if (route := self.ways.to(reading.manager, mention)) is not None:
                    self.used |= {place, *mention.span}
                    bound.spend(mention)
                    self.conditions.append(
                        Condition(route, reading.name, "icontains", self.question.tokens[place].text)
                    )
                    break

    def _overdue(self) -> None:
        """Past a date by which something should have ended, and not ended: from the names of fields and choices."""
        left = self.question.overdue - self.used
        others = [m.first for m in self.mentions if m.names_type and m is not self.target]
        if not left or max(left) + 1 in others:  # "towns with overdue bridges": it is the bridges that are late
            return
        flag = next((n for n in self._here.of({"Boolean"}) if set(split(n)) & OVERDUE), "")
        if flag:
            self.used |= left
            self.conditions.append(Condition((), flag, "", True))
            return
        overdue = bind.overdue(self._here)
        if overdue is None:
            if not self._here.whole:
                self._ask_schema(self.manager)
            return
        due, actual, ended = overdue
        self.used |= left
        self.conditions.append(Condition((), due, "lt", self.today.isoformat()))
        if actual:
            self.conditions.append(Condition((), actual, "isnull", True))
        for name, choices in ended.items():
            self.conditions += [Condition((), name, "", choice, exclude=True) for choice in choices]

    def _base(self) -> list[Condition]:
        """The conditions of the earlier rows a question refers to, seen from the type asked for now."""
        earlier = self.earlier
        if earlier is None:
            return []
        route = self.ways.to(earlier.manager)
        if route is None:
            self._no_way(earlier.manager)
            return []
        for m in self.mentions:
            if m.names_type and m.names_type.manager == earlier.manager:
                self.used |= m.span
        if earlier.cut and earlier.ids:
            return [Condition(route, "id", "in", list(earlier.ids))]
        base: list[Condition] = []
        varied = self.conditions if self.question.varies else []
        replaced = {(c.route, c.field) for c in varied}
        named = {c.route for c in varied if c in self.made.values() and c.route and c.lookup in ("", "icontains")}
        for exclude, filters in ((False, earlier.filters), (True, earlier.exclude)):
            for key, value in filters.items():
                way, name, lookup = parse(key)
                if (way, name) not in replaced and way not in named:
                    base.append(Condition((*route, *way), name, lookup, value, exclude))
        return base
