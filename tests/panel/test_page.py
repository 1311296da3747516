"""The panel in a real browser: the token leaves the address, the page breaks no policy, and an answer is seen and kept."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.panel.running import Panel, serving
from tests.repo import orchard

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Panel]:
    place = tmp_path_factory.mktemp("panel")
    clones = [orchard.build(place / name) for name in ("orchard", "garden")]
    with serving(place / "home", *clones) as running:
        yield running


def test_the_token_leaves_the_address_and_both_repositories_are_offered(page: Page, panel: Panel) -> None:
    assert page.url == f"{panel.url}/"
    expect(page.get_by_role("link", name="orchard")).to_be_visible()
    page.get_by_role("link", name="garden").click()
    assert page.url == f"{panel.url}/garden/"


def test_the_page_names_its_repository_and_leads_back_to_all_of_them_also_in_a_narrow_window(
    page: Page, panel: Panel
) -> None:
    page.set_viewport_size({"width": 400, "height": 800})
    place = page.get_by_role("link", name="garden")
    box = place.bounding_box()
    assert box is not None
    assert box["width"] > 300
    place.click()
    where = page.get_by_role("navigation", name="Repository")
    expect(where).to_contain_text("garden")
    expect(page).to_have_title("garden - Dragoman")
    where.get_by_role("link").click()
    assert page.url == f"{panel.url}/"


def test_an_answer_with_its_lines_is_there_and_stays_after_a_reload(page: Page, panel: Panel) -> None:
    page.goto(f"{panel.url}/orchard/")
    page.get_by_label("Your message").fill("who calls fit_window?")
    page.keyboard.press("Enter")
    answer = page.locator(".item.text")
    expect(answer).to_contain_text("src/orchard/cli.py:11")
    page.reload()
    expect(answer).to_contain_text("src/orchard/cli.py:11")


def test_whoever_has_a_key_may_switch_to_its_service_beside_the_message(
    chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("OPENAI_API_KEY", "OPENROUTER_API_KEY", "DEEPSEEK_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-not-told")
    clone = orchard.build(tmp_path / "orchard")
    context = chromium.new_context()
    page = context.new_page()
    with serving(tmp_path / "home", clone) as running:
        page.goto(running.address)
        provider = page.get_by_label("Provider")
        expect(provider.get_by_role("option")).to_have_text(["planner", "anthropic"])
        expect(page.get_by_label("Model", exact=True)).to_be_hidden()  # the planner has none
        assert "sk-not-told" not in page.content()
        page.get_by_label("Your message").fill("who calls fit_window?")
        page.keyboard.press("Enter")
        expect(page.locator(".item.text small")).to_contain_text("planner")
    context.close()
