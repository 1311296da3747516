"""What every test stands on: async tests in the test's own transaction, and the example's rows."""

import inspect
import os
from importlib.util import find_spec
from pathlib import Path

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings
from pytest_django import DjangoDbBlocker

pytest_plugins = ["tests.network_guard", "tests.services", "tests.requirements_plugin", "pytester"]

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
        assert settings.INSTALLED_APPS  # settings that were read are what pytest-django takes as the word to set up


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


if find_spec("catalog") and find_spec("catalog.seed"):

    @pytest.fixture(scope="session")
    def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:
        """The test database holds the example's rows, written once a session; each test's changes are rolled back."""
        from catalog.seed import seed

        with django_db_blocker.unblock():
            seed()
