"""The lasting test project on the database that the tests name, for two workers of it; Redis between them where named."""

import os

from tests.transports.project.lasting import *  # noqa: F403
from tests.transports.project.settings import DATABASES as _SQLITE

_kind, _, _name = os.environ.get("DRAGOMAN_TEST_SERVER", "").partition(":")
_users = {"postgresql": os.environ.get("PGUSER", "postgres"), "mysql": os.environ.get("MYSQL_USER", "root")}
DATABASES = (
    {
        "default": {
            "ENGINE": f"django.db.backends.{_kind}",
            "NAME": _name,
            "HOST": "127.0.0.1",
            "USER": _users[_kind],
        }
    }
    if _kind
    else _SQLITE
)
if os.environ.get("DRAGOMAN_TEST_REDIS"):
    CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_redis.core.RedisChannelLayer",
            "CONFIG": {"hosts": ["redis://127.0.0.1:6379/0"], "prefix": _name},
        }
    }
