"""Which file an import of JavaScript or TypeScript means: a relative path, an alias of a config, or a package of the repository."""

import posixpath
from collections.abc import Collection, Mapping
from functools import cached_property

from dragoman.repo.languages import packages
from dragoman.repo.languages.aliases import JAVASCRIPT, Aliases
from dragoman.repo.languages.configs import below
from dragoman.repo.languages.packages import Packages

_SCRIPTS = ("ts", "tsx", "d.ts", "mts", "cts", "js", "jsx", "mjs", "cjs")
_WRITTEN_AS = {".js": ("ts", "tsx"), ".jsx": ("tsx",), ".mjs": ("mts",), ".cjs": ("cts",)}


class ScriptModules:
    """The JavaScript and TypeScript files of a repository as modules. `kept` is what configs.read gave for each config."""

    def __init__(self, paths: Collection[str], kept: Mapping[str, str]) -> None:
        self.paths = set(paths)
        self._says_nothing = not kept
        self._known: dict[tuple[str, str], str | None] = {}
        manifests = {path: each for path, each in kept.items() if path.rpartition("/")[2] == packages.NAME}
        self._packages = Packages(manifests)
        self._aliases = Aliases({path: each for path, each in kept.items() if path not in manifests}, self._packages)

    def find(self, path: str, module: str) -> str | None:
        """The file `module`, as written in the file `path`, means; None where that is outside or not certain."""
        if module.startswith("."):
            return self._at(below(posixpath.dirname(path), module))
        if self._says_nothing:
            return None
        if (path, module) not in self._known:
            self._known[path, module] = self._named(path, module)
        return self._known[path, module]

    def knows(self, path: str, module: str) -> bool:
        """Whether a module that was not found may lie in the repository all the same."""
        if module.startswith((".", "@/", "~", "#", "/", "src/")):
            return True
        if self._says_nothing:
            return False
        first = module.partition("/")[0]
        return (
            self._packages.named(module)
            or self._aliases.name(path, module)
            or any(
                self._at(below(base, module)) or below(base, first) in self._folders
                for base in self._aliases.bases(path)
            )
        )

    def within(self, module: str, name: str) -> str | None:
        """Nothing: a folder is no module of its own here."""
        return None

    @cached_property
    def _folders(self) -> set[str]:
        found: set[str] = set()
        for path in self.paths:
            folder = posixpath.dirname(path)
            while folder and folder not in found:
                found.add(folder)
                folder = posixpath.dirname(folder)
        return found

    def _named(self, path: str, module: str) -> str | None:
        found = [at for place in self._aliases.places(path, module) if (at := self._at(place))]
        if found:  # compilers look for TypeScript in all places before they look for JavaScript in any
            return next((at for at in found if not at.endswith(JAVASCRIPT)), found[0])
        if self._aliases.name(path, module) or self._aliases.unsure(path):
            return None
        return self._in_package(path, module)

    def _in_package(self, path: str, module: str) -> str | None:
        places = self._packages.places(path, module)
        found = {at for place in places if (at := self._at(place))}
        if len(found) == 1:
            return found.pop()
        source = self._packages.source(module) if places and not found else None
        return self._at(source) if source else None

    def _at(self, place: str) -> str | None:
        if place in self.paths:
            return place
        stem, suffix = posixpath.splitext(place)
        tried = [f"{stem}.{each}" for each in _WRITTEN_AS.get(suffix, ())]
        tried += [f"{place}.{each}" for each in _SCRIPTS]
        tried += [f"{place}/index.{each}" if place != "." else f"index.{each}" for each in _SCRIPTS]
        return next((each for each in tried if each in self.paths), None)
