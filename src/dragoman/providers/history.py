"""A conversation on its way to a service: what all dialects need done to it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dragoman.harness.messages import Message

_NO_NAME = re.compile(r"[^a-zA-Z0-9_-]")


def split(messages: Sequence[Message]) -> tuple[str, list[Message]]:
    """The prompt (the system messages at the beginning) and all that follows, later system messages included."""
    start = next((i for i, message in enumerate(messages) if message.role != "system"), len(messages))
    return "\n\n".join(m.text for m in messages[:start] if m.text), list(messages[start:])


def sides(messages: Sequence[Message]) -> Iterator[tuple[bool, list[Message]]]:
    """Neighbouring messages of one side together, as (said by the model, messages): dialects want them to take turns."""
    group: list[Message] = []
    for message in messages:
        if group and (message.role == "assistant") != (group[0].role == "assistant"):
            yield group[0].role == "assistant", group
            group = []
        group.append(message)
    if group:
        yield group[0].role == "assistant", group


def tool_name(name: str) -> str:
    """A name every service accepts in a history, whatever the model made up at the time."""
    return _NO_NAME.sub("_", name)[:64] or "unknown"


def carried(message: Message, provider: str, model: str) -> tuple[Mapping[str, Any], ...]:
    """What goes back with the message: only to the service and model that gave it, nobody else can read it."""
    return message.carry if message.provider == provider and message.model == model else ()


def called(messages: Sequence[Message]) -> list[str]:
    """The names of the tools used in these messages, each once, in order."""
    return list(dict.fromkeys(tool_name(call.name) for message in messages for call in message.calls))
