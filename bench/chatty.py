"""A model that answers everything with the same long text, for the server the stream is measured on."""

from collections.abc import AsyncIterator, Sequence

from bench.scripts import stream
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
