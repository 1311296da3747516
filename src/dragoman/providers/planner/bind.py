"""Bind: which field a number, a date, a measure or a superlative is about."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dragoman.providers.planner.amounts import Amount, kind_of_unit
from dragoman.providers.planner.catalog import NUMERIC, PROBED_ROWS, TEMPORAL, Catalog, Manager
from dragoman.providers.planner.lexicon import DUE_WORDS, OPEN_ENDS
from dragoman.providers.planner.link import Mention, Reading
from dragoman.providers.planner.question import NOWHERE, Question, Span
from dragoman.providers.planner.sense import Need
from dragoman.providers.planner.words import nearness, split

_LASTING = ("day", "week", "month", "year", "hour", "minute", "second")


@dataclass(frozen=True, slots=True)
class Place:
    """The field found, with the value as its filter takes it; or what to ask first; or the fields it might be."""

    manager: str = ""
    field: str = ""
    value: Any = None
    used: Span = NOWHERE
    needs: tuple[Need, ...] = ()
    options: tuple[str, ...] = ()


class Fields:
    """The fields a question names, each to be bound once."""

    def __init__(
        self, question: Question, catalog: Catalog, manager: str, named: Sequence[tuple[Mention, Reading]]
    ) -> None:
        self.question = question
        self.catalog = catalog
        self.manager = manager
        self.named = list(named)
        self.spent: set[Span] = set()
        self.spoken_of: frozenset[str] = frozenset()
        self.preferred: frozenset[str] = frozenset()

    @property
    def here(self) -> Manager:
        """The type asked for."""
        return self.catalog.managers.get(self.manager, Manager(self.manager))

    def free(self) -> list[tuple[Mention, Reading]]:
        """The named fields nothing is bound to yet."""
        return [(m, r) for m, r in self.named if m.span not in self.spent]

    def has(self, span: Span) -> bool:
        """Whether one of the named fields still free stands at these places."""
        return any(m.span & span for m, _ in self.free())

    def is_spent(self, span: Span) -> bool:
        """Whether a field named at these places has been bound."""
        return any(spent & span for spent in self.spent)

    def is_of(self, reading: Reading, types: frozenset[str]) -> bool:
        """Whether a reading is a field of these types."""
        manager = self.catalog.managers.get(reading.manager)
        return reading.sort == "field" and manager is not None and manager.base(reading.name) in types

    def drop_bare_measure(self, of_one_row: bool) -> None:
        """A measure's own word, such as "total", is a field only when no other number is named and one row is meant."""
        span = self.question.measure_span
        bare = [(m, r) for m, r in self.named if m.span <= span]
        others = [(m, r) for m, r in self.named if not m.span & span and self.is_of(r, NUMERIC)]
        rest = bool(self.question.comparisons or self.question.superlative) or of_one_row
        if bare and (others or not rest):
            self.named = [pair for pair in self.named if pair not in bare]
            if not others and len(bare) == 1 and bare[0][1].manager == self.manager:
                self.named.append(bare[0])

    def spend(self, mention: Mention) -> None:
        """Mark a named field as bound."""
        self.spent.add(mention.span)

    def amount(self, amount: Amount, kind: str, span: Span) -> Place:
        """The field a number is about. `kind` "-" takes a field named right beside it only."""
        near = self._nearest(span, NUMERIC, within=3 if kind == "-" else 99)
        if near is None and amount.kind == "lasting":
            near = self._lasting(amount, span)
        if near is not None:
            mention, reading = near
            self.spend(mention)
            return self._valued(reading.manager, reading.name, amount, mention.span | span)
        if kind == "-":
            return Place()
        if amount.kind == "lasting":
            names = [n for n in self.here.of(NUMERIC) if set(map(_singular, split(n))) & {_singular(amount.unit)}]
            if len(names) == 1:
                return Place(self.manager, names[0], amount.bare, span)
            return Place(needs=self._schema(), options=tuple(names))
        place = self._by_kind(kind, span)
        return self._valued(place.manager, place.field, amount, span) if place.field else place

    def number(self, span: Span, kind: str) -> Place:
        """The numeric field a measure is about."""
        if near := self._nearest(span, NUMERIC, within=99):
            mention, reading = near
            self.spend(mention)
            return Place(reading.manager, reading.name, None, mention.span | span)
        return self._by_kind(kind, span)

    def any(self, span: Span) -> Place:
        """The field named nearest after some words."""
        near = self._nearest(span, None, within=99)
        if near is None:
            return Place(needs=self._schema())
        self.spend(near[0])
        return Place(near[1].manager, near[1].name, None, near[0].span | span)

    def date(self, span: Span) -> Place:
        """The date field a period is about: the one named nearest, else the only one."""
        names = self.here.of(TEMPORAL)
        near = self._nearest(span, TEMPORAL, within=99)
        if near and names and near[1].manager != self.manager and near[1].manager not in self.spoken_of:
            due = [name for name in names if set(split(name)) & DUE_WORDS]
            asked = DUE_WORDS & {self.question.lowers[i] for i in near[0].span}
            self.spend(near[0])
            if asked and len(due) == 1:
                return Place(self.manager, due[0], None, near[0].span | span)
            return Place(options=names)
        if near:
            self.spend(near[0])
            return Place(near[1].manager, near[1].name, None, near[0].span | span)
        if len(names) == 1 and self.here.whole:
            return Place(self.manager, names[0], None, span)
        if len(same := [name for name in names if name in self.preferred]) == 1:
            return Place(self.manager, same[0], None, span)
        return Place(needs=self._schema(), options=names)

    def date_or_number(self, span: Span, kind: str) -> Place:
        """The field a superlative is about; a date where its adjective is one of time, the first where there are several."""
        wanted = TEMPORAL if kind == "date" else NUMERIC if kind else NUMERIC | TEMPORAL
        if near := self._nearest(span, wanted, within=99):
            self.spend(near[0])
            return Place(near[1].manager, near[1].name, None, near[0].span | span)
        if kind == "date":
            names = self.here.of(TEMPORAL)
            if names and self.here.whole:
                return Place(self.manager, names[0], None, span)
            return Place(needs=self._schema())
        return self._by_kind(kind, span)

    def _nearest(self, span: Span, types: frozenset[str] | None, within: int) -> tuple[Mention, Reading] | None:
        found: list[tuple[float, Mention, Reading]] = []
        for mention, reading in self.free():
            manager = self.catalog.managers.get(reading.manager)
            if reading.sort != "field" or manager is None:
                continue
            if types is not None and manager.base(reading.name) not in types:
                better = [r for r in mention.of("field") if self.is_of(r, types) and r.score >= reading.score - 0.2]
                if not better:
                    continue
                reading = better[0]
            distance = _distance(mention, span)
            if distance <= within and all(_distance(mention, rival) >= distance for rival in self._rivals(span, types)):
                found.append((distance, mention, reading))
        return min(found, key=lambda entry: entry[0])[1:] if found else None

    def _rivals(self, span: Span, types: frozenset[str] | None) -> list[Span]:
        """What else in the question looks for a field of these types."""
        question = self.question
        numbers = [c.span for c in question.comparisons] + ([question.superlative.span] if question.superlative else [])
        rivals = [p.span for p in question.periods] if types == TEMPORAL else numbers if types == NUMERIC else []
        return [rival for rival in rivals if not rival & span]

    def _of_size(self) -> bool:
        """Whether the superlative is one of size, which a bare number such as a mark does not tell."""
        best = self.question.superlative
        words = {self.question.lowers[i] for i in best.span} if best else set()
        return any(word.startswith(("big", "large", "great", "small", "little")) for word in words)

    def _lasting(self, amount: Amount, span: Span) -> tuple[Mention, Reading] | None:
        return next(((m, r) for m, r in self.free() if self.is_of(r, NUMERIC) and abs(m.first - max(span)) <= 4), None)

    def _by_kind(self, kind: str, span: Span) -> Place:
        """The one numeric field whose unit is of a kind; without a kind the only numeric field there is."""
        here = self.here
        if not here.whole:
            needs = self._schema()
            if needs:
                return Place(needs=needs)
        numeric = here.of(NUMERIC)
        if not kind:
            sole = len(numeric) == 1 and (here.base(numeric[0]) == "Measurement" or not self._of_size())
            return Place(self.manager, numeric[0], None, span) if sole else Place(options=numeric)
        if kind == "long":
            lasting = [n for n in numeric if set(map(_singular, split(n))) & set(_LASTING)]
            if len(lasting) == 1:
                return Place(self.manager, lasting[0], None, span)
            kind = "length"
        measured = here.of({"Measurement"})
        if not measured:
            return Place()
        known = {
            n: kind_of_unit(self.catalog.units[self.manager, n])
            for n in measured
            if (self.manager, n) in self.catalog.units
        }
        fitting = [n for n, k in known.items() if k == kind]
        unknown = [n for n in measured if n not in known]
        if not fitting and unknown:
            if self.manager not in self.catalog.asked:
                return Place(needs=(Need("get_manager_schema", {"manager": self.manager}),))
            if not self.catalog.was_probed(self.manager):
                probe = {"manager": self.manager, "fields": list(measured), "limit": PROBED_ROWS}
                return Place(needs=(Need("query", probe),))
            fitting = unknown if len(unknown) == 1 and all(known.values()) else []
        if len(fitting) == 1:
            return Place(self.manager, fitting[0], None, span)
        return Place(options=tuple(fitting))

    def _valued(self, manager: str, name: str, amount: Amount, used: Span) -> Place:
        holder = self.catalog.managers.get(manager, Manager(manager))
        if holder.base(name) != "Measurement":
            return Place(manager, name, amount.bare, used)
        if amount.unit:
            return Place(manager, name, amount.text, used)
        return Place(manager, name, amount.bare, used)  # the tool takes it in the field's own unit

    def _schema(self) -> tuple[Need, ...]:
        if self.here.whole or self.manager in self.catalog.asked:
            return ()
        return (Need("get_manager_schema", {"manager": self.manager}),)


def _distance(mention: Mention, span: Span) -> float:
    """How far a mention is from some words; one before them counts as farther than one after."""
    first, last = (min(span), max(span)) if span else (0, 0)
    return mention.first - last if mention.first > last else 1.5 * (first - mention.last)


def overdue(manager: Manager) -> tuple[str, str, Mapping[str, Sequence[str]]] | None:
    """The date by which a thing should have ended; the date that is empty until it has, or the choices that say it has.

    None where the names of fields and choices do not tell.
    """
    dates = manager.of(TEMPORAL)
    due = [name for name in dates if set(split(name)) & DUE_WORDS]
    if len(due) != 1:
        return None
    after = dates[dates.index(due[0]) + 1 :]
    if len(after) == 1:
        return due[0], after[0], {}
    chosen = [name for name in manager.fields if manager.choices(name)]
    ended = {name: tuple(c for c in manager.choices(name) if _any(split(c), OPEN_ENDS)) for name in chosen}
    ended = {name: choices for name, choices in ended.items() if choices}
    return (due[0], "", ended) if ended or not chosen else None


def _any(words: Iterable[str], wanted: frozenset[str]) -> bool:
    return any(nearness(word, known) >= 0.75 for word in words for known in wanted)


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") else word
