"""Conditions to the arguments of a list: nested where the schema reaches, in steps by ids beyond.

A condition the schema has no argument for, or for which it would take too long, is checked on the rows themselves.
Every step is asked through the schema as the caller.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dragoman.graphql.columns import column, table
from dragoman.graphql.compute import Condition, matches, number
from dragoman.graphql.dialects import Place, Slot
from dragoman.graphql.document import unwrap, wrap
from dragoman.graphql.execute import Session
from dragoman.graphql.host import UNSUPPORTED
from dragoman.graphql.rows import MOST_ROWS, Source, chunks, total
from dragoman.graphql.schema import Catalog, Exposed, Relation
from dragoman.graphql.values import amount, choose, fit
from dragoman.graphql.where import Where, truth
from dragoman.harness.tools import ToolError

MOST_IDS = 1_000  # ids sent to a list in one condition
_ASIDE = 40  # related rows whose own lists are read one by one; above, the whole list is read instead
_WIDER = {"iexact": "icontains", "istartswith": "icontains", "iendswith": "icontains", "startswith": "contains",
          "endswith": "contains", "contains": "icontains"}  # fmt: skip
_NUMBERS = ("Int", "Float", "Decimal")
_COMPARED = ("exact", "in", "gt", "gte", "lt", "lte")


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What narrows a list: where its rows come from, what is left to check on them, and whether nothing can match.

    The fields of what is left are columns, so `project__id` is one. `units` are those the conditions speak of.
    """

    source: Source = field(default_factory=Source)
    left: tuple[Condition, ...] = ()
    without: tuple[Condition, ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)
    nothing: bool = False

    @property
    def computed(self) -> bool:
        """Whether rows must be checked after they were read."""
        return bool(self.left or self.without)

    @property
    def fields(self) -> list[str]:
        """The columns `keeps` looks at."""
        return list(dict.fromkeys(c.field for c in (*self.left, *self.without)))

    def keeps(self, row: Mapping[str, Any]) -> bool:
        """Whether a row that was read stays."""
        if self.without and all(matches(row.get(c.field), c.lookup, c.value) for c in self.without):
            return False
        return all(matches(row.get(c.field), c.lookup, c.value) for c in self.left)

    def blind(self, rows: Sequence[Mapping[str, Any]]) -> list[str]:
        """Sentences about conditions on a field that was null in every row, as it is for those who may not read it."""
        asked = {c.field for c in self.left if c.lookup != "isnull"}
        return [
            f"{name} is null in every row that was read; perhaps this person may not read it."
            for name in sorted(asked)
            if rows and all(row.get(name) is None for row in rows)
        ]


class _BeyondSchema(Exception):
    """The schema has no place for a condition here; it is answered in steps, or on the rows."""


class _Nothing(Exception):
    """A related row that is asked for does not exist, so nothing matches."""


async def narrow(session: Session, where: Where, exclude: Where, orders: int = 0) -> Narrowing:
    """What narrows a list to these conditions; `orders` are the fields the schema shall sort by besides.

    Raises ToolError where a condition cannot be answered at all.
    """
    where, exclude = await _with_owners(session, where), await _with_owners(session, exclude)
    if session.catalog.dialect.row_checks is not None:
        return await _aside(session, where, exclude, orders)
    try:
        kept, left = await _top(session, where, exclude=False) if where else ({}, [])
    except _Nothing:
        return Narrowing(nothing=True)
    try:
        cut, without = await _top(session, exclude, exclude=True) if exclude else ({}, [])
    except _Nothing:
        cut, without = {}, []
    return _left_over(where.manager, {**kept, **cut}, None, left, without)


def on_the_rows(where: Where, exclude: Where, failure: ToolError) -> Narrowing:
    """The same conditions, all met on the rows, after the system behind the schema turned out not to have them.

    Raises the failure where it was another one, or where that cannot be done.
    """
    if failure.code != UNSUPPORTED or where.related or exclude.related:
        raise failure
    return _left_over(where.manager, {}, None, where.conditions, exclude.conditions)


# ---- where the schema's own conditions are good ----------------------------------------------------------------------


async def _top(session: Session, where: Where, exclude: bool) -> tuple[dict[str, Any], list[Condition]]:
    manager = where.manager
    place = _place(session.catalog, manager, exclude)
    written: dict[str, Any] = {}
    left: list[Condition] = []
    for condition in where.conditions:
        slot = _slot(session.catalog, place, condition)
        if slot is not None:
            _write(written, slot.keys, _fitted(manager, condition, slot))
            continue
        left.append(condition)
        wider = _WIDER.get(condition.lookup)
        superset = Condition(condition.field, wider, condition.value) if wider and not exclude else None
        if superset and (slot := _slot(session.catalog, place, superset)):
            _write(written, slot.keys, _fitted(manager, superset, slot))
    for name, inner in where.related.items():
        try:
            if place is None:
                raise _BeyondSchema
            await _related(session, manager, place, name, inner, written)
        except _BeyondSchema:
            raise _not_filterable(manager, name) from None
    if exclude and left and written:
        ids = list(await _matching(session, where, ()))
        return {}, [Condition("id", "in", frozenset(ids))]
    return written, left


async def _nested(session: Session, where: Where, place: Place) -> dict[str, Any]:
    """The conditions written below a place of an outer manager's input; keys are absolute."""
    written: dict[str, Any] = {}
    for condition in where.conditions:
        slot = _slot(session.catalog, place, condition)
        if slot is None:
            raise _BeyondSchema
        _write(written, slot.keys, _fitted(where.manager, condition, slot))
    for name, inner in where.related.items():
        await _related(session, where.manager, place, name, inner, written)
    return written


async def _related(
    session: Session, manager: Exposed, place: Place, name: str, inner: Where, written: dict[str, Any]
) -> None:
    """Write the conditions on a related row: in the schema's own nested input, else as the ids that meet them."""
    filtering, relation = session.catalog.dialect.filtering, manager.relations[name]
    deeper = filtering.descend(place, name)
    if deeper is not None:
        try:
            _merge(written, await _nested(session, inner, deeper))
        except _BeyondSchema:
            pass
        else:
            return
    slot = filtering.slots(place, relation.key).get("in") if relation.key else None
    if slot is None and deeper is not None:
        slot = filtering.slots(deeper, "id").get("in")
    if slot is None or not inner.manager.has_id or inner.manager.root is None:
        raise _BeyondSchema
    ids = inner.ids if inner.ids is not None else list(await _matching(session, inner, ()))
    if not ids:
        raise _Nothing
    if len(ids) > MOST_IDS:
        raise _too_many(inner, MOST_IDS)
    _write(written, slot.keys, ids)


# ---- where every condition of the schema is tested on every row ------------------------------------------------------


async def _aside(session: Session, where: Where, exclude: Where, orders: int) -> Narrowing:
    """Related rows first, from their own side; conditions of the schema only while they cost little."""
    manager, ids = where.manager, where.ids
    left: list[Condition] = []
    if ids is None and where.related and manager.has_id:
        ids = list(await _matching(session, where, ()))
    elif ids is None and where.related:
        left = [
            *where.conditions,
            *[await _to_one(session, manager, name, inner) for name, inner in where.related.items()],
        ]
    without: list[Condition] = []
    if exclude.related:
        if not manager.has_id:
            raise _not_filterable(manager, next(iter(exclude.related)))
        without = [Condition("id", "in", frozenset(await _matching(session, exclude, ())))]
    if ids == [] or any(c.value == frozenset() for c in left):
        return Narrowing(nothing=True)
    if ids is not None:
        return _left_over(manager, {}, tuple(ids), [], without or exclude.conditions)
    if not where.related and not exclude.related and await _is_cheap(session, where, exclude, orders):
        written = _pushed(session.catalog, where, False)
        _merge(written, _pushed(session.catalog, exclude, True))
        return Narrowing(Source(written))
    return _left_over(manager, {}, None, left or where.conditions, without or exclude.conditions)


async def _is_cheap(session: Session, where: Where, exclude: Where, orders: int) -> bool:
    """Whether the schema has all these conditions, and may test them on every row."""
    conditions = [*where.conditions, *exclude.conditions]
    places = {flag: _place(session.catalog, where.manager, flag) for flag in (False, True)}
    if not all(_slot(session.catalog, places[False], c) for c in where.conditions):
        return False
    if not all(_slot(session.catalog, places[True], c) for c in exclude.conditions):
        return False
    if not conditions and not orders:
        return True
    count = await total(session, where.manager)
    return count is not None and count * (len(conditions) + orders) <= (session.catalog.dialect.row_checks or 0)


def _pushed(catalog: Catalog, where: Where, exclude: bool) -> dict[str, Any]:
    written: dict[str, Any] = {}
    place = _place(catalog, where.manager, exclude)
    for condition in where.conditions:
        slot = _slot(catalog, place, condition)
        assert slot is not None  # _is_cheap looked
        _write(written, slot.keys, _fitted(where.manager, condition, slot))
    return written


async def _to_one(session: Session, manager: Exposed, name: str, inner: Where) -> Condition:
    """A condition on the id of a row that a row without an id of its own belongs to."""
    relation = manager.relations[name]
    if relation.many or not inner.manager.has_id:
        raise _not_filterable(manager, name)
    ids = inner.ids if inner.ids is not None else list(await _matching(session, inner, ()))
    return Condition(_key(relation), "in", frozenset(ids))


# ---- the rows that meet conditions -----------------------------------------------------------------------------------


async def _matching(session: Session, where: Where, wanted: Sequence[str]) -> dict[str, Mapping[str, Any]]:
    """The rows that meet the conditions, by id, with the wanted fields. Raises ToolError where they are too many."""
    manager = where.manager
    if not manager.has_id:
        raise ToolError(f"{manager.name} rows have no id, so nothing can be filtered through them.", "not_filterable")
    if session.catalog.dialect.row_checks is None or not where.related:
        narrowing = await narrow(session, where, Where(manager))
        try:
            return {} if narrowing.nothing else await _read(session, where, narrowing, wanted)
        except ToolError as failure:
            return await _read(session, where, on_the_rows(where, Where(manager), failure), wanted)
    where = await _with_owners(session, where)
    sets = {name: await _related_ids(session, manager, name, inner) for name, inner in where.related.items()}
    if not all(sets.values()):
        return {}
    found = await _from_the_smallest(session, manager, sets)
    if found is not None:
        narrowing = _left_over(manager, {}, tuple(found), where.conditions, [])
        return (
            await _read(session, where, narrowing, wanted) if where.conditions or wanted else {one: {} for one in found}
        )
    # Too many to go from their side: the keys of all rows are read instead.
    keys = [Condition(_key(manager.relations[name]), "in", frozenset(ids)) for name, ids in sets.items()]
    narrowing = _left_over(manager, {}, None, [*where.conditions, *keys], [])
    return await _read(session, where, narrowing, wanted)


async def _read(
    session: Session, where: Where, narrowing: Narrowing, wanted: Sequence[str]
) -> dict[str, Mapping[str, Any]]:
    names = dict.fromkeys(["id", *wanted, *narrowing.fields])
    columns = [column(session.catalog, where.manager, name) for name in names]
    found = await table(session, where.manager, columns, narrowing.source, narrowing.units)
    if not found.complete:
        raise _too_many(where, MOST_ROWS)
    return {str(row["id"]): row for row in found.rows if row["id"] is not None and narrowing.keeps(row)}


async def _related_ids(session: Session, manager: Exposed, name: str, inner: Where) -> list[str]:
    """For a to-one relation the ids of the related rows that match, for a to-many one those of the rows they belong to."""
    relation = manager.relations[name]
    if not relation.many:
        return inner.ids if inner.ids is not None else list(await _matching(session, inner, ()))
    back = _back(session.catalog, manager, relation)
    if back is None or not back.key:
        raise _not_filterable(manager, name)
    rows = await _matching(session, inner, (back.key,))
    return list(dict.fromkeys(str(row[back.key]) for row in rows.values() if row.get(back.key) is not None))


async def _with_owners(session: Session, where: Where) -> Where:
    """The same conditions, those on whether a list is empty turned into the ids of the rows whose list is not."""
    manager = where.manager
    lists = {name for name, relation in manager.relations.items() if relation.many}
    if not any(condition.field in lists for condition in where.conditions):
        return where
    conditions: list[Condition] = []
    for condition in where.conditions:
        if condition.field not in lists:
            conditions.append(condition)
            continue
        back = _back(session.catalog, manager, manager.relations[condition.field])
        if back is None or not back.key or not manager.has_id:
            raise _not_filterable(manager, condition.field)
        target = session.catalog.managers[manager.relations[condition.field].target]
        found = await table(session, target, [column(session.catalog, target, back.key)], Source())
        if not found.complete:
            raise _too_many(Where(target), MOST_ROWS)
        owners = frozenset(str(row[back.key]) for row in found.rows)
        conditions.append(Condition("id", "out" if condition.value else "in", owners))
    return Where(manager, conditions, where.related)


async def _from_the_smallest(session: Session, manager: Exposed, sets: Mapping[str, list[str]]) -> list[str] | None:
    """The ids that all sets lead to, or None when some set is better compared with every row's key."""
    found: set[str] | None = None
    for name, ids in sorted(sets.items(), key=lambda pair: len(pair[1])):
        relation = manager.relations[name]
        if relation.many:
            here = ids
        else:
            lists = _lists(session.catalog, manager, relation)
            if lists is None or len(ids) > _ASIDE:
                return None
            here = await _listed_by(session, manager, relation, lists, ids)
        found = set(here) if found is None else found & set(here)
    return sorted(found or (), key=_as_number)


async def _listed_by(
    session: Session, manager: Exposed, relation: Relation, lists: Relation, ids: Sequence[str]
) -> list[str]:
    """The ids of the rows that belong to these related rows, read from the related rows' own lists."""
    owner = session.catalog.managers[relation.target]
    detail, page = owner.detail, lists.page
    if detail is None or page is None:
        return []
    entry, paging = owner.row.fields[lists.name], session.catalog.dialect.paging
    found: list[str] = []
    rest = {str(one): 0 for one in ids}  # how far each list was read
    while rest:
        for group in chunks(list(rest), 20):
            fields, variables = [], {}
            for n, one in enumerate(group):
                window = next(paging.windows(entry, rest[one], paging.most)).arguments
                passed = ", ".join(f"{name}: {value}" for name, value in window.items())
                inner = f"{lists.name}({passed}){wrap(page, 'id')}"
                fields.append(f"r{n}: {detail.name}({detail.argument}: $i{n}) {{ {inner} }}")
                variables[f"i{n}"] = fit(one, detail.kind, f"id of {owner.name}")
            declared = ", ".join(f"$i{n}: {detail.kind}" for n in range(len(group)))
            answer = await session.run(f"query Lists({declared}) {{ {' '.join(fields)} }}", variables)
            for n, one in enumerate(group):
                owned = (answer.data or {}).get(f"r{n}") or {}
                rows, count = unwrap(page, owned.get(lists.name))
                found += [str(row["id"]) for row in rows if row is not None and row.get("id") is not None]
                rest[one] += len(rows)
                if len(rows) < paging.most or (count is not None and rest[one] >= count) or len(found) > MOST_ROWS:
                    del rest[one]
    if len(found) > MOST_ROWS:
        raise ToolError(f"More than {MOST_ROWS:,} {manager.name} rows match. Narrow the filter.", "too_many_matches")
    return list(dict.fromkeys(found))


def _key(relation: Relation) -> str:
    """The column that says to which related row a row belongs; for a list, of which the rows' own ids are known."""
    return "id" if relation.many else relation.key or f"{relation.name}__id"


def _lists(catalog: Catalog, manager: Exposed, relation: Relation) -> Relation | None:
    """The list a related row keeps of this manager's rows, if it is the other side of this relation beyond doubt."""
    owner = catalog.managers[relation.target]
    here = [r for r in manager.relations.values() if r.target == owner.name and not r.many]
    there = [r for r in owner.relations.values() if r.target == manager.name and r.many]
    return there[0] if len(here) == len(there) == 1 and owner.detail and manager.has_id else None


def _back(catalog: Catalog, manager: Exposed, relation: Relation) -> Relation | None:
    """The to-one relation of a listed row that leads back, if it is the other side of this list beyond doubt."""
    target = catalog.managers[relation.target]
    here = [r for r in manager.relations.values() if r.target == target.name and r.many]
    there = [r for r in target.relations.values() if r.target == manager.name and not r.many]
    return there[0] if len(here) == len(there) == 1 else None


# ---- values and places -----------------------------------------------------------------------------------------------


def _place(catalog: Catalog, manager: Exposed, exclude: bool) -> Place | None:
    return catalog.dialect.filtering.root(manager.root.field, exclude) if manager.root else None


def _slot(catalog: Catalog, place: Place | None, condition: Condition) -> Slot | None:
    if isinstance(condition.value, frozenset):  # ids of our own finding are looked up on the rows
        return None
    slots = catalog.dialect.filtering.slots(place, condition.field) if place else {}
    if condition.lookup == "exact" and "exact" not in slots and "in" in slots:
        return slots["in"]
    return slots.get(condition.lookup)


def _fitted(manager: Exposed, condition: Condition, slot: Slot) -> Any:
    entry = manager.fields[condition.field]
    choices = entry.choices if condition.lookup in ("exact", "in") else ()
    return fit(condition.value, slot.kind, _named(manager, condition), entry.unit, choices)


def _left_over(
    manager: Exposed,
    arguments: Mapping[str, Any],
    ids: tuple[str, ...] | None,
    left: Sequence[Condition],
    without: Sequence[Condition],
) -> Narrowing:
    """A narrowing with conditions to be met on rows, their values fit to be compared."""
    units: dict[str, str] = {}
    checked = [tuple(_checked(manager, c, units) for c in part) for part in (left, without)]
    return Narrowing(Source(arguments, ids), checked[0], checked[1], units)


def _checked(manager: Exposed, condition: Condition, units: dict[str, str]) -> Condition:
    entry = manager.fields.get(condition.field)
    if entry is None or condition.lookup not in _COMPARED or isinstance(condition.value, frozenset):
        return condition
    where = _named(manager, condition)
    if entry.is_measurement or entry.kind in _NUMBERS:
        values = condition.value if isinstance(condition.value, list) else [condition.value]
        amounts = [amount(value) for value in values]
        for value, (found, unit) in zip(values, amounts, strict=True):
            if number(found) is None or (unit and not entry.is_measurement):
                raise ToolError(f"{where}: expected a number, got {value!r}.", "bad_value")
        if entry.is_measurement and (unit := next((u for _, u in amounts if u), entry.unit)):
            units[condition.field] = unit
        numbers = [found for found, _ in amounts]
        return Condition(condition.field, condition.lookup, numbers if condition.lookup == "in" else numbers[0])
    if entry.kind == "Boolean" and condition.lookup == "exact":
        return Condition(condition.field, "exact", truth(condition.value, condition.field))
    if entry.choices and condition.lookup in ("exact", "in"):
        return Condition(condition.field, condition.lookup, choose(condition.value, entry.choices, where))
    return condition


def _named(manager: Exposed, condition: Condition) -> str:
    lookup = "" if condition.lookup == "exact" else f"__{condition.lookup}"
    return f"filter {condition.field}{lookup} of {manager.name}"


def _write(into: dict[str, Any], keys: Sequence[str], value: Any) -> None:
    for key in keys[:-1]:
        into = into.setdefault(key, {})
    into[keys[-1]] = value


def _merge(into: dict[str, Any], more: Mapping[str, Any]) -> None:
    for key, value in more.items():
        if isinstance(value, Mapping) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = value


def _as_number(text: str) -> tuple[int, str]:
    return (int(text), "") if text.isdigit() else (0, text)


def _too_many(where: Where, most: int) -> ToolError:
    name = where.manager.name
    return ToolError(
        f"More than {most:,} {name} rows would have to be looked at for {where.spelled()}. Narrow that condition, or "
        f"ask {name} itself.",
        "too_many_matches",
    )


def _not_filterable(manager: Exposed, name: str) -> ToolError:
    target = manager.relations[name].target
    return ToolError(f"{manager.name} cannot be filtered by {name}, a relation to {target}.", "not_filterable")
