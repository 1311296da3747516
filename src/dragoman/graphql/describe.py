"""get_manager_schema and find_path: one manager in full, and the way between two."""

from collections.abc import Mapping
from typing import Any

from dragoman.graphql.mutations import Mutation
from dragoman.graphql.naming import first_sentence
from dragoman.graphql.order import sortable
from dragoman.graphql.paths import Paths
from dragoman.graphql.schema import Catalog, Exposed, Field
from dragoman.harness.results import to_json
from dragoman.harness.tokens import estimate

PARTS = ("overview", "fields", "filters", "relations")
OVERVIEW_TOKENS = 500
PART_TOKENS = 1_500
_USUAL = {
    "String": ("exact", "icontains", "in"),
    "ID": ("exact", "in"),
    "Boolean": ("exact",),
}


def describe(catalog: Catalog, manager: Exposed, mutations: Mapping[str, Mutation], part: str) -> dict[str, Any]:
    """The tool's answer, under a budget of tokens: what does not fit is counted as `more_...` and named by its part."""
    short = part == "overview"
    answer = _Budget({"manager": manager.name}, OVERVIEW_TOKENS if short else PART_TOKENS)
    if manager.about:
        answer.put("about", first_sentence(manager.about, 160) if short else " ".join(manager.about.split())[:600])
    answer.put("row_id", "id" if manager.has_id else list(manager.row_id))
    if part in ("overview", "fields"):
        answer.fill("fields", {name: _field(entry, short) for name, entry in manager.fields.items()})
        units = {name: entry.unit for name, entry in manager.fields.items() if entry.unit}
        if units:
            answer.put("units", units)
    if part in ("overview", "relations"):
        answer.fill("relations", {name: relation.shown for name, relation in manager.relations.items()})
    if touching := [m.name for m in mutations.values() if m.subject is manager or manager in m.returns.values()]:
        answer.put("mutations", touching)
    if part in ("overview", "filters"):
        keys = {relation.key for relation in manager.relations.values()} if short else set()
        answer.fill(
            "filters", {n: f for n in manager.fields if n not in keys and (f := _lookups(catalog, manager, n, short))}
        )
    if short:
        answer.fill_list(
            "order_by", [n for n in sortable(catalog, manager) if "__" not in n and n not in manager.relations]
        )
        if manager.root is not None and manager.root.page.total is None:
            answer.put(
                "note", "Lists have no total here: total_count is null where it was not counted; aggregate counts."
            )
    return answer.content


def way(paths: Paths, start: Exposed, goal: Exposed) -> dict[str, Any]:
    """The tool's answer for a path: its relations, what a filter starts with, and the managers passed."""
    ends: dict[str, Any] = {"from": start.name, "to": goal.name}
    found = paths.way(start.name, goal.name)
    if found is None:
        same = start.name == goal.name
        return ends | {
            "path": None,
            "message": f"{start.name} is the same manager: filter its own fields."
            if same
            else f"No relation leads from {start.name} to {goal.name}.",
        }
    return ends | {"path": found.names, "filter_prefix": found.prefix, "steps": list(found.steps)}


class _Budget:
    """An answer that is filled while it stays under its tokens."""

    def __init__(self, content: dict[str, Any], most: int) -> None:
        self.content = content
        self._left = most - estimate(to_json(content)) - 20

    def put(self, key: str, value: Any) -> None:
        cost = estimate(to_json({key: value}))
        if cost <= self._left:
            self._left -= cost
            self.content[key] = value

    def fill(self, key: str, entries: Mapping[str, Any]) -> None:
        kept: dict[str, Any] = {}
        for name, value in entries.items():
            cost = estimate(to_json({name: value}))
            if cost > self._left:
                self.content[f"more_{key}"] = len(entries) - len(kept)
                break
            self._left -= cost
            kept[name] = value
        self.content[key] = kept

    def fill_list(self, key: str, names: list[str]) -> None:
        kept: list[str] = []
        for name in names:
            cost = estimate(name) + 1
            if cost > self._left:
                self.content[f"more_{key}"] = len(names) - len(kept)
                break
            self._left -= cost
            kept.append(name)
        self.content[key] = kept


def _field(entry: Field, short: bool) -> str:
    return f"{entry.shown}: {first_sentence(entry.doc, 100)}" if entry.doc and not short else entry.shown


def _lookups(catalog: Catalog, manager: Exposed, name: str, short: bool) -> list[str]:
    place = catalog.dialect.filtering.root(manager.root.field) if manager.root else None
    found = list(catalog.dialect.filtering.slots(place, name)) if place else []
    usual = _USUAL.get(manager.fields[name].kind)
    return [lookup for lookup in found if not short or usual is None or lookup in usual]
