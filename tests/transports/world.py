"""A small world to chat about, and a model that plays a script by what it was asked; for this process and for others.

A script waits at a gate until a test opens it. A gate is a file, so that a test can hold one in another process too.
"""

import asyncio
import os
import tempfile
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from dragoman.harness.caller import Caller
from dragoman.harness.errors import ProviderError
from dragoman.harness.messages import Message, Usage
from dragoman.harness.provider import Piece, Spent, Text, Thought, ToolRequest
from dragoman.harness.tools import Operation, Tool, Toolbox, ToolDefinition, ToolError

GATES = Path(os.environ.setdefault("DRAGOMAN_TEST_GATES", tempfile.mkdtemp(prefix="dragoman-gates-")))


class Gate:
    """A place in a script where it waits for a test."""

    def __init__(self, name: str) -> None:
        self.name = name

    async def __call__(self) -> None:
        mark(f"{self.name}.reached")
        try:
            while not happened(f"{self.name}.open"):  # noqa: ASYNC110  # it may be opened by another process
                await asyncio.sleep(0.01)
        except BaseException:
            mark(f"{self.name}.left")
            raise


def mark(name: str) -> None:
    """Note that something happened, for whichever process waits for it."""
    (GATES / name).touch()


def happened(name: str) -> bool:
    return (GATES / name).exists()


async def until(name: str, seconds: float = 20) -> None:
    """Wait until something was marked; the bound only ends a test that hangs."""
    async with asyncio.timeout(seconds):
        while not happened(name):  # noqa: ASYNC110  # it may happen in another process
            await asyncio.sleep(0.01)


def close(gate: str) -> None:
    """From now on whoever comes by this gate waits there, in any process; see `project/gates.py`."""
    mark(f"{gate}.closed")


def is_closed(gate: str) -> bool:
    return happened(f"{gate}.closed")


def arrival(gate: str) -> str:
    """A mark of one who waits at a gate."""
    return f"{gate}.arrived.{uuid.uuid4().hex}"


async def open_for(gate: str, count: int, seconds: float = 60) -> None:
    """Open a gate once so many wait there; the bound only ends a test that hangs."""
    async with asyncio.timeout(seconds):
        while _arrived(gate) < count:  # noqa: ASYNC110  # they are in other processes
            await asyncio.sleep(0.01)
    (GATES / f"{gate}.closed").unlink()


def _arrived(gate: str) -> int:
    return len(list(GATES.glob(f"{gate}.arrived.*")))


def forget() -> None:
    """Close every gate and take every mark away."""
    for path in GATES.iterdir():
        path.unlink()
    written.clear()


# The world ------------------------------------------------------------------------------------------------------------

ROWS = {"Apollo": "active", "Gemini": "planned"}
MONTHS = [f"2026-{month:02}" for month in range(1, 13)]
EVIL = "<img src='http://evil.example/x.png'>"
CHARTS: dict[str, Any] = {
    "stacked": {
        "kind": "stacked",
        "title": "Lines per month",
        "x": {"label": "month", "values": MONTHS},
        "series": [
            {"name": "added", "values": [120, 80, 0, 340, 210, 90, 400, 310, 20, 55, 130, 75]},
            {"name": "removed", "values": [20, 60, 0, 140, 110, 30, 100, 210, 10, 5, 30, 25]},
        ],
        "caption": "1 month without rows drawn as 0.",
    },
    "line": {
        "kind": "line",
        "title": "Balance",
        "x": {"label": "month", "values": MONTHS},
        "series": [{"name": "balance", "values": [5, 3, -2, -4.5, 0, 1, 2.25, 8, 9, 7, 3, 1]}],
    },
    "bar": {
        "kind": "bar",
        "title": EVIL,
        "x": {"label": EVIL, "values": [EVIL, "b.py"]},
        "series": [{"name": EVIL, "values": [3, 1]}],
        "caption": EVIL,
    },
    "horizontal": {
        "kind": "horizontal",
        "title": "Busiest files",
        "x": {"label": "path", "values": ["src/a/very/long/way/down/to/the/last/of/all/files.py", "README.md"]},
        "series": [{"name": "commits", "values": [1200, 7]}],
    },
    "broken": {
        "kind": "pie",
        "title": "No",
        "x": {"label": "x", "values": ["a"]},
        "series": [{"name": "n", "values": ["b"]}],
    },
}
OPERATION = "renameProject"
written: list[tuple[str, str]] = []


class World:
    """A grounding with one tool that reads and one that writes, which asks first unless the name is `Gemini`."""

    def __init__(self, open_to_all: bool = False) -> None:
        self.open_to_all = open_to_all

    async def prompt(self, caller: Caller) -> str:
        return f"You know projects. {caller.name or 'Nobody'} asks."

    async def tools(self, caller: Caller) -> Toolbox:
        async def look_up(arguments: Any) -> Any:
            name = arguments["name"]
            if name not in ROWS:
                raise ToolError(f"There is no project {name!r}. There is: {', '.join(ROWS)}.", "not_found")
            return {"name": name, "status": ROWS[name]}

        async def rename(arguments: Any) -> Any:
            if not caller.is_authenticated:
                raise ToolError("Only people who are signed in may change anything.", "permission_denied")
            if arguments["to"] == "Slow":
                await Gate("slow")()
            written.append((arguments["name"], arguments["to"]))
            mark(f"renamed.{arguments['name']}")
            return {"ok": True, "object": {"name": arguments["to"]}}

        async def draw(arguments: Any) -> Any:
            return {"chart": CHARTS[arguments["name"]]}

        text = {"type": "string"}
        return Toolbox.of(
            [
                Tool(_definition("draw", "Draw a chart.", name=text), draw),
                Tool(_definition("look_up", "Look a project up.", name=text), look_up),
                Tool(
                    _definition("rename", "Rename a project.", name=text, to=text),
                    rename,
                    writes=True,
                    confirm=lambda arguments: arguments["name"] != "Gemini",
                    operation=lambda arguments: Operation(OPERATION, arguments),
                ),
            ]
        )


def _definition(name: str, about: str, /, **properties: Any) -> ToolDefinition:
    parameters = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return ToolDefinition(name, about, parameters)


# The model ------------------------------------------------------------------------------------------------------------

Line = Piece | str | Exception | Gate
Round = Iterable[Line] | Callable[[Sequence[Message]], Iterable[Line]]

RENAME = ToolRequest("rename", {"name": "Apollo", "to": "Artemis"})


def _what_became_of_it(messages: Sequence[Message]) -> Iterable[Line]:
    results = [m.result.data for m in messages if m.result is not None]
    return ["Renamed." if results[-1].get("ok") else f"Left it: {results[-1].get('reason')}."]


# In pieces that cut signs in two.
PROSE = [
    "## It **is", "** there\n`Apollo` is *", "*active** in ``a `b` c``:\n- the `first", "`, **bold `code`**\n  goes on\n- 2**3**4 and ` alone\n\n",
    "1. one\n2. two\n\n``", "`py\nx = \"<b>\"\n\n- no list\n", "```\nThe end.",
]  # fmt: skip
HOSTILE = (
    "`<img src=http://evil.example/x.png onerror=boo()>` **<script>boo()</script>**\n"
    "- <a href='javascript:boo()'>x</a> [click](http://evil.example) ![x](http://evil.example/y.png)\n"
    "```html\n<iframe src='http://evil.example'></iframe>\n```\n<http://evil.example> https://evil.example/z\n"
    "`open **open"
)


def increment() -> int:
    """How often this was asked."""
    _COUNTED.append(1)
    return len(_COUNTED)


_COUNTED: list[int] = []


SCRIPTS: dict[str, list[Round]] = {
    "hello": [["Good ", "day."]],
    "look": [
        [Thought("A name. "), "Looking. ", ToolRequest("look_up", {"name": "Apollo"}), Spent(Usage(20, 5))],
        ["Apollo is ", "active.", Spent(Usage(40, 4, 20))],
    ],
    "look twice": [
        [ToolRequest("look_up", {"name": "Apollo"}), ToolRequest("look_up", {"name": "Vostok"})],
        ["One is there."],
    ],
    "claim": [[ToolRequest("look_up", {"name": "Apollo"})], ["\U0001f680 Apollo is active ", "and has 7 parts."]],
    "rename at once": [[ToolRequest("rename", {"name": "Gemini", "to": "Castor"})], _what_became_of_it],
    "rename slowly": [[ToolRequest("rename", {"name": "Gemini", "to": "Slow"})], _what_became_of_it],
    "rename": [["I will. ", RENAME], _what_became_of_it],
    "rename two": [[RENAME, ToolRequest("rename", {"name": "Apollo", "to": "Aurora"})], _what_became_of_it],
    "rename again and again": [[RENAME], [RENAME], _what_became_of_it],
    **{f"draw {name}": [[ToolRequest("draw", {"name": name})], ["Drawn."]] for name in CHARTS},
    "prose": [[ToolRequest("look_up", {"name": "Apollo"})], PROSE],
    "hostile": [[HOSTILE]],
    "count": [lambda messages: [f"Answer {increment()}."]],
    "markup": [["<img src='http://evil.example/x.png'> <b>bold</b> ", "<script>boo()</script>"]],
    "long": [["\n".join(f"line {number}" for number in range(200)), Gate("long"), "\nthe end"]],
    "fail at once": [[ProviderError("The model's service failed.")]],
    "fail": [["It began, ", ProviderError("The model's service failed.")]],
    "break": [["It began, ", RuntimeError("secret: hunter2")]],
    "wait": [["Piece one, ", Gate("wait"), "piece two."]],
    "silent": [[Gate("silent"), "Too late."]],
    "pondering": [[ToolRequest("look_up", {"name": "Apollo"})], [Gate("pondering"), "Apollo is active."]],
}


class Actor:
    """Plays the script that is named by the last thing a person said; its place in it is told by the transcript."""

    name = "actor"
    model = "script"

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolDefinition]) -> AsyncIterator[Piece]:
        asked = max(place for place, message in enumerate(messages) if message.role == "user")
        since = messages[asked:]
        rounds = SCRIPTS[since[0].text]
        round_ = rounds[sum(message.role == "assistant" for message in since)]
        mark("asked")
        for line in round_(messages) if callable(round_) else round_:
            match line:
                case str():
                    yield Text(line)
                case Exception():
                    raise type(line)(*line.args)
                case Gate():
                    await line()
                case _:
                    yield line


class Configured(Actor):
    """Says what it was built with, and otherwise plays on."""

    def __init__(self, model: str, base_url: str = "") -> None:
        self.model = f"{model} at {base_url}"
