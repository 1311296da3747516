"""Of many messages at once, as many are let in as there is room for: on every database, and only because of its lock."""

import os
import threading
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from django.db.utils import ConnectionHandler
from pytest_django import DjangoDbBlocker

from dragoman.django import budgets, models
from dragoman.django.budgets import Ledger
from dragoman.django.conf import RateLimit
from dragoman.harness.caller import Caller
from dragoman.harness.errors import RateLimited
from dragoman.harness.messages import new_id

MESSAGES, BUDGET = 20, 5
WAIT = 60  # seconds until a test that hangs is called failed
USED = [models.Account, models.Usage, models.Conversation, models.Message]
NAME = f"dragoman_ledger_{uuid.uuid4().hex[:8]}"


SERVERS = [
    pytest.param("postgresql", marks=pytest.mark.service("postgres")),
    pytest.param("mysql", marks=pytest.mark.service("mariadb")),
]


def _server(kind: str) -> dict[str, Any]:
    user = {"postgresql": os.environ.get("PGUSER", "postgres"), "mysql": os.environ.get("MYSQL_USER", "root")}
    return {"ENGINE": f"django.db.backends.{kind}", "HOST": "127.0.0.1", "USER": user[kind]}


@pytest.fixture(
    params=["sqlite3", *SERVERS],
)
def database(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[str]:
    """A database of its own with the ledger's tables, open to every thread; its alias."""
    default = {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}
    server: dict[str, Any] = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(tmp_path / "ledger.sqlite3")}
    with django_db_blocker.unblock():
        if request.param == "sqlite3":
            server["OPTIONS"] = {"timeout": WAIT}
        else:
            server = {**_server(request.param), "NAME": NAME}
            outer = {**server, "NAME": {"postgresql": "postgres", "mysql": "mysql"}[request.param]}
            _execute(outer, f"create database {NAME}")
        monkeypatch.setitem(
            connections.settings, "ledger", ConnectionHandler({"default": default, "ledger": server}).settings["ledger"]
        )
        monkeypatch.setattr(budgets, "_database", lambda: "ledger")
        try:
            with connections["ledger"].constraint_checks_disabled(), connections["ledger"].schema_editor() as editor:
                for model in USED:
                    editor.execute(*_without_foreign_keys(editor, model))
            yield "ledger"
        finally:
            connections["ledger"].close()
            del connections["ledger"]
            if request.param != "sqlite3":
                _execute(outer, f"drop database {NAME}")


def _without_foreign_keys(editor: Any, model: Any) -> tuple[str, Any]:
    """The statement that makes a model's table; what its foreign keys point at is not there."""
    sql, params = editor.table_sql(model)
    editor.deferred_sql.clear()
    return sql.replace(' REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED', ""), params or None


def _execute(server: dict[str, Any], sql: str) -> None:
    connection = ConnectionHandler({"default": server})["default"]
    try:
        connection.set_autocommit(True)
        with connection.cursor() as cursor:
            cursor.execute(sql)
    finally:
        connection.close()


def at_once(ledger: Ledger, callers: list[Caller]) -> int:
    """How many of a message from each of these, all at the same time, are let in."""
    gate = threading.Barrier(len(callers), timeout=WAIT)

    def ask(caller: Caller) -> bool:
        try:
            gate.wait()
            ledger._admit(caller, uuid.uuid4().hex, new_id())
        except RateLimited:
            return False
        finally:
            connections["ledger"].close()
        return True

    with ThreadPoolExecutor(len(callers)) as pool:
        return sum(pool.map(ask, callers))


ADA = Caller("user:1", is_authenticated=True)
LEDGER = Ledger("default", RateLimit(BUDGET, None))


def test_of_twenty_messages_at_once_on_a_budget_of_five_five_are_let_in(database: str):
    assert at_once(LEDGER, [ADA] * MESSAGES) == BUDGET
    assert models.Usage.objects.using(database).count() == BUDGET


def test_of_twenty_at_once_from_one_address_five_are_let_in_whatever_session_they_begin(database: str):
    visitors = [Caller(f"session:{number}", address="somewhere") for number in range(MESSAGES)]
    assert at_once(LEDGER, visitors) == BUDGET


def test_of_twenty_at_once_as_many_are_let_in_as_an_hours_tokens_are_meant_for(database: str):
    assert at_once(Ledger("default", RateLimit(BUDGET, 100_000)), [ADA] * MESSAGES) == BUDGET
    assert at_once(Ledger("other", RateLimit(None, 20_000)), [ADA] * MESSAGES) == BUDGET


def test_people_do_not_share_a_budget(database: str):
    people = [Caller(f"user:{number}", is_authenticated=True) for number in range(MESSAGES)]
    assert at_once(LEDGER, people) == MESSAGES


# SQLite lets one transaction write at a time, lock or not.
@pytest.mark.parametrize("database", SERVERS, indirect=True)
def test_without_the_lock_all_twenty_count_before_any_has_written_and_all_are_let_in(
    database: str, monkeypatch: pytest.MonkeyPatch
):
    counting: Callable[..., Any] = Ledger._room
    gate = threading.Barrier(MESSAGES, timeout=WAIT)

    def count_and_wait(self: Ledger, caller: Caller) -> Any:
        room = counting(self, caller)
        gate.wait()
        return room

    monkeypatch.setattr(Ledger, "_room", count_and_wait)
    monkeypatch.setattr(budgets, "_lock", lambda keys: None)
    assert at_once(LEDGER, [ADA] * MESSAGES) == MESSAGES
