"""Pivot: the type that is asked for after all, where the words of a question shift it from the one they name."""

from dragoman.providers.planner.amounts import Comparison
from dragoman.providers.planner.catalog import NUMERIC, Manager
from dragoman.providers.planner.conditions import Conditions
from dragoman.providers.planner.link import Mention
from dragoman.providers.planner.reader import Read


class Pivot(Conditions):
    """A reader that knows which type's rows are listed or counted, per which other, and how many are wanted."""

    grouped: list[Mention]  # what the rows are counted or added up by

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
        if question.superlative and question.counting and min(question.counting) > max(question.superlative.span):
            ends.append((max(question.counting), None))  # "top 3 towns by number of bridges"
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

    def _most_by_relation(self) -> list[Mention]:
        """ "Which judge found the most faults": a relation is asked for, so rows are grouped by it and added up."""
        question = self.question
        if not question.superlative or question.superlative.kind or self.target is not None or self.grouped:
            return []
        for mention in self.mentions:
            relations = [r for r in mention.of("relation") if r.manager == self.manager]
            if relations and question.lowers[max(0, mention.first - 1)] in ("which", "what", "whose"):
                return [mention]
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
            if option.score < reading.score - 0.01:
                continue
            way = self.ways.between(option.manager, self.manager)
            others = [self.catalog.route(option.manager, r.manager) for m in self.mentions for r in m.of("row")[:1]]
            if way is not None:
                ways.append((len(way) + sum(9 if other is None else len(other) for other in others), option))
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
