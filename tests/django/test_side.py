"""The page's side bar and its choice of models, and an answer that is still there after a reload, in a real browser."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import launched
from tests.django.test_page import ask
from tests.transports import world
from tests.transports.server import Server, serving

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("side"), settings="tests.transports.project.lasting") as running:
        yield running


@pytest.fixture(scope="module")
def chromium(chromium_path: str) -> Iterator[Browser]:
    with launched(chromium_path) as browser:
        yield browser


@pytest.fixture
def page(chromium: Browser, server: Server, request: pytest.FixtureRequest) -> Iterator[Page]:
    """The page of a person of this test's own."""
    world.forget()
    context = chromium.new_context()
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if "Content Security" in message.text else None)
    page.goto(f"{server.url}/sign-in/{request.node.name[:30]}/")
    page.goto(f"{server.url}/chat/")
    yield page
    context.close()
    assert complaints == []


def test_a_reload_in_the_middle_of_an_answer_shows_its_text_and_then_the_rest(page: Page):
    ask(page, "wait")
    expect(page.locator(".item.text")).to_contain_text("Piece one,")
    page.reload()
    expect(page.locator(".item.text")).to_contain_text("Piece one,")
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    world.mark("wait.open")
    expect(page.locator(".item.text")).to_contain_text("Piece one, piece two.")
    expect(page.locator(".item")).to_have_count(2)


@pytest.mark.requirement("r.ui.new-chat")
def test_a_conversation_is_opened_renamed_and_deleted_from_the_side(page: Page):
    side = page.get_by_role("navigation", name="Conversations")
    ask(page, "hello")
    expect(side.get_by_role("link", name="hello")).to_have_attribute("aria-current", "page")
    page.get_by_role("button", name="New chat").click()
    ask(page, "look")
    expect(side.get_by_role("link")).to_have_text(["look", "hello"])
    side.get_by_role("link", name="hello").click()
    expect(page.locator("#thread")).to_contain_text("Good day.")
    side.get_by_role("button", name="Rename hello").click()
    page.get_by_label("New name").fill("<b>Greetings</b>")
    page.keyboard.press("Enter")
    expect(side.get_by_role("link", name="<b>Greetings</b>")).to_be_visible()
    page.once("dialog", lambda dialog: dialog.accept())
    side.get_by_role("button", name="Delete <b>Greetings</b>").click()
    expect(side.get_by_role("link")).to_have_text(["look"])
    expect(page.locator("#welcome")).to_be_visible()


@pytest.mark.requirement("r.chat.switch")
def test_another_model_is_chosen_beside_the_message_and_signs_its_answer(page: Page):
    page.get_by_label("Provider").select_option("tests.transports.world.Configured")
    expect(page.get_by_label("Model", exact=True).get_by_role("option")).to_have_text(
        ["Default model", "first", "second"]
    )
    page.get_by_label("Model", exact=True).select_option("second")
    ask(page, "wait")
    expect(page.locator(".item.text")).to_contain_text("Piece one,")
    expect(page.get_by_label("Provider")).to_be_disabled()
    world.mark("wait.open")
    expect(page.locator(".item.text small")).to_contain_text("second")


@pytest.mark.requirement("r.ui.model-select")
def test_a_long_list_of_models_has_a_filter_and_nothing_is_switched_while_an_answer_comes(page: Page):
    provider, model = page.get_by_label("Provider"), page.get_by_label("Model", exact=True)
    box = page.get_by_label("Filter models")
    provider.select_option("tests.transports.world.Configured")
    expect(model.get_by_role("option")).to_have_count(3)
    expect(box).to_be_hidden()
    provider.select_option("openai")
    expect(model.get_by_role("option")).to_have_count(31)
    box.fill("del-2")
    expect(model.get_by_role("option")).to_have_count(12)  # the default, 2 and 20 to 29
    provider.select_option("tests.transports.world.Configured")
    expect(model.get_by_role("option")).to_have_count(3)
    ask(page, "wait")
    expect(page.locator(".item.text")).to_contain_text("Piece one,")
    for field in (provider, model):
        expect(field).to_be_disabled()
    world.mark("wait.open")
    expect(page.locator(".item.text")).to_contain_text("piece two.")
    for field in (provider, model):
        expect(field).to_be_enabled()


@pytest.mark.requirement("r.ui.turn-model")
def test_each_answer_shows_its_model_and_a_short_list_of_models_says_why(page: Page):
    ask(page, "hello")
    expect(page.locator(".item.text small")).to_contain_text("actor \u00b7 script")
    page.get_by_label("Provider").select_option("tests.transports.world.Configured")
    why = page.get_by_text("This list is short:")
    expect(page.get_by_label("Model", exact=True).get_by_role("option")).to_have_count(3)
    expect(why).to_be_hidden()
    page.get_by_label("Model", exact=True).select_option("second")
    ask(page, "look")
    expect(page.locator(".item.text small").last).to_contain_text("second")
    page.reload()
    expect(page.locator(".item.text small").first).to_contain_text("actor \u00b7 script")
    expect(page.locator(".item.text small").last).to_contain_text("second")
    page.get_by_label("Provider").select_option("anthropic")
    expect(why).to_contain_text("ANTHROPIC_API_KEY")
    expect(page.get_by_role("navigation", name="Conversations").get_by_role("link", name="hello")).to_be_visible()
