"""The tortured project: the transports' test project on a database that two workers share."""

import os
from urllib.parse import urlsplit

from tests.transports.project.settings import *  # noqa: F403
from tests.transports.project.settings import DATABASES as _SQLITE

_address = urlsplit(os.environ.get("DRAGOMAN_TORTURE_DATABASE", ""))
if _address.scheme == "postgres":
    DATABASES = {
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": _address.path.lstrip("/"),
            "USER": _address.username,
            "PASSWORD": _address.password,
            "HOST": _address.hostname,
            "PORT": _address.port or 5432,
            "OPTIONS": {"pool": {"min_size": 1, "max_size": 8}},
        }
    }
else:
    DATABASES = _SQLITE
DEBUG = False
ROOT_URLCONF = "tests.torture.project_urls"
DRAGOMAN = {
    "default": {
        "enabled": True,
        "url": "/chat/",
        "provider": "tests.torture.world.Model",
        "grounding": {"kind": "tests.torture.world.World"},
        "rate_limit": {"max_requests_per_hour": None, "max_tokens_per_hour": None},
        "confirm_timeout_seconds": 20,
    },
}
