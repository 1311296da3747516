"""The example's project with the small world of `world.py` behind its assistant, and somebody signed in."""

import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
import redis
from django.contrib.auth import get_user_model
from django.test import AsyncClient
from pytest_django import DjangoDbBlocker, Settings

from dragoman.django import threads
from tests import databases
from tests.transports import world

CHAT = {
    "enabled": True,
    "url": "/chat/",
    "provider": "tests.transports.world.Actor",
    "grounding": {"kind": "tests.transports.world.World"},
}


@pytest.fixture
def chat(database: str, settings: Settings, db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The settings of the assistant; a test may set them again with a key changed."""
    # Channels closes old connections after each frame; here that would be the one which holds the test's transaction.
    monkeypatch.setattr("channels.db.close_old_connections", lambda: None)
    settings.DRAGOMAN = {"default": CHAT}
    settings.ALLOWED_HOSTS = ["testserver"]
    world.forget()
    with threads.share_the_test_thread():
        yield dict(CHAT)


@pytest.fixture
def ada(chat: dict[str, Any]) -> Any:
    return get_user_model().objects.create_user("wanda", password="fish")


@pytest.fixture
def client(ada: Any) -> AsyncClient:
    """Ada's browser."""
    client = AsyncClient()
    client.force_login(ada)
    return client


@pytest.fixture
def stranger(chat: dict[str, Any]) -> AsyncClient:
    """The browser of somebody else who is signed in."""
    client = AsyncClient()
    client.force_login(get_user_model().objects.create_user("wilbur", password="pig"))
    return client


@pytest.fixture
def nobody(chat: dict[str, Any]) -> AsyncClient:
    """The browser of an anonymous visitor."""
    return AsyncClient()


# Two workers ----------------------------------------------------------------------------------------------------------

# With Redis between the workers: their channel layer, their cache, and the sessions in it.
REDIS = "redis://127.0.0.1:6379/0"
WITH_REDIS = pytest.param("postgresql", marks=pytest.mark.service("postgres", "redis"))
KINDS = [
    "sqlite3",
    WITH_REDIS,
    pytest.param("mysql", marks=pytest.mark.service("mariadb")),
]


@pytest.fixture(scope="session", params=KINDS)
def workers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker
) -> Iterator[list[Any]]:
    """Two Uvicorn workers of one project on one database, each kind of it."""
    from tests.transports.server import serving  # which needs Django, set up only after this file is read

    folder = tmp_path_factory.mktemp(request.param)
    with ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        if request.param != "sqlite3":
            name = stack.enter_context(databases.fresh(request.param, django_db_blocker))
            patch.setenv("DRAGOMAN_TEST_SERVER", f"{request.param}:{name}")
            if request.param == "postgresql":
                patch.setenv("DRAGOMAN_TEST_REDIS", REDIS)
                stack.callback(_forget_in_redis, name)
        yield [stack.enter_context(serving(folder, settings="tests.transports.project.workers")) for _ in range(2)]


@pytest.fixture
def browsers(workers: list[Any]) -> list[Any]:
    """Somebody new who has signed in, at both workers in one session."""
    from tests.transports.server import Browser

    world.forget()
    one, other = Browser(workers[0], f"person-{uuid.uuid4().hex[:8]}"), Browser(workers[1], name="")
    other.cookies = one.cookies
    return [one, other]


def _forget_in_redis(prefix: str) -> None:
    with redis.Redis.from_url(REDIS) as connection:
        for key in connection.scan_iter(f"*{prefix}*"):
            connection.delete(key)
