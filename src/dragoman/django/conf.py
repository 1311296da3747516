"""DRAGOMAN in settings, read once, checked, and handed on as values."""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed

from dragoman.django import readers
from dragoman.django.readers import Reader, Unfit
from dragoman.harness.limits import Limits

SETTING = "DRAGOMAN"


@dataclass(frozen=True, slots=True)
class RateLimit:
    """What one person may use within an hour, and how many answers they may have on their way; None is no limit."""

    max_requests_per_hour: int | None = 60
    max_tokens_per_hour: int | None = 100_000
    max_concurrent_turns: int | None = 10


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """Rows of one query, seconds of one query, and reads repeated after a failed one."""

    max_results: int = 200
    query_timeout_seconds: float = 5
    max_retries_per_message: int = 3


@dataclass(frozen=True, slots=True)
class ConversationLimits:
    """What is sent in full, from which length on the rest is folded, and how long a conversation is kept."""

    max_recent_messages: int = 20
    summarize_after: int = 10
    ttl_hours: float | None = 24


@dataclass(frozen=True, slots=True)
class Audit:
    """What the audit log holds; `logger` is the dotted path of a callable."""

    enabled: bool = True
    level: str = "tool_calls"
    logger: str = ""
    max_result_size: int = 4096
    redact_fields: tuple[str, ...] = ("password", "secret", "token", "key", "credential")


@dataclass(frozen=True, slots=True)
class AssistantSettings:
    """One alias of DRAGOMAN with every default filled in. The keys are those of the dictionary."""

    alias: str = "default"
    enabled: bool = False
    url: str = "/chat/"
    provider: str = "auto"
    provider_config: Mapping[str, Any] = field(default_factory=dict, repr=False)
    providers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)
    permission: str | Callable[..., Any] | None = None
    allowed_mutations: tuple[str, ...] = ()
    confirm_mutations: tuple[str, ...] = ()
    confirm_timeout_seconds: float = 30
    allowed_origins: tuple[str, ...] | None = None
    system_prompt: str = ""
    tool_strategy: str = "discovery"
    rate_limit: RateLimit = RateLimit()
    query_limits: QueryLimits = QueryLimits()
    conversation: ConversationLimits = ConversationLimits()
    audit: Audit = Audit()
    build_index: str = "lazy"
    grounding: Mapping[str, Any] = field(default_factory=lambda: {"kind": "graphql", "host": "general_manager"})
    limits: Limits = field(default_factory=Limits)
    disconnect_grace_seconds: float = 0
    mcp: bool = False
    client_address_header: str = ""
    usage_days: float = 90
    telemetry_content: bool = False

    @property
    def route(self) -> str:
        """The url as Django's `path` wants it: no slash in front, one at the end, and nothing for the root."""
        return self.url.removeprefix("/")


@dataclass(frozen=True, slots=True)
class Problem:
    """A setting that cannot be used: where it stands, what is wrong with it, and the way out."""

    where: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" + (f" {self.hint}" if self.hint else "")


def assistants() -> Mapping[str, AssistantSettings]:
    """Every alias with its settings, the disabled ones included. Raises ImproperlyConfigured naming all that is wrong."""
    found, problems = _read()
    if problems:
        raise ImproperlyConfigured("\n".join(map(str, problems)))
    return found


def enabled() -> Mapping[str, AssistantSettings]:
    """The aliases that answer. Raises ImproperlyConfigured as `assistants` does."""
    return {alias: found for alias, found in assistants().items() if found.enabled}


def problems() -> list[Problem]:
    """All that is wrong with DRAGOMAN, in the order it stands there."""
    return list(_read()[1])


@lru_cache(maxsize=1)
def _read() -> tuple[dict[str, AssistantSettings], tuple[Problem, ...]]:
    raw: Any = getattr(settings, SETTING, {})
    found: dict[str, AssistantSettings] = {}
    problems: list[Problem] = []
    if not isinstance(raw, Mapping):
        return {}, (Problem(SETTING, f"expected a dictionary of aliases, got {_kind(raw)}."),)
    for alias, inner in raw.items():
        if not isinstance(inner, Mapping):
            hint = f'An alias holds a dictionary: {SETTING} = {{"default": {{"enabled": True, ...}}}}.'
            problems.append(Problem(f"{SETTING}[{alias!r}]", f"expected a dictionary, got {_kind(inner)}.", hint))
        else:
            found[alias] = _read_alias(alias, inner, problems)
    problems += _clashes(found)
    return found, tuple(problems)


def _forget(*, setting: str, **_: Any) -> None:
    if setting == SETTING:
        _read.cache_clear()


setting_changed.connect(_forget)


# Reading one alias ----------------------------------------------------------------------------------------------------


def _read_alias(alias: str, raw: Mapping[str, Any], problems: list[Problem]) -> AssistantSettings:
    where = f"{SETTING}[{alias!r}]"
    values = _read_keys(where, raw, _KEYS, problems)
    sections = {
        name: kind(**_read_keys(f"{where}[{name!r}]", values.get(name, {}), keys, problems))
        for name, (kind, keys) in _SECTIONS.items()
    }
    result = AssistantSettings(**{**values, **sections, "alias": alias})
    for name in result.confirm_mutations:
        if name not in result.allowed_mutations:
            hint = "A mutation that asks for confirmation has to be allowed as well."
            problems.append(Problem(f"{where}['confirm_mutations']", f"{name!r} is not in allowed_mutations.", hint))
    return replace(result, limits=_limits(where, result, problems))


def _read_keys(
    where: str, raw: Mapping[str, Any], readers: Mapping[str, Reader], problems: list[Problem]
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in raw.items():
        reader = readers.get(key)
        if reader is None:
            problems.append(_unknown_key(where, key, readers))
            continue
        try:
            values[key] = reader(value)
        except Unfit as unfit:
            problems.append(Problem(f"{where}[{key!r}]", f"expected {unfit}, got {_kind(value)}."))
    return values


def _unknown_key(where: str, key: object, readers: Mapping[str, Reader]) -> Problem:
    if key in _MOVED:
        return Problem(f"{where}[{key!r}]", "is not a setting.", _MOVED[str(key)])
    close = difflib.get_close_matches(str(key), readers, n=1)
    hint = f"Did you mean {close[0]!r}?" if close else f"There is: {', '.join(readers)}."
    return Problem(f"{where}[{key!r}]", "is not a setting.", hint)


def _limits(where: str, found: AssistantSettings, problems: list[Problem]) -> Limits:
    """The harness's limits from their places in the dictionary: the specification's keys and our own `limits`."""
    config = {key: found.provider_config[key] for key in _PATIENCE if key in found.provider_config}
    patience = _read_keys(f"{where}['provider_config']", config, _PATIENCE, problems)
    return replace(
        found.limits,
        max_retries=found.query_limits.max_retries_per_message,
        max_recent_messages=found.conversation.max_recent_messages,
        summarize_after=found.conversation.summarize_after,
        confirm_timeout_seconds=found.confirm_timeout_seconds,
        **patience,
    )


def _clashes(found: Mapping[str, AssistantSettings]) -> list[Problem]:
    owners: dict[str, str] = {}
    clashes = []
    for alias, one in found.items():
        if one.enabled and (other := owners.setdefault(one.url, alias)) != alias:
            hint = f"Give each a place of its own, such as {'/chat/' + alias + '/'!r}."
            clashes.append(Problem(f"{SETTING}[{alias!r}]['url']", f"{one.url!r} is that of {other!r} too.", hint))
    return clashes


def _kind(value: object) -> str:
    """The value's type, and the value itself where it is short and plain; a dictionary may hold a secret."""
    return repr(value) if isinstance(value, bool | int | float | None) else f"{type(value).__name__}"


# What each key takes ----------------------------------------------------------------------------------------------------

_KEYS: dict[str, Reader] = {
    "enabled": readers.boolean,
    "url": readers.url,
    "provider": readers.provider,
    "provider_config": readers.mapping,
    "providers": readers.providers,
    "permission": readers.callable_or_path,
    "allowed_mutations": readers.texts,
    "confirm_mutations": readers.texts,
    "confirm_timeout_seconds": readers.number(0),
    "allowed_origins": readers.or_none(readers.texts),
    "system_prompt": readers.text,
    "tool_strategy": readers.one_of("discovery", "direct"),
    "rate_limit": readers.mapping,
    "query_limits": readers.mapping,
    "conversation": readers.mapping,
    "audit": readers.mapping,
    "grounding": readers.grounding,
    "build_index": readers.one_of("lazy", "eager"),
    "limits": readers.mapping,
    "disconnect_grace_seconds": readers.number(0),
    "mcp": readers.boolean,
    "client_address_header": readers.header,
    "usage_days": readers.number(1),
    "telemetry_content": readers.boolean,
}

# Keys that a project might bring from elsewhere, with where they went.
_MOVED = {
    "excluded_managers": "A type is hidden unless its class sets chat_exposed = True or, on graphene-django and strawberry-django, "
    "grounding['types'] names it.",
}

_PATIENCE: dict[str, Reader] = {"timeout_seconds": readers.number(0), "stream_timeout_seconds": readers.number(0)}

# These have a place of their own in the dictionary and are no keys of `limits`.
_ELSEWHERE = {"max_retries", "max_recent_messages", "summarize_after", "confirm_timeout_seconds", *_PATIENCE}

_SECTIONS: dict[str, tuple[Callable[..., Any], dict[str, Reader]]] = {
    "rate_limit": (
        RateLimit,
        {
            "max_requests_per_hour": readers.or_none(readers.number(0, whole=True)),
            "max_tokens_per_hour": readers.or_none(readers.number(0, whole=True)),
            "max_concurrent_turns": readers.or_none(readers.number(1, whole=True)),
        },
    ),
    "query_limits": (
        QueryLimits,
        {
            "max_results": readers.number(1, whole=True),
            "query_timeout_seconds": readers.number(0),
            "max_retries_per_message": readers.number(0, whole=True),
        },
    ),
    "conversation": (
        ConversationLimits,
        {
            "max_recent_messages": readers.number(1, whole=True),
            "summarize_after": readers.number(1, whole=True),
            "ttl_hours": readers.or_none(readers.number(0)),
        },
    ),
    "audit": (
        Audit,
        {
            "enabled": readers.boolean,
            "level": readers.one_of("off", "messages", "tool_calls"),
            "logger": readers.text,
            "max_result_size": readers.number(0, whole=True),
            "redact_fields": readers.texts,
        },
    ),
    "limits": (
        Limits,
        {
            one.name: readers.number(1, whole=isinstance(one.default, int) and not one.name.endswith("_seconds"))
            for one in fields(Limits)
            if one.name not in _ELSEWHERE
        },
    ),
}
