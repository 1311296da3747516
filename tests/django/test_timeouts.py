"""Statements are stopped by the database, and a block by its deadline; the connection is good for more afterwards."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import OperationalError
from pytest_django import DjangoDbBlocker

from dragoman.django.hosts.general_manager import GeneralManagerHost
from dragoman.django.timeouts import time_limit
from dragoman.harness.caller import Caller
from tests import databases

SLOW = {
    "sqlite": "with recursive n(x) as (select 1 union all select x + 1 from n where x < 200000000) select count(*) from n",
    "postgresql": "select pg_sleep(20)",
    "mysql": "select sleep(20) from (select 1 union select 2) two",
}


@pytest.fixture(params=databases.KINDS)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[BaseDatabaseWrapper]:
    """A connection of its own to each kind of database there is here."""
    if request.param == "sqlite3":
        there = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(tmp_path / "slow.sqlite3")}
    else:
        there = databases.server(request.param)
    opened = databases.connect(there, "slow")
    connections["slow"] = opened  # transactions find it by its alias
    try:
        yield opened
    finally:
        opened.close()
        del connections["slow"]


def select(database: BaseDatabaseWrapper, sql: str = "select 1") -> object:
    with closing(database.cursor()) as cursor:
        cursor.execute(sql)
        return cursor.fetchone()[0]


def test_a_slow_statement_is_stopped_and_the_connection_lives_on(
    database: BaseDatabaseWrapper, django_db_blocker: DjangoDbBlocker
) -> None:
    with django_db_blocker.unblock():
        with pytest.raises(OperationalError), time_limit([database], 0.2, 30) as limited:
            select(database, SLOW[database.vendor])
        assert limited.ran_out
        assert select(database) == 1


def test_a_quick_statement_is_left_alone_also_when_it_fails(
    database: BaseDatabaseWrapper, django_db_blocker: DjangoDbBlocker
) -> None:
    with django_db_blocker.unblock():
        with time_limit([database], 30, 30) as limited:
            assert select(database) == 1
        assert not limited.ran_out


def test_no_statement_begins_after_the_deadline(
    database: BaseDatabaseWrapper, django_db_blocker: DjangoDbBlocker
) -> None:
    with django_db_blocker.unblock():
        with pytest.raises(OperationalError), time_limit([database], 30, -1) as limited:
            select(database)
        assert limited.ran_out
        assert select(database) == 1


@pytest.mark.django_db
@pytest.mark.usefixtures("on_the_test_thread")
async def test_a_query_of_the_host_that_runs_out_of_time_gives_one_sentence_and_no_rows() -> None:
    from graphql import parse

    host = GeneralManagerHost(deadline_seconds=-1)
    answer = await host.execute(parse("{ materialList { items { id } } }"), {}, Caller("1"))
    assert answer.data is None
    assert [(fault.message, fault.code) for fault in answer.faults] == [
        ("The query took longer than 5 seconds.", "query_timeout")
    ]
    assert connection.vendor in SLOW
