"""History: the turns a list of messages shows, each with what was asked, called and answered."""

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dragoman.harness.messages import Message, ToolCall, ToolResult


@dataclass(frozen=True, slots=True)
class Step:
    """A call and its answer; `result` is None while nothing answers it."""

    call: ToolCall
    result: ToolResult | None

    @property
    def failed(self) -> bool:
        """Whether the call was answered by a failure."""
        return self.result is not None and self.result.failed

    @property
    def data(self) -> Mapping[str, Any]:
        """The answer as an object; empty where there is none."""
        value = self.result.data if self.result is not None else {}
        return value if isinstance(value, Mapping) else {}


@dataclass(frozen=True, slots=True)
class Turn:
    """A person's message and what was done about it."""

    text: str
    steps: tuple[Step, ...] = ()
    reply: str = ""

    def last(self, tool: str) -> Step | None:
        """The last call of this tool."""
        return next((step for step in reversed(self.steps) if step.call.name == tool), None)


@dataclass(frozen=True, slots=True)
class History:
    """The turns, oldest first, the last one being the current; and the day it is for the asking person."""

    prompt: str
    turns: tuple[Turn, ...]
    today: dt.date

    @property
    def current(self) -> Turn:
        """The turn to be answered now."""
        return self.turns[-1]

    @property
    def earlier(self) -> tuple[Turn, ...]:
        """The turns before it."""
        return self.turns[:-1]


def read(messages: Sequence[Message]) -> History | None:
    """The history these messages tell, or None when nobody has asked anything."""
    prompt = "\n".join(m.text for m in messages if m.role == "system")
    results = {m.result.call_id: m.result for m in messages if m.result is not None}
    turns: list[Turn] = []
    for message in messages:
        if message.role == "user":
            turns.append(Turn(message.text))
        elif message.role == "assistant" and turns:
            steps = tuple(Step(call, results.get(call.id)) for call in message.calls)
            turn = turns[-1]
            turns[-1] = Turn(turn.text, turn.steps + steps, f"{turn.reply} {message.text}".strip())
    return History(prompt, tuple(turns), _today(prompt)) if turns else None


def _today(prompt: str) -> dt.date:
    """The day the prompt names after "today" or "date"; else the clock's."""
    for match in re.finditer(r"\b(?:today|date)\b[^\n]{0,40}?(\d{4}-\d{2}-\d{2})", prompt, re.IGNORECASE):
        try:
            return dt.date.fromisoformat(match[1])
        except ValueError:
            continue
    return dt.datetime.now().astimezone().date()
