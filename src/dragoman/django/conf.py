"""DRAGOMAN in settings, read once, checked, and handed on as values."""

import difflib
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed

from dragoman.harness.limits import Limits

SETTING = "DRAGOMAN"


@dataclass(frozen=True, slots=True)
class RateLimit:
    """What one person may use within an hour; None is no limit."""

    max_requests_per_hour: int | None = 60
    max_tokens_per_hour: int | None = 100_000


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


class _Unfit(ValueError):
    """A value is not what its key takes; the text says what was expected."""


type _Reader = Callable[[Any], Any]


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
    where: str, raw: Mapping[str, Any], readers: Mapping[str, _Reader], problems: list[Problem]
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in raw.items():
        reader = readers.get(key)
        if reader is None:
            problems.append(_unknown_key(where, key, readers))
            continue
        try:
            values[key] = reader(value)
        except _Unfit as unfit:
            problems.append(Problem(f"{where}[{key!r}]", f"expected {unfit}, got {_kind(value)}."))
    return values


def _unknown_key(where: str, key: object, readers: Mapping[str, _Reader]) -> Problem:
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


# What each key takes --------------------------------------------------------------------------------------------------


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _Unfit("True or False")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _Unfit("a text")
    return value


def _url(value: Any) -> str:
    if not isinstance(value, str) or "://" in value or set(value) & set("?#<> "):
        raise _Unfit("a path such as '/chat/'")
    inner = value.strip("/")
    return f"/{inner}/" if inner else "/"


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise _Unfit("a dictionary")
    return dict(value)


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence | set | frozenset):
        raise _Unfit("a list of texts")
    if not all(isinstance(item, str) for item in value):
        raise _Unfit("a list of texts")
    return tuple(value)


def _number(least: float, *, whole: bool = False) -> _Reader:
    def read(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int if whole else int | float) or value < least:
            raise _Unfit(f"{'a whole number' if whole else 'a number'} of at least {least:g}")
        return value

    return read


def _or_none(reader: _Reader) -> _Reader:
    return lambda value: None if value is None else reader(value)


def _one_of(*choices: str) -> _Reader:
    def read(value: Any) -> str:
        if value not in choices:
            raise _Unfit("one of " + ", ".join(map(repr, choices)))
        return str(value)

    return read


def _callable_or_path(value: Any) -> str | Callable[..., Any] | None:
    if value is None:
        return None
    if callable(value):
        return value  # type: ignore[no-any-return]  # whatever was called so far is the project's
    if isinstance(value, str) and "." in value:
        return value
    raise _Unfit("the dotted path of a callable")


def _header(value: Any) -> str:
    if not isinstance(value, str) or not all(part.isalnum() for part in value.split("-") if value):
        raise _Unfit("the name of a header, such as 'X-Forwarded-For'")
    return value


def _providers(value: Any) -> dict[str, dict[str, Any]]:
    """Names with their configurations; a list of names takes each with its own defaults."""
    if isinstance(value, Mapping):
        return {_provider(name): _mapping(config) for name, config in value.items()}
    return {_provider(name): {} for name in _texts(value)}


def _provider(value: Any) -> str:
    if inspect.isclass(value):
        raise _Unfit("a short name or the dotted path of a class, as a text")
    if not _text(value):
        raise _Unfit("a short name or the dotted path of a class")
    return str(value)


def _grounding(value: Any) -> dict[str, Any]:
    inner = _mapping(value)
    if not isinstance(inner.setdefault("kind", "graphql"), str):
        raise _Unfit("a dictionary whose 'kind' is a text")
    return inner


_KEYS: dict[str, _Reader] = {
    "enabled": _boolean,
    "url": _url,
    "provider": _provider,
    "provider_config": _mapping,
    "providers": _providers,
    "permission": _callable_or_path,
    "allowed_mutations": _texts,
    "confirm_mutations": _texts,
    "confirm_timeout_seconds": _number(0),
    "allowed_origins": _or_none(_texts),
    "system_prompt": _text,
    "tool_strategy": _one_of("discovery", "direct"),
    "rate_limit": _mapping,
    "query_limits": _mapping,
    "conversation": _mapping,
    "audit": _mapping,
    "grounding": _grounding,
    "limits": _mapping,
    "disconnect_grace_seconds": _number(0),
    "mcp": _boolean,
    "client_address_header": _header,
    "usage_days": _number(1),
    "telemetry_content": _boolean,
}

# Keys that a project might bring from elsewhere, with where they went.
_MOVED = {
    "excluded_managers": "A manager is hidden unless it sets chat_exposed = True.",
}

_PATIENCE: dict[str, _Reader] = {"timeout_seconds": _number(0), "stream_timeout_seconds": _number(0)}

# These have a place of their own in the dictionary and are no keys of `limits`.
_ELSEWHERE = {"max_retries", "max_recent_messages", "summarize_after", "confirm_timeout_seconds", *_PATIENCE}

_SECTIONS: dict[str, tuple[Callable[..., Any], dict[str, _Reader]]] = {
    "rate_limit": (
        RateLimit,
        {
            "max_requests_per_hour": _or_none(_number(0, whole=True)),
            "max_tokens_per_hour": _or_none(_number(0, whole=True)),
        },
    ),
    "query_limits": (
        QueryLimits,
        {
            "max_results": _number(1, whole=True),
            "query_timeout_seconds": _number(0),
            "max_retries_per_message": _number(0, whole=True),
        },
    ),
    "conversation": (
        ConversationLimits,
        {
            "max_recent_messages": _number(1, whole=True),
            "summarize_after": _number(1, whole=True),
            "ttl_hours": _or_none(_number(0)),
        },
    ),
    "audit": (
        Audit,
        {
            "enabled": _boolean,
            "level": _one_of("off", "messages", "tool_calls"),
            "logger": _text,
            "max_result_size": _number(0, whole=True),
            "redact_fields": _texts,
        },
    ),
    "limits": (
        Limits,
        {
            one.name: _number(1, whole=isinstance(one.default, int) and not one.name.endswith("_seconds"))
            for one in fields(Limits)
            if one.name not in _ELSEWHERE
        },
    ),
}
