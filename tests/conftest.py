"""What every test stands on: plugins of our own, async tests in the test's transaction, Django where it is needed."""

import inspect
import os
from pathlib import Path

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings

pytest_plugins = [
    "tests.network_guard",
    "tests.services",
    "tests.rows",
    "tests.databases",
    "tests.requirements_plugin",
    "pytester",
]

# What stands below dragoman.django is tested without Django when it is tested alone: it starts seconds sooner, and
# nothing there can come to rest on a framework unnoticed.
WITHOUT_DJANGO = ("evals", "graphql", "harness", "house", "mcp", "providers", "repo")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    tests = Path(__file__).parent
    asked_for = [Path(config.invocation_params.dir, str(argument).partition("::")[0]) for argument in config.args]
    below = [path.is_relative_to(tests / room) for path in asked_for for room in WITHOUT_DJANGO]
    if sum(below) < len(asked_for):
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        # Reading or setting one is what pytest-django takes as the word to set Django up.
        settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run `async def` tests the way Django's TestCase does: ORM work stays on the thread that holds the transaction."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    wanted = pyfuncitem._fixtureinfo.argnames
    async_to_sync(pyfuncitem.obj)(**{name: pyfuncitem.funcargs[name] for name in wanted})
    return True


@pytest.fixture(scope="session")
def root() -> Path:
    """The top of the repository."""
    return Path(__file__).resolve().parent.parent
