"""Candidates for a value of a question, shown only after the caller was seen to read a row that has it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dragoman.graphql.document import literal, unwrap, wrap
from dragoman.graphql.execute import Session
from dragoman.graphql.schema import Catalog, Exposed
from dragoman.graphql.values import fit
from dragoman.harness.tools import ToolError

CHECKS = 30  # how many rows or lists are asked for in one document
EACH = 5  # how many rows stand for one candidate


@dataclass(frozen=True, slots=True)
class Value:
    """A value the caller can read: equal to a row's, or part of several rows' (`lookup` is then icontains).

    `matches` is how many rows, 0 where they were not counted; `rows` are the ids of some of them, not yet verified.
    """

    text: str
    manager: str
    field: str
    lookup: str = "exact"
    matches: int = 1
    score: float = 0.0
    rows: tuple[str, ...] = ()


async def verified(session: Session, candidates: Sequence[Value]) -> list[Value]:
    """The candidates of which the caller can read a row, all asked for in one document.

    By the ids of rows where they are known, which costs a library the least; else by a condition on the list.
    """
    asked: dict[str, Value] = {}
    document = _Document()
    for value in candidates:
        manager = session.catalog.managers[value.manager]
        aliases = _by_rows(document, manager, value) or _by_list(document, session.catalog, manager, value)
        asked |= dict.fromkeys(aliases, value)
        if len(asked) >= CHECKS:
            break
    if not asked:
        return []
    try:
        answer = await session.run(document.text(), document.variables)
    except ToolError:
        return []
    texts: dict[Value, list[str]] = {}
    counts: dict[Value, int] = {}
    for alias, value in asked.items():
        rows, count = _rows(session.catalog.managers[value.manager], (answer.data or {}).get(alias))
        seen = [str(row[value.field]) for row in rows if row is not None and row.get(value.field) is not None]
        texts.setdefault(value, []).extend(seen)
        counts[value] = counts.get(value, 0) + (count if count is not None else len(seen))
    found = [_seen(value, texts[value], counts[value]) for value in dict.fromkeys(asked.values())]
    return [value for value in found if value is not None]


class _Document:
    """One document of many aliased fields, in the making."""

    def __init__(self) -> None:
        self.variables: dict[str, Any] = {}
        self._declared: list[str] = []
        self._fields: list[str] = []

    def variable(self, kind: Any, value: Any) -> str:
        name = f"v{len(self.variables)}"
        self.variables[name] = value
        self._declared.append(f"${name}: {kind}")
        return f"${name}"

    def field(self, text: str) -> str:
        alias = f"a{len(self._fields)}"
        self._fields.append(f"{alias}: {text}")
        return alias

    def text(self) -> str:
        declared = f"({', '.join(self._declared)})" if self._declared else ""
        return f"query Look{declared} {{ {' '.join(self._fields)} }}"


def _by_rows(document: _Document, manager: Exposed, value: Value) -> list[str]:
    detail = manager.detail
    if detail is None:
        return []
    aliases = []
    for one in value.rows[:EACH]:
        variable = document.variable(detail.kind, fit(one, detail.kind, "id"))
        aliases.append(document.field(f"{detail.name}({detail.argument}: {variable}) {{ {value.field} }}"))
    return aliases


def _by_list(document: _Document, catalog: Catalog, manager: Exposed, value: Value) -> list[str]:
    root = manager.root
    place = catalog.dialect.filtering.root(root.field) if root else None
    slot = catalog.dialect.filtering.slots(place, value.field).get(value.lookup) if place else None
    if root is None or slot is None:
        return []
    written: Any = value.text
    for key in reversed(slot.keys):
        written = {key: written}
    page = next(catalog.dialect.paging.windows(root.field, 0, 1)).arguments
    passed = [f"{name}: {document.variable(root.field.args[name].type, part)}" for name, part in written.items()]
    passed += [f"{name}: {literal(part)}" for name, part in page.items()]
    return [document.field(f"{root.name}({', '.join(passed)}){wrap(root.page, value.field)}")]


def _rows(manager: Exposed, data: Any) -> tuple[Sequence[Mapping[str, Any] | None], int | None]:
    """The rows of a list, or the one row that was fetched by its id."""
    if isinstance(data, list) and manager.root and not manager.root.page.rows:
        return unwrap(manager.root.page, data)
    if not isinstance(data, Mapping):
        return [], 0
    if manager.root and manager.root.page.rows and manager.root.page.rows[0] in data:
        return unwrap(manager.root.page, data)
    return [data], 1


def _seen(value: Value, texts: Sequence[str], count: int) -> Value | None:
    """The value as the caller's own rows bear it out, or None."""
    if value.lookup == "exact":
        return replace(value, rows=()) if value.text in texts else None
    found = [text for text in texts if value.text.casefold() in text.casefold()]
    if not found:
        return None
    if count <= 1:
        return replace(value, text=found[0], lookup="exact", matches=1, rows=())
    return replace(value, matches=count if count != EACH else 0, rows=())
