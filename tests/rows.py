"""The test database: a file, with the example's rows in it, which every test finds as they were seeded.

Migrating and seeding takes seconds, so the seeded file is kept in pytest's cache and copied as long as the example, the
migrations, the locked packages and the day stay the same.
"""

import hashlib
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest
from django.apps import apps
from django.core.cache import cache
from django.db import connection, connections
from pytest_django import DjangoDbBlocker

# Reached by a test's threads too, so it is not in memory: there SQLite answers "table is locked" without waiting.
FILE = pytest.StashKey[Path]()


@pytest.fixture(scope="session")
def kept_rows(root: Path, pytestconfig: pytest.Config) -> Path:
    """Where the seeded file for today's sources is, or will be."""
    sources = [root / "uv.lock", *sorted((root / "examples" / "parts").rglob("*.py"))]
    sources += sorted((root / "src" / "dragoman" / "django" / "migrations").glob("*.py"))
    digest = hashlib.sha256(str(date.today()).encode())
    for source in sources:
        digest.update(f"{source.relative_to(root)}\n".encode() + source.read_bytes())
    return pytestconfig.cache.mkdir("rows") / f"{digest.hexdigest()[:16]}.sqlite3"


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings: None, kept_rows: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("database") / "tests.sqlite3"
    connections["default"].settings_dict["TEST"]["NAME"] = str(file)
    if kept_rows.exists():
        shutil.copyfile(kept_rows, file)


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """The file is new for each run; what is in it already is what was copied there."""
    return True


@pytest.fixture(scope="session")
def django_db_setup(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, kept_rows: Path, pytestconfig: pytest.Config
) -> None:
    """The example's rows, written once a session. An ordinary test's changes are rolled back."""
    from catalog.seed import seed

    if not kept_rows.exists():
        for outdated in kept_rows.parent.iterdir():
            outdated.unlink(missing_ok=True)
        with django_db_blocker.unblock():
            seed()
            _keep(kept_rows)
    pytestconfig.stash[FILE] = kept_rows


def _keep(file: Path) -> None:
    """Copy the database at once or not at all: another run may be looking for the file."""
    unfinished = file.with_suffix(f".{os.getpid()}")
    with closing(sqlite3.connect(unfinished)) as copy:
        connection.connection.backup(copy)
    unfinished.replace(file)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Put the rows back after a test that committed: Django empties every table then. Nothing cached outlives a test."""
    result = yield
    if apps.ready:
        cache.clear()
    if _commits(item) and (file := item.config.stash.get(FILE, None)):
        with item._request.getfixturevalue("django_db_blocker").unblock(), closing(sqlite3.connect(file)) as seeded:
            connection.ensure_connection()
            seeded.backup(connection.connection)
    return result


def _commits(item: pytest.Item) -> bool:
    if {"transactional_db", "live_server", "django_db_reset_sequences"} & set(getattr(item, "fixturenames", ())):
        return True
    mark = item.get_closest_marker("django_db")
    return mark is not None and (mark.kwargs.get("transaction", False) or mark.args[:1] == (True,))
