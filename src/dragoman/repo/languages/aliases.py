"""Where a module lies that is not written as a path, by the configs of TypeScript and JavaScript: `paths` and `baseUrl`."""

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from dragoman.repo.languages import configs, globs
from dragoman.repo.languages.configs import NOTHING_KNOWN, OF_A_LIBRARY, Config, Paths, below
from dragoman.repo.languages.packages import Packages, split

_MOST = 200  # configs that one extends, or that are asked for a file
JAVASCRIPT = (".js", ".jsx", ".mjs", ".cjs")
# Node's own modules: whether such a name means one of them or a file depends on which types are installed.
_NODE = frozenset(
    "assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain events"
    " fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl stream"
    " string_decoder sys timers tls trace_events tty url util v8 vm wasi worker_threads zlib assert/strict dns/promises"
    " fs/promises path/posix path/win32 readline/promises stream/consumers stream/promises stream/web timers/promises"
    " util/types".split()
)


class Aliases:
    """What the configs of a repository say. `kept` is what configs.read gave for each, by path."""

    def __init__(self, kept: Mapping[str, str], packages: Packages) -> None:
        self._kept, self._packages = kept, packages
        self._loaded: dict[str, Config] = {}
        self._whole: dict[str, Config] = {}
        self._nearest: dict[str, str] = {}
        self._counts: dict[str, Config | None] = {}
        self._left = 0

    def places(self, path: str, module: str) -> list[str]:
        """Where a module lies that the file at `path` imports, best first and without suffixes; none where nothing is certain."""
        config = None if module in _NODE or not self._kept else self._counting(path)
        if config is None or config.unknown & {"base", "paths"}:
            return []
        if config.paths is not None and (matched := _matched(config.paths, module)):
            pattern, rest = matched
            start = config.base or config.paths.folder
            return [below(start, target.replace("*", rest, 1)) for target in config.paths.targets[pattern]]
        return [below(config.base, module)] if config.base else []

    def name(self, path: str, module: str) -> bool:
        """Whether a config that may count has a pattern for the module that leads into the repository."""
        for config in self._possible(path):
            matched = _matched(config.paths, module) if config.paths is not None else None
            if config.paths is not None and matched and matched[0] != "*":
                start = config.base or config.paths.folder
                found = [below(start, target) for target in config.paths.targets[matched[0]]]
                if any("node_modules" not in place.split("/") and not place.startswith(("/", "..")) for place in found):
                    return True
        return False

    def bases(self, path: str) -> list[str]:
        """The folders that configs which may count name for modules without a pattern."""
        return [config.base for config in self._possible(path) if config.base]

    def unsure(self, path: str) -> bool:
        """Whether a config that may count may have patterns which nobody can read."""
        return any("paths" in config.unknown for config in self._possible(path))

    def _possible(self, path: str) -> Iterable[Config]:
        counting = self._counting(path)
        return self._near(path) if counting is None else (counting,)

    def _counting(self, path: str) -> Config | None:
        """The config that counts for a file: the first near it that takes it in.

        None where that is none, and where nobody knows whether one of them does. A file that is part of a program only
        since another imports it is taken in by none.
        """
        if path not in self._counts:
            verdicts = ((config, _takes(config, path)) for config in self._near(path))
            config, takes = next(((config, takes) for config, takes in verdicts if takes is not False), (None, None))
            self._counts[path] = config if takes else None
        return self._counts[path]

    def _near(self, path: str) -> Iterator[Config]:
        """The configs near a file, as TypeScript 5.7 and later look for one: each above it, with those that one refers to."""
        folder, seen = posixpath.dirname(path), set[str]()
        while found := self._above(folder):
            waiting = [found]
            while waiting:
                each = waiting.pop(0)
                if each in seen:
                    continue
                if len(seen) == _MOST:
                    yield NOTHING_KNOWN
                    return
                seen.add(each)
                config = self._config(each)
                yield config
                waiting[:0] = [
                    one if one.endswith(".json") else f"{one}/{configs.NAMES[0]}" for one in config.references
                ]
            if not (folder := posixpath.dirname(found)):
                return
            folder = posixpath.dirname(folder)

    def _above(self, folder: str) -> str:
        """The nearest config in a folder or above it."""
        passed = []
        while folder not in self._nearest:
            passed.append(folder)
            start = f"{folder}/" if folder else ""
            here = next((start + name for name in configs.NAMES if start + name in self._kept), "")
            if here or not folder:
                self._nearest[folder] = here
            else:
                folder = posixpath.dirname(folder)
        for each in passed:
            self._nearest[each] = self._nearest[folder]
        return self._nearest[folder]

    def _config(self, path: str) -> Config:
        """The config at a path, with all that it extends."""
        if path not in self._whole:
            self._left = _MOST
            whole = self._extended(path, ())
            if whole.files is None and whole.include is None:
                whole = replace(whole, include=(below(posixpath.dirname(path), "**/*"),))
            self._whole[path] = whole
        return self._whole[path]

    def _extended(self, path: str, above: tuple[str, ...]) -> Config:
        self._left -= 1
        if self._left < 0 or path in above or path not in self._kept:
            return NOTHING_KNOWN
        if path not in self._loaded:
            self._loaded[path] = configs.load(path, self._kept[path])
        own, under = self._loaded[path], Config()
        if not above and path.endswith("jsconfig.json") and own.js is None:
            own = replace(own, js=True)
        for text in own.extends:
            under = self._parent(text, (*above, path)).over(under)
        return own.over(under)

    def _parent(self, text: str, above: tuple[str, ...]) -> Config:
        """What the last of `above` extends, with what that extends."""
        if text.startswith((".", "/")):
            place = below(posixpath.dirname(above[-1]), text)
        elif self._packages.named(text):
            name, rest = split(text)
            folder = self._packages.folder(name)
            if folder is None:
                return NOTHING_KNOWN
            place = below(folder, rest or configs.NAMES[0])
        else:
            return OF_A_LIBRARY
        return self._extended(place if place.endswith(".json") else f"{place}.json", above)


def _matched(paths: Paths, module: str) -> tuple[str, str] | None:
    """The pattern for a module, and what its star stands for: the whole name before any start of it."""
    return (module, "") if module in paths.targets else globs.starred(paths.starred, module)


def _takes(config: Config, path: str) -> bool | None:
    """Whether a config takes a file in; None where that cannot be told."""
    if config.unknown & {"files", "include", "exclude"}:
        return None
    if path.endswith(JAVASCRIPT) and not config.js:
        return None if "js" in config.unknown else False
    if path in (config.files or ()):
        return True
    return globs.included(config.include or (), path) and not globs.excluded(config.exclude or (), path)
