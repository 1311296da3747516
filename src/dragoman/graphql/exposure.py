"""Exposure: the one gate. What is not exposed leaves in no name, path, filter, order, result or error text."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from graphql import (
    GraphQLField,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    get_named_type,
    is_leaf_type,
)

from dragoman.graphql.dialects import Paging
from dragoman.graphql.host import Manager
from dragoman.graphql.naming import fold

REFUSED = "The server refused this, for a reason that cannot be shown."
_IDENTIFIER = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Exposure:
    """What may be seen of a schema. `open` are the exposed managers by the type of their rows.

    `shut` are the types whose rows are nobody's to see here: those of hidden managers, and every other object the
    schema's root can list or fetch that is no exposed manager.
    """

    open: Mapping[str, Manager]
    shut: frozenset[str]
    paging: Paging
    secrets: frozenset[str] = field(default=frozenset())

    def target(self, entry: GraphQLField) -> str | None:
        """The type name of the exposed manager a field leads to, or None."""
        name = self._destination(entry).name
        return name if name in self.open else None

    def is_value(self, entry: GraphQLField) -> bool:
        """Whether a field is a plain value, or an object of nothing but plain values such as a measurement."""
        named = get_named_type(entry.type)
        if is_leaf_type(named):
            return True
        if (
            not isinstance(named, GraphQLObjectType)
            or named.name in self.shut
            or named.name in self.open
            or self._page(entry)
        ):
            return False
        return all(is_leaf_type(get_named_type(inner.type)) for inner in named.fields.values())

    def visible(self, row: GraphQLObjectType) -> dict[str, GraphQLField]:
        """The fields of a row without those that lead to a hidden manager, hold its id, or need an argument."""
        closed = set(self.closed(row))
        return {
            name: entry
            for name, entry in row.fields.items()
            if name not in closed and not name.startswith("_") and not any(map(_is_required, entry.args.values()))
        }

    def closed(self, row: GraphQLObjectType) -> Iterator[str]:
        """The names of a row's fields that are kept hidden, the companions that hold ids included."""
        hidden = [n for n, e in row.fields.items() if not self.is_value(e) and self.target(e) is None]
        owned = {fold(name) for name in hidden}
        for name in row.fields:
            if name in hidden or any(fold(name) in (f"{o}id", f"{o}ids", f"{o}pk") for o in owned):
                yield name

    def clean(self, message: str) -> str:
        """A message of the server without the name of anything hidden: itself, or a sentence that says nothing."""
        whole = fold(message)
        if any(len(secret) >= 6 and secret in whole for secret in self.secrets):
            return REFUSED
        if any(fold(name) in self.secrets for name in _IDENTIFIER.findall(message)):
            return REFUSED
        return message

    def _destination(self, entry: GraphQLField) -> GraphQLNamedType:
        page = self.paging.page(entry.type)
        return page.row if page else get_named_type(entry.type)

    def _page(self, entry: GraphQLField) -> bool:
        return self.paging.page(entry.type) is not None


def gate(schema: GraphQLSchema, managers: Iterable[Manager], paging: Paging) -> Exposure:
    """The gate of a schema and its managers."""
    managers = list(managers)
    types = schema.type_map
    shown = {m.type_name: m for m in managers if m.exposed and isinstance(types.get(m.type_name), GraphQLObjectType)}
    shut = {m.type_name for m in managers} | set(_fetched(schema, paging))
    exposure = Exposure(shown, frozenset(shut - set(shown)), paging)
    return Exposure(shown, exposure.shut, paging, _secrets(schema, managers, exposure))


def _fetched(schema: GraphQLSchema, paging: Paging) -> Iterator[str]:
    for entry in schema.query_type.fields.values() if schema.query_type else ():
        page = paging.page(entry.type)
        named = page.row if page else get_named_type(entry.type)
        if isinstance(named, GraphQLObjectType):
            yield named.name


def _secrets(schema: GraphQLSchema, managers: Iterable[Manager], exposure: Exposure) -> frozenset[str]:
    """The folded names that give a hidden manager away and are not also the name of something shown."""
    rows = [schema.type_map[name] for name in exposure.open]
    shown = {fold(m.name) for m in exposure.open.values()} | {fold(name) for name in exposure.open}
    closed: set[str] = set()
    for row in rows:
        if isinstance(row, GraphQLObjectType):
            shown |= {fold(name) for name in exposure.visible(row)}
            closed |= {fold(name) for name in exposure.closed(row)}
    hidden = {fold(name) for m in managers if m.type_name not in exposure.open for name in (m.name, m.type_name)}
    return frozenset(word for word in hidden | closed if word and word not in shown)


def _is_required(argument: object) -> bool:
    from_type = str(getattr(argument, "type", ""))
    return from_type.endswith("!") and getattr(argument, "default_value", None) is None
