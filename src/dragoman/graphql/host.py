"""Host: what a GraphQL library must tell for a chat to stand on its schema; the port of every adapter."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from graphql import DocumentNode, GraphQLSchema

from dragoman.graphql.dialects import Dialect
from dragoman.harness.caller import Caller

# The code of a fault for a condition that the schema offers and the system behind it does not have.
UNSUPPORTED = "unsupported_filter"


@dataclass(frozen=True, slots=True)
class Manager:
    """An object type that can be listed, as its library knows it; `type_name` is that of one row in the schema.

    `naming` are the fields that name a row to a person, `searchable` those whose values the developer lets be searched;
    `docs`, `choices` (allowed values) and `units` (base unit of a measurement) are by field. Field names are GraphQL's.
    Nothing of a manager that is not `exposed` ever leaves the chat; `hidden` tells the developer why, and what to set.
    """

    name: str
    type_name: str
    exposed: bool = False
    about: str = ""
    naming: tuple[str, ...] = ()
    searchable: tuple[str, ...] = ()
    docs: Mapping[str, str] = field(default_factory=dict)
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    hidden: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """An error of an execution, fit to be read by a model: the adapter has taken out what only a developer may read.

    `code` is a word for programs, `fields` what was wrong with which input, `path` where in the answer it happened.
    """

    message: str
    code: str = ""
    path: tuple[str | int, ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """What an execution gave; data beside faults is normal. `data` is None when there is nothing at all."""

    data: Mapping[str, Any] | None
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True)
class Hint:
    """A value of a row, and the row's id if it has one."""

    text: str
    id: str = ""


class Host(Protocol):
    """One library's schema and the way to run a document on it as somebody."""

    @property
    def dialect(self) -> Dialect:
        """How this library pages, filters and orders."""
        ...

    def schema(self) -> GraphQLSchema | None:
        """The schema in use, or None while the project has not built one."""
        ...

    def managers(self) -> Sequence[Manager]:
        """Every manager of the project, the hidden ones too: what is hidden must be known to be kept hidden."""
        ...

    async def execute(self, document: DocumentNode, variables: Mapping[str, Any], caller: Caller) -> Answer:
        """Run a checked document with the caller's own permissions. Raises nothing a caller would catch."""
        ...

    async def hints(self, manager: str, field: str, most: int, containing: str = "") -> Sequence[Hint]:
        """Up to `most` values of a searchable field, whoever may read them, with a row's id each where rows have one.

        With `containing` only values that contain it in whatever case.

        They only tell where to look: a value is shown after a query as the caller has found it.
        """
        ...
