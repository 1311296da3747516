"""Understand: put the linked words of a question together into its sense."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace

from dragoman.providers.planner import bind, target
from dragoman.providers.planner.catalog import Catalog, Manager
from dragoman.providers.planner.lexicon import DEALING, FUNCTION, RELATING
from dragoman.providers.planner.link import Mention
from dragoman.providers.planner.pivot import Pivot
from dragoman.providers.planner.question import NOWHERE, Question, Span
from dragoman.providers.planner.sense import Condition, Earlier, Sense, clash, parse
from dragoman.providers.planner.words import join, nearness, plural, say, split


def understand(
    question: Question, mentions: Sequence[Mention], catalog: Catalog, earlier: Earlier | None, today: dt.date
) -> Sense:
    """What the question means. Never guesses over words it could not place: those are in `missing`."""
    return _Understanding(question, mentions, catalog, earlier, today).sense()


class _Understanding(Pivot):
    """A reader that puts everything together."""

    def sense(self) -> Sense:
        question = self.question
        self.grouped = list(target.groups(question, self.mentions, self.beside))
        before = self.earlier.manager if self.earlier else ""
        chosen = target.choose(question, self.mentions, self.beside, self.grouped, before)
        if chosen is None:
            return Sense("", missing=self._unexplained(), trouble="" if question.content else "nothing")
        self.manager, self.target = chosen.manager, chosen.mention
        self.grouped += self._pivot() or self._most_by_relation()
        linked = self._link_counted()
        self._limit()
        self.used |= self.target.span if self.target else NOWHERE
        readings = [
            (m, r) for m in self.mentions if m is not self.target and m not in self.grouped and (r := self._read(m))
        ]
        fields = self._retarget([(m, r) for m, r in readings if r.sort in ("field", "relation")])
        self.ways.begin(self.manager, self.target, self.grouped, self.beside)
        bound = bind.Fields(question, self.catalog, self.manager, fields)
        bound.spoken_of = frozenset(r.manager for m in self.mentions for r in m.of("type", "row")[:2])
        if self.earlier and self.earlier.manager == self.manager:
            bound.preferred = frozenset(parse(key)[1] for key in self.earlier.filters if not parse(key)[0])
        bound.drop_bare_measure(self.target is not None and self.target.span in self.beside)
        compared = self._comparisons(bound)
        dated = [*self._periods(bound), *self._gone_by(bound), *self._valid(bound), *self._absent(bound)]
        measures = self._measures(bound)
        order_by, limit = self._sequence(bound, measures)
        self._rows(readings)
        self._flags(readings)
        self._texts(bound)
        self._numbers(bound)
        self._overdue()
        self.conditions += [*compared, *dated]
        base = self._base()
        group_by = (*self._group_by(), *self._stretches(bound, dated))
        shown, kind = self._shown(bound)
        shown = tuple(dict.fromkeys((*linked, *shown, *self._leftover_types())))
        sense = Sense(
            self.manager,
            conditions=(*base, *self.conditions),
            shown=shown,
            order_by=order_by,
            limit=limit,
            group_by=group_by,
            measures=measures or (("count",) if group_by else ()),
            having=self.having,
            kind=kind,
            missing=self._unexplained(),
            naming=self._here.naming or self._here.single,
            guesses=self._guesses(readings),
        )
        sense = self._turned(self._ask(sense))
        trouble = self._future() or self.trouble or self._joined() or self._clash(sense)
        return replace(sense, needs=tuple(self.needs), trouble=trouble)

    # -- measures, sequence, groups

    def _measures(self, bound: bind.Fields) -> tuple[str, ...]:
        question = self.question
        if self.grouped and not question.measure and question.superlative and not self.having and self.target is None:
            place = bound.number(question.superlative.span, "")
            return (f"sum:{place.field}",) if self._is_bound(place, question.superlative.span) else ()
        single = bool(question.comparisons or question.superlative) or (self.target and self.target.span in self.beside)
        bare = [(m, r) for m, r in bound.free() if m.span <= question.measure_span]
        if question.measure and bare and self.target and not single and bare[0][1].manager == self.manager:
            bound.spend(bare[0][0])
            self.used |= question.measure_span
            return (f"{question.measure}:{bare[0][1].name}",)
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
            if not place.field and not place.needs and "name" in self.question.lowers and self._here.naming:
                place = bind.Place(self.manager, self._here.naming[0], None, self.question.ordering)
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
            elif kind and (route := self.ways.to(kind.manager, mention)) is not None:
                keys.append("__".join(route))
            elif kind:
                self._no_way(kind.manager)
            elif (field := next(iter(mention.of("field")), None)) and (
                route := self.ways.to(field.manager)
            ) is not None:
                keys.append("__".join((*route, field.name)))
        return tuple(keys)

    def _stretches(self, bound: bind.Fields, dated: Sequence[Condition]) -> tuple[str, ...]:
        """ "per month", "each year": groups by the date a period is about, else by the one named, else by the only one."""
        for place in self.question.grouping:
            word = self.question.lowers[place + 1] if place + 1 < len(self.question.lowers) else ""
            if word not in ("month", "year"):
                continue
            self.used.add(place + 1)
            own = [condition.field for condition in dated if not condition.route]
            if own:
                return (f"{own[0]}__{word}",)
            found = bound.date(frozenset({place, place + 1}))
            return (f"{found.field}__{word}",) if self._is_bound(found, frozenset({place, place + 1})) else ()
        return ()

    # -- what is shown, what is left

    def _shown(self, bound: bind.Fields) -> tuple[tuple[str, ...], str]:
        """The fields to show beside the naming ones: those asked for by name, and by "how heavy" and the like."""
        self.used |= self.ways.used
        shown: list[str] = []
        for mention, reading in bound.free():
            if mention.span <= self.used or not self._is_wanted(mention, reading):
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
            if self._exists(mention, kind.manager):
                continue
            single = [r for r in self._here.single if self._here.leads_to(r) == kind.manager]
            before = self.question.lowers[max(0, mention.first - 2) : mention.first]
            if single and {"their", "its", "the", "and", "with", "which", "what", "whose", "show"} & set(before):
                self.used |= mention.span
                shown.append(single[0])
        return shown

    def _exists(self, mention: Mention, name: str) -> bool:
        """ "towns with bridges", "towns without bridges": whether rows of a type are there at all."""
        before = self.question.lowers[max(0, mention.first - 3) : mention.first]
        if not {"with", "without", "have", "has", "having", "no", "any"} & set(before):
            return False
        route = self.ways.to(name)
        if not route or not self.catalog.is_many(self.manager, route):
            return False
        self.used |= mention.span
        self.conditions.append(Condition(route, "id", "isnull", False, exclude=self._denied(mention)))
        return True

    def _unexplained(self) -> Span:
        """The places of words nothing explains; one that a used type's description has is explained by it."""
        left: set[int] = set()
        passed = {self.manager, *self.ways.routed}
        abouts = [self.catalog.managers[name].about for name in passed if name in self.catalog.managers]
        told = {word for about in abouts for word in split(about) if word not in FUNCTION}
        types = {i for m in self.mentions if (k := m.names_type) and k.score >= 0.9 for i in m.span}
        for place in (*self.question.content, *self.question.own, *self.question.negations):
            token = self.question.tokens[place]
            if place in self.used or token.lower in RELATING:
                continue
            if (
                place in types
                or token.capital
                or token.has_digit
                or not any(nearness(token.lower, word) >= 0.75 for word in told)
            ):
                left.add(place)
        if self.question.refers and self.earlier is None and not self._is_inner_reference():
            left |= self.question.refers
        return frozenset(left)

    def _is_inner_reference(self) -> bool:
        """Whether a pronoun means something of the same sentence: "towns and their bridges"."""
        owning = all(self.question.lowers[i] in ("their", "its", "his", "her") for i in self.question.refers)
        return owning and any(m.names_type or m.of("row") for m in self.mentions if m.first < min(self.question.refers))

    def _clash(self, sense: Sense) -> str:
        both = clash(sense.conditions)
        return f'I can look for only one of "{both[0].value}" and "{both[1].value}" at a time.' if both else ""

    # -- what kind of answer

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
            if DEALING & set(question.lowers) and (lists := [r for r in self._here.relations if self._here.is_many(r)]):
                kinds = join([plural(say(self._here.leads_to(r))) for r in lists], "or")
                self.trouble = self.trouble or f"Which do you want to know of: {kinds}?"
            if not self._here.whole:
                self._ask_schema(self.manager)
            return replace(sense, ask="details", shown=self._all_fields())
        return replace(sense, ask="list")

    def _all_fields(self) -> tuple[str, ...]:
        here = self._here
        keys = {f"{r}Id" for r in here.relations} | {f"{r}_id" for r in here.relations}
        return (*(name for name in here.fields if name not in keys), *here.single)

    def _turned(self, sense: Sense) -> Sense:
        """Ask the named row itself, where all that is wanted is what it belongs to: "the town of bridge Alba"."""
        if sense.ask != "list" or len(sense.conditions) != 1 or sense.order_by or self.earlier is not None:
            return sense
        condition = sense.conditions[0]
        end = self.catalog.reach(self.manager, condition.route)
        row = next((r for m in self.mentions for r in m.of("row") if r.manager == end and r.whole), None)
        if not condition.route or row is None or condition.exclude or condition.field != row.name:
            return sense
        back = self.catalog.route(end, self.manager)
        if not back or self.catalog.is_many(end, back) or self.catalog.toll(end, back) > len(back):
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
