"""A browser in front of the panel that a module serves as `panel`."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import launched
from tests.panel.running import Panel


@pytest.fixture(scope="module")
def chromium(chromium_path: str) -> Iterator[Browser]:
    with launched(chromium_path) as browser:
        yield browser


@pytest.fixture
def page(chromium: Browser, panel: Panel) -> Iterator[Page]:
    """A browser that came in by the printed address; at the end it asked nobody else, and nothing complained."""
    context = chromium.new_context()
    page = context.new_page()
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.goto(panel.address)
    yield page
    foreign = [url for url in asked if not url.startswith(panel.url)]
    context.close()
    assert (foreign, complaints) == ([], [])
