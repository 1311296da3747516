"""The smallest Django project around dragoman.django: what mypy's Django plugin reads model types from."""

from importlib.util import find_spec

SECRET_KEY = "only for the type checker"
INSTALLED_APPS = ["django.contrib.contenttypes", "django.contrib.auth", "django.contrib.sessions"]
if find_spec("dragoman.django") and find_spec("dragoman.django.apps"):
    INSTALLED_APPS.append("dragoman.django")
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
