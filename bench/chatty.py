"""Models without thought, for the servers that are measured: one tells a long text, one looks something up."""

from collections.abc import AsyncIterator, Sequence

from bench.scripts import PARTS, stream
from dragoman.harness.messages import Message
from dragoman.harness.provider import Piece, Stop
from dragoman.harness.tools import ToolDefinition


class Chatty:
    """A Provider without thought."""

    name = "chatty"
    model = ""

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolDefinition]) -> AsyncIterator[Piece]:
        """Two thousand pieces."""
        for piece in stream():
            yield piece
        yield Stop("end")


class Reader:
    """Answers everything with a query and its rows."""

    name = "reader"
    model = ""

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolDefinition]) -> AsyncIterator[Piece]:
        """A query, and an answer that names the rows."""
        asked = max(place for place, message in enumerate(messages) if message.role == "user")
        since = messages[asked:]
        step = PARTS[sum(message.role == "assistant" for message in since)]
        for piece in step(since, tools) if callable(step) else step:
            yield piece
        yield Stop("end" if callable(step) else "tool_calls")
