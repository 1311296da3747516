"""graphene-django: its schema, types and executor for the GraphQL grounding. The only place that knows the library."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Manager as Rows
from django.db.models import QuerySet
from django.http import HttpRequest
from graphene_django import DjangoObjectType
from graphene_django.filter import DjangoFilterConnectionField
from graphene_django.settings import graphene_settings
from graphql import DocumentNode, GraphQLField, GraphQLList, GraphQLObjectType, GraphQLSchema

from dragoman.django.hosts import models
from dragoman.django.hosts.running import RunSync, answer, executed, within
from dragoman.django.threads import in_thread
from dragoman.graphql.dialects import Dialect, nullable
from dragoman.graphql.host import Answer, Hint, Manager
from dragoman.graphql.naming import resolve
from dragoman.graphql.relay import FlatFilters, RelayPages, TextOrder
from dragoman.harness.caller import Caller

_NESTED = 21  # rows of a bare list inside a row; one more than are shown


class GrapheneHost:
    """The schema of `GRAPHENE["SCHEMA"]`. A type is exposed with `chat_exposed = True` on its class, or by `types`.

    `types` are names of GraphQL types; a class that says `chat_exposed = False` stays hidden all the same.
    `value_search` allows fields whose values may be searched, by name of the manager; a class allows them itself with
    `chat_search_fields = ("name",)`, and may say with `chat_name_fields` which fields name a row.
    """

    def __init__(
        self,
        *,
        value_search: Mapping[str, Sequence[str]] | None = None,
        types: Sequence[str] = (),
        query_timeout_seconds: float = 5,
        deadline_seconds: float = 30,
        run_sync: RunSync = in_thread,
    ) -> None:
        self._value_search = value_search or {}
        self._types = tuple(types)
        self._query_timeout_seconds = query_timeout_seconds
        self._deadline_seconds = deadline_seconds
        self._run_sync = run_sync
        paging = RelayPages(most=min(graphene_settings.RELAY_CONNECTION_MAX_LIMIT or 100, 100))
        self._uncut = paging.uncut + 1  # so that one more row tells that there are more
        self.dialect = Dialect(paging, FlatFilters(paging), TextOrder(self._order_words))

    def schema(self) -> GraphQLSchema | None:
        """The schema the settings name, or None where they name none."""
        built = graphene_settings.SCHEMA
        return built.graphql_schema if built is not None else None

    def managers(self) -> list[Manager]:
        """Every type that stands for a model, hidden ones included."""
        return [self._manager(row, kind) for row, kind in self._rows()]

    async def execute(self, document: DocumentNode, variables: Mapping[str, Any], caller: Caller) -> Answer:
        """Run a document as the caller's user, in a thread, reads under the time limits."""
        return await self._run_sync(self._execute, document, variables, caller.user or AnonymousUser())

    async def hints(self, manager: str, field: str, most: int, containing: str = "") -> Sequence[Hint]:
        """Values of a field, read past the permissions: they never leave the search unverified."""
        return await self._run_sync(self._values, manager, field, most, containing)

    def _execute(self, document: DocumentNode, variables: Mapping[str, Any], user: Any) -> Answer:
        schema = self.schema()
        assert schema is not None  # a catalog was read from it
        request = HttpRequest()
        request.user = user
        result = within(
            lambda: executed(schema, document, variables, request, middleware=[self._cut]),
            document,
            databases=models.databases(kind._meta.model for _, kind in self._rows()),
            statement_seconds=self._query_timeout_seconds,
            deadline_seconds=self._deadline_seconds,
        )
        return answer(result)

    def _cut(self, then: Any, root: Any, info: Any, **arguments: Any) -> Any:
        """A list without paging gives all rows it has: give no more than can be looked at."""
        found = then(root, info, **arguments)
        if not isinstance(nullable(info.return_type), GraphQLList) or info.path.key == "edges":
            return found
        most = self._uncut if info.path.prev is None else _NESTED
        if isinstance(found, Rows):
            found = found.get_queryset()
        if isinstance(found, QuerySet | list | tuple):
            return found[:most]
        return list(islice(found, most)) if isinstance(found, Iterator) else found

    def _rows(self) -> list[tuple[GraphQLObjectType, Any]]:
        schema = self.schema()
        found: list[tuple[GraphQLObjectType, Any]] = []
        for row in schema.type_map.values() if schema is not None else ():
            kind = getattr(row, "graphene_type", None)
            if isinstance(row, GraphQLObjectType) and isinstance(kind, type) and issubclass(kind, DjangoObjectType):
                found.append((row, kind))
        return found

    def _manager(self, row: GraphQLObjectType, kind: Any) -> Manager:
        name, model = _short(row.name), kind._meta.model
        if hidden := models.hidden(kind, row.name, self._types):
            return Manager(name, row.name, hidden=hidden)
        found = models.manager(name, row, model, source=kind, value_search=self._value_search)
        # An enum of this library has words of its own, "GOOD" for the value "good": the schema tells them.
        return replace(found, choices={})

    def _values(self, manager: str, field: str, most: int, containing: str) -> list[Hint]:
        kind = next(kind for row, kind in self._rows() if _short(row.name) == manager)
        # Without ids: those of the schema are global ones, and only it makes them.
        return [Hint(hint.text) for hint in models.values(kind._meta.model, field, most, containing)]

    def _order_words(self, field: GraphQLField) -> tuple[str, Mapping[str, str]]:
        """The ordering argument of a list and its words, from the filter set that takes it."""
        schema = self.schema()
        if schema is None or schema.query_type is None:
            return "", {}
        name = next((n for n, entry in schema.query_type.fields.items() if entry is field), "")
        query: Any = getattr(schema.query_type, "graphene_type", None)
        mounted = dict(_mounted(query, schema.query_type)).get(name)
        if not isinstance(mounted, DjangoFilterConnectionField):
            return "", {}
        for argument, chosen in mounted.filterset_class.base_filters.items():
            if words := getattr(chosen, "param_map", None):
                spelled = resolve(argument, field.args)
                return spelled or "", {str(param): str(param) for param in words.values()}
        return "", {}


def _mounted(query: Any, kind: GraphQLObjectType) -> Iterator[tuple[str, Any]]:
    for python, entry in query._meta.fields.items() if query is not None else ():
        if (name := resolve(python, kind.fields)) is not None:
            yield name, entry


def _short(type_name: str) -> str:
    return type_name.removesuffix("Type").removesuffix("Node") or type_name
