"""What a tsconfig.json, jsconfig.json or package.json says of where modules are, as a small value that can be stored."""

import json
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dragoman.repo.languages import packages

NAMES = ("tsconfig.json", "jsconfig.json")  # where a folder has both, the first one counts
UNREADABLE = ""
_MOST = 1_000  # items of one list or object; nobody writes more by hand
_MOST_FOLDERS = 5  # `**` of one pattern; each is one more place to go on from
_GROUPS = ("files", "include", "exclude")
_STATED = ("base", "paths", "js", *_GROUPS)
# A string or comment that is not closed goes to the end, or a file full of them would be looked through again for each.
_STRING = r'("[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z))'
_COMMENT = re.compile(_STRING + r"|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_LAST_COMMA = re.compile(_STRING + r"|,(?=\s*[}\]])", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Paths:
    """`compilerOptions.paths`: targets by pattern, as written, and the folder they start from where there is no baseUrl."""

    folder: str
    targets: Mapping[str, tuple[str, ...]]
    starred: tuple[tuple[str, str], ...]  # what stands before and behind the star, of those that have one


@dataclass(frozen=True, slots=True)
class Config:
    """One config, or several put over each other; None is what it does not state. Places are paths from the root.

    `unknown` names what may be stated where it cannot be read.
    """

    base: str | None = None  # baseUrl
    paths: Paths | None = None
    files: tuple[str, ...] | None = None
    include: tuple[str, ...] | None = None
    exclude: tuple[str, ...] | None = None
    js: bool | None = None  # whether JavaScript files belong to it
    unknown: frozenset[str] = frozenset()
    extends: tuple[str, ...] = ()  # as written
    references: tuple[str, ...] = ()

    def over(self, other: "Config") -> "Config":
        """This one, and what only the other states."""
        stated = {name for name in _STATED if getattr(self, name) is not None}
        fields = {name: getattr(self if name in stated else other, name) for name in _STATED}
        unknown = self.unknown | (other.unknown - stated)
        return Config(**fields, unknown=unknown, extends=self.extends, references=self.references)


NOTHING_KNOWN = Config(unknown=frozenset(_STATED))
OF_A_LIBRARY = Config(unknown=frozenset(("js",)))  # its places would lie in the library, so it states none


def read(path: str, content: bytes) -> str | None:
    """What is kept of a config; UNREADABLE for one that is none, and None for any other file."""
    if not path.endswith(".json"):
        return None
    name = path.rpartition("/")[2]
    if name == packages.NAME:
        return packages.read(content)
    # What others extend may have any name.
    if not (name.startswith(("tsconfig", "jsconfig")) or b'"compilerOptions"' in content or b'"extends"' in content):
        return None
    try:
        return json.dumps(_kept(json.loads(_plain(content.decode("utf-8-sig")))), separators=(",", ":"))
    except (ValueError, RecursionError):
        return UNREADABLE


def load(path: str, kept: str) -> Config:
    """The config at a path, from what was kept of it."""
    if kept == UNREADABLE:
        return NOTHING_KNOWN
    told: dict[str, Any] = json.loads(kept)
    folder = posixpath.dirname(path)

    def places(name: str) -> tuple[str, ...] | None:
        return tuple(below(folder, text) for text in told[name]) if name in told else None

    return Config(
        base=below(folder, told["base"]) if "base" in told else None,
        paths=_paths(folder, told["paths"]) if "paths" in told else None,
        files=places("files"),
        include=places("include"),
        exclude=places("exclude"),
        js=told.get("js"),
        unknown=frozenset(told["unknown"]),
        extends=tuple(told["extends"]),
        references=places("references") or (),
    )


def below(folder: str, text: str) -> str:
    """The place `text` means, as written in a folder; it starts with `..` or `/` where that is outside the root."""
    return posixpath.normpath(posixpath.join(folder, text))


def _paths(folder: str, told: Mapping[str, list[str]]) -> Paths:
    starred = [pattern.partition("*") for pattern in told if "*" in pattern]
    return Paths(folder, {one: tuple(each) for one, each in told.items()}, tuple((one, end) for one, _, end in starred))


def _plain(text: str) -> str:
    """JSON out of what compilers and editors also take for it: with comments, and commas behind the last item."""
    return _LAST_COMMA.sub(r"\1", _COMMENT.sub(lambda found: found[1] or " ", text))


def _kept(told: object) -> dict[str, object]:
    """The part that is about places. Raises ValueError where something is not what it has to be."""
    whole = _object(told)
    options = _object(whole.get("compilerOptions", {}))
    stated: dict[str, Any] = {name: _strings(whole[name]) for name in _GROUPS if name in whole}
    if "baseUrl" in options:
        stated["base"] = _string(options["baseUrl"])
    if "paths" in options:
        stated["paths"] = {_starred(one): _strings(each) for one, each in _object(options["paths"]).items()}
    if "allowJs" in options or options.get("checkJs") is True:
        stated["js"] = options.get("allowJs", True) is True
    if any(text.count("**") > _MOST_FOLDERS for name in _GROUPS for text in stated.get(name, ())):
        raise ValueError("a pattern that takes long")
    # What `${configDir}` stands for depends on who extends this.
    unknown = [name for name, value in stated.items() if "${" in json.dumps(value)]
    extends = whole.get("extends", [])
    return {name: value for name, value in stated.items() if name not in unknown} | {
        "unknown": unknown,
        "extends": [_string(extends)] if isinstance(extends, str) else _strings(extends),
        "references": [_string(_object(each).get("path")) for each in _list(whole.get("references", []))],
    }


def _object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict) or len(value) > _MOST:
        raise ValueError("no object, or a very long one")
    return value


def _list(value: object) -> list[Any]:
    if not isinstance(value, list) or len(value) > _MOST:
        raise ValueError("no list, or a very long one")
    return value


def _strings(value: object) -> list[str]:
    return [_string(each) for each in _list(value)]


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("no string")
    return value


def _starred(pattern: str) -> str:
    if pattern.count("*") > 1:
        raise ValueError("a pattern with two stars")
    return pattern
