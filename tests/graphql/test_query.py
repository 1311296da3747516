"""query: rows, filters at any depth, order, pages and notes; the same answers whatever the library allows."""

from typing import Any

import pytest
from graphql import print_ast

from dragoman.graphql.grounding import GraphQLGrounding
from tests.graphql.museum import CURATOR, NOBODY, VISITOR, call, museum, names
from tests.graphql.world import World

HOSTS = pytest.mark.parametrize("row_checks", [None, 1000, 5], ids=["free", "a-thousand-checks", "five-checks"])


def grounded(row_checks: int | None = None, **options: object) -> tuple[GraphQLGrounding, World]:
    host = museum(row_checks=row_checks, **options)  # type: ignore[arg-type]
    return GraphQLGrounding(host), host


async def test_rows_come_with_id_and_name_and_say_how_many_there_are() -> None:
    grounding, _ = grounded()
    answer = await call(grounding, VISITOR, "query", manager="Work", limit=2)
    assert answer == {
        "rows": [{"id": "1", "name": "Harbour at Dawn"}, {"id": "2", "name": "Harbour at Dusk"}],
        "total_count": 5,
        "has_more": True,
        "next_offset": 2,
    }


@HOSTS
@pytest.mark.parametrize(
    ("manager", "filters", "found"),
    [
        ("Work", {"name__icontains": "harbour"}, ["Harbour at Dawn", "Harbour at Dusk"]),
        ("work", {"medium": "Bronze"}, ["Standing Figure"]),
        ("Works", {"visitsPerDay__gte": 33, "visits_per_day__lt": "60"}, ["Harbour at Dawn", "Winter Fjord"]),
        ("Work", {"is_on_loan": "true"}, ["Standing Figure"]),
        ("Work", {"madeOn__range": ["1930-01-01", "1931-12-31"]}, ["Harbour at Dawn", "Harbour at Dusk"]),
        ("Work", {"weight__gt": "10 kg"}, ["Harbour at Dawn", "Standing Figure", "Winter Fjord"]),
        ("Work", {"weight__lt": {"value": 500, "unit": "g"}}, ["Sketch of a Fox"]),
        ("Work", {"weight__lte": 9}, ["Harbour at Dusk", "Sketch of a Fox"]),
        ("Work", {"score__gte": 2}, ["Standing Figure", "Sketch of a Fox"]),
        ("Work", {"name__iexact": "WINTER FJORD"}, ["Winter Fjord"]),
        ("Work", {"id__in": [1, "4"]}, ["Harbour at Dawn", "Sketch of a Fox"]),
        ("Work", {"artist": "2"}, ["Standing Figure", "Sketch of a Fox"]),
        ("Work", {"artist__in": ["2", "3"]}, ["Standing Figure", "Sketch of a Fox", "Winter Fjord"]),
        ("Work", {"artist__country": "Spain"}, ["Standing Figure", "Sketch of a Fox"]),
        ("Work", {"room.wing.name": "South Wing"}, ["Sketch of a Fox"]),
        ("Work", {"room__wing__name__startswith": "North", "artist__country": "Norway"},
         ["Harbour at Dawn", "Harbour at Dusk", "Winter Fjord"]),
        ("Artist", {"workList__room__wing__name": "South Wing"}, ["Berta Lind"]),
        ("Wing", {"roomList__workList__artist__name__icontains": "moor"}, ["North Wing"]),
        ("Wing", {"room_list__work_list__medium": "ink"}, ["South Wing"]),
        ("Room", {"roomSummaryList": "1"}, None),
        ("Room", {"roomSummaryList__workCount__gte": 2}, ["Blue Hall", "Red Hall"]),
        ("Wing", {"roomList__roomSummaryList__totalWeight__lt": "1 kg"}, ["South Wing"]),
        ("Room", {"roomSummaryList__isnull": True}, ["Attic"]),
        ("Work", {"room__name": "No such room"}, []),
        ("Work", {"score__isnull": True}, ["Harbour at Dusk"]),
        ("Work", {"score": None}, ["Harbour at Dusk"]),
        ("Work", {"room__isnull": True}, []),
        ("Room", {"workList__artistId__in": ["2"], "workList__artist__workList__medium": "oil"}, []),
        ("Room", {"workList__artistId__in": ["2", "1"], "workList__artist__workList__medium": "ink"}, ["Blue Hall", "Cellar"]),
        ("Room", {"workList__isnull": True, "floor__gte": 0}, ["Attic"]),
        ("Room", {"work_list__isnull": False}, ["Blue Hall", "Red Hall", "Cellar"]),
        ("Wing", {"roomList__workList__isnull": True}, ["North Wing"]),
    ],
)  # fmt: skip
async def test_a_filter_finds_the_rows_it_names_at_any_depth(
    row_checks: int | None, manager: str, filters: dict[str, object], found: list[str] | None
) -> None:
    grounding, _ = grounded(row_checks)
    answer = await call(grounding, VISITOR, "query", manager=manager, filters=filters)
    if found is None:
        assert answer["code"] in ("unknown_filter", "not_filterable")
    else:
        assert names(answer) == found
        assert answer["total_count"] == len(found)


@HOSTS
async def test_two_conditions_on_a_list_are_met_by_one_and_the_same_row(row_checks: int | None) -> None:
    grounding, _ = grounded(row_checks)
    both = {"workList__medium": "bronze", "workList__visitsPerDay__lt": 10}
    assert names(await call(grounding, VISITOR, "query", manager="Artist", filters=both)) == []
    one = {"workList__medium": "ink", "workList__visitsPerDay__lt": 10}
    assert names(await call(grounding, VISITOR, "query", manager="Artist", filters=one)) == ["Berta Lind"]


@HOSTS
@pytest.mark.parametrize(
    ("exclude", "left"),
    [
        ({"medium": "oil"}, ["Standing Figure", "Sketch of a Fox"]),
        ({"artist__country": "Norway"}, ["Standing Figure", "Sketch of a Fox"]),
        ({"room__wing__name": "North Wing"}, ["Sketch of a Fox"]),
        ({"room__wing__name": "No such wing"}, None),
        ({"score__gte": 1}, ["Harbour at Dusk", "Winter Fjord"]),
        ({"medium": "oil", "score__gte": 1}, ["Harbour at Dusk", "Standing Figure", "Sketch of a Fox", "Winter Fjord"]),
    ],
)
async def test_exclude_leaves_rows_out(
    row_checks: int | None, exclude: dict[str, object], left: list[str] | None
) -> None:
    grounding, _ = grounded(row_checks)
    answer = await call(grounding, VISITOR, "query", manager="Work", exclude=exclude)
    assert len(names(answer)) == 5 if left is None else names(answer) == left


@HOSTS
async def test_rows_are_ordered_by_what_the_schema_sorts_and_by_what_it_does_not(row_checks: int | None) -> None:
    grounding, _ = grounded(row_checks)

    async def ordered(*by: str, caller: object = VISITOR) -> list[str]:
        answer = await call(grounding, caller, "query", manager="Work", order_by=list(by), limit=3)  # type: ignore[arg-type]
        return names(answer)

    assert await ordered("-visits_per_day") == ["Standing Figure", "Harbour at Dawn", "Winter Fjord"]
    assert await ordered("-weight") == ["Standing Figure", "Winter Fjord", "Harbour at Dawn"]
    assert await ordered("-score") == ["Standing Figure", "Sketch of a Fox", "Harbour at Dawn"]
    assert await ordered("artist__country", "-name") == ["Winter Fjord", "Harbour at Dusk", "Harbour at Dawn"]
    assert await ordered("-room__wing__name", "visitsPerDay") == ["Sketch of a Fox", "Harbour at Dusk", "Winter Fjord"]


@HOSTS
async def test_a_row_without_an_id_is_listed_filtered_and_ordered(row_checks: int | None) -> None:
    grounding, _ = grounded(row_checks)
    answer = await call(grounding, VISITOR, "query", manager="RoomSummary", order_by=["workCount", "-totalWeight"])
    assert [row["room"]["name"] for row in answer["rows"]] == ["Cellar", "Blue Hall", "Red Hall"]
    answer = await call(grounding, VISITOR, "query", manager="RoomSummary", filters={"workCount__gte": 2}, limit=1)
    assert answer["rows"] == [
        {"workCount": 2, "totalWeight": {"value": 262.0, "unit": "kg"}, "room": {"id": "1", "name": "Blue Hall"}}
    ]
    assert (answer["total_count"], answer["has_more"], answer["next_offset"]) == (2, True, 1)
    answer = await call(grounding, VISITOR, "query", manager="RoomSummary", filters={"room__wing__name": "South Wing"})
    assert [row["room"]["name"] for row in answer["rows"]] == ["Cellar"]


@HOSTS
async def test_rows_without_an_id_are_left_out_by_what_they_belong_to(row_checks: int | None) -> None:
    grounding, _ = grounded(row_checks)
    exclude = {"room__wing__name": "North Wing", "workCount__gte": 1}
    answer = await call(grounding, VISITOR, "query", manager="RoomSummary", exclude=exclude)
    assert [row["room"]["name"] for row in answer["rows"]] == ["Cellar"]


async def test_a_field_tree_becomes_the_selection_without_page_wrappers() -> None:
    grounding, host = grounded()
    answer = await call(
        grounding, VISITOR, "query", manager="Artist",
        fields=["name", {"workList": ["name", "weight", {"room": ["name", {"wing": ["name"]}]}]}],
        filters={"name": "Berta Lind"},
    )  # fmt: skip
    assert answer["rows"] == [
        {
            "name": "Berta Lind",
            "workList": [
                {
                    "name": "Standing Figure",
                    "weight": {"value": 250.0, "unit": "kg"},
                    "room": {"name": "Blue Hall", "wing": {"name": "North Wing"}},
                },
                {
                    "name": "Sketch of a Fox",
                    "weight": {"value": 0.4, "unit": "kg"} | {"value": 400.0, "unit": "g"},
                    "room": {"name": "Cellar", "wing": {"name": "South Wing"}},
                },
            ],
        }
    ]
    text = " ".join(print_ast(host.documents[-1][0]).split())
    assert (
        "name workList(page: 1, pageSize: 20) { items { name weight { value unit } room { name wing { name } } }"
        in text
    )


async def test_related_names_may_be_asked_for_in_one_word_and_a_relation_alone_names_its_row() -> None:
    grounding, _ = grounded()
    answer = await call(
        grounding, VISITOR, "query", manager="Work", fields=["artist__name", "room", "made_on"], limit=1
    )
    assert answer["rows"] == [
        {"madeOn": "1930-01-15", "artist": {"name": "Ada Moor"}, "room": {"id": "1", "name": "Blue Hall"}}
    ]


async def test_a_list_inside_a_row_says_when_it_is_cut() -> None:
    more = [{"id": str(n), "day": "2026-01-01", "people": n, "roomId": "1"} for n in range(1, 31)]
    grounding, _ = grounded(more={"Visit": more})
    answer = await call(grounding, VISITOR, "query", manager="Room", fields=["name", {"visitList": ["people"]}])
    assert [len(row["visitList"]) for row in answer["rows"]] == [20, 0, 0, 0]
    assert answer["notes"] == [
        "visitList is cut: at most 20 of up to 30 are shown in a row. Query that manager for all."
    ]


@HOSTS
@pytest.mark.parametrize(("offset", "limit"), [(0, 7), (7, 7), (5, 3), (55, 10), (59, 1), (0, 60), (60, 5), (13, 41)])
async def test_any_offset_and_limit_read_exactly_those_rows(row_checks: int | None, offset: int, limit: int) -> None:
    grounding, _ = grounded(row_checks)
    answer = await call(grounding, VISITOR, "query", manager="Visit", fields=["id"], offset=offset, limit=limit)
    assert [row["id"] for row in answer["rows"]] == [str(n) for n in range(1, 61)][offset : offset + limit]
    assert answer["has_more"] is (offset + limit < 60)
    assert answer["next_offset"] == (offset + limit if offset + limit < 60 else None)


async def test_more_rows_than_one_page_holds_are_read_in_pages_and_never_above_the_maximum() -> None:
    more = [{"id": str(n), "day": "2026-01-01", "people": n, "roomId": "1"} for n in range(1, 351)]
    grounding, host = grounded(more={"Visit": more})
    answer = await call(grounding, VISITOR, "query", manager="Visit", fields=["people"], limit=1000, offset=20)
    assert [row["people"] for row in answer["rows"]] == list(range(21, 221))
    assert (answer["total_count"], answer["next_offset"]) == (350, 220)
    assert all(variables["pageSize"] <= 100 for _, variables in host.documents)


async def test_without_a_total_the_answer_still_knows_whether_there_is_more() -> None:
    grounding, _ = grounded(counted=False)
    first = await call(grounding, VISITOR, "query", manager="Work", limit=5)
    assert (first["total_count"], first["has_more"]) == (None, False)
    some = await call(grounding, VISITOR, "query", manager="Work", limit=4)
    assert (some["has_more"], some["next_offset"]) == (True, 4)


async def test_rows_stay_under_a_budget_and_the_rest_is_offered() -> None:
    long = [{"id": str(n), "name": f"{n} " + "x" * 900, "country": "Peru", "bornOn": "1990-01-01"} for n in range(60)]
    grounding, _ = grounded(more={"Artist": long})
    answer = await call(grounding, VISITOR, "query", manager="Artist", limit=60)
    shown = len(answer["rows"])
    assert 10 < shown < 40
    assert (answer["has_more"], answer["next_offset"], answer["total_count"]) == (True, shown, 60)
    assert answer["notes"] == [f"Only {shown} of 60 rows fit here; go on with offset."]


async def test_what_a_person_may_not_read_is_null_and_rows_they_may_not_see_are_not_there() -> None:
    grounding, _ = grounded()
    mine = await call(grounding, CURATOR, "query", manager="Work", fields=["name", "price"])
    yours = await call(grounding, VISITOR, "query", manager="Work", fields=["name", "price"])
    assert (len(mine["rows"]), len(yours["rows"])) == (6, 5)
    assert {row["price"] and row["price"]["value"] for row in yours["rows"]} == {None}


@HOSTS
async def test_a_field_nobody_may_read_cannot_be_filtered_or_ordered_by(row_checks: int | None) -> None:
    grounding, _ = grounded(row_checks)
    for arguments in ({"filters": {"price__gt": "800 EUR"}}, {"order_by": ["-price"]}):
        answer = await call(grounding, VISITOR, "query", manager="Work", fields=["id"], **arguments)
        refused = "Permission denied" in answer.get("error", "")
        blind = answer.get("rows") == [] and "price is null in every row" in str(answer.get("notes"))
        untouched = [row["id"] for row in answer.get("rows", [])] == ["1", "2", "3", "4", "5"]
        assert refused or blind or ("order_by" in arguments and untouched)


HIDDEN_PRICES: list[dict[str, Any]] = [
    {"manager": "Work", "fields": ["id"], "filters": {"price__gt": "800 EUR"}},
    {"manager": "Work", "fields": ["id"], "filters": {"price__lte": "800 EUR", "medium": "oil"}},
    {"manager": "Work", "fields": ["id"], "exclude": {"price__gt": "800 EUR"}},
    {"manager": "Work", "fields": ["id"], "order_by": ["-price"]},
    {"manager": "Work", "fields": ["id"], "order_by": ["medium", "price"]},
    {"manager": "Artist", "fields": ["id"], "filters": {"workList__price__gt": "800 EUR"}},
    {"manager": "Room", "fields": ["id"], "filters": {"workList__price__gt": "800 EUR"}},
    {"manager": "Work", "aggregate": {"measures": ["max:price"]}},
    {"manager": "Work", "aggregate": {"group_by": ["price"]}},
    {"manager": "Work", "aggregate": {"group_by": ["medium"], "measures": ["sum:price"]}, "order_by": ["-sum:price"]},
]


async def _with_prices(arguments: dict[str, Any], row_checks: int | None, dear: str, *, guarded: bool) -> Any:
    """What a visitor is answered where the work with this id has a price above the others', which are not theirs to read."""
    grounding, host = grounded(row_checks, open=not guarded)
    for row in host.rows["Work"]:
        row["price"] = {"value": 5000.0 + int(dear) if row["id"] == dear else 100.0, "unit": "EUR"}
    return await call(grounding, VISITOR, "query", **arguments)


@HOSTS
@pytest.mark.parametrize("arguments", HIDDEN_PRICES, ids=str)
async def test_no_answer_depends_on_values_the_person_may_not_read_and_without_the_rule_it_would(
    row_checks: int | None, arguments: dict[str, Any]
) -> None:
    kept = [await _with_prices(arguments, row_checks, dear, guarded=True) for dear in ("1", "5")]
    assert kept[0] == kept[1]
    given = [await _with_prices(arguments, row_checks, dear, guarded=False) for dear in ("1", "5")]
    assert given[0] != given[1]


async def test_an_error_beside_data_gives_both() -> None:
    grounding, host = grounded()
    host.rows["Work"][0]["visitsPerDay"] = "many"
    answer = await call(grounding, VISITOR, "query", manager="Work", fields=["name", "visitsPerDay"], limit=2)
    assert answer["rows"] == [
        {"name": "Harbour at Dawn", "visitsPerDay": None},
        {"name": "Harbour at Dusk", "visitsPerDay": 25},
    ]
    assert answer["errors"][0]["at"] == "rows.items.visitsPerDay"


async def test_values_travel_as_variables_and_never_as_text() -> None:
    grounding, host = grounded()
    hostile = '"}) { id } } mutation { deleteWork(id: 1) { success } } #'
    answer = await call(grounding, CURATOR, "query", manager="Work", filters={"name": hostile})
    assert answer["rows"] == []
    assert all(hostile not in print_ast(document) for document, _ in host.documents)
    assert any(hostile in str(variables) for _, variables in host.documents)


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ({"manager": "Wrok"}, "unknown_manager", "Did you mean Work?"),
        ({"manager": "Work", "fields": ["colour"]}, "unknown_field", "It has: id, name, medium, madeOn"),
        ({"manager": "Work", "fields": ["nme"]}, "unknown_field", "Did you mean name"),
        ({"manager": "Work", "fields": ["name { id }"]}, "unknown_field", "It has:"),
        ({"manager": "Work", "fields": [{"artist": ["age"]}]}, "unknown_field", "Unknown field 'age' on 'Artist'"),
        ({"manager": "Work", "fields": [{"name": ["first"]}]}, "unknown_field", "has no fields"),
        ({"manager": "Work", "fields": [7]}, "bad_arguments", "expected"),
        ({"manager": "Work", "filters": {"colour": "red"}}, "unknown_filter", "Unknown filter 'colour' on 'Work'"),
        ({"manager": "Work", "filters": {"name__sounds_like": "x"}}, "unknown_lookup", "icontains"),
        ({"manager": "Work", "filters": {"medium__ne": "ink"}}, "unknown_lookup", "Use exclude"),
        ({"manager": "Work", "filters": {"medium": "marble"}}, "bad_value", "is not one of oil, bronze, ink"),
        ({"manager": "Work", "filters": {"visitsPerDay__gt": "lots"}}, "bad_value", "expected a whole number"),
        ({"manager": "Work", "filters": {"score__gt": "lots"}}, "bad_value", "expected a number"),
        ({"manager": "Work", "filters": {"madeOn": "soon"}}, "bad_value", "a date such as"),
        ({"manager": "Work", "filters": {"weight__gt": "heavy"}}, "bad_value", "a number with its unit"),
        ({"manager": "Work", "filters": {"isOnLoan": "maybe"}}, "bad_value", "true or false"),
        ({"manager": "Work", "filters": {"madeOn__range": "1930"}}, "bad_value", "a list of two values"),
        ({"manager": "Work", "order_by": ["colour"]}, "unknown_order", "It has:"),
        ({"manager": "Artist", "order_by": ["workList__name"]}, "to_many", "Ask Work instead"),
        ({"manager": "Work", "limit": "all"}, "bad_arguments", "expected integer"),
        ({"manager": "Work", "where": {}}, "bad_arguments", "Unknown argument 'where'"),
        ({}, "bad_arguments", "missing"),
    ],
)
async def test_what_does_not_fit_is_refused_with_the_way_out(
    arguments: dict[str, object], code: str, says: str
) -> None:
    grounding, _ = grounded()
    answer = await call(grounding, VISITOR, "query", **arguments)
    assert answer["code"] == code
    assert says in answer["error"]


async def test_a_text_that_equals_nothing_comes_with_the_lookup_to_try() -> None:
    grounding, _ = grounded()
    answer = await call(grounding, VISITOR, "query", manager="Work", filters={"artist__name": "moor"})
    assert answer["notes"] == ["Nothing equals that exactly. Try artist__name__icontains."]


async def test_anonymous_people_may_read() -> None:
    grounding, _ = grounded()
    assert len((await call(grounding, NOBODY, "query", manager="Work"))["rows"]) == 5


@pytest.mark.parametrize("row_checks", [None, 1000])
async def test_a_step_that_matches_too_many_rows_says_so_instead_of_cutting(row_checks: int | None) -> None:
    many = [{"id": str(n), "name": f"Hall {n}", "floor": 1, "wingId": "1"} for n in range(1, 5_200)]
    grounding, _ = grounded(row_checks, more={"Room": many})
    answer = await call(
        grounding, VISITOR, "query", manager="Artist", filters={"workList__room__wing__name": "North Wing"}
    )
    assert answer["code"] == "too_many_matches"
    assert "Room" in answer["error"]
