"""One toolbox, three doors: the chat, the Explorer and MCP call the same functions, in process."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from dragoman.panel.explorer import LOOKS
from tests.cli.running import environment
from tests.panel.one_toolbox import CALLS, REPLACED
from tests.panel.running import serving
from tests.repo import orchard


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return orchard.build(tmp_path_factory.mktemp("one") / "orchard")


def told(home: Path, clone: Path, *words: str) -> dict[str, dict[str, Any]]:
    """What the three doors say in one process."""
    surroundings = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.panel.one_toolbox", str(home), str(clone), *words],
        check=False, capture_output=True, text=True, env=surroundings, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return found


@pytest.mark.requirement("r.tools.one-implementation")
def test_in_one_process_all_doors_say_the_same_of_every_tool(tmp_path: Path, clone: Path):
    doors = told(tmp_path / "home", clone)
    assert {*doors["chat"]} == {*doors["mcp"]} == {*CALLS}
    assert {*doors["explorer"]} == LOOKS
    assert doors["mcp"] == doors["chat"]
    assert doors["explorer"] == {name: doors["chat"][name] for name in LOOKS}
    assert not [name for name, result in doors["chat"].items() if "error" in result]


@pytest.mark.requirement("r.tools.one-implementation")
def test_a_function_that_is_replaced_is_another_one_behind_every_door(tmp_path: Path, clone: Path):
    doors = told(tmp_path / "home", clone, "replaced")
    changed = {door: {name for name, result in said.items() if REPLACED in str(result)} for door, said in doors.items()}
    assert changed["chat"] == changed["mcp"]
    assert changed["chat"] >= {"get_callers", "list_recent_activity", "read_file", "run_project_stats", "render_chart"}
    assert changed["explorer"] == changed["chat"] & LOOKS
    assert doors["explorer"] == {name: doors["chat"][name] for name in LOOKS}


@pytest.mark.requirement("r.tools.one-implementation")
def test_the_page_the_explorer_and_an_agent_get_one_answer_from_what_people_start(tmp_path: Path, clone: Path):
    home = tmp_path / "home"
    with serving(home, clone) as running:
        panel = running.enter()
        conversation = panel.ask("/orchard/", "who calls fit_window?")[1]["conversation_id"]
        kept = json.loads(panel.get(f"/orchard/conversations/{conversation}/")[2])["frames"]
        explored = json.loads(panel.get("/orchard/explorer/get_callers?name=fit_window")[2])["result"]
    (chat,) = [frame["data"] for frame in kept if frame["type"] == "tool_result"]
    words = ["-m", "dragoman", "mcp", "--repo", str(clone)]

    async def agent() -> Any:
        process = StdioServerParameters(command=sys.executable, args=words, env=environment(home))
        async with Client(stdio_client(process), read_timeout_seconds=60) as client:
            return (await client.call_tool("get_callers", {"name": "fit_window"})).content

    (text,) = asyncio.run(agent())
    assert json.loads(text.text) == explored == chat
    assert [caller["id"] for caller in chat["callers"]] == [
        "src/orchard/cli.py::main",
        "tests/test_window.py::test_the_newest_is_kept",
        "tests/test_window.py::test_a_budget_below_zero_is_refused",
    ]
