"""OpenRouter: OpenAI's dialect in front of many services, whose models' thoughts and caches it passes through."""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from dragoman.harness.messages import Message
from dragoman.harness.provider import Carry, Piece
from dragoman.providers import history, openai
from dragoman.providers.failures import Party
from dragoman.providers.models import Model
from dragoman.providers.openai import OpenAIProvider
from dragoman.providers.service import Request

_JOINED = ("text", "summary", "data")


class OpenRouterProvider(OpenAIProvider):
    """OpenRouter's service; a model is named `maker/model`."""

    name: ClassVar[str] = "openrouter"
    title: ClassVar[str] = "OpenRouter"
    keys: ClassVar[tuple[str, ...]] = ("OPENROUTER_API_KEY",)
    address: ClassVar[str] = "https://openrouter.ai/api/v1"
    known: ClassVar[tuple[Model, ...]] = (
        Model("openrouter/auto", "Auto Router"),
        Model("anthropic/claude-sonnet-5", "Anthropic: Claude Sonnet 5"),
        Model("openai/gpt-5.5", "OpenAI: GPT-5.5"),
    )
    length_key: ClassVar[str] = "max_tokens"

    def needs_key(self) -> bool:
        """Always."""
        return True

    def reply(self, request: Request) -> openai.Reply:
        """What reads the reply and keeps the details of its thoughts."""
        return _Reply(self.party)

    def messages(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        """The conversation; for Anthropic's models the prompt is marked for the cache, others do so unasked."""
        told = super().messages(messages)
        if told and told[0]["role"] == "system" and self.model.startswith("anthropic/"):
            part = {"type": "text", "text": told[0]["content"], "cache_control": {"type": "ephemeral"}}
            told[0] = {"role": "system", "content": [part]}
        return told

    def carry(self, message: Message, recent: bool) -> dict[str, Any]:
        """The details of the thoughts, signatures included."""
        carried = history.carried(message, self.name, self.model)
        details = [one for each in carried for one in each.get("reasoning_details", ())]
        return {"reasoning_details": details} if details else {}


class _Reply(openai.Reply):
    def __init__(self, who: Party) -> None:
        super().__init__(who)
        self._details: list[dict[str, Any]] = []

    def thought(self, delta: Any) -> Iterable[Piece]:
        for part in delta.get("reasoning_details") or ():
            self._detail(part)
        yield from super().thought(delta)

    def end(self) -> Iterable[Piece]:
        if self._details:
            yield Carry({"reasoning_details": self._details})
        yield from super().end()

    def _detail(self, part: dict[str, Any]) -> None:
        """A detail comes in pieces too: those of one index and kind are one."""
        for known in self._details:
            if known.get("index") == part.get("index") and known.get("type") == part.get("type"):
                known.update({key: value for key, value in part.items() if key not in _JOINED and value is not None})
                known.update({key: (known.get(key) or "") + part[key] for key in _JOINED if part.get(key)})
                return
        self._details.append(dict(part))
