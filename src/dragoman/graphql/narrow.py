"""Conditions to what narrows a list: the schema's own where they are good, in steps by ids beyond, else on the rows.

Every step is asked through the schema as the caller.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from dragoman.graphql.columns import column, table
from dragoman.graphql.compute import Condition
from dragoman.graphql.document import Selection
from dragoman.graphql.execute import Session, refusal
from dragoman.graphql.narrowing import Narrowing, left_over, on_the_rows
from dragoman.graphql.pushdown import Nothing, merge, not_filterable, place_of, push, pushed, slot_of
from dragoman.graphql.rows import MOST_ROWS, Source, total
from dragoman.graphql.schema import Exposed
from dragoman.graphql.sides import key_of, list_back, listed_by, way_back
from dragoman.graphql.where import Where
from dragoman.harness.tools import ToolError

_ASIDE = 40  # related rows whose own lists are read one by one; above, the whole list is read instead


async def narrow(session: Session, where: Where, exclude: Where, orders: int = 0) -> Narrowing:
    """What narrows a list to these conditions; `orders` are the fields the schema shall sort by besides.

    Raises ToolError where a condition cannot be answered at all.
    """
    where, exclude = await _with_owners(session, where), await _with_owners(session, exclude)
    if session.catalog.dialect.row_checks is not None:
        return await _aside(session, where, exclude, orders)

    async def find(inner: Where) -> list[str]:
        return await _ids(session, inner)

    async def beyond(manager: Exposed, name: str, inner: Where) -> Condition:
        return await _by_key(session, manager, name, inner)

    try:
        kept, left = await push(session, where, False, find, beyond) if where else ({}, [])
    except Nothing:
        return Narrowing(nothing=True)
    try:
        cut, without = await push(session, exclude, True, find, beyond) if exclude else ({}, [])
    except Nothing:
        cut, without = {}, []
    merge(kept, cut)  # both may stand below one argument
    return left_over(where.manager, kept, None, left, without)


async def _aside(session: Session, where: Where, exclude: Where, orders: int) -> Narrowing:
    """Related rows first, from their own side; conditions of the schema only while they cost little."""
    manager, ids = where.manager, where.ids
    left: list[Condition] = []
    if ids is None and where.related and manager.has_id:
        ids = await _ids(session, where)
    elif where.related:
        keys = [await _by_key(session, manager, name, inner) for name, inner in where.related.items()]
        left = [*where.conditions, *keys]
    without: list[Condition] = []
    if exclude.related and manager.has_id:
        without = [Condition("id", "in", frozenset(await _ids(session, exclude)))]
    elif exclude.related:
        keys = [await _by_key(session, manager, name, inner) for name, inner in exclude.related.items()]
        without = [*exclude.conditions, *keys]
    if ids == [] or any(c.lookup == "in" and c.value == frozenset() for c in left):
        return Narrowing(nothing=True)
    if ids is not None:
        return left_over(manager, {}, tuple(ids), [], without or exclude.conditions)
    if not where.related and not exclude.related and await _is_cheap(session, where, exclude, orders):
        written = pushed(session.catalog, where, False)
        merge(written, pushed(session.catalog, exclude, True))
        return Narrowing(Source(written))
    return left_over(manager, {}, None, left or where.conditions, without or exclude.conditions)


async def _is_cheap(session: Session, where: Where, exclude: Where, orders: int) -> bool:
    """Whether the schema has all these conditions, and may test them on every row."""
    conditions = [*where.conditions, *exclude.conditions]
    places = {flag: place_of(session.catalog, where.manager, flag) for flag in (False, True)}
    if not all(slot_of(session.catalog, places[False], c) for c in where.conditions):
        return False
    if not all(slot_of(session.catalog, places[True], c) for c in exclude.conditions):
        return False
    if not conditions and not orders:
        return True
    count = await total(session, where.manager)
    return count is not None and count * (len(conditions) + orders) <= (session.catalog.dialect.row_checks or 0)


async def _by_key(session: Session, manager: Exposed, name: str, inner: Where) -> Condition:
    """Conditions on a related row as one on the column that says which row it is."""
    relation = manager.relations[name]
    if relation.many and not manager.has_id:
        raise not_filterable(manager, name)
    return Condition(key_of(relation), "in", frozenset(await _related_ids(session, manager, name, inner)))


async def _ids(session: Session, where: Where) -> list[str]:
    """The ids of the rows that meet the conditions."""
    if where.ids is not None:
        return where.ids
    if not where.manager.has_id:
        raise ToolError(f"{where.manager.name} rows have no id, so nothing is filtered through them.", "not_filterable")
    return [str(row["id"]) for row in await _matching(session, where, ())]


async def _matching(session: Session, where: Where, wanted: Sequence[str]) -> list[Mapping[str, Any]]:
    """The rows that meet the conditions: the id, if they have one, and the wanted columns.

    Raises ToolError where they are too many to go through.
    """
    manager = where.manager
    if session.catalog.dialect.row_checks is None or not where.related or not manager.has_id:
        narrowing = await narrow(session, where, Where(manager))
        try:
            return [] if narrowing.nothing else await _read(session, where, narrowing, wanted)
        except ToolError as failure:
            return await _read(session, where, on_the_rows(where, Where(manager), failure), wanted)
    where = await _with_owners(session, where)
    sets = {name: await _related_ids(session, manager, name, inner) for name, inner in where.related.items()}
    if not all(sets.values()):
        return []
    if (rows := await _from_its_only_side(session, where, wanted, sets)) is not None:
        return rows
    found = await _from_the_smallest(session, manager, sets)
    if found is not None:
        narrowing = left_over(manager, {}, tuple(found), where.conditions, [])
        needed = bool(where.conditions or wanted)
        return await _read(session, where, narrowing, wanted) if needed else [{"id": one} for one in found]
    # Too many to go from their side: the keys of all rows are read instead.
    keys = [Condition(key_of(manager.relations[name]), "in", frozenset(ids)) for name, ids in sets.items()]
    narrowing = left_over(manager, {}, None, [*where.conditions, *keys], [])
    return await _read(session, where, narrowing, wanted)


async def _read(session: Session, where: Where, narrowing: Narrowing, wanted: Sequence[str]) -> list[Mapping[str, Any]]:
    names = dict.fromkeys([*(["id"] if where.manager.has_id else []), *wanted, *narrowing.fields])
    columns = [column(session.catalog, where.manager, name) for name in names]
    found = await table(session, where.manager, columns, narrowing.source, narrowing.units)
    if not found.complete:
        raise where.too_many(MOST_ROWS)
    if found.faults and narrowing.computed:
        raise refusal(found.faults, "query_failed")  # a row that could not be read may be one that matches
    return [row for row in found.rows if narrowing.keeps(row) and row.get("id", "") is not None]


async def _related_ids(session: Session, manager: Exposed, name: str, inner: Where) -> list[str]:
    """For a to-one relation the ids of the related rows that match, for a to-many one those of the rows they belong to."""
    relation = manager.relations[name]
    if not relation.many:
        return await _ids(session, inner)
    back = way_back(session.catalog, manager, relation)
    if back is None:
        raise not_filterable(manager, name)
    rows = await _matching(session, inner, (key_of(back),))
    return list(dict.fromkeys(str(row[key_of(back)]) for row in rows if row.get(key_of(back)) is not None))


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
        if not manager.has_id:
            raise not_filterable(manager, condition.field)
        target = session.catalog.managers[manager.relations[condition.field].target]
        owners = frozenset(await _related_ids(session, manager, condition.field, Where(target)))
        conditions.append(Condition("id", "out" if condition.value else "in", owners))
    return Where(manager, conditions, where.related)


async def _from_its_only_side(
    session: Session, where: Where, wanted: Sequence[str], sets: Mapping[str, list[str]]
) -> list[Mapping[str, Any]] | None:
    """The rows of one related row's list with all that is asked of them at once, or None where that does not do."""
    manager = where.manager
    (name, ids), *others = sets.items()
    relation = manager.relations[name]
    narrowing = left_over(manager, {}, None, where.conditions, [])
    needed = [*wanted, *narrowing.fields]
    lists = None if relation.many else list_back(session.catalog, manager, relation)
    if others or lists is None or len(ids) > _ASIDE or not set(needed) <= set(manager.fields):
        return None
    selection = Selection(manager, tuple(manager.fields[n] for n in dict.fromkeys(needed)), (), narrowing.units)
    return [row for row in await listed_by(session, selection, relation, lists, ids) if narrowing.keeps(row)]


async def _from_the_smallest(session: Session, manager: Exposed, sets: Mapping[str, list[str]]) -> list[str] | None:
    """The ids that all sets lead to, or None when some set is better compared with every row's key."""
    found: set[str] | None = None
    for name, ids in sorted(sets.items(), key=lambda pair: len(pair[1])):
        relation = manager.relations[name]
        if relation.many:
            here = ids
        else:
            lists = list_back(session.catalog, manager, relation)
            if lists is None or len(ids) > _ASIDE:
                return None
            here = [str(row["id"]) for row in await listed_by(session, Selection(manager), relation, lists, ids)]
        found = set(here) if found is None else found & set(here)
    return sorted(found or (), key=_as_number)


def _as_number(text: str) -> tuple[int, str]:
    return (int(text), "") if text.isdigit() else (0, text)
