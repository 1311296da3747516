"""The page in a real browser, against a real server."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, WebSocket, expect

from tests.browser import launched
from tests.transports import world
from tests.transports.server import Server, serving

pytestmark = pytest.mark.browser

NO_SOCKETS = "window.WebSocket = class { constructor() { setTimeout(() => this.onclose(), 0); } close() {} };"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("page")) as running:
        yield running


@pytest.fixture(scope="module")
def chromium(chromium_path: str) -> Iterator[Browser]:
    with launched(chromium_path) as browser:
        yield browser


@pytest.fixture
def page(chromium: Browser, server: Server) -> Iterator[Page]:
    """The page of somebody who is signed in; at the end nothing was asked of anybody else, and nothing complained."""
    world.forget()
    context = chromium.new_context()
    page = context.new_page()
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if "Content Security" in message.text else None)
    page.goto(f"{server.url}/sign-in/wanda/")
    page.goto(f"{server.url}/chat/")
    yield page
    foreign = [url for url in asked if not url.startswith(server.url)]
    context.close()
    assert (foreign, complaints) == ([], [])


def ask(page: Page, text: str) -> None:
    """Send a message; while an answer is being written there is no way to."""
    expect(page.get_by_role("button", name="Send")).to_be_visible()
    page.get_by_label("Your message").fill(text)
    page.keyboard.press("Enter")


def thread(page: Page) -> str:
    return page.locator("#thread").inner_text()


def kept(page: Page) -> list[str]:
    """What the conversation shows, without the seconds left; thoughts are not kept."""
    items = page.locator(".item:not(.thinking)").all_inner_texts()
    return [re.sub(r"\d+ s left", "", item) for item in items]


@pytest.mark.requirement("g.ws.streaming", "r.ui.stream-sticks")
def test_piece_one_is_visible_while_the_model_still_holds_piece_two(page: Page):
    ask(page, "wait")
    answer = page.locator(".item.text")
    expect(answer).to_contain_text("Piece one,")
    assert world.happened("wait.reached")
    assert not world.happened("wait.open")
    world.mark("wait.open")
    expect(answer).to_contain_text("Piece one, piece two.")
    expect(answer.locator("small")).to_contain_text("actor · script")
    page.reload()
    expect(answer).to_contain_text("Piece one, piece two.")


@pytest.mark.requirement("r.ui.tool-cards")
def test_a_tool_card_opens_to_its_arguments_and_its_result(page: Page):
    ask(page, "look")
    card = page.locator(".item.tool")
    expect(card).to_contain_text("done")
    expect(card.get_by_text('"status": "active"')).to_be_hidden()
    card.locator("summary").click()
    expect(card.get_by_text('"name": "Apollo"').first).to_be_visible()
    expect(card.get_by_text('"status": "active"')).to_be_visible()


def test_what_stands_in_no_result_is_marked_and_the_rest_tells_its_source_also_after_a_reload(page: Page):
    ask(page, "claim")
    for _ in ("live", "replayed"):
        answer = page.locator(".item.text")
        expect(answer.locator("p")).to_have_text("\U0001f680 Apollo is active and has 7 parts.")
        expect(answer.locator(".claim.unmatched")).to_have_text("7")
        expect(answer.locator(".claim:not(.unmatched)")).to_have_attribute("title", "stands in look_up, name: Apollo")
        expect(answer.locator("summary")).to_have_text("Sources \u00b7 1 not found in the data")
        answer.locator("summary").press("Enter")
        expect(answer.locator("li")).to_have_text(
            ["Apollo: stands in look_up, name: Apollo", "7: not found in the data of this answer"]
        )
        page.reload()


@pytest.mark.requirement("g.confirm.reject", "g.confirm.accept")
def test_a_change_is_rejected_and_another_is_confirmed(page: Page):
    ask(page, "rename")
    card = page.get_by_role("group", name="Confirm renameProject")
    expect(card).to_contain_text('"to": "Artemis"')
    expect(card).to_contain_text("s left")
    card.get_by_role("button", name="Reject").click()
    expect(page.locator(".item.text").last).to_contain_text("Left it: user_rejected.")
    assert not world.happened("renamed.Apollo")
    ask(page, "rename")
    page.get_by_role("button", name="Confirm").click()
    expect(page.locator(".item.text").last).to_contain_text("Renamed.")
    expect(page.locator(".item.confirm").last).to_contain_text("Confirmed")
    assert world.happened("renamed.Apollo")


@pytest.mark.requirement("r.ui.thinking")
def test_while_the_model_is_silent_the_page_says_so_before_a_first_word_and_after_a_tool(page: Page):
    busy = page.locator("#busy")
    expect(busy).to_be_hidden()
    ask(page, "silent")
    expect(busy).to_be_visible()
    expect(busy).to_contain_text("Thinking")
    world.mark("silent.open")
    expect(page.locator(".item.text")).to_contain_text("Too late.")
    expect(busy).to_be_hidden()
    ask(page, "pondering")
    expect(page.locator(".item.tool")).to_contain_text("done")
    expect(busy).to_be_visible()
    world.mark("pondering.open")
    expect(page.locator(".item.text").last).to_contain_text("Apollo is active.")
    expect(busy).to_be_hidden()


@pytest.mark.requirement("r.ui.stop")
def test_stop_ends_the_answer_and_keeps_its_text_also_after_a_reload(page: Page):
    ask(page, "wait")
    expect(page.locator(".item.text")).to_contain_text("Piece one,")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".item.notice")).to_have_text("Stopped.")
    expect(page.get_by_role("button", name="Send")).to_be_visible()
    page.reload()
    expect(page.locator(".item.text")).to_contain_text("Piece one,")
    expect(page.locator(".item.notice")).to_have_text("Stopped.")


@pytest.mark.requirement("r.ui.stream-sticks")
def test_a_reload_shows_the_same_conversation(page: Page):
    for text, answer in (("look", "Apollo is active."), ("rename", "Shall this change be made?")):
        ask(page, text)
        expect(page.locator("#thread")).to_contain_text(answer)
    before = kept(page)
    page.reload()
    expect(page.locator("#thread")).to_contain_text("Shall this change be made?")
    assert kept(page) == before
    page.get_by_role("button", name="Confirm").click()
    expect(page.locator(".item.text").last).to_contain_text("Renamed.")


def test_a_new_chat_is_empty_and_back_brings_the_old_one(page: Page):
    ask(page, "hello")
    expect(page.locator("#thread")).to_contain_text("Good day.")
    page.get_by_role("button", name="New chat").click()
    expect(page.locator("#welcome")).to_be_visible()
    ask(page, "look")
    expect(page.locator("#thread")).to_contain_text("Apollo is active.")
    assert "Good day." not in thread(page)
    page.go_back()
    expect(page.locator("#thread")).to_contain_text("Good day.")


@pytest.mark.requirement("r.ui.markdown")
def test_markup_in_an_answer_is_shown_and_not_obeyed(page: Page):
    ask(page, "markup")
    expect(page.locator(".item.text")).to_contain_text(
        "<img src='http://evil.example/x.png'> <b>bold</b> <script>boo()</script>"
    )
    assert page.locator("#thread img, #thread b:has-text('bold'), #thread script").count() == 0


@pytest.mark.requirement("r.ui.markdown")
def test_the_few_signs_of_an_answer_are_drawn_and_its_claims_still_tell_their_source(page: Page):
    ask(page, "prose")
    for _ in ("live", "replayed"):
        body = page.locator(".item.text .prose").last
        expect(body.locator("> *")).to_have_count(6)
        expect(body.locator("> .head")).to_have_text("It is there")
        expect(body.locator("> .head strong")).to_have_text("is")
        expect(body.locator("> p").nth(1)).to_have_text("Apollo is active in a `b` c:")
        expect(body.locator("ul li")).to_have_text(["the first, bold code\n  goes on", "2**3**4 and ` alone"])
        expect(body.locator("ul strong code")).to_have_text("code")
        expect(body.locator("ol li")).to_have_text(["one", "two"])
        expect(body.locator("pre")).to_have_text('x = "<b>"\n\n- no list')
        expect(body.locator("code .claim").first).to_have_text("Apollo")
        expect(body.locator("> p").last).to_have_text("The end.")
        page.reload()


@pytest.mark.requirement("r.ui.markdown")
def test_a_hostile_answer_stays_text_whatever_signs_it_has(page: Page):
    ask(page, "hostile")
    answer = page.locator(".item.text")
    expect(answer.locator("small")).to_contain_text("actor")
    for _ in ("live", "replayed"):
        expect(answer.locator("code")).to_have_text("<img src=http://evil.example/x.png onerror=boo()>")
        expect(answer.locator("strong")).to_have_text("<script>boo()</script>")
        expect(answer.locator("li")).to_contain_text("[click](http://evil.example) ![x](http://evil.example/y.png)")
        expect(answer.locator("pre")).to_have_text("<iframe src='http://evil.example'></iframe>")
        expect(answer).to_contain_text("<http://evil.example> https://evil.example/z")
        expect(answer).to_contain_text("`open **open")
        assert answer.locator("a, img, script, iframe").count() == 0
        page.reload()


@pytest.mark.parametrize("sockets", [True, False])
def test_a_message_is_asked_in_other_words_and_what_followed_it_is_replaced(
    chromium: Browser, server: Server, sockets: bool
):
    world.forget()
    context = chromium.new_context()
    if not sockets:
        context.add_init_script(NO_SOCKETS)
    page = context.new_page()
    page.goto(f"{server.url}/sign-in/wanda/")
    page.goto(f"{server.url}/chat/")
    for text, answer in (("hello", "Good day."), ("look", "Apollo is active.")):
        ask(page, text)
        expect(page.locator("#thread")).to_contain_text(answer)
    page.get_by_role("button", name="Edit this message").first.press("Enter")
    field = page.get_by_label("Your message in other words")
    expect(field).to_be_focused()
    expect(field).to_have_value("hello")
    field.press("Escape")
    expect(page.get_by_role("button", name="Edit this message").first).to_be_focused()
    page.keyboard.press("Enter")
    field.fill("look twice")
    field.press("Enter")
    for _ in ("live", "replayed"):
        expect(page.locator(".item.text").last).to_contain_text("One is there.")
        expect(page.locator(".item.user p")).to_have_text(["look twice"])
        page.reload()
    context.close()


def test_a_message_is_asked_again_and_only_the_newest_one(page: Page):
    ask(page, "count")
    expect(page.locator(".item.text")).to_contain_text("Answer")
    first = page.locator(".item.text .prose").inner_text()
    again = page.get_by_role("button", name="Ask this message again")
    again.press("Enter")
    expect(page.locator(".item.text .prose")).not_to_have_text(first)
    expect(page.locator(".item")).to_have_count(2)
    second = page.locator(".item.text .prose").inner_text()
    page.reload()
    expect(page.locator(".item.text .prose")).to_have_text(second)
    ask(page, "wait")
    expect(page.locator(".item.text").last).to_contain_text("Piece one,")
    expect(again).to_have_count(1)  # that of the first message is not on offer
    expect(again).to_be_disabled()
    world.mark("wait.open")
    expect(page.locator(".item.text").last).to_contain_text("piece two.")
    expect(again).to_be_enabled()


def test_what_cannot_be_asked_anew_says_so_and_nothing_is_lost(page: Page):
    ask(page, "rename")
    page.get_by_role("button", name="Confirm").click()
    expect(page.locator(".item.text").last).to_contain_text("Renamed.")
    before = kept(page)
    page.get_by_role("button", name="Ask this message again").click()
    expect(page.get_by_role("alert")).to_contain_text("new message")
    assert kept(page) == before


def test_without_websockets_the_answer_comes_as_a_stream_of_events(chromium: Browser, server: Server):
    world.forget()
    context = chromium.new_context()
    context.add_init_script(NO_SOCKETS)
    page = context.new_page()
    page.goto(f"{server.url}/sign-in/wanda/")
    page.goto(f"{server.url}/chat/")
    sockets: list[WebSocket] = []
    page.on("websocket", lambda line: sockets.append(line))  # the driver marks the function
    ask(page, "wait")
    expect(page.locator(".item.text")).to_contain_text("Piece one,")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".item.notice")).to_have_text("Stopped.")
    ask(page, "rename")
    page.get_by_role("button", name="Confirm").click()
    expect(page.locator(".item.text").last).to_contain_text("Renamed.")
    assert sockets == []
    context.close()


def test_an_anonymous_visitor_keeps_the_conversation_after_a_reload(chromium: Browser, server: Server):
    context = chromium.new_context()
    page = context.new_page()
    sockets: list[str] = []
    page.on("websocket", lambda socket: sockets.append(socket.url))
    page.goto(f"{server.url}/chat/")
    page.wait_for_load_state("networkidle")
    # Whoever has no session yet gets its cookie with the first message; a request before that would take it away again.
    assert sockets == []
    page.evaluate("fetch('/chat/conversations/')")
    ask(page, "hello")
    expect(page.locator("#thread")).to_contain_text("Good day.")
    assert len(sockets) == 1  # a second would have begun a session of its own, and its cookie may win
    page.reload()
    expect(page.locator("#thread")).to_contain_text("Good day.")
    ask(page, "look")
    expect(page.locator("#thread")).to_contain_text("Apollo is active.")
    expect(page.locator("#thread")).to_contain_text("Good day.")
    context.close()


def test_a_broken_line_is_told_and_no_spinner_stays(chromium: Browser, tmp_path: Path):
    world.forget()
    with serving(tmp_path) as server:
        context = chromium.new_context()
        page = context.new_page()
        page.goto(f"{server.url}/sign-in/wanda/")
        page.goto(f"{server.url}/chat/")
        ask(page, "wait")
        expect(page.locator(".item.text")).to_contain_text("Piece one,")
        server.process.kill()
        expect(page.get_by_role("alert")).to_contain_text("The line was lost.")
        expect(page.locator("#busy")).to_be_hidden()
        expect(page.get_by_role("button", name="Send")).to_be_visible()
        context.close()


def test_an_error_is_shown_and_goes_away_with_the_next_good_turn(page: Page):
    ask(page, "a" * 30_000)
    expect(page.get_by_role("alert")).to_contain_text("Shorten it.")
    ask(page, "hello")
    expect(page.locator("#thread")).to_contain_text("Good day.")
    expect(page.get_by_role("alert")).to_be_hidden()


def test_enter_while_an_input_method_composes_sends_nothing(page: Page):
    page.get_by_label("Your message").fill("hello")
    press = """field => field.dispatchEvent(new KeyboardEvent("keydown",
        {key: "Enter", bubbles: true, cancelable: true, isComposing: %s}))"""
    page.locator("#text").evaluate(press % "true")
    expect(page.get_by_label("Your message")).to_have_value("hello")
    page.locator("#text").evaluate(press % "false")
    expect(page.get_by_label("Your message")).to_have_value("")
    expect(page.locator("#thread")).to_contain_text("Good day.")


@pytest.mark.requirement("r.ui.turn-model")
def test_whoever_scrolled_up_stays_there_and_whoever_is_at_the_end_goes_along(page: Page):
    place = (
        "() => { const e = document.getElementById('scroll'); return e.scrollHeight - e.scrollTop - e.clientHeight; }"
    )
    ask(page, "long")
    expect(page.locator(".item.text")).to_contain_text("line 199")
    page.wait_for_function(f"({place})() < 2")
    page.locator("#scroll").evaluate("element => { element.scrollTop = 0; }")
    world.mark("long.open")
    expect(page.locator(".item.text")).to_contain_text("the end")
    assert page.locator("#scroll").evaluate("element => element.scrollTop") == 0


def test_a_screen_reader_hears_the_answer_once_and_whole(page: Page):
    heard = page.locator("#spoken")
    heard.evaluate(
        "node => { window.heard = []; new MutationObserver(() => window.heard.push(node.textContent))"
        ".observe(node, {childList: true, characterData: true, subtree: true}); }"
    )
    ask(page, "look")
    expect(heard).to_have_text("Apollo is active.")
    assert page.evaluate("window.heard") == ["Apollo is active."]
    assert page.locator("#thread").get_attribute("aria-live") == "off"
