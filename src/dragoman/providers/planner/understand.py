"""Understand: put the linked words of a question together into its sense."""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from dragoman.providers.planner import bind, target
from dragoman.providers.planner.amounts import Comparison
from dragoman.providers.planner.catalog import Catalog, Manager, Route
from dragoman.providers.planner.lexicon import FUNCTION, RELATING
from dragoman.providers.planner.link import Mention, Reading
from dragoman.providers.planner.question import NOWHERE, Question, Span
from dragoman.providers.planner.sense import Condition, Earlier, Need, Sense, clash, parse
from dragoman.providers.planner.words import join, nearness, plural, say, split


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
        self.today = today
        self.question = question
        self.mentions = tuple(mentions)
        self.catalog = catalog
        self.earlier = earlier if question.refers or question.varies else None
        self.used: set[int] = set()
        self.needs: list[Need] = []
        self.trouble = ""
        self.conditions: list[Condition] = []
        self.manager = ""
        self.target: Mention | None = None
        self.routed: set[str] = set()
        self.followed: dict[Span, int] = {}

    # -- the whole -----------------------------------------------------------------------------------------------------

    def sense(self) -> Sense:
        question = self.question
        self.beside = dict(target.appositions(question, self.mentions))
        grouped = list(target.groups(question, self.mentions, self.beside))
        chosen = target.choose(
            question, self.mentions, self.beside, grouped, self.earlier.manager if self.earlier else ""
        )
        if chosen is None:
            return Sense("", missing=self._unexplained(), trouble="" if question.content else "nothing")
        self.manager, self.target = chosen.manager, chosen.mention
        grouped += self._pivot(grouped)
        self.grouped = grouped
        if self.target:
            self.used |= self.target.span
        readings = [(m, r) for m in self.mentions if m is not self.target and m not in grouped and (r := self._read(m))]
        fields = [(m, r) for m, r in readings if r.sort in ("field", "relation")]
        fields = self._retarget(fields)
        bound = bind.Fields(question, self.catalog, self.manager, fields)
        compared = self._comparisons(bound)
        dated = self._periods(bound)
        measures = self._measures(bound)
        order_by, limit = self._sequence(bound, measures)
        self._rows(readings)
        self._flags(readings)
        self._texts(bound)
        self._numbers(bound)
        self._overdue()
        self.conditions += [*compared, *dated]
        base = self._base()
        group_by = self._group_by(grouped)
        shown, kind = self._shown(bound)
        self._leftover_types(bound)
        shown = tuple(dict.fromkeys((*shown, *bound.extra)))
        missing = self._unexplained()
        sense = Sense(
            self.manager,
            conditions=(*base, *self.conditions),
            shown=shown,
            order_by=order_by,
            limit=limit,
            group_by=group_by,
            measures=measures or (("count",) if grouped else ()),
            having=self.having,
            kind=kind,
            missing=missing,
            trouble=self.trouble,
            naming=self._here.naming or self._here.single,
        )
        sense = self._ask(sense)
        return replace(sense, needs=tuple(self.needs), trouble=self.trouble or self._clash(sense))

    @property
    def _here(self) -> Manager:
        return self.catalog.managers.get(self.manager, Manager(self.manager))

    # -- type, route, reading ------------------------------------------------------------------------------------------

    def _pivot(self, grouped: Sequence[Mention]) -> list[Mention]:
        """Count another type per row of the asked-for one: "which town has the most bridges", "more than 3 bridges"."""
        self.having = None
        question = self.question
        if self.target is None:
            return []
        ends: list[tuple[int, Comparison | None]] = [(max(c.span), c) for c in question.comparisons if not c.amount.unit and not c.kind]
        if question.superlative and not question.superlative.kind and not question.measure:
            ends.append((max(question.superlative.span), None))
        for end, comparison in ends:
            counted = next((m for m in self.mentions if m.first > end), None)
            kind = counted.names_type if counted else None
            gap = question.lowers[end + 1 : counted.first] if counted else ()
            if not counted or not kind or kind.manager == self.manager or counted.span in self.beside:
                continue
            if any(word not in ("number", "of", "the", "different") for word in gap):
                continue
            if comparison is not None:
                self.having = comparison
                self.used |= comparison.span
            group, self.target = self.target, counted
            self.manager = self._counted(kind.manager, self.manager)
            self.routed.add(kind.manager)
            return [group]
        return []

    def _counted(self, counted: str, group: str) -> str:
        """The type whose rows are counted: the one named, or the one between where its rows belong to many groups."""
        back = self._way(counted, group)
        if back is None or not self.catalog.is_many(counted, back):
            return counted
        between = self.catalog.stops(counted, back)[0]
        rest = self.catalog.route(between, group)
        return counted if rest is None or self.catalog.is_many(between, rest) else between

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
        if self.beside and any(row is reading or row == reading for row in self.beside.values()):
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

    def _retarget(self, fields: list[tuple[Mention, Reading]]) -> list[tuple[Mention, Reading]]:
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
            self.routed.add(self.manager)
        self.manager = best.manager
        return [(mention, best)]

    def _route(self, end: str, mention: Mention | None = None, known: Route | None = None) -> Route | None:
        """The way to a type: over a type named just before, or the shortest; a need is noted where none is known."""
        if end == self.manager:
            return ()
        if mention is not None and (over := self._over(end, mention)) is not None:
            return over
        way = known if known is not None else self._way(self.manager, end)
        if way:
            self.routed.update(self.catalog.stops(self.manager, way))
            self.routed.add(end)
        return way

    def _over(self, end: str, mention: Mention) -> Route | None:
        """The way over a relation or another type the question names: "owned by X", "towns with bridges from X"."""
        for m in self.mentions:
            for r in m.of("relation"):
                if (
                    r.manager == self.manager
                    and self._here.leads_to(r.name) == end
                    and r.score >= 0.6
                    and m is not mention
                ):
                    self.used |= m.span
                    self.routed.add(end)
                    return (r.name,)
        middle = [m for m in self.mentions if m.names_type and m is not self.target and m not in self.grouped]
        middle = [m for m in middle if m.span not in self.beside and m.names_type.manager not in (end, self.manager)]  # type: ignore[union-attr]
        before = [m for m in middle if m.last < mention.first and not self._spent(m, mention)]
        direct = self.catalog.route(self.manager, end)
        passed = self.catalog.stops(self.manager, direct) if direct else ()
        loose = [m for m in middle if m.names_type and m.names_type.manager not in self.routed]
        for m in [*reversed(before), *(loose if not before else ())]:
            name = m.names_type.manager  # type: ignore[union-attr]
            if name in passed and direct:
                break
            first, second = self._way(self.manager, name), self._way(name, end)
            if first is not None and second is not None and len(first) + len(second) <= 6:
                way = (*first, *second)
                self.followed.setdefault(m.span, mention.last)
                self.routed |= {name, end, *self.catalog.stops(self.manager, way)}
                return way
        return None

    def _spent(self, middle: Mention, mention: Mention) -> bool:
        """Whether another condition between the two has already been hung on the middle one."""
        last = self.followed.get(middle.span)
        if last is None:
            return False
        gap = self.question.lowers[last + 1 : mention.first]
        return any(word not in ("and", "or", "the", "in", "from") for word in gap)

    def _way(self, start: str, end: str) -> Route | None:
        asked = (start, end) in self.catalog.routes
        way = self.catalog.route(start, end)
        if way is not None and (asked or len(way) <= 1):
            return way
        if not asked:
            self.needs.append(Need("find_path", {"from": start, "to": end}))
        return way

    # -- conditions ----------------------------------------------------------------------------------------------------

    def _rows(self, readings: Sequence[tuple[Mention, Reading]]) -> None:
        for mention, reading in readings:
            if reading.sort != "row" or reading.hit is None:
                continue
            self.used |= mention.span
            for span, row in self.beside.items():
                if row.span & mention.span:
                    self.used |= span
                    self.routed.add(reading.manager)
            ready = self._ready(reading)
            route = self._route(reading.manager, mention, ready[0] if ready else None)
            if route is None:
                self.trouble = self.trouble or self._no_way(reading.manager)
                continue
            if reading.whole:
                lookup, value = reading.hit.lookup, reading.value
                if ready and route == ready[0]:
                    lookup, value = ready[1], ready[2]
            else:
                lookup, value = "icontains", self.question.words(mention.span)
            self._add(mention, Condition(route, reading.name, lookup, value))

    def _ready(self, reading: Reading) -> tuple[Route, str, Any] | None:
        for key, value in (reading.hit.filters.get(self.manager) or {}).items() if reading.hit else ():
            route, name, lookup = parse(key)
            if name == reading.name:
                return route, lookup, value
        return None

    def _flags(self, readings: Sequence[tuple[Mention, Reading]]) -> None:
        for mention, reading in readings:
            if reading.sort not in ("flag", "choice"):
                continue
            self.used |= mention.span
            route = self._route(reading.manager, mention)
            if route is None:
                self.trouble = self.trouble or self._no_way(reading.manager)
                continue
            self.routed.add(reading.manager)
            if reading.sort == "choice":
                self._spend_fields(mention, reading)
                self._add(mention, Condition(route, reading.name, "", reading.value))
            else:
                denied = self._denied(mention)
                self._add(None, Condition(route, reading.name, "", not denied))

    def _spend_fields(self, mention: Mention, reading: Reading) -> None:
        """The name of a field beside its value says nothing more: "colour red"."""
        for m in self.mentions:
            if m is not mention and any(r.name == reading.name and r.manager == reading.manager for r in m.of("field")):
                self.used |= m.span

    def _add(self, mention: Mention | None, condition: Condition) -> None:
        denied = mention is not None and self._denied(mention)
        joined = self.question.lowers[mention.first - 1] if mention is not None and mention.first else ""
        self.conditions.append(replace(condition, exclude=denied, joined=joined))

    def _denied(self, mention: Mention) -> bool:
        for place in self.question.negations:
            between = self.question.lowers[place + 1 : mention.first]
            if place < mention.first and len(between) <= 4 and place not in self.used:
                crossed = any(m.of("choice", "flag", "row") and place < m.first < mention.first for m in self.mentions)
                if not crossed:
                    self.used.add(place)
                    return True
        return False

    def _comparisons(self, bound: bind.Fields) -> list[Condition]:
        found: list[Condition] = []
        for comparison in self.question.comparisons:
            if comparison is self.having:
                continue
            place = bound.amount(comparison.amount, comparison.kind, comparison.span)
            if place.needs or not place.field:
                self._unbound(place, comparison.span)
                continue
            self.used |= place.used
            route = self._route(place.manager)
            if route is not None:
                sign = "" if comparison.sign == "exact" else comparison.sign
                found.append(Condition(route, place.field, sign, place.value))
        return found

    def _numbers(self, bound: bind.Fields) -> None:
        """Numbers beside the name of a field: "with 3 floors", "size 5"."""
        taken = (
            frozenset().union(*(c.span for c in self.question.comparisons)) if self.question.comparisons else NOWHERE
        )
        spent = self.question.superlative.span if self.question.superlative else NOWHERE
        for amount in self.question.amounts:
            if amount.span & (taken | spent) or amount.span <= self.used or (self.question.limit == amount.number):
                continue
            place = bound.amount(amount, amount.kind if amount.unit else "-", amount.span)
            if place.field and not place.needs:
                self.used |= place.used
                if (route := self._route(place.manager)) is not None:
                    self.conditions.append(Condition(route, place.field, "", place.value))
            elif not self.question.counting or amount.unit:
                self._unbound(place, amount.span)

    def _periods(self, bound: bind.Fields) -> list[Condition]:
        found: list[Condition] = []
        for period in self.question.periods:
            place = bound.date(period)
            if place.needs or not place.field:
                self._unbound(place, period.span)
                continue
            self.used |= place.used
            route = self._route(place.manager)
            if route is None:
                continue
            if period.first:
                found.append(Condition(route, place.field, "gte", period.first.isoformat()))
            if period.last:
                found.append(Condition(route, place.field, "lte", period.last.isoformat()))
        return found

    def _unbound(self, place: bind.Place, span: Span) -> None:
        self.needs += place.needs
        if place.field or place.needs:
            return
        words = self.question.words(span)
        if place.options:
            options = join([say(name) for name in place.options], "or")
            self.trouble = self.trouble or f'Which field do you mean with "{words}": {options}?'
        else:
            self.trouble = (
                self.trouble or f'I could not tell which field of {plural(say(self.manager))} "{words}" is about.'
            )

    def _texts(self, bound: bind.Fields) -> None:
        """A word nothing explains beside a text field is its value: "colour teal"."""
        for place in self.question.content:
            if place in self.used or any(place in m.span for m in self.mentions):
                continue
            for mention, reading in bound.free():
                manager = self.catalog.managers.get(reading.manager)
                if manager is None or manager.base(reading.name) != "String":
                    continue
                gap = self.question.lowers[mention.last + 1 : place] if place > mention.last else ("-",)
                if place == mention.first - 1 or (
                    len(gap) <= 2 and all(w in ("is", "of", "by", "like", "called", "the") for w in gap)
                ):
                    if (route := self._route(reading.manager, mention)) is None:
                        continue
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
        if not question.measure:
            return ()
        own = question.measure_span - frozenset().union(*(m.span for m in self.mentions))
        place = bound.number(question.measure_span, "")
        if place.needs or not place.field:
            self._unbound(place, question.measure_span)
            return ()
        self.used |= place.used | own
        if place.manager != self.manager:
            self.trouble = self.trouble or f"I cannot add up {say(place.field)} of {say(place.manager)} that way."
        return (f"{question.measure}:{place.field}",)

    def _sequence(self, bound: bind.Fields, measures: Sequence[str]) -> tuple[tuple[str, ...], int]:
        best = self.question.superlative
        if self.question.ordering:
            place = bound.any(self.question.ordering)
            if place.field:
                self.used |= place.used
                down = {"descending", "desc"} & set(self.question.lowers)
                route = self._route(place.manager) or ()
                return (("-" if down else "") + "__".join((*route, place.field)),), self.question.limit
        if best is None:
            return (), self.question.limit
        sign = "-" if best.direction > 0 else ""
        if self.grouped:
            measure = measures[0] if measures else "count"
            return (f"{sign}{measure}",), best.count
        place = bound.date_or_number(best.span, best.kind)
        if place.needs or not place.field:
            self._unbound(place, best.span)
            return (), best.count
        self.used |= place.used
        if place.manager != self.manager:
            route = self._route(place.manager) or ()
            return (sign + "__".join((*route, place.field)),), best.count
        return (sign + place.field,), best.count

    def _group_by(self, grouped: Iterable[Mention]) -> tuple[str, ...]:
        keys: list[str] = []
        for mention in grouped:
            self.used |= mention.span
            self.used |= {i for i in self.question.grouping if i < mention.first}
            options = [r for r in mention.of("field", "relation") if r.manager == self.manager and r.whole]
            kind = mention.names_type
            if options and options[0].sort == "field" and not (kind and kind.score > options[0].score):
                keys.append(options[0].name)
                continue
            if options and options[0].sort == "relation":
                route: Route | None = (options[0].name,)
                end = self._here.leads_to(options[0].name)
            elif kind:
                end = kind.manager
                route = self._route(end)
            else:
                field = next(iter(mention.of("field")), None)
                if field and (route := self._route(field.manager)) is not None:
                    keys.append("__".join((*route, field.name)))
                continue
            self.routed.add(end)
            if route is None:
                self.trouble = self.trouble or self._no_way(end)
            else:
                keys.append("__".join(route))
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
        route = () if earlier.manager == self.manager else self._route(earlier.manager)
        if route is None:
            self.trouble = self.trouble or self._no_way(earlier.manager)
            return []
        self.used |= self.question.refers
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
        shown: list[str] = []
        for mention, reading in bound.free():
            if mention.span <= self.used:
                continue
            route = self._route(reading.manager) if reading.manager != self.manager else ()
            if route is None:
                continue
            self.used |= mention.span
            shown.append("__".join((*route, reading.name)))
        kind = self.question.how
        if kind and not shown:
            place = bound.date_or_number(NOWHERE, "" if kind == "*" else kind)
            self.needs += place.needs
            if place.field:
                shown.append(place.field)
            elif not place.needs:
                self.trouble = (
                    self.trouble or f"I found no field of {plural(say(self.manager))} that tells how much that is."
                )
        return tuple(dict.fromkeys(shown)), kind

    def _leftover_types(self, bound: bind.Fields) -> None:
        """Types named beside the one asked for: those on a way are explained, a direct single relation is shown."""
        for mention in self.mentions:
            kind = mention.names_type
            if not kind or mention.span <= self.used:
                continue
            if any(
                r.manager in self.routed or r.manager == self.manager
                for r in mention.of("type")
                if r.score >= kind.score - 0.1
            ):
                self.used |= mention.span
                continue
            for relation in self._here.relations:
                if (
                    self._here.leads_to(relation) == kind.manager
                    and not self._here.is_many(relation)
                    and self._asks_for(mention)
                ):
                    self.used |= mention.span
                    bound.extra.append(relation)
                    break

    def _asks_for(self, mention: Mention) -> bool:
        before = self.question.lowers[max(0, mention.first - 2) : mention.first]
        return bool({"their", "its", "the", "and", "with", "which", "what", "whose", "show"} & set(before))

    def _unexplained(self) -> Span:
        """The places of words nothing explains; one that a used type's description has is explained by it."""
        left: set[int] = set()
        abouts = [self.catalog.managers[n].about for n in {self.manager, *self.routed} if n in self.catalog.managers]
        told = {word for about in abouts for word in split(about) if word not in FUNCTION}
        for place in (*self.question.content, *self.question.own, *self.question.negations):
            token = self.question.tokens[place]
            if place in self.used or (place in self.question.negations and token.lower == "un"):
                continue
            paraphrase = (
                not token.capital and not token.has_digit and any(nearness(token.lower, w) >= 0.75 for w in told)
            )
            if not paraphrase and token.lower not in RELATING:
                left.add(place)
        if self.question.refers and self.earlier is None and not self._inner_reference():
            left |= self.question.refers
        return frozenset(left)

    def _inner_reference(self) -> bool:
        """Whether a pronoun means something of the same sentence: "towns and their bridges"."""
        return any(m.names_type or m.of("row") for m in self.mentions if m.first < min(self.question.refers))

    def _no_way(self, end: str) -> str:
        if any(need.tool == "find_path" for need in self.needs):
            return ""
        return f"I see no way from {plural(say(self.manager))} to {plural(say(end))}."

    def _clash(self, sense: Sense) -> str:
        both = clash(sense.conditions)
        if both:
            return f'I can look for only one of "{both[0].value}" and "{both[1].value}" at a time.'
        return ""

    def _ask(self, sense: Sense) -> Sense:
        question = self.question
        if sense.group_by or sense.measures:
            return replace(sense, ask="groups")
        itself = [c for c in sense.conditions if not c.route and c.field in self._named_fields()]
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
        if itself and not others and not question.counting:
            self._details()
            return replace(sense, ask="details", shown=self._all_fields())
        return replace(sense, ask="list")

    def _named_fields(self) -> set[str]:
        return {hit.field for hit in self.catalog.hits if hit.manager == self.manager}

    def _details(self) -> None:
        if not self._here.whole:
            self._ask_schema(self.manager)

    def _all_fields(self) -> tuple[str, ...]:
        here = self._here
        keys = {f"{r}Id" for r in here.relations} | {f"{r}_id" for r in here.relations}
        return (*(name for name in here.fields if name not in keys), *here.single)
