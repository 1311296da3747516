"""Skip a test whose service or browser is absent, with the reason; fail it where they are required."""

import os
import shutil
import socket
from importlib.util import find_spec

import pytest

SERVICES = {"postgres": 5432, "mariadb": 3306, "redis": 6379, "rabbitmq": 5672}
# What a test speaks to them with, and the extra that brings it; MariaDB's has to be compiled and is not in every setup.
DRIVERS = {"postgres": ("psycopg", "postgres"), "mariadb": ("MySQLdb", "mysql"), "redis": ("redis", "redis")}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# A skip for want of a service is honest on a laptop and a hole in CI.
SERVICES_REQUIRED = os.environ.get("DRAGOMAN_REQUIRE_SERVICES") == "1"


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("service"):
        for name in mark.args:
            if not _answers(name):
                _absent(f"{name} does not answer on 127.0.0.1:{SERVICES[name]}")
            driver, extra = DRIVERS.get(name, ("socket", ""))
            if find_spec(driver) is None:
                _absent(f"{driver} is not installed: make setup EXTRAS='--extra {extra}'")
    if item.get_closest_marker("browser") and find_browser() is None:
        _absent(f"no Chromium found: install one, or set CHROMIUM to its path (looked for {', '.join(BROWSERS)})")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for mark in item.iter_markers("service"):
            unknown = set(mark.args) - set(SERVICES)
            if unknown or not mark.args:
                raise pytest.UsageError(f"{item.nodeid}: service() takes names of {', '.join(SERVICES)}.")


_answered: dict[str, bool] = {}


def _answers(name: str) -> bool:
    if name not in _answered:
        try:
            socket.create_connection(("127.0.0.1", SERVICES[name]), timeout=2).close()
            _answered[name] = True
        except OSError:
            _answered[name] = False
    return _answered[name]


def _absent(reason: str) -> None:
    if SERVICES_REQUIRED:
        pytest.fail(f"DRAGOMAN_REQUIRE_SERVICES=1, but {reason}.", pytrace=False)
    pytest.skip(reason)


def find_browser() -> str | None:
    """The path of a Chromium, or None: $CHROMIUM first, then the usual names."""
    return shutil.which(os.environ["CHROMIUM"]) if os.environ.get("CHROMIUM") else _first_on_path(BROWSERS)


def _first_on_path(names: tuple[str, ...]) -> str | None:
    return next((path for name in names if (path := shutil.which(name))), None)


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """The executable to hand to a browser driver; only for tests marked `browser`."""
    path = find_browser()
    assert path, "mark the test with @pytest.mark.browser"
    return path
