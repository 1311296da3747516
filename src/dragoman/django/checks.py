"""System checks: settings that cannot be used, routes that are missing, another chat beside ours."""

import os
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register
from django.urls import NoReverseMatch, reverse
from django.utils.module_loading import import_string

from dragoman.django import conf, startup
from dragoman.django.conf import AssistantSettings, Problem
from dragoman.django.grounding import graphql_grounding, host_of
from dragoman.graphql import direct
from dragoman.harness import tokens
from dragoman.harness.caller import Caller
from dragoman.harness.errors import ConfigurationError
from dragoman.providers import catalog
from dragoman.providers.service import installed

DIRECT_MANAGERS = 30


@register("dragoman")
def settings_are_usable(**_: Any) -> list[CheckMessage]:
    """E001: a key of DRAGOMAN is unknown or holds what it does not take."""
    return [_error(one, "dragoman.E001") for one in conf.problems()]


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
    """E004: an enabled assistant's GraphQL schema or its library is not there, or its host does not take a key."""
    return [_error(one, "dragoman.E004") for one in startup.missing_schemas()]


@register("dragoman")
def mutations_exist(**_: Any) -> list[CheckMessage]:
    """E005: a name in allowed_mutations is none of the schema's mutations."""
    return [_error(one, "dragoman.E005") for one in startup.missing_mutations()]


@register("dragoman")
def mcp_is_installed(**_: Any) -> list[CheckMessage]:
    """E008: `mcp` is on, but its library is not installed."""
    if conf.problems() or find_spec("mcp"):
        return []
    return [
        Error(
            f"{conf.SETTING}[{alias!r}]['mcp'] is on, but the library it needs is not installed.",
            hint="pip install 'dragoman[mcp]'",
            id="dragoman.E008",
        )
        for alias, found in conf.enabled().items()
        if found.mcp
    ]


@register("dragoman")
def paths_import(**_: Any) -> list[CheckMessage]:
    """E006: a dotted path - of the permission callable, the audit logger or a grounding - cannot be imported."""
    messages: list[CheckMessage] = []
    for alias, found in _enabled():
        kind = str(found.grounding.get("kind", ""))
        for place, path in {
            "['permission']": found.permission,
            "['audit']['logger']": found.audit.logger,
            "['grounding']['kind']": kind if "." in kind else None,
        }.items():
            if isinstance(path, str) and path and (wrong := _objection(path)):
                hint = "It is the dotted path of a callable, such as 'project.chat.may_ask'."
                messages.append(Error(f"{conf.SETTING}[{alias!r}]{place}: {wrong}", hint=hint, id="dragoman.E006"))
    return messages


@register("dragoman")
def provider_is_there(**_: Any) -> list[CheckMessage]:
    """E007: the configured provider cannot be built: its SDK is not installed, or its class or configuration is wrong."""
    return [
        Error(f"The provider {name!r} of the assistant {alias!r} cannot answer. {wrong}", id="dragoman.E007")
        for alias, found in _enabled()
        for name, config in _providers(found)
        if not _lacks_key(name, config) and (wrong := _cannot_be_built(name, config))
    ]


@register("dragoman")
def provider_has_a_key(**_: Any) -> list[CheckMessage]:
    """W002: the configured provider has no key here; a machine that only builds or migrates needs none."""
    hint = "Set it where the server runs. The planner answers without any key: 'provider': 'planner'."
    return [
        Warning(f"The provider {name!r} of the assistant {alias!r} has no key. {wrong}", hint=hint, id="dragoman.W002")
        for alias, found in _enabled()
        for name, config in _providers(found)
        if _lacks_key(name, config) and (wrong := _cannot_be_built(name, config))
    ]


@register("dragoman")
def direct_tools_fit(**_: Any) -> list[CheckMessage]:
    """W003: the strategy is "direct" for more managers than a model should be told of in every request."""
    messages: list[CheckMessage] = []
    for alias, found in startup.on_a_schema():
        if found.tool_strategy != "direct":
            continue
        try:
            host = host_of(found)
            count = sum(manager.exposed for manager in host.managers()) if host.schema() is not None else 0
        except ConfigurationError:
            continue
        if count > DIRECT_MANAGERS:
            box = direct.toolbox(graphql_grounding(found).ground(), host, Caller("check", is_authenticated=True))
            cost = tokens.of_tools(box.definitions)
            message = f"The assistant {alias!r} has a tool for each of {count} managers: about {cost:,} tokens in every request."
            hint = f"Above {DIRECT_MANAGERS} managers take 'tool_strategy': 'discovery', whose tools do not grow."
            messages.append(Warning(message, hint=hint, id="dragoman.W003"))
    return messages


def _error(one: Problem, id: str) -> Error:
    return Error(f"{one.where}: {one.message}", hint=one.hint or None, id=id)


def _enabled() -> list[tuple[str, AssistantSettings]]:
    return [] if conf.problems() else list(conf.enabled().items())


def _objection(path: str) -> str:
    try:
        found = import_string(path)
    except ImportError as error:
        return f"{path!r} cannot be imported: {error}."
    except Exception as error:
        return f"{path!r} cannot be imported: its module raises {type(error).__name__}."
    return "" if callable(found) else f"{path!r} is no callable."


def _providers(found: AssistantSettings) -> list[tuple[str, Mapping[str, Any]]]:
    """The configured provider and those a person may switch to, each with what it is built from."""
    others = [(name, config) for name, config in found.providers.items() if name != found.provider]
    return [(found.provider, found.provider_config), *others]


def _cannot_be_built(name: str, config: Mapping[str, Any]) -> str:
    try:
        catalog.create(name, {key: value for key, value in config.items() if key != "models"})
    except ConfigurationError as error:
        return error.message
    return ""


def _lacks_key(name: str, config: Mapping[str, Any]) -> bool:
    """Whether the provider is a service whose SDK is there, and no key for it."""
    try:
        service = catalog.SERVICES.get(catalog.choose(name, config).name)
    except ConfigurationError:
        return False
    if service is None or not installed(service.sdk) or config.get("api_key"):
        return False
    return bool(service.keys) and not any(os.environ.get(key, "").strip() for key in service.keys)


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
