"""What others found out about the same code is laid over our own edges, as far as it still fits."""

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from dragoman.repo import db
from dragoman.repo.repository import Repository
from tests.repo.clones import clone, git, put
from tests.repo.test_index import content, fresh, update

CODE = {
    "a.py": "from b import make\n\n\ndef use(thing):\n    thing.cut(1)\n    return make()\n",
    "b.py": "class Thing:\n    def cut(self, n):\n        return n\n\n\ndef make():\n    return Thing()\n",
    ".gitignore": "index.scip\n.codegraph/\n",
}


def message(number: int, value: bytes | str | int) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def varint(value: int) -> bytes:
    found = b""
    while value > 127:
        found += bytes([value & 127 | 128])
        value >>= 7
    return found + bytes([value])


def occurrence(line: int, column: int, symbol: str, roles: int = 0) -> bytes:
    place = b"".join(map(varint, (line - 1, column, column + 3)))
    return message(2, message(1, place) + message(2, symbol) + (message(3, roles) if roles else b""))


CUT = "scip-python python pkg 1 b/Thing#cut()."
SCIP = message(2, message(1, "a.py") + occurrence(5, 10, CUT)) + message(
    2, message(1, "b.py") + occurrence(2, 8, CUT, 1)
)


def calls(repository: Repository) -> list[tuple[str, str, int, str, str]]:
    sql = """
        SELECT a.uid, b.uid, c.line, c.tier, c.resolver FROM calls c JOIN symbols a ON a.id = c.caller_id
        JOIN symbols b ON b.id = c.callee_id WHERE c.resolver != '' ORDER BY 1, 3
    """
    with db.read(repository.index) as connection:
        return [tuple(row) for row in connection.execute(sql)]


def counts(repository: Repository) -> tuple[int, int]:
    with db.read(repository.index) as connection:
        asked = ("SELECT count(*) FROM possible_calls", "SELECT count(*) FROM unresolved_calls WHERE name = 'cut'")
        return tuple(connection.execute(sql).fetchone()[0] for sql in asked)  # type: ignore[return-value]


def test_a_scip_index_sharpens_the_edges_and_its_going_takes_them_back(tmp_path: Path) -> None:
    repository = clone(tmp_path, CODE)
    update(repository)
    before = content(repository.index)
    assert (calls(repository), counts(repository)) == ([], (1, 1))
    put(repository.root, {"index.scip": SCIP})
    assert update(repository).read == 0
    assert calls(repository) == [("a.py::use", "b.py::Thing.cut", 5, "proven", "scip")]
    assert counts(repository) == (0, 0)
    assert content(repository.index) == fresh(repository, tmp_path / "fresh")
    (repository.root / "index.scip").unlink()
    update(repository)
    assert content(repository.index) == before


def test_a_scip_index_of_older_code_says_nothing_about_what_moved(tmp_path: Path) -> None:
    repository = clone(tmp_path, CODE | {"a.py": "\n" + CODE["a.py"]})
    put(repository.root, {"index.scip": SCIP})
    update(repository)
    assert (calls(repository), counts(repository)) == ([], (1, 1))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff" * 100,
        SCIP[:-3],
        b"\x12\xff\xff\xff\xff\x0f",
        b"\x0b",
        os.urandom(500),
        message(2, b"\x0a\x02\xff\xfe"),
    ],
)
def test_a_broken_scip_index_is_no_index(tmp_path: Path, data: bytes) -> None:
    repository = clone(tmp_path, CODE)
    put(repository.root, {"index.scip": data})
    update(repository)
    assert calls(repository) == []


# A SCIP index of languages whose calls are not followed: it tells where a function is named, the text whether it is called.

COMPILED = {
    "a.go": (
        'package a\n\nimport . "b"\n\nvar ready = Make(1)\n\nfunc Use() {\n\tMake(1)\n\t/* \u0105\u0105 */ Map[int](2)\n'
        "\tlater(Make)\n\tthing.Do()\n}\n"
    ),
    "b.go": "package b\n\nfunc Make(n int) {\n}\n\nfunc Map[T any](n T) {\n}\n\nfunc (t Thing) Do() {\n\tt.Do()\n}\n",
    "C.java": (
        "class C {\n  C(int n) {}\n  static C make() {\n    return new C(1);\n  }\n  void use() {\n    run(C::make);\n"
        '    say("\U0001f347"); make ();\n  }\n}\n'
    ),
    "d.c": "int twice(int);\nint main(void) {\n  return twice(2);\n}\nint twice(int n) {\n  return n + n;\n}\n",
    "e.rb": 'def greet(name)\n  puts name\nend\n\ndef run\n  greet "Ada"\nend\n',
    ".gitignore": "index.scip\n.codegraph/\n",
}
MAKE, MAP, DO = "go b 1 `b`/Make().", "go b 1 `b`/Map().", "go b 1 `b`/Thing#Do()."
NEW, STATIC = "java . . C#`<init>`().", "java . . C#make()."
TWICE, GREET = "cxx . . $ twice(49f6e7a06ebc5aa8).", "ruby . . Object#greet()."


def document(path: str, *occurrences: bytes) -> bytes:
    return message(2, message(1, path) + b"".join(occurrences))


BY_A_COMPILER = (
    document(
        "a.go",
        occurrence(5, 12, MAKE), occurrence(8, 1, MAKE), occurrence(9, 12, MAP), occurrence(10, 7, MAKE),
        occurrence(11, 7, DO), occurrence(3, 8, MAKE, 2),
    )
    + document("b.go", occurrence(3, 5, MAKE, 1), occurrence(6, 5, MAP, 1), occurrence(9, 15, DO, 1), occurrence(10, 3, DO))
    + document(
        "C.java",
        occurrence(2, 2, NEW, 1), occurrence(3, 11, STATIC, 1), occurrence(4, 15, NEW), occurrence(7, 11, STATIC),
        occurrence(8, 15, STATIC),
    )
    + document("d.c", occurrence(1, 4, TWICE, 64), occurrence(3, 9, TWICE), occurrence(5, 4, TWICE, 1))
    + document("e.rb", occurrence(1, 4, GREET, 1), occurrence(6, 2, GREET))
)  # fmt: skip


def held(repository: Repository) -> list[tuple[str, str, int]]:
    sql = """
        SELECT a.uid, b.uid, h.line FROM handed_over h JOIN symbols a ON a.id = h.holder_id
        JOIN symbols b ON b.id = h.target_id ORDER BY 1, 3
    """
    with db.read(repository.index) as connection:
        return [tuple(row) for row in connection.execute(sql)]


def test_a_scip_index_gives_the_calls_of_languages_that_are_not_followed(tmp_path: Path) -> None:
    repository = clone(tmp_path, COMPILED)
    update(repository)
    before = content(repository.index)
    assert calls(repository) == []
    put(repository.root, {"index.scip": BY_A_COMPILER})
    update(repository)
    assert calls(repository) == [
        ("C.java::C.make", "C.java::C.C", 4, "proven", "scip"),
        ("C.java::C.use", "C.java::C.make", 8, "proven", "scip"),
        ("a.go::Use", "b.go::Make", 8, "proven", "scip"),
        ("a.go::Use", "b.go::Map", 9, "proven", "scip"),
        ("a.go::Use", "b.go::Thing.Do", 11, "proven", "scip"),
        ("b.go::Thing.Do", "b.go::Thing.Do", 10, "proven", "scip"),
        ("d.c::main", "d.c::twice#2", 3, "proven", "scip"),
        ("e.rb::run", "e.rb::greet", 6, "proven", "scip"),
    ]
    # What is named without being called is handed over, and never counted as a call.
    assert held(repository) == [("C.java::C.use", "C.java::C.make", 7), ("a.go::Use", "b.go::Make", 10)]
    assert content(repository.index) == fresh(repository, tmp_path / "fresh")
    (repository.root / "index.scip").unlink()
    update(repository)
    assert content(repository.index) == before


def test_where_a_name_moved_since_the_scip_index_was_made_nothing_is_said(tmp_path: Path) -> None:
    repository = clone(tmp_path, COMPILED | {"a.go": COMPILED["a.go"].replace("func Use", "\nfunc Use")})
    put(repository.root, {"index.scip": BY_A_COMPILER})
    update(repository)
    assert not [row for row in calls(repository) if row[0].startswith("a.go")]
    assert not [row for row in held(repository) if row[0].startswith("a.go")]


def test_a_call_that_two_indexes_tell_is_one_call(tmp_path: Path) -> None:
    repository = clone(tmp_path, GO)
    make = "go b 1 `a`/Make()."
    told = document("a.go", occurrence(4, 1, make)) + document("b.go", occurrence(3, 5, make, 1))
    put(repository.root, {"index.scip": told})
    codegraph(repository, [("use", "make", 4, '{"confidence": 1}'), ("use", "maybe", 5, '{"confidence": 1}')], column=7)
    update(repository)
    assert calls(repository) == [
        ("a.go::Use", "b.go::Make", 4, "proven", "scip"),
        ("a.go::Use", "b.go::Maybe", 5, "typed", "codegraph"),
    ]


GO = {
    "a.go": "package a\n\nfunc Use() {\n\tMake()\n\tMaybe()\n}\n",
    "b.go": "package a\n\nfunc Make() {\n}\n\nfunc Maybe() {\n}\n",
    ".gitignore": ".codegraph/\n",
}


def codegraph(
    repository: Repository, rows: list[tuple[str, str, int, str]], columns: str = "", column: int = 1
) -> Path:
    path = repository.root / ".codegraph/codegraph.db"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as made:
        made.execute(f"CREATE TABLE nodes (id, kind, name, {columns or 'file_path'}, language, start_line)")
        made.execute("CREATE TABLE edges (source, target, kind, metadata, line, col)")
        nodes = [
            ("use", "Use", "a.go", 3),
            ("make", "Make", "b.go", 3),
            ("maybe", "Maybe", "b.go", 6),
            ("py", "use", "a.py", 4),
        ]
        made.executemany("INSERT INTO nodes VALUES (?, 'function', ?, ?, 'go', ?)", nodes)
        made.executemany(
            "INSERT INTO edges VALUES (?, ?, 'calls', ?, ?, ?)", [(a, b, c, line, column) for a, b, line, c in rows]
        )
        made.commit()
    return path


def test_a_codegraph_database_gives_its_sure_calls_for_languages_that_are_not_followed(tmp_path: Path) -> None:
    repository = clone(tmp_path, GO | {"a.py": CODE["a.py"]})
    sure, unsure = json.dumps({"confidence": 0.9}), json.dumps({"confidence": 0.7})
    rows = [
        ("use", "make", 4, sure),
        ("use", "maybe", 5, unsure),
        ("use", "maybe", 5, "{"),
        ("py", "make", 6, sure),
        ("use", "gone", 4, sure),
    ]
    path = codegraph(repository, rows)
    before = (path.read_bytes(), os.listdir(path.parent))
    update(repository)
    assert calls(repository) == [("a.go::Use", "b.go::Make", 4, "typed", "codegraph")]
    assert (path.read_bytes(), os.listdir(path.parent)) == before
    assert git(repository.root, "status", "--porcelain") == ""


def test_a_codegraph_database_of_another_shape_is_left_alone(tmp_path: Path) -> None:
    repository = clone(tmp_path, GO)
    path = codegraph(repository, [("use", "make", 4, '{"confidence": 1}')], columns="path")
    update(repository)
    assert calls(repository) == []
    path.write_bytes(b"no database")
    update(repository)
    assert calls(repository) == []


def test_an_overlay_behind_a_link_is_not_followed(tmp_path: Path) -> None:
    repository = clone(tmp_path, CODE)
    put(tmp_path, {"elsewhere.scip": SCIP})
    (repository.root / "index.scip").symlink_to(tmp_path / "elsewhere.scip")
    update(repository)
    assert calls(repository) == []
