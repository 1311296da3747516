"""Read rows of a manager as the caller: a window of them, or all of them up to a stated cap."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dragoman.graphql.document import Selection, unwrap, wrap
from dragoman.graphql.execute import Session, refusal
from dragoman.graphql.host import Fault
from dragoman.graphql.schema import Catalog, Exposed, Root
from dragoman.graphql.values import fit
from dragoman.harness.tools import ToolError

MOST_ROWS = 5_000
_DETAILS = 50  # rows fetched one by one in one document
_FEW = 20
_DEAR = 6  # a row fetched by itself costs about as much as so many in a list


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows as the schema gave them. `total` is None where it cannot be known; `complete` says that none were left out."""

    rows: list[Mapping[str, Any]]
    total: int | None
    faults: tuple[Fault, ...] = ()
    complete: bool = True
    places: int = 0  # how many places of the list were read; a row that may not be seen takes one


@dataclass(frozen=True, slots=True)
class Reading:
    """What to read: a selection of a manager's rows, narrowed and ordered by arguments of its list."""

    selection: Selection
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def manager(self) -> Exposed:
        """Whose rows."""
        return self.selection.manager


async def window(session: Session, reading: Reading, offset: int, limit: int) -> Rows:
    """Up to `limit` rows from `offset` on. Raises ToolError when the server answered with nothing but an error."""
    root = listed(reading.manager)
    found: list[Mapping[str, Any] | None] = []
    total: int | None = None
    faults: tuple[Fault, ...] = ()
    for part in session.catalog.dialect.paging.windows(root.field, offset, limit):
        rows, total, wrong = await _request(session, reading, root, part.arguments)
        faults += wrong
        found += rows[part.skip : part.skip + part.take]
        if len(rows) < part.skip + part.take:
            break
    return Rows([row for row in found if row is not None], total, faults, places=len(found))


async def sweep(session: Session, reading: Reading, most: int = MOST_ROWS) -> Rows:
    """All rows in order, up to `most` of them."""
    found: list[Mapping[str, Any]] = []
    faults: tuple[Fault, ...] = ()
    total: int | None = None
    step, read = session.catalog.dialect.paging.most, 0
    while read < most:
        asked = min(step, most - read)
        part = await window(session, reading, read, asked)
        found += part.rows
        faults += part.faults
        total, read = part.total, read + part.places
        if part.places < asked or (total is not None and read >= total):
            return Rows(found, total if total is not None else len(found), faults, places=read)
    more = total > read if total is not None else (await window(session, reading, read, 1)).places > 0
    return Rows(found, total, faults, complete=not more, places=read)


async def total(session: Session, manager: Exposed) -> int | None:
    """How many rows of a manager the caller may see, asked once a session; None where the schema does not count."""
    if manager.name not in session.totals:
        part = await window(session, Reading(Selection(manager)), 0, 1)
        session.totals[manager.name] = part.total
    return session.totals[manager.name]


async def pick(session: Session, selection: Selection, ids: Sequence[str]) -> Rows:
    """The rows with these ids that the caller may see, in this order, each with its id."""
    manager = selection.manager
    whole = selection.with_field(manager.fields["id"])
    if session.catalog.dialect.row_checks is None and (slot := _ids_slot(session.catalog, manager)):
        parts = [
            await window(session, Reading(whole, _nest(slot, list(group))), 0, len(group))
            for group in chunks(ids, session.catalog.dialect.paging.most)
        ]
    elif manager.detail and await _are_few(session, manager, ids):
        parts = [await _details(session, whole, group) for group in chunks(ids, _DETAILS)]
    else:
        parts = [await sweep(session, Reading(whole))]
    by_id = {str(row["id"]): row for part in parts for row in part.rows}
    found = [by_id[str(one)] for one in ids if str(one) in by_id]
    return Rows(found, len(found), sum((part.faults for part in parts), ()), places=len(found))


def can_pick(catalog: Catalog, manager: Exposed) -> bool:
    """Whether rows of a manager can be asked for by their ids."""
    return manager.has_id and (manager.root is not None or manager.detail is not None)


async def read(session: Session, selection: Selection, source: "Source", most: int = MOST_ROWS) -> Rows:
    """The rows of a source, up to `most`."""
    if source.ids is not None:
        return await pick(session, selection, source.ids[:most])
    return await sweep(session, Reading(selection, source.arguments), most)


@dataclass(frozen=True, slots=True)
class Source:
    """Which rows: those of the list under its arguments, or those with these ids."""

    arguments: Mapping[str, Any] = field(default_factory=dict)
    ids: tuple[str, ...] | None = None


def listed(manager: Exposed) -> Root:
    """The list of a manager. Raises ToolError for one that the schema does not list."""
    if manager.root is None:
        raise ToolError(f"{manager.name} cannot be listed: it is only reached through other managers.", "not_listed")
    return manager.root


def chunks(values: Sequence[Any], size: int) -> list[Sequence[Any]]:
    """Values in groups of at most `size`."""
    return [values[start : start + size] for start in range(0, len(values), size)]


async def _details(session: Session, selection: Selection, ids: Sequence[str]) -> Rows:
    """Rows fetched one by one in one document."""
    detail = selection.manager.detail
    assert detail is not None  # the caller looked
    inner = selection.text(session.catalog.dialect.paging)
    declared = ", ".join(f"$i{n}: {detail.kind}" for n in range(len(ids)))
    fields = " ".join(f"r{n}: {detail.name}({detail.argument}: $i{n}) {{ {inner} }}" for n in range(len(ids)))
    variables = {f"i{n}": fit(one, detail.kind, f"id of {selection.manager.name}") for n, one in enumerate(ids)}
    answer = await session.run(f"query Pick({declared}) {{ {fields} }}", variables)
    if answer.data is None:
        raise refusal(answer.faults, "query_failed")
    rows = [row for row in answer.data.values() if row is not None]
    return Rows(rows, len(rows), answer.faults, places=len(ids))


async def _are_few(session: Session, manager: Exposed, ids: Sequence[str]) -> bool:
    """Whether fetching rows one by one is less work than reading the whole list."""
    if manager.root is None or len(ids) <= _FEW:
        return True
    count = await total(session, manager)
    return count is None or count > MOST_ROWS or len(ids) * _DEAR < count


def _ids_slot(catalog: Catalog, manager: Exposed) -> tuple[str, ...] | None:
    place = catalog.dialect.filtering.root(manager.root.field) if manager.root else None
    slot = catalog.dialect.filtering.slots(place, "id").get("in") if place else None
    return slot.keys if slot else None


def _nest(keys: Sequence[str], value: Any) -> dict[str, Any]:
    for key in reversed(keys):
        value = {key: value}
    return dict(value)


async def _request(
    session: Session, reading: Reading, root: Root, paging: Mapping[str, Any]
) -> tuple[list[Mapping[str, Any] | None], int | None, tuple[Fault, ...]]:
    values = {**reading.arguments, **paging}
    declared = ", ".join(f"${name}: {root.field.args[name].type}" for name in values)
    passed = ", ".join(f"{name}: ${name}" for name in values)
    inner = reading.selection.text(session.catalog.dialect.paging)
    text = (
        f"query Ask{f'({declared})' if declared else ''} "
        f"{{ rows: {root.name}{f'({passed})' if passed else ''}{wrap(root.page, inner)} }}"
    )
    answer = await session.run(text, values)
    if answer.data is None or answer.data.get("rows") is None:
        raise refusal(answer.faults, "query_failed")
    rows, total = unwrap(root.page, answer.data["rows"])
    return rows, total, answer.faults
