"""A name to a provider: which short names there are, which key speaks for which, and why one was chosen."""

import importlib
import inspect
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlsplit

from dragoman.harness.errors import ConfigurationError
from dragoman.harness.provider import Provider

# A short name to where its class lives.
_BUILT = {
    "planner": "dragoman.providers.planner.Planner",
    "scripted": "dragoman.providers.scripted.Scripted",
}

# Services whose adapters are not part of this version, in the order "auto" looks for their keys.
_KEYS = {
    "anthropic": ("ANTHROPIC_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY",),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    "ollama": (),
}

# The specification names the providers by these paths.
_ALSO_KNOWN_AS = {
    f"general_manager.chat.providers.{name}Provider": name.lower()
    for name in ("Anthropic", "OpenAI", "Google", "Ollama")
}

OLLAMA = "http://localhost:11434"


@dataclass(frozen=True, slots=True)
class Choice:
    """The provider that answers, by short name or path, and the sentence that says why."""

    name: str
    why: str


def create(name: str, config: Mapping[str, Any] | None = None) -> Provider:
    """The provider of this name: a short one, "auto", or the dotted path of a class.

    A class is given those keys of `config` its signature takes. Raises ConfigurationError for a name that is not there,
    an adapter that is not part of this version, or a class that cannot be built.
    """
    config = config or {}
    chosen = choose(name, config).name
    if chosen == "scripted":
        return _built(chosen, *config.get("rounds", ()))
    return _built(chosen, **config)


def explain(name: str, config: Mapping[str, Any] | None = None) -> str:
    """One sentence that says which provider answers, and why. Raises ConfigurationError as `create` does."""
    return choose(name, config or {}).why


def choose(name: str, config: Mapping[str, Any]) -> Choice:
    """The provider a setting stands for. Nothing is sent to a service to find out."""
    name = _ALSO_KNOWN_AS.get(name, name)
    if name == "auto":
        return _first_at_hand(config)
    if name == "planner":
        return Choice(name, "The planner answers, without any model: the settings say so.")
    if name in _BUILT:
        return Choice(name, f"The provider {name!r} answers: the settings say so.")
    if name in _KEYS:
        raise ConfigurationError(
            f"The adapter of the provider {name!r} is not part of this version of Dragoman. {_what_there_is()}"
        )
    if "." in name:
        return Choice(name, f"{name} answers: the settings say so.")
    raise ConfigurationError(f"Unknown provider {name!r}. {_what_there_is()}")


def _first_at_hand(config: Mapping[str, Any]) -> Choice:
    """The first service with a key, then an Ollama that runs, then the planner, which needs neither."""
    for service, keys in _KEYS.items():
        for key in keys:
            if os.environ.get(key):
                return _for_want_of_an_adapter(f"{key} is set, but the adapter of {service}")
    address = str(config.get("base_url") or os.environ.get("OLLAMA_HOST") or OLLAMA)
    if _answers(address):
        return _for_want_of_an_adapter(f"Ollama runs at {address}, but its adapter")
    why = f"The planner answers, without any model: no key of a service is set and no Ollama runs at {address}."
    return Choice("planner", why)


def _for_want_of_an_adapter(found: str) -> Choice:
    why = f"{found} is not part of this version; the planner answers instead, without any model, and nothing is spent."
    return Choice("planner", why)


def _answers(address: str) -> bool:
    """Whether something listens on this machine there; another machine is not asked, a name may take seconds."""
    parts = urlsplit(address if "//" in address else f"//{address}")
    if parts.hostname not in ("localhost", "127.0.0.1", "::1", "0.0.0.0"):
        return False
    try:
        with socket.create_connection((parts.hostname, parts.port or 11434), timeout=0.3):
            return True
    except OSError:
        return False


def _what_there_is() -> str:
    return f"There is: {', '.join(_BUILT)}, auto, and the dotted path of a class of your own."


def _built(name: str, *rounds: Any, **config: Any) -> Provider:
    provider_class = _class(_BUILT.get(name, name))
    taken = inspect.signature(provider_class).parameters.values()
    if not any(one.kind is inspect.Parameter.VAR_KEYWORD for one in taken):
        names = {one.name for one in taken if one.kind is not inspect.Parameter.VAR_POSITIONAL}
        config = {key: value for key, value in config.items() if key in names}
    try:
        return cast(Provider, provider_class(*rounds, **config))
    except ConfigurationError:
        raise
    except Exception as error:
        raise ConfigurationError(f"The provider {name!r} could not be built from its provider_config.") from error


def _class(path: str) -> type:
    module_name, _, class_name = path.rpartition(".")
    try:
        found = getattr(importlib.import_module(module_name), class_name)
    except (ImportError, AttributeError) as error:
        raise ConfigurationError(f"The provider {path!r} cannot be imported. {_what_there_is()}") from error
    if not inspect.isclass(found) or not hasattr(found, "complete"):
        raise ConfigurationError(f"The provider {path!r} is no class with a method complete(messages, tools).")
    return found
