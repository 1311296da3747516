"""The smallest project around the assistant, for servers in a process of their own."""

import os

SECRET_KEY = "only for the tests"
DEBUG = True  # so that the page's files are served
ALLOWED_HOSTS = ["127.0.0.1"]
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "channels",
    "dragoman.django",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "tests.transports.project.urls.no_foreign_content",
]
ROOT_URLCONF = "tests.transports.project.urls"
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": os.environ["DRAGOMAN_TEST_DB"],
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        },
    }
}
USE_TZ = True
STATIC_URL = "static/"
LOGGING = {"version": 1, "disable_existing_loggers": False}
DRAGOMAN = {
    "default": {
        "enabled": True,
        "url": "/chat/",
        "provider": "tests.transports.world.Actor",
        "grounding": {"kind": "tests.transports.world.World"},
        "mcp": True,
    },
    "quick": {
        "enabled": True,
        "url": "/quick/",
        "provider": "tests.transports.world.Actor",
        "grounding": {"kind": "tests.transports.world.World"},
        "confirm_timeout_seconds": 0,
    },
    "five": {
        "enabled": True,
        "url": "/five/",
        "provider": "tests.transports.world.Actor",
        "grounding": {"kind": "tests.transports.world.World"},
        "rate_limit": {"max_requests_per_hour": 5, "max_tokens_per_hour": None},
        "mcp": True,
    },
}
