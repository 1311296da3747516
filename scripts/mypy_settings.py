"""The smallest Django project around dragoman.django: what mypy's Django plugin reads model types from."""

from typing import Any

SECRET_KEY = "only for the type checker"
INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.sessions",
    "dragoman.django",
]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
# What the panel adds to the settings it makes.
PANEL_PORT: int = 0
PANEL_TOKEN: str = ""
PANEL_PLACES: tuple[Any, ...] = ()
