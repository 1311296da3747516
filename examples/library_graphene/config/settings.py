"""A library with a graphene-django schema and an assistant on it."""

import os
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent
SECRET_KEY = "for this example on this machine only"
DEBUG = True
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "testserver"]

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "channels",
    "django_filters",
    "graphene_django",
    "library",
    "dragoman.django",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
]
ROOT_URLCONF = "config.urls"
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        # In a file: several threads cannot share the one in memory that Django takes otherwise.
        "TEST": {"NAME": str(BASE_DIR / "test.sqlite3")},
        "NAME": os.environ.get("LIBRARY_DB", str(BASE_DIR / "library.sqlite3")),
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
STATIC_URL = "static/"
USE_TZ = True

GRAPHENE = {"SCHEMA": "library.schema.schema"}

DRAGOMAN = {
    "default": {
        "enabled": True,
        "url": "/chat/",
        "provider": os.environ.get("LIBRARY_PROVIDER", "planner"),
        # Types say chat_exposed = True themselves; those of others can be named here.
        "grounding": {"kind": "graphql", "host": "graphene", "types": ["PublisherType"]},
        "allowed_mutations": ["renameMember"],
        "confirm_mutations": ["renameMember"],
    }
}
