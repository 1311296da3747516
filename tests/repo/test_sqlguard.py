"""Each layer of the SQL guard, alone: it holds with the others off, and the same attack works with all of them off."""

import hashlib
import json
import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from dragoman.harness.tools import ToolError
from dragoman.repo import sqlguard
from dragoman.repo.sqlguard import Caps, Layer

TABLES = ("commits", "files")
NONE: frozenset[Layer] = frozenset()


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A database with two tables on offer, and one that is not."""
    path = tmp_path / "index.sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE commits (sha TEXT, subject TEXT, insertions INTEGER);"
            "CREATE TABLE files (path TEXT, lines INTEGER);"
            "CREATE TABLE chat (text TEXT);"
            "INSERT INTO chat VALUES ('my secret question');"
            "CREATE VIEW looked AS SELECT 1 FROM chat;"
            "INSERT INTO files VALUES ('a.py', 10), ('b.py', 20);"
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"
            "INSERT INTO commits SELECT 'sha' || i, 'Change; ''it'' ' || i, i FROM n;"
        )
    return path


@pytest.fixture
def unchanged(base: Path) -> Iterator[Path]:
    """The database, which is the same byte for byte afterwards, with nothing beside it."""
    before = hashlib.sha256(base.read_bytes()).hexdigest()
    yield base
    assert hashlib.sha256(base.read_bytes()).hexdigest() == before
    assert [path.name for path in base.parent.iterdir()] == ["index.sqlite3"]


def run(path: Path, sql: str, layers: Collection[Layer] = sqlguard.EVERY, **caps: Any) -> sqlguard.Answer:
    return sqlguard.run(path, TABLES, sql, caps=Caps(**caps), layers=layers)


def code(path: Path, sql: str, layers: Collection[Layer] = sqlguard.EVERY, **caps: Any) -> str:
    with pytest.raises(ToolError) as refused:
        run(path, sql, layers, **caps)
    return refused.value.code


# The connection -------------------------------------------------------------------------------------------------------

WRITES = [
    "DELETE FROM commits",
    "DROP TABLE commits",
    "INSERT INTO commits VALUES ('x', 'y', 1)",
    "CREATE TABLE new (x)",
    "PRAGMA user_version = 7",
    "PRAGMA journal_mode = WAL",
    "UPDATE commits SET subject = ''",
]


@pytest.mark.parametrize("sql", WRITES)
def test_the_connection_alone_cannot_write(unchanged: Path, sql: str) -> None:
    assert code(unchanged, sql, {"read_only"}) == "refused"


@pytest.mark.parametrize("sql", WRITES)
def test_without_the_connection_the_same_statement_writes(base: Path, sql: str) -> None:
    before = base.read_bytes()
    run(base, sql, NONE)
    assert base.read_bytes() != before


def test_the_connection_holds_after_it_is_told_not_to(unchanged: Path) -> None:
    run(unchanged, "PRAGMA query_only = OFF", {"read_only"})
    run(unchanged, "PRAGMA writable_schema = ON", {"read_only"})
    assert code(unchanged, "DELETE FROM sqlite_master", {"read_only"}) in ("refused", "bad_sql")


# The authorizer -------------------------------------------------------------------------------------------------------


def outside(base: Path) -> list[str]:
    other = base.parent / "other.sqlite3"
    return [
        "SELECT text FROM chat",
        "SELECT count(*) FROM chat WHERE text LIKE 'my%'",
        "SELECT (SELECT max(text) FROM chat), count(*) FROM commits",
        # No column of what is not on offer is named.
        "SELECT count(*) FROM commits, chat",
        "SELECT count(*) FROM commits JOIN (SELECT count(*) FROM chat)",
        "SELECT count(*) FROM commits, sqlite_master",
        "SELECT count(*) FROM commits, pragma_table_list",
        "SELECT count(*) FROM commits, json_each('[1, 2]')",
        "SELECT count(*) FROM commits, Looked",
        "WITH c AS (SELECT count(*) FROM chat) SELECT count(*) FROM commits, c",
        # One name inside the brackets, another thing outside of them.
        "SELECT (WITH chat AS (SELECT 1) SELECT count(*) FROM chat), count(*) FROM chat",
        "SELECT (WITH pragma_table_list AS (SELECT 1) SELECT count(*) FROM pragma_table_list), count(*) FROM pragma_table_list",
        "SELECT (WITH json_each AS (SELECT 1) SELECT count(*) FROM json_each), count(*) FROM json_each('[1]')",
        "SELECT sql FROM sqlite_master",
        "SELECT name FROM pragma_table_list",
        "CREATE TEMP TABLE t AS SELECT * FROM chat",
        f"ATTACH '{other}' AS other",
        f"VACUUM INTO '{other}'",
        "PRAGMA table_info(chat)",
        "PRAGMA database_list",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 9) SELECT count(*) FROM n",
        "WITH RECURSIVE commits(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM commits LIMIT 9) SELECT count(*) FROM commits",
        "SELECT hex(zeroblob(1000))",
        "SELECT unicode('b')",
        "SELECT randomblob(10)",
        "SELECT printf('%.1000c', 'x')",
        "SELECT replace('aaa', 'a', 'bbbb')",
        "SELECT quote('x')",
        "SELECT char(65)",
        "SELECT sqlite_version()",
        "SELECT json_extract('{}', '$')",
        "SELECT 'a' GLOB 'a*'",
    ]


def test_the_authorizer_alone_denies_what_is_not_on_offer(unchanged: Path) -> None:
    for sql in outside(unchanged):
        assert code(unchanged, sql, {"authorizer"}) == "refused", sql
    # SQLite itself lets nobody load a library by a statement unless somebody switched that on.
    assert code(unchanged, "SELECT load_extension('x')", {"authorizer"}) == "refused"


def test_without_the_authorizer_the_same_statements_work(base: Path) -> None:
    for sql in outside(base):
        run(base, sql, NONE)
    assert run(base, "SELECT text FROM chat", NONE).rows == (("my secret question",),)
    assert (base.parent / "other.sqlite3").exists()


# The shape ------------------------------------------------------------------------------------------------------------

RECORDS = ["SELECT * FROM commits", "SELECT subject FROM commits LIMIT 3", "SELECT sha, count(*) OVER () FROM commits"]


@pytest.mark.parametrize("sql", RECORDS)
def test_the_shape_alone_refuses_records(unchanged: Path, sql: str) -> None:
    assert code(unchanged, sql, {"shape"}) == "bad_sql"
    assert run(unchanged, sql, sqlguard.EVERY - {"shape"}).rows


# The caps -------------------------------------------------------------------------------------------------------------

COSTLY = [
    # Millions of rows to sort: by a file of gigabytes, or by memory, or for ever.
    "SELECT count(*) FROM (SELECT DISTINCT a.sha || b.sha || c.sha FROM commits a, commits b, commits c)",
    "SELECT a.sha || b.sha || c.insertions, count(*) FROM commits a, commits b, commits c GROUP BY 1 ORDER BY 2",
    "SELECT count(*) FROM commits a, commits b, commits c, commits d",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
    # One step of a statement each, so a deadline between the steps does not see them.
    "SELECT length(hex(zeroblob(400000000)))",
    "SELECT instr(hex(zeroblob(200000000)), 'x')",
    # A thousand steps of a tenth of a second each: the limit of the process ends what the deadline would see too late.
    "SELECT sum(instr(hex(zeroblob(49000)), hex(zeroblob(24000)) || a.insertions)) FROM commits a, commits b",
    "SELECT group_concat(a.subject || b.subject) FROM commits a, commits b",
]


@pytest.mark.parametrize("sql", COSTLY)
def test_the_caps_alone_end_what_costs_too_much(unchanged: Path, sql: str) -> None:
    assert code(unchanged, sql, {"caps"}, seconds=1) == "too_much"


def test_without_the_caps_such_a_statement_is_answered(base: Path) -> None:
    length = run(base, "SELECT length(group_concat(a.subject || b.subject)) FROM commits a, commits b LIMIT 1", NONE)
    assert length.rows[0][0] > 100_000_000


def test_a_child_that_says_nothing_is_ended_at_the_deadline(unchanged: Path) -> None:
    sql = "SELECT count(*) FROM commits a, commits b, commits c, commits d"
    assert code(unchanged, sql, {"caps"}, seconds=600, patience_seconds=0.5) == "too_much"


def test_rows_cells_and_the_whole_are_capped(unchanged: Path) -> None:
    dump = "SELECT subject, count(*) FROM commits GROUP BY subject"
    answer = run(unchanged, dump)
    assert (len(answer.rows), answer.capped) == (200, True)
    answer = run(unchanged, dump, room=1_000)
    assert answer.capped
    assert len(json.dumps(answer.rows)) < 1_200
    long = run(unchanged, "SELECT group_concat(subject) FROM commits", cell=50)
    assert len(long.rows[0][0]) == 50
    exact = run(unchanged, "SELECT path, count(*) FROM files GROUP BY path", rows=2)
    assert (len(exact.rows), exact.capped) == (2, False)


# All of them ----------------------------------------------------------------------------------------------------------


def test_every_attack_is_refused_by_all_layers_together(unchanged: Path) -> None:
    for sql in [*WRITES, *outside(unchanged), *RECORDS, *COSTLY]:
        with pytest.raises(ToolError):
            run(unchanged, sql, seconds=1)


def test_a_name_of_another_file_in_the_place_of_a_table_leads_nowhere(unchanged: Path) -> None:
    assert code(unchanged, "SELECT count(*) FROM other.commits") == "bad_sql"
    assert code(unchanged, "SELECT count(*) FROM main.chat") == "refused"


def test_ordinary_statistics_are_answered(unchanged: Path) -> None:
    assert run(unchanged, "SELECT count(*) FROM commits").rows == ((2000,),)
    assert run(unchanged, "SELECT count(*), sum(insertions) FROM commits").rows == ((2000, 2001000),)
    text = "-- with a comment\nSELECT count(*) AS n FROM commits WHERE subject LIKE '%; ''it''%';"
    assert run(unchanged, text) == sqlguard.Answer(("n",), ((2000,),), False)
    nested = "WITH c AS (SELECT insertions % 2 AS odd, count(*) AS n FROM commits GROUP BY 1) SELECT max(n) FROM c"
    assert run(unchanged, nested).rows == ((1000,),)


@pytest.mark.parametrize("layers", [sqlguard.EVERY, frozenset({"authorizer"})])
def test_a_table_that_is_joined_without_a_column_of_it_being_named_is_allowed(
    unchanged: Path, layers: Collection[Layer]
) -> None:
    assert run(unchanged, "SELECT count(*) FROM commits JOIN files", layers).rows == ((4000,),)
    each = "WITH each_one AS (SELECT sha FROM commits WHERE insertions <= 3) "
    assert run(unchanged, each + "SELECT count(*) FROM each_one", layers).rows == ((3,),)
    assert run(unchanged, each + "SELECT count(path) FROM files JOIN each_one AS other", layers).rows == ((6,),)
    two = each + ", two AS (SELECT sha FROM each_one LIMIT 2) SELECT count(*) FROM two, files, Each_One"
    assert run(unchanged, two, layers).rows == ((12,),)


def test_numbers_that_json_does_not_have_and_odd_bytes_come_as_json(base: Path) -> None:
    with closing(sqlite3.connect(base)) as connection:
        connection.execute("INSERT INTO files VALUES (CAST(x'ff41' AS TEXT), 1)")
        connection.commit()
    answer = run(base, "SELECT 9e999, -9e999, max(lines), x'00ff', NULL FROM files")
    assert answer.rows == ((None, None, 20, "(2 bytes)", None),)
    assert run(base, "SELECT path, count(*) FROM files WHERE lines = 1 GROUP BY path").rows == (("\ufffdA", 1),)


def test_a_wrong_statement_says_what_is_wrong(unchanged: Path) -> None:
    with pytest.raises(ToolError, match="no such column: colour"):
        run(unchanged, "SELECT count(colour) FROM commits")
    with pytest.raises(ToolError, match=r"Not allowed here: chat\. A SELECT may read commits, files"):
        run(unchanged, "SELECT count(*) FROM chat")
    with pytest.raises(ToolError, match="Not allowed here: hex"):
        run(unchanged, "SELECT max(hex(sha)) FROM commits")
