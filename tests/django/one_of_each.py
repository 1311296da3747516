"""One event of every kind."""

from dragoman.harness import events as told
from dragoman.harness.messages import ToolCall, ToolResult, Usage, now


def events() -> list[told.Event]:
    call = ToolCall("call", "query", {})
    return [
        told.UserSaid("id", "text", now()),
        told.TextChunk("text"),
        told.Thinking("text"),
        told.ToolCalled(call),
        told.ToolReturned(ToolResult("call", "query", "{}")),
        told.ToolReturned(ToolResult("call", "mutate", "{}", writes=True)),
        told.ConfirmationNeeded("call", "archive", {}, now()),
        told.RoundLimit(8),
        told.Failed("code", "message", 1.0),
        told.Evidence(()),
        told.Done("stop", "id", "provider", "model", Usage()),
    ]
