"""DeepSeek: OpenAI's dialect, whose model wants its thoughts of the running turn back."""

from collections.abc import Iterable
from typing import Any, ClassVar

from dragoman.harness.messages import Message
from dragoman.harness.provider import Carry, Piece, Thought
from dragoman.providers import history, openai
from dragoman.providers.failures import Party
from dragoman.providers.models import Model
from dragoman.providers.openai import OpenAIProvider
from dragoman.providers.service import Request


class DeepSeekProvider(OpenAIProvider):
    """DeepSeek's own service."""

    name: ClassVar[str] = "deepseek"
    title: ClassVar[str] = "DeepSeek"
    keys: ClassVar[tuple[str, ...]] = ("DEEPSEEK_API_KEY",)
    address: ClassVar[str] = "https://api.deepseek.com"
    known: ClassVar[tuple[Model, ...]] = (
        Model("deepseek-chat", "DeepSeek Chat"),
        Model("deepseek-reasoner", "DeepSeek Reasoner"),
    )
    modes: ClassVar[tuple[str, ...]] = ("native",)
    length_key: ClassVar[str] = "max_tokens"

    def needs_key(self) -> bool:
        """Always."""
        return True

    def reply(self, request: Request) -> openai.Reply:
        """What reads the reply and keeps its thoughts."""
        return _Reply(self.party)

    def carry(self, message: Message, recent: bool) -> dict[str, Any]:
        """The thoughts of the running turn; those of earlier ones are refused by some of the models."""
        if not recent or not message.calls:
            return {}
        carried = history.carried(message, self.name, self.model)
        thoughts = "".join(str(one.get("reasoning_content", "")) for one in carried)
        return {"reasoning_content": thoughts} if thoughts else {}


class _Reply(openai.Reply):
    def __init__(self, who: Party) -> None:
        super().__init__(who)
        self._thoughts: list[str] = []

    def thought(self, delta: Any) -> Iterable[Piece]:
        if text := delta.get("reasoning_content"):
            self._thoughts.append(text)
            yield Thought(text)

    def end(self) -> Iterable[Piece]:
        if self._thoughts:
            yield Carry({"reasoning_content": "".join(self._thoughts)})
        yield from super().end()
