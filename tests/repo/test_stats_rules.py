"""The rules in the text of run_project_stats: each is told to the model, and each is what makes its figure right."""

from pathlib import Path
from typing import Any

import pytest

from dragoman.repo import stats
from tests.repo import guarded
from tests.repo.histories import Clone, clone

NEW_YEAR_ELSEWHERE = "2026-01-01T01:30:00 +0500"  # still December in UTC


@pytest.fixture
def work(tmp_path: Path) -> Clone:
    """One commit of December by UTC, one a day and a half later, and one of the branch that is checked out."""
    work = clone(tmp_path)
    for message, when in (("Begin", NEW_YEAR_ELSEWHERE), ("Go on", "2026-01-02T08:30:00 +0000")):
        work.write("a.py", message)
        work.git("add", "-A")
        work.git("commit", "-qm", message, GIT_AUTHOR_DATE=when, GIT_COMMITTER_DATE=when)
    work.branch("elsewhere")
    work.commit("Not on main", {"a.py": "other\n"})
    work.index()
    return work


async def figure(work: Clone, sql: str) -> Any:
    """The rows that the model gets for a statement."""
    return (await guarded.call(work.repository, "run_project_stats", sql=sql))["rows"]


@pytest.mark.requirement("r.stats.schema-rules")
async def test_each_rule_is_told_and_makes_its_figure_right(work: Clone, monkeypatch: pytest.MonkeyPatch):
    desk = guarded.Desk(work.repository)
    told = (await desk.tools(guarded.ADA)).tools["run_project_stats"].definition.description
    assert [rule for rule in (stats.MEMBERSHIP, stats.GROUPING, stats.SUBTRACTING) if rule not in told] == []

    on_main = int(work.git("rev-list", "--count", "main"))
    assert await figure(work, "SELECT count(*) FROM commits WHERE on_default_branch = 1") == [[on_main]]
    assert await figure(work, "SELECT count(*) FROM commits") == [[on_main + 1]]

    by_month = "SELECT strftime('%Y-%m', committed_at) AS month, count(*) FROM commits WHERE on_default_branch = 1 GROUP BY month"
    assert await figure(work, by_month) == [["2025-12", 1], ["2026-01", 1]]

    days = "SELECT julianday(max(committed_at)) - julianday(min(committed_at)) FROM commits WHERE on_default_branch = 1"
    assert await figure(work, days) == [[1.5]]
    as_text = "SELECT max(committed_at) - min(committed_at) FROM commits WHERE on_default_branch = 1"
    assert await figure(work, as_text) == [[1]]  # the years, which is why the rule is there

    # What a merged pull request looks like is told where there are any to ask about.
    assert stats.MERGED not in told
    monkeypatch.setattr(stats, "_columns", lambda: {"pull_requests": ("number", "state", "merged_at")})
    assert stats.MERGED in stats.described()
