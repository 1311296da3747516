"""Transactions that write, on each kind of database: when they take their turn, and when they are carried out again."""

import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from django.db import OperationalError, connections, transaction

_ATTEMPTS = 5
# Of two who wait for each other a database calls one off and undoes it: a deadlock, or a serialization failure.
_CALLED_OFF = {
    "40001", "40P01",  # https://www.postgresql.org/docs/current/errcodes-appendix.html
    1020, 1213,  # https://mariadb.com/docs/server/reference/error-codes
}  # fmt: skip


@contextmanager
def writing(using: str | None = None) -> Iterator[None]:
    """`transaction.atomic`, in which reading before writing is safe.

    SQLite refuses a transaction that has read first its turn to write while somebody else writes: at once, whatever
    the timeout (https://sqlite.org/rescode.html#busy). Here it takes that turn, and waits for it, as it begins. Django
    does so too where a project sets `transaction_mode`; most do not.
    """
    connection = transaction.get_connection(using)
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        with transaction.atomic(using=using):  # noqa: TID251
            yield
        return
    connection.ensure_connection()
    with ExitStack() as block:
        usual, connection.transaction_mode = connection.transaction_mode, "IMMEDIATE"
        try:
            block.enter_context(transaction.atomic(using=using))  # noqa: TID251
        finally:
            connection.transaction_mode = usual
        yield


def again[**P, R](function: Callable[P, R]) -> Callable[P, R]:
    """The function, carried out again where the database called it off, five times at the most.

    It is one transaction, or statements of which each may be repeated. Within a transaction of somebody else it is not
    ours to repeat: there the error is raised.
    """

    @functools.wraps(function)
    def attempted(*args: P.args, **kwargs: P.kwargs) -> R:
        for _ in range(_ATTEMPTS - 1):
            try:
                return function(*args, **kwargs)
            except OperationalError as error:
                if not _was_called_off(error) or any(
                    one.in_atomic_block for one in connections.all(initialized_only=True)
                ):
                    raise
        return function(*args, **kwargs)

    return attempted


def _was_called_off(error: OperationalError) -> bool:
    told = {getattr(error.__cause__, "sqlstate", None), *error.args[:1]}
    return not told.isdisjoint(_CALLED_OFF)
