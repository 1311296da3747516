"""The Explorer in a real browser: its addresses, what they show, and that nothing a repository says is obeyed."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.panel.running import Panel, serving
from tests.repo import orchard

pytestmark = pytest.mark.browser

MARKUP = "<img src=x onerror=alert(1)>"
GENERIC = """\
export class Box<T extends Record<string, unknown>> {
  "odd name?&=#"(value: T): T {
    return value;
  }
}
"""


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Panel]:
    place = tmp_path_factory.mktemp("explored")
    clone = orchard.build(place / "orchard")
    (clone / "a & b").mkdir()
    (clone / "a & b" / f"{MARKUP[:9]}#1?.py").write_text(f'def odd():\n    """{MARKUP}"""\n    return "{MARKUP}"\n')
    (clone / "web" / "box.ts").write_text(GENERIC)
    (clone / "long.py").write_text("".join(f"x_{at} = {at}\n" for at in range(1, 1001)))
    many = "".join(f"def caller_{at}():\n    called()\n\n\n" for at in range(60))
    (clone / "many.py").write_text(f"def called():\n    pass\n\n\n{many}")
    orchard.git(clone, "add", "--all")
    orchard.git(clone, "commit", "--message", f"{MARKUP}\n\n{MARKUP} **bold**")
    with serving(place / "home", clone) as running:
        yield running


def explore(page: Page, panel: Panel, query: str = "") -> None:
    page.goto(f"{panel.url}/orchard/explorer{query}")
    expect(page.locator("#shown h1")).to_be_visible()
    expect(page.locator("#shown [aria-busy]")).to_have_count(0)


def heading(page: Page, text: str) -> None:
    expect(page.locator("#shown h1")).to_contain_text(text)


def test_the_whole_leads_through_a_folder_and_a_file_to_a_symbol_and_back(page: Page, panel: Panel) -> None:
    explore(page, panel)
    heading(page, "orchard")
    expect(page.locator("#shown")).to_contain_text("16 commits")
    tree = page.get_by_role("navigation", name="Files")
    tree.get_by_role("button", name="Open src", exact=True).click()
    tree.get_by_role("button", name="Open src/orchard", exact=True).click()
    tree.get_by_role("link", name="window.py").click()
    heading(page, "window.py")
    assert page.url == f"{panel.url}/orchard/explorer?file=src%2Forchard%2Fwindow.py"
    page.locator("#shown").get_by_role("link", name="Window.trim").click()
    heading(page, "Window.trim")
    expect(page).to_have_title("Window.trim - orchard - Dragoman")
    page.go_back()
    heading(page, "window.py")
    page.go_back()
    heading(page, "orchard")
    page.go_forward()
    heading(page, "window.py")
    page.reload()
    heading(page, "window.py")
    expect(tree.get_by_role("link", name="window.py")).to_have_attribute("aria-current", "page")


def test_a_symbol_has_its_callers_on_one_side_and_what_it_calls_on_the_other(page: Page, panel: Panel) -> None:
    explore(page, panel, "?node=fit_window")
    callers = page.locator("section", has=page.get_by_role("heading", name="Called by"))
    expect(callers.locator("li")).to_have_count(3)
    expect(callers).to_contain_text("src/orchard/cli.py:11")
    calls = page.locator("section", has=page.get_by_role("heading", name="Calls"))
    expect(calls.locator("li").first).to_contain_text("Window")
    history = page.locator("section", has=page.get_by_role("heading", name="History"))
    expect(history).to_contain_text("Refuse a budget below zero")
    callers.get_by_role("link", name="src/orchard/cli.py:11").click()
    heading(page, "cli.py")
    expect(page.locator(".marked")).to_contain_text("fit_window")
    expect(page.locator(".marked")).to_be_in_viewport()


def test_a_list_that_has_more_goes_on(page: Page, panel: Panel) -> None:
    explore(page, panel, "?node=called")
    callers = page.locator("section", has=page.get_by_role("heading", name="Called by"))
    expect(callers.locator("h2 .count")).to_have_text("60")
    expect(callers.locator("li")).to_have_count(50)
    callers.get_by_role("button", name="Show more").click()
    expect(callers.locator("li")).to_have_count(60)
    expect(callers.get_by_role("button", name="Show more")).to_be_hidden()


def test_a_long_file_goes_on_and_a_line_deep_in_it_is_reached_at_once(page: Page, panel: Panel) -> None:
    explore(page, panel, "?file=long.py")
    lines = page.locator(".source .line")
    expect(lines).to_have_count(400)
    page.locator("section", has=page.locator(".source")).get_by_role("button", name="Show more").click()
    expect(lines).to_have_count(800)
    expect(lines.last).to_contain_text("x_800 = 800")
    explore(page, panel, "?file=long.py&line=900")
    expect(page.locator(".marked")).to_contain_text("x_900 = 900")
    page.get_by_role("link", name="Lines before").click()
    expect(page.locator(".marked")).to_contain_text("x_860 = 860")


def test_a_commit_shows_its_words_its_files_and_its_diff(page: Page, panel: Panel) -> None:
    explore(page, panel, "?commit=HEAD~1")
    heading(page, "Refuse a budget below zero")
    expect(page.locator(".diff ins").first).to_contain_text("if budget < 0:")
    page.locator("#shown").get_by_role("link", name="src/orchard/window.py").click()
    heading(page, "window.py")


def test_the_search_finds_symbols_and_text_with_the_keyboard_alone(page: Page, panel: Panel) -> None:
    explore(page, panel)
    page.keyboard.press("Control+k")
    page.keyboard.type("fit windw")
    found = page.get_by_role("region", name="Found")
    expect(found.get_by_role("link", name="orchard.window.fit_window")).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    heading(page, "fit_window")
    expect(found).to_be_hidden()
    page.keyboard.press("Control+k")
    page.keyboard.type("Keep the newest items")
    expect(found.get_by_role("link", name="src/orchard/window.py:5")).to_be_visible()
    page.keyboard.press("Escape")
    expect(found).to_be_hidden()


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("?node=nobody_has_this", 'There is no symbol "nobody_has_this".'),
        ("?node=fit_windwo", "Near:"),
        ("?commit=abcdef0123456", "abcdef0123456"),
        ("?file=no/such/file.py", "Git does not track a file no/such/file.py."),
        ("?file=.env", ".env"),
        ("?file=../../etc/passwd", "outside"),
    ],
)
def test_an_address_that_leads_nowhere_says_so_and_the_page_lives_on(
    page: Page, panel: Panel, query: str, said: str
) -> None:
    explore(page, panel, query)
    expect(page.locator("#shown")).to_contain_text(said)
    page.get_by_role("link", name="Dragoman").click()
    heading(page, "orchard")


def test_a_name_that_several_have_is_answered_with_the_choice_and_a_file_decides(page: Page, panel: Panel) -> None:
    explore(page, panel, "?node=render")
    expect(page.locator("#shown")).to_contain_text("Several are called so:")
    explore(page, panel, "?node=render&file=web%2Fchart.ts")
    if page.locator("#shown h1 .kind").count() == 0:
        page.locator("#shown li a.symbol").first.click()
    expect(page.locator("#shown h1 .kind")).to_be_visible()


@pytest.mark.parametrize(
    "name", ["web/box.ts::Box", "web/box.ts::Box.odd name?&=#", "a & b/<img src=#1?.py::odd", "Box<T>", "a+b c%20d"]
)
def test_every_name_comes_back_from_its_address_as_it_was(page: Page, panel: Panel, name: str) -> None:
    explore(page, panel)
    told = page.evaluate(
        """async (name) => {
          const { address, here } = await import("/static/panel/place.js");
          const made = new URL(address("/orchard/", { node: name, file: name }), location.href);
          history.pushState(null, "", made);
          return [here(made.search), here(location.search)];
        }""",
        name,
    )
    assert told == [{"node": name, "file": name, "line": None, "commit": None}] * 2
    page.reload()
    expect(page.locator("#shown h1")).to_be_visible()
    assert page.evaluate("new URLSearchParams(location.search).get('node')") == name


def test_markup_in_paths_sources_docstrings_and_commits_is_text(page: Page, panel: Panel) -> None:
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    explore(page, panel, "?node=odd")
    expect(page.locator(".doc")).to_have_text(MARKUP)
    page.locator(".crumbs").get_by_role("link", name="#1?.py").click()
    heading(page, "<img src=#1?.py")
    explore(page, panel, "?commit=HEAD")
    heading(page, MARKUP)
    explore(page, panel, f"?node={MARKUP}")
    explore(page, panel)
    assert page.locator("#shown img, #side img").count() == 0
    assert dialogs == []


@pytest.mark.requirement("r.ui.markdown")
def test_what_an_answer_names_opens_in_the_explorer_and_back_leads_to_the_answer(page: Page, panel: Panel) -> None:
    page.goto(f"{panel.url}/orchard/")
    page.get_by_label("Your message").fill("who calls fit_window?")
    page.keyboard.press("Enter")
    answer = page.locator(".item.text")
    answer.get_by_role("link", name="src/orchard/cli.py:11").click()
    heading(page, "cli.py")
    expect(page.locator(".marked")).to_contain_text("fit_window")
    page.go_back()
    answer.get_by_role("link", name="src/orchard/cli.py::main").click()
    heading(page, "main")
    views = page.get_by_role("navigation", name="View")
    expect(views.get_by_role("link", name="Explorer")).to_have_attribute("aria-current", "page")
    views.get_by_role("link", name="Chat").click()
    expect(page.get_by_label("Your message")).to_be_visible()


@pytest.mark.requirement("r.ui.urls")
def test_the_address_names_view_conversation_and_symbol_and_brings_them_back(page: Page, panel: Panel) -> None:
    page.goto(f"{panel.url}/orchard/")
    page.get_by_label("Your message").fill("where is Window.trim defined?")
    page.keyboard.press("Enter")
    answer = page.locator(".item.text")
    expect(answer).to_contain_text("src/orchard/window.py:30")
    chat = page.url
    assert chat.startswith(f"{panel.url}/orchard/#")
    page.reload()
    expect(answer).to_contain_text("src/orchard/window.py:30")
    page.get_by_role("navigation", name="View").get_by_role("link", name="Explorer").click()
    heading(page, "orchard")
    page.locator("#shown .commit").first.get_by_role("link").click()
    expect(page.locator("#shown .diff")).to_be_visible()
    page.locator("#search input").fill("fit_window")
    page.get_by_role("region", name="Found").get_by_role("link", name="orchard.window.fit_window").click()
    heading(page, "fit_window")
    symbol = page.url
    assert symbol.startswith(f"{panel.url}/orchard/explorer?node=")
    page.reload()
    heading(page, "fit_window")
    for _ in range(3):
        page.go_back()
    assert page.url == chat
    expect(answer).to_contain_text("src/orchard/window.py:30")
    for _ in range(3):
        page.go_forward()
    assert page.url == symbol
    heading(page, "fit_window")


PLACES: dict[str, dict[str, str] | None] = {
    "src/a.py:12": {"file": "src/a.py", "line": "12"},
    "src/a.py:12-20": {"file": "src/a.py", "line": "12"},
    "src/a.py::A.b": {"node": "src/a.py::A.b", "file": "src/a.py"},
    "src/money/": {"file": "src/money"},
    "src/a.py": {"file": "src/a.py"},
    "42b6a39251": {"commit": "42b6a39251"},
    "fit_window": None,
    "127.0.0.1:8421": None,
    "https://evil.test/a.py": None,
    "javascript:alert(1)": None,
    "//evil.test/": None,
    "std::fmt": None,
    "1234567": None,
    "defaced": None,
    "and/or": None,
}


def test_only_what_has_the_shape_of_a_place_becomes_a_link(page: Page, panel: Panel) -> None:
    page.goto(f"{panel.url}/orchard/explorer")
    found = page.evaluate(
        """async (texts) => {
          const { named } = await import("/static/panel/place.js");
          return Object.fromEntries(texts.map((text) => [text, named(text)]));
        }""",
        list(PLACES),
    )
    assert found == PLACES


@pytest.mark.requirement("r.ui.markdown")
def test_no_text_of_a_model_leads_out_of_the_explorer(page: Page, panel: Panel) -> None:
    page.goto(f"{panel.url}/orchard/")
    links = page.evaluate(
        """async () => {
          const { write } = await import("/static/dragoman/prose.js");
          const root = document.createElement("div");
          const hostile = ["https://evil.test/a.py:1", "//evil.test/a.py", "javascript:x/y.py:1", "../../x/", "\\\\\\\\evil/a.py:3", "/etc/passwd.txt:1", "a.py::<img src=x>"];
          write(root, hostile.map((each) => "`" + each + "`").join(" "));
          return [...root.querySelectorAll("a")].map((link) => link.origin + link.pathname);
        }"""
    )
    assert links
    assert set(links) == {f"{panel.url}/orchard/explorer"}


def test_it_fits_a_narrow_window_and_its_files_come_from_the_menu(chromium: Browser, panel: Panel) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.goto(panel.address)
    explore(page, panel, "?node=fit_window")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    tree = page.get_by_role("navigation", name="Files")
    expect(tree).to_be_hidden()
    page.get_by_role("button", name="Files").click()
    tree.get_by_role("link", name="README.md").click()
    heading(page, "README.md")
    expect(tree).to_be_hidden()
    context.close()


def test_what_a_clone_does_not_have_is_said(chromium: Browser, tmp_path: Path) -> None:
    whole = orchard.build(tmp_path / "orchard")
    orchard.git(tmp_path, "clone", "--quiet", "--depth", "2", f"file://{whole}", "shallow")
    orchard.git(tmp_path, "init", "--quiet", "empty")
    context = chromium.new_context()
    page = context.new_page()
    with serving(tmp_path / "home", tmp_path / "shallow", tmp_path / "empty") as running:
        page.goto(running.address)
        page.goto(f"{running.url}/shallow/explorer")
        expect(page.locator("#shown")).to_contain_text("This is a shallow clone")
        expect(page.locator("#shown")).to_contain_text("1 commit without all of its files or lines.")
        page.goto(f"{running.url}/empty/explorer")
        expect(page.locator("#shown")).to_contain_text("No commit yet.")
        expect(page.locator("#side")).to_have_text("Git tracks no file here.")
    context.close()


def test_a_server_that_has_ended_is_told_and_not_waited_for(chromium: Browser, tmp_path: Path) -> None:
    clone = orchard.build(tmp_path / "orchard")
    context = chromium.new_context()
    page = context.new_page()
    with serving(tmp_path / "home", clone) as ending:
        page.goto(ending.address)
        explore(page, ending)
        ending.end()
        page.locator("#shown .commit a").first.click()
        expect(page.locator("#shown")).to_contain_text("The server did not answer.")
    context.close()
