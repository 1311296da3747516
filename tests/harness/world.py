"""A small system to chat with: tools that note what they were asked, and the frames of a turn."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dragoman.harness import wire
from dragoman.harness.assistant import Assistant
from dragoman.harness.caller import Caller
from dragoman.harness.limits import Limits
from dragoman.harness.memory import MemoryStore
from dragoman.harness.messages import Message
from dragoman.harness.store import Conversation
from dragoman.harness.tools import Operation, Tool, Toolbox, ToolDefinition, ToolError
from dragoman.providers.scripted import Scripted

ADA, BEN = Caller("user:ada", is_authenticated=True), Caller("user:ben", is_authenticated=True)


def definition(name: str, **properties: Any) -> ToolDefinition:
    return ToolDefinition(name, f"The {name} tool.", {"type": "object", "properties": properties})


@dataclass
class Fleet:
    """A grounding with `look` (reads), `mutate` (writes; `scrap` is confirmed) and the gates a test holds."""

    done: list[Any] = field(default_factory=list)
    gates: dict[str, asyncio.Event] = field(default_factory=dict)
    began: dict[str, asyncio.Event] = field(default_factory=dict)
    running: int = 0
    most_at_once: int = 0
    boxes: int = 0

    async def prompt(self, caller: Caller) -> str:
        return "You look after ships."

    async def tools(self, caller: Caller) -> Toolbox:
        self.boxes += 1
        look = Tool(definition("look", ship={"type": "string"}, big={"type": "integer"}), self.look)
        mutate = Tool(
            definition("mutate", mutation={"type": "string"}, input={"type": "object"}),
            self.mutate,
            writes=True,
            confirm=lambda arguments: arguments.get("mutation") == "scrap",
            operation=lambda arguments: Operation(arguments.get("mutation", ""), arguments.get("input", {})),
        )
        return Toolbox.of([look, mutate])

    async def look(self, arguments: Mapping[str, Any]) -> Any:
        ship = arguments.get("ship", "")
        self.running += 1
        self.most_at_once = max(self.most_at_once, self.running)
        try:
            if ship in self.began:
                self.began[ship].set()
            await asyncio.sleep(0)  # let others begin
            if ship in self.gates:
                await asyncio.wait_for(self.gates[ship].wait(), 5)
            self.done.append(("look", ship))
            if ship == "ghost":
                raise ToolError("There is no ship 'ghost'. It has: Argo, Beagle.", "unknown_ship")
            if ship == "reef":
                raise RuntimeError("secret: password=hunter2")
            return {"ship": ship, "log": "x" * arguments.get("big", 0)}
        finally:
            self.running -= 1

    async def mutate(self, arguments: Mapping[str, Any]) -> Any:
        name = arguments["mutation"]
        if name in self.began:
            self.began[name].set()
        if name in self.gates:
            await asyncio.wait_for(self.gates[name].wait(), 5)
        self.done.append((name, dict(arguments.get("input", {}))))
        if name == "sink":
            raise ToolError("Permission denied.", "permission_denied")
        return {"ok": True, "mutation": name}


@dataclass
class Harbour:
    """An assistant over the fleet with one conversation of Ada's."""

    provider: Scripted
    assistant: Assistant
    fleet: Fleet
    store: MemoryStore
    conversation: Conversation

    async def ask(self, text: str, caller: Caller = ADA) -> list[wire.Frame]:
        return [wire.frame(e) async for e in self.assistant.ask(caller, self.conversation, text)]

    async def decide(self, call_id: str, decision: Any = "confirmed", caller: Caller = ADA) -> list[wire.Frame]:
        return [wire.frame(e) async for e in self.assistant.decide(caller, call_id, decision)]

    async def rows(self) -> list[Message]:
        return await self.store.messages(self.conversation.id)


async def harbour(*rounds: Any, limits: Limits | None = None, **options: Any) -> Harbour:
    provider, fleet, store = Scripted(*rounds), Fleet(), MemoryStore()
    assistant = Assistant(provider, fleet, store, limits or Limits(), **options)
    return Harbour(provider, assistant, fleet, store, await store.create(ADA))


def kinds(frames: list[wire.Frame]) -> list[str]:
    return [frame["type"] for frame in frames]


def only(frames: list[wire.Frame], kind: str) -> list[wire.Frame]:
    return [frame for frame in frames if frame["type"] == kind]


def text(frames: list[wire.Frame]) -> str:
    return "".join(frame["content"] for frame in only(frames, "text_chunk"))
