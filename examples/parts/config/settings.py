"""Settings of the example: a manufacturer's catalogue with a chat assistant on its GraphQL API.

For a demonstration on your own machine. The passwords are in the README and the secret key is below, so do not put
this on a network.
"""

import os
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent

SECRET_KEY = os.environ.get("PARTS_SECRET_KEY", "parts-example-not-a-secret")
DEBUG = os.environ.get("PARTS_DEBUG", "1") == "1"
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]", "testserver"]

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "graphene_django",
    "general_manager",
    "catalog",
    # After GeneralManager, which builds the schema when it is ready.
    "dragoman.django",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]


def _server(engine: str, port: str, **options: object) -> dict[str, object]:
    return {
        "ENGINE": engine,
        "NAME": os.environ.get("PARTS_DB_NAME", "parts"),
        "USER": os.environ.get("PARTS_DB_USER", "parts"),
        "PASSWORD": os.environ.get("PARTS_DB_PASSWORD", "parts"),
        "HOST": os.environ.get("PARTS_DB_HOST", "127.0.0.1"),
        "PORT": os.environ.get("PARTS_DB_PORT", port),
        "OPTIONS": options,
    }


# Immediate transactions in WAL mode: several threads may read and write without "database is locked".
_SQLITE = {
    "ENGINE": "django.db.backends.sqlite3",
    "NAME": os.environ.get("PARTS_DB_NAME", str(BASE_DIR / "parts.sqlite3")),
    "OPTIONS": {
        "transaction_mode": "IMMEDIATE",
        "timeout": 5,
        "init_command": (
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA mmap_size=134217728; PRAGMA cache_size=2000;"
        ),
    },
}
_DATABASES = {
    "sqlite": lambda: _SQLITE,
    "postgres": lambda: _server("django.db.backends.postgresql", "5432", pool={"min_size": 1, "max_size": 8}),
    "mariadb": lambda: _server("django.db.backends.mysql", "3306", charset="utf8mb4"),
}
DATABASES = {"default": _DATABASES[os.environ.get("PARTS_DB", "sqlite")]()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Several workers share their channel layer and their cache through Redis; one worker needs neither.
CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
if redis := os.environ.get("PARTS_REDIS"):
    CHANNEL_LAYERS = {"default": {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": [redis]}}}
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": redis}}

LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "static/"
LOGIN_URL = "/sign-in/"
LOGIN_REDIRECT_URL = "/"

GENERAL_MANAGER = {
    "AUTOCREATE_GRAPHQL": True,
    "GRAPHQL_URL": "graphql/",
    "DEFAULT_PERMISSIONS": {
        "READ": ["isAuthenticated"],
        "CREATE": ["isAdmin"],
        "UPDATE": ["isAdmin"],
        "DELETE": ["isAdmin"],
    },
}

DRAGOMAN = {
    "default": {
        "enabled": True,
        "url": "/chat/",
        "grounding": {"kind": "graphql", "host": "general_manager"},
        "provider": os.environ.get("PARTS_PROVIDER", "planner"),
        "allowed_mutations": [
            "archiveProject",
            "assignEmployee",
            "approveOrder",
            "cancelOrder",
            "createInspection",
            "updatePart",
            "deleteAssignment",
        ],
        "confirm_mutations": [
            "archiveProject",
            "approveOrder",
            "cancelOrder",
            "createInspection",
            "updatePart",
            "deleteAssignment",
        ],
    },
}
