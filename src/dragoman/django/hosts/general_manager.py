"""GeneralManager: its schema, managers and executor for the GraphQL grounding. The only place that knows the library."""

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from types import SimpleNamespace
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import FieldDoesNotExist
from django.db import DEFAULT_DB_ALIAS, models, router
from general_manager.api.graphql import GraphQL
from general_manager.api.graphql_query_permissions import MAX_QUERY_PERMISSION_CANDIDATES, QueryFieldPermissionError
from general_manager.api.property import GraphQLProperty
from general_manager.interface.requests import UnknownRequestFilterError
from general_manager.manager import GeneralManager
from graphql import (
    DocumentNode,
    GraphQLError,
    GraphQLObjectType,
    GraphQLSchema,
)
from pint import DimensionalityError

from dragoman.django.hosts.running import RunSync, answer, executed, fault, within
from dragoman.django.threads import in_thread
from dragoman.graphql.dialects import Dialect, NestedFilters, NumberedPages, OrderObjects
from dragoman.graphql.host import UNSUPPORTED, Answer, Fault, Hint, Manager
from dragoman.graphql.naming import resolve
from dragoman.harness.caller import Caller

_HIDDEN = "its class does not say chat_exposed = True: write that on the manager, beside its Interface"


class GeneralManagerHost:
    """The project's GeneralManager schema. `value_search` allows fields whose values may be searched, by manager.

    A manager allows them itself with `chat_search_fields = ("name",)`, is exposed with `chat_exposed = True`, and may
    say with `chat_name_fields` which fields name a row; else its unique texts do.
    """

    def __init__(
        self,
        *,
        value_search: Mapping[str, Sequence[str]] | None = None,
        query_timeout_seconds: float = 5,
        deadline_seconds: float = 30,
        run_sync: RunSync = in_thread,
    ) -> None:
        self._value_search = value_search or {}
        self._query_timeout_seconds = query_timeout_seconds
        self._deadline_seconds = deadline_seconds
        self._run_sync = run_sync
        self.dialect = Dialect(
            NumberedPages(), NestedFilters(), OrderObjects(), row_checks=MAX_QUERY_PERMISSION_CANDIDATES
        )

    def schema(self) -> GraphQLSchema | None:
        """The schema GeneralManager built, or None when AUTOCREATE_GRAPHQL is off."""
        built = GraphQL.get_schema()
        return built.graphql_schema if built is not None else None

    def managers(self) -> list[Manager]:
        """All managers with a GraphQL type, hidden ones included."""
        schema = self.schema()
        if schema is None:
            return []
        rows = {id(t.graphene_type): t for t in schema.type_map.values() if hasattr(t, "graphene_type")}
        found = []
        for name, graphene_type in GraphQL.graphql_type_registry.items():
            # By identity: the managers X and XGroup both want a type of the name XGroupType.
            row = rows.get(id(graphene_type))
            manager = GraphQL.manager_registry.get(name)
            if isinstance(row, GraphQLObjectType) and manager is not None:
                found.append(self._manager(name, manager, row))
        return found

    async def execute(self, document: DocumentNode, variables: Mapping[str, Any], caller: Caller) -> Answer:
        """Run a document as the caller's user, in a thread, reads under the time limits."""
        user = caller.user if caller.user is not None else AnonymousUser()
        return await self._run_sync(self._execute, document, dict(variables), user)

    async def hints(self, manager: str, field: str, most: int, containing: str = "") -> Sequence[Hint]:
        """Values of a field with their rows, read past the permissions: they never leave the search unverified."""
        return await self._run_sync(_values, GraphQL.manager_registry[manager], field, most, containing)

    def _execute(self, document: DocumentNode, variables: dict[str, Any], user: Any) -> Answer:
        schema = self.schema()
        if schema is None:
            return Answer(None, (Fault("There is no GraphQL schema.", "no_schema"),))
        context = SimpleNamespace(user=user)
        result = within(
            lambda: executed(schema, document, variables, context),
            document,
            databases=_aliases(schema),
            statement_seconds=self._query_timeout_seconds,
            deadline_seconds=self._deadline_seconds,
        )
        return answer(result, _fault)

    def _manager(self, name: str, manager: type[GeneralManager], row: GraphQLObjectType) -> Manager:
        exposed = getattr(manager, "chat_exposed", False) is True
        if not exposed:
            return Manager(name, row.name, hidden=_HIDDEN)
        spelled = {python: found for python in _names(manager) if (found := resolve(python, row.fields))}
        fields = {found: field for python, found in spelled.items() if (field := _field(manager, python)) is not None}
        named = getattr(manager, "chat_name_fields", None)
        naming = named or [n for n, f in fields.items() if f.unique and isinstance(f, models.CharField)]
        searchable = self._value_search.get(name, getattr(manager, "chat_search_fields", ()))
        return Manager(
            name=name,
            type_name=row.name,
            exposed=True,
            about=inspect.cleandoc(manager.__doc__ or ""),
            naming=tuple(found for n in naming if (found := resolve(n, row.fields))),
            searchable=tuple(found for n in searchable if (found := resolve(n, row.fields))),
            docs={n: str(f.help_text) for n, f in fields.items() if getattr(f, "help_text", "")}
            | _property_docs(manager, row),
            choices={n: c for n, f in fields.items() if (c := _choices(f))},
            units={n: str(unit) for n, f in fields.items() if (unit := getattr(f, "base_unit", ""))},
        )


def _fault(error: GraphQLError) -> Fault:
    """An error as every host tells it, and those of this library by its own codes."""
    match error.original_error:
        case QueryFieldPermissionError():
            return replace(fault(GraphQLError(error.message, path=error.path)), code="permission_denied")
        case UnknownRequestFilterError():
            return Fault("The remote system has no such filter.", UNSUPPORTED, tuple(error.path or ()))
        case DimensionalityError() as dimensions:
            sentence = f"Cannot convert {dimensions.units1} to {dimensions.units2}."
            return Fault(sentence, "bad_unit", tuple(error.path or ()))
        case _:
            return fault(error)


@lru_cache(maxsize=2)
def _aliases(schema: GraphQLSchema) -> tuple[str, ...]:
    """The databases the managers of a schema read from."""
    used = {DEFAULT_DB_ALIAS}
    for manager in GraphQL.manager_registry.values():
        if (model := _model(manager)) is not None:
            used.add(router.db_for_read(model) or DEFAULT_DB_ALIAS)
    return tuple(sorted(used))


def _model(manager: type[GeneralManager]) -> type[models.Model] | None:
    model = getattr(manager.Interface, "_model", None) or getattr(manager.Interface, "model", None)
    return model if isinstance(model, type) and issubclass(model, models.Model) else None


def _field(manager: type[GeneralManager], name: str) -> Any:
    model = _model(manager)
    if model is None:
        return None
    try:
        field = model._meta.get_field(name)
    except FieldDoesNotExist:
        # A measurement keeps two columns and stands on the class as a descriptor.
        field = inspect.getattr_static(model, name, None)
        return field if isinstance(field, models.Field) else None
    return field if isinstance(field, models.Field) else None


def _names(manager: type[GeneralManager]) -> Iterator[str]:
    yield from manager.Interface.get_attribute_types()
    yield from _properties(manager)


def _properties(manager: type[GeneralManager]) -> dict[str, GraphQLProperty]:
    return {n: p for base in reversed(manager.__mro__) for n, p in vars(base).items() if isinstance(p, GraphQLProperty)}


def _property_docs(manager: type[GeneralManager], row: GraphQLObjectType) -> dict[str, str]:
    docs = {}
    for name, prop in _properties(manager).items():
        found, doc = resolve(name, row.fields), inspect.getdoc(getattr(prop, "fget", None))
        if found and doc:
            docs[found] = doc
    return docs


def _choices(field: Any) -> tuple[str, ...]:
    choices = getattr(field, "flatchoices", None) or ()
    return tuple(str(value) for value, _ in choices if value not in (None, ""))


def _values(manager: type[GeneralManager], field: str, most: int, containing: str) -> list[Hint]:
    name = resolve(field, manager.Interface.get_attribute_types()) or field
    model = _model(manager)
    found: Iterable[tuple[Any, Any]]
    if model is not None and _field(manager, name) is not None:
        rows = model._default_manager.order_by("pk").values_list(name, "pk")
        found = (rows.filter(**{f"{name}__icontains": containing}) if containing else rows)[:most]
    else:
        every = ((getattr(row, name, None), row.identification.get("id", "")) for row in manager.all())
        found = islice((pair for pair in every if containing.casefold() in str(pair[0]).casefold()), most)
    return [Hint(str(value), str(one)) for value, one in found if value not in (None, "")]
