"""Which statements are statistics."""

import pytest

from dragoman.repo import sqlshape


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM commits",
        "  -- how many\n/* really; */ select COUNT(*) from commits ;",
        "SELECT author_id, count(*) FROM commits GROUP BY author_id",
        "SELECT round(avg(insertions), 1) FROM commits",
        "SELECT count(*) FROM commits WHERE subject LIKE '%;%' AND subject != 'it''s; --'",
        "WITH m AS (SELECT strftime('%Y-%m', committed_at) AS month, count(*) AS n FROM commits GROUP BY 1) "
        "SELECT month, n, lag(n) OVER (ORDER BY month) FROM m ORDER BY month",
        "SELECT max(n) FROM (SELECT count(*) AS n FROM commits GROUP BY author_id)",
        "SELECT a.n, b.n FROM (SELECT count(*) n FROM commits) a, (SELECT count(*) n FROM files) b",
        "SELECT 'commits', count(*) FROM commits UNION ALL SELECT 'files', count(*) FROM files",
        "SELECT path, sum(insertions) FILTER (WHERE status = 'A') FROM commit_files GROUP BY path LIMIT 10",
        "SELECT sum(count(*)) OVER () FROM commits GROUP BY author_id",
    ],
)
def test_a_statistic_passes(sql: str) -> None:
    assert sqlshape.objection(sql) is None


@pytest.mark.parametrize(
    "sql",
    [
        "",
        ";",
        "SELECT * FROM commits",
        "SELECT subject FROM commits -- count(*)",
        "SELECT 'count(*)' FROM commits",
        "SELECT subject, (SELECT count(*) FROM files) FROM commits",
        "SELECT sha, row_number() OVER (ORDER BY sha) FROM commits",
        "SELECT sha, count(*) OVER () FROM commits",
        "SELECT max(sha, subject) FROM commits",
        "SELECT * FROM (SELECT subject FROM commits)",
        "WITH c AS (SELECT * FROM commits) SELECT subject FROM c",
        "SELECT count(*) FROM commits UNION ALL SELECT subject FROM commits",
        "SELECT m.n, c.subject FROM (SELECT count(*) n FROM files) m JOIN commits c",
        "SELECT count(*) FROM commits; DROP TABLE commits",
        "INSERT INTO commits SELECT count(*) FROM commits",
        "DELETE FROM commits",
        "PRAGMA table_info(commits)",
        "ATTACH 'x' AS y",
        "VALUES (1)",
        "EXPLAIN SELECT count(*) FROM commits",
        "SELECT count(*) FROM commits WHERE subject = 'open",
        "SELECT count(* FROM commits",
        "SELECT " + "(" * 2_000 + "1" + ")" * 2_000,
        "SELECT count(*) FROM commits WHERE 1 IN (" + "1," * 20_000 + "1)",
    ],
)
def test_anything_else_is_refused(sql: str) -> None:
    assert sqlshape.objection(sql)
