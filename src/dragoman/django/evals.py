"""A stage for evals in a Django project: a database of their own, its fixtures, and its users."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.cache import caches
from django.core.management import call_command
from django.db import connections, transaction
from django.db.transaction import Atomic
from django.test.utils import override_settings, setup_databases, teardown_databases
from django.utils.module_loading import import_string

from dragoman.django import threads
from dragoman.evals.cases import Case, CaseError
from dragoman.harness.caller import Caller

_MEMORY = "django.core.cache.backends.locmem.LocMemCache"


@contextmanager
def eval_database(*, migrate: bool = False) -> Iterator[None]:
    """An empty database beside the project's own, with every ORM call on this thread; gone afterwards.

    Its tables are made from the models as they are, ten times as fast as by the migrations, which `migrate` runs.
    Caches and mail stay in this process: what a case changes reaches neither the project's cache nor anybody's inbox.
    """
    tests = [connections[alias].settings_dict["TEST"] for alias in connections]
    wanted = [test["MIGRATE"] for test in tests]
    kept = {alias: {"BACKEND": _MEMORY, "LOCATION": f"dragoman-eval-{alias}"} for alias in settings.CACHES}
    with override_settings(CACHES=kept, EMAIL_BACKEND="django.core.mail.backends.locmem.EmailBackend"):
        for test in tests:
            test["MIGRATE"] = migrate
        before = setup_databases(verbosity=0, interactive=False, serialized_aliases=[])
        try:
            with threads.share_the_test_thread():
                yield
        finally:
            teardown_databases(before, verbosity=0)
            for test, value in zip(tests, wanted, strict=True):
                test["MIGRATE"] = value


@dataclass(slots=True)
class DatabaseStage:
    """Loads a case's fixtures within a transaction and rolls back what the case changed.

    A fixture is the dotted path of a callable without arguments, or a name that `loaddata` finds. Cases with the same
    fixtures which follow one another share one loading.
    """

    _fixtures: tuple[str, ...] | None = None
    _loaded: Atomic | None = None

    @asynccontextmanager
    async def set_for(self, case: Case) -> AsyncGenerator[Caller]:
        """The case's user as a caller. Raises CaseError for a fixture or a user that is not there."""
        await sync_to_async(self._load)(case)
        block = await sync_to_async(_begin)()
        try:
            yield await sync_to_async(_caller)(case)
        finally:
            await sync_to_async(_undo)(block)

    def close(self) -> None:
        """Take the fixtures away."""
        if self._loaded is not None:
            _undo(self._loaded)
        self._loaded = self._fixtures = None

    def _load(self, case: Case) -> None:
        if self._fixtures == case.fixtures:
            return
        self.close()
        self._loaded = _begin()
        for fixture in case.fixtures:
            _load_fixture(fixture, case)
        self._fixtures = case.fixtures


def _load_fixture(fixture: str, case: Case) -> None:
    if "." not in fixture:
        call_command("loaddata", fixture, verbosity=0)
        return
    try:
        load = import_string(fixture)
    except ImportError as error:
        raise CaseError(
            f"{case.source}: case {case.name!r}, setup.fixtures: {fixture!r} cannot be imported."
        ) from error
    load()


def _caller(case: Case) -> Caller:
    if not case.user:
        return Caller(key="eval:anonymous")
    users = get_user_model()
    try:
        user = users._default_manager.get(**{users.USERNAME_FIELD: case.user})
    except users.DoesNotExist as missing:
        raise CaseError(f"{case.source}: case {case.name!r}, setup.user: there is no user {case.user!r}.") from missing
    return Caller(key=f"user:{user.pk}", user=user, is_authenticated=True, name=user.get_username())


def _begin() -> Atomic:
    block = transaction.atomic()  # noqa: TID251  # of a run on its own
    block.__enter__()
    return block


def _undo(block: Atomic) -> None:
    transaction.set_rollback(True)
    block.__exit__(None, None, None)
    for cache in caches.all():  # what was computed from rows that are gone
        cache.clear()
