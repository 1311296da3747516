"""Conditions as the arguments of a list, nested as far as the schema's own input types reach."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from dragoman.graphql.compute import Condition
from dragoman.graphql.dialects import Place, Slot
from dragoman.graphql.execute import Session
from dragoman.graphql.narrowing import named
from dragoman.graphql.schema import Catalog, Exposed
from dragoman.graphql.values import fit
from dragoman.graphql.where import Where
from dragoman.harness.tools import ToolError

MOST_IDS = 1_000  # ids sent to a list in one condition
_WIDER = {"iexact": "icontains", "istartswith": "icontains", "iendswith": "icontains", "startswith": "contains",
          "endswith": "contains", "contains": "icontains"}  # fmt: skip

FindIds = Callable[[Where], Awaitable[list[str]]]
Beyond = Callable[[Exposed, str, Where], Awaitable[Condition]]


class Nothing(Exception):
    """A related row that is asked for does not exist, so nothing matches."""


class _BeyondSchema(Exception):
    """The schema has no place for a condition here; it is answered in steps, or on the rows."""


async def push(
    session: Session, where: Where, exclude: bool, find: FindIds, beyond: Beyond
) -> tuple[dict[str, Any], list[Condition]]:
    """The arguments for these conditions, and the conditions that are left for the rows.

    Where the nested inputs end, `find` gives the ids of the related rows that match, and where the list takes no ids
    either, `beyond` gives a condition for the rows. Raises Nothing when no related row matches.
    """
    manager = where.manager
    place = place_of(session.catalog, manager, exclude)
    written: dict[str, Any] = {}
    left: list[Condition] = []
    for condition in where.conditions:
        slot = slot_of(session.catalog, place, condition)
        if slot is not None:
            _write(written, slot.keys, _fitted(manager, condition, slot))
            continue
        left.append(condition)
        wider = _WIDER.get(condition.lookup)
        superset = Condition(condition.field, wider, condition.value) if wider and not exclude else None
        if superset and (slot := slot_of(session.catalog, place, superset)):
            _write(written, slot.keys, _fitted(manager, superset, slot))
    for name, inner in where.related.items():
        try:
            if place is None:
                raise _BeyondSchema
            await _related(session, manager, place, name, inner, written, find)
        except _BeyondSchema:
            left.append(await beyond(manager, name, inner))
    if exclude and left and written:
        # All of them together leave a row out, so they are met in one place.
        if manager.has_id:
            return {}, [Condition("id", "in", frozenset(await find(where)))]
        return {}, [*where.conditions, *[await beyond(manager, name, inner) for name, inner in where.related.items()]]
    return written, left


def pushed(catalog: Catalog, where: Where, exclude: bool) -> dict[str, Any]:
    """The arguments for conditions of the row itself, all of which the schema has."""
    written: dict[str, Any] = {}
    place = place_of(catalog, where.manager, exclude)
    for condition in where.conditions:
        slot = slot_of(catalog, place, condition)
        assert slot is not None  # the caller looked
        _write(written, slot.keys, _fitted(where.manager, condition, slot))
    return written


def place_of(catalog: Catalog, manager: Exposed, exclude: bool) -> Place | None:
    """Where the conditions of a manager's list are written."""
    return catalog.dialect.filtering.root(manager.root.field, exclude) if manager.root else None


def slot_of(catalog: Catalog, place: Place | None, condition: Condition) -> Slot | None:
    """Where a condition is written there, or None when the schema does not have it."""
    if isinstance(condition.value, frozenset):  # ids of our own finding are looked up on the rows
        return None
    slots = catalog.dialect.filtering.slots(place, condition.field) if place else {}
    if condition.lookup == "exact" and "exact" not in slots and "in" in slots:
        return slots["in"]
    return slots.get(condition.lookup)


def merge(into: dict[str, Any], more: Mapping[str, Any]) -> None:
    """Add nested arguments to others."""
    for key, value in more.items():
        if isinstance(value, Mapping) and isinstance(into.get(key), dict):
            merge(into[key], value)
        else:
            into[key] = value


def not_filterable(manager: Exposed, name: str) -> ToolError:
    """The error for a relation nobody can filter by."""
    target = manager.relations[name].target
    return ToolError(f"{manager.name} cannot be filtered by {name}, a relation to {target}.", "not_filterable")


async def _nested(session: Session, where: Where, place: Place, find: FindIds) -> dict[str, Any]:
    """The conditions written below a place of an outer manager's input; keys are absolute."""
    written: dict[str, Any] = {}
    for condition in where.conditions:
        slot = slot_of(session.catalog, place, condition)
        if slot is None:
            raise _BeyondSchema
        _write(written, slot.keys, _fitted(where.manager, condition, slot))
    for name, inner in where.related.items():
        await _related(session, where.manager, place, name, inner, written, find)
    return written


async def _related(
    session: Session, manager: Exposed, place: Place, name: str, inner: Where, written: dict[str, Any], find: FindIds
) -> None:
    """Write the conditions on a related row: in the schema's own nested input, else as the ids that meet them."""
    filtering, relation = session.catalog.dialect.filtering, manager.relations[name]
    deeper = filtering.descend(place, name)
    if deeper is not None:
        try:
            merge(written, await _nested(session, inner, deeper, find))
        except _BeyondSchema:
            pass
        else:
            return
    slot = filtering.slots(place, relation.key).get("in") if relation.key else None
    if slot is None and deeper is not None:
        slot = filtering.slots(deeper, "id").get("in")
    if slot is None or not inner.manager.has_id or inner.manager.root is None:
        raise _BeyondSchema
    ids = await find(inner)
    if not ids:
        raise Nothing
    if len(ids) > MOST_IDS:
        raise inner.too_many(MOST_IDS)
    _write(written, slot.keys, _common(_read(written, slot.keys), ids))


def _fitted(manager: Exposed, condition: Condition, slot: Slot) -> Any:
    entry = manager.fields[condition.field]
    choices = entry.choices if condition.lookup in ("exact", "in") else ()
    return fit(condition.value, slot.kind, named(manager, condition), entry.unit, choices)


def _common(before: Any, ids: list[str]) -> list[str]:
    """The ids that are also in what another condition has written there. Raises Nothing when there are none."""
    kept = ids if before is None else [one for one in ids if one in map(str, before)]
    if not kept:
        raise Nothing
    return kept


def _read(written: Mapping[str, Any], keys: Sequence[str]) -> Any:
    found: Any = written
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found


def _write(into: dict[str, Any], keys: Sequence[str], value: Any) -> None:
    for key in keys[:-1]:
        into = into.setdefault(key, {})
    into[keys[-1]] = value
