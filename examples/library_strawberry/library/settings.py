"""Settings of a small lending library with a strawberry-django schema and a chat on it. For your own machine only."""

import os
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent

SECRET_KEY = "library-example-not-a-secret"
DEBUG = True
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "testserver"]
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "strawberry_django",
    "library",
    "dragoman.django",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
ROOT_URLCONF = "library.urls"
ASGI_APPLICATION = "library.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        # In a file: several threads cannot share the one in memory that Django takes otherwise.
        "TEST": {"NAME": str(BASE_DIR / "test.sqlite3")},
        "NAME": os.environ.get("LIBRARY_DB", str(BASE_DIR / "library.sqlite3")),
        "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 5, "init_command": "PRAGMA journal_mode=WAL;"},
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
STATIC_URL = "static/"

DRAGOMAN = {
    "default": {
        "enabled": True,
        "provider": os.environ.get("LIBRARY_PROVIDER", "planner"),
        "grounding": {
            "kind": "graphql",
            "host": "strawberry",
            "schema": "library.schema.schema",
            # `Fine` is in the schema and not in this list, so the chat knows nothing of it.
            "types": ["Author", "Publisher", "Book", "Member", "Loan"],
        },
        "allowed_mutations": ["returnLoan", "createBook"],
        "confirm_mutations": ["returnLoan"],
    },
}
