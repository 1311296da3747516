"""An edit resolves the calls of those files anew that it can change, and of no others; then the index says what a fresh one says."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from dragoman.repo import dependents
from dragoman.repo.languages.resolve import Resolver
from tests.repo.clones import clone, put
from tests.repo.edits import CONFIGS, PYTHON, SCRIPT, Edits
from tests.repo.test_index import content, fresh, update

EVERYTHING, SCRIPTS = (PYTHON, SCRIPT, CONFIGS), (SCRIPT, CONFIGS)


@pytest.mark.parametrize(
    ("seed", "groups"), [*((seed, EVERYTHING) for seed in range(4)), *((seed, SCRIPTS) for seed in range(12))]
)
def test_whatever_is_edited_an_update_says_what_a_fresh_index_says(
    tmp_path: Path, seed: int, groups: tuple[tuple[str, ...], ...]
) -> None:
    repository = clone(tmp_path, {})
    edits = Edits(repository.root, seed, *groups)
    update(repository)
    done = []
    for _ in range(12):
        done.append(edits.step())
        update(repository)
        assert content(repository.index) == fresh(repository, tmp_path / "fresh"), done


BASE = "class Base:\n    def run(self): pass\n"
AT = '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}'
F = "export function f() {}\n"
USE = "import { f } from '@/x'\nf()\n"
# What there is, what is edited (None: deleted), and whose calls are resolved for that.
EDITS = {
    "what a function does": (
        {"a.py": "def f():\n    return 1\n", "b.py": "from a import f\n\nf()\n"},
        {"a.py": "import os\n\n\ndef f():\n    os.getcwd()\n    return 1\n"},
        {"a.py"},
    ),
    "a function that nobody looks for": (
        {"a.py": "def f(): pass\n", "b.py": "from a import f\n\nf()\n"},
        {"a.py": "def g(): pass\n\n\ndef f(): pass\n"},
        {"a.py"},
    ),
    "a function that somebody calls": (
        {"a.py": "def f(): pass\n", "b.py": "from a import f\n\nf()\n", "c.py": "from a import other\n\nother()\n"},
        {"a.py": "def g(): pass\n"},
        {"a.py", "b.py"},
    ),
    "a function that somebody looked for in vain": (
        {"a.py": "def f(): pass\n", "b.py": "from a import f\n\nf()\n", "c.py": "from a import other\n\nother()\n"},
        {"a.py": "def f(): pass\n\n\ndef other(): pass\n"},
        {"a.py", "c.py"},
    ),
    "what a function gives back": (
        {"a.py": BASE + "\n\ndef f(): return Base()\n", "b.py": "from a import f\n\nf().run()\n", "c.py": "from a import Base\n\nBase()\n"},
        {"a.py": BASE + "\n\ndef f(): return 1\n"},
        {"a.py", "b.py"},
    ),
    "the base of a class in between": (
        {"base.py": BASE, "a.py": "from base import Base\n\n\nclass A(Base): pass\n", "b.py": "from a import A\n\nA().run()\n", "c.py": "from a import A\n\nA\n"},
        {"a.py": "class A: pass\n"},
        {"a.py", "b.py"},
    ),
    "a method, found through two classes": (
        {"base.py": BASE, "a.py": "from base import Base\n\n\nclass A(Base): pass\n", "b.py": "from a import A\n\nA().run()\n"},
        {"base.py": "class Base:\n    def walk(self): pass\n"},
        {"base.py", "b.py"},
    ),
    "a name in a module of which all names are imported": (
        {"a.py": "def f(): pass\n", "b.py": "from a import *\n", "c.py": "from b import g\n\ng()\n", "d.py": "import b\n"},
        {"a.py": "def f(): pass\n\n\ndef g(): pass\n"},
        {"a.py", "c.py"},
    ),
    "a file that somebody looked for in vain": (
        {"b.py": "from a import f\n\nf()\n", "c.py": "import os\n\nos.getcwd()\n"},
        {"a.py": "def f(): pass\n"},
        {"a.py", "b.py"},
    ),
    "a package in the place of a module": (
        {"a.py": "def f(): pass\n", "b.py": "from a import f\n\nf()\n", "c.py": "def g(): pass\n"},
        {"a/__init__.py": "def f(): pass\n"},
        {"a/__init__.py", "b.py"},
    ),
    "a file that goes away": (
        {"a.py": "def f(): pass\n", "b.py": "from a import f\n\nf()\n", "c.py": "def g(): pass\n"},
        {"a.py": None},
        {"b.py"},
    ),
    "a method that an open call may mean": (
        {"a.py": "class A: pass\n", "b.py": "def go(it):\n    it.sail()\n", "c.py": "def go(it):\n    it.row()\n"},
        {"a.py": "class A:\n    def sail(self): pass\n"},
        {"a.py", "b.py"},
    ),
    "a method of a name that is too common to mean anything": (
        {"a.py": "".join(f"class A{n}:\n    def run(self): pass\n" for n in range(12)), "b.py": "def go(it):\n    it.run()\n"},
        {"c.py": BASE},
        {"c.py"},
    ),
    "what a script exports": (
        {"a.ts": "export class A { run() {} }\n", "b.ts": "export * from './a'\n", "c.ts": "import { A } from './b'\nnew A().run()\n", "d.ts": "import { A } from './b'\n"},
        {"a.ts": "export class A { walk() {} }\n"},
        {"a.ts", "c.ts"},
    ),
    "an alias": (
        {"tsconfig.json": AT, "src/x.ts": F, "lib/x.ts": F, "a.ts": USE, "b.ts": "import { f } from './src/x'\nf()\n"},
        {"tsconfig.json": AT.replace("src", "lib")},
        {"a.ts"},
    ),
    "a config that says the same in other words": (
        {"tsconfig.json": AT, "src/x.ts": F, "a.ts": USE},
        {"tsconfig.json": f"// As ever.\n{AT}"},
        set(),
    ),
    "a config of whose words nobody makes use": (
        {"tsconfig.json": AT, "src/x.ts": F, "a.ts": USE},
        {"tsconfig.json": AT.replace("{", '{"include": ["a.ts", "src"], ', 1)},
        set(),
    ),
    "a config that comes": ({"src/x.ts": F, "a.ts": USE, "b.ts": "f()\n"}, {"tsconfig.json": AT}, {"a.ts"}),
    "a config that goes away": ({"tsconfig.json": AT, "src/x.ts": F, "a.ts": USE}, {"tsconfig.json": None}, {"a.ts"}),
    "a config that comes nearer": (
        {"tsconfig.json": AT, "src/x.ts": F, "web/src/x.ts": F, "web/a.ts": USE, "a.ts": USE},
        {"web/tsconfig.json": AT},
        {"web/a.ts"},
    ),
    "what a config extends": (
        {"tsconfig.json": '{"extends": "./base.json"}', "base.json": AT, "src/x.ts": F, "lib/x.ts": F, "a.ts": USE},
        {"base.json": AT.replace("src", "lib")},
        {"a.ts"},
    ),
    "a file that an alias leads to": (
        {"tsconfig.json": AT, "a.ts": USE, "b.ts": "import { g } from '@/y'\ng()\n"},
        {"src/x.ts": F},
        {"src/x.ts", "a.ts"},
    ),
    "a file that is found before the one an alias led to": (
        {"tsconfig.json": AT, "src/x/index.ts": F, "a.ts": USE, "b.ts": "import { f } from '@/x/index'\nf()\n"},
        {"src/x.ts": F},
        {"src/x.ts", "a.ts"},
    ),
    "what is called behind an alias": (
        {"tsconfig.json": AT, "src/x.ts": F, "a.ts": USE, "b.ts": "import { g } from '@/x'\ng()\n"},
        {"src/x.ts": "export function g() {}\n"},
        {"src/x.ts", "a.ts", "b.ts"},
    ),
    "whether a module may lie in the repository": (
        {"package.json": '{"name": "all"}', "a.ts": "import { f } from 'kit'\nf()\n", "b.ts": "import { f } from 'react'\nf()\n"},
        {"kit/package.json": '{"name": "kit"}'},
        {"a.ts"},
    ),
    "what a package names for its start": (
        {
            "package.json": '{"dependencies": {"kit": "workspace:*"}}',
            "kit/package.json": '{"name": "kit", "main": "x.ts"}', "kit/x.ts": F, "kit/y.ts": F,
            "a.ts": "import { f } from 'kit'\nf()\n", "b.ts": "import { f } from 'kit/x'\nf()\n",
        },
        {"kit/package.json": '{"name": "kit", "main": "y.ts"}'},
        {"a.ts"},
    ),
}  # fmt: skip


@pytest.fixture
def resolved(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the files whose calls are resolved."""
    found: list[str] = []
    add = Resolver.add
    monkeypatch.setattr(Resolver, "add", lambda self, path: found.append(path) or add(self, path))
    return found


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_of(edit: str, tmp_path: Path, resolved: list[str]) -> None:
    before, after, expected = EDITS[edit]
    repository = clone(tmp_path, before)
    update(repository)
    resolved.clear()
    for path, text in after.items():
        if text is None:
            (repository.root / path).unlink()
        else:
            put(repository.root, {path: text})
    update(repository)
    assert set(resolved) == expected
    assert content(repository.index) == fresh(repository, tmp_path / "fresh")


@pytest.mark.parametrize("edit", [edit for edit, (_, after, resolved) in EDITS.items() if resolved - after.keys()])
def test_without_the_files_that_depend_on_it_the_index_would_be_wrong(
    edit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dependents, "affected", lambda *_: set())
    before, after, _ = EDITS[edit]
    repository = clone(tmp_path, before)
    update(repository)
    for path, text in after.items():
        if text is None:
            (repository.root / path).unlink()
        else:
            put(repository.root, {path: text})
    update(repository)
    assert content(repository.index) != fresh(repository, tmp_path / "fresh")


def test_an_edit_of_what_everybody_uses_resolves_all_files(tmp_path: Path, resolved: list[str]) -> None:
    files = {f"m{at}.py": "from a import f\n\nf()\n" for at in range(150)}
    repository = clone(tmp_path, files | {"a.py": "def f(): pass\n"})
    update(repository)
    resolved.clear()
    put(repository.root, {"a.py": "def g(): pass\n"})
    update(repository)
    assert len(resolved) == 151
    assert content(repository.index) == fresh(repository, tmp_path / "fresh")


def test_facts_that_are_damaged_are_found_out_when_they_are_needed(tmp_path: Path) -> None:
    repository = clone(tmp_path, {"a.py": "def f(): pass\n", "b.py": "x = 1\n"})
    update(repository)
    with closing(sqlite3.connect(repository.index)) as connection, connection:
        connection.execute("UPDATE readings SET facts = x'00' WHERE path = 'a.py'")
    put(repository.root, {"b.py": "from a import f\n\nf()\n"})
    update(repository)
    update(repository)
    assert content(repository.index) == fresh(repository, tmp_path / "fresh")
