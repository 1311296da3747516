"""GeneralManager's own chat on the generated project, and a model without thought that looks the same thing up in it."""

import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from general_manager.chat.providers.base import (
    ChatEvent,
    DoneEvent,
    Message,
    TextChunkEvent,
    TokenUsage,
    ToolCallEvent,
    ToolDefinition,
)

from bench.scripts import parts_answer

_PLAN = json.dumps(
    {
        "intent": "read",
        "tasks": [
            {
                "task_id": "parts",
                "objective": "List the parts whose name holds Bracket 9.",
                "depends_on": [],
                "requirements": [
                    {
                        "requirement_id": "rows",
                        "kind": "query",
                        "description": "Query the parts whose name holds Bracket 9.",
                        "operation": None,
                    }
                ],
                "completion_criteria": ["rows"],
                "routing_features": [],
            }
        ],
    }
)
# PARTS_QUERY as that chat's own tool takes it.
_QUERY: dict[str, Any] = {
    "manager": "Part",
    "fields": ["id", "name"],
    "filters": {"name_Icontains": "Bracket 9"},
    "limit": 20,
}
_EVIDENCE = "parts:query:1"  # the first result of a query in the task `parts`
_NAMES = re.compile(r'"name": ?"(Bracket [^"]+)"')


class Reader:
    """Answers everything in the fewest rounds that chat allows: a plan, a query, an end, an answer."""

    provider_config: Mapping[str, Any] = {}

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> "Reader":
        """Itself; there is nothing to configure."""
        return cls()

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolDefinition]) -> AsyncIterator[ChatEvent]:
        """What the phase asks for, told by what was sent."""
        if tools and not any(message.role == "tool" for message in messages):
            yield ToolCallEvent("query", "query", dict(_QUERY))
        elif tools:
            yield TextChunkEvent(json.dumps({"action": "complete", "evidence_ids": [_EVIDENCE]}))
        elif '"valid_plan_examples"' in (sent := messages[-1].content):
            yield TextChunkEvent(_PLAN)
        else:
            answer = parts_answer(list(dict.fromkeys(_NAMES.findall(sent))))
            yield TextChunkEvent(json.dumps({"answer": answer, "evidence_ids": [_EVIDENCE]}))
        yield DoneEvent(TokenUsage(1_000, 40))
