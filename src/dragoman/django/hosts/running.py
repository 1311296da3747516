"""Run a document under the time limits; its errors as a model may read them."""

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from django.core.exceptions import ObjectDoesNotExist, PermissionDenied, ValidationError
from django.db import connections
from graphql import DocumentNode, ExecutionResult, GraphQLError, GraphQLSchema, execute

from dragoman.django.timeouts import time_limit
from dragoman.graphql.execute import writes
from dragoman.graphql.host import Answer, Fault

log = logging.getLogger("dragoman.graphql")

INTERNAL = "An internal server error occurred."


class RunSync(Protocol):
    """Runs synchronous work away from the event loop."""

    def __call__[**P, R](self, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Awaitable[R]: ...


def within[R](
    work: Callable[[], R],
    document: DocumentNode,
    *,
    databases: Iterable[str],
    statement_seconds: float,
    deadline_seconds: float,
) -> R | Fault:
    """What `work` gives, or the fault of a query that took too long. Changes are not stopped half-way."""
    if writes(document):
        return work()
    with time_limit([connections[alias] for alias in databases], statement_seconds, deadline_seconds) as limited:
        result = work()
    return (
        Fault(f"The query took longer than {statement_seconds:g} seconds.", "query_timeout")
        if limited.ran_out
        else result
    )


def executed(
    schema: GraphQLSchema, document: DocumentNode, variables: Mapping[str, Any], context: Any, middleware: Any = None
) -> ExecutionResult:
    """The result of a schema whose resolvers are synchronous."""
    result = execute(schema, document, variable_values=dict(variables), context_value=context, middleware=middleware)
    assert isinstance(result, ExecutionResult)
    return result


class Result(Protocol):
    """What an execution gave, of whichever library."""

    @property
    def data(self) -> Mapping[str, Any] | None: ...

    @property
    def errors(self) -> Sequence[GraphQLError] | None: ...


def answer(result: Result | Fault, told: Callable[[GraphQLError], Fault] | None = None) -> Answer:
    """The result with its errors made faults, by `told` where a library has errors of its own."""
    if isinstance(result, Fault):
        return Answer(None, (result,))
    return Answer(result.data, tuple(map(told or fault, result.errors or ())))


def fault(error: GraphQLError) -> Fault:
    """An error without what only a developer may read."""
    extensions = error.extensions or {}
    message, code, path = error.message, str(extensions.get("code", "")), tuple(error.path or ())
    wrong: dict[str, Any] = dict(extensions.get("fieldErrors") or {})
    if general := extensions.get("nonFieldErrors"):
        wrong["general"] = general
    match error.original_error:
        case ValidationError() as invalid:
            wrong = invalid.message_dict if hasattr(invalid, "error_dict") else {"general": invalid.messages}
            message, code = " ".join(invalid.messages), "bad_value"
        case PermissionDenied() as denied:
            message, code = str(denied) or "Permission denied.", "permission_denied"
        case ObjectDoesNotExist():
            message, code = "Not found, or no access.", "not_found"
        case None | GraphQLError():
            pass
        case original:
            # A fault of the project's own code, whose text is for developers.
            log.error("A resolver of the schema failed.", exc_info=original)
            message, code = INTERNAL, "INTERNAL_SERVER_ERROR"
    return Fault(message, code, path, wrong)
