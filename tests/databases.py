"""The kinds of database that tests run on: a fresh one of each, and a test's default one exchanged for it."""

import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import ConnectionHandler
from pytest_django import DjangoDbBlocker

SERVERS = [
    pytest.param("postgresql", marks=pytest.mark.service("postgres")),
    pytest.param("mysql", marks=pytest.mark.service("mariadb")),
]
KINDS = ["sqlite3", *SERVERS]

_ALWAYS_THERE = {"postgresql": "postgres", "mysql": "mysql"}
_CREATE = {"postgresql": "create database {}", "mysql": "create database {} character set utf8mb4"}
_DROP = {"postgresql": "drop database {} with (force)", "mysql": "drop database {}"}


def server(kind: str, name: str = "") -> dict[str, Any]:
    """What `DATABASES` says of a database on a server of this machine; without a name, of one that is always there."""
    user = {"postgresql": os.environ.get("PGUSER", "postgres"), "mysql": os.environ.get("MYSQL_USER", "root")}[kind]
    engine, name = f"django.db.backends.{kind}", name or _ALWAYS_THERE[kind]
    return {"ENGINE": engine, "HOST": "127.0.0.1", "USER": user, "NAME": name}


@contextmanager
def fresh(kind: str, blocker: DjangoDbBlocker) -> Iterator[str]:
    """The name of a new and empty database on a server; it is dropped afterwards, whoever is still connected."""
    name = f"dragoman_{uuid.uuid4().hex[:12]}"
    _execute(kind, _CREATE[kind].format(name), blocker)
    try:
        yield name
    finally:
        _execute(kind, _DROP[kind].format(name), blocker)


def connect(configured: dict[str, Any], alias: str = "default") -> BaseDatabaseWrapper:
    """A connection, not opened yet, as Django would make it for this alias."""
    default = {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}
    return ConnectionHandler({"default": default, alias: configured})[alias]


def _execute(kind: str, sql: str, blocker: DjangoDbBlocker) -> None:
    connection = connect(server(kind))
    try:
        with blocker.unblock():
            connection.set_autocommit(True)
            with connection.cursor() as cursor:
                cursor.execute(sql)
    finally:
        connection.close()


@pytest.fixture(scope="session")
def migrated(
    django_test_environment: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Any]]:
    """Gives the connection to a migrated database of a kind, which is made when it is first asked for."""
    kept: dict[str, BaseDatabaseWrapper] = {}
    with ExitStack() as stack:

        def of(kind: str) -> BaseDatabaseWrapper:
            if kind not in kept:
                if kind == "sqlite3":
                    file = tmp_path_factory.mktemp("shared") / "shared.sqlite3"
                    there = {**settings.DATABASES["default"], "NAME": str(file)}
                else:
                    there = server(kind, stack.enter_context(fresh(kind, django_db_blocker)))
                kept[kind] = connect(there)
                stack.callback(kept[kind].close)
                with _default(kept[kind]), django_db_blocker.unblock():
                    call_command("migrate", verbosity=0)
            return kept[kind]

        yield of


@pytest.fixture(params=KINDS)
def database(request: pytest.FixtureRequest, django_db_setup: None, migrated: Callable[[str], Any]) -> Iterator[str]:
    """The test runs on each kind of database, its default one meanwhile; ask for it, and then for `db`."""
    if "db" not in request.fixturenames:
        raise pytest.UsageError("A test with `database` asks for `db` too, or it would write to a database that stays.")
    if request.param == "sqlite3":
        yield request.param  # which every test has
        return
    with _default(migrated(request.param)):
        yield request.param


@pytest.fixture(params=KINDS)
def shared_database(
    request: pytest.FixtureRequest, migrated: Callable[[str], Any], django_db_blocker: DjangoDbBlocker
) -> Iterator[str]:
    """The test runs on each kind of database; what is written is committed, other threads write too, and afterwards our
    tables are emptied.
    """
    with _default(migrated(request.param)), django_db_blocker.unblock():
        try:
            yield request.param
        finally:
            for model in apps.get_app_config("dragoman").get_models():
                model._base_manager.all().delete()


@contextmanager
def _default(connection: BaseDatabaseWrapper) -> Iterator[None]:
    before, configured = connections["default"], connections.settings["default"]
    connections["default"], connections.settings["default"] = connection, connection.settings_dict
    _forget_ids()
    try:
        yield
    finally:
        connections["default"], connections.settings["default"] = before, configured
        _forget_ids()


def _forget_ids() -> None:
    """What is remembered of rows by their ids, which are others in another database."""
    apps.get_model("contenttypes", "ContentType").objects.clear_cache()
