"""Stop what a block asks of a database: each statement after some seconds, and all of them at a deadline.

PostgreSQL, MariaDB, MySQL and SQLite stop the statement themselves and the connection stays usable; what was stopped
raises Django's OperationalError where it ran.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import OperationalError

_STEPS = 10_000  # of SQLite's machine between two looks at the clock; well under a millisecond


@dataclass(slots=True)
class Limited:
    """What became of a block: whether a statement was stopped, or not even begun because the time was over."""

    ran_out: bool = False


@contextmanager
def time_limit(
    connections: Iterable[BaseDatabaseWrapper], statement_seconds: float, seconds: float
) -> Iterator[Limited]:
    """Limit the statements on these connections. `ran_out` is true afterwards also when the error was swallowed.

    For reading: PostgreSQL's limit lasts as long as the transaction that is opened for it.
    """
    limited = Limited()
    end = time.monotonic() + seconds

    def watch(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        began = time.monotonic()
        if began > end:
            limited.ran_out = True
            raise OperationalError("The time for this query is over.")
        try:
            return execute(sql, params, many, context)
        except OperationalError:
            limited.ran_out = limited.ran_out or time.monotonic() - began >= statement_seconds * 0.95
            raise

    with ExitStack() as stack:
        for connection in connections:
            stack.enter_context(_statement_timeout(connection, statement_seconds))
            stack.enter_context(connection.execute_wrapper(watch))
        yield limited


@contextmanager
def _statement_timeout(connection: BaseDatabaseWrapper, seconds: float) -> Iterator[None]:
    connection.ensure_connection()
    match connection.vendor:
        case "postgresql":
            with transaction.atomic(using=connection.alias):  # noqa: TID251  # here the two are one
                with connection.cursor() as cursor:  # true: until the transaction ends
                    cursor.execute("select set_config('statement_timeout', %s, true)", [str(int(seconds * 1000))])
                yield
        case "mysql":
            yield from _mysql(connection, seconds)
        case "sqlite":
            end, raw = time.monotonic() + seconds, connection.connection
            began = [end]

            def is_over() -> bool:
                return time.monotonic() > began[0]

            def restart(execute: Callable[..., Any], *args: Any) -> Any:
                began[0] = time.monotonic() + seconds
                return execute(*args)

            raw.set_progress_handler(is_over, _STEPS)
            try:
                with connection.execute_wrapper(restart):
                    yield
            finally:
                raw.set_progress_handler(None, 0)
        case _:  # a database that cannot stop a statement still has the deadline between statements
            yield


def _mysql(connection: BaseDatabaseWrapper, seconds: float) -> Iterator[None]:
    """MariaDB counts seconds for every statement, MySQL milliseconds for SELECT only."""
    maria = bool(getattr(connection, "mysql_is_mariadb", False))
    name, limit = ("max_statement_time", seconds) if maria else ("max_execution_time", int(seconds * 1000))
    with connection.cursor() as cursor:
        cursor.execute(f"select @@{name}")
        before = cursor.fetchone()[0]
        cursor.execute(f"set session {name} = %s", [limit])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"set session {name} = %s", [before])
