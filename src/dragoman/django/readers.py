"""Read the value of one setting, or say what was expected of it."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any


class Unfit(ValueError):
    """A value is not what its key takes; the text says what was expected."""


type Reader = Callable[[Any], Any]


def boolean(value: Any) -> bool:
    """True or False and nothing that counts as one."""
    if not isinstance(value, bool):
        raise Unfit("True or False")
    return value


def text(value: Any) -> str:
    """A text, also an empty one."""
    if not isinstance(value, str):
        raise Unfit("a text")
    return value


def url(value: Any) -> str:
    """A path with a slash at both ends; "/" for the root."""
    if not isinstance(value, str) or "://" in value or set(value) & set("?#<> "):
        raise Unfit("a path such as '/chat/'")
    inner = value.strip("/")
    return f"/{inner}/" if inner else "/"


def mapping(value: Any) -> dict[str, Any]:
    """A dictionary whose keys are texts, as a copy."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise Unfit("a dictionary")
    return dict(value)


def texts(value: Any) -> tuple[str, ...]:
    """Texts in any sequence or set; one text alone is none."""
    if isinstance(value, str) or not isinstance(value, Sequence | set | frozenset):
        raise Unfit("a list of texts")
    if not all(isinstance(item, str) for item in value):
        raise Unfit("a list of texts")
    return tuple(value)


def number(least: float, *, whole: bool = False) -> Reader:
    """A reader of numbers from `least` on."""

    def read(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int if whole else int | float) or value < least:
            raise Unfit(f"{'a whole number' if whole else 'a number'} of at least {least:g}")
        return value

    return read


def or_none(reader: Reader) -> Reader:
    """The same reader, and None."""
    return lambda value: None if value is None else reader(value)


def one_of(*choices: str) -> Reader:
    """A reader of these texts and no others."""

    def read(value: Any) -> str:
        if value not in choices:
            raise Unfit("one of " + ", ".join(map(repr, choices)))
        return str(value)

    return read


def callable_or_path(value: Any) -> str | Callable[..., Any] | None:
    """A callable, or what may be the dotted path of one."""
    if value is None:
        return None
    if callable(value):
        return value  # type: ignore[no-any-return]  # whatever was called so far is the project's
    if isinstance(value, str) and "." in value:
        return value
    raise Unfit("the dotted path of a callable")


def header(value: Any) -> str:
    """The name of an HTTP header; empty for none."""
    if not isinstance(value, str) or not all(part.isalnum() for part in value.split("-") if value):
        raise Unfit("the name of a header, such as 'X-Forwarded-For'")
    return value


def providers(value: Any) -> dict[str, dict[str, Any]]:
    """Names with their configurations; a list of names takes each with its own defaults."""
    if isinstance(value, Mapping):
        return {provider(name): mapping(config) for name, config in value.items()}
    return {provider(name): {} for name in texts(value)}


def provider(value: Any) -> str:
    """The short name or the dotted path of a provider."""
    if inspect.isclass(value):
        raise Unfit("a short name or the dotted path of a class, as a text")
    if not text(value):
        raise Unfit("a short name or the dotted path of a class")
    return str(value)


def grounding(value: Any) -> dict[str, Any]:
    """A dictionary with a `kind`, which is "graphql" where it is left out."""
    inner = mapping(value)
    if not isinstance(inner.setdefault("kind", "graphql"), str):
        raise Unfit("a dictionary whose 'kind' is a text")
    return inner
