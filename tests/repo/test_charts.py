"""A chart and the rows it is drawn from."""

from typing import Any

import pytest

from dragoman.harness.tools import ToolError
from dragoman.repo import charts
from dragoman.repo.sqlguard import Answer


def answer(*rows: tuple[Any, ...], columns: tuple[str, ...] = ("when", "n"), capped: bool = False) -> Answer:
    return Answer(columns, rows, capped)


def drawn(*rows: tuple[Any, ...], kind: str = "line") -> tuple[list[str], list[float], str]:
    chart = charts.chart(answer(*rows), kind, "Title", "when", ["n"])
    return list(chart.values), list(chart.series[0].values), chart.caption


def test_a_chart_as_json_holds_the_rows() -> None:
    rows = answer(("a", 1, 2.5), ("b", 0, 4), columns=("name", "n", "m"))
    assert charts.chart(rows, "bar", "Names", "name", ["m", "n"]).told() == {
        "kind": "bar",
        "title": "Names",
        "x": {"label": "name", "values": ["a", "b"]},
        "series": [{"name": "m", "values": [2.5, 4]}, {"name": "n", "values": [1, 0]}],
    }


def test_a_time_axis_is_in_order_and_its_gaps_are_zero_and_told() -> None:
    assert drawn(("2026-04", 4), ("2025-12", 1), ("2026-02", 2)) == (
        ["2025-12", "2026-01", "2026-02", "2026-03", "2026-04"],
        [1, 0, 2, 0, 4],
        "2 months without rows drawn as 0.",
    )
    assert drawn(("2024-02-28", 1), ("2024-03-01", 3)) == (
        ["2024-02-28", "2024-02-29", "2024-03-01"],
        [1, 0, 3],
        "1 day without rows drawn as 0.",
    )
    assert drawn(("2023", 1), ("2025", 3), kind="bar") == (
        ["2023", "2024", "2025"],
        [1, 0, 3],
        "1 year without rows drawn as 0.",
    )
    assert drawn(("2025-W51", 1), ("2026-W01", 3))[0] == ["2025-W51", "2025-W52", "2026-W00", "2026-W01"]


def test_an_axis_without_gaps_needs_no_caption_and_one_that_is_no_time_stays_in_its_order() -> None:
    assert drawn(("2026-01", 1), ("2026-02", 2))[2] == ""
    assert drawn(("z.py", 9), (None, 3), ("a.py", 1), kind="horizontal") == (["z.py", "(none)", "a.py"], [9, 3, 1], "")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("2026-01", "many")], "is no number"),
        ([("2026-01", None)], "coalesce"),
        ([("2026-01", 1), ("2026-01", 2)], "twice"),
        ([("2026-13", 1), ("2026-02", 2)], "'2026-13' is no month; write weeks as"),
        ([("2026-02-30", 1)], "is no day"),
        ([("2025-01-01", 1), ("2025-12-31", 2)], "365 points"),
        ([], "no rows"),
    ],
)
def test_rows_that_do_not_make_a_chart_are_refused_with_the_way_out(rows: list[tuple[Any, ...]], said: str) -> None:
    with pytest.raises(ToolError, match=said) as refused:
        drawn(*rows)
    assert refused.value.code == "bad_chart"


def test_columns_that_are_not_there_and_rows_that_are_not_whole_are_refused() -> None:
    rows = answer(("a", 1))
    for x, y, said in (
        ("name", ["n"], "no one column 'name'. It has: when, n"),
        ("when", ["m"], "'m'"),
        ("when", ["n", "n"], "different"),
    ):
        with pytest.raises(ToolError, match=said):
            charts.chart(rows, "bar", "T", x, y)
    with pytest.raises(ToolError, match="more rows"):
        charts.chart(answer(("a", 1), capped=True), "bar", "T", "when", ["n"])
    with pytest.raises(ToolError, match="below zero"):
        charts.chart(answer(("a", -1)), "stacked", "T", "when", ["n"])
    with pytest.raises(ToolError, match="no one column 'n'"):
        charts.chart(answer(("a", 1, 2), columns=("when", "n", "n")), "bar", "T", "when", ["n"])
