"""The panel as somebody meets it who started `dragoman serve`, and as somebody meets it who did not."""

import asyncio
import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests import doors
from tests.panel.running import WAIT, Panel, serving
from tests.repo import orchard

ROUTES = (
    "/",
    "/orchard/",
    "/orchard/conversations/",
    "/orchard/models/",
    "/orchard/explorer",
    "/orchard/explorer/get_repo_overview",
    "/static/dragoman/page.js",
    "/api/x",
    "/nowhere",
)


@pytest.fixture(scope="module")
def clones(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    first = orchard.build(tmp_path_factory.mktemp("one") / "orchard")
    second = orchard.build(tmp_path_factory.mktemp("two") / "orchard")
    return first, second


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, clones: tuple[Path, Path]) -> Iterator[Panel]:
    with serving(tmp_path_factory.mktemp("home"), *clones) as panel:
        yield panel


@pytest.fixture
def panel(running: Panel) -> Panel:
    """The running panel, and somebody who has not come in yet."""
    return Panel(running.process, running.address)


def test_the_address_that_was_printed_lets_its_person_in_and_keeps_no_token_in_sight(panel: Panel):
    path = panel.address.removeprefix(panel.url)
    status, headers, _ = panel.get(path)
    assert (status, headers["location"]) == (302, "/")
    assert panel.get("/")[0] == 200


@pytest.mark.parametrize("path", ROUTES)
def test_without_the_token_nobody_gets_anything(panel: Panel, path: str):
    assert panel.get(path)[0] == 403
    assert panel.get(f"{path}?token=wrong")[0] == 403


@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.test"},
        {"Host": "evil.test:{port}"},
        {"Host": "127.0.0.1:1"},
        {"Origin": "http://evil.test"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"},
    ],
    ids=str,
)
def test_a_foreign_host_or_origin_gets_nothing_on_any_route_even_signed_in(
    panel: Panel, path: str, headers: dict[str, str]
):
    panel.enter()
    status, _, body = panel.get(path, **{name: value.format(port=panel.port) for name, value in headers.items()})
    assert (status, body) == (403, b"This server answers pages of its own only.\n")


def test_a_question_is_answered_from_the_clone_whose_page_asked(panel: Panel, clones: tuple[Path, Path]):
    panel.enter()
    status, told = panel.ask("/orchard/", "where is fit_window?")
    assert status == 200
    assert "src/orchard/window.py:4" in told["answer"]
    status, page = panel.get("/orchard/conversations/" + told["conversation_id"] + "/")[::2]
    assert status == 200
    assert json.loads(page)["frames"][0]["type"] == "user_message"
    # The other clone of the same name is another chat.
    assert panel.get("/orchard-2/conversations/" + told["conversation_id"] + "/")[0] == 404


def test_two_repositories_are_listed_with_their_folders(panel: Panel, clones: tuple[Path, Path]):
    page = panel.enter().get("/")[2].decode()
    for link, clone in zip(("/orchard/", "/orchard-2/"), clones, strict=True):
        assert f'href="{link}"' in page
        assert str(clone) in page


def test_a_post_without_the_pages_own_token_is_refused(panel: Panel):
    panel.enter()
    assert panel.ask("/orchard/", "hello", **{"X-CSRFToken": "wrong"})[0] == 403


@pytest.mark.parametrize("path", ["/api/x", "/api/", "/nowhere", "/static/none.js", "/static/../settings.py"])
def test_what_is_not_there_is_not_found(panel: Panel, path: str):
    assert panel.enter().get(path)[0] in (400, 404)


@pytest.mark.parametrize(
    "path",
    ["/", "/orchard/", "/orchard/explorer", "/orchard/explorer/list_dir", "/static/dragoman/page.js", "/nowhere"],
)
def test_every_answer_says_what_may_be_loaded(panel: Panel, path: str):
    _, headers, _ = panel.enter().get(path)
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'self'; img-src 'self' data:;")
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"


async def test_a_websocket_answers_whoever_came_in_and_turns_everybody_else_away(panel: Panel):
    address = f"ws://127.0.0.1:{panel.port}/orchard/"
    panel.enter()
    came_in = {"Cookie": panel.cookie}
    for origin, headers in (("http://evil.test", came_in), (panel.url, {}), (None, {"Host": "evil.test", **came_in})):
        with pytest.raises(InvalidStatus) as refused:
            async with connect(address, origin=origin, additional_headers=headers, proxy=None):
                pass
        assert refused.value.response.status_code == 403
    async with connect(address, origin=panel.url, additional_headers=came_in, proxy=None) as line:
        await line.send(json.dumps({"type": "message", "text": "who calls fit_window?"}))
        said, kind = "", ""
        while kind != "done":
            frame = json.loads(await asyncio.wait_for(line.recv(), WAIT))
            kind = frame["type"]
            said += frame.get("content", "") if kind == "text_chunk" else ""
    doors.enter("websocket")
    assert "src/orchard/cli.py:11" in said


def test_a_killed_panel_starts_again_and_has_the_conversations(tmp_path: Path, clones: tuple[Path, Path]):
    with serving(tmp_path / "home", clones[0]) as panel:
        told = panel.enter().ask("/orchard/", "where is fit_window?")[1]
        panel.end(signal.SIGKILL)
    with serving(tmp_path / "home", clones[0]) as panel:
        assert panel.get("/orchard/")[0] == 403  # the session ended with its server
        frames = json.loads(panel.enter().get(f"/orchard/conversations/{told['conversation_id']}/")[2])["frames"]
        assert frames[0]["text"] == "where is fit_window?"
        assert panel.ask("/orchard/", "who calls fit_window?")[0] == 200
    assert not list(clones[0].glob("*.sqlite3*"))
    assert orchard.git(clones[0], "status", "--porcelain", "--ignored") == ""


def test_an_interrupt_ends_it_with_130(tmp_path: Path, clones: tuple[Path, Path]):
    with serving(tmp_path / "home", clones[0]) as panel:
        panel.enter()
        assert panel.end(signal.SIGINT) == 130
