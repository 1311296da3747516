"""System checks: settings that cannot be used, routes that are missing, another chat beside ours."""

import difflib
from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register
from django.urls import NoReverseMatch, reverse

from dragoman.django import conf
from dragoman.django.conf import AssistantSettings
from dragoman.django.grounding import host_of
from dragoman.harness.errors import ConfigurationError


@register("dragoman")
def settings_are_usable(**_: Any) -> list[CheckMessage]:
    """E001: a key of DRAGOMAN is unknown or holds what it does not take."""
    return [Error(f"{one.where}: {one.message}", hint=one.hint or None, id="dragoman.E001") for one in conf.problems()]


@register("dragoman")
def routes_are_included(**_: Any) -> list[CheckMessage]:
    """E002: an enabled assistant's url is not among the project's routes."""
    if conf.problems():
        return []
    return list(_missing_routes())


@register("dragoman")
def no_second_chat(**_: Any) -> list[CheckMessage]:
    """E003: GeneralManager's own chat is enabled beside ours; it rewrites the project's URLs and ASGI application."""
    if conf.problems() or not conf.enabled():
        return []
    inner = getattr(settings, "GENERAL_MANAGER", {})
    nested = inner.get("CHAT") if isinstance(inner, dict) else None
    places = {
        'GENERAL_MANAGER["CHAT"]': nested,
        "GENERAL_MANAGER_CHAT": getattr(settings, "GENERAL_MANAGER_CHAT", None),
        "CHAT": getattr(settings, "CHAT", None),
    }
    return [
        Error(
            f"{place} switches on GeneralManager's own chat, which rewrites the project's URLs and ASGI application.",
            hint=f'Move what it holds to {conf.SETTING}["default"], where the same keys mean the same.',
            id="dragoman.E003",
        )
        for place, value in places.items()
        if isinstance(value, dict) and value.get("enabled")
    ]


@register("dragoman")
def sessions_are_installed(**_: Any) -> list[CheckMessage]:
    """W001: without sessions nobody anonymous can be told from another."""
    if conf.problems() or not conf.enabled() or "django.contrib.sessions" in settings.INSTALLED_APPS:
        return []
    hint = "Add django.contrib.sessions and its middleware, or let only signed-in people ask."
    return [Warning("Sessions are not installed: anonymous people cannot ask.", hint=hint, id="dragoman.W001")]


@register("dragoman")
def schema_is_there(**_: Any) -> list[CheckMessage]:
    """E004: an enabled assistant's GraphQL schema, or the library that builds it, is not there."""
    messages: list[CheckMessage] = []
    for alias, found in _on_a_schema():
        hint = 'Let the library build it first; for GeneralManager: GENERAL_MANAGER = {"AUTOCREATE_GRAPHQL": True}.'
        message = f"The assistant {alias!r} is enabled, but there is no GraphQL schema for it."
        try:
            if host_of(found).schema() is not None:
                continue
        except ConfigurationError as error:
            message, hint = f"The assistant {alias!r} cannot be built: {error.message}", ""
        messages.append(Error(message, hint=hint or None, id="dragoman.E004"))
    return messages


@register("dragoman")
def mutations_exist(**_: Any) -> list[CheckMessage]:
    """E005: a name in allowed_mutations is none of the schema's mutations."""
    messages: list[CheckMessage] = []
    for alias, found in _on_a_schema():
        try:
            schema = host_of(found).schema()
        except ConfigurationError:
            continue
        root = schema.mutation_type if schema else None
        names = list(root.fields) if root else []
        for name in found.allowed_mutations if schema else ():
            if name not in names:
                close = difflib.get_close_matches(name, names, n=3)
                hint = f"Did you mean {' or '.join(close)}?" if close else f"There is: {', '.join(names) or 'none'}."
                message = f"{conf.SETTING}[{alias!r}]['allowed_mutations']: there is no mutation {name!r}."
                messages.append(Error(message, hint=hint, id="dragoman.E005"))
    return messages


@register("dragoman")
def mcp_is_installed(**_: Any) -> list[CheckMessage]:
    """E006: `mcp` is on, but its library is not installed."""
    if conf.problems() or find_spec("mcp"):
        return []
    return [
        Error(
            f"{conf.SETTING}[{alias!r}]['mcp'] is on, but the library it needs is not installed.",
            hint="pip install 'dragoman[mcp]'",
            id="dragoman.E006",
        )
        for alias, found in conf.enabled().items()
        if found.mcp
    ]


def _on_a_schema() -> list[tuple[str, AssistantSettings]]:
    """The enabled assistants that stand on a GraphQL schema; a grounding of the project's own is its own affair."""
    if conf.problems():
        return []
    return [pair for pair in conf.enabled().items() if pair[1].grounding.get("kind", "graphql") == "graphql"]


def _missing_routes() -> Iterable[CheckMessage]:
    for alias, found in conf.enabled().items():
        try:
            there = reverse(f"dragoman:{alias}")
        except NoReverseMatch:
            there = ""
        if there != found.url:
            hint = 'Add path("", include("dragoman.django.urls")) to the urlpatterns of ROOT_URLCONF, once.'
            message = f"The assistant {alias!r} is enabled, but nothing answers at {found.url}."
            yield Error(message, hint=hint, id="dragoman.E002")
