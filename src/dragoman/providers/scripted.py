"""A model that plays a written script: for tests, demonstrations and evals without a key."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from typing import Any

from dragoman.harness.errors import ProviderError
from dragoman.harness.messages import Message
from dragoman.harness.provider import Piece, Stop, Text, ToolRequest
from dragoman.harness.tools import ToolDefinition

Line = Piece | str | Exception | Callable[[], Awaitable[Any]]
Round = Iterable[Line] | Callable[[Sequence[Message], Sequence[ToolDefinition]], Iterable[Line]] | str


class Scripted:
    """Plays one round of its script per request.

    A line is a piece, a text, an exception (raised there) or a function whose awaitable is awaited there (a gate). A
    round may be a function of the request instead. `seen` holds every request, `open` how many streams are not closed.
    A request past the end of the script raises ProviderError.
    """

    name = "scripted"

    def __init__(self, *rounds: Round, model: str = "script") -> None:
        self.model = model
        self.rounds = list(rounds)
        self.seen: list[tuple[tuple[Message, ...], tuple[ToolDefinition, ...]]] = []
        self.open = 0

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolDefinition]) -> AsyncIterator[Piece]:
        """Stream the next round; one without a Stop ends with the fitting one."""
        self.seen.append((tuple(messages), tuple(tools)))
        if not self.rounds:
            raise ProviderError("The script has no further round.", code="script_over")
        lines = self.rounds.pop(0)
        self.open += 1
        try:
            asked, stopped = False, False
            for line in _lines(lines, messages, tools):
                piece = await _piece(line)
                if piece is not None:
                    asked, stopped = asked or isinstance(piece, ToolRequest), isinstance(piece, Stop)
                    yield piece
            if not stopped:
                yield Stop("tool_calls" if asked else "end")
        finally:
            self.open -= 1


def _lines(lines: Round, messages: Sequence[Message], tools: Sequence[ToolDefinition]) -> Iterable[Line]:
    if isinstance(lines, str):
        return [lines]
    return lines(messages, tools) if callable(lines) else lines


async def _piece(line: Line) -> Piece | None:
    if isinstance(line, str):
        return Text(line)
    if isinstance(line, Exception):
        raise line
    if callable(line):
        await line()
        return None
    return line
