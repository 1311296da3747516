"""A name to a provider: which there are, which key speaks for which, and why one was chosen."""

import importlib
import inspect
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, cast
from urllib.parse import urlsplit

from dragoman.harness.errors import ConfigurationError
from dragoman.harness.provider import Provider
from dragoman.providers.anthropic import AnthropicProvider
from dragoman.providers.deepseek import DeepSeekProvider
from dragoman.providers.google import GoogleProvider
from dragoman.providers.models import Models
from dragoman.providers.ollama import OllamaProvider
from dragoman.providers.openai import OpenAIProvider
from dragoman.providers.openrouter import OpenRouterProvider
from dragoman.providers.service import Service, installed

# In the order "auto" looks for their keys; Ollama has none and is looked for last.
SERVICES: Mapping[str, type[Service]] = {
    service.name: service
    for service in (
        AnthropicProvider,
        OpenAIProvider,
        OpenRouterProvider,
        DeepSeekProvider,
        GoogleProvider,
        OllamaProvider,
    )
}

# What answers without any service.
_BUILT = {
    "planner": "dragoman.providers.planner.Planner",
    "scripted": "dragoman.providers.scripted.Scripted",
}

# By the paths the specification names, and by our own.
_ALSO_KNOWN_AS = {
    **{f"general_manager.chat.providers.{service.__name__}": name for name, service in SERVICES.items()},
    **{f"dragoman.providers.{service.__name__}": name for name, service in SERVICES.items()},
    **{f"{service.__module__}.{service.__name__}": name for name, service in SERVICES.items()},
}

_NO_KEYS: Mapping[str, str] = MappingProxyType({})

# What "auto" hands on to a service it found by its key: the rest of a configuration speaks of the Ollama to look for, or of
# another service.
FOR_ALL = ("timeout_seconds", "stream_timeout_seconds", "max_tokens")


@dataclass(frozen=True, slots=True)
class Choice:
    """The provider that answers, by short name or path, its configuration, and the sentence that says why."""

    name: str
    why: str
    config: Mapping[str, Any]


def create(name: str, config: Mapping[str, Any] | None = None) -> Provider:
    """The provider of this name: a short one, "auto", or the dotted path of a class.

    A class of a project's own is given those keys of `config` its signature takes. Raises ConfigurationError for a name
    that is not there, a missing key or SDK, a key of the configuration nobody knows, or a class that cannot be built.
    """
    chosen = choose(name, config or {})
    if chosen.name in SERVICES:
        return SERVICES[chosen.name](**chosen.config)
    if chosen.name == "scripted":
        return _built(chosen.name, *chosen.config.get("rounds", ()))
    return _built(chosen.name, **chosen.config)


def explain(name: str, config: Mapping[str, Any] | None = None) -> str:
    """One sentence that says which provider answers, and why. Raises ConfigurationError as `create` does."""
    return choose(name, config or {}).why


def choose(name: str, config: Mapping[str, Any]) -> Choice:
    """The provider a setting stands for. Nothing is sent to a service to find out."""
    name = _ALSO_KNOWN_AS.get(name, name)
    if name == "auto":
        return _first_at_hand(config)
    if name == "planner":
        return Choice(name, "The planner answers, without any model: the settings say so.", config)
    if name in SERVICES:
        return Choice(name, _told(SERVICES[name], config, "the settings say so"), config)
    if name in _BUILT:
        return Choice(name, f"The provider {name!r} answers: the settings say so.", config)
    if "." in name:
        return Choice(name, f"{name} answers: the settings say so.", config)
    raise ConfigurationError(f"Unknown provider {name!r}. {_what_there_is()}")


def at_hand(keys: Mapping[str, str] = _NO_KEYS) -> tuple[str, ...]:
    """The providers that could answer here: services with a key and their SDK, an Ollama that runs, and the planner.

    `keys` names the variables of services whose keys stand elsewhere than usual.
    """
    found = []
    for service in SERVICES.values():
        if service is OllamaProvider:
            there = _answers(str(os.environ.get("OLLAMA_HOST") or service.address))
        else:
            there = _key_of(service, keys.get(service.name)) is not None
        if there and installed(service.sdk):
            found.append(service.name)
    return (*found, "planner")


async def models(name: str, config: Mapping[str, Any] | None = None) -> Models:
    """What may be chosen at a provider: live, or the models we know with the reason, a missing key or SDK included.

    Raises ConfigurationError for a name that is not there.
    """
    try:
        provider = create(name, config)
    except ConfigurationError as error:
        if (service := SERVICES.get(_ALSO_KNOWN_AS.get(name, name))) is None:
            raise
        return Models("fallback", service.known, error.message)
    if not isinstance(provider, Service):
        return Models("fallback", (), f"The provider {name!r} has no models to choose from.")
    try:
        return await provider.models()
    finally:
        await provider.aclose()


def _first_at_hand(config: Mapping[str, Any]) -> Choice:
    """The first service with a key, then an Ollama that runs, then the planner, which needs neither."""
    passed_over = ""
    common = {key: config[key] for key in FOR_ALL if key in config}
    for service in SERVICES.values():
        key = _key_of(service)
        if key is None or service is OllamaProvider:
            continue
        if installed(service.sdk):
            return Choice(service.name, _told(service, common, f"{key} is set") + passed_over, common)
        passed_over += f' {key} is set too, but to use it install: pip install "dragoman[{service.extra}]".'
    address = str(config.get("base_url") or os.environ.get("OLLAMA_HOST") or OllamaProvider.address)
    if _answers(address):
        if installed(OllamaProvider.sdk):
            return Choice("ollama", f"Ollama answers: it runs at {address}.{passed_over}", config)
        passed_over += f' Ollama runs at {address}, but to use it install: pip install "dragoman[ollama]".'
    if passed_over:
        return Choice("planner", f"The planner answers, without any model.{passed_over}", config)
    why = f"The planner answers, without any model: no key of a service is set and no Ollama runs at {address}."
    return Choice("planner", why, config)


def _key_of(service: type[Service], variable: str | None = None) -> str | None:
    """The variable in which there is a key for a service; only this one, where one is named."""
    return next((key for key in (variable and [variable]) or service.keys if os.environ.get(key, "").strip()), None)


def _told(service: type[Service], config: Mapping[str, Any], why: str) -> str:
    model = config.get("model") or service.known[0].id
    if service is OllamaProvider:
        return f"Ollama answers: {why}."
    return (
        f"{service.title} answers with the model {model}: {why}. Questions and what is found for them are sent to it."
    )


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
    return f"There is: {', '.join([*SERVICES, *_BUILT])}, auto, and the dotted path of a class of your own."


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
