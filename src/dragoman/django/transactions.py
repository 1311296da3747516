"""A transaction that means to write, on each kind of database."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from django.db import transaction


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
