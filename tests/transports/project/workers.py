"""The lasting test project on the database that the tests name, for two workers of it; Redis between them where named.

Its workers can be held at gates, and one of its assistants has a budget of five messages.
"""

import os

from tests.databases import server as _server
from tests.transports.project import lasting as _lasting
from tests.transports.project import settings as _settings
from tests.transports.project.lasting import *  # noqa: F403

_kind, _, _name = os.environ.get("DRAGOMAN_TEST_SERVER", "").partition(":")
DATABASES = {"default": _server(_kind, _name)} if _kind else _settings.DATABASES
INSTALLED_APPS = [*_settings.INSTALLED_APPS, "tests.transports.project.gates.Gates"]
DRAGOMAN = {**_lasting.DRAGOMAN, "five": _settings.DRAGOMAN["five"]}
if _redis := os.environ.get("DRAGOMAN_TEST_REDIS"):
    CHANNEL_LAYERS = {
        "default": {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": [_redis], "prefix": _name}}
    }
    CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": _redis,
            "KEY_PREFIX": _name,
        }
    }
    SESSION_ENGINE = "django.contrib.sessions.backends.cache"
