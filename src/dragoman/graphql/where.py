"""Filters of a model's call as conditions on rows, every name checked; the spelling of `relation__field__lookup`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dragoman.graphql.compute import LOOKUPS, Condition
from dragoman.graphql.naming import listing
from dragoman.graphql.schema import Catalog, Exposed
from dragoman.harness.tools import ToolError

_SYNONYMS = {"": "exact", "eq": "exact", "ge": "gte", "le": "lte", "after": "gt", "before": "lt", "like": "icontains"}


@dataclass(slots=True)
class Where:
    """Conditions on a row, and on the rows it is related to: those of one relation are met by one and the same row."""

    manager: Exposed
    conditions: list[Condition] = field(default_factory=list)
    related: dict[str, "Where"] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.conditions or self.related)

    @property
    def ids(self) -> list[str] | None:
        """The ids, when the only condition is on the id."""
        if self.related or len(self.conditions) != 1 or self.conditions[0].field != "id":
            return None
        condition = self.conditions[0]
        if condition.lookup == "exact":
            return [str(condition.value)]
        if condition.lookup == "in" and isinstance(condition.value, list):
            return list(dict.fromkeys(str(value) for value in condition.value))
        return None

    def too_many(self, most: int) -> ToolError:
        """The error for conditions that more rows meet than may be gone through."""
        name = self.manager.name
        return ToolError(
            f"More than {most:,} {name} rows would have to be looked at for {self.spelled()}. Narrow that condition, or "
            f"ask {name} itself.",
            "too_many_matches",
        )

    def spelled(self) -> dict[str, Any]:
        """The conditions as a flat object, in the schema's spelling."""
        flat = {c.field if c.lookup == "exact" else f"{c.field}__{c.lookup}": c.value for c in self.conditions}
        for name, inner in self.related.items():
            flat |= {f"{name}__{key}": value for key, value in inner.spelled().items()}
        return flat


def parse(catalog: Catalog, manager: Exposed, filters: Mapping[str, Any]) -> Where:
    """The conditions of a flat object such as `{"billOfMaterialList__part__name__icontains": "valve"}`.

    Raises ToolError for an unknown field, a lookup that does not exist, or an impossible value.
    """
    where = Where(manager)
    for key, value in filters.items():
        _put(catalog, where, str(key), value)
    return where


def truth(value: Any, key: str) -> bool:
    """A truth value, also one written as text. Raises ToolError for anything else."""
    if isinstance(value, str):
        value = {"true": True, "yes": True, "false": False, "no": False}.get(value.casefold(), value)
    if isinstance(value, bool):
        return value
    raise ToolError(f"{key!r}: expected true or false, got {value!r}.", "bad_value")


def _put(catalog: Catalog, where: Where, key: str, value: Any) -> None:
    here, steps = where, key.replace(".", "__").split("__")
    for place, step in enumerate(steps):
        name = here.manager.find(step)
        if name is None and not (place and _lookup(step)):
            raise here.manager.refuse(step, "filter")
        if name is None or name in here.manager.fields:
            last, lookup = (name, steps[place + 1 :]) if name else ("id", steps[place:])
            _add(here, last, lookup, value, key)
            return
        relation = here.manager.relations[name]
        if steps[place + 1 :] == ["isnull"] and (relation.many or relation.key):
            here.conditions.append(Condition(name if relation.many else relation.key, "isnull", truth(value, key)))
            return
        here = here.related.setdefault(name, Where(catalog.managers[relation.target]))
    if not here.manager.has_id:
        raise ToolError(f"{key!r}: name a field of {here.manager.name}. {_has(here.manager)}", "unknown_filter")
    _add(here, "id", [], value, key)


def _add(here: Where, name: str, rest: list[str], value: Any, key: str) -> None:
    if name not in here.manager.fields:
        raise ToolError(f"{key!r}: {here.manager.name} has no id. {_has(here.manager)}", "unknown_filter")
    rest = [step for step in rest if step not in here.manager.fields[name].parts]
    lookup = _lookup(rest[0]) if len(rest) == 1 else None if rest else "exact"
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
        value = truth(value, key)
    elif value is None:
        lookup, value = "isnull", True
    elif isinstance(value, list | tuple):
        lookup, value = ("in" if lookup == "exact" else lookup), list(value)
    elif lookup == "in":
        value = [value]
    here.conditions.append(Condition(name, lookup, value))


def _lookup(word: str) -> str | None:
    lookup = _SYNONYMS.get(word.casefold(), word.casefold())
    return lookup if lookup in LOOKUPS or lookup == "range" else None


def _has(manager: Exposed) -> str:
    return f"It has: {listing(list(manager.fields))}."
