"""What a file is told does not depend on what was asked before: resolved alone, or last of all, its calls are the same."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from dragoman.repo.languages import configs, registry
from dragoman.repo.languages.edges import Resolution
from dragoman.repo.languages.facts import FileFacts
from dragoman.repo.languages.resolve import Resolver, named, resolve
from tests.repo.edits import Edits
from tests.repo.languages.reading import calls


def by_path(found: Resolution) -> dict[str, list[Any]]:
    told: dict[str, list[Any]] = defaultdict(list)
    for rows in (found.edges, found.possible, found.unresolved, found.imports, found.references):
        for row in rows:
            told[row.path].append(row)
    return told


def some(files: dict[str, FileFacts], paths: Iterable[str], kept: Mapping[str, str]) -> dict[str, list[Any]]:
    resolver = Resolver({path: each.language for path, each in files.items()}, files.__getitem__, named(files), kept)
    for path in paths:
        resolver.add(path)
    return by_path(resolver.resolution())


@pytest.mark.parametrize("seed", range(40))
def test_the_order_of_the_files_does_not_matter(tmp_path: Path, seed: int) -> None:
    edits = Edits(tmp_path, seed)
    texts = {path: "\n".join(statements).encode() for path, statements in edits.texts.items()}
    kept = {path: told for path, text in texts.items() if (told := configs.read(path, text)) is not None}
    files = {path: registry.read(path, text) for path, text in texts.items() if path not in kept}
    together = by_path(resolve(files, kept))
    assert some(files, Random(seed).sample(sorted(files), len(files)), kept) == together
    for path in files:
        assert some(files, [path], kept)[path] == together[path]


CIRCLES = {
    "functions": {
        "a.py": "from b import g\n\n\ndef f(): return g()\n\n\nf().run()\n",
        "b.py": "from a import f\n\n\ndef g(): return f()\n\n\ng().run()\n",
    },
    "classes": {
        "a.py": "from b import B\n\n\nclass A(B):\n    def run(self): self.go()\n",
        "b.py": "from a import A\n\n\nclass B(A):\n    def go(self): self.run()\n",
    },
    "names of a package": {
        "pkg/__init__.py": "from .a import *\nfrom .b import f\n\nf()\n",
        "pkg/a.py": "from . import f, g\n\nf()\ng()\n",
        "pkg/b.py": "from . import g as f\nfrom .a import *\n\nf()\n",
    },
    "exports": {
        "a.js": "const b = require('./b')\nmodule.exports = b\nb.run()\n",
        "b.js": "const a = require('./a')\nmodule.exports = a\na.run()\n",
    },
}


@pytest.mark.parametrize("circle", CIRCLES)
def test_a_circle_proves_the_same_wherever_it_is_entered(circle: str) -> None:
    files = {path: registry.read(path, text.encode()) for path, text in CIRCLES[circle].items()}
    together = by_path(resolve(files))
    for first in files:
        assert some(files, [first, *files.keys() - {first}], {}) == together
        assert some(files, [first], {})[first] == together[first]


def test_a_package_that_imports_its_own_module_means_the_module() -> None:
    files = {
        "pkg/__init__.py": "from . import tools\n\ntools.run()\n",
        "pkg/tools.py": "def run(): pass\n",
        "main.py": "import pkg\n\npkg.tools.run()\n",
    }
    assert calls(files) == {("pkg/__init__.py", "pkg/tools.py::run"), ("main.py", "pkg/tools.py::run")}


def test_a_chain_is_followed_however_long_it_is() -> None:
    links = "".join(f"def f{n}(): return f{n + 1}()\n" for n in range(700))
    text = f"def use():\n    f0().go()\n{links}def f700(): return End()\nclass End:\n    def go(self): pass\n"
    assert ("a.py::use", "a.py::End.go") in calls({"a.py": text})
    assert ("b.py", "a.py::End.go") in calls({"a.py": text, "b.py": "from a import f0\n\nf0().go()\n"})


def test_a_circle_longer_than_can_be_gone_round_proves_nothing() -> None:
    links = "".join(f"def f{n}(): return f{(n + 1) % 700}()\n" for n in range(700))
    found = calls({"a.py": links, "b.py": "from a import f0\n\nf0().go()\n"})
    assert ("b.py", "a.py::f0") in found
    assert not any(callee.endswith("go") for _, callee in found)
