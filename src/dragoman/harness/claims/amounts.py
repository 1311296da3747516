"""Match the numbers of a sentence: cells first, then what follows from rows, then what was said in the answer itself."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise, permutations

from dragoman.harness.claims.cells import Cell, Fact, Ledger, Table, amounts
from dragoman.harness.claims.names import Mention
from dragoman.harness.claims.numerals import Reading
from dragoman.harness.claims.reading import Candidate, Sentence
from dragoman.harness.claims.words import ABOUT, ABOVE, BELOW, BROAD, DIFFERENCE, LACKING, NUMBERED, UNITS, stem

_ENUMERATED = 200  # numbers in one sentence; nobody reads a difference out of so many
_NEXT = re.compile(r"\W{0,3}(?:(?:of|the|der|different|distinct|verschiedene|unique)\W+)*([^\W\d_]+)", re.IGNORECASE)


Place = tuple[str, str]  # a list of one call's result


@dataclass
class Context:
    """A sentence with the values it speaks of, the numbers that were said in it, and those of the question.

    What holds for all numbers of the sentence is worked out when the first of them needs it.
    """

    sentence: Sentence
    mentions: Sequence[Mention]
    ledger: Ledger
    asked: frozenset[float]
    before: Sequence[Fact] = ()
    said: list[Fact] = field(default_factory=list)
    rows: set[tuple[str, str, int | None]] = field(default_factory=set)
    follows: bool = False  # it compares what the sentence before it names

    def __post_init__(self) -> None:
        for mention in self.mentions:  # a hash or a path names a row as a name does
            self.rows |= mention.holders.few

    def compare(self, named: set[tuple[str, str, int | None]]) -> None:
        """Let a comparison that names nothing be one of the rows named just before."""
        if not self.rows and named and self.compares:
            self.rows, self.follows = named, True

    @cached_property
    def tables(self) -> set[Place]:
        """The lists whose rows it names."""
        return {place[:2] for place in self.rows}

    @cached_property
    def broad(self) -> bool:
        """Whether it speaks of more rows than it names."""
        apart = self.sentence.table or self.sentence.listed
        return self.follows or (not apart and bool(BROAD.search(self.sentence.text)))

    @cached_property
    def compares(self) -> bool:
        """Whether it tells a difference."""
        return bool(DIFFERENCE.search(self.sentence.text))

    @cached_property
    def lacks(self) -> bool:
        """Whether it tells what is not there."""
        return bool(LACKING.search(self.sentence.text))

    @cached_property
    def bounds(self) -> bool:
        """Whether it tells of what lies above or below something."""
        return bool(ABOVE.search(self.sentence.text) or BELOW.search(self.sentence.text))

    @cached_property
    def grouped(self) -> list[Fact]:
        """What follows from the rows that hold the values it speaks of, each by itself and each with the next."""
        groups: dict[Place, list[frozenset[int]]] = {}
        for mention in self.mentions:
            for key, numbers in mention.holders.rows.items():
                groups.setdefault(key, []).append(numbers)
        chosen = ((key, [*sets, *(one & two for one, two in pairwise(sets))]) for key, sets in groups.items())
        return [fact for key, sets in chosen for rows in sets for fact in _of_rows(self.ledger.tables[key], rows)]

    def allows(self, fact: Fact, candidate: Candidate) -> bool:
        """Whether the fact may be what the sentence means: a cell of a row it names, where it names one."""
        cell = fact.cell
        if cell.is_id and fact.how == "cell":
            before = self.sentence.text[: candidate.start - self.sentence.start]
            return bool(NUMBERED.search(before[-24:]))
        place = cell.place
        return cell.row is None or place in self.rows or place[:2] not in self.tables or self.broad


class Shown:
    """The rows that the answer's lists and tables name, by call and list, and what follows from them together."""

    def __init__(self, ledger: Ledger, rows: Mapping[Place, set[int]]) -> None:
        self._ledger, self._rows = ledger, {key: frozenset(numbers) for key, numbers in rows.items()}

    @cached_property
    def together(self) -> list[Fact]:
        """Counts, sums, averages and shares of all of them."""
        return [fact for key, rows in self._rows.items() for fact in _of_rows(self._ledger.tables[key], rows)]

    @cached_property
    def single(self) -> list[tuple[str, Fact]]:
        """The same of each row, with the stem of the column."""
        one_by_one = ((self._ledger.tables[key], row) for key, rows in self._rows.items() for row in rows)
        return [
            (stem(fact.cell.field), fact) for table, row in one_by_one for fact in _of_rows(table, frozenset({row}))
        ]


def support(candidate: Candidate, context: Context) -> tuple[Fact, str] | None:
    """The best fact a number rests on, and how."""
    whole = any(reading.place >= 1 for reading in candidate.readings)  # what has decimals says itself how exact it is
    about = whole and bool(ABOUT.search(context.sentence.text[: candidate.start - context.sentence.start][-16:]))
    for reading in candidate.readings:
        if found := _plain(reading, candidate, context, about):
            return found
        if candidate.percent and (found := _plain(_hundredth(reading), candidate, context, about, most=1)):
            return found
        if candidate.unit and (found := _converted(reading, candidate, context)):
            return found
    derived = list(_derived(candidate, context))
    for reading in candidate.readings:
        for fact in derived:
            value = fact.value * 100 if candidate.percent and fact.how == "share" else fact.value
            if candidate.percent == (fact.how == "share") and _fits(reading, value, about):
                return fact, fact.how
    return None


def from_answer(candidate: Candidate, context: Context, shown: Shown) -> tuple[Fact, str] | None:
    """What follows from the rest of the answer: from the rows it shows, and from the numbers just said.

    Sums, averages, shares, differences and changes in per cent.
    """
    facts = list(shown.together)
    if candidate.percent:  # the part of one row in all of them, where the sentence names the column
        said = {stem(word) for word in re.findall(r"[^\W\d_]+", context.sentence.text)}
        facts += [fact for column, fact in shown.single if column in said]
    if len(context.said) > _ENUMERATED:
        return None
    near = [*context.before[-4:], *context.said[-8:]]
    compares = context.compares
    for one, two in permutations(near, 2):
        if candidate.percent and two.value:
            facts.append(Fact(one.value / two.value, one.cell, "share", f"{one.value:g} of {two.value:g}"))
            if compares:
                facts.append(
                    Fact(abs(one.value / two.value - 1), one.cell, "share", f"from {two.value:g} to {one.value:g}")
                )
        elif one.value > two.value and compares:
            facts.append(Fact(one.value - two.value, one.cell, "difference", f"{one.value:g} - {two.value:g}"))
    if len(near) >= 2 and not candidate.percent:
        facts += amounts(((fact.value, fact.cell) for fact in near), "what is said here")
    for reading in candidate.readings:
        for fact in facts:
            value = fact.value * 100 if fact.how == "share" else fact.value
            if _fits(reading, value, False) and candidate.percent == (fact.how == "share"):
                return fact, fact.how
    return None


def _plain(
    reading: Reading, candidate: Candidate, context: Context, about: bool, most: float | None = None
) -> tuple[Fact, str] | None:
    half = max(reading.place, _place_of_zeros(reading) if about else 0) / 2
    found: list[tuple[int, float, Fact]] = []
    for fact in context.ledger.between(reading.value - half, reading.value + half):
        off = abs(fact.value - reading.value)
        if not _fits(reading, fact.value, about) or (most is not None and abs(fact.value) > most):
            continue
        if not context.allows(fact, candidate) or not _same_unit(candidate.unit, fact.cell.unit):
            continue
        found.append((0 if fact.cell.place in context.rows else 1, off, fact))
    if not found:
        return None
    _, off, fact = min(found, key=lambda each: each[:2])
    exact = off <= 1e-9 * max(1, abs(reading.value))
    return fact, fact.how if exact or fact.how != "cell" else "rounded"


def _fits(reading: Reading, value: float, about: bool) -> bool:
    off = abs(value - reading.value)
    if off <= 1e-9 * max(1, abs(value)):
        return True
    if about and off <= _place_of_zeros(reading) / 2:
        return True
    # A small whole number is said because it is one; 2.7 is not told as 3.
    return off <= reading.place / 2 * (1 + 1e-9) and not (reading.place >= 1 and abs(value) < 10)


def _place_of_zeros(reading: Reading) -> float:
    value, place = reading.value, reading.place
    while value and place >= 1 and value % (place * 10) == 0 and place < 1e12:
        place *= 10
    return place


def _hundredth(reading: Reading) -> Reading:
    return Reading(reading.value / 100, reading.place / 100)


def _same_unit(said: str, held: str) -> bool:
    one, two = UNITS.get(said), UNITS.get(held.lower())
    return one is None or two is None or one == two


def _converted(reading: Reading, candidate: Candidate, context: Context) -> tuple[Fact, str] | None:
    family, size = UNITS[candidate.unit]
    for factor in {other for kin, other in UNITS.values() if kin == family and other != size}:
        ratio = size / factor
        there = Reading(reading.value * ratio, reading.place * ratio)
        for fact in context.ledger.between(there.value - there.place / 2, there.value + there.place / 2):
            if UNITS.get(fact.cell.unit.lower()) == (family, factor) and context.allows(fact, candidate):
                return fact, "converted"
    return None


def _derived(candidate: Candidate, context: Context) -> Iterator[Fact]:
    """Counts, sums and shares of the rows that the sentence speaks of."""
    text, ledger = context.sentence.text, context.ledger
    yield from context.grouped
    follows = _NEXT.match(text, candidate.end - context.sentence.start)
    noun = stem(follows[1]) if follows else ""
    for table in ledger.tables.values():
        for name, kinds in table.kinds.items():
            if noun and noun in table.stems(name):
                yield Fact(len(kinds), table.cell(name), "count", f"{len(kinds)} different {name}")
        if context.lacks:
            for name, empty in table.empty.items():
                yield Fact(empty, table.cell(name), "count", f"{empty} without {name}")
        if context.bounds:
            yield from _beyond(table, context)
    if context.compares:
        yield from _apart(context)


def _of_rows(table: Table, rows: frozenset[int]) -> list[Fact]:
    """Counts, sums, averages and shares of these rows; "kg" and the like stand in every line and for the same ones."""
    if (known := table.of_rows.get(rows)) is None:
        known = table.of_rows[rows] = list(_computed(table, rows))
    return known


def _computed(table: Table, rows: frozenset[int]) -> Iterator[Fact]:
    what = f"{len(rows)} of {table.size} {table.name}"
    yield Fact(len(rows), table.cell(table.name), "count", what)
    if table.size:
        yield Fact(len(rows) / table.size, table.cell(table.name), "share", what)
    for name, numbers in table.columns.items():
        mine = [(number, cell) for row, number, cell in numbers if row in rows]
        yield from amounts(mine, f"{name} of {len(mine)}")
        if total := table.total(name):
            part = sum(number for number, _ in mine)
            yield Fact(part / total, table.cell(name), "share", f"{part:g} of {total:g}")


def _beyond(table: Table, context: Context) -> Iterator[Fact]:
    bounds = {fact.value for fact in context.said} | context.asked
    for name, numbers in table.columns.items():
        values = [number for _, number, _ in numbers]
        for bound in bounds:
            for count in {sum(v > bound for v in values), sum(v >= bound for v in values)}:
                if 0 < count < len(values):
                    yield Fact(count, table.cell(name), "count", f"{count} with {name} from {bound:g}")
                    yield Fact(len(values) - count, table.cell(name), "count", f"{len(values) - count} below {bound:g}")


def _apart(context: Context) -> Iterator[Fact]:
    """Differences between the rows a sentence names."""
    for table in (context.ledger.tables[key] for key in context.tables):
        rows = {place[2] for place in context.rows if place[:2] == (table.call_id, table.name)}
        for name, numbers in table.columns.items():
            mine: list[tuple[float, Cell]] = [(number, cell) for row, number, cell in numbers if row in rows]
            for (one, cell), (two, _) in permutations(mine[:4], 2):
                if one > two:
                    yield Fact(one - two, cell, "difference", f"{one:g} - {two:g} ({name})")
                if two:
                    yield Fact(abs(one / two - 1), cell, "share", f"{name} from {two:g} to {one:g}")


def listed(counts: Iterable[int]) -> list[Fact]:
    """How many items the answer's own lists have."""
    nowhere = Cell("", "", "", None, "answer", "")
    return [Fact(count, nowhere, "count", f"{count} listed") for count in counts]
