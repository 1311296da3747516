"""Ledger: every cell the results of a turn hold, found again by number, date, name or text."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dragoman.harness.claims.claim import Source
from dragoman.harness.claims.numerals import CLOCK, DATE, NUMBER, Day, days, number_in, readings
from dragoman.harness.claims.words import stem
from dragoman.harness.messages import ToolResult

_WORD = re.compile(r"\w+")
_HEX = re.compile(r"(?<![0-9a-zA-Z])[0-9a-f]{7,64}(?![0-9a-zA-Z])")
_IN_TEXT = re.compile(rf"(?<![\w.,])[-+]?(?:{NUMBER})(?![\w])")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z\u00df-\u00ff]+|[A-Z]")
_PARTS = re.compile(r"[._]")
_FEW = 3
_SHORT_NAME = 8  # words; a longer text is prose and not what a row is called
_PARSED = 400  # numbers of one long text that are looked at
_NOT_SAID = frozenset({"next_offset", "has_more", "capped"})


@dataclass(frozen=True, slots=True)
class Cell:
    """One value of a result. `table` tells lists of one result apart, `row` counts in it, `unit` is the value's own."""

    call_id: str
    tool: str
    table: str
    row: int | None
    field: str
    value: Any
    unit: str = ""

    @property
    def place(self) -> tuple[str, str, int | None]:
        """Which row of which list."""
        return (self.call_id, self.table, self.row)

    @property
    def is_id(self) -> bool:
        """Whether it numbers a row and measures nothing."""
        last = self.field.rpartition(".")[2]
        return last in ("id", "pk", "line", "end_line", "first_line", "last_line") or last.endswith(("Id", "_id"))

    def source(self, value: str = "") -> Source:
        """The cell as a source, with what was computed from it in place of its value."""
        said = str(self.value) if not isinstance(self.value, bool) else str(self.value).lower()
        return Source(value or said[:200], self.call_id, self.tool, self.row, self.field)


@dataclass(frozen=True, slots=True)
class Fact:
    """A number that follows from a result: a cell as it stands, or a count, sum or average of cells."""

    value: float
    cell: Cell
    how: str = "cell"
    note: str = ""

    @property
    def source(self) -> Source:
        """Where it comes from."""
        return self.cell.source(self.note)


class Holders:
    """The cells that hold one value, and of which lists and rows; worked out once, however often an answer says it."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self.cells = tuple(cells)
        self.source = self.cells[0].source()
        rows: dict[tuple[str, str], set[int]] = {}
        for cell in self.cells:
            if cell.row is not None:
                rows.setdefault((cell.call_id, cell.table), set()).add(cell.row)
        self.rows = {key: frozenset(numbers) for key, numbers in rows.items()}
        # More rows than a few that share a value make it a category, and no name of a row.
        self.few = frozenset((*key, row) for key, rows in self.rows.items() if len(rows) <= _FEW for row in rows)
        self.only = next(iter(self.few)) if len(self.few) == 1 == sum(map(len, self.rows.values())) else None


@dataclass(slots=True)
class Table:
    """The rows of one list of a result: its numeric columns, and how many rows there are."""

    call_id: str
    tool: str
    name: str
    size: int = 0
    columns: dict[str, list[tuple[int, float, Cell]]] = field(default_factory=dict)
    empty: dict[str, int] = field(default_factory=dict)
    kinds: dict[str, set[str]] = field(default_factory=dict)
    _totals: dict[str, float] = field(default_factory=dict)
    _stems: dict[str, frozenset[str]] = field(default_factory=dict)
    of_rows: dict[frozenset[int], list[Fact]] = field(default_factory=dict)

    def cell(self, field: str, value: object = "") -> Cell:
        """A cell that stands for a column, or for the whole list."""
        return Cell(self.call_id, self.tool, self.name, None, field, value)

    def total(self, column: str) -> float:
        """The sum of a numeric column."""
        if (known := self._totals.get(column)) is None:
            known = self._totals[column] = sum(number for _, number, _ in self.columns[column])
        return known

    def stems(self, column: str) -> frozenset[str]:
        """The words of a column's name without their endings."""
        if (known := self._stems.get(column)) is None:
            known = self._stems[column] = frozenset(map(stem, _PARTS.split(column)))
        return known


class Ledger:
    """Cells of results, added as they come. Reading them again costs next to nothing."""

    def __init__(self) -> None:
        self.tables: dict[tuple[str, str], Table] = {}
        self.facts: list[Fact] = []
        self.names: dict[tuple[str, ...], list[Cell]] = {}
        self._holders: dict[tuple[str, ...], Holders] = {}
        self.lengths: dict[str, set[int]] = {}  # how many words the names have that begin with a word
        self.days: dict[Day, Cell] = {}
        self.clocks: dict[tuple[int, int], Cell] = {}
        self.hashes: dict[str, Cell] = {}
        self.texts: list[tuple[str, Cell]] = []
        self.words: set[str] = set()
        self.vocabulary: set[str] = set()
        self._sorted: tuple[list[float], list[Fact]] | None = None
        self._seen: set[str] = set()
        self._learned: set[str] = set()

    def add(self, result: ToolResult) -> None:
        """Note the cells of a result; a failed one says nothing that an answer could rest on but its own words."""
        if result.call_id in self._seen:
            return
        self._seen.add(result.call_id)
        self._sorted = None
        self._holders.clear()
        try:
            data = result.data
        except ValueError:
            return
        self._walk(result, "", data)
        for table in self.tables.values():
            if table.call_id == result.call_id:
                self.facts.extend(_of_table(table))

    def learn(self, text: str) -> None:
        """Words that are the question's or the schema's: they are no names that would have to stand in a row."""
        if text in self._learned:
            return
        self._learned.add(text)
        for word in _WORD.findall(text):
            self.vocabulary.add(stem(word))
            self.vocabulary.update(stem(part) for part in _CAMEL.findall(word.replace("_", " ")))

    def between(self, low: float, high: float) -> Sequence[Fact]:
        """The numbers in a range, ends included."""
        if self._sorted is None:
            facts = sorted(self.facts, key=lambda fact: fact.value)
            self._sorted = [fact.value for fact in facts], facts
        values, facts = self._sorted
        slack = 1e-9 * max(abs(low), abs(high), 1)
        return facts[bisect_left(values, low - slack) : bisect_right(values, high + slack)]

    def called(self, name: tuple[str, ...]) -> Holders | None:
        """Who holds a value of these words, None where nothing does."""
        if (known := self._holders.get(name)) is None and (cells := self.names.get(name)):
            known = self._holders[name] = Holders(cells)
        return known

    def holds(self, text: str) -> Cell | None:
        """A cell whose text holds this one, in any case, on the borders of words."""
        wanted = text.lower()
        if not all(word in self.words for word in _WORD.findall(wanted)):
            return None
        for whole, cell in self.texts:
            at = whole.find(wanted)
            while at >= 0:
                before, after = whole[at - 1 : at], whole[at + len(wanted) : at + len(wanted) + 1]
                if not (before.isalnum() and wanted[0].isalnum()) and not (after.isalnum() and wanted[-1].isalnum()):
                    return cell
                at = whole.find(wanted, at + 1)
        return None

    # Reading ----------------------------------------------------------------------------------------------------------

    def _walk(self, result: ToolResult, path: str, value: Any) -> None:
        match value:
            case dict():
                columns, rows = value.get("columns"), value.get("rows")
                if isinstance(columns, list) and isinstance(rows, list) and rows and isinstance(rows[0], list):
                    names = [str(name) for name in columns]
                    value = {**value, "rows": [dict(zip(names, row, strict=False)) for row in rows], "columns": []}
                for key, inner in value.items():
                    self.learn(key)
                    if key not in _NOT_SAID:
                        self._walk(result, f"{path}.{key}" if path else key, inner)
            case list():
                table = Table(result.call_id, result.name, path, len(value))
                self.tables[(result.call_id, path)] = table
                for number, item in enumerate(value):
                    self._row(table, number, "", item)
            case _:
                self._leaf(Cell(result.call_id, result.name, "", None, path, value))

    def _row(self, table: Table, row: int, path: str, value: Any, unit: str = "") -> None:
        match value:
            case dict():
                unit = str(value.get("unit", "")) if "value" in value else ""
                for key, inner in value.items():
                    self.learn(key)
                    self._row(table, row, f"{path}.{key}" if path else key, inner, unit if key == "value" else "")
            case list():
                cell = Cell(table.call_id, table.tool, table.name, row, path, len(value))
                self.facts.append(Fact(len(value), cell, "count", f"{len(value)} of {path}"))
                for inner in value:
                    self._row(table, row, path, inner)
            case None:
                table.empty[path] = table.empty.get(path, 0) + 1
            case _:
                cell = Cell(table.call_id, table.tool, table.name, row, path, value, unit)
                if (number := self._leaf(cell)) is None:
                    table.kinds.setdefault(path, set()).add(str(value))
                elif not cell.is_id:
                    table.columns.setdefault(path, []).append((row, number, cell))

    def _leaf(self, cell: Cell) -> float | None:
        """Index a value; the number it is, if it is one."""
        value = cell.value
        if value is None or isinstance(value, bool):
            return None
        if isinstance(value, int | float):
            self.facts.append(Fact(value, cell))
            return value
        text = str(value)
        low = text.lower()
        self.texts.append((low, cell))
        words = _WORD.findall(low)
        self.words.update(words)
        if len(low) >= 7:
            for found in _HEX.findall(low):
                self.hashes.setdefault(found, cell)
        if reading := number_in(text):
            self.facts.append(Fact(reading.value, cell))
            return reading.value
        dates = list(DATE.finditer(text)) if any(c.isdigit() for c in text) else []
        for match in dates:
            self._date(match, cell)
        if not dates or len(words) > _SHORT_NAME:
            for _, match in zip(range(_PARSED), _IN_TEXT.finditer(text), strict=False):
                self.facts.extend(Fact(reading.value, cell) for reading in readings(match[0]))
        if words and len(words) <= _SHORT_NAME and not (dates and dates[0][0] == text.strip()):
            self.names.setdefault(tuple(words), []).append(cell)
            self.lengths.setdefault(words[0], set()).add(len(words))
        return None

    def _date(self, match: re.Match[str], cell: Cell) -> None:
        for day in days(match):
            quarter = day.quarter or ((day.month + 2) // 3 if day.month else 0)
            for part in (
                day,
                Day(day.year, day.month),
                Day(0, day.month, day.day),
                Day(day.year),
                Day(day.year, quarter=quarter),
            ):
                self.days.setdefault(part, cell)
        for clock in CLOCK.finditer(match[0].replace("T", " ")):
            self.clocks.setdefault((int(clock[1]), int(clock[2])), cell)


def amounts(numbers: Iterable[tuple[float, Cell]], what: str) -> Iterator[Fact]:
    """Sum and average of some numbers, with what they are the sum of."""
    pairs = list(numbers)
    if len(pairs) < 2:
        return
    total, cell = sum(number for number, _ in pairs), pairs[0][1]
    shown = Cell(cell.call_id, cell.tool, cell.table, None, cell.field, total, cell.unit)
    yield Fact(total, shown, "sum", f"sum of {what}: {total:g}")
    mean = total / len(pairs)
    yield Fact(mean, shown, "average", f"average of {what}: {mean:g}")


def _of_table(table: Table) -> Iterator[Fact]:
    yield Fact(table.size, table.cell(table.name), "count", f"{table.size} {table.name or 'items'}")
    for name, numbers in table.columns.items():
        yield from amounts(((number, cell) for _, number, cell in numbers), f"{name} of all {len(numbers)}")


def arguments_of(arguments: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """The values of a call's arguments as texts, each with the way to it."""
    for key, value in arguments.items():
        where = f"{path}.{key}" if path else str(key)
        if isinstance(value, Mapping):
            yield from arguments_of(value, where)
        elif isinstance(value, list | tuple):
            for item in value:
                yield from arguments_of(item, where) if isinstance(item, Mapping) else [(where, str(item))]
        else:
            yield where, str(value)
