"""Which file an import means: Python's packages and source roots, and what the languages that are only outlined say."""

import posixpath
import re
import sys
from collections import defaultdict
from collections.abc import Collection

SOURCE_ROOTS = ("", "src", "lib", "python")
_TEST_FOLDERS = frozenset(("test", "tests", "__tests__", "spec", "specs", "e2e"))
_TEST_FILE = re.compile(r"(^|/)(test_[^/]*|[^/]*_test|conftest|[^/]*\.(test|spec|e2e))\.[^./]+$")


def is_test(path: str) -> bool:
    """Whether a file tests rather than does."""
    folders = path.split("/")[:-1]
    return any(folder in _TEST_FOLDERS for folder in folders) or _TEST_FILE.search(path) is not None


def module_name(path: str, paths: Collection[str] = ()) -> str:
    """The dotted name a Python file is imported by, and the like for other files.

    With `paths`, all files of the repository (a set, or it takes long), it starts at the topmost folder with an
    `__init__.py`; without them, and outside of packages, below a folder named like a source root.
    """
    stem = re.sub(r"(\.d)?\.[^./]+$", "", path)
    parts = stem.split("/")
    if path.endswith((".py", ".pyi")) and paths:
        first = len(parts) - 1
        while first > 0 and _package("/".join(parts[:first]), paths):
            first -= 1
        parts = parts[first:] if first < len(parts) - 1 else _below_root(parts)
    else:
        parts = _below_root(parts)
    if len(parts) > 1 and parts[-1] in ("__init__", "index", "mod"):
        parts = parts[:-1]
    return ".".join(parts)


class PythonModules:
    """The Python files of a repository as modules. A namespace package is its folder with a slash at the end."""

    def __init__(self, paths: Collection[str]) -> None:
        self.paths = set(paths)
        self.folders = {folder for path in self.paths for folder in _above(path)}
        self._known: dict[tuple[str, str], str | None] = {}
        self._roots: dict[str, str] = {}
        tops: dict[str, set[str]] = defaultdict(set)
        for path in self.paths:
            if path.endswith(("/__init__.py", "/__init__.pyi")):
                root = self.root(path)
                top = path[len(root) + 1 if root else 0 :].partition("/")[0]
                tops[top].add(root)
        self._tops = {top: sorted(roots) for top, roots in tops.items()}

    def root(self, path: str) -> str:
        """The folder that has to be on Python's path for this file: the first above it that is no package."""
        folder = path.rpartition("/")[0]
        if folder not in self._roots:
            packaged = bool(folder) and _package(folder, self.paths)
            self._roots[folder] = self.root(folder) if packaged else folder
        return self._roots[folder]

    def find(self, path: str, module: str) -> str | None:
        """The file `module`, as written in the file `path`, means; None where that is outside or not certain."""
        if module.startswith("."):
            rest = module.lstrip(".")
            folder = posixpath.dirname(path)
            for _ in range(len(module) - len(rest) - 1):
                if not folder:
                    return None
                folder = posixpath.dirname(folder)
            return self._at(posixpath.join(folder, *rest.split("."))) if rest else self._at(folder)
        root = self.root(path)
        if (root, module) not in self._known:
            self._known[root, module] = self._absolute(path, root, module)
        return self._known[root, module]

    def knows(self, path: str, module: str) -> bool:
        """Whether the module's first part lies in the repository, so that the rest might too."""
        return module.startswith(".") or self.find(path, module.partition(".")[0]) is not None

    def within(self, module: str, name: str) -> str | None:
        """The module `name` inside a package."""
        if module.endswith("/"):
            return self._at(module + name)
        folder, _, last = module.rpartition("/")
        return self._at(f"{folder}/{name}" if folder else name) if last.startswith("__init__.py") else None

    def _absolute(self, path: str, root: str, module: str) -> str | None:
        head = module.partition(".")[0]
        if head in sys.stdlib_module_names and head not in self._tops and not self._at(posixpath.join(root, head)):
            return None
        below = module.replace(".", "/")
        tried = [root, *(each for each in SOURCE_ROOTS if each != root)]
        for each in tried:
            start = posixpath.join(each, head)
            found = self._at(start)
            if found is None or (found.endswith("/") and head in self._tops):
                continue
            if each != root and is_test(start + "/") and not is_test(path):
                continue
            return self._at(posixpath.join(each, below))
        tops = [each for each in self._tops.get(head, ()) if is_test(path) or not is_test(f"{each}/{head}/")]
        return self._at(posixpath.join(tops[0], below)) if len(tops) == 1 else None

    def _at(self, place: str) -> str | None:
        if not place:
            return "__init__.py" if "__init__.py" in self.paths else None
        for ending in ("/__init__.py", ".py", "/__init__.pyi", ".pyi"):
            if place + ending in self.paths:
                return place + ending
        return f"{place}/" if place in self.folders else None


class OtherModules:
    """The files of the languages that are only outlined. A module is found where its text is a path, near or unique."""

    def __init__(self, paths: Collection[str]) -> None:
        self.paths = set(paths)
        self._named: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self.paths):
            self._named[path.rpartition("/")[2]].append(path)

    def find(self, path: str, module: str, language: str) -> str | None:
        """The file an import means, None where that is outside, a folder, or not certain."""
        folder = posixpath.dirname(path)
        match language:
            case "c" | "cpp" if not module.startswith("<"):
                near = posixpath.normpath(posixpath.join(folder, module))
                return near if near in self.paths else self._ending(module)
            case "java":
                return self._ending(module.replace(".", "/") + ".java")
            case "rust" if module.startswith("mod "):
                stem = path.rpartition("/")[2].removesuffix(".rs")
                within = folder if stem in ("mod", "lib", "main") else posixpath.join(folder, stem)
                tried = [posixpath.join(within, module[4:] + end) for end in (".rs", "/mod.rs")]
                return next((each for each in tried if each in self.paths), None)
            case "ruby" | "php" if module.startswith((".", "/")) or language == "php":
                near = posixpath.normpath(posixpath.join(folder, module.lstrip("/")))
                tried = [near, f"{near}.rb"]
                return next((each for each in tried if each in self.paths), None)
        return None

    def _ending(self, tail: str) -> str | None:
        found = [each for each in self._named[tail.rpartition("/")[2]] if f"/{each}".endswith(f"/{tail}")]
        return found[0] if len(found) == 1 else None


def _package(folder: str, paths: Collection[str]) -> bool:
    return f"{folder}/__init__.py" in paths or f"{folder}/__init__.pyi" in paths


def _below_root(parts: list[str]) -> list[str]:
    return parts[1:] if len(parts) > 1 and parts[0] in SOURCE_ROOTS else parts


def _above(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[: end + 1]) for end in range(len(parts))]
