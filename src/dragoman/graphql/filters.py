"""Filters of a model's call to the arguments of a list: nested where the schema reaches, in steps by ids beyond.

A condition the schema has no argument for is left over, and is checked on the rows themselves.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dragoman.graphql.columns import can_pick, column, table
from dragoman.graphql.compute import LOOKUPS, Condition, matches, number
from dragoman.graphql.dialects import Place, Slot
from dragoman.graphql.execute import Session
from dragoman.graphql.naming import listing
from dragoman.graphql.rows import MOST_ROWS
from dragoman.graphql.schema import Catalog, Exposed
from dragoman.graphql.values import fit
from dragoman.harness.tools import ToolError

MOST_IDS = 1_000
_SYNONYMS = {"": "exact", "eq": "exact", "ge": "gte", "le": "lte", "after": "gt", "before": "lt", "like": "icontains"}
_WIDER = {"iexact": "icontains", "istartswith": "icontains", "iendswith": "icontains", "startswith": "contains",
          "endswith": "contains", "contains": "icontains"}  # fmt: skip


@dataclass(slots=True)
class Where:
    """Conditions on a row, and on the rows it is related to: those of one relation are met by one and the same row."""

    manager: Exposed
    conditions: list[Condition] = field(default_factory=list)
    related: dict[str, "Where"] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.conditions or self.related)

    def spelled(self) -> dict[str, Any]:
        """The conditions as a flat object, in the schema's spelling."""
        flat = {c.field if c.lookup == "exact" else f"{c.field}__{c.lookup}": c.value for c in self.conditions}
        for name, inner in self.related.items():
            flat |= {f"{name}__{key}": value for key, value in inner.spelled().items()}
        return flat


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What narrows a list: arguments for the schema, what is left to check on rows, and whether nothing can match."""

    arguments: Mapping[str, Any] = field(default_factory=dict)
    left: tuple[Condition, ...] = ()
    without: tuple[Condition, ...] = ()
    nothing: bool = False

    @property
    def computed(self) -> bool:
        """Whether rows must be checked after they were read."""
        return bool(self.left or self.without)

    def keeps(self, row: Mapping[str, Any]) -> bool:
        """Whether a row that was read stays."""
        if self.without and all(matches(row.get(c.field), c.lookup, c.value) for c in self.without):
            return False
        return all(matches(row.get(c.field), c.lookup, c.value) for c in self.left)

    @property
    def fields(self) -> list[str]:
        """The fields `keeps` looks at."""
        return list(dict.fromkeys(c.field for c in (*self.left, *self.without)))


class _BeyondSchema(Exception):
    """The schema has no place for a condition here; it is answered in steps, or on the rows."""


class _Nothing(Exception):
    """A related row that is asked for does not exist, so nothing matches."""


def parse(catalog: Catalog, manager: Exposed, filters: Mapping[str, Any]) -> Where:
    """The conditions of a flat object such as `{"billOfMaterialList__part__name__icontains": "valve"}`.

    Raises ToolError for an unknown field, a lookup that does not exist, or an impossible value.
    """
    where = Where(manager)
    for key, value in filters.items():
        _put(catalog, where, str(key), value)
    return where


async def narrow(session: Session, where: Where, exclude: Where) -> Narrowing:
    """The arguments for a list of these conditions. Raises ToolError where a condition cannot be answered at all."""
    try:
        kept, left = await _top(session, where, exclude=False) if where else ({}, [])
    except _Nothing:
        return Narrowing(nothing=True)
    try:
        cut, without = await _top(session, exclude, exclude=True) if exclude else ({}, [])
    except _Nothing:
        cut, without = {}, []
    return Narrowing({**kept, **cut}, tuple(left), tuple(without))


async def _top(session: Session, where: Where, exclude: bool) -> tuple[dict[str, Any], list[Condition]]:
    manager = where.manager
    root = manager.root
    place = session.catalog.dialect.filtering.root(root.field, exclude) if root else None
    written: dict[str, Any] = {}
    left: list[Condition] = []
    for condition in where.conditions:
        slot = _slot(session.catalog, place, condition) if place else None
        if slot is not None:
            _write(written, slot.keys, _fitted(manager, condition, slot))
            continue
        left.append(_checked(manager, condition))
        wider = _WIDER.get(condition.lookup)
        superset = Condition(condition.field, wider, condition.value) if wider and not exclude else None
        if place and superset and (slot := _slot(session.catalog, place, superset)):
            _write(written, slot.keys, _fitted(manager, superset, slot))
    for name, inner in where.related.items():
        try:
            if place is None:
                raise _BeyondSchema
            await _related(session, manager, place, name, inner, written)
        except _BeyondSchema:
            raise ToolError(
                f"{manager.name} cannot be filtered by {name}: {manager.relations[name].target} rows have no id.",
                "not_filterable",
            ) from None
    if exclude and left and written:
        if not can_pick(session.catalog, manager):
            raise ToolError("exclude: these conditions cannot be combined; ask with one of them.", "not_filterable")
        return {}, [Condition("id", "in", await _ids(session, where))]
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
    ids = await _ids(session, inner)
    if not ids:
        raise _Nothing
    _write(written, slot.keys, ids)


async def _ids(session: Session, where: Where) -> list[str]:
    """The ids of the rows that meet the conditions, asked for as the caller. Raises ToolError above the cap."""
    known = _known_ids(where)
    if known is not None:
        return known
    narrowing = await narrow(session, where, Where(where.manager))
    if narrowing.nothing:
        return []
    manager = where.manager
    columns = [column(session.catalog, manager, name) for name in dict.fromkeys(["id", *narrowing.fields])]
    most = MOST_ROWS if narrowing.computed else MOST_IDS
    found = await table(session, manager, columns, narrowing.arguments, most=most)
    ids = [str(row["id"]) for row in found.rows if row["id"] is not None and narrowing.keeps(row)]
    if not found.complete or len(ids) > MOST_IDS:
        raise ToolError(
            f"More than {MOST_IDS:,} {manager.name} rows match {where.spelled()}. Narrow that condition, or ask "
            f"{manager.name} itself.",
            "too_many_matches",
        )
    return ids


def _known_ids(where: Where) -> list[str] | None:
    if where.related or len(where.conditions) != 1 or where.conditions[0].field != "id":
        return None
    condition = where.conditions[0]
    if condition.lookup == "exact":
        return [str(condition.value)]
    return [str(v) for v in condition.value] if condition.lookup == "in" and isinstance(condition.value, list) else None


def _slot(catalog: Catalog, place: Place, condition: Condition) -> Slot | None:
    slots = catalog.dialect.filtering.slots(place, condition.field)
    if condition.lookup == "exact" and "exact" not in slots and "in" in slots:
        return slots["in"]
    return slots.get(condition.lookup)


def _fitted(manager: Exposed, condition: Condition, slot: Slot) -> Any:
    entry = manager.fields[condition.field]
    where = condition.field if condition.lookup == "exact" else f"{condition.field}__{condition.lookup}"
    choices = entry.choices if condition.lookup in ("exact", "in") else ()
    return fit(condition.value, slot.kind, f"filter {where} of {manager.name}", entry.unit, choices)


def _checked(manager: Exposed, condition: Condition) -> Condition:
    """A condition that will be met on rows, its value fit to be compared."""
    entry = manager.fields[condition.field]
    numeric = entry.is_measurement or entry.kind in ("Int", "Float", "Decimal")
    amounts = condition.value if isinstance(condition.value, list) else [condition.value]
    if numeric and condition.lookup in ("exact", "in", "gt", "gte", "lt", "lte"):
        for amount in amounts:
            if number(str(amount).partition(" ")[0] if isinstance(amount, str) else amount) is None:
                raise ToolError(
                    f"filter {condition.field} of {manager.name}: expected a number, got {amount!r}.", "bad_value"
                )
    if entry.kind == "Boolean" and condition.lookup == "exact":
        return Condition(condition.field, "exact", _truth(condition.value, condition.field))
    return condition


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


def _put(catalog: Catalog, where: Where, key: str, value: Any) -> None:
    here, steps = where, key.replace(".", "__").split("__")
    for place, step in enumerate(steps):
        name = here.manager.find(step)
        if name is None and not (place and _lookup(step)):
            raise here.manager.refuse(step, "filter")
        if name is None or name in here.manager.fields:
            last, lookup = (name, steps[place + 1 :]) if name else ("id", steps[place:])
            _add(here, last or "id", lookup, value, key)
            return
        relation = here.manager.relations[name]
        if not relation.many and relation.key and steps[place + 1 :] == ["isnull"]:
            here.conditions.append(Condition(relation.key, "isnull", _truth(value, key)))
            return
        here = here.related.setdefault(name, Where(catalog.managers[relation.target]))
    if not here.manager.has_id:
        raise ToolError(f"{key!r}: name a field of {here.manager.name}. {_has(here.manager)}", "unknown_filter")
    _add(here, "id", [], value, key)


def _add(here: Where, name: str, rest: list[str], value: Any, key: str) -> None:
    if name not in here.manager.fields:
        raise ToolError(f"{key!r}: {here.manager.name} has no id. {_has(here.manager)}", "unknown_filter")
    rest = [step for step in rest if step not in here.manager.fields[name].parts]
    lookup = _lookup(rest[0]) if len(rest) == 1 else "exact" if not rest else None
    if lookup is None:
        told = "Use exclude to leave rows out." if rest[:1] in (["ne"], ["not"]) else ""
        raise ToolError(
            f"Unknown lookup {'__'.join(rest)!r} in {key!r}. There is: {listing(LOOKUPS)}, range. {told}".strip(),
            "unknown_lookup",
        )
    if lookup == "range":
        if not isinstance(value, list | tuple) or len(value) != 2:
            raise ToolError(f"{key!r}: expected a list of two values, got {value!r}.", "bad_value")
        here.conditions += [Condition(name, "gte", value[0]), Condition(name, "lte", value[1])]
        return
    if lookup == "isnull":
        value = _truth(value, key)
    elif value is None:
        lookup, value = "isnull", True
    elif isinstance(value, list | tuple):
        lookup, value = ("in" if lookup == "exact" else lookup), list(value)
    here.conditions.append(Condition(name, lookup, value))


def _lookup(word: str) -> str | None:
    lookup = _SYNONYMS.get(word.casefold(), word.casefold())
    return lookup if lookup in LOOKUPS or lookup == "range" else None


def _truth(value: Any, key: str) -> bool:
    if isinstance(value, bool):
        return value
    raise ToolError(f"{key!r}: expected true or false, got {value!r}.", "bad_value")


def _has(manager: Exposed) -> str:
    return f"It has: {listing(list(manager.fields))}."
