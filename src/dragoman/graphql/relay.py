"""Relay's dialect: edges and nodes, cursors that hold an offset, and filters that are arguments of the list itself."""

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphql import GraphQLArgument, GraphQLField, GraphQLList, GraphQLObjectType, GraphQLOutputType, get_named_type

from dragoman.graphql.dialects import Page, Place, Slot, Window, nullable
from dragoman.graphql.naming import fold


@dataclass(frozen=True, slots=True)
class RelayPages:
    """Connections, read with `first` and `after`; and bare lists of objects, which the host has to cut at `uncut`.

    `most` is the largest page the library gives. A connection has a total only where its type has the field.
    """

    most: int = 100
    uncut: int = 5_000
    total: str = "totalCount"

    def page(self, kind: GraphQLOutputType) -> Page | None:
        """A type with edges and page info, or a list of objects."""
        named = nullable(kind)
        if isinstance(named, GraphQLList):
            row = get_named_type(named)
            return Page(row) if isinstance(row, GraphQLObjectType) else None
        if not isinstance(named, GraphQLObjectType) or not {"edges", "pageInfo"} <= set(named.fields):
            return None
        edge = get_named_type(named.fields["edges"].type)
        if not isinstance(edge, GraphQLObjectType) or "node" not in edge.fields:
            return None
        row = get_named_type(edge.fields["node"].type)
        if not isinstance(row, GraphQLObjectType):
            return None
        return Page(row, ("edges", "node"), (self.total,) if self.total in named.fields else None)

    def windows(self, field: GraphQLField, offset: int, limit: int) -> Iterator[Window]:
        """Pages of at most `most` rows, each after the one before. A list without paging is one request."""
        if not {"first", "after"} <= set(field.args):
            yield Window({}, offset, limit)
            return
        end = offset + limit
        while offset < end:
            take = min(self.most, end - offset)
            yield Window({"first": take} | ({"after": _cursor(offset - 1)} if offset else {}), 0, take)
            offset += take


@dataclass(frozen=True, slots=True)
class FlatFilters:
    """Filters as arguments of the list, `material_Name_Icontains`, whose `out_name` is `material__name__icontains`.

    A chain over a to-many relation is not used: the conditions on it would be met by different rows, and a row that
    has several would come several times.
    """

    paging: RelayPages
    others: frozenset[str] = frozenset({"first", "last", "before", "after", "offset"})

    def root(self, field: GraphQLField, exclude: bool = False) -> Place | None:
        """The arguments of the list; nothing leaves rows out."""
        page = self.paging.page(field.type)
        arguments = {n: a for n, a in field.args.items() if n not in self.others}
        return Place((arguments, page.row), ()) if page and arguments and not exclude else None

    def slots(self, place: Place, name: str) -> Mapping[str, Slot]:
        """The lookups of a field among the arguments."""
        found: dict[str, Slot] = {}
        arguments: Mapping[str, GraphQLArgument] = place.kind[0]
        for key, argument in arguments.items():
            python = argument.out_name or key
            if not python.startswith(place.prefix):
                continue
            head, _, lookup = python.removeprefix(place.prefix).partition("__")
            if fold(head) == fold(name) and "__" not in lookup:
                found.setdefault(lookup or "exact", Slot((key,), argument.type))
        return found

    def descend(self, place: Place, relation: str) -> Place | None:
        """The arguments that go on over a to-one relation."""
        arguments, row = place.kind
        entry = row.fields.get(relation)
        if entry is None or self.paging.page(entry.type) is not None:
            return None
        for argument in arguments.values():
            python = argument.out_name or ""
            head, _, rest = python.removeprefix(place.prefix).partition("__")
            if python.startswith(place.prefix) and rest and fold(head) == fold(relation):
                return Place((arguments, get_named_type(entry.type)), place.keys, f"{place.prefix}{head}__")
        return None


@dataclass(frozen=True, slots=True)
class TextOrder:
    """One argument that takes a field's name, with `-` before it for descending; `words` are those of a list."""

    words: Callable[[GraphQLField], tuple[str, Mapping[str, str]]]

    def options(self, field: GraphQLField) -> Mapping[str, str]:
        """What the host knows of the list's own words."""
        return self.words(field)[1]

    def write(self, field: GraphQLField, wanted: Sequence[tuple[str, bool]]) -> Mapping[str, Any]:
        """The argument, or nothing when nothing is wanted."""
        argument = self.words(field)[0]
        if not wanted or argument not in field.args:
            return {}
        words = [f"-{name}" if down else name for name, down in wanted]
        return {argument: words if isinstance(nullable_input(field, argument), GraphQLList) else ",".join(words)}


def nullable_input(field: GraphQLField, argument: str) -> Any:
    """An argument's type without its outer exclamation mark."""
    kind = field.args[argument].type
    return getattr(kind, "of_type", kind) if str(kind).endswith("!") else kind


def _cursor(place: int) -> str:
    return base64.b64encode(f"arrayconnection:{place}".encode()).decode()
