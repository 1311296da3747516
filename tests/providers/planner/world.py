"""A small world held in memory behind the tools of a GraphQL grounding: for questions whose answers are plain to see."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from dragoman.harness.caller import Caller
from dragoman.harness.tools import Arguments, Tool, Toolbox, ToolDefinition, ToolError

LOOKUPS = {"exact", "icontains", "in", "gt", "gte", "lt", "lte"}
Row = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """A type: its fields by type name, its relations by target ("[X]" for many), and its rows."""

    about: str
    fields: Mapping[str, str]
    relations: Mapping[str, str]
    rows: list[Row]
    searched: tuple[str, ...] = ("name",)


@dataclass(frozen=True)
class Mutation:
    """A change: what it says of itself, its inputs, and what it does."""

    about: str
    inputs: Mapping[str, str]
    run: Any


@dataclass
class World:
    """Types, mutations, the words of the prompt, and the calls that were made."""

    kinds: dict[str, Kind]
    mutations: dict[str, Mutation] = field(default_factory=dict)
    text: str = "Today is 2026-06-15."
    calls: list[tuple[str, Arguments]] = field(default_factory=list)
    confirmed: bool = True

    async def tools(self, caller: Caller) -> Toolbox:
        """The toolbox."""
        names = ["search_managers", "get_manager_schema", "find_path", "query"]
        tools = [Tool(ToolDefinition(n, n, {"type": "object"}), self._runner(n)) for n in names]
        if self.mutations:
            parameters = {
                "type": "object",
                "properties": {
                    "mutation": {"type": "string", "enum": list(self.mutations)},
                    "input": {"type": "object"},
                },
            }
            definition = ToolDefinition("mutate", "mutate", parameters)
            tools.append(Tool(definition, self._runner("mutate"), writes=True, confirm=lambda _: self.confirmed))
        return Toolbox.of(tools)

    async def prompt(self, caller: Caller) -> str:
        """The prompt."""
        return self.text

    def _runner(self, name: str) -> Any:
        async def run(arguments: Arguments) -> Any:
            self.calls.append((name, arguments))
            return getattr(self, name)(**{("from_" if key == "from" else key): v for key, v in arguments.items()})

        return run

    # -- the tools -----------------------------------------------------------------------------------------------------

    def search_managers(self, query: str) -> Any:
        words = set(re.findall(r"\w+", query.lower()))
        stems = {_stem(word) for word in words}
        scores: dict[str, float] = {}
        values = []
        for name, kind in self.kinds.items():
            texts = {**dict.fromkeys(_words(name), 6.0)}
            for text in (kind.about, *kind.fields, *kind.fields.values(), *kind.relations):
                texts |= {word: max(1.0, texts.get(word, 0)) for word in _words(text)}
            scores[name] = sum(score for word, score in texts.items() if _stem(word) in stems and len(word) > 2)
            for row in kind.rows:
                for searched in kind.searched:
                    text = str(row.get(searched, ""))
                    if {_stem(w) for w in re.findall(r"\w+", text.lower())} & {s for s in stems if len(s) > 2}:
                        values.append((_share(text, stems), name, searched, text))
                        scores[name] += 2
        hits = sorted((n for n in scores if scores[n] > 0), key=lambda n: -scores[n])[:6]
        values = sorted(values, key=lambda v: -v[0])[:5]
        told = []
        for _, name, searched, text in values:
            filters = {name: {searched: text}}
            for hit in hits:
                if hit != name and (way := self._way(hit, name)):
                    filters[hit] = {"__".join((*way, searched)): text}
            told.append({"value": text, "field": f"{name}.{searched}", "filters": filters})
        managers = [
            {
                "manager": n,
                "about": self.kinds[n].about,
                "fields": dict(self.kinds[n].fields),
                "relations": dict(self.kinds[n].relations),
            }
            for n in hits
        ]
        mutations = [
            {"mutation": n, "about": m.about, "input": dict(m.inputs)}
            for n, m in self.mutations.items()
            if {_stem(w) for w in _words(n)} & stems
        ]
        return {
            "managers": managers,
            **({"values": told} if told else {}),
            **({"mutations": mutations} if mutations else {}),
        }

    def get_manager_schema(self, manager: str) -> Any:
        kind = self._kind(manager)
        units = {n: kind.rows[0][n]["unit"] for n, t in kind.fields.items() if t == "Measurement"}
        return {
            "manager": manager,
            "about": kind.about,
            "fields": dict(kind.fields),
            "relations": dict(kind.relations),
            "units": units,
        }

    def find_path(self, from_: str, to: str) -> Any:
        way = self._way(from_, to)
        return {"path": list(way)} if way else {"path": None, "message": "There is no way."}

    def query(
        self,
        manager: str,
        fields: Sequence[str] = (),
        filters: Mapping[str, Any] | None = None,
        exclude: Mapping[str, Any] | None = None,
        order_by: Sequence[str] = (),
        limit: int = 20,
        aggregate: Mapping[str, Any] | None = None,
    ) -> Any:
        rows = [
            r
            for r in self._kind(manager).rows
            if all(self._passes(manager, r, k, v) for k, v in (filters or {}).items())
        ]
        if exclude:
            rows = [r for r in rows if not all(self._passes(manager, r, k, v) for k, v in exclude.items())]
        if aggregate is not None:
            found = self._groups(manager, rows, aggregate)
        else:
            found = rows
        for key in reversed(order_by):
            bare = key.lstrip("-")
            found = sorted(
                found,
                key=lambda r: _plain(r[bare] if bare in r else self._value(manager, r, bare)),
                reverse=key.startswith("-"),
            )
        shown = found[:limit] if aggregate is not None else [self._shown(manager, r, fields) for r in found[:limit]]
        answer = {"rows": shown, "total_count": len(found), "has_more": len(found) > limit}
        return answer | ({"computed_over": len(rows), "complete": True} if aggregate is not None else {})

    def mutate(self, mutation: str, input: Mapping[str, Any]) -> Any:
        return {"ok": True, "mutation": mutation, "object": self.mutations[mutation].run(input)}

    # -- within --------------------------------------------------------------------------------------------------------

    def _kind(self, name: str) -> Kind:
        if name not in self.kinds:
            raise ToolError(f"Unknown manager {name!r}.", "unknown_manager")
        return self.kinds[name]

    def _way(self, start: str, end: str) -> tuple[str, ...]:
        queue: list[tuple[str, tuple[str, ...]]] = [(start, ())]
        seen = {start}
        while queue:
            here, way = queue.pop(0)
            for name, target in self.kinds[here].relations.items():
                there = target.strip("[]")
                if there == end:
                    return (*way, name)
                if there not in seen:
                    seen.add(there)
                    queue.append((there, (*way, name)))
        return ()

    def _related(self, manager: str, row: Row, relation: str) -> list[Row]:
        target = self.kinds[manager].relations[relation]
        if not target.startswith("["):
            return [r for r in self.kinds[target].rows if r["id"] == row[relation]]
        other = self.kinds[target.strip("[]")]
        back = next(n for n, t in other.relations.items() if t == manager)
        return [r for r in other.rows if r[back] == row["id"]]

    def _passes(self, manager: str, row: Row, key: str, wanted: Any) -> bool:
        name, *rest = key.split("__")
        kind = self.kinds[manager]
        if name in kind.relations:
            target = kind.relations[name].strip("[]")
            return any(
                self._passes(target, r, "__".join(rest) or "id", wanted) for r in self._related(manager, row, name)
            )
        if name not in kind.fields or (rest and rest[0] not in LOOKUPS):
            raise ToolError(f"Unknown filter {name!r} on {manager!r}.", "unknown_filter")
        given, lookup = row.get(name), rest[0] if rest else "exact"
        if given is None:
            return False
        if isinstance(given, Mapping):
            given, wanted = given["value"], float(str(wanted).split()[0])
        return {
            "exact": lambda: given == wanted,
            "icontains": lambda: str(wanted).lower() in str(given).lower(),
            "in": lambda: given in wanted,
            "gt": lambda: given > wanted,
            "gte": lambda: given >= wanted,
            "lt": lambda: given < wanted,
            "lte": lambda: given <= wanted,
        }[lookup]()

    def _value(self, manager: str, row: Row, path: str) -> Any:
        name, *rest = path.split("__")
        if name in self.kinds[manager].fields:
            return row.get(name)
        if name not in self.kinds[manager].relations:
            raise ToolError(f"Unknown field {name!r} on {manager!r}.", "unknown_field")
        found = self._related(manager, row, name)
        target = self.kinds[manager].relations[name].strip("[]")
        return self._value(target, found[0], "__".join(rest) or self.kinds[target].searched[0]) if found else None

    def _shown(self, manager: str, row: Row, fields: Sequence[str]) -> Row:
        kind = self.kinds[manager]
        shown: Row = {}
        for path in fields or ("id", *kind.searched):
            name = path.split("__")[0]
            if name in kind.relations:
                target = kind.relations[name].strip("[]")
                inner = [self._shown(target, r, ()) for r in self._related(manager, row, name)]
                shown[name] = inner if kind.relations[name].startswith("[") else (inner or [None])[0]
            else:
                shown[name] = self._value(manager, row, path)
        return shown

    def _groups(self, manager: str, rows: Sequence[Row], aggregate: Mapping[str, Any]) -> list[Row]:
        keys = [self._full(manager, key) for key in aggregate.get("group_by") or ()]
        groups: dict[tuple[Any, ...], list[Row]] = {}
        for row in rows:
            groups.setdefault(tuple(self._value(manager, row, key) for key in keys), []).append(row)
        if not keys and not groups:
            groups[()] = []
        found = []
        for values, members in groups.items():
            row = dict(zip(keys, values, strict=True))
            for measure in aggregate["measures"]:
                function, _, name = measure.partition(":")
                row[measure] = len(members) if not name else _measure(function, [m[name] for m in members])
            found.append(row)
        return found

    def _full(self, manager: str, key: str) -> str:
        here = manager
        for name in key.split("__"):
            if name in self.kinds[here].fields:
                return key
            here = self.kinds[here].relations[name].strip("[]")
        return f"{key}__{self.kinds[here].searched[0]}"


def _measure(function: str, values: Sequence[Any]) -> Any:
    numbers = [v["value"] if isinstance(v, Mapping) else v for v in values]
    if not numbers:
        return None
    result = {"sum": sum, "avg": fmean, "min": min, "max": max}[function](numbers)
    unit = next((v["unit"] for v in values if isinstance(v, Mapping)), None)
    return {"value": result, "unit": unit} if unit else result


def _plain(value: Any) -> Any:
    return value["value"] if isinstance(value, Mapping) else value


def _words(text: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", text)]


def _stem(word: str) -> str:
    return re.sub(r"(ies|es|s|ed|ing|y)$", "", re.sub(r"s$", "", word))


def _share(text: str, stems: set[str]) -> float:
    words = [_stem(w) for w in re.findall(r"\w+", text.lower())]
    return sum(word in stems for word in words) / len(words)
