"""Fit a history into a budget without orphaning a tool result."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dragoman.harness import tokens
from dragoman.harness.limits import Limits
from dragoman.harness.messages import Message
from dragoman.harness.results import to_json


@dataclass(frozen=True, slots=True)
class Window:
    """A history in two: what is folded into the summary, and what is sent in full."""

    folded: tuple[Message, ...]
    kept: tuple[Message, ...]


def fit(messages: Sequence[Message], limits: Limits, *, spare_tokens: int | None = None) -> Window:
    """Divide a history, oldest first, whose latest exchange is never folded, nor the question that follows it.

    Counts user and assistant messages; results travel with the message that asked. Above `summarize_after` all but the
    newest `max_recent_messages` are folded (ADR 0008, section 10: of 25 messages with 10 and 20 the first five). Where
    `spare_tokens` is less than what is kept, more is folded.
    """
    starts = [i for i, message in enumerate(messages) if message.role in ("user", "assistant")]
    cut = 0
    if len(starts) > limits.summarize_after and len(starts) > limits.max_recent_messages:
        cut = starts[len(starts) - limits.max_recent_messages] if limits.max_recent_messages else len(messages)
    latest = _latest_exchange(messages)
    cut = min(cut, latest)
    if spare_tokens is not None:
        sizes = [tokens.of_message(message) for message in messages]
        while cut < latest and sum(sizes[cut:]) > spare_tokens:
            cut = next((i for i in starts if i > cut), latest)
    return Window(tuple(messages[:cut]), tuple(messages[cut:]))


def start_of_turn(messages: Sequence[Message]) -> int:
    """Where the latest exchange begins: the place of the last user message, 0 without one."""
    return next((i for i in range(len(messages) - 1, -1, -1) if messages[i].role == "user"), 0)


def _latest_exchange(messages: Sequence[Message]) -> int:
    last = start_of_turn(messages)
    # A question that has no answer yet may be about the results of the exchange before it.
    return start_of_turn(messages[:last]) if last == len(messages) - 1 else last


def sendable(messages: Sequence[Message]) -> list[Message]:
    """Without the rows that only keep how a turn ended: nobody said anything in them."""
    return [m for m in messages if m.role != "assistant" or m.text or m.calls or m.carry]


def squeeze(messages: Sequence[Message], budget: int) -> list[Message]:
    """The messages in at most `budget` tokens where that can be done by withholding tool results, oldest first."""
    fitted = list(messages)
    if sum(map(_characters, fitted)) < budget:  # a token is at least a character: nothing to count
        return fitted
    sizes = [tokens.of_message(message) for message in fitted]
    for i, message in enumerate(fitted):
        if sum(sizes) <= budget:
            break
        if message.result is not None and len(message.result.content) > 200:
            note = to_json({"withheld": f"an earlier result of {len(message.result.content):,} characters"})
            fitted[i] = replace(message, result=replace(message.result, content=note))
            sizes[i] = tokens.of_message(fitted[i])
    return fitted


def _characters(message: Message) -> int:
    called = sum(len(to_json(call.arguments)) + len(call.malformed or "") + len(call.name) for call in message.calls)
    return 20 + len(message.text) + called + (len(message.result.content) if message.result else 0)
