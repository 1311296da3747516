"""Sums, averages, minima, maxima and counts per group, over all rows up to a cap that is always stated."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from dragoman.graphql.columns import Column, Table, column, table
from dragoman.graphql.compute import in_order, number, plain, rank, unit
from dragoman.graphql.document import Selection
from dragoman.graphql.execute import Session
from dragoman.graphql.naming import fold
from dragoman.graphql.narrow import narrow
from dragoman.graphql.narrowing import Narrowing, on_the_rows
from dragoman.graphql.query import Findings, Question
from dragoman.graphql.rows import Reading, Rows, Source, window
from dragoman.graphql.schema import Catalog, Exposed
from dragoman.harness.tools import ToolError

FUNCTIONS = ("count", "distinct", "sum", "avg", "min", "max")
_SPELLINGS = {"average": "avg", "mean": "avg", "minimum": "min", "maximum": "max", "total": "sum"}
_MEASURE = re.compile(r"^\s*(\w+?)\s*(?:[:(]\s*([\w.]+)\s*\)?)?\s*$")


@dataclass(frozen=True, slots=True)
class Measure:
    """A number per group: `count`, or a function of a column."""

    function: str
    column: Column | None = None

    @property
    def name(self) -> str:
        """`avg:unitCost`, in the schema's spelling."""
        return f"{self.function}:{self.column.name}" if self.column else self.function


def measure(catalog: Catalog, manager: Exposed, text: str) -> Measure:
    """The measure `avg:unitCost` names. Raises ToolError for an unknown function or a field it does not fit."""
    found = _MEASURE.match(text)
    function = _SPELLINGS.get(found[1].casefold(), found[1].casefold()) if found else ""
    if found is None or function not in FUNCTIONS:
        raise ToolError(
            f"Unknown measure {text!r}. It is count, or one of {', '.join(FUNCTIONS[1:])} with a field: 'avg:price'.",
            "unknown_measure",
        )
    if not found[2]:
        if function != "count":
            raise ToolError(f"The measure {text!r} needs a field, such as '{function}:price'.", "unknown_measure")
        return Measure("count")
    over = column(catalog, manager, found[2])
    if function in ("sum", "avg") and not (over.field.is_measurement or over.field.kind in ("Int", "Float", "Decimal")):
        raise ToolError(
            f"{function} needs a number; {over.name} of {manager.name} is {over.field.kind}.", "not_a_number"
        )
    return Measure(function, over)


async def groups(session: Session, question: Question, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The tool's answer for groups: one row a group, `total_count` groups, `computed_over` rows, `complete` or not."""
    catalog, manager = session.catalog, question.manager
    keys = [column(catalog, manager, path) for path in _list(wanted.get("group_by"))]
    measures = [measure(catalog, manager, text) for text in _list(wanted.get("measures"))] or [Measure("count")]
    narrowing = await narrow(session, question.where, question.exclude)
    try:
        return await _answer(session, question, keys, measures, narrowing)
    except ToolError as failure:
        narrowing = on_the_rows(question.where, question.exclude, failure)
        return await _answer(session, question, keys, measures, narrowing)


async def _answer(
    session: Session, question: Question, keys: Sequence[Column], measures: Sequence[Measure], narrowing: Narrowing
) -> dict[str, Any]:
    columns = _columns(session, question.manager, keys, measures, narrowing)
    if not columns and not narrowing.nothing:
        return await _count(session, question, narrowing.source)
    read, notes = await _in_one_unit(session, question.manager, columns, narrowing, measures)
    rows = [row for row in read.rows if narrowing.keeps(row)] if narrowing.computed else read.rows
    notes += narrowing.blind(read.rows)
    found = _ordered(_grouped(rows, keys, measures, notes), question.order_by, keys, measures, question.manager)
    if not read.complete:
        of = f" of {read.total:,}" if read.total else ""
        notes.append(f"Computed over the first {len(read.rows):,}{of} rows only: narrow the filter for exact figures.")
    chosen = found[question.offset : question.offset + question.limit]
    more = len(found) > question.offset + len(chosen)
    answer = Findings(chosen, len(found), more, read.faults, notes).answer(question.offset)
    return answer | {"computed_over": len(rows), "complete": read.complete}


def _columns(
    session: Session, manager: Exposed, keys: Sequence[Column], measures: Sequence[Measure], narrowing: Narrowing
) -> list[Column]:
    """All that must be read of a row, each once."""
    extra = [column(session.catalog, manager, name) for name in narrowing.fields]
    return list({c.name: c for c in [*keys, *(m.column for m in measures if m.column), *extra]}.values())


async def _count(session: Session, question: Question, source: Source) -> dict[str, Any]:
    """How many rows there are, where the schema counts them itself."""
    part = Rows([], None)
    if source.ids is None:
        part = await window(session, Reading(Selection(question.manager), source.arguments), 0, 1)
    if part.total is not None:
        found = Findings([{"count": part.total}], 1, False, part.faults)
        return found.answer(0) | {"computed_over": part.total, "complete": True}
    first = column(session.catalog, question.manager, next(iter(question.manager.fields)))
    read = await table(session, question.manager, [first], source)
    notes = [] if read.complete else [f"There are more: only the first {len(read.rows):,} rows were counted."]
    found = Findings([{"count": len(read.rows)}], 1, False, read.faults, notes)
    return found.answer(0) | {"computed_over": len(read.rows), "complete": read.complete}


async def _in_one_unit(
    session: Session,
    manager: Exposed,
    columns: Sequence[Column],
    narrowing: Narrowing,
    measures: Sequence[Measure],
) -> tuple[Table, list[str]]:
    """The table, read again in one unit where a measurement came in several and the schema can convert it."""
    if narrowing.nothing:
        return Table([], 0, True), []
    read = await table(session, manager, columns, narrowing.source, narrowing.units)
    mixed: dict[str, str] = {}
    for over in {m.column.name: m.column for m in measures if m.column and m.column.field.is_measurement}.values():
        units = [found for row in read.rows if (found := unit(row.get(over.name)))]
        if len(set(units)) > 1 and over.field.unit_argument:
            mixed[over.name] = over.field.unit or max(sorted(set(units)), key=units.count)
    if not mixed:
        return read, []
    again = await table(session, manager, columns, narrowing.source, {**mixed, **narrowing.units})
    if again.faults and not read.faults:  # some unit does not convert, as from one currency to another
        return read, []
    return again, [f"{name} was converted to {into}." for name, into in mixed.items()]


def _grouped(
    rows: Sequence[Mapping[str, Any]], keys: Sequence[Column], measures: Sequence[Measure], notes: list[str]
) -> list[dict[str, Any]]:
    found: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault(tuple(_hashable(row.get(c.name)) for c in keys), []).append(row)
    if not keys and not found:
        found[()] = []
    return [
        {c.name: members[0].get(c.name) for c in keys}
        | {m.name: _measured(m, [r.get(m.column.name) if m.column else None for r in members], notes) for m in measures}
        for members in found.values()
    ]


def _measured(wanted: Measure, values: list[Any], notes: list[str]) -> Any:
    if wanted.column is None:
        return len(values)
    known = [value for value in values if value is not None]
    if wanted.function in ("count", "distinct"):
        return len({_hashable(v) for v in known}) if wanted.function == "distinct" else len(known)
    if len(known) < len(values):
        _note(notes, f"{wanted.column.name} is null in some rows, which {wanted.function} leaves out.")
    if not known:
        return None
    if wanted.function in ("min", "max") and number(known[0]) is None:
        return min(known, key=rank) if wanted.function == "min" else max(known, key=rank)
    by_unit: dict[str, list[Decimal]] = {}
    for value in known:
        if (amount := number(value)) is not None:
            by_unit.setdefault(unit(value), []).append(amount)
    results = {name: plain(_of(wanted.function, amounts)) for name, amounts in by_unit.items()}
    if len(results) > 1:
        _note(notes, f"{wanted.column.name} comes in units that do not convert, so {wanted.name} is one value a unit.")
        return [{"value": value, "unit": name} for name, value in sorted(results.items())]
    return next(({"value": v, "unit": name} if name else v for name, v in results.items()), None)


def _of(function: str, amounts: list[Decimal]) -> Decimal:
    match function:
        case "sum":
            return sum(amounts, Decimal(0))
        case "avg":
            return sum(amounts, Decimal(0)) / len(amounts)
        case "min":
            return min(amounts)
        case _:
            return max(amounts)


def _ordered(
    found: list[dict[str, Any]],
    order_by: Sequence[str],
    keys: Sequence[Column],
    measures: Sequence[Measure],
    manager: Exposed,
) -> list[dict[str, Any]]:
    names = [*(c.name for c in keys), *(m.name for m in measures)]
    wanted: list[tuple[Any, bool]] = []
    for text in order_by:
        bare = text.lstrip("+-").strip().replace("(", ":").removesuffix(")").replace(".", "__")
        name = next((n for n in names if fold(n) == fold(bare)), None)
        name = name or next((n for n in names if ":" in n and fold(n.split(":")[1]) == fold(bare)), None)
        name = name or next((n for n in names if fold(n).startswith(fold(bare) + "__")), None)
        if name is None:
            raise ToolError(
                f"order_by {text!r}: groups of {manager.name} can be ordered by {', '.join(names)}.", "unknown_order"
            )
        wanted.append((_getter(name), text.startswith("-")))
    wanted += [(_getter(c.name), False) for c in keys]
    return in_order(found, wanted)


def _getter(name: str) -> Any:
    def get(row: Mapping[str, Any]) -> Any:
        value = row.get(name)
        return value[0] if isinstance(value, list) and value else value

    return get


def _hashable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return tuple(sorted((k, str(v)) for k, v in value.items()))
    return tuple(value) if isinstance(value, list) else value


def _note(notes: list[str], text: str) -> None:
    if text not in notes:
        notes.append(text)


def _list(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value or [])
