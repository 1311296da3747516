"""Take the pictures of the docs: ask the running example and a repository in a headless Chromium, and keep what is shown.

python scripts/screenshots.py [directory]     default: docs/; CHROMIUM names another browser than the one on PATH
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from tests.browser import launched  # noqa: E402
from tests.repo import orchard  # noqa: E402

EXAMPLE = ROOT / "examples" / "parts"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE_SECONDS = 120


def main() -> int:
    """The exit code: 0 when the pictures are there."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs"
    target.mkdir(parents=True, exist_ok=True)
    chromium = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if chromium is None:
        print(f"No Chromium found: install one, or set CHROMIUM to its path (looked for {', '.join(BROWSERS)}).")
        return 1
    with tempfile.TemporaryDirectory() as directory, serving(Path(directory)) as url, launched(chromium) as browser:
        take(browser, url, "light", target / "page.png")
        take(browser, url, "dark", target / "page-dark.png")
        with panel(Path(directory)) as address:
            take_panel(browser, address, target / "panel.png")
            take_explorer(browser, address, target / "explorer.png")
    return 0


@contextmanager
def serving(directory: Path) -> Iterator[str]:
    """The example with a database of its own; its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment = {**os.environ, "PARTS_DB_NAME": str(directory / "parts.sqlite3"), "PARTS_PROVIDER": "planner"}
    for command in (["migrate", "-v0"], ["seed"]):
        subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=EXAMPLE,
            env=environment,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    server = subprocess.Popen(
        [sys.executable, "-m", "uvicorn", "--log-level", "error", "--port", str(port), "config.asgi:application"],
        cwd=EXAMPLE,
        env=environment,
    )
    try:
        while server.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS).close()
                break
            except OSError:
                continue
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(PATIENCE_SECONDS)


def take(browser: Browser, url: str, scheme: str, path: Path) -> None:
    """Ask two questions as somebody of the example, open the card of the query, and leave a confirmation open."""
    context = browser.new_context(
        viewport={"width": 1000, "height": 1360},
        device_scale_factor=2,
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    page = context.new_page()
    page.goto(f"{url}/sign-in/")
    page.get_by_role("button", name="Ada").first.click()
    page.goto(f"{url}/chat/")
    ask(page, "What projects contain parts with cobalt?")
    answered(page, 1)
    page.locator(".item.tool", has_text="query").last.locator("summary").click()
    ask(page, "Archive project Halcyon.")
    expect(page.get_by_role("button", name="Confirm")).to_be_visible(timeout=PATIENCE_SECONDS * 1000)
    page.locator("#scroll").evaluate("element => { element.scrollTop = element.scrollHeight; }")
    page.screenshot(path=path)
    page.get_by_role("button", name="Reject").click()
    answered(page, 2)
    context.close()
    print(f"{path} is taken.")


@contextmanager
def panel(directory: Path) -> Iterator[str]:
    """`dragoman serve` over a small repository; the address it prints."""
    clone = orchard.build(directory / "orchard")
    server = subprocess.Popen(
        [sys.executable, "-m", "dragoman", "serve", "--port", "0", "--provider", "planner"],
        cwd=clone, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env={**os.environ, "DRAGOMAN_HOME": str(directory / "home")},
    )  # fmt: skip
    try:
        assert server.stdout is not None
        yield server.stdout.readline().split()[1]
    finally:
        server.terminate()
        server.wait(PATIENCE_SECONDS)


def take_panel(browser: Browser, address: str, path: Path) -> None:
    """Ask for callers, changes and a chart."""
    context = browser.new_context(viewport={"width": 1100, "height": 1220}, color_scheme="light")
    page = context.new_page()
    page.goto(address)
    questions = ("Who calls fit_window?", "What changed about trimming?", "commits per month as a chart")
    for turns, question in enumerate(questions, start=1):
        ask(page, question)
        answered(page, turns)
    page.locator("#scroll").evaluate("element => { element.scrollTop = 0; }")
    page.screenshot(path=path)
    context.close()
    print(f"{path} is taken.")


def take_explorer(browser: Browser, address: str, path: Path) -> None:
    """Look at a function: its callers, what it calls, its source and its history."""
    context = browser.new_context(viewport={"width": 1100, "height": 860}, color_scheme="light")
    page = context.new_page()
    page.goto(address)
    page.get_by_role("link", name="Explorer").click()
    page.get_by_label("Search symbols and text").fill("fit_window")
    page.get_by_role("link", name="orchard.window.fit_window").click()
    expect(page.get_by_role("heading", name="History")).to_contain_text("commits")
    expect(page.locator("#side [aria-current]")).to_be_visible()
    page.screenshot(path=path)
    context.close()
    print(f"{path} is taken.")


def ask(page: Page, question: str) -> None:
    page.get_by_label("Your message").fill(question)
    page.keyboard.press("Enter")


def answered(page: Page, turns: int) -> None:
    """Wait until so many answers are signed."""
    signed = page.locator(".item.text small:not(:empty)")
    expect(signed).to_have_count(turns, timeout=PATIENCE_SECONDS * 1000)


if __name__ == "__main__":
    sys.exit(main())
