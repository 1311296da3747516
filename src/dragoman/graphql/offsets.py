"""The dialect of strawberry-django: offset pages, filter objects with lookups inside, and a list of orders."""

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLObjectType,
    GraphQLOutputType,
    get_named_type,
)

from dragoman.graphql.dialects import Page, Place, Slot, Window, nullable
from dragoman.graphql.naming import fold
from dragoman.harness.tools import ToolError

IsToOne = Callable[[GraphQLInputObjectType, str], bool]

# The library's words for what everybody else calls by the names of Django.
_LOOKUPS = {
    "exact": "exact", "iExact": "iexact", "contains": "contains", "iContains": "icontains", "inList": "in",
    "isNull": "isnull", "gt": "gt", "gte": "gte", "lt": "lt", "lte": "lte", "startsWith": "startswith",
    "iStartsWith": "istartswith", "endsWith": "endswith", "iEndsWith": "iendswith",
}  # fmt: skip
_LOGIC = frozenset({"AND", "OR", "NOT", "DISTINCT"})


@dataclass(frozen=True, slots=True)
class OffsetPages:
    """`pagination: {offset, limit}` on a bare list or on `results` with `totalCount`; `first` and `after` on a connection.

    A list that takes neither cannot be read in parts, so it is not read at all.
    """

    most: int = 100

    def page(self, kind: GraphQLOutputType) -> Page | None:
        """A list of objects, or a type that holds one."""
        named = nullable(kind)
        if isinstance(named, GraphQLList):
            row = get_named_type(named)
            return Page(row) if isinstance(row, GraphQLObjectType) else None
        if not isinstance(named, GraphQLObjectType):
            return None
        total = ("totalCount",) if "totalCount" in named.fields else None
        if "results" in named.fields and isinstance(nullable(named.fields["results"].type), GraphQLList):
            row = get_named_type(named.fields["results"].type)
            return Page(row, ("results",), total) if isinstance(row, GraphQLObjectType) else None
        if {"edges", "pageInfo"} <= set(named.fields):
            edge = get_named_type(named.fields["edges"].type)
            node = get_named_type(edge.fields["node"].type) if isinstance(edge, GraphQLObjectType) else None
            return Page(node, ("edges", "node"), total) if isinstance(node, GraphQLObjectType) else None
        return None

    def windows(self, field: GraphQLField, offset: int, limit: int) -> Iterator[Window]:
        """Pages of the largest size until the rows are read. Raises ToolError for a list without pages."""
        if "pagination" in field.args:
            pages = (_by_offset, "pagination")
        elif {"first", "after"} <= set(field.args):
            pages = (_by_cursor, "first")
        else:
            raise ToolError(
                "This list cannot be read in parts, so it is not read. Ask for its rows by themselves.", "no_pages"
            )
        end = offset + limit
        while offset < end:
            take = min(self.most, end - offset)
            yield Window(pages[0](offset, take), 0, take)
            offset += take


@dataclass(frozen=True, slots=True)
class LookupObjects:
    """`filters: {name: {iContains: "x"}, relation: {...}, NOT: {...}}`.

    A condition on a to-many relation is left to the steps by ids: the library would give a row once for each match.
    """

    is_to_one: IsToOne
    argument: str = "filters"

    def root(self, field: GraphQLField, exclude: bool = False) -> Place | None:
        """The argument's input type, inside NOT to exclude with."""
        kind = get_named_type(field.args[self.argument].type) if self.argument in field.args else None
        if not isinstance(kind, GraphQLInputObjectType) or (exclude and "NOT" not in kind.fields):
            return None
        return Place(kind, (self.argument, "NOT") if exclude else (self.argument,))

    def slots(self, place: Place, name: str) -> Mapping[str, Slot]:
        """The lookups of a field: those of its lookup type, or `exact` for a plain value."""
        key = self._key(place, name)
        if key is None:
            return {}
        entry = place.kind.fields[key]
        inner = get_named_type(entry.type)
        if not isinstance(inner, GraphQLInputObjectType):
            return {"exact": Slot((*place.keys, key), entry.type)}
        if not _holds_lookups(inner):
            return {}
        return {
            word: Slot((*place.keys, key, name), inner.fields[name].type)
            for name, word in _LOOKUPS.items()
            if name in inner.fields
        }

    def descend(self, place: Place, relation: str) -> Place | None:
        """The filter of a to-one relation."""
        key = self._key(place, relation)
        inner = get_named_type(place.kind.fields[key].type) if key is not None else None
        if not isinstance(inner, GraphQLInputObjectType) or _holds_lookups(inner):
            return None
        return Place(inner, (*place.keys, key)) if key and self.is_to_one(place.kind, key) else None

    def _key(self, place: Place, name: str) -> str | None:
        wanted = fold(name)
        return next((key for key in place.kind.fields if key not in _LOGIC and fold(key) == wanted), None)


@dataclass(frozen=True, slots=True)
class OrderFields:
    """`ordering: [{name: ASC}]`, or the older `order: {name: ASC}`; a relation holds an object of the same kind."""

    arguments: tuple[str, ...] = ("ordering", "order")

    def options(self, field: GraphQLField) -> Mapping[str, str]:
        """The fields of the order type, those of related rows as `relation__name`."""
        name = self._argument(field)
        kind = get_named_type(field.args[name].type) if name else None
        return {word: word for word in _orders(kind)} if isinstance(kind, GraphQLInputObjectType) else {}

    def write(self, field: GraphQLField, wanted: Sequence[tuple[str, bool]]) -> Mapping[str, Any]:
        """The argument, or nothing when nothing is wanted."""
        name = self._argument(field)
        if not wanted or name is None:
            return {}
        orders = [_nested(word.split("__"), "DESC" if down else "ASC") for word, down in wanted]
        if isinstance(nullable(field.args[name].type), GraphQLList):  # type: ignore[arg-type]  # an input's is the same
            return {name: orders}
        return {name: {key: value for order in orders for key, value in order.items()}}

    def _argument(self, field: GraphQLField) -> str | None:
        return next((name for name in self.arguments if name in field.args), None)


def _by_offset(offset: int, take: int) -> Mapping[str, Any]:
    return {"pagination": {"offset": offset, "limit": take}}


def _by_cursor(offset: int, take: int) -> Mapping[str, Any]:
    # A cursor of a list holds the place of its row, as the specification of connections suggests and the library does.
    after = base64.b64encode(f"arrayconnection:{offset - 1}".encode()).decode()
    return {"first": take} | ({"after": after} if offset else {})


def _holds_lookups(kind: GraphQLInputObjectType) -> bool:
    return "exact" in kind.fields and "inList" in kind.fields


def _orders(kind: GraphQLInputObjectType, deep: bool = True) -> Iterator[str]:
    for name, entry in kind.fields.items():
        inner = get_named_type(entry.type)
        if isinstance(inner, GraphQLEnumType):
            yield name
        elif deep and isinstance(inner, GraphQLInputObjectType):
            yield from (f"{name}__{word}" for word in _orders(inner, deep=False))


def _nested(path: Sequence[str], value: str) -> dict[str, Any]:
    head, *rest = path
    return {head: _nested(rest, value) if rest else value}
