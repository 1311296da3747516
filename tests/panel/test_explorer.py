"""The Explorer's address for each tool: what the tool says, for the person who came in, and nothing that writes or spends."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from dragoman.harness.caller import Caller
from dragoman.harness.messages import ToolCall
from dragoman.panel import explorer
from dragoman.repo.grounding import RepoGrounding
from dragoman.repo.repository import find
from tests.panel.one_toolbox import CALLS
from tests.panel.running import Panel, serving
from tests.repo import orchard


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return orchard.build(tmp_path_factory.mktemp("explored") / "orchard")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def panel(home: Path, clone: Path) -> Iterator[Panel]:
    with serving(home, clone) as running:
        yield running.enter()


def look(panel: Panel, tool: str, **values: Any) -> tuple[int, Any]:
    status, headers, body = panel.get(f"/orchard/explorer/{tool}?{urlencode(values)}")
    assert headers["content-type"] == "application/json"
    return status, json.loads(body)


@pytest.mark.parametrize("tool", sorted(explorer.LOOKS))
async def test_each_tool_says_what_it_says_to_the_chat(panel: Panel, home: Path, clone: Path, tool: str):
    status, told = look(
        panel, tool, **{name: "true" if value is True else value for name, value in CALLS[tool].items()}
    )
    box = await RepoGrounding(find(clone, home)).tools(Caller("visitor"))
    result = await box.run(ToolCall("1", tool, CALLS[tool]), budget=30_000, timeout_seconds=60)
    assert not result.failed
    assert (status, told) == (200, {"result": result.data, "failed": False, "note": ""})


async def test_what_a_get_may_call_neither_writes_nor_is_unknown_to_the_chat(home: Path, clone: Path):
    box = await RepoGrounding(find(clone, home)).tools(Caller("visitor"))
    assert set(box.tools) >= explorer.LOOKS
    assert not any(box.tools[name].writes for name in explorer.LOOKS)


@pytest.mark.parametrize("tool", ["run_project_stats", "render_chart", "get_rationale", "nothing", "__init__"])
def test_a_tool_it_has_not_is_not_found_and_those_it_has_are_named(panel: Panel, tool: str):
    status, told = look(panel, tool, sql="SELECT count(*) FROM commits")
    assert (status, told["code"]) == (404, "unknown_tool")
    assert "get_symbol" in told["message"]


def test_what_a_tool_cannot_do_is_told_as_the_tool_tells_it(panel: Panel):
    for tool, values, said in (
        ("get_symbol", {"name": "fit_windwo"}, "No symbol is called 'fit_windwo'"),
        ("get_symbol", {}, "get_symbol did not run"),
        ("get_callers", {"name": "main", "limit": "many"}, "get_callers did not run"),
        ("get_callers", {"name": "main", "limit": "9" * 40}, "get_callers did not run"),
        ("get_callers", {"name": "main", "limit": "-1"}, "get_callers did not run"),
        ("get_callers", {"name": "main", "unheard": "of"}, "get_callers did not run"),
        ("read_file", {"path": "../../etc/passwd"}, "outside"),
        ("read_file", {"path": "src"}, "folder"),
    ):
        status, told = look(panel, tool, **values)
        assert (status, told["failed"]) == (200, True)
        assert said in told["result"]["error"], told


def test_a_secret_of_the_clone_is_refused_like_anywhere_else(panel: Panel, clone: Path):
    (clone / ".env").write_text("KEY=orchard-secret-1\n")
    try:
        for tool, values in (
            ("read_file", {"path": ".env"}),
            ("read_file", {"path": "src/../.env"}),
            ("search_text", {"query": "orchard-secret-1"}),
            ("list_dir", {"path": ""}),
        ):
            assert "orchard-secret" not in json.dumps(look(panel, tool, **values)[1]["result"])
    finally:
        (clone / ".env").unlink()


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "HEAD"])
def test_it_is_only_read(panel: Panel, method: str):
    page = panel.get("/orchard/")[2].decode()
    token = page.partition('data-token="')[2].partition('"')[0]
    status, _, _ = panel.request(method, "/orchard/explorer/list_dir", "{}", **{"X-CSRFToken": token})
    assert status == 405


def test_an_edit_is_seen_and_an_index_that_is_behind_is_said_to_be(tmp_path: Path):
    clone = orchard.build(tmp_path / "orchard")
    with serving(tmp_path / "home", clone) as running:
        panel = running.enter()
        # Before the first look, so that none of the two seconds has to be waited for.
        (clone / "more.py").write_text("def one_more():\n    pass\n")
        assert look(panel, "get_symbol", name="one_more")[1]["result"]["symbol"]["path"] == "more.py"
    with serving(tmp_path / "home", clone) as running:
        for at in range(61):
            (clone / f"more_{at}.py").write_text("x = 1\n")
        told = look(running.enter(), "list_dir")[1]
        assert "61 files changed since the last scan" in told["note"]
        assert not told["failed"]
