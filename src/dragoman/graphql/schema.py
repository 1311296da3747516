"""The catalog: every exposed manager with its fields, relations and list, as the chat sees them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from graphql import (
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLSchema,
    get_named_type,
    is_leaf_type,
    is_required_argument,
)

from dragoman.graphql.dialects import Dialect, Page
from dragoman.graphql.exposure import Exposure, gate
from dragoman.graphql.host import Host, Manager
from dragoman.graphql.naming import fold, listing, near, resolve, unknown
from dragoman.harness.errors import ConfigurationError
from dragoman.harness.tools import ToolError

_NO_SCHEMA = "There is no GraphQL schema to chat about."
_NAMES = ("name", "title", "label", "number", "code", "username", "slug", "email", "key", "currency")


@dataclass(frozen=True, slots=True)
class Field:
    """A plain value of a row. `parts` are the leaves of a value object; a measurement has `value` and `unit`."""

    name: str
    kind: str
    many: bool = False
    parts: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    doc: str = ""
    unit: str = ""
    unit_argument: str = ""

    @property
    def is_measurement(self) -> bool:
        """A number with a unit."""
        return {"value", "unit"} <= set(self.parts)

    @property
    def shown(self) -> str:
        """The type as a model is told it: the choices where there are few."""
        if self.choices:
            text = "|".join(self.choices)
            return text if len(text) <= 90 else f"{self.choices[0]}|{self.choices[1]}|... ({len(self.choices)} values)"
        return f"[{self.kind}]" if self.many else self.kind


@dataclass(frozen=True, slots=True)
class Relation:
    """A way to another exposed manager; `page` says how a to-many one comes, `key` is the plain field with the id."""

    name: str
    target: str
    page: Page | None = None
    key: str = ""
    doc: str = ""

    @property
    def many(self) -> bool:
        """Whether it leads to any number of rows."""
        return self.page is not None

    @property
    def shown(self) -> str:
        """The target as a model is told it."""
        return f"[{self.target}]" if self.many else self.target


@dataclass(frozen=True, slots=True)
class Root:
    """The field of the query type that lists a manager."""

    name: str
    field: GraphQLField
    page: Page


@dataclass(frozen=True, slots=True)
class Detail:
    """The field of the query type that fetches one row by its id, and the argument that takes it."""

    name: str
    argument: str
    kind: GraphQLInputType


@dataclass(frozen=True, slots=True)
class Exposed:
    """One manager as the chat sees it."""

    name: str
    about: str
    row: GraphQLObjectType
    fields: Mapping[str, Field]
    relations: Mapping[str, Relation]
    naming: tuple[str, ...]
    searchable: tuple[str, ...]
    root: Root | None
    detail: Detail | None
    row_id: tuple[str, ...]

    @property
    def has_id(self) -> bool:
        """Whether a field `id` identifies a row; that of a calculation does not exist."""
        return "id" in self.fields

    @property
    def names(self) -> list[str]:
        """Everything that can be selected."""
        return [*self.fields, *self.relations]

    def find(self, name: str) -> str | None:
        """The field or relation of that name in either spelling."""
        return resolve(name, self.names)

    def refuse(self, name: str, what: str = "field") -> ToolError:
        """The error for a name this manager does not have."""
        return ToolError(unknown(what, name, self.name, self.names), f"unknown_{what}")


class Catalog:
    """The exposed part of a host's schema, read once. Raises ConfigurationError while the host has no schema."""

    def __init__(self, host: Host) -> None:
        schema = host.schema()
        if schema is None or schema.query_type is None:
            raise ConfigurationError(f"{_NO_SCHEMA} Let the project build one before the chat is used.")
        self.schema: GraphQLSchema = schema
        self.dialect: Dialect = host.dialect
        self.exposure: Exposure = gate(schema, host.managers(), host.dialect.paging)
        self._sort_query_fields()
        self._name_of = {kind: manager.name for kind, manager in self.exposure.open.items()}
        self.managers: Mapping[str, Exposed] = {
            manager.name: self._read(manager) for manager in self.exposure.open.values()
        }

    def manager(self, name: str) -> Exposed:
        """The exposed manager of that name, in any spelling. Raises ToolError with what is near."""
        if (found := resolve(name, self.managers)) or (found := self._by_other_name.get(fold(name))):
            return self.managers[found]
        close = near(name, list(self.managers))
        hint = f" Did you mean {' or '.join(close)}?" if close else f" There is: {listing(list(self.managers), 200)}."
        raise ToolError(f"Unknown manager {name!r}.{hint} search_managers finds them.", "unknown_manager")

    def manager_of(self, type_name: str) -> Exposed | None:
        """The exposed manager whose rows have this type."""
        name = self._name_of.get(type_name)
        return self.managers[name] if name else None

    @cached_property
    def _by_other_name(self) -> dict[str, str]:
        """Plurals, and what the schema calls a manager's type and list."""
        other: dict[str, str] = {}
        for name, manager in self.managers.items():
            spellings = [f"{name}s", f"{name.removesuffix('y')}ies", manager.row.name]
            for spelling in spellings + ([manager.root.name] if manager.root else []):
                other.setdefault(fold(spelling), name)
        return other

    def _read(self, manager: Manager) -> Exposed:
        row = self.schema.type_map[manager.type_name]
        assert isinstance(row, GraphQLObjectType)
        visible = self.exposure.visible(row)
        fields = {n: self._field(n, e, manager) for n, e in visible.items() if self.exposure.is_value(e)}
        relations = {n: self._relation(n, e, manager, fields) for n, e in visible.items() if n not in fields}
        naming = tuple(n for n in manager.naming if n in fields) or tuple(n for n in _NAMES if n in fields)[:1]
        return Exposed(
            name=manager.name,
            about=manager.about or row.description or "",
            row=row,
            fields=fields,
            relations=relations,
            naming=naming,
            searchable=tuple(n for n in manager.searchable if n in fields),
            root=self._root(row),
            detail=self._detail(row) if "id" in fields else None,
            row_id=("id",) if "id" in fields else self._identity(row, [*fields, *relations]),
        )

    def _field(self, name: str, entry: GraphQLField, manager: Manager) -> Field:
        named = get_named_type(entry.type)
        parts = tuple(_leaves(named)) if isinstance(named, GraphQLObjectType) else ()
        choices = manager.choices.get(name, ()) or (tuple(named.values) if isinstance(named, GraphQLEnumType) else ())
        argument = self.dialect.unit_argument
        return Field(
            name=name,
            kind="Measurement" if {"value", "unit"} <= set(parts) else named.name,
            many=_is_list(entry.type),
            parts=parts,
            choices=choices,
            doc=manager.docs.get(name, "") or entry.description or "",
            unit=manager.units.get(name, ""),
            unit_argument=argument if argument in entry.args else "",
        )

    def _relation(self, name: str, entry: GraphQLField, manager: Manager, fields: Mapping[str, Field]) -> Relation:
        target = self.exposure.target(entry)
        assert target is not None  # nothing else is visible
        page = self.dialect.paging.page(entry.type)
        key = next((f for f in fields if fold(f) == f"{fold(name)}id"), "")
        return Relation(
            name,
            self._name_of[target],
            page,
            "" if page else key,
            manager.docs.get(name, "") or entry.description or "",
        )

    def _root(self, row: GraphQLObjectType) -> Root | None:
        # Of several lists the one that can be narrowed in most ways is the manager's own.
        return max(self._roots.get(row.name, ()), key=lambda root: len(root.field.args), default=None)

    def _detail(self, row: GraphQLObjectType) -> Detail | None:
        for name, entry in self._single.get(row.name, ()):
            needed = [a for a, argument in entry.args.items() if is_required_argument(argument)]
            if needed in (["id"], ["pk"]):
                return Detail(name, needed[0], entry.args[needed[0]].type)
        return None

    def _identity(self, row: GraphQLObjectType, names: list[str]) -> tuple[str, ...]:
        """What identifies a row without an id: the arguments of the field that fetches one, as names of the row."""
        for _, entry in self._single.get(row.name, ()):
            if entry.args:
                found = [resolve(n, names) or resolve(n.removesuffix("Id"), names) for n in entry.args]
                return tuple(name for name in found if name)
        return ()

    def _sort_query_fields(self) -> None:
        """Put each field of the query type to the rows it lists or fetches."""
        self._roots: dict[str, list[Root]] = {}
        self._single: dict[str, list[tuple[str, GraphQLField]]] = {}
        for name, entry in self.schema.query_type.fields.items() if self.schema.query_type else ():
            if (page := self.dialect.paging.page(entry.type)) is not None:
                self._roots.setdefault(page.row.name, []).append(Root(name, entry, page))
            else:
                self._single.setdefault(get_named_type(entry.type).name, []).append((name, entry))


def _leaves(kind: GraphQLObjectType) -> list[str]:
    return [n for n, e in kind.fields.items() if is_leaf_type(get_named_type(e.type)) and not e.args]


def _is_list(kind: GraphQLOutputType) -> bool:
    return isinstance(kind.of_type if isinstance(kind, GraphQLNonNull) else kind, GraphQLList)
