"""An in-memory GraphQL project for tests: rows, rights and hidden managers behind a schema with pages and filters.

`World(specs)` builds the schema the way a manager library does: numbered pages, nested filter inputs one relation
deep, order enums, groups, a list and a detail field for each kind of row, and the hidden kinds in between.
"""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from graphql import (
    DocumentNode,
    GraphQLArgument,
    GraphQLBoolean,
    GraphQLEnumType,
    GraphQLError,
    GraphQLField,
    GraphQLFloat,
    GraphQLID,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInt,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLScalarType,
    GraphQLSchema,
    GraphQLString,
    execute,
)

from dragoman.graphql.dialects import Dialect, NestedFilters, NumberedPages, OrderObjects
from dragoman.graphql.host import Answer, Fault, Hint, Manager
from dragoman.harness.caller import Caller

Row = dict[str, Any]


def _date(value: Any) -> str:
    return dt.date.fromisoformat(str(value)).isoformat()


Date = GraphQLScalarType("Date", parse_value=_date)
Measured = GraphQLScalarType("MeasurementScalar", parse_value=lambda text: _measure(text))
Measurement = GraphQLObjectType(
    "MeasurementType",
    {"value": GraphQLField(GraphQLFloat), "unit": GraphQLField(GraphQLString)},
)
PageInfo = GraphQLObjectType(
    "PageInfo",
    {"totalCount": GraphQLField(GraphQLInt), "currentPage": GraphQLField(GraphQLInt)},
)
_SCALARS = {
    "ID": GraphQLID, "String": GraphQLString, "Int": GraphQLInt, "Float": GraphQLFloat,
    "Boolean": GraphQLBoolean, "Date": Date,
}  # fmt: skip
_LOOKUPS = {
    "ID": ("exact", "in"),
    "String": ("exact", "icontains", "contains", "in", "startswith"),
    "Int": ("exact", "gt", "gte", "lt", "lte"),
    "Float": ("exact", "gt", "gte", "lt", "lte"),
    "Boolean": ("exact",),
    "Date": ("exact", "gt", "gte", "lt", "lte"),
    "Measurement": ("exact", "gt", "gte", "lt", "lte"),
}


@dataclass(frozen=True, slots=True)
class Spec:
    """One kind of row. `relations` are to-one; each gives the target a list back. `computed` rows have no id."""

    name: str
    fields: Mapping[str, str]
    relations: Mapping[str, str] = field(default_factory=dict)
    exposed: bool = True
    about: str = ""
    docs: Mapping[str, str] = field(default_factory=dict)
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    naming: tuple[str, ...] = ("name",)
    searchable: tuple[str, ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)
    computed: bool = False
    readable: Callable[[Row, Any], bool] = lambda row, user: True
    private: Mapping[str, Callable[[Any], bool]] = field(default_factory=dict)
    unfiltered: tuple[str, ...] = ()


class World:
    """A host over rows in memory. `row_checks` makes it refuse lists the way a library that tests every row does."""

    def __init__(
        self,
        specs: Sequence[Spec],
        rows: Mapping[str, list[Row]] | None = None,
        *,
        row_checks: int | None = None,
        mutations: Callable[["World"], Mapping[str, GraphQLField]] | None = None,
        counted: bool = True,
    ) -> None:
        self.specs = {spec.name: spec for spec in specs}
        self.rows = {name: list((rows or {}).get(name, [])) for name in self.specs}
        self.dialect = Dialect(NumberedPages(), NestedFilters(), OrderObjects(), row_checks=row_checks)
        self.documents: list[tuple[DocumentNode, Mapping[str, Any]]] = []
        self.counted = counted
        self._types: dict[str, GraphQLObjectType] = {}
        self._pages: dict[str, GraphQLObjectType] = {}
        self._filters: dict[tuple[str, int], GraphQLInputObjectType] = {}
        self._orders: dict[str, GraphQLInputObjectType] = {}
        self._direction = GraphQLEnumType("OrderDirection", {"ASC": "ASC", "DESC": "DESC"})
        self._schema = self._build(mutations)

    # ---- the port ----------------------------------------------------------------------------------------------------

    def schema(self) -> GraphQLSchema:
        return self._schema

    def managers(self) -> list[Manager]:
        return [
            Manager(
                name=spec.name,
                type_name=f"{spec.name}Type",
                exposed=spec.exposed,
                about=spec.about,
                naming=spec.naming,
                searchable=spec.searchable,
                docs=spec.docs,
                choices=spec.choices,
                units=spec.units,
            )
            for spec in self.specs.values()
        ]

    async def execute(self, document: DocumentNode, variables: Mapping[str, Any], caller: Caller) -> Answer:
        self.documents.append((document, variables))
        context = SimpleNamespace(user=caller.user)
        result = execute(self._schema, document, variable_values=dict(variables), context_value=context)
        faults = tuple(
            Fault(
                error.message,
                str((error.extensions or {}).get("code", "")),
                tuple(error.path or ()),
                (error.extensions or {}).get("fieldErrors", {}),
            )
            for error in result.errors or ()
        )
        return Answer(result.data, faults)

    async def hints(self, manager: str, field: str, most: int, containing: str = "") -> list[Hint]:
        found = [Hint(str(row[field]), str(row.get("id", ""))) for row in self.rows[manager] if row.get(field)]
        return [hint for hint in found if containing.casefold() in hint.text.casefold()][:most]

    # ---- the schema --------------------------------------------------------------------------------------------------

    def _build(self, mutations: Callable[["World"], Mapping[str, GraphQLField]] | None) -> GraphQLSchema:
        for name in self.specs:
            self._types[name] = GraphQLObjectType(f"{name}Type", lambda name=name: self._fields(name))
            self._pages[name] = _page(f"{name}TypePage", self._types[name])
        query: dict[str, GraphQLField] = {}
        for name, spec in self.specs.items():
            query[f"{_lower(name)}List"] = self._list(name, lambda _, name=name: self.rows[name])
            group = GraphQLObjectType(f"{name}GroupedType", {"count": GraphQLField(GraphQLInt)})
            query[f"{_lower(name)}Groups"] = GraphQLField(_page(f"{name}GroupedPage", group))
            if spec.computed:
                owner = next(iter(spec.relations))
                args = {f"{owner}Id": GraphQLArgument(GraphQLNonNull(GraphQLID))}
                query[_lower(name)] = GraphQLField(self._types[name], args, resolve=lambda *_, **__: None)
            else:
                args = {"id": GraphQLArgument(GraphQLNonNull(GraphQLID))}
                query[_lower(name)] = GraphQLField(self._types[name], args, resolve=self._detail(name))
        return GraphQLSchema(
            GraphQLObjectType("Query", query),
            GraphQLObjectType("Mutation", dict(mutations(self))) if mutations else None,
            types=list(self._types.values()),
        )

    def type_of(self, name: str) -> GraphQLObjectType:
        """The row type, for the payload of a mutation."""
        return self._types[name]

    def _fields(self, name: str) -> dict[str, GraphQLField]:
        spec = self.specs[name]
        fields: dict[str, GraphQLField] = {} if spec.computed else {"id": GraphQLField(GraphQLID)}
        for key, kind in spec.fields.items():
            fields[key] = self._value(spec, key, kind)
        for key, target in spec.relations.items():
            fields[key] = GraphQLField(self._types[target], resolve=self._one(target, key))
            if not spec.computed:
                fields[f"{key}Id"] = GraphQLField(GraphQLID)
        for other in self.specs.values():
            for key, target in other.relations.items():
                if target == name:
                    fields[f"{_lower(other.name)}List"] = self._list(other.name, self._owned(other.name, key))
                    group = GraphQLObjectType(f"{name}{other.name}GroupedType", {"n": GraphQLField(GraphQLInt)})
                    page = _page(f"{name}{other.name}GroupedPage", group)
                    fields[f"{_lower(other.name)}Groups"] = GraphQLField(page)
        return fields

    def _value(self, spec: Spec, key: str, kind: str) -> GraphQLField:
        def resolve(row: Row, info: Any, targetUnit: str | None = None) -> Any:
            if key in spec.private and not spec.private[key](info.context.user):
                return None
            value = row.get(key)
            return _converted(value, targetUnit) if targetUnit and value else value

        if kind == "Measurement":
            return GraphQLField(Measurement, {"targetUnit": GraphQLArgument(GraphQLString)}, resolve=resolve)
        return GraphQLField(_SCALARS[kind], resolve=resolve)

    def _one(self, target: str, key: str) -> Any:
        def resolve(row: Row, info: Any) -> Row | None:
            return self._find(target, row.get(f"{key}Id"), info.context.user)

        return resolve

    def _detail(self, name: str) -> Any:
        return lambda _, info, id: self._find(name, id, info.context.user)

    def _find(self, name: str, one: Any, user: Any) -> Row | None:
        spec = self.specs[name]
        return next((r for r in self.rows[name] if r.get("id") == str(one) and spec.readable(r, user)), None)

    def _owned(self, name: str, key: str) -> Any:
        return lambda owner: [row for row in self.rows[name] if row.get(f"{key}Id") == owner["id"]]

    def _list(self, name: str, source: Any) -> GraphQLField:
        args = {
            "page": GraphQLArgument(GraphQLInt),
            "pageSize": GraphQLArgument(GraphQLInt),
            "filter": GraphQLArgument(self._filter(name, 1)),
            "exclude": GraphQLArgument(self._filter(name, 1)),
            "orderBy": GraphQLArgument(GraphQLList(GraphQLNonNull(self._order(name))), out_name="order_by"),
        }

        def resolve(owner: Any, info: Any, page: int = 1, pageSize: int = 10, **given: Any) -> Any:
            if pageSize > 100:
                raise GraphQLError("pageSize must not exceed 100.")
            user = info.context.user
            rows = [row for row in source(owner) if self.specs[name].readable(row, user)]
            self._authorize(name, rows, given, user)
            if wanted := given.get("filter"):
                rows = [row for row in rows if self._meets(name, row, wanted, user)]
            if wanted := given.get("exclude"):
                rows = [row for row in rows if not self._meets(name, row, wanted, user)]
            for term in reversed(given.get("order_by") or []):
                rows = sorted(rows, key=lambda r: _rank(self._at(name, r, term["field"])), reverse=_down(term))
            start = (page - 1) * pageSize
            total = len(rows) if self.counted else None
            return {"items": rows[start : start + pageSize], "pageInfo": {"totalCount": total, "currentPage": page}}

        return GraphQLField(self._pages[name], args, resolve=resolve)

    def _authorize(self, name: str, rows: list[Row], given: Mapping[str, Any], user: Any) -> None:
        both = [*(given.get("filter") or {}).items(), *(given.get("exclude") or {}).items()]
        both += [(term["field"], None) for term in given.get("order_by") or []]
        for operand, value in both:
            self._guard(name, operand, value, user)
        limit = self.dialect.row_checks
        if limit is not None and len(rows) * len(both) > limit:
            raise GraphQLError("Too many rows to check.")

    def _guard(self, name: str, operand: str, value: Any, user: Any) -> None:
        """Refuse a condition or an order on a field this person may not read, also a nested one."""
        spec, key = self.specs[name], operand.partition("__")[0]
        guard = next((g for f, g in spec.private.items() if key in (f, _snake(f))), None)
        if guard and not guard(user):
            raise GraphQLError(f"Permission denied to use query field {key!r}.")
        if not isinstance(value, Mapping) or "unit" in value:
            return
        target = next((t for k, t in spec.relations.items() if _snake(k) == key), None)
        target = target or next(s.name for s in self.specs.values() if f"{_snake(s.name)}_list" == key)
        for inner, content in (value.get("any") or value).items():
            self._guard(target, inner, content, user)

    def _filter(self, name: str, depth: int) -> GraphQLInputObjectType:
        if (name, depth) not in self._filters:
            self._filters[(name, depth)] = GraphQLInputObjectType(
                f"{name}FilterTypeDepth{depth}", lambda: self._inputs(name, depth)
            )
        return self._filters[(name, depth)]

    def _inputs(self, name: str, depth: int) -> dict[str, GraphQLInputField]:
        spec = self.specs[name]
        plain = {} if spec.computed else {"id": "ID"}
        plain |= {k: v for k, v in spec.fields.items() if k not in spec.unfiltered and not spec.computed}
        plain |= {f"{k}Id": "ID" for k in spec.relations if not spec.computed}
        inputs: dict[str, GraphQLInputField] = {}
        for key, kind in plain.items():
            scalar = Measured if kind == "Measurement" else _SCALARS[kind]
            for lookup in _LOOKUPS[kind]:
                typed = GraphQLList(scalar) if lookup == "in" else scalar
                spelled = key if lookup == "exact" else f"{key}_{lookup.capitalize()}"
                python = _snake(key) if lookup == "exact" else f"{_snake(key)}__{lookup}"
                inputs[spelled] = GraphQLInputField(typed, out_name=python)
        if depth:
            for key, target in spec.relations.items():
                inputs[key] = GraphQLInputField(self._filter(target, depth - 1), out_name=_snake(key))
            for other in self.specs.values():
                if name in other.relations.values() and not other.computed:
                    inner = self._filter(other.name, depth - 1)
                    both = {"any": GraphQLInputField(inner), "none": GraphQLInputField(inner)}
                    kind = GraphQLInputObjectType(f"{name}{other.name}RelationFilterDepth{depth}", both)
                    inputs[f"{_lower(other.name)}List"] = GraphQLInputField(kind, out_name=f"{_snake(other.name)}_list")
        return inputs

    def _order(self, name: str) -> GraphQLInputObjectType:
        if name not in self._orders:
            spec = self.specs[name]
            members = [k for k in ({} if spec.computed else {"id": "", **spec.fields}) if k not in spec.unfiltered]
            for key, target in spec.relations.items():
                members += [f"{key}__{k}" for k in self.specs[target].fields]
            kind = GraphQLEnumType(f"{name}OrderField", {m: m for m in members or ["none"]})
            self._orders[name] = GraphQLInputObjectType(
                f"{name}OrderBy",
                {
                    "field": GraphQLInputField(GraphQLNonNull(kind)),
                    "direction": GraphQLInputField(GraphQLNonNull(self._direction), default_value="ASC"),
                },
            )
        return self._orders[name]

    # ---- conditions --------------------------------------------------------------------------------------------------

    def _meets(self, name: str, row: Row, wanted: Mapping[str, Any], user: Any) -> bool:
        return all(self._meet(name, row, key, value, user) for key, value in wanted.items())

    def _meet(self, name: str, row: Row, key: str, value: Any, user: Any) -> bool:
        field_name, _, lookup = key.partition("__")
        if isinstance(value, Mapping) and "any" in value:
            other = next(s for s in self.specs.values() if f"{_snake(s.name)}_list" == key)
            back = next(k for k, target in other.relations.items() if target == name)
            owned = [r for r in self.rows[other.name] if r.get(f"{back}Id") == row["id"]]
            owned = [r for r in owned if other.readable(r, user)]
            return any(self._meets(other.name, r, value["any"], user) for r in owned)
        if isinstance(value, Mapping) and "unit" not in value:
            relation = next(k for k in self.specs[name].relations if _snake(k) == key)
            target = self.specs[name].relations[relation]
            found = self._find(target, row.get(f"{relation}Id"), user)
            return found is not None and self._meets(target, found, value, user)
        camel = next((k for k in row if _snake(k) == field_name), field_name)
        return _compare(row.get(camel), lookup or "exact", value)

    def _at(self, name: str, row: Row, path: str) -> Any:
        key, _, rest = path.partition("__")
        if not rest:
            return row.get(key)
        target = self.specs[name].relations[key]
        found = next((r for r in self.rows[target] if r.get("id") == row.get(f"{key}Id")), {})
        return self._at(target, found, rest)


def _page(name: str, item: GraphQLObjectType) -> GraphQLObjectType:
    return GraphQLObjectType(
        name,
        {
            "items": GraphQLField(GraphQLNonNull(GraphQLList(item))),
            "pageInfo": GraphQLField(GraphQLNonNull(PageInfo)),
        },
    )


def _lower(name: str) -> str:
    return name[0].lower() + name[1:]


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() and n else c.lower() for n, c in enumerate(name))


_GRAMS = {"kg": 1000.0, "g": 1.0}


def _measure(text: Any) -> dict[str, Any]:
    number, _, unit = str(text).partition(" ")
    if not unit:
        raise GraphQLError("a measurement needs a unit")
    return {"value": float(number), "unit": unit}


def _converted(value: Mapping[str, Any], unit: str) -> dict[str, Any]:
    if value["unit"] == unit:
        return dict(value)
    if value["unit"] not in _GRAMS or unit not in _GRAMS:
        raise GraphQLError(f"Cannot convert {value['unit']} to {unit}.")
    return {"value": value["value"] * _GRAMS[value["unit"]] / _GRAMS[unit], "unit": unit}


def _compare(value: Any, lookup: str, wanted: Any) -> bool:
    if value is None:
        return False
    if isinstance(value, Mapping):
        value = value["value"] * _GRAMS.get(value["unit"], 1.0)
        wanted = wanted["value"] * _GRAMS.get(wanted["unit"], 1.0)
    match lookup:
        case "in":
            return str(value) in map(str, wanted)
        case "icontains":
            return str(wanted).casefold() in str(value).casefold()
        case "contains":
            return str(wanted) in str(value)
        case "startswith":
            return str(value).startswith(str(wanted))
        case "gt":
            return bool(value > wanted)
        case "gte":
            return bool(value >= wanted)
        case "lt":
            return bool(value < wanted)
        case "lte":
            return bool(value <= wanted)
        case _:
            return str(value) == str(wanted) if isinstance(wanted, str) else value == wanted


def _rank(value: Any) -> tuple[int, Any]:
    if isinstance(value, Mapping):
        return 0, value["value"] * _GRAMS.get(value["unit"], 1.0)
    return (1, "") if value is None else (0, value)


def _down(term: Mapping[str, Any]) -> bool:
    return bool(term["direction"] == "DESC")
