"""Columns: a table of values over to-one relations, read without a request for each row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dragoman.graphql.document import Selection
from dragoman.graphql.execute import Session
from dragoman.graphql.host import Fault
from dragoman.graphql.rows import MOST_ROWS, Source, can_pick, read
from dragoman.graphql.schema import Catalog, Exposed, Field, Relation
from dragoman.harness.tools import ToolError

PERIODS = {"year": 4, "month": 7, "date": 10}  # how much of an ISO date each keeps


@dataclass(frozen=True, slots=True)
class Column:
    """A plain field of a row or of a row it belongs to; `period` shortens a date to its year or month."""

    relations: tuple[Relation, ...]
    field: Field
    period: str = ""

    @property
    def name(self) -> str:
        """`supplier__name`, in the schema's spelling."""
        steps = [*(relation.name for relation in self.relations), self.field.name]
        return "__".join([*steps, self.period] if self.period else steps)

    def cut(self, value: Any) -> Any:
        """The value, shortened to the period."""
        return str(value)[: PERIODS[self.period]] if self.period and value is not None else value


@dataclass(frozen=True, slots=True)
class Table:
    """A row of values for each row read, in the order of the list."""

    rows: list[dict[str, Any]]
    total: int | None
    complete: bool
    faults: tuple[Fault, ...] = ()


def column(catalog: Catalog, manager: Exposed, path: str, what: str = "field") -> Column:
    """The column of a path such as `supplier__country__name`. Raises ToolError for what is unknown or to-many."""
    here = manager
    relations: list[Relation] = []
    steps = path.replace(".", "__").split("__")
    for place, step in enumerate(steps):
        name = here.find(step)
        if name is None:
            raise here.refuse(step, what)
        rest = steps[place + 1 :]
        if name in here.fields:
            return _end(here, relations, here.fields[name], rest)
        relation = here.relations[name]
        if relation.many:
            raise ToolError(
                f"{path!r} of {manager.name} goes through the list {name!r}. Ask {relation.target} instead, "
                f"which belongs to one {here.name}.",
                "to_many",
            )
        relations.append(relation)
        here = catalog.managers[relation.target]
    naming = here.naming[:1] or tuple(here.fields)[:1]
    return Column(tuple(relations), here.fields[naming[0]])


async def table(
    session: Session,
    manager: Exposed,
    columns: Sequence[Column],
    source: Source,
    units: Mapping[str, str] | None = None,
    most: int = MOST_ROWS,
) -> Table:
    """The columns of a source's rows, up to `most`. `units` asks measurements (by column name) for a unit.

    A column of a related row is read from that manager's own list by the ids the rows hold, where the schema lets it,
    and within the row itself elsewhere.
    """
    units = units or {}
    near = [c for c in columns if not c.relations]
    far: dict[str, list[Column]] = {}
    for c in columns:
        if c.relations:
            far.setdefault(c.relations[0].name, []).append(c)
    fields = {c.field.name: c.field for c in near}
    nested: list[tuple[Relation, Selection]] = []
    by_key: dict[str, str] = {}
    for name, wanted in far.items():
        relation = manager.relations[name]
        target = session.catalog.managers[relation.target]
        if relation.key and can_pick(session.catalog, target):
            fields.setdefault(relation.key, manager.fields[relation.key])
            by_key[name] = relation.key
        else:
            nested.append((relation, _nest(session.catalog, target, wanted, 1, units)))
    own = {c.field.name: units[c.name] for c in near if c.name in units}
    selection = Selection(manager, tuple(fields.values()), tuple(nested), own)
    found = await read(session, selection, source, most)
    rows = [{c.name: c.cut(raw.get(c.field.name)) for c in near} for raw in found.rows]
    faults = found.faults
    for name, wanted in far.items():
        if name in by_key:
            ids = [raw.get(by_key[name]) for raw in found.rows]
            faults += await _join(session, rows, ids, wanted, units)
        else:
            for row, raw in zip(rows, found.rows, strict=True):
                row |= {c.name: c.cut(_dig(raw, c)) for c in wanted}
    return Table(rows, found.total, found.complete, faults)


async def _join(
    session: Session, rows: list[dict[str, Any]], ids: list[Any], wanted: list[Column], units: Mapping[str, str]
) -> tuple[Fault, ...]:
    """Add the columns of related rows, which are read by their ids."""
    target = session.catalog.managers[wanted[0].relations[0].target]
    inner = {c.name: Column(c.relations[1:], c.field, c.period) for c in wanted}
    columns = [*inner.values(), Column((), target.fields["id"])]
    asked = {inner[name].name: unit for name, unit in units.items() if name in inner}
    unique = tuple(dict.fromkeys(str(one) for one in ids if one is not None))
    part = await table(session, target, columns, Source(ids=unique), asked)
    others = {str(row["id"]): row for row in part.rows}
    for row, one in zip(rows, ids, strict=True):
        other = others.get(str(one), {})
        row |= {c.name: other.get(inner[c.name].name) for c in wanted}
    return part.faults


def _end(here: Exposed, relations: list[Relation], entry: Field, rest: list[str]) -> Column:
    if not rest:
        return Column(tuple(relations), entry)
    if len(rest) == 1 and rest[0] in PERIODS and entry.kind in ("Date", "DateTime"):
        return Column(tuple(relations), entry, rest[0])
    if len(rest) == 1 and rest[0] in entry.parts:
        return Column(tuple(relations), entry)
    hint = f" A date can be cut to {' or '.join(PERIODS)}." if entry.kind.startswith("Date") else ""
    raise ToolError(f"{entry.name!r} of {here.name} has no {'__'.join(rest)!r}.{hint}", "unknown_field")


def _nest(
    catalog: Catalog, manager: Exposed, columns: Sequence[Column], depth: int, units: Mapping[str, str]
) -> Selection:
    fields = {c.field.name: c.field for c in columns if len(c.relations) == depth}
    own = {c.field.name: units[c.name] for c in columns if len(c.relations) == depth and c.name in units}
    deeper: dict[str, list[Column]] = {}
    for c in columns:
        if len(c.relations) > depth:
            deeper.setdefault(c.relations[depth].name, []).append(c)
    inner = [
        (relation, _nest(catalog, catalog.managers[relation.target], group, depth + 1, units))
        for relation, group in ((manager.relations[name], group) for name, group in deeper.items())
    ]
    return Selection(manager, tuple(fields.values()), tuple(inner), own)


def _dig(raw: Any, wanted: Column) -> Any:
    for relation in wanted.relations:
        raw = raw.get(relation.name) if isinstance(raw, Mapping) else None
    return raw.get(wanted.field.name) if isinstance(raw, Mapping) else None
