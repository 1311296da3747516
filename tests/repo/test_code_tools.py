"""The tools over the code graph, asked as a model asks them."""

import ast
import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from dragoman.harness import tokens
from dragoman.harness.messages import ToolCall
from dragoman.harness.tools import Toolbox, ToolError
from dragoman.repo import names, outline, scan, search
from dragoman.repo.repository import Repository
from dragoman.repo.tools import code
from tests.repo.clones import clone, commit, git, put

WINDOW = '''"""Fit what was said into a budget."""


def fit(messages, budget):
    """The newest messages that fit."""
    return Window(messages).fit(budget)


class Window:
    """A stretch of a conversation."""

    def __init__(self, messages):
        self.messages = messages

    def fit(self, budget):
        return cut(self.messages, budget)


def cut(messages, budget):
    messages.sort(key=weight)
    return messages[:budget]


def weight(message):
    return len(message)
'''
FILES = {
    "src/package/__init__.py": "",
    "src/package/window.py": WINDOW,
    "src/package/talk.py": "from package import window\n\n\ndef answer(said, thing):\n    thing.cut(said)\n"
    "    window.cut(said, 1)\n    window.Window(said)\n    thing.only_here()\n    return window.fit(said, 10)\n",
    "src/package/other.py": "class Other:\n    def fit(self):\n        return None\n\n    def only_here(self):\n        return 1\n",
    "tests/test_window.py": "from package.window import cut\n\n\ndef test_cut():\n    assert cut([], 1) == []\n",
    "lib/run.go": 'package lib\n\nfunc Run() string {\n\treturn "go"\n}\n',
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    found = clone(tmp_path_factory.mktemp("tools"), FILES)
    commit(found.root, {"src/package/talk.py": FILES["src/package/talk.py"] + "\n"}, "Add a line")
    scan.scan(found)
    return found


def ask(repository: Repository, tool: str, **arguments: Any) -> Any:
    box = Toolbox.of(code.tools(repository))
    assert box.objection(ToolCall("1", tool, arguments)) is None
    return asyncio.run(box.tools[tool].run(arguments))


def ids(found: Any) -> list[str]:
    return [one["id"] for one in found]


# ---- names -----------------------------------------------------------------------------------------------------------


def test_the_shapes_that_the_tools_tell_resolve_and_those_said_not_to_do_not(repository: Repository) -> None:
    told, _, refused = names.NAME_SHAPES.partition("Not: ")
    good = [
        word.strip("(),;.") for word in told.split() if re.fullmatch(r"[\w./:]*\bfit|.*\.py:12", word.strip("(),;."))
    ]
    assert good == [
        "window.fit", "package.window.Window.fit", "Window.fit", "src/package/window.py::Window.fit",
        "src/package/window.py:12", "fit",
    ]  # fmt: skip
    for name in good:
        assert ask(repository, "get_symbol", name=name).keys() & {"symbol", "choices"}, name
    bad = [shape.strip() for shape in refused.rstrip(".").split(",")]
    assert bad == ["fit()", "Window::fit", "Window#fit", "fit*"]
    for name in bad:
        with pytest.raises(ToolError) as refusal:
            ask(repository, "get_symbol", name=name)
        assert refusal.value.code == "unknown_symbol"


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("package.window.fit", "src/package/window.py::fit"),
        ("window.fit", "src/package/window.py::fit"),
        ("Window.fit", "src/package/window.py::Window.fit"),
        ("src/package/window.py::Window.fit", "src/package/window.py::Window.fit"),
        ("window.py::Window.fit", "src/package/window.py::Window.fit"),
        ("src/package/window.py:16", "src/package/window.py::Window.fit"),
        ("src/package/window.py:10", "src/package/window.py::Window"),
        ("src/package/window.py:1", "src/package/window.py"),
        ("src/package/window.py", "src/package/window.py"),
        ("package.window", "src/package/window.py"),
        ("only_here", "src/package/other.py::Other.only_here"),
    ],
)
def test_each_shape_of_a_name_leads_to_its_symbol(repository: Repository, name: str, id: str) -> None:
    assert ask(repository, "get_symbol", name=name)["symbol"]["id"] == id


@pytest.mark.parametrize("tool", ["get_symbol", "get_callers", "get_callees"])
def test_a_name_of_several_symbols_gives_a_choice_in_every_tool(repository: Repository, tool: str) -> None:
    told = ask(repository, tool, name="fit")
    assert told["found"] == 3
    assert ids(told["choices"]) == [
        "src/package/other.py::Other.fit", "src/package/window.py::fit", "src/package/window.py::Window.fit",
    ]  # fmt: skip


@pytest.mark.parametrize("tool", ["get_symbol", "get_callers", "get_callees"])
def test_an_unknown_name_is_refused_with_near_ones(repository: Repository, tool: str) -> None:
    with pytest.raises(ToolError, match="No symbol is called 'only_hre'") as refusal:
        ask(repository, tool, name="only_hre")
    assert refusal.value.details["near"] == ["src/package/other.py::Other.only_here"]


@pytest.mark.parametrize(
    "name", ["", "%", "_", "f_t", "'", '"', "::", ":1", "x" * 5000, "\0", "a.b.c.d", "../../etc/passwd:1"]
)
def test_no_letter_of_a_name_is_a_wildcard_or_breaks_the_question(repository: Repository, name: str) -> None:
    with pytest.raises(ToolError) as refusal:
        ask(repository, "get_symbol", name=name)
    assert refusal.value.code == "unknown_symbol"


@pytest.mark.parametrize(
    ("path", "module"),
    [
        ("src/package/window.py", "package.window"),
        ("src/package/__init__.py", "package"),
        ("packages/one/src/one/main.py", "one.main"),
        ("setup.py", "setup"),
        ("web/src/wire.ts", "web.src.wire"),
        ("src/main/java/org/x/Cart.java", "org.x.Cart"),
        ("__init__.py", "__init__"),
        ("a.b/c.d.py", "a.b.c"),
    ],
)
def test_a_file_has_a_dotted_name(path: str, module: str) -> None:
    assert names.module(path) == module


# ---- search ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("cut", "src/package/window.py::cut"),
        ("Window", "src/package/window.py::Window"),
        ("window", "src/package/window.py"),
        ("only here", "src/package/other.py::Other.only_here"),
        ("onlyHere", "src/package/other.py::Other.only_here"),
        ("newest messages", "src/package/window.py::fit"),
        ("weigth", "src/package/window.py::weight"),
        ("Window.fit", "src/package/window.py::Window.fit"),
        ("stretch of a conversation please", "src/package/window.py::Window"),
    ],
)
def test_symbols_are_found_by_name_words_docstring_and_in_spite_of_a_mistake(
    repository: Repository, query: str, first: str
) -> None:
    assert ids(ask(repository, "search_symbols", query=query)["symbols"])[0] == first


def test_what_has_all_words_in_its_name_comes_first_then_what_stands_in_the_rest_of_them(tmp_path: Path) -> None:
    files = {
        "src/window.py": '"""Fit a window."""\n\nFIT_WINDOW = 1\n\n\ndef fit(): ...\n\n\nclass Door:\n    def fit(self): ...\n',
        "src/frames.py": "def window_fit_size(): ...\n\n\nclass FitWindow:\n    def close(self): ...\n",
        "tests/test_frames.py": "def test_fit_window(): ...\n",
        "src/other.py": '"""Nothing about it."""\n\n\ndef fit(): ...\n',
    }
    found = clone(tmp_path, files)
    scan.scan(found)
    assert ids(ask(found, "search_symbols", query="fit window")["symbols"]) == [
        "src/frames.py::FitWindow",
        "src/frames.py::window_fit_size",
        "src/window.py::FIT_WINDOW",
        "src/window.py::fit",
        "src/window.py::Door.fit",
        "tests/test_frames.py::test_fit_window",
        "src/window.py",
    ]


def test_a_search_is_told_with_its_total_page_by_page(repository: Repository) -> None:
    whole = ask(repository, "search_symbols", query="fit", limit=100)
    assert whole["found"] == len(whole["symbols"])
    first = ask(repository, "search_symbols", query="fit", limit=2)
    rest = ask(repository, "search_symbols", query="fit", limit=100, offset=first["next_offset"])
    assert first["found"] == rest["found"] == whole["found"]
    assert ids(first["symbols"]) + ids(rest["symbols"]) == ids(whole["symbols"])
    assert "next_offset" not in rest


def test_a_search_by_kind_leaves_others_out(repository: Repository) -> None:
    kinds = [symbol["kind"] for symbol in ask(repository, "search_symbols", query="fit", kind="method")["symbols"]]
    assert kinds
    assert set(kinds) == {"method"}


@pytest.mark.parametrize(
    "query", ["%", "_", "*", '"', "fit OR cut", "NEAR(", "name:x", "", " ", "-", "^", "\0", "ż" * 400]
)
def test_nothing_in_a_query_is_a_sign_to_the_search(repository: Repository, query: str) -> None:
    assert ask(repository, "search_symbols", query=query).keys() >= {"found", "symbols"}
    if not re.search(r"\w", query):
        assert ask(repository, "search_symbols", query=query)["found"] == 0


def test_a_percent_sign_and_an_underscore_stand_for_themselves(tmp_path: Path) -> None:
    found = clone(tmp_path, {"a.py": "def x_y(): ...\n\n\ndef xzy(): ...\n"})
    scan.scan(found)
    assert ids(ask(found, "search_symbols", query="x_y")["symbols"]) == ["a.py::x_y"]


def test_words_of_names_are_split() -> None:
    assert names.words("HTTPServer_run2") == ["http", "server", "run", "2"]
    assert names.words("größeÄndern") == ["größe", "ändern"]
    assert names.words("__init__") == ["init"]
    assert search._IDLE.isdisjoint({"get", "set", "run"})


# ---- one symbol ------------------------------------------------------------------------------------------------------


def test_a_symbol_is_told_whole(repository: Repository) -> None:
    assert ask(repository, "get_symbol", name="window.Window")["symbol"] == {
        "id": "src/package/window.py::Window",
        "name": "package.window.Window",
        "kind": "class",
        "path": "src/package/window.py",
        "line": 9,
        "end_line": 16,
        "signature": "class Window",
        "doc": "A stretch of a conversation.",
        "source": "\n".join(WINDOW.split("\n")[8:16]),
        "parent": "src/package/window.py",
        "members": [
            {"name": "__init__", "kind": "method", "line": 12, "signature": "def __init__(self, messages)"},
            {"name": "fit", "kind": "method", "line": 15, "signature": "def fit(self, budget)"},
        ],
        "callers": 2,
        "callees": 1,
        "possible_callers": 0,
        "unresolved_calls": 0,
    }


def test_long_source_is_clipped_and_says_where_it_goes_on(tmp_path: Path) -> None:
    found = clone(tmp_path, {"a.py": "def long():\n" + "    pass\n" * 500})
    scan.scan(found)
    told = ask(found, "get_symbol", name="long")["symbol"]["source"].split("\n")
    assert len(told) == 81
    assert told[-1] == "... 421 more lines: read_file with offset 81"


# ---- calls -----------------------------------------------------------------------------------------------------------


def test_callers_are_told_call_by_call_with_line_and_tier(repository: Repository) -> None:
    told = ask(repository, "get_callers", name="window.cut")
    assert told["found"] == 3
    assert [(one["id"], one["path"], one["line"]) for one in told["callers"]] == [
        ("src/package/talk.py::answer", "src/package/talk.py", 6),
        ("src/package/window.py::Window.fit", "src/package/window.py", 16),
        ("tests/test_window.py::test_cut", "tests/test_window.py", 5),
    ]
    assert {one["tier"] for one in told["callers"]} <= {"proven", "typed"}


def test_the_lines_of_calls_hold_the_callee(repository: Repository) -> None:
    for name in ("window.cut", "window.fit", "window.Window"):
        for caller in ask(repository, "get_callers", name=name)["callers"]:
            line = (repository.root / caller["path"]).read_text().split("\n")[caller["line"] - 1]
            assert name.rpartition(".")[2] in line


def test_a_guess_is_kept_apart_and_never_counted(repository: Repository) -> None:
    told = ask(repository, "get_callers", name="only_here")
    assert (told["found"], told["callers"], told["possible_found"]) == (0, [], 1)
    assert [(one["id"], one["line"], "tier" in one) for one in told["possible"]] == [
        ("src/package/talk.py::answer", 8, False)
    ]
    symbol = ask(repository, "get_symbol", name="only_here")["symbol"]
    assert (symbol["callers"], symbol["possible_callers"], symbol["unresolved_calls"]) == (0, 1, 1)


def test_no_caller_is_said_without_doubt_only_where_nothing_stayed_open(repository: Repository) -> None:
    sure = ask(repository, "get_callers", name="Other")
    assert (sure["found"], sure["possible_found"], "unresolved_found" in sure) == (0, 0, False)
    doubtful = ask(repository, "get_callers", name="window.cut")
    assert doubtful["unresolved_found"] == 1
    assert doubtful["note"] == "1 calls of something named cut lead nowhere known; some may be callers."


def test_calling_a_class_is_calling_its_constructor(repository: Repository) -> None:
    told = ask(repository, "get_callers", name="window.Window")
    assert [(one["id"], one["line"]) for one in told["callers"]] == [
        ("src/package/talk.py::answer", 7), ("src/package/window.py::fit", 6),
    ]  # fmt: skip


def test_what_is_handed_over_without_a_call_is_shown_as_a_reference(repository: Repository) -> None:
    told = ask(repository, "get_callers", name="weight")
    assert told["found"] == 0
    assert [(one["id"], one["line"]) for one in told["references"]] == [("src/package/window.py::cut", 20)]


def test_callees_and_callers_are_the_same_edges(repository: Repository) -> None:
    told = ask(repository, "get_callees", name="answer")
    assert [(one["id"], one["line"]) for one in told["callees"]] == [
        ("src/package/window.py::cut", 6), ("src/package/window.py::Window", 7), ("src/package/window.py::fit", 9),
    ]  # fmt: skip
    for one in told["callees"]:
        callers = ask(repository, "get_callers", name=one["id"])["callers"]
        assert ("src/package/talk.py::answer", one["line"]) in [(back["id"], back["line"]) for back in callers]
    assert told["unresolved"] == [{"text": "thing.cut", "line": 5}, {"text": "thing.only_here", "line": 8}]
    assert (told["unresolved_found"], told["possible_found"]) == (2, 1)


def test_counts_of_a_symbol_are_those_of_its_lists(repository: Repository) -> None:
    for name in ("window.cut", "window.Window", "answer", "window.fit", "src/package/window.py"):
        symbol = ask(repository, "get_symbol", name=name)["symbol"]
        assert symbol["callers"] == ask(repository, "get_callers", name=name)["found"]
        assert symbol["callees"] == ask(repository, "get_callees", name=name)["found"]


def test_calls_of_a_language_that_is_not_followed_are_said_to_be_unknown(repository: Repository) -> None:
    told = ask(repository, "get_callers", name="lib/run.go")
    assert told["not_indexed"] == "Calls in go files are not followed; search_text finds the name."


def test_many_callers_come_page_by_page(tmp_path: Path) -> None:
    calls = "".join(f"\n\ndef caller_{at}():\n    return hub()\n" for at in range(230))
    found = clone(tmp_path, {"a.py": f"def hub():\n    return 1\n{calls}"})
    scan.scan(found)
    seen: list[str] = []
    offset = 0
    while offset is not None:
        page = ask(found, "get_callers", name="hub", limit=100, offset=offset)
        assert page["found"] == 230
        seen += ids(page["callers"])
        offset = page.get("next_offset")
    assert seen == [f"a.py::caller_{at}" for at in range(230)]


# ---- areas -----------------------------------------------------------------------------------------------------------


def test_an_area_is_told_by_file_with_lines_and_commits(repository: Repository) -> None:
    told = ask(repository, "get_area_outline", path="src/package/")
    assert (told["path"], told["shape"], told["symbol_count"]) == ("src/package", "symbols", 10)
    assert [(file["path"], file["commits"]) for file in told["files"]] == [
        ("src/package/__init__.py", 1), ("src/package/other.py", 1), ("src/package/talk.py", 2), ("src/package/window.py", 1),
    ]  # fmt: skip
    assert told["files"][1]["symbols"] == [
        {"name": "Other", "kind": "class", "line": 1, "end_line": 6},
        {"name": "Other.fit", "kind": "method", "line": 2, "end_line": 3},
        {"name": "Other.only_here", "kind": "method", "line": 5, "end_line": 6},
    ]


def test_the_outline_of_this_file_is_what_the_parser_of_python_says(tmp_path: Path) -> None:
    text = Path(__file__).read_text("utf-8")
    found = clone(tmp_path, {"test_it.py": text})
    scan.scan(found)
    told = ask(found, "get_area_outline", path="test_it.py")["files"][0]["symbols"]
    defined = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    functions = {(node.name, node.end_lineno) for node in defined}
    assert {(one["name"], one["end_line"]) for one in told if one["kind"] == "function"} == functions


def test_above_150_symbols_the_files_alone_are_told_and_above_300_files_the_folders(tmp_path: Path) -> None:
    many = {f"big/m{at}.py": "".join(f"def f{n}(): ...\n" for n in range(31)) for at in range(5)}
    wide = {f"wide/p{at % 7}/m{at}.py": "" for at in range(outline.MOST_FILES + 5)}
    found = clone(tmp_path, many | wide)
    scan.scan(found)
    files = ask(found, "get_area_outline", path="big")
    assert (files["shape"], files["symbol_count"]) == ("files", 155)
    assert [(file["symbol_count"], file["lines"], file["commits"]) for file in files["files"]] == [(31, 31, 1)] * 5
    folders = ask(found, "get_area_outline", path="wide")
    assert folders["shape"] == "folders"
    assert sum(folder["files"] for folder in folders["folders"]) == outline.MOST_FILES + 5
    assert [folder["path"] for folder in folders["folders"]] == [f"wide/p{at}" for at in range(7)]
    whole = ask(found, "get_area_outline")
    assert {folder["path"]: folder["files"] for folder in whole["folders"]}["big"] == 5
    assert len(json.dumps(whole)) < 30_000


@pytest.mark.parametrize(
    "path", ["src/packag", "%", "src/pack_ge", "nope.py", "../x", "/etc", "src/package/window.py/x"]
)
def test_an_area_that_is_not_there_is_refused(repository: Repository, path: str) -> None:
    with pytest.raises(ToolError) as refusal:
        ask(repository, "get_area_outline", path=path)
    assert refusal.value.code == "unknown_path"


def test_a_file_that_was_left_out_is_told_with_the_reason(tmp_path: Path) -> None:
    found = clone(tmp_path, {"a.py": "", "logo.png": b"\x89PNG\0"})
    scan.scan(found)
    with pytest.raises(ToolError, match=r"logo\.png is not indexed: binary"):
        ask(found, "get_area_outline", path="logo.png")


# ---- all of them -----------------------------------------------------------------------------------------------------


def test_before_a_scan_every_tool_answers_with_the_command_to_run(tmp_path: Path) -> None:
    found = clone(tmp_path, FILES)
    for tool, arguments in {
        "search_symbols": {"query": "x"}, "get_symbol": {"name": "x"}, "get_callers": {"name": "x"},
        "get_callees": {"name": "x"}, "get_area_outline": {},
    }.items():  # fmt: skip
        with pytest.raises(ToolError, match="dragoman scan") as refusal:
            ask(found, tool, **arguments)
        assert refusal.value.code == "not_indexed"


def test_source_outside_the_root_is_not_shown_through_a_link_made_since(tmp_path: Path) -> None:
    put(tmp_path / "outside", {"secret.py": "def key():\n    return 'hidden'\n"})
    found = clone(tmp_path, {"a/secret.py": "def key():\n    return 'open'\n"})
    scan.scan(found)
    (found.root / "a/secret.py").unlink()
    (found.root / "a").rmdir()
    (found.root / "a").symlink_to(tmp_path / "outside")
    assert ask(found, "get_symbol", name="key")["symbol"]["source"] == ""


def test_a_secret_in_the_code_is_masked_wherever_a_symbol_is_told(tmp_path: Path) -> None:
    key = "sk-" + "a1B2" * 10
    found = clone(
        tmp_path, {"a.py": f'API_KEY = "{key}"\n\n\nclass Client:\n    """Uses {key}."""\n\n    TOKEN = "{key}"\n'}
    )
    scan.scan(found)
    for tool, arguments in (
        ("get_symbol", {"name": "API_KEY"}), ("get_symbol", {"name": "Client"}), ("search_symbols", {"query": "client"}),
        ("get_callers", {"name": "Client"}),
    ):  # fmt: skip
        told = json.dumps(ask(found, tool, **arguments))
        assert key not in told
        assert "[masked]" in told


def test_commits_of_an_area_are_those_of_its_history_renames_followed_and_merges_left_out(tmp_path: Path) -> None:
    found = clone(tmp_path, {"old.py": "def total(): ...\n" * 9})
    root = found.root
    commit(root, {"old.py": "def total(): ...\n" * 10})
    (root / "old.py").rename(root / "new.py")
    commit(root, {}, "Rename it")
    git(root, "switch", "--quiet", "-c", "side")
    commit(root, {"new.py": "def total(): ...\n" * 11})
    git(root, "switch", "--quiet", "main")
    commit(root, {"other.py": ""})
    git(root, "merge", "--quiet", "--no-ff", "-m", "Merge", "side")
    scan.scan(found)
    told = ask(found, "get_area_outline", path="new.py")["files"]
    assert told[0]["commits"] == 4 == len(git(root, "log", "--follow", "--format=%h", "new.py").split())


def test_the_five_tools_cost_few_tokens(repository: Repository) -> None:
    assert tokens.of_tools([tool.definition for tool in code.tools(repository)]) < 650
