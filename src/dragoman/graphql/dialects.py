"""Dialects: how a GraphQL library pages, filters and orders its lists, as small values a schema is read with."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from graphql import (
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    get_named_type,
)

from dragoman.graphql.naming import fold


@dataclass(frozen=True, slots=True)
class Page:
    """A type that holds rows: where the rows are in it, and where the total is, if anywhere. No way: a bare list."""

    row: GraphQLObjectType
    rows: tuple[str, ...] = ()
    total: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """One request of a longer read: its arguments, how many rows to skip in it and how many to take."""

    arguments: Mapping[str, Any]
    skip: int
    take: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where conditions can be written: an input type or flat arguments, and the keys that lead there."""

    kind: Any
    keys: tuple[str, ...]
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Slot:
    """Where one condition is written, and the type its value must have."""

    keys: tuple[str, ...]
    kind: GraphQLInputType


class Paging(Protocol):
    """How lists come in pages."""

    @property
    def most(self) -> int:
        """The most rows of one request."""
        ...

    def page(self, kind: GraphQLOutputType) -> Page | None:
        """What a field of this type lists, or None when it lists nothing."""
        ...

    def windows(self, field: GraphQLField, offset: int, limit: int) -> Iterator[Window]:
        """The requests that together read `limit` rows from `offset` on."""
        ...


class Filtering(Protocol):
    """How lists are narrowed. The roots are None where a list has no filter, or nothing to exclude with."""

    def root(self, field: GraphQLField, exclude: bool = False) -> Place | None:
        """Where the conditions of a list are written."""
        ...

    def slots(self, place: Place, name: str) -> Mapping[str, Slot]:
        """The lookups of a field there (`exact`, `icontains` ...), each with its slot."""
        ...

    def descend(self, place: Place, relation: str) -> Place | None:
        """Where the conditions on a related row are written, or None when the schema ends here."""
        ...


class Ordering(Protocol):
    """How lists are sorted."""

    def options(self, field: GraphQLField) -> Mapping[str, str]:
        """What a list can be sorted by, as `name` or `relation__name`, each with the schema's own word for it."""
        ...

    def write(self, field: GraphQLField, wanted: Sequence[tuple[str, bool]]) -> Mapping[str, Any]:
        """The arguments that sort by these words of the schema, each with whether it is descending."""
        ...


@dataclass(frozen=True, slots=True)
class Dialect:
    """The three together, the argument that asks a measurement for a unit, and what conditions cost.

    `row_checks`: a library that tests the right to use each condition and each order on every row the caller may see
    refuses a list above so many tests. Related rows are then reached from their own side, in steps by ids. None: a
    condition costs what the database makes of it.
    """

    paging: Paging
    filtering: Filtering
    ordering: Ordering
    unit_argument: str = "targetUnit"
    row_checks: int | None = None


@dataclass(frozen=True, slots=True)
class NumberedPages:
    """`page` and `pageSize`; a page type holds the rows in one field and the total in its page info."""

    most: int = 100
    rows: str = "items"
    info: str = "pageInfo"
    total: str = "totalCount"
    number: str = "page"
    size: str = "pageSize"

    def page(self, kind: GraphQLOutputType) -> Page | None:
        """A type with rows and page info whose rows are objects."""
        named = nullable(kind)
        if not isinstance(named, GraphQLObjectType) or not {self.rows, self.info} <= set(named.fields):
            return None
        inner = nullable(named.fields[self.rows].type)
        row = get_named_type(inner)
        if not isinstance(inner, GraphQLList) or not isinstance(row, GraphQLObjectType):
            return None
        info = get_named_type(named.fields[self.info].type)
        has_total = isinstance(info, GraphQLObjectType) and self.total in info.fields
        return Page(row, (self.rows,), (self.info, self.total) if has_total else None)

    def windows(self, field: GraphQLField, offset: int, limit: int) -> Iterator[Window]:
        """One page that covers the rows where there is one, else pages of the largest size."""
        if not {self.number, self.size} <= set(field.args):
            yield Window({}, offset, limit)
            return
        for size in range(max(1, limit), self.most + 1):
            if offset // size == (offset + limit - 1) // size:
                yield Window({self.number: offset // size + 1, self.size: size}, offset % size, limit)
                return
        end = offset + limit
        while offset < end:
            take = min(self.most - offset % self.most, end - offset)
            yield Window({self.number: offset // self.most + 1, self.size: self.most}, offset % self.most, take)
            offset += take


@dataclass(frozen=True, slots=True)
class NestedFilters:
    """Named input types, `name_Icontains` for a lookup, a nested type for a relation, `any` around a to-many one.

    An input field's `out_name` is its Python name (`name__icontains`) where the library set one.
    """

    include: str = "filter"
    exclude: str = "exclude"
    some: str = "any"
    others: frozenset[str] = frozenset({"none", "all"})

    def root(self, field: GraphQLField, exclude: bool = False) -> Place | None:
        """The argument's input type."""
        name = self.exclude if exclude else self.include
        kind = get_named_type(field.args[name].type) if name in field.args else None
        return Place(kind, (name,)) if isinstance(kind, GraphQLInputObjectType) else None

    def slots(self, place: Place, name: str) -> Mapping[str, Slot]:
        """The lookups the input type has for a field."""
        found: dict[str, Slot] = {}
        for key, python, entry in self._entries(place):
            head, _, lookup = python.partition("__")
            if fold(head) == fold(name) and not isinstance(get_named_type(entry.type), GraphQLInputObjectType):
                found.setdefault(lookup or "exact", Slot((*place.keys, key), entry.type))
        return found

    def descend(self, place: Place, relation: str) -> Place | None:
        """The nested input type of a relation, inside `any` for a to-many one."""
        for key, python, entry in self._entries(place):
            kind = get_named_type(entry.type)
            if fold(python) != fold(relation) or not isinstance(kind, GraphQLInputObjectType):
                continue
            if self.some in kind.fields and set(kind.fields) <= {self.some, *self.others}:
                return Place(get_named_type(kind.fields[self.some].type), (*place.keys, key, self.some))
            return Place(kind, (*place.keys, key))
        return None

    def _entries(self, place: Place) -> Iterator[tuple[str, str, GraphQLInputField]]:
        kind: GraphQLInputObjectType = place.kind
        for key, entry in kind.fields.items():
            # Without a Python name of its own `name_Icontains` is read as `name__icontains`.
            yield key, entry.out_name or re.sub(r"_(?=[A-Z])", "__", key).lower(), entry


@dataclass(frozen=True, slots=True)
class OrderObjects:
    """A list of `{field: <enum>, direction: ASC}`; the enum's members are `name` or `relation__name`."""

    argument: str = "orderBy"
    key: str = "field"
    direction: str = "direction"

    def options(self, field: GraphQLField) -> Mapping[str, str]:
        """The members of the enum."""
        if self.argument not in field.args:
            return {}
        entry = get_named_type(field.args[self.argument].type)
        if not isinstance(entry, GraphQLInputObjectType) or self.key not in entry.fields:
            return {}
        kind = get_named_type(entry.fields[self.key].type)
        return {name: name for name in kind.values} if isinstance(kind, GraphQLEnumType) else {}

    def write(self, field: GraphQLField, wanted: Sequence[tuple[str, bool]]) -> Mapping[str, Any]:
        """The argument, or nothing when nothing is wanted."""
        if not wanted:
            return {}
        return {self.argument: [{self.key: name, self.direction: "DESC" if down else "ASC"} for name, down in wanted]}


def nullable(kind: GraphQLOutputType) -> GraphQLOutputType:
    """A type without its outer exclamation mark."""
    return kind.of_type if isinstance(kind, GraphQLNonNull) else kind
