"""A conversation with the planner over a small world: what it says and what it asks the tools."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dragoman.harness.assistant import Assistant
from dragoman.harness.caller import Caller
from dragoman.harness.events import ConfirmationNeeded, Failed, TextChunk
from dragoman.harness.memory import MemoryStore
from dragoman.harness.store import Decision
from dragoman.providers.planner import Planner
from tests.providers.planner.world import World

CALLER = Caller("visitor", is_authenticated=True)


@dataclass
class Talk:
    """One conversation. `confirm` decides what waits for a person."""

    world: World
    confirm: Decision = "confirmed"
    asked: list[ConfirmationNeeded] = field(default_factory=list)

    async def say(self, *texts: str) -> str:
        """The answer to the last of these messages."""
        assistant = Assistant(Planner(), self.world, MemoryStore())
        conversation = await assistant.store.create(CALLER)
        said = ""
        for text in texts:
            self.world.calls.clear()
            said, waiting = await _hear(assistant.ask(CALLER, conversation, text))
            while waiting:
                self.asked += waiting
                more, waiting = await _hear(assistant.decide(CALLER, waiting[0].id, self.confirm))
                said += more
            conversation = await assistant.store.get(conversation.id, CALLER)
        return said

    @property
    def tools(self) -> list[str]:
        """The tools the last message called, in order."""
        return [name for name, _ in self.world.calls]

    @property
    def query(self) -> Any:
        """The arguments of the last query of the last message; None when there was none."""
        queries: Sequence[Any] = [arguments for name, arguments in self.world.calls if name == "query"]
        return queries[-1] if queries else None


async def _hear(events: Any) -> tuple[str, list[ConfirmationNeeded]]:
    said, waiting = "", []
    async for envelope in events:
        match envelope.event:
            case TextChunk(content=content):
                said += content
            case ConfirmationNeeded() as needed:
                waiting.append(needed)
            case Failed(code=code, message=message):
                raise AssertionError(f"{code}: {message}")
            case _:
                pass
    return said, waiting
