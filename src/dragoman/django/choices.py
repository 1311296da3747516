"""The providers and models a person may switch to, and the one that answers a conversation."""

import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from dragoman.django.conf import AssistantSettings
from dragoman.django.threads import in_thread
from dragoman.harness.errors import ChatError, ConfigurationError
from dragoman.harness.messages import Message
from dragoman.harness.provider import Piece, Provider, model_of
from dragoman.harness.tools import ToolDefinition
from dragoman.providers import catalog
from dragoman.providers.models import Model, Models

log = logging.getLogger("dragoman.choices")

_KEPT = 32  # providers built, each with its connections; a person may name any model


class Unavailable:
    """Stands for a provider that cannot answer: asked, it says why, so that the turn ends in a row with its error."""

    def __init__(self, name: str, model: str, error: ChatError) -> None:
        self.name, self.model, self.error = name, model, error

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolDefinition]) -> AsyncIterator[Piece]:
        """Raises what is wrong."""
        raise self.error
        yield  # it makes this a generator


class Choices:
    """What one assistant's settings leave to the person: `names`, the configured one first."""

    def __init__(self, found: AssistantSettings) -> None:
        self._configs: dict[str, dict[str, Any]] = {found.provider: dict(found.provider_config)}
        for name, config in found.providers.items():
            if config or name != found.provider:
                self._configs[name] = dict(config)
        self._models = {name: config.pop("models", None) for name, config in self._configs.items()}
        self.default_name = found.provider
        self.names = tuple(self._configs)
        self._built: dict[tuple[str, str], Provider] = {}
        self.default = self._build(found.provider, "")

    def offers(self, name: str) -> bool:
        """Whether a person may switch to this provider."""
        return name in self._configs

    def config(self, name: str) -> Mapping[str, Any]:
        """The configuration of a provider that is offered; empty for any other."""
        return self._configs.get(name, {})

    async def models(self, name: str) -> Models:
        """What may be chosen at a provider: the project's own list, or what the service offers."""
        if own := self._models.get(name):
            return Models("settings", tuple(Model(str(one), str(one)) for one in own))
        return await catalog.models(name, self.config(name))

    async def provider(self, name: str = "", model: str = "") -> Provider:
        """Who answers. What is not offered or not configured answers with its error (`Unavailable`)."""
        name = name or self.default_name
        if (name, model) == (self.default_name, ""):
            return self.default
        if self.refusal(name, model) is None and (known := self._built.get((name, model))):
            return known
        built: Provider = await in_thread(self._build, name, model)
        if not isinstance(built, Unavailable):
            self._built[name, model] = built
            if len(self._built) > _KEPT:
                del self._built[next(iter(self._built))]
        return built

    async def default_model(self, name: str) -> str:
        """The model that answers where a person chose the provider only; empty where there is no choice."""
        return model_of(await self.provider(name))

    def refusal(self, name: str, model: str) -> ConfigurationError | None:
        """Why a person may not have this provider or this model; None where they may."""
        if name not in self._configs:
            return ConfigurationError(
                f"There is no provider {name!r} to switch to. There is: {', '.join(self.names)}.",
                code="unknown_provider",
            )
        if model and (own := self._models.get(name)) and model not in own:
            return ConfigurationError(
                f"{name} has no model {model!r} to switch to. It has: {', '.join(own)}.", code="unknown_model"
            )
        return None

    def _build(self, name: str, model: str) -> Provider:
        if refused := self.refusal(name, model):
            return Unavailable(name, model, refused)
        config = self._configs[name]
        try:
            if model:
                chosen = catalog.choose(name, config)  # "auto" stands for one of the others
                return catalog.create(chosen.name, {**chosen.config, "model": model})
            return catalog.create(name, config)
        except ConfigurationError as error:
            log.error("The provider %r cannot answer: %s", name, error.message)
            return Unavailable(name, model or str(config.get("model", "")), error)
