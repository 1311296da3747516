"""The panel's settings: these repositories, this machine, one person."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.core.management.utils import get_random_secret_key

from dragoman.repo.repository import Repository

HOST = "127.0.0.1"
GRACE_SECONDS = 30
TOKEN = "token"  # the name it has in the first address


@dataclass(frozen=True, slots=True)
class Served:
    """A repository, which provider answers for it, and `others` a person may switch to, each with its configuration."""

    repository: Repository
    provider: str
    provider_config: Mapping[str, Any]
    others: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Place:
    """One repository of the panel: `alias` is where its conversations are kept, `url` where it answers."""

    served: Served
    alias: str
    url: str

    @property
    def repository(self) -> Repository:
        """What is served here."""
        return self.served.repository


def places(repositories: Sequence[Served]) -> tuple[Place, ...]:
    """A place for each repository, under its own name; a second one is name-2."""
    found: list[Place] = []
    taken: set[str] = set()
    for served in repositories:
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", served.repository.name).strip("-.") or "repository"
        url, number = name, 1
        while url.lower() in taken | {"static", "api"}:
            number += 1
            url = f"{name}-{number}"
        taken.add(url.lower())
        # The state folder's name holds a digest of the path, so a conversation is found again whatever else is served.
        found.append(Place(served, served.repository.state.name, f"/{url}/"))
    return tuple(found)


def settings(places: Sequence[Place], database: Path, port: int, token: str) -> dict[str, Any]:
    """What Django is configured with. The secret key is new each time, so a session ends with the server."""
    return {
        "SECRET_KEY": get_random_secret_key(),
        "DEBUG": False,
        "ALLOWED_HOSTS": [HOST, "localhost"],
        "ROOT_URLCONF": "dragoman.panel.urls",
        "INSTALLED_APPS": [
            "django.contrib.contenttypes",
            "django.contrib.auth",
            "django.contrib.sessions",
            "django.contrib.staticfiles",
            "channels",
            "dragoman.panel",
            "dragoman.django",
        ],
        "MIDDLEWARE": [
            "django.middleware.security.SecurityMiddleware",
            "dragoman.panel.door.policy",
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            "dragoman.panel.door.admission",
        ],
        "TEMPLATES": [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
        "DATABASES": {
            "default": {
                "ENGINE": "django.db.backends.sqlite3",
                "NAME": str(database),
                "OPTIONS": {
                    "transaction_mode": "IMMEDIATE",
                    "timeout": 10,
                    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
                },
            }
        },
        "DEFAULT_AUTO_FIELD": "django.db.models.BigAutoField",
        "USE_TZ": True,
        "STATIC_URL": "/static/",
        # Cookies know no ports: two panels on one machine must not sign each other out.
        "SESSION_COOKIE_NAME": f"dragoman_session_{port}",
        "CSRF_COOKIE_NAME": f"dragoman_csrf_{port}",
        "SESSION_COOKIE_SAMESITE": "Strict",
        "SESSION_COOKIE_HTTPONLY": True,
        "CSRF_COOKIE_SAMESITE": "Strict",
        "SECURE_REFERRER_POLICY": "same-origin",
        "X_FRAME_OPTIONS": "DENY",
        "PANEL_PORT": port,
        "PANEL_TOKEN": token,
        "PANEL_PLACES": tuple(places),
        "DRAGOMAN": {
            place.alias: {
                "enabled": True,
                "url": place.url,
                "provider": place.served.provider,
                "provider_config": dict(place.served.provider_config),
                "providers": {name: dict(config) for name, config in place.served.others.items()},
                "grounding": {
                    "kind": "dragoman.panel.chat.RepositoryGrounding",
                    "repository": str(place.repository.root),
                },
                "permission": "dragoman.panel.door.is_here",
                "disconnect_grace_seconds": GRACE_SECONDS,
                "rate_limit": {"max_requests_per_hour": None, "max_tokens_per_hour": None},
                "audit": {"enabled": False},
                "conversation": {"ttl_hours": 24 * 365},
            }
            for place in places
        },
    }
