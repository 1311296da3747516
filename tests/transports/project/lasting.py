"""The test project with answers that outlive their line, and a choice of providers."""

from tests.transports.project.settings import *  # noqa: F403
from tests.transports.project.settings import DRAGOMAN as _DRAGOMAN

DRAGOMAN = {
    "default": {
        **_DRAGOMAN["default"],
        "disconnect_grace_seconds": 30,
        "providers": {
            "tests.transports.world.Configured": {"model": "first", "models": ["first", "second"]},
            "openai": {"models": [f"model-{number}" for number in range(30)]},
            "anthropic": {},  # has no key here
        },
    }
}
