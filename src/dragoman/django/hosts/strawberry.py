"""strawberry-django: its schema, types and executor for the GraphQL grounding. The only place that knows the library."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from asgiref.sync import async_to_sync
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.http import HttpRequest, HttpResponse
from django.utils.module_loading import import_string
from graphql import DocumentNode, GraphQLInputObjectType, GraphQLObjectType, GraphQLSchema, print_ast
from strawberry import Schema
from strawberry.django.context import StrawberryDjangoContext

from dragoman.django.hosts import models as of_models
from dragoman.django.hosts.running import RunSync, answer, within
from dragoman.django.threads import in_thread
from dragoman.graphql.dialects import Dialect
from dragoman.graphql.host import Answer, Hint, Manager
from dragoman.graphql.offsets import LookupObjects, OffsetPages, OrderFields
from dragoman.harness.caller import Caller
from dragoman.harness.errors import ConfigurationError

_DEFINITION = "strawberry-definition"  # where strawberry keeps its own class on a type of graphql-core


class StrawberryHost:
    """The strawberry schema at the dotted path `schema`.

    A type is exposed with `chat_exposed = True` on its class, or by its name in `types`; what the class says counts first.
    """

    def __init__(
        self,
        *,
        schema: str = "",
        types: Sequence[str] = (),
        value_search: Mapping[str, Sequence[str]] | None = None,
        query_timeout_seconds: float = 5,
        deadline_seconds: float = 30,
        run_sync: RunSync = in_thread,
    ) -> None:
        if not schema:
            raise ConfigurationError(
                'The host strawberry needs the dotted path of the schema: "grounding": {"schema": "project.schema.schema"}.'
            )
        self._path = schema
        self._types = tuple(types)
        self._value_search = value_search or {}
        self._query_timeout_seconds = query_timeout_seconds
        self._deadline_seconds = deadline_seconds
        self._run_sync = run_sync
        self.dialect = Dialect(OffsetPages(), LookupObjects(_is_to_one), OrderFields())

    @cached_property
    def _library(self) -> Schema:
        try:
            found = import_string(self._path)
        except ImportError as error:
            raise ConfigurationError(f"The schema {self._path!r} cannot be imported: {error}.") from error
        if not isinstance(found, Schema):
            raise ConfigurationError(f"{self._path!r} is no strawberry.Schema.")
        return found

    def schema(self) -> GraphQLSchema:
        """The schema as graphql-core has it. Raises ConfigurationError where there is none at the path."""
        built: GraphQLSchema = self._library._schema  # the library has no public name for it
        return built

    def managers(self) -> list[Manager]:
        """Every type with a Django model, hidden ones included."""
        found = []
        for row, source, model in self._rows():
            if hidden := of_models.hidden(source, row.name, self._types):
                found.append(Manager(row.name, row.name, hidden=hidden))
            else:
                found.append(of_models.manager(row.name, row, model, source=source, value_search=self._value_search))
        return found

    async def execute(self, document: DocumentNode, variables: Mapping[str, Any], caller: Caller) -> Answer:
        """Run a document as the caller's user, in a thread, reads under the time limits."""
        user = caller.user if caller.user is not None else AnonymousUser()
        return await self._run_sync(self._execute, document, dict(variables), user)

    async def hints(self, manager: str, field: str, most: int, containing: str = "") -> Sequence[Hint]:
        """Values of a field with their rows, read past the permissions: they never leave the search unverified."""
        model = next((model for row, _, model in self._rows() if row.name == manager), None)
        return [] if model is None else await self._run_sync(of_models.values, model, field, most, containing)

    def _rows(self) -> Iterator[tuple[GraphQLObjectType, type, type[models.Model]]]:
        for row in self.schema().type_map.values():
            definition = (row.extensions or {}).get(_DEFINITION)
            source = getattr(definition, "origin", None)
            django = getattr(source, "__strawberry_django_definition__", None)
            if isinstance(row, GraphQLObjectType) and source is not None and django is not None:
                yield row, source, django.model

    def _execute(self, document: DocumentNode, variables: dict[str, Any], user: Any) -> Answer:
        request = HttpRequest()
        request.user = user
        context = StrawberryDjangoContext(request=request, response=HttpResponse())
        text = print_ast(document)
        # Asynchronously, because a resolver may be; what is synchronous then runs in this very thread.
        run = async_to_sync(self._library.execute)
        result = within(
            lambda: run(text, variable_values=variables, context_value=context),
            document,
            databases=of_models.databases(model for _, _, model in self._rows()),
            statement_seconds=self._query_timeout_seconds,
            deadline_seconds=self._deadline_seconds,
        )
        return answer(result)


def _is_to_one(kind: GraphQLInputObjectType, key: str) -> bool:
    """Whether a key of a filter type leads to one row at most; unknown is no."""
    definition = (kind.extensions or {}).get(_DEFINITION)
    django = getattr(getattr(definition, "origin", None), "__strawberry_django_definition__", None)
    if django is None:
        return False
    fields = definition.fields if definition is not None else []
    names = {f.graphql_name or _camel(f.python_name): f.python_name for f in fields}
    try:
        field = django.model._meta.get_field(names.get(key, key))
    except FieldDoesNotExist:
        return False
    return bool(field.many_to_one or field.one_to_one)


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)
