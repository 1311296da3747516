"""query: rows of a manager as the caller may see them, filtered, ordered and cut, and always saying what was cut."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dragoman.graphql.columns import Column, by_ids, can_pick, column, table
from dragoman.graphql.compute import in_order
from dragoman.graphql.document import Selection, default_selection, select
from dragoman.graphql.execute import Session, told
from dragoman.graphql.filters import Narrowing, Where, narrow, parse
from dragoman.graphql.host import Fault
from dragoman.graphql.order import order
from dragoman.graphql.rows import MOST_ROWS, Reading, Rows, chunks, listed, window
from dragoman.graphql.schema import Exposed
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
    narrowing = await narrow(session, question.where, question.exclude)
    if narrowing.nothing:
        findings = Findings([], 0, False)
    elif wanted.columns or narrowing.computed:
        findings = await _computed(session, question, selection, narrowing, wanted.columns, wanted.arguments)
    else:
        read = Reading(selection, {**narrowing.arguments, **wanted.arguments})
        findings = await _straight(session, read, question)
    if not findings.rows and not question.offset and (hint := _hint(question)):
        findings.notes.append(hint)
    return findings.answer(question.offset)


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


async def _computed(
    session: Session,
    question: Question,
    selection: Selection,
    narrowing: Narrowing,
    wanted: Sequence[tuple[Column, bool]],
    arguments: Mapping[str, Any],
) -> Findings:
    """Order and conditions the schema does not have: over the columns of all rows, then the rows of the window."""
    manager, catalog = question.manager, session.catalog
    picks = can_pick(catalog, manager)
    names = [*(["id"] if picks else []), *narrowing.fields]
    columns = {c.name: c for c in [*(column(catalog, manager, name) for name in names), *(c for c, _ in wanted)]}
    narrowed = {**narrowing.arguments, **arguments}
    if picks:
        read = await table(session, manager, list(columns.values()), narrowed)
        kept: list[Any] = [row for row in read.rows if narrowing.keeps(row)]
        kept = in_order(kept, [(_getter(c.name), down) for c, down in wanted])
        chosen = kept[question.offset : question.offset + question.limit]
        found, faults = await _pick(session, selection, [str(row["id"]) for row in chosen])
        total, complete, seen = len(kept), read.complete, len(read.rows)
        clean, cuts = _clean(selection, found), _cuts(selection, found)
        faults = read.faults + faults
    else:
        both = await _together(session, selection, list(columns.values()), narrowed)
        kept = [pair for pair in both.rows if narrowing.keeps(pair[0])]
        kept = in_order(kept, [(_first(c.name), down) for c, down in wanted])
        chosen = [raw for _, raw in kept[question.offset : question.offset + question.limit]]
        total, complete, seen, faults = len(kept), both.complete, both.seen, both.faults
        clean, cuts = _clean(selection, chosen), _cuts(selection, chosen)
    more = total > question.offset + len(chosen) or not complete
    notes = [*cuts, *([] if complete else [f"Only the first {seen:,} rows were looked at: narrow the filter."])]
    return Findings(clean, total if complete else None, more, faults, notes)


@dataclass(frozen=True, slots=True)
class _Both:
    rows: list[tuple[dict[str, Any], Mapping[str, Any]]]
    complete: bool
    seen: int
    faults: tuple[Fault, ...]


async def _together(
    session: Session, selection: Selection, columns: Sequence[Column], arguments: Mapping[str, Any]
) -> _Both:
    """Columns beside the wanted rows, for a manager whose rows cannot be picked by id: both in the order of the list."""
    left = await table(session, selection.manager, columns, arguments)
    right: list[Mapping[str, Any]] = []
    faults = left.faults
    for start in range(0, len(left.rows), session.catalog.dialect.paging.most):
        part: Rows = await window(
            session, Reading(selection, arguments), start, min(session.catalog.dialect.paging.most, MOST_ROWS - start)
        )
        right += part.rows
        faults += part.faults
    return _Both(list(zip(left.rows, right, strict=False)), left.complete, len(left.rows), faults)


async def _pick(
    session: Session, selection: Selection, ids: list[str]
) -> tuple[list[Mapping[str, Any]], tuple[Fault, ...]]:
    """The rows with these ids, in this order."""
    manager = selection.manager
    with_id = Selection(
        manager,
        (*selection.fields, *(() if manager.fields["id"] in selection.fields else (manager.fields["id"],))),
        selection.relations,
    )
    found: dict[str, Mapping[str, Any]] = {}
    faults: tuple[Fault, ...] = ()
    for group in chunks(ids, session.catalog.dialect.paging.most):
        part = await window(session, Reading(with_id, by_ids(session.catalog, manager, group)), 0, len(group))
        found |= {str(row["id"]): row for row in part.rows}
        faults += part.faults
    return [found[one] for one in ids if one in found], faults


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
