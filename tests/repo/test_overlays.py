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


GO = {
    "a.go": "package a\n\nfunc Use() {\n\tMake()\n\tMaybe()\n}\n",
    "b.go": "package a\n\nfunc Make() {\n}\n\nfunc Maybe() {\n}\n",
    ".gitignore": ".codegraph/\n",
}


def codegraph(repository: Repository, rows: list[tuple[str, str, int, str]], columns: str = "") -> Path:
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
            "INSERT INTO edges VALUES (?, ?, 'calls', ?, ?, 1)", [(a, b, c, line) for a, b, line, c in rows]
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
