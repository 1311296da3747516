"""The six dialects as the tests see them, each behind a server of our own that plays written bytes."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

# Loaded here and not in the first test that needs one, whose patience is short.
import anthropic  # noqa: F401
import google.genai  # noqa: F401
import ollama  # noqa: F401
import openai  # noqa: F401

from dragoman.harness import wire
from dragoman.harness.assistant import Assistant
from dragoman.harness.limits import Limits
from dragoman.harness.memory import MemoryStore
from dragoman.harness.messages import Message
from dragoman.harness.store import Conversation
from dragoman.providers.anthropic import AnthropicProvider
from dragoman.providers.deepseek import DeepSeekProvider
from dragoman.providers.google import GoogleProvider
from dragoman.providers.ollama import OllamaProvider
from dragoman.providers.openai import OpenAIProvider
from dragoman.providers.openrouter import OpenRouterProvider
from dragoman.providers.service import Service
from tests.harness.world import ADA, Fleet
from tests.providers.replay import Replay, replaying

KEY = "sk-secret"
MODEL = "model-of-ours"
PROVIDERS: dict[str, type[Service]] = {
    "anthropic": AnthropicProvider,
    "openai": OpenAIProvider,
    "openrouter": OpenRouterProvider,
    "deepseek": DeepSeekProvider,
    "google": GoogleProvider,
    "ollama": OllamaProvider,
}
DIALECTS = tuple(PROVIDERS)


@dataclass
class Desk:
    """An assistant over the fleet whose model is played by the server."""

    name: str
    provider: Service
    server: Replay
    fleet: Fleet
    store: MemoryStore
    assistant: Assistant
    conversation: Conversation

    def play(self, case: str, fault: str = "", **more: Any) -> None:
        self.server.play(f"{self.name}_{case}", fault, **more)

    async def ask(self, text: str = "Where is the Argo?") -> list[wire.Frame]:
        """The frames of an answer, without the question that comes first."""
        frames = [wire.frame(e) async for e in self.assistant.ask(ADA, self.conversation, text)]
        return [frame for frame in frames if frame["type"] != "user_message"]

    async def rows(self) -> list[Message]:
        return await self.store.messages(self.conversation.id)

    def sent(self, number: int = -1) -> str:
        """The body of a request, as JSON text."""
        return json.dumps(self.server.seen[number].body)


def build(name: str, url: str, **config: Any) -> Service:
    return PROVIDERS[name](**{"base_url": url, "api_key": KEY, "model": MODEL} | config)


@asynccontextmanager
async def desk(name: str, *, limits: Limits | None = None, **config: Any) -> AsyncIterator[Desk]:
    async with replaying() as server:
        await _warm_up(name, server)
        provider = build(name, server.url, **config)
        provider.client()
        fleet, store = Fleet(), MemoryStore()
        assistant = Assistant(provider, fleet, store, limits or Limits())
        try:
            yield Desk(name, provider, server, fleet, store, assistant, await store.create(ADA))
        finally:
            await provider.aclose()


_warm: set[str] = set()


async def _warm_up(name: str, server: Replay) -> None:
    """The first request of an SDK loads half of it, which the patience of a test is not meant for."""
    if name not in _warm:
        server.play(f"{name}_text")
        provider = build(name, server.url)
        [_ async for _ in provider.complete([Message("user", "Hello?")], ())]
        await provider.aclose()
        server.seen.clear()
        server.arrived.clear()
        _warm.add(name)
