"""query with aggregate: groups over all rows, in one unit, and never over a cut list in silence."""

from typing import Any

import pytest

from dragoman.graphql.grounding import GraphQLGrounding
from tests.graphql.museum import CURATOR, VISITOR, call, museum

HOSTS = pytest.mark.parametrize("row_checks", [None, 1000, 5])


async def grouped(
    group_by: list[str], measures: list[str], manager: str = "Work", row_checks: int | None = None, **more: Any
) -> Any:
    grounding = GraphQLGrounding(museum(row_checks=row_checks))
    caller = more.pop("caller", VISITOR)
    aggregate = {"group_by": group_by, "measures": measures}
    return await call(grounding, caller, "query", manager=manager, aggregate=aggregate, **more)


@HOSTS
async def test_groups_hold_counts_sums_and_averages_of_all_rows(row_checks: int | None) -> None:
    answer = await grouped(
        ["artist__country"], ["count", "sum:visitsPerDay", "avg:visits_per_day", "min:madeOn"], row_checks=row_checks
    )
    assert answer == {
        "rows": [
            {
                "artist__country": "Norway", "count": 3, "sum:visitsPerDay": 98,
                "avg:visitsPerDay": 32.666667, "min:madeOn": "1925-12-24",
            },
            {
                "artist__country": "Spain", "count": 2, "sum:visitsPerDay": 65,
                "avg:visitsPerDay": 32.5, "min:madeOn": "1980-03-02",
            },
        ],
        "total_count": 2,
        "has_more": False,
        "next_offset": None,
        "computed_over": 5,
        "complete": True,
    }  # fmt: skip


@HOSTS
async def test_groups_over_two_relations_are_ordered_by_a_measure(row_checks: int | None) -> None:
    answer = await grouped(
        ["room__wing__name"], ["count", "max:visitsPerDay"], order_by=["-max:visitsPerDay"], row_checks=row_checks
    )
    assert [(row["room__wing__name"], row["max:visitsPerDay"]) for row in answer["rows"]] == [
        ("North Wing", 60),
        ("South Wing", 5),
    ]


async def test_measurements_are_added_in_one_unit() -> None:
    answer = await grouped(["medium"], ["sum:weight"], order_by=["-sum:weight"])
    assert answer["rows"][1] == {"medium": "oil", "sum:weight": {"value": 36, "unit": "kg"}}
    assert answer["notes"] == ["weight was converted to kg."]


async def test_units_that_do_not_convert_are_kept_apart_and_named() -> None:
    answer = await grouped([], ["sum:price"], caller=CURATOR)
    assert answer["rows"] == [{"sum:price": [{"value": 1695, "unit": "EUR"}, {"value": 1200, "unit": "USD"}]}]
    assert "units that do not convert" in answer["notes"][-1]


async def test_a_number_nobody_may_read_is_not_computed() -> None:
    answer = await grouped(["medium"], ["count", "avg:price"])
    assert [row["avg:price"] for row in answer["rows"]] == [None, None, None]
    assert "price is null in some rows" in answer["notes"][0]


@HOSTS
async def test_a_filter_narrows_what_is_grouped(row_checks: int | None) -> None:
    answer = await grouped(
        ["medium"], ["count"], filters={"artist__country": "Spain", "score__gte": 2.5}, row_checks=row_checks
    )
    assert answer["rows"] == [{"medium": "bronze", "count": 1}]


async def test_counting_alone_asks_the_schema_for_its_total() -> None:
    host = museum()
    answer = await call(GraphQLGrounding(host), VISITOR, "query", manager="Visit", aggregate={"measures": ["count"]})
    assert answer["rows"] == [{"count": 60}]
    assert len(host.documents) == 1


async def test_counting_works_where_the_schema_gives_no_total() -> None:
    host = museum(counted=False)
    answer = await call(GraphQLGrounding(host), VISITOR, "query", manager="Visit", aggregate={"measures": ["count"]})
    assert (answer["rows"], answer["complete"]) == ([{"count": 60}], True)


async def test_dates_group_by_month_and_distinct_values_are_counted() -> None:
    answer = await grouped(["day__month"], ["count", "distinct:room"], manager="Visit")
    assert answer["rows"] == [
        {"day__month": "2026-01", "count": 20, "distinct:room__name": 1},
        {"day__month": "2026-02", "count": 20, "distinct:room__name": 1},
        {"day__month": "2026-03", "count": 20, "distinct:room__name": 1},
    ]


async def test_rows_without_an_id_are_grouped_too() -> None:
    answer = await grouped(["room__wing__name"], ["sum:totalWeight", "avg:workCount"], manager="RoomSummary")
    assert answer["rows"] == [
        {"room__wing__name": "North Wing", "sum:totalWeight": {"value": 286, "unit": "kg"}, "avg:workCount": 2},
        {"room__wing__name": "South Wing", "sum:totalWeight": {"value": 0.4, "unit": "kg"}, "avg:workCount": 1},
    ]


async def test_a_sum_over_more_rows_than_the_cap_says_so() -> None:
    many = [{"id": str(n), "day": "2026-01-01", "people": 1, "roomId": "1"} for n in range(5_100)]
    grounding = GraphQLGrounding(museum(more={"Visit": many}))
    answer = await call(grounding, VISITOR, "query", manager="Visit", aggregate={"measures": ["sum:people"]})
    assert (answer["rows"], answer["complete"], answer["computed_over"]) == ([{"sum:people": 5_000}], False, 5_000)
    assert answer["notes"] == ["Computed over the first 5,000 of 5,100 rows only: narrow the filter for exact figures."]


async def test_groups_come_in_pages() -> None:
    answer = await grouped(["name"], ["count"], limit=2, offset=2)
    assert [row["name"] for row in answer["rows"]] == ["Sketch of a Fox", "Standing Figure"]
    assert (answer["total_count"], answer["has_more"], answer["next_offset"]) == (5, True, 4)


@pytest.mark.parametrize(
    ("group_by", "measures", "more", "code", "says"),
    [
        ([], ["median:price"], {}, "unknown_measure", "count, or one of"),
        ([], ["avg"], {}, "unknown_measure", "needs a field"),
        ([], ["avg:name"], {}, "not_a_number", "name of Work is String"),
        ([], ["avg:colour"], {}, "unknown_field", "It has:"),
        (["colour"], [], {}, "unknown_field", "It has:"),
        (["medium"], ["count"], {"order_by": ["price"]}, "unknown_order", "medium, count"),
    ],
)
async def test_a_wrong_aggregate_is_refused_with_what_there_is(
    group_by: list[str], measures: list[str], more: dict[str, Any], code: str, says: str
) -> None:
    answer = await grouped(group_by, measures, **more)
    assert answer["code"] == code
    assert says in answer["error"]
