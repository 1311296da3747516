"""Who calls whom in Python: only what the code itself proves."""

import json
from pathlib import Path
from textwrap import dedent

import pytest

from dragoman.repo.languages import facts, registry
from dragoman.repo.languages.resolve import resolve
from tests.repo.languages.reading import callees, calls, understand

FIXTURE = Path(__file__).parent / "callgraph"
TRUTH = json.loads((FIXTURE / "truth.json").read_text())


def fixture_calls() -> set[tuple[str, str]]:
    files = {f"pkg/{path.name}": path.read_text() for path in (FIXTURE / "pkg").glob("*.py")}
    return {tuple(uid.removeprefix("pkg/").replace(".py::", ".") for uid in pair) for pair in calls(files)}


def test_the_fixture_gives_its_true_edges_and_the_constructors_and_nothing_else():
    true = {tuple(pair) for pair in TRUTH["true"]}
    made = {tuple(pair) for pair in TRUTH["instantiate"]}
    found = fixture_calls()
    assert len(true) == 23
    assert true - found == set()  # 22 are asked for
    assert made - found == set()
    # A class made through its own cls, and a lambda held in a name, are not in the list of truths but are true.
    assert found - true - made == {("a.User.build", "a.User")}


@pytest.mark.parametrize("trap", TRUTH["false"], ids=lambda pair: f"{pair[0]} does not call {pair[1]}")
def test_a_trap_of_the_fixture_is_no_edge(trap):
    assert tuple(trap) not in fixture_calls()


@pytest.mark.parametrize(
    "text",
    [
        "import typing\ndef cast(a, b): ...\ndef use(x): typing.cast(int, x)",
        "from typing import cast\nclass A:\n    def cast(self): ...\ndef use(x): cast(int, x)",
        "from dataclasses import field\nclass A:\n    def field(self): ...\ndef use(): field(default=1)",
        "class A:\n    def callable(self): ...\ndef use(x): callable(x)",
        "import logging\nlogger = logging.getLogger()\nclass L:\n    def warning(self): ...\ndef use(): logger.warning('x')",
        "class A:\n    def get(self): ...\ndef use(d): d.get('x')",
        "class A:\n    def go(self): ...\nclass B:\n    def go(self): ...\ndef use(x: A | B): x.go()",
        "class A:\n    def go(self): ...\ndef use(xs: list[A]): xs.go()",
        "class A:\n    def go(self): ...\ndef use(x):\n    y = A\n    y = x\n    y.go()",
        "class A:\n    def go(self): ...\nimport lib\nclass B(lib.C, A): ...\ndef use(b: B): b.go()",
        "class A:\n    @property\n    def go(self): return 1\ndef use(a: A): a.go()",
        "def go(): ...\nclass A:\n    go = 1\n    def use(self): self.go()",
        "async def make() -> A: ...\nclass A:\n    def go(self): ...\ndef use(): make().go()",
        "def go(): ...\ndef use(go): go()",
        "from mine import cast\nclass A:\n    def go(self): ...\ndef use(x): cast(A, x).go()",
        "def a():\n    global go\n    def go(): ...\ndef b():\n    global go\n    def go(): ...\ndef use(): go()",
        "class P:\n    def go(self): ...\n    def fast(self): ...\nclass A(P):\n    def __init__(self, x):\n"
        "        if x: self.go = self.fast\n    def stop(self): ...\ndef use(a: A): a.go()",
        "def go(): ...\ndef use(): [go() for go in []]",
        "def go(): ...\ndef use(x):\n    match x:\n        case {'a': go}: go()",
    ],
)
def test_nothing_is_invented(text):
    assert [callee for callee, _ in callees(text) if callee not in ("A", "make")] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def go(): ...\ndef use(): go()", [("go", "proven")]),
        ("class A:\n    def go(self): ...\ndef use(): A().go()", [("A", "proven"), ("A.go", "proven")]),
        ("class A:\n    def go(self): ...\ndef use(a: A): a.go()", [("A.go", "typed")]),
        ("class A:\n    def go(self): ...\ndef use(a: 'A | None'): a.go()", [("A.go", "typed")]),
        (
            "from typing import *\nclass A:\n    def go(self): ...\ndef use(a: Optional['A']): a.go()",
            [("A.go", "typed")],
        ),
        ("class A:\n    def go(self): ...\ndef use(a: type[A]): a().go()", [("A", "typed"), ("A.go", "typed")]),
        (
            "class A:\n    def go(self): ...\ndef make() -> A: ...\ndef use(): make().go()",
            [("make", "proven"), ("A.go", "typed")],
        ),
        (
            "class A:\n    def go(self): ...\ndef make(): return A()\ndef use(): make().go()",
            [("make", "proven"), ("A.go", "proven")],
        ),
        (
            "class A:\n    def go(self): ...\nasync def make() -> A: ...\nasync def use(): (await make()).go()",
            [("make", "proven"), ("A.go", "typed")],
        ),
        ("class A:\n    def go(self): ...\nclass B(A): ...\ndef use(b: B): b.go()", [("A.go", "typed")]),
        (
            "class A:\n    def me(self) -> 'Self': ...\nclass B(A):\n    def go(self): ...\ndef use(): B().me().go()",
            [("B", "proven"), ("A.me", "proven"), ("B.go", "typed")],
        ),
        (
            "class A:\n    def go(self): ...\n    def __enter__(self): return self\ndef use():\n    with A() as a: a.go()",
            [("A", "proven"), ("A.go", "proven")],
        ),
        (
            "class A:\n    def go(self): ...\nclass B:\n    @property\n    def a(self) -> A: ...\ndef use(b: B): b.a.go()",
            [("A.go", "typed")],
        ),
        (
            "class A:\n    def go(self): ...\na = None\ndef use():\n    global a\n    a = A()\n    a.go()",
            [("A", "proven"), ("A.go", "proven")],
        ),
        (
            "from typing import cast\nclass A:\n    def go(self): ...\ndef use(x): cast('A', x).go()",
            [("A.go", "typed")],
        ),
        (
            "import typing as t\nT = t.TypeVar('T', bound='A')\nclass A:\n    def go(self): ...\ndef use(x: T): x.go()",
            [("A.go", "typed")],
        ),
        ("class A:\n    def __call__(self): ...\ndef use(a: A): a()", [("A.__call__", "typed")]),
        (
            "@overload\ndef go(a: int): ...\n@overload\ndef go(a: str): ...\ndef go(a): ...\ndef use(): go(1)",
            [("go#3", "proven")],
        ),
    ],
)
def test_every_step_is_followed(text, expected):
    assert callees(text) == expected


def test_a_call_is_followed_through_packages_aliases_and_stars():
    files = {
        "src/pkg/__init__.py": "from .deep.core import make as build\nfrom .all import *\n",
        "src/pkg/deep/__init__.py": "",
        "src/pkg/deep/core.py": "def make(): ...\n",
        "src/pkg/all.py": "def starred(): ...\n",
        "scripts/run.py": """\
            import pkg
            import pkg.deep.core as c
            from pkg.deep import core
            pkg.build()
            c.make()
            core.make()
            pkg.starred()
            pkg.deep.core.make()
            """,
    }
    assert [(edge.line, edge.callee) for edge in understand(files).edges] == [
        (4, "src/pkg/deep/core.py::make"),
        (5, "src/pkg/deep/core.py::make"),
        (6, "src/pkg/deep/core.py::make"),
        (7, "src/pkg/all.py::starred"),
        (8, "src/pkg/deep/core.py::make"),
    ]


def test_what_stays_unresolved_keeps_its_receiver_and_says_whether_it_goes_outside():
    found = understand({"a.py": "import json\ndef use(d):\n    json.dumps(d)\n    d.a.get(1)\n"})
    assert [(u.caller, u.line, u.text, u.name, u.external) for u in found.unresolved] == [
        ("a.py::use", 3, "json.dumps", "dumps", True),
        ("a.py::use", 4, "d.a.get", "get", False),
    ]


def test_candidates_by_name_are_possible_and_all_are_listed():
    text = "class A:\n    def go(self): ...\nclass B:\n    def go(self): ...\ndef use(x): x.go()\n"
    found = understand({"a.py": text})
    assert [(p.caller, p.callee, p.line) for p in found.possible] == [
        ("a.py::use", "a.py::A.go", 5),
        ("a.py::use", "a.py::B.go", 5),
    ]
    assert found.edges == ()


def test_production_code_has_no_candidates_in_tests():
    files = {"a.py": "def use(x): x.go()\n", "tests/test_a.py": "class T:\n    def go(self): ...\n"}
    assert understand(files).possible == ()
    files["tests/test_b.py"] = files.pop("a.py")
    assert [p.callee for p in understand(files).possible] == ["tests/test_a.py::T.go"]


def test_a_call_to_a_library_has_no_candidates():
    assert understand({"a.py": "import json\ndef dumps(): ...\ndef use(): json.dumps()\n"}).possible == ()


def test_a_method_handed_over_is_a_reference_and_no_call():
    text = "class A:\n    def go(self): ...\n    def use(self, pool): pool.submit(self.go, key=len)\n"
    found = understand({"a.py": text})
    assert [(r.holder, r.target, r.line, r.column, r.tier) for r in found.references] == [
        ("a.py::A.use", "a.py::A.go", 3, 42, "proven")
    ]
    assert found.edges == ()


def test_two_calls_in_a_row_stand_at_two_places():
    text = "class A:\n    def __call__(self): ...\ndef use(): A()()\n"
    assert [(e.callee, e.column) for e in understand({"a.py": text}).edges] == [
        ("a.py::A", 11),
        ("a.py::A.__call__", 14),
    ]


def test_an_import_names_its_file_where_it_lies_here():
    files = {
        "pkg/__init__.py": "",
        "pkg/a.py": "import os\nfrom . import b\nfrom .b import x\nimport pkg.b\n",
        "pkg/b.py": "",
    }
    assert [(i.line, i.module, i.target) for i in understand(files).imports] == [
        (1, "os", None),
        (2, ".", "pkg/__init__.py"),
        (2, ".b", "pkg/b.py"),
        (3, ".b", "pkg/b.py"),
        (4, "pkg.b", "pkg/b.py"),
    ]


def test_the_same_facts_give_the_same_edges_in_any_order_and_from_the_store():
    read = {f"pkg/{p.name}": registry.read(p.name, p.read_bytes()) for p in (FIXTURE / "pkg").glob("*.py")}
    stored = {path: facts.load(facts.dump(each)) for path, each in reversed(read.items())}
    assert resolve(stored) == resolve(read)


def test_symbols_tell_what_they_are():
    text = '''\
        import os
        LIMIT = 3
        # Comes first.
        @decorate
        class Outer(Base):
            """Holds.

            More.
            """
            size: int = 1
            async def go(self, a: int,
                         b=2) -> str:
                """Go."""
                def inner(): ...
            def go(self): ...
        '''
    found = registry.read("a.py", dedent(text).encode())
    told = [(s.qualname, s.kind, s.parent, s.signature, s.doc, s.line, s.end_line) for s in found.symbols]
    assert told == [
        ("LIMIT", "variable", "", "LIMIT = 3", "", 2, 2),
        ("Outer", "class", "", "class Outer(Base)", "Holds.\n\nMore.", 5, 15),
        ("Outer.size", "attribute", "Outer", "size: int = 1", "", 10, 10),
        ("Outer.go", "method", "Outer", "async def go(self, a: int, b=2) -> str", "Go.", 11, 14),
        ("Outer.go.inner", "function", "Outer.go", "def inner()", "", 14, 14),
        ("Outer.go#2", "method", "Outer", "def go(self)", "", 15, 15),
    ]
