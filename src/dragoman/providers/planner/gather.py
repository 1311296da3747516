"""Gather: read a catalog off the instructions and what the tools came back with."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from dragoman.providers.planner.catalog import PROBED_ROWS, Catalog, Hit, Manager, Offer, Route
from dragoman.providers.planner.history import History, Step


def gather(history: History) -> Catalog:
    """Read a catalog off the tool results: hits of this turn only, schemas and routes of earlier turns too."""
    build = _Build()
    build.prompt(history.prompt)
    for turn in history.earlier:
        for step in turn.steps:
            build.take(step, now=False)
    for step in history.current.steps:
        build.take(step, now=True)
    return Catalog(
        build.managers,
        tuple(build.hits),
        tuple(build.offers.values()),
        build.routes,
        build.units,
        frozenset(build.searched),
        frozenset(build.asked),
    )


class _Build:
    """A catalog while it is being read."""

    def __init__(self) -> None:
        self.managers: dict[str, Manager] = {}
        self.hits: list[Hit] = []
        self.offers: dict[str, Offer] = {}
        self.routes: dict[tuple[str, str], Route | None] = {}
        self.units: dict[tuple[str, str], str] = {}
        self.searched: set[str] = set()
        self.asked: set[str] = set()

    def prompt(self, text: str) -> None:
        """Take what the instructions list: relations as `- Name: about (relation Target, ...)`, and mutations."""
        for line in text.splitlines():
            if match := _MANAGER_LINE.match(line):
                pairs = (pair.split(" ", 1) for pair in match["relations"].split(", "))
                self.managers[match["name"]] = Manager(match["name"], (match["about"] or "").strip(), {}, dict(pairs))
            elif _NAMES_LINE.match(line):
                for name in line.removeprefix("- ").split(", "):
                    self.managers.setdefault(name, Manager(name))
            elif match := _MUTATION_LINE.match(line):
                inputs: dict[str, str] = {}
                for name in re.split(r"[,;] ", match["inputs"].replace("optional: ", "")):
                    key, _, kind = name.partition(": ")
                    if key.isidentifier():
                        inputs[key] = kind
                self.offers[match["name"]] = Offer(match["name"], (match["about"] or "").strip(), inputs)

    def take(self, step: Step, *, now: bool) -> None:
        arguments, data = step.call.arguments, step.data
        match step.call.name:
            case "search_managers":
                if now:
                    self.searched.add(str(arguments.get("query", "")).casefold())
                if not step.failed:
                    self._search(data, now)
            case "get_manager_schema":
                if now or not step.failed:
                    self.asked.add(str(arguments.get("manager", "")))
                if not step.failed and data.get("manager"):
                    units = data.get("units") or {}
                    self.units |= {(str(data["manager"]), name): str(unit) for name, unit in units.items()}
                    self._manager(data, whole=not any(key.startswith("more_field") for key in data))
            case "find_path":
                route = None if step.failed else data.get("path")
                ends = (str(arguments.get("from", "")), str(arguments.get("to", "")))
                self.routes[ends] = tuple(map(str, route)) if route is not None else None
            case "query":
                manager = str(arguments.get("manager", ""))
                if not step.failed:
                    self._units(manager, data.get("rows") or [])
                if arguments.get("limit") == PROBED_ROWS and arguments.get("filters"):
                    self._named(manager, arguments["filters"], data.get("rows") or [])
                elif arguments.get("limit") == PROBED_ROWS:
                    self.units["", manager] = "asked"

    def _search(self, data: Mapping[str, Any], now: bool) -> None:
        for item in data.get("managers") or []:
            self._manager(item, whole=not item.get("more_fields"), found=now)
        for item in data.get("mutations") or []:
            inputs = dict(item.get("input") or {}) | dict.fromkeys(item.get("optional") or (), "")
            known = self.offers.get(item["mutation"])
            given = {**(known.inputs if known else {}), **{k: str(v) for k, v in inputs.items() if v}}
            about = max(item.get("about", ""), known.about if known else "", key=len)
            self.offers[item["mutation"]] = Offer(item["mutation"], about, dict.fromkeys(inputs, "") | given)
        for item in (data.get("values") or []) if now else []:
            if isinstance(item.get("value"), bool):
                continue  # a yes-or-no field is linked by its name
            manager, _, name = str(item.get("field", "")).partition(".")
            hit = Hit(str(item.get("value", "")), manager, name, item.get("filters") or {})
            if hit not in self.hits:
                self.hits.append(hit)

    def _manager(self, item: Mapping[str, Any], *, whole: bool, found: bool = False) -> None:
        name = str(item["manager"])
        old = self.managers.get(name, Manager(name))
        fields = {k: str(v) for k, v in (item.get("fields") or {}).items()}
        relations = {k: str(v) for k, v in (item.get("relations") or {}).items()}
        filters = (
            {k: tuple(v) for k, v in item["filters"].items()} if isinstance(item.get("filters"), Mapping) else None
        )
        self.managers[name] = Manager(
            name,
            str(item.get("about") or old.about),
            {**fields, **old.fields} if old.whole and not whole else {**old.fields, **fields},
            {**old.relations, **relations},
            filters if filters is not None else old.filters,
            old.whole or (whole and bool(fields)),
            old.found or found,
        )

    def _named(self, manager: str, filters: Mapping[str, Any], rows: Iterable[Any]) -> None:
        """Whole texts behind a piece that was found."""
        name = next(iter(filters)).split("__")[0]
        for row in rows:
            if isinstance(row, Mapping) and isinstance(row.get(name), str):
                self.hits.append(Hit(row[name], manager, name, {manager: {name: row[name]}}))

    def _units(self, manager: str, rows: Iterable[Any]) -> None:
        for row in rows:
            for name, value in row.items() if isinstance(row, Mapping) else ():
                if isinstance(value, Mapping) and value.get("unit"):
                    self.units.setdefault((manager, name.split(":")[-1]), str(value["unit"]))


_MANAGER_LINE = re.compile(
    r"- (?P<name>[A-Z]\w*): (?P<about>[^()]*)\((?P<relations>[a-z]\w* \[?[A-Z]\w*\]?(?:, [a-z]\w* \[?[A-Z]\w*\]?)*)\)"
)
_NAMES_LINE = re.compile(r"- [A-Z]\w*(?:, [A-Z]\w*)*$")
_MUTATION_LINE = re.compile(r"- (?P<name>[a-z]\w*)\((?P<inputs>[^)]*)\)(?:: (?P<about>.*))?$")
