"""query: rows of a manager as the caller may see them, filtered, ordered and cut, and always saying what was cut."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dragoman.graphql.columns import Column, column, table
from dragoman.graphql.compute import in_order
from dragoman.graphql.document import Selection, default_selection, select
from dragoman.graphql.execute import Session, told
from dragoman.graphql.host import Fault
from dragoman.graphql.narrow import narrow
from dragoman.graphql.narrowing import Narrowing, on_the_rows
from dragoman.graphql.order import Order, order
from dragoman.graphql.rows import MOST_ROWS, Reading, Rows, Source, can_pick, listed, pick, read, total, window
from dragoman.graphql.schema import Exposed
from dragoman.graphql.where import Where, parse
from dragoman.harness.results import to_json
from dragoman.harness.tools import ToolError

ROWS = 20
CHARACTERS = 20_000


@dataclass(frozen=True, slots=True)
class Question:
    """One call of the tool, its names resolved."""

    manager: Exposed
    where: Where
    exclude: Where
    order_by: Sequence[str] = ()
    limit: int = ROWS
    offset: int = 0


@dataclass(slots=True)
class Findings:
    """An answer in the making."""

    rows: list[dict[str, Any]]
    total: int | None
    more: bool
    faults: tuple[Fault, ...] = ()
    notes: list[str] = field(default_factory=list)

    def answer(self, offset: int, characters: int = CHARACTERS) -> dict[str, Any]:
        """The tool's answer: rows under a budget of characters, with the place to go on from."""
        kept = _under(self.rows, characters)
        if len(kept) < len(self.rows):
            self.notes.append(f"Only {len(kept)} of {len(self.rows)} rows fit here; go on with offset.")
        more = self.more or len(kept) < len(self.rows)
        result: dict[str, Any] = {
            "rows": kept,
            "total_count": self.total,
            "has_more": more,
            "next_offset": offset + len(kept) if more else None,
        }
        if self.faults:
            result["errors"] = told(self.faults)
        if self.notes:
            result["notes"] = self.notes
        return result


def ask(session: Session, arguments: Mapping[str, Any], most: int) -> Question:
    """The question in a model's arguments. Raises ToolError for any name or value that does not fit."""
    manager = session.catalog.manager(arguments["manager"])
    listed(manager)
    wanted = arguments.get("order_by") or []
    return Question(
        manager=manager,
        where=parse(session.catalog, manager, arguments.get("filters") or {}),
        exclude=parse(session.catalog, manager, arguments.get("exclude") or {}),
        order_by=[wanted] if isinstance(wanted, str) else wanted,
        limit=max(0, min(int(arguments.get("limit", ROWS)), most)),
        offset=max(0, int(arguments.get("offset", 0))),
    )


async def rows(session: Session, question: Question, fields: Sequence[Any] | None) -> dict[str, Any]:
    """The tool's answer for rows: `{"rows", "total_count", "has_more", "next_offset", "errors"?, "notes"?}`."""
    manager = question.manager
    selection = select(session.catalog, manager, fields) if fields else default_selection(session.catalog, manager)
    wanted = order(session.catalog, manager, question.order_by)
    narrowing = await narrow(session, question.where, question.exclude, len(wanted.columns))
    try:
        findings = await _find(session, question, selection, wanted, narrowing)
    except ToolError as failure:
        narrowing = on_the_rows(question.where, question.exclude, failure)
        findings = await _find(session, question, selection, wanted, narrowing)
    if not findings.rows and not question.offset and (hint := _hint(question)):
        findings.notes.append(hint)
    return findings.answer(question.offset)


async def _find(
    session: Session, question: Question, selection: Selection, wanted: Order, narrowing: Narrowing
) -> Findings:
    if narrowing.nothing:
        return Findings([], 0, False)
    if wanted.by_schema and not narrowing.computed and await _is_straight(session, question, narrowing):
        reading = Reading(selection, {**narrowing.source.arguments, **wanted.arguments})
        return await _straight(session, reading, question)
    if not wanted.columns and not narrowing.computed and narrowing.source.ids is not None:
        return await _picked(session, selection, question, narrowing.source.ids)
    return await _computed(session, question, selection, narrowing, wanted.columns)


async def _straight(session: Session, reading: Reading, question: Question) -> Findings:
    asked = max(1, question.limit)
    part = await window(session, reading, question.offset, asked)
    end = question.offset + part.places
    if part.total is not None:
        more = part.total > end
    else:
        more = part.places == asked and (await window(session, reading, end, 1)).places > 0
    findings = Findings(_clean(reading.selection, part.rows), part.total, more, part.faults)
    findings.notes += _cuts(reading.selection, part.rows)
    if not question.limit:
        findings.rows, findings.more = [], bool(part.total or part.places)
    return findings


async def _is_straight(session: Session, question: Question, narrowing: Narrowing) -> bool:
    """Whether the schema's own list gives the rows in the wanted order, and may be asked to."""
    if narrowing.source.ids is not None:
        return False
    checks = session.catalog.dialect.row_checks
    if checks is None or not question.order_by:
        return True
    count = await total(session, question.manager)
    operands = len(question.where.conditions) + len(question.exclude.conditions) + len(question.order_by)
    return count is not None and count * operands <= checks


async def _picked(session: Session, selection: Selection, question: Question, ids: Sequence[str]) -> Findings:
    """Rows whose ids are known, in the order of the ids."""
    found = await pick(session, selection, ids)
    chosen = found.rows[question.offset : question.offset + question.limit]
    more = len(found.rows) > question.offset + len(chosen)
    clean = _clean(selection, chosen)
    return Findings(clean, len(found.rows), more, found.faults, _cuts(selection, chosen))


async def _computed(
    session: Session,
    question: Question,
    selection: Selection,
    narrowing: Narrowing,
    wanted: Sequence[tuple[Column, bool]],
) -> Findings:
    """Order and conditions the schema does not have: over the columns of all rows, then the rows of the window."""
    manager, catalog = question.manager, session.catalog
    picks = can_pick(catalog, manager)
    names = [*(["id"] if picks else []), *narrowing.fields]
    columns = {c.name: c for c in [*(column(catalog, manager, name) for name in names), *(c for c, _ in wanted)]}
    units = {c.name: c.field.unit for c, _ in wanted if c.field.unit} | dict(narrowing.units)
    if picks:
        found = await table(session, manager, list(columns.values()), narrowing.source, units)
        kept: list[Any] = [row for row in found.rows if narrowing.keeps(row)]
        kept = in_order(kept, [(_getter(c.name), down) for c, down in wanted])
        chosen = kept[question.offset : question.offset + question.limit]
        part = await pick(session, selection, [str(row["id"]) for row in chosen])
        raw, faults, complete, seen = part.rows, found.faults + part.faults, found.complete, found.rows
    else:
        both = await _together(session, selection, list(columns.values()), narrowing.source, units)
        kept = [pair for pair in both.rows if narrowing.keeps(pair[0])]
        kept = in_order(kept, [(_first(c.name), down) for c, down in wanted])
        raw = [row for _, row in kept[question.offset : question.offset + question.limit]]
        faults, complete, seen = both.faults, both.complete, [left for left, _ in both.rows]
    notes = [*_cuts(selection, raw), *narrowing.blind(seen)]
    if not complete:
        notes.append(f"Only the first {len(seen):,} rows were looked at: narrow the filter.")
    more = len(kept) > question.offset + len(raw) or not complete
    return Findings(_clean(selection, raw), len(kept) if complete else None, more, faults, notes)


@dataclass(frozen=True, slots=True)
class _Both:
    rows: list[tuple[dict[str, Any], Mapping[str, Any]]]
    complete: bool
    faults: tuple[Fault, ...]


async def _together(
    session: Session,
    selection: Selection,
    columns: Sequence[Column],
    source: Source,
    units: Mapping[str, str],
) -> _Both:
    """Columns beside the wanted rows, for a manager whose rows cannot be picked by id: both in the order of the list."""
    left = await table(session, selection.manager, columns, source, units)
    right: Rows = await read(session, selection, source, MOST_ROWS)
    pairs = list(zip(left.rows, right.rows, strict=False))
    return _Both(pairs, left.complete and right.complete, left.faults + right.faults)


def _clean(selection: Selection, found: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [selection.row(raw, {}) for raw in found]


def _cuts(selection: Selection, found: Sequence[Mapping[str, Any]]) -> list[str]:
    cuts: dict[str, tuple[int, int]] = {}
    for raw in found:
        selection.row(raw, cuts)
    return [
        f"{name} is cut: at most {shown} of up to {total} are shown in a row. Query that manager for all."
        for name, (shown, total) in cuts.items()
    ]


def _hint(question: Question) -> str | None:
    """What to try when a text that had to be equal matched nothing."""
    exact = [
        key
        for key, value in question.where.spelled().items()
        if isinstance(value, str) and key.rsplit("__", 1)[-1] in _texts(question.where)
    ]
    return f"Nothing equals that exactly. Try {exact[0]}__icontains." if exact else None


def _texts(where: Where) -> set[str]:
    found = {
        c.field
        for c in where.conditions
        if c.lookup == "exact" and where.manager.fields[c.field].kind == "String" and isinstance(c.value, str)
    }
    for inner in where.related.values():
        found |= _texts(inner)
    return found


def _under(found: list[dict[str, Any]], characters: int) -> list[dict[str, Any]]:
    used = 0
    for place, row in enumerate(found):
        used += len(to_json(row)) + 1
        if used > characters:
            if not place:
                raise ToolError("One row alone is too large to show. Ask for fewer fields.", "too_large")
            return found[:place]
    return found


def _getter(name: str) -> Any:
    return lambda row: row.get(name)


def _first(name: str) -> Any:
    return lambda pair: pair[0].get(name)
