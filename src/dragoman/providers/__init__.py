"""Models' services, one dialect a file, and what answers without any; an adapter is imported when it is asked for."""

import importlib
from typing import Any

_ADAPTERS = {
    "AnthropicProvider": "anthropic",
    "DeepSeekProvider": "deepseek",
    "GoogleProvider": "google",
    "OllamaProvider": "ollama",
    "OpenAIProvider": "openai",
    "OpenRouterProvider": "openrouter",
}


def __getattr__(name: str) -> Any:
    """`dragoman.providers.AnthropicProvider` and so on."""
    if name in _ADAPTERS:
        return getattr(importlib.import_module(f"{__name__}.{_ADAPTERS[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_ADAPTERS])
