"""Checks of `check --deploy`: settings that work on one machine and surprise in production."""

import os
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Warning, register

from dragoman.django import conf
from dragoman.django.conf import AssistantSettings

_ONE_PROCESS = {
    "django.core.cache.backends.locmem.LocMemCache",
    "django.core.cache.backends.dummy.DummyCache",
    "channels.layers.InMemoryChannelLayer",
}


@register("dragoman", deploy=True)
def caches_are_shared(**_: Any) -> list[CheckMessage]:
    """W010: a cache lives in one process; with sessions in it, every other worker signs people out."""
    if not _enabled() or _one_worker():
        return []
    return [
        Warning(
            f"CACHES[{alias!r}] is one for each process, and every worker has its own.",
            hint="Take one that all workers share, such as django.core.cache.backends.redis.RedisCache. "
            "With a single worker set WEB_CONCURRENCY=1.",
            id="dragoman.W010",
        )
        for alias, cache in settings.CACHES.items()
        if cache.get("BACKEND") in _ONE_PROCESS
    ]


@register("dragoman", deploy=True)
def channel_layers_are_shared(**_: Any) -> list[CheckMessage]:
    """W011: a channel layer lives in one process; what one worker sends on it no other receives."""
    if not _enabled() or _one_worker():
        return []
    return [
        Warning(
            f"CHANNEL_LAYERS[{alias!r}] is one for each process, and every worker has its own.",
            hint='Take channels_redis.core.RedisChannelLayer: pip install "dragoman[redis]". '
            "With a single worker set WEB_CONCURRENCY=1.",
            id="dragoman.W011",
        )
        for alias, layer in getattr(settings, "CHANNEL_LAYERS", {}).items()
        if layer.get("BACKEND") in _ONE_PROCESS
    ]


@register("dragoman", deploy=True)
def provider_is_chosen(**_: Any) -> list[CheckMessage]:
    """W012: DEBUG is off and the provider is the default, so that the environment decides who answers."""
    if settings.DEBUG:
        return []
    hint = "Name the provider and its model, so that a key which comes or goes changes nothing."
    return [
        Warning(
            f"DEBUG is off, and {_place(alias, 'provider')} is 'auto': whichever key the server has decides who "
            "answers, and where what is asked is sent.",
            hint=hint,
            id="dragoman.W012",
        )
        for alias, found in _enabled()
        if found.provider == "auto"
    ]


@register("dragoman", deploy=True)
def conversations_end(**_: Any) -> list[CheckMessage]:
    """W013: conversations are kept for ever."""
    hint = "Set ttl_hours to what people and the law expect; 24 is the default."
    return [
        Warning(
            f"{_place(alias, 'conversation')}['ttl_hours'] is None: nothing is ever deleted.",
            hint=hint,
            id="dragoman.W013",
        )
        for alias, found in _enabled()
        if found.conversation.ttl_hours is None
    ]


@register("dragoman", deploy=True)
def somebody_decides_who_asks(**_: Any) -> list[CheckMessage]:
    """W014: there is no permission callable, so that everybody may ask, anonymous people included."""
    hint = "Set it to the dotted path of a callable (user, context) -> bool; it is asked before every message."
    return [
        Warning(
            f"{_place(alias, 'permission')} is not set: everybody who reaches {found.url} may ask, signed in or not.",
            hint=hint,
            id="dragoman.W014",
        )
        for alias, found in _enabled()
        if found.permission is None
    ]


@register("dragoman", deploy=True)
def project_speaks_asgi(**_: Any) -> list[CheckMessage]:
    """W015: the project is set up for WSGI only, where there is no WebSocket and a stream occupies a worker."""
    if not _enabled() or getattr(settings, "ASGI_APPLICATION", None):
        return []
    hint = "Serve it by an ASGI server such as Uvicorn, and set ASGI_APPLICATION = 'project.asgi.application'."
    return [Warning("The project has no ASGI_APPLICATION: no WebSocket will answer.", hint=hint, id="dragoman.W015")]


# ----------------------------------------------------------------------------------------------------------------------


def _enabled() -> list[tuple[str, AssistantSettings]]:
    return [] if conf.problems() else list(conf.enabled().items())


def _place(alias: str, key: str) -> str:
    return f"{conf.SETTING}[{alias!r}][{key!r}]"


def _one_worker() -> bool:
    """WEB_CONCURRENCY is what Uvicorn and others read the number of workers from."""
    return os.environ.get("WEB_CONCURRENCY", "") == "1"
