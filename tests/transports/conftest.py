"""The example's project with the small world of `world.py` behind its assistant, and somebody signed in."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import AsyncClient
from pytest_django import Settings

from dragoman.django import threads
from tests.transports import world

CHAT = {
    "enabled": True,
    "url": "/chat/",
    "provider": "tests.transports.world.Actor",
    "grounding": {"kind": "tests.transports.world.World"},
}


@pytest.fixture
def chat(settings: Settings, db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
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
