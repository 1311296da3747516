"""What the tortured assistant knows: one read, a change that runs at once, one that asks; and a model that plays by the text.

Each change has a token of its own and leaves one line in a journal when it runs, which no crash takes back.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dragoman.harness.caller import Caller
from dragoman.harness.messages import Message, Usage
from dragoman.harness.provider import Piece, Spent, Text, ToolRequest
from dragoman.harness.tools import Tool, Toolbox, ToolDefinition

JOURNAL = "DRAGOMAN_TORTURE_JOURNAL"
CHANGES = ("note", "order")  # the first runs at once, the second asks


class World:
    """The grounding."""

    async def prompt(self, caller: Caller) -> str:
        return "Do as you are told."

    async def tools(self, caller: Caller) -> Toolbox:
        async def look(arguments: Mapping[str, Any]) -> Any:
            await asyncio.sleep(0.01)
            return {"rows": [{"id": arguments["mark"]}]}

        return Toolbox.of(
            [
                Tool(_definition("look"), look),
                Tool(_definition("note"), _change, writes=True),
                Tool(_definition("order"), _change, writes=True, confirm=lambda _: True),
            ]
        )


async def _change(arguments: Mapping[str, Any]) -> Any:
    line = f"{arguments['mark']}\n".encode()
    # One write to a file opened for appending: it is there whole or not at all, whoever dies.
    place = os.open(os.environ[JOURNAL], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(place, line)
    finally:
        os.close(place)
    await asyncio.sleep(0.01)
    return {"ok": True, "mark": arguments["mark"]}


def journal() -> list[str]:
    """The tokens of all changes that ran, in order."""
    path = Path(os.environ[JOURNAL])
    return path.read_text().split() if path.exists() else []


def _definition(name: str) -> ToolDefinition:
    parameters = {"type": "object", "properties": {"mark": {"type": "string"}}, "required": ["mark"]}
    return ToolDefinition(name, f"{name}.", parameters)


class Model:
    """`talk 40` says forty pieces, `look T`, `note T` and `order T` call that tool once and report."""

    name = "torturer"
    model = "script"

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolDefinition]) -> AsyncIterator[Piece]:
        asked = max(place for place, message in enumerate(messages) if message.role == "user")
        word, _, rest = messages[asked].text.partition(" ")
        answered = messages[-1].result is not None
        yield Spent(Usage(10, 1))
        if word == "talk":
            for number in range(int(rest)):
                yield Text(f"piece {number} ")
                await asyncio.sleep(0.02)
        elif answered:
            yield Text("Done with it.")
        else:
            yield Text("I will. ")
            yield ToolRequest(word, {"mark": rest})
        yield Spent(Usage(10, 5))
