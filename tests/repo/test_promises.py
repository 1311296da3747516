"""What is promised of the tools over a clone, as a model gets it through the Assistant."""

import json
import re
from typing import Any

import pytest

from dragoman.harness.provider import ToolRequest
from dragoman.harness.tools import Toolbox
from dragoman.repo import names, scan
from dragoman.repo.repository import Repository
from dragoman.repo.tools import code, files, history, stats
from tests.repo import guarded
from tests.repo.clones import clone, commit

ROOMS = (code.tools, history.tools, files.tools, stats.tools)
BY_NAME = ("get_symbol", "get_callers", "get_callees")
WINDOW = "def fit(messages):\n    return Window(messages).fit()\n\n\nclass Window:\n    def __init__(self, messages):\n"
WINDOW += "        self.messages = messages\n\n    def fit(self):\n        return self.messages\n\n\nSIZE = 3\n"


async def call(repository: Repository, tool: str, /, **arguments: Any) -> Any:
    frames = await guarded.turn(repository, [ToolRequest(tool, arguments)], "Done.", rooms=ROOMS)
    (data,) = [frame["data"] for frame in frames if frame["type"] == "tool_result"]
    return data


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A package with a window, and a folder of so many functions that no list of them is short."""
    many = {
        f"many/part{n:02}.py": "".join(f"def step_{n}_{k}():\n    return {k}\n\n" for k in range(40)) for n in range(40)
    }
    texts = {f"texts/note{n:04}.txt": f"a line about windows {n}\n" * 40 for n in range(400)}
    found = clone(
        tmp_path_factory.mktemp("promises"),
        {
            "src/package/__init__.py": "",
            "src/package/window.py": WINDOW,
            "long.txt": "word " * 30 + "\n",
            **many,
            **texts,
        },
    )
    commit(found.root, {"src/package/window.py": WINDOW + "\nMORE = 4\n"}, "Add more")
    scan.scan(found)
    return found


@pytest.mark.requirement("r.tools.symbols")
async def test_every_name_takes_the_shapes_one_sentence_tells_and_no_others(repository: Repository) -> None:
    tools = Toolbox.of(code.tools(repository)).tools
    assert all(
        names.NAME_SHAPES in tools[tool].definition.parameters["properties"]["name"]["description"] for tool in BY_NAME
    )
    told, _, refused = names.NAME_SHAPES.partition("Not: ")
    words = [word.strip("(),;.") for word in told.split()]
    good = [word for word in words if re.fullmatch(r"[\w./:]*\bfit|.*\.py:\d+", word)]
    bad = [shape.strip() for shape in refused.rstrip(".").split(",")]
    assert len(good) >= 5
    assert len(bad) >= 3
    for tool in BY_NAME:
        for name in good:
            answer = await call(repository, tool, name=name.replace(":12", ":6"))
            assert answer.keys() & {"symbol", "choices"}, (tool, name, answer)
        for name in bad:
            assert (await call(repository, tool, name=name))["code"] == "unknown_symbol", (tool, name)
    found = await call(repository, "search_symbols", query="windw")
    assert "src/package/window.py::Window" in [one["id"] for one in found["symbols"]]
    callers = await call(repository, "get_callers", name="Window.fit")
    assert [(one["id"], one["line"]) for one in callers["callers"]] == [("src/package/window.py::fit", 2)]
    callees = await call(repository, "get_callees", name="window.fit")
    assert "src/package/window.py::Window.fit" in [one["id"] for one in callees["callees"]]


@pytest.mark.requirement("r.tools.outline")
async def test_an_outline_gives_symbols_with_lines_and_commits_and_above_150_a_map_of_files(
    repository: Repository,
) -> None:
    small = await call(repository, "get_area_outline", path="src")
    (window,) = [one for one in small["files"] if one["path"] == "src/package/window.py"]
    assert (small["shape"], window["commits"]) == ("symbols", 2)
    assert {(one["name"], one["line"], one["end_line"]) for one in window["symbols"]} >= {
        ("fit", 1, 2),
        ("Window", 5, 10),
    }
    large = await call(repository, "get_area_outline", path="many")
    assert (large["shape"], large["symbol_count"]) == ("files", 1600)
    assert {one["path"]: one["symbol_count"] for one in large["files"]} == {
        f"many/part{n:02}.py": 40 for n in range(40)
    }


@pytest.mark.requirement("r.tools.payload")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_symbols", {"query": "step", "limit": 100}),
        ("get_area_outline", {"path": ""}),
        ("search_text", {"query": "windows", "limit": 100}),
        ("list_dir", {"path": "texts"}),
        ("read_file", {"path": "texts/note0000.txt"}),
        ("run_project_stats", {"sql": "SELECT path, count(*) AS commits FROM commit_files GROUP BY path"}),
        ("get_commit", {"sha": "HEAD~1", "diff": True}),
        ("get_area_history", {"path": "texts"}),
    ],
)
async def test_a_large_result_is_whole_json_under_the_budget_and_says_what_is_missing(
    repository: Repository, tool: str, arguments: dict[str, Any]
) -> None:
    data = await call(repository, tool, **arguments)
    assert "error" not in data, data
    assert len(json.dumps(data, ensure_ascii=False, separators=(",", ":"))) <= 30_000
    shown = max((len(value) for value in data.values() if isinstance(value, list)), default=0)
    missing = {"next_offset", "withheld", "capped", "diff_clipped", "files_withheld", "shape"} & data.keys()
    assert missing or shown == data.get("found", shown)
