"""A field list to a selection: every name checked, page wrappers added to the document and taken off the rows."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dragoman.graphql.dialects import Page, Paging
from dragoman.graphql.schema import Catalog, Exposed, Field, Relation
from dragoman.harness.tools import ToolError

NESTED_ROWS = 20


@dataclass(frozen=True, slots=True)
class Selection:
    """What to read of a manager's rows. `units` asks a measurement for a unit."""

    manager: Exposed
    fields: tuple[Field, ...] = ()
    relations: tuple[tuple[Relation, "Selection"], ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)

    def text(self, paging: Paging) -> str:
        """The selection in GraphQL, without its braces. All names are the schema's own."""
        parts = [self._field(entry) for entry in self.fields]
        for relation, inner in self.relations:
            if relation.page is None:
                parts.append(f"{relation.name} {{ {inner.text(paging)} }}")
                continue
            entry = self.manager.row.fields[relation.name]
            window = next(paging.windows(entry, 0, NESTED_ROWS))
            listed = wrap(relation.page, inner.text(paging))
            parts.append(f"{relation.name}{arguments(window.arguments)}{listed}")
        return " ".join(parts) or "__typename"

    def row(self, raw: Mapping[str, Any], cuts: dict[str, tuple[int, int]]) -> dict[str, Any]:
        """One row without page wrappers; `cuts` collects the to-many lists that hold more than they show."""
        row: dict[str, Any] = {entry.name: raw.get(entry.name) for entry in self.fields}
        for relation, inner in self.relations:
            value = raw.get(relation.name)
            if relation.page is None:
                row[relation.name] = inner.row(value, cuts) if value is not None else None
            else:
                rows, total = unwrap(relation.page, value)
                row[relation.name] = [inner.row(r, cuts) for r in rows[:NESTED_ROWS] if r is not None]
                if total is not None and total > len(row[relation.name]):
                    shown, most = cuts.get(relation.name, (0, 0))
                    cuts[relation.name] = (max(shown, len(row[relation.name])), max(most, total))
        return row

    def with_field(self, entry: Field) -> "Selection":
        """The selection with one more field, if it is not there yet."""
        return self if entry in self.fields else replace(self, fields=(*self.fields, entry))

    def _field(self, entry: Field) -> str:
        unit = self.units.get(entry.name)
        asked = f"({entry.unit_argument}: {json.dumps(unit)})" if unit and entry.unit_argument else ""
        return f"{entry.name}{asked} {{ {' '.join(entry.parts)} }}" if entry.parts else f"{entry.name}{asked}"


def select(catalog: Catalog, manager: Exposed, wanted: Sequence[Any]) -> Selection:
    """The selection of a field list: names, `relation__name`, and `{"relation": [names]}`.

    A relation alone stands for what names its rows. Raises ToolError for a name the manager does not have.
    """
    return _build(catalog, manager, _tree(wanted, manager))


def default_selection(catalog: Catalog, manager: Exposed) -> Selection:
    """What names a row: its id and its name; where it has no name, its first values and the rows it belongs to."""
    chosen = [manager.fields[name] for name in manager.row_id if name in manager.fields]
    chosen += [manager.fields[name] for name in manager.naming if manager.fields[name] not in chosen]
    if manager.naming:
        return Selection(manager, tuple(chosen))
    keys = {relation.key for relation in manager.relations.values()}
    chosen += [entry for name, entry in manager.fields.items() if entry not in chosen and name not in keys][:5]
    related = [r for r in manager.relations.values() if not r.many]
    inner = [(r, _names(catalog.managers[r.target])) for r in related]
    return Selection(manager, tuple(chosen), tuple(inner))


def wrap(page: Page, inner: str) -> str:
    """The braces of a list: rows where its type holds them, and the total where it has one."""
    text = f"{{ {inner} }}"
    for name in reversed(page.rows):
        text = f"{{ {name} {text} }}"
    if page.total:
        total = page.total[-1]
        for name in reversed(page.total[:-1]):
            total = f"{name} {{ {total} }}"
        text = f"{text[:-1]}{total} }}"
    return f" {text}"


def unwrap(page: Page, value: Any) -> tuple[list[Mapping[str, Any] | None], int | None]:
    """The rows of a list, None for one that may not be seen, and the total where it is known."""
    rows: list[Any] = [value]
    for name in page.rows:
        rows = [outer.get(name) for outer in _flat(rows) if isinstance(outer, Mapping)]
    total: Any = value
    for name in page.total or ():
        total = total.get(name) if isinstance(total, Mapping) else None
    return [row if isinstance(row, Mapping) else None for row in _flat(rows)], total if page.total else None


def arguments(values: Mapping[str, Any]) -> str:
    """Arguments of our own making, such as a page size, written into the document; never anything a model sent."""
    return f"({', '.join(f'{name}: {literal(value)}' for name, value in values.items())})" if values else ""


def literal(value: Any) -> str:
    """A value of our own making as GraphQL writes it."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {literal(inner)}' for key, inner in value.items())}}}"
    return json.dumps(value)


def _flat(values: Sequence[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list):
            yield from _flat(value)
        else:
            yield value


Tree = dict[str, "Tree"]


def _tree(wanted: Any, manager: Exposed) -> Tree:
    tree: Tree = {}
    for node in [wanted] if isinstance(wanted, str | Mapping) else wanted:
        if isinstance(node, str):
            here = tree
            for name in node.replace(".", "__").split("__"):
                here = here.setdefault(name, {})
        elif isinstance(node, Mapping):
            for name, inner in node.items():
                _merge(tree.setdefault(str(name), {}), _tree(inner or [], manager))
        else:
            raise ToolError(
                f"fields of {manager.name}: expected names and objects of names, got {node!r}.", "bad_fields"
            )
    return tree


def _merge(into: Tree, more: Tree) -> None:
    for name, inner in more.items():
        _merge(into.setdefault(name, {}), inner)


def _build(catalog: Catalog, manager: Exposed, tree: Tree) -> Selection:
    fields: dict[str, Field] = {}
    relations: dict[str, Tree] = {}
    for wanted, inner in tree.items():
        if wanted == "*":
            fields |= manager.fields
        elif (name := manager.find(wanted)) is None:
            raise manager.refuse(wanted)
        elif name in manager.fields:
            entry = manager.fields[name]
            if inner and set(inner) - set(entry.parts):
                raise ToolError(f"{name!r} of {manager.name} is a {entry.kind} and has no fields.", "unknown_field")
            fields[name] = entry
        else:
            _merge(relations.setdefault(name, {}), inner)
    chosen = []
    for name, inner in relations.items():
        target = catalog.managers[manager.relations[name].target]
        chosen.append((manager.relations[name], _build(catalog, target, inner) if inner else _names(target)))
    return Selection(manager, tuple(fields.values()), tuple(chosen))


def _names(manager: Exposed) -> Selection:
    names = dict.fromkeys([*manager.row_id, *manager.naming]) or dict.fromkeys(list(manager.fields)[:3])
    return Selection(manager, tuple(manager.fields[name] for name in names if name in manager.fields))
