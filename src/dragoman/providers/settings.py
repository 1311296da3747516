"""What a provider_config may say, read once and checked."""

import difflib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from dragoman.harness.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Settings:
    """One provider_config with every default filled in; the keys are those of the dictionary.

    `timeout_seconds` bounds the wait for the first piece, `stream_timeout_seconds` the silence between two.
    `key_variable` names another environment variable than the usual one. `options` go into every request as they are.
    """

    model: str = ""
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    key_variable: str = ""
    timeout_seconds: float = 60
    stream_timeout_seconds: float = 30
    max_tokens: int | None = None
    tool_mode: str = "native"
    options: Mapping[str, Any] = field(default_factory=dict)


def read(provider: str, config: Mapping[str, Any], modes: Sequence[str]) -> Settings:
    """The settings in `config`. Raises ConfigurationError naming the key, what it takes and what it got."""
    known = {one.name for one in fields(Settings)}
    for key, value in config.items():
        if key not in known:
            close = difflib.get_close_matches(key, known, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else f"There is: {', '.join(sorted(known))}."
            raise ConfigurationError(f"provider_config of {provider}: {key!r} is not a setting. {hint}")
        if expected := _unfit(key, value):
            raise ConfigurationError(f"provider_config of {provider}: {key!r} takes {expected}.")
    found = Settings(**config)
    if found.tool_mode not in modes:
        listed = " or ".join(map(repr, modes))
        raise ConfigurationError(f"provider_config of {provider}: 'tool_mode' takes {listed} here.")
    return found


def _unfit(key: str, value: Any) -> str:
    """What the key takes instead of this value; empty when it fits."""
    match key:
        case "timeout_seconds" | "stream_timeout_seconds":
            good = isinstance(value, int | float) and not isinstance(value, bool) and value > 0
            return "" if good else "a number of seconds above 0"
        case "max_tokens":
            good = value is None or (isinstance(value, int) and not isinstance(value, bool) and value > 0)
            return "" if good else "a whole number above 0"
        case "options":
            return "" if isinstance(value, Mapping) else "a dictionary"
        case _:
            return "" if isinstance(value, str) else "a text"


@dataclass(frozen=True, slots=True)
class Key:
    """A key and the variable it was, or should have been, read from; `variable` is empty for one given directly."""

    value: str = field(repr=False)
    variable: str


def key_of(provider: str, settings: Settings, variables: Sequence[str], *, needed: bool) -> Key:
    """The key a request is signed with. Raises ConfigurationError naming provider and variable where none is set."""
    if settings.api_key.strip():
        return Key(settings.api_key.strip(), "")
    variables = [settings.key_variable] if settings.key_variable else variables
    for variable in variables:
        if value := os.environ.get(variable, "").strip():
            return Key(value, variable)
    if needed:
        raise ConfigurationError(
            f"{provider} has no key: set the environment variable {' or '.join(variables)}.", code="missing_key"
        )
    return Key("", variables[0] if variables else "")
