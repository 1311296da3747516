"""The test project, answered by a real SDK that speaks to a server of the test's."""

import os

from tests.transports.project.settings import *  # noqa: F403
from tests.transports.project.settings import DRAGOMAN as _DRAGOMAN

DRAGOMAN = {
    "default": {
        **_DRAGOMAN["default"],
        "provider": os.environ["DRAGOMAN_TEST_PROVIDER"],
        "provider_config": {
            "base_url": os.environ["DRAGOMAN_TEST_SERVICE"],
            "api_key": os.environ.get("DRAGOMAN_TEST_KEY", ""),
            "model": "m",
        },
    }
}
