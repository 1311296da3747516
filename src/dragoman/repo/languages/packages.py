"""The packages that a repository has itself: which name they are imported by, by whom for certain, and which file that means."""

import json
import posixpath
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dragoman.repo.languages import globs
from dragoman.repo.languages.globs import starred

NAME = "package.json"
_ENTRIES = ("types", "typings", "module", "main")
_DEPENDENCIES = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_LARGEST = 100_000  # bytes


@dataclass(frozen=True, slots=True)
class Package:
    """A package.json. `linked` are the dependencies that are meant to be packages of the same repository: True where its
    own words say so, False where any version will do, which is the repository's own one where it is a workspace of it."""

    name: str
    entries: tuple[str, ...]
    exports: Mapping[str, list[str]] | None  # everything it has for a path in the package, under whatever condition
    linked: Mapping[str, bool]
    workspaces: tuple[str, ...]


def read(content: bytes) -> str | None:
    """What is kept of a package.json; None where nothing can be."""
    try:
        told = json.loads(content.decode("utf-8-sig")) if len(content) <= _LARGEST else None
        return json.dumps(_kept(told), separators=(",", ":")) if isinstance(told, dict) else None
    except (ValueError, RecursionError):
        return None


def split(module: str) -> tuple[str, str]:
    """The name of the package a module is in, and what is meant in it."""
    parts = module.split("/")
    count = 2 if module.startswith("@") else 1
    return "/".join(parts[:count]), "/".join(parts[count:])


class Packages:
    """The packages of a repository. `kept` is what `read` gave for each package.json, by path."""

    def __init__(self, kept: Mapping[str, str]) -> None:
        self._packages = {posixpath.dirname(path): _load(each) for path, each in kept.items()}
        self._folders: dict[str, list[str]] = defaultdict(list)
        for folder, package in self._packages.items():
            if package.name:
                self._folders[package.name].append(folder)

    def named(self, module: str) -> bool:
        """Whether a package of the repository has the name that a module begins with."""
        return split(module)[0] in self._folders

    def folder(self, name: str) -> str | None:
        """The folder of the one package of that name."""
        found = self._folders.get(name, ())
        return found[0] if len(found) == 1 else None

    def places(self, path: str, module: str) -> list[str]:
        """Where the file may lie that a module means, imported by the file at `path`; none where that is not certain."""
        name, rest = split(module)
        folder = self.folder(name) if self._folders else None
        if folder is None or not self._links(posixpath.dirname(path), name, folder):
            return []
        package = self._packages[folder]
        if package.exports is not None:
            told = _exported(package.exports, f"./{rest}" if rest else ".")
        else:
            told = [rest] if rest else list(package.entries or ("index",))
        return [posixpath.normpath(posixpath.join(folder, each)) for each in told]

    def source(self, module: str) -> str | None:
        """Where the source of a package begins, of which the repository has only that and not what is made of it."""
        name, rest = split(module)
        folder = self.folder(name)
        return None if rest or folder is None else posixpath.join(folder, "src/index")

    def _links(self, near: str, name: str, folder: str) -> bool:
        """Whether a file in the folder `near` that imports the package gets the one in `folder` and no published one."""
        while near not in self._packages and near:
            near = posixpath.dirname(near)
        package = self._packages.get(near)
        if package is None:
            return False
        if package.name == name:
            return package.exports is not None  # otherwise it cannot import itself
        stated = package.linked.get(name)
        return bool(stated) or (stated is False and self._whole(near) == self._whole(folder) is not None)

    def _whole(self, folder: str) -> str | None:
        """The folder of the package that this one is a workspace of, or is itself; None where there is none."""
        above = folder
        while True:
            package = self._packages.get(above)
            if package is not None and package.workspaces:
                wanted = [posixpath.normpath(posixpath.join(above, each, NAME)) for each in package.workspaces]
                return above if above == folder or globs.included(wanted, posixpath.join(folder, NAME)) else None
            if not above:
                return None
            above = posixpath.dirname(above)


def _kept(told: dict[str, Any]) -> dict[str, object]:
    workspaces = told.get("workspaces")
    workspaces = workspaces.get("packages") if isinstance(workspaces, dict) else workspaces
    parts = [_text(each) for each in workspaces] if isinstance(workspaces, list) else []
    linked: dict[str, bool] = {}
    for group in _DEPENDENCIES:
        wanted = told.get(group)
        for name, version in wanted.items() if isinstance(wanted, dict) else ():
            # Behind an @ stands another package, that is called so here.
            if isinstance(version, str) and "@" not in version and (version == "*" or version.startswith("workspace:")):
                linked[name] = version != "*"
    return {
        "name": _text(told.get("name")),
        "entries": [told[each] for each in _ENTRIES if _text(told.get(each))],
        "exports": _by_path(told["exports"]) if told.get("exports") is not None else None,
        "linked": linked,
        "workspaces": []
        if any(each.startswith("!") for each in parts)
        else parts,  # which of them is left out is not asked
    }


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _load(kept: str) -> Package:
    told: dict[str, Any] = json.loads(kept)
    entries, workspaces = tuple(told["entries"]), tuple(told["workspaces"])
    return Package(told["name"], entries, told["exports"], told["linked"], workspaces)


def _by_path(exports: object) -> dict[str, list[str]]:
    if isinstance(exports, dict) and any(each.startswith(".") for each in exports):
        return {each: list(_leaves(value)) for each, value in exports.items()}
    return {".": list(_leaves(exports))}


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _leaves(each)


def _exported(exports: Mapping[str, list[str]], wanted: str) -> list[str]:
    if wanted in exports:
        return exports[wanted]
    matched = starred(((start, end) for start, star, end in (each.partition("*") for each in exports) if star), wanted)
    if matched is None:
        return []
    pattern, rest = matched
    return [each.replace("*", rest) for each in exports[pattern]]
