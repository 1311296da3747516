"""Understand: put the linked words of a question together into its sense."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dragoman.providers.planner import bind, target
from dragoman.providers.planner.amounts import Comparison
from dragoman.providers.planner.catalog import NUMERIC, TEMPORAL, Catalog, Manager, Route
from dragoman.providers.planner.lexicon import FUNCTION, RELATING
from dragoman.providers.planner.link import Mention, Reading
from dragoman.providers.planner.question import NOWHERE, Question, Span
from dragoman.providers.planner.sense import Condition, Earlier, Need, Sense, clash, parse
from dragoman.providers.planner.ways import Ways
from dragoman.providers.planner.words import join, nearness, plural, say, split

Read = tuple[Mention, Reading]


def understand(
    question: Question, mentions: Sequence[Mention], catalog: Catalog, earlier: Earlier | None, today: dt.date
) -> Sense:
    """What the question means. Never guesses over words it could not place: those are in `missing`."""
    return _Reader(question, mentions, catalog, earlier, today).sense()


class _Reader:
    """One question while it is being understood; `used` are the places explained so far."""

    def __init__(
        self,
        question: Question,
        mentions: Sequence[Mention],
        catalog: Catalog,
        earlier: Earlier | None,
        today: dt.date,
    ) -> None:
        self.question = question
        self.mentions = tuple(mentions)
        self.catalog = catalog
        self.earlier = earlier if question.refers or question.varies else None
        self.today = today
        self.ways = Ways(question, self.mentions, catalog)
        self.used: set[int] = set()
        self.needs = self.ways.needs
        self.trouble = ""
        self.conditions: list[Condition] = []
        self.itself: list[Reading] = []
        self.manager = ""
        self.target: Mention | None = None
        self.having: Comparison | None = None
        self.limit = question.limit

    # -- the whole -----------------------------------------------------------------------------------------------------

    def sense(self) -> Sense:
        question = self.question
        self.beside = dict(target.appositions(question, self.mentions))
        self.grouped = list(target.groups(question, self.mentions, self.beside))
        before = self.earlier.manager if self.earlier else ""
        chosen = target.choose(question, self.mentions, self.beside, self.grouped, before)
        if chosen is None:
            return Sense("", missing=self._unexplained(), trouble="" if question.content else "nothing")
        self.manager, self.target = chosen.manager, chosen.mention
        self.grouped += self._pivot()
        linked = self._link_counted()
        self._limit()
        self.used |= self.target.span if self.target else NOWHERE
        readings = [
            (m, r) for m in self.mentions if m is not self.target and m not in self.grouped and (r := self._read(m))
        ]
        fields = self._retarget([(m, r) for m, r in readings if r.sort in ("field", "relation")])
        self.ways.begin(self.manager, self.target, self.grouped, self.beside)
        bound = bind.Fields(question, self.catalog, self.manager, fields)
        bound.drop_bare_measure(self.target is not None and self.target.span in self.beside)
        compared = self._comparisons(bound)
        dated = [*self._periods(bound), *self._gone_by(bound), *self._valid(bound)]
        measures = self._measures(bound)
        order_by, limit = self._sequence(bound, measures)
        self._rows(readings)
        self._flags(readings)
        self._texts(bound)
        self._numbers(bound)
        self._overdue()
        self.conditions += [*compared, *dated]
        base = self._base()
        group_by = self._group_by()
        shown, kind = self._shown(bound)
        shown = tuple(dict.fromkeys((*linked, *shown, *self._leftover_types())))
        sense = Sense(
            self.manager,
            conditions=(*base, *self.conditions),
            shown=shown,
            order_by=order_by,
            limit=limit,
            group_by=group_by,
            measures=measures or (("count",) if self.grouped else ()),
            having=self.having,
            kind=kind,
            missing=self._unexplained(),
            naming=self._here.naming or self._here.single,
            guesses=self._guesses(readings),
        )
        sense = self._turned(self._ask(sense))
        trouble = self.trouble or self._clash(sense)
        return replace(sense, needs=tuple(self.needs), trouble=trouble)

    @property
    def _here(self) -> Manager:
        return self.catalog.managers.get(self.manager, Manager(self.manager))

    # -- the type asked for --------------------------------------------------------------------------------------------

    def _pivot(self) -> list[Mention]:
        """Count another type per row of the asked-for one: "which town has the most bridges", "more than 3 bridges"."""
        question = self.question
        if self.target is None:
            return []
        ends: list[tuple[int, Comparison | None]] = [
            (max(c.span), c) for c in question.comparisons if not c.amount.unit and not c.kind
        ]
        if question.superlative and not question.superlative.kind and not question.measure:
            ends.append((max(question.superlative.span), None))
        for end, comparison in ends:
            counted = next((m for m in self.mentions if m.first > end), None)
            kind = counted.names_type if counted else None
            if not counted or not kind or kind.manager == self.manager or counted.span in self.beside:
                continue
            gap = question.lowers[end + 1 : counted.first]
            if any(word not in ("number", "of", "the", "different") for word in gap):
                continue
            if comparison is not None:
                self.having = comparison
                self.used |= comparison.span
            group, self.target = self.target, counted
            self.manager = self._counted(kind.manager, self.manager)
            self.ways.routed.add(kind.manager)
            return [group]
        return []

    def _counted(self, counted: str, group: str) -> str:
        """The type whose rows are counted: the one named, or the one between where its rows belong to many groups."""
        back = self.ways.between(counted, group)
        if back is None or not self.catalog.is_many(counted, back):
            return counted
        stops = self.catalog.stops(counted, back)
        rest = self.catalog.route(stops[0], group) if stops else None
        return counted if rest is None or self.catalog.is_many(stops[0], rest) else stops[0]

    def _link_counted(self) -> tuple[str, ...]:
        """How many of one named row another holds: the one number on the type that links the two."""
        rows = [(m, r) for m in self.mentions for r in m.of("row")[:1] if r is m.readings[0]]
        if not self.question.counting or len(rows) != 2 or (self.target and self.target.span not in self.beside):
            return ()
        first, second = rows[0][1], rows[1][1]
        way = self.ways.between(first.manager, second.manager)
        stops = self.catalog.stops(first.manager, way) if way else ()
        if not way or not stops or len(way) < 2 or not self.catalog.is_many(first.manager, way[:1]):
            return ()
        link = self.catalog.managers.get(stops[0], Manager(stops[0]))
        if not link.whole:
            self._ask_schema(stops[0])
        numeric = link.of(NUMERIC)
        if link.whole and len(numeric) != 1:
            self.trouble = f"I cannot tell how many {first.value} go with {second.value}."
        self.manager, self.target = stops[0], None
        return numeric[:1]

    def _retarget(self, fields: list[Read]) -> list[Read]:
        """Ask the type that has the field, where a field was asked for that the named type does not have."""
        asked_for_itself = self.target is not None and self.target.span not in self.beside
        wanted = [(m, r) for m, r in fields if r.sort == "field" and r.manager != self.manager and r.score >= 0.7]
        if len(wanted) != 1 or len(fields) != 1 or (asked_for_itself and not self.question.measure):
            return fields
        mention, reading = wanted[0]
        ways = []
        for option in mention.of("field"):
            way = self.catalog.route(option.manager, self.manager)
            if way is not None and option.score >= reading.score - 0.01:
                ways.append((len(way), option))
        if not ways:
            return fields
        _, best = min(ways, key=lambda pair: pair[0])
        if self.target is not None and asked_for_itself:
            self.ways.routed.add(self.manager)
        self.manager = best.manager
        return [(mention, best)]

    def _limit(self) -> None:
        """A number right before the asked-for type, or before what qualifies it, is how many are wanted."""
        best = self.question.superlative
        for amount in self.question.amounts:
            if amount.unit or any(amount.span & c.span for c in self.question.comparisons):
                continue
            after = [m for m in self.mentions if m.first > max(amount.span)]
            if self.target and after and after[0] is self.target and after[0].first - max(amount.span) <= 2 and best:
                self.limit = int(amount.number)
                self.used |= amount.span

    # -- readings ------------------------------------------------------------------------------------------------------

    def _read(self, mention: Mention) -> Reading | None:
        """The likeliest reading of a mention, given the type asked for; None for one that names a type."""
        kind = mention.names_type
        others = [r for r in mention.readings if r.sort != "type"]
        if mention.span in self.beside or (kind and (not others or kind.score >= others[0].score)):
            own = [r for r in others if r.manager == self.manager and r.whole and r.sort == "relation"]
            return own[0] if own and mention.span not in self.beside else None
        return min(others, key=lambda r: self._cost(mention, r), default=None)

    def _cost(self, mention: Mention, reading: Reading) -> float:
        cost = (1 - reading.score) * 2 + (0 if reading.whole else 0.4)
        if any(row == reading for row in self.beside.values()):
            return cost - 2
        if reading.manager == self.manager:
            cost -= 0.2 if reading.sort != "row" else 0
        else:
            named = [m for m in self.mentions if any(r.manager == reading.manager for r in m.of("type"))]
            close = min((min(abs(m.first - mention.last), abs(mention.first - m.last)) for m in named), default=9)
            way = self.catalog.route(self.manager, reading.manager)
            distance = len(way) if way is not None else 3
            cost += (0.15 + 0.15 * close if named else 0.6) + 0.1 * distance
        beside_field = any(
            r.name == reading.name and r.manager == reading.manager and abs(m.first - mention.first) <= 2
            for m in self.mentions
            if m is not mention
            for r in m.of("field")
        )
        return cost - (0.8 if beside_field else 0)

    def _guesses(self, readings: Sequence[Read]) -> tuple[str, ...]:
        """What was taken for a slip of the finger, as `"wrold" for "world"`."""
        chosen = [(m, r, r.value if r.sort in ("row", "choice") else r.name) for m, r in readings]
        chosen += [(m, k, k.manager) for m in self.mentions if (k := m.names_type)]
        found: list[str] = []
        for mention, reading, name in chosen:
            words = split(name) or (name,)
            for place in sorted(mention.span & reading.span):
                token = self.question.tokens[place]
                best = max((nearness(token.lower, word), word) for word in words)
                if best[0] == 0.7:
                    found.append(f'"{token.text}" for "{name if reading.sort == "row" else say(name)}"')
        return tuple(dict.fromkeys(found))

    # -- conditions ----------------------------------------------------------------------------------------------------

    def _rows(self, readings: Sequence[Read]) -> None:
        for mention, reading in readings:
            if reading.sort != "row" or reading.hit is None:
                continue
            self.used |= mention.span
            for span, row in self.beside.items():
                if row.span & mention.span:
                    self.used |= span
                    self.ways.routed.add(reading.manager)
            ready = self._ready(reading)
            route = self.ways.to(reading.manager, mention, ready[0] if ready else None)
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
            self.used |= mention.span
            route = self.ways.to(reading.manager, mention)
            if route is None:
                self._no_way(reading.manager)
                continue
            self.ways.routed.add(reading.manager)
            if reading.sort == "choice":
                for m in self.mentions:  # the name of a field beside its value says nothing more: "colour red"
                    if m is not mention and any(
                        r.name == reading.name and r.manager == reading.manager for r in m.of("field")
                    ):
                        self.used |= m.span
                self._add(mention, Condition(route, reading.name, "", reading.value))
            else:
                self.conditions.append(Condition(route, reading.name, "", not self._denied(mention)))

    def _add(self, mention: Mention, condition: Condition) -> None:
        joined = self.question.lowers[mention.first - 1] if mention.first else ""
        self.conditions.append(replace(condition, exclude=self._denied(mention), joined=joined))

    def _denied(self, mention: Mention) -> bool:
        for place in self.question.negations:
            between = self.question.lowers[place + 1 : mention.first]
            if place < mention.first and len(between) <= 4 and place not in self.used:
                if not any(m.of("choice", "flag", "row") and place < m.first < mention.first for m in self.mentions):
                    self.used.add(place)
                    return True
        return False

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
            if amount.span & spent or amount.span <= self.used or self.limit == amount.number:
                continue
            place = bound.amount(amount, amount.kind if amount.unit else "-", amount.span)
            if self._is_bound(place, amount.span) and (route := self.ways.to(place.manager)) is not None:
                self.conditions.append(Condition(route, place.field, "", place.value))

    def _periods(self, bound: bind.Fields) -> list[Condition]:
        found: list[Condition] = []
        for period in self.question.periods:
            place = bound.date(period.span)
            if not self._is_bound(place, period.span) or (route := self.ways.to(place.manager)) is None:
                continue
            if period.first:
                found.append(Condition(route, place.field, "gte", period.first.isoformat()))
            if period.last:
                found.append(Condition(route, place.field, "lte", period.last.isoformat()))
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
            if {"until", "when"} & set(self.question.lowers) or self.question.lowers[0] == "what":
                continue
            if (route := self.ways.to(reading.manager, mention)) is not None:
                bound.spend(mention)
                self.used |= mention.span
                lookup = "lt" if self._denied(mention) else "gte"
                found.append(Condition(route, reading.name, lookup, self.today.isoformat()))
        return found

    def _is_bound(self, place: bind.Place, span: Span) -> bool:
        """Whether a field was found; if not, what is needed or in the way is noted."""
        self.needs += place.needs
        if place.field and not place.needs:
            self.used |= place.used
            return True
        if not place.field and not place.needs:
            words = self.question.words(span)
            if place.options:
                options = join([say(name) for name in place.options], "or")
                self.trouble = self.trouble or f'Which field do you mean with "{words}": {options}?'
            else:
                nouns = plural(say(self.manager))
                self.trouble = self.trouble or f'I could not tell which field of {nouns} "{words}" is about.'
        return False

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
        if not left:
            return
        overdue = bind.overdue(self._here)
        if overdue is None:
            if not self._here.whole:
                self._ask_schema(self.manager)
            return
        due, ended = overdue
        self.used |= left
        self.conditions.append(Condition((), due, "lt", self.today.isoformat()))
        for name, choices in ended.items():
            self.conditions += [Condition((), name, "", choice, exclude=True) for choice in choices]

    # -- measures, sequence, groups ------------------------------------------------------------------------------------

    def _measures(self, bound: bind.Fields) -> tuple[str, ...]:
        question = self.question
        if not question.measure or bound.is_spent(question.measure_span) or bound.has(question.measure_span):
            return ()
        place = bound.number(question.measure_span, "")
        if not self._is_bound(place, question.measure_span):
            return ()
        if place.manager != self.manager:
            self.trouble = self.trouble or f"I cannot add up {say(place.field)} of {say(place.manager)} that way."
        return (f"{question.measure}:{place.field}",)

    def _sequence(self, bound: bind.Fields, measures: Sequence[str]) -> tuple[tuple[str, ...], int]:
        best = self.question.superlative
        if self.question.ordering:
            place = bound.any(self.question.ordering)
            if self._is_bound(place, self.question.ordering):
                down = {"descending", "desc"} & set(self.question.lowers)
                route = self.ways.to(place.manager) or ()
                return (("-" if down else "") + "__".join((*route, place.field)),), self.limit
        if best is None:
            return (), self.limit
        sign = "-" if best.direction > 0 else ""
        count = max(best.count, self.limit)
        if self.grouped:
            return (f"{sign}{measures[0] if measures else 'count'}",), count
        place = bound.date_or_number(best.span, best.kind)
        if not self._is_bound(place, best.span):
            return (), count
        route = self.ways.to(place.manager) or ()
        return (sign + "__".join((*route, place.field)),), count

    def _group_by(self) -> tuple[str, ...]:
        keys: list[str] = []
        for mention in self.grouped:
            self.used |= mention.span
            own = [r for r in mention.of("field", "relation") if r.manager == self.manager and r.whole]
            kind = mention.names_type
            if own and not (kind and own[0].sort == "field" and kind.score > own[0].score):
                keys.append(own[0].name)
            elif kind and (route := self.ways.to(kind.manager)) is not None:
                keys.append("__".join(route))
            elif kind:
                self._no_way(kind.manager)
            elif (field := next(iter(mention.of("field")), None)) and (
                route := self.ways.to(field.manager)
            ) is not None:
                keys.append("__".join((*route, field.name)))
        return tuple(keys)

    def _ask_schema(self, name: str) -> None:
        if name not in self.catalog.asked:
            self.needs.append(Need("get_manager_schema", {"manager": name}))

    # -- earlier rows, what is shown, what is left ---------------------------------------------------------------------

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
        replaced = {(c.route, c.field) for c in self.conditions} if self.question.varies else set()
        for exclude, filters in ((False, earlier.filters), (True, earlier.exclude)):
            for key, value in filters.items():
                way, name, lookup = parse(key)
                if (way, name) not in replaced:
                    base.append(Condition((*route, *way), name, lookup, value, exclude))
        return base

    def _shown(self, bound: bind.Fields) -> tuple[tuple[str, ...], str]:
        """The fields to show beside the naming ones: those asked for by name, and by "how heavy" and the like."""
        self.used |= self.ways.used
        shown: list[str] = []
        for mention, reading in bound.free():
            if mention.span <= self.used:
                continue
            route = self.ways.to(reading.manager)
            if route is not None:
                self.used |= mention.span
                shown.append("__".join((*route, reading.name)))
        kind = self.question.how
        if kind and not shown and not self.question.comparisons:
            place = bound.date_or_number(NOWHERE, "" if kind == "*" else kind)
            self.needs += place.needs
            if place.field:
                shown.append(place.field)
            elif not place.needs:
                nouns = plural(say(self.manager))
                self.trouble = self.trouble or f"I found no field of {nouns} that tells how much that is."
        return tuple(dict.fromkeys(shown)), kind

    def _leftover_types(self) -> list[str]:
        """Types named beside the one asked for: those on a way are explained, a direct single relation is shown."""
        shown: list[str] = []
        for mention in self.mentions:
            kind = mention.names_type
            if not kind or mention.span <= self.used:
                continue
            passed = {*self.ways.routed, self.manager}
            if any(r.manager in passed for r in mention.of("type") if r.score >= kind.score - 0.1):
                self.used |= mention.span
                continue
            single = [r for r in self._here.single if self._here.leads_to(r) == kind.manager]
            before = self.question.lowers[max(0, mention.first - 2) : mention.first]
            if single and {"their", "its", "the", "and", "with", "which", "what", "whose", "show"} & set(before):
                self.used |= mention.span
                shown.append(single[0])
        return shown

    def _unexplained(self) -> Span:
        """The places of words nothing explains; one that a used type's description has is explained by it."""
        left: set[int] = set()
        passed = {self.manager, *self.ways.routed}
        abouts = [self.catalog.managers[name].about for name in passed if name in self.catalog.managers]
        told = {word for about in abouts for word in split(about) if word not in FUNCTION}
        for place in (*self.question.content, *self.question.own, *self.question.negations):
            token = self.question.tokens[place]
            if place in self.used or token.lower in RELATING:
                continue
            if token.capital or token.has_digit or not any(nearness(token.lower, word) >= 0.75 for word in told):
                left.add(place)
        if self.question.refers and self.earlier is None and not self._is_inner_reference():
            left |= self.question.refers
        return frozenset(left)

    def _is_inner_reference(self) -> bool:
        """Whether a pronoun means something of the same sentence: "towns and their bridges"."""
        owning = all(self.question.lowers[i] in ("their", "its", "his", "her") for i in self.question.refers)
        return owning and any(m.names_type or m.of("row") for m in self.mentions if m.first < min(self.question.refers))

    def _no_way(self, end: str) -> None:
        if not any(need.tool == "find_path" for need in self.needs):
            self.trouble = self.trouble or f"I see no way from {plural(say(self.manager))} to {plural(say(end))}."

    def _clash(self, sense: Sense) -> str:
        both = clash(sense.conditions)
        return f'I can look for only one of "{both[0].value}" and "{both[1].value}" at a time.' if both else ""

    # -- what kind of answer -------------------------------------------------------------------------------------------

    def _ask(self, sense: Sense) -> Sense:
        question = self.question
        if sense.group_by or sense.measures:
            return replace(sense, ask="groups")
        named = {reading.name for reading in self.itself}
        itself = [c for c in sense.conditions if not c.route and c.field in named]
        others = [c for c in sense.conditions if c not in itself]
        if question.checks and itself and others and all(not c.route for c in others):
            shown = tuple(dict.fromkeys((*sense.shown, *(c.field for c in others))))
            return replace(sense, ask="check", conditions=tuple(itself), shown=shown, expected=others[0])
        if question.counting and not sense.shown:
            return replace(sense, ask="count")
        if question.exists or (question.checks and others):
            return replace(sense, ask="exists")
        if sense.shown:
            return replace(sense, ask="values")
        if itself and not others:
            if not self._here.whole:
                self._ask_schema(self.manager)
            return replace(sense, ask="details", shown=self._all_fields())
        return replace(sense, ask="list")

    def _all_fields(self) -> tuple[str, ...]:
        here = self._here
        keys = {f"{r}Id" for r in here.relations} | {f"{r}_id" for r in here.relations}
        return (*(name for name in here.fields if name not in keys), *here.single)

    def _turned(self, sense: Sense) -> Sense:
        """Ask the named row itself, where all that is wanted is what it belongs to: "the owner's town of bridge Alba"."""
        if sense.ask != "list" or len(sense.conditions) != 1 or sense.order_by or self.earlier is not None:
            return sense
        condition = sense.conditions[0]
        end = self.catalog.reach(self.manager, condition.route)
        row = next((r for m in self.mentions for r in m.of("row") if r.manager == end and r.whole), None)
        if not condition.route or row is None or condition.exclude or condition.field != row.name:
            return sense
        back = self.catalog.route(end, self.manager)
        if not back or self.catalog.is_many(end, back) or self.catalog.cost(end, back) > len(back):
            return sense
        there = self.catalog.managers.get(end, Manager(end))
        return replace(
            sense,
            manager=end,
            ask="values",
            conditions=(Condition((), condition.field, condition.lookup, condition.value),),
            shown=("__".join(back),),
            naming=there.naming or there.single,
        )
