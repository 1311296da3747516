"""search_managers: names, texts, fields, choices and values, with typing mistakes, and quick at any size."""

import time
from typing import Any

import pytest

from dragoman.graphql.grounding import GraphQLGrounding
from dragoman.graphql.naming import stem
from dragoman.harness.results import to_json
from dragoman.harness.tokens import estimate
from tests.graphql.generated import generated
from tests.graphql.museum import CURATOR, NOBODY, VISITOR, call, museum

HOSTS = pytest.mark.parametrize("row_checks", [None, 1000])


async def found(query: str, caller: Any = VISITOR, row_checks: int | None = None, **options: Any) -> Any:
    grounding = GraphQLGrounding(museum(row_checks=row_checks), **options)
    return await call(grounding, caller, "search_managers", query=query)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("works", "Work"),
        ("which artist", "Artist"),
        ("artits", "Artist"),
        ("paintings", "Work"),
        ("sculptors who are alive", "Artist"),
        ("how many people came", "Visit"),
        ("room summaries", "RoomSummary"),
        ("roomsummary", "RoomSummary"),
        ("their medium", "Work"),
        ("lent to another museum", "Work"),
        ("building", "Wing"),
        ("bronze", "Work"),
    ],
)
async def test_the_words_of_a_question_find_their_manager(query: str, first: str) -> None:
    assert (await found(query))["managers"][0]["manager"] == first


@pytest.mark.parametrize(
    "group",
    ["hire hires hired hiring", "name names named naming", "company companies", "box boxes", "batch batches",
     "supplier suppliers", "delivery deliveries", "size sizes", "class classes", "status"],
)  # fmt: skip
def test_the_forms_of_a_word_have_one_stem(group: str) -> None:
    assert len({stem(word) for word in group.split()}) == 1


async def test_the_first_hit_shows_all_its_fields_and_relations() -> None:
    assert (await found("works"))["managers"][0] == {
        "manager": "Work",
        "about": "A work of art: a painting, a drawing or a sculpture.",
        "fields": {
            "id": "ID", "name": "String", "medium": "oil|bronze|ink", "madeOn": "Date", "weight": "Measurement",
            "price": "Measurement", "isOnLoan": "Boolean", "visitsPerDay": "Int", "score": "Float",
        },
        "relations": {"artist": "Artist", "room": "Room"},
    }  # fmt: skip


@HOSTS
@pytest.mark.parametrize("query", ["works by Ada Moor", "works of ada moor", "works by Ada Mooor"])
async def test_a_row_value_comes_with_filters_ready_for_every_manager_of_the_answer(
    query: str, row_checks: int | None
) -> None:
    values = (await found(query, row_checks=row_checks))["values"]
    assert values[0]["value"] == "Ada Moor"
    assert values[0]["field"] == "Artist.name"
    assert values[0]["filters"]["Artist"] == {"name": "Ada Moor"}
    assert values[0]["filters"]["Work"] == {"artist__name": "Ada Moor"}


@HOSTS
async def test_the_ready_filter_can_be_asked_as_it_is(row_checks: int | None) -> None:
    grounding = GraphQLGrounding(museum(row_checks=row_checks))
    answer = await call(grounding, VISITOR, "search_managers", query="works of artists from Spain")
    ready = answer["values"][0]["filters"]["Work"]
    rows = await call(grounding, VISITOR, "query", manager="Work", filters=ready)
    assert [row["name"] for row in rows["rows"]] == ["Standing Figure", "Sketch of a Fox"]


@HOSTS
async def test_a_word_that_several_rows_share_gives_a_filter_that_contains_it(row_checks: int | None) -> None:
    value = (await found("harbour works", row_checks=row_checks))["values"][0]
    assert value == {
        "value": "harbour",
        "field": "Work.name",
        "filters": {"Work": {"name__icontains": "harbour"}},
        "matches": 2,
    }


async def test_a_choice_of_a_field_is_a_value_too() -> None:
    assert (await found("bronze works"))["values"][0] == {
        "value": "bronze",
        "field": "Work.medium",
        "filters": {"Work": {"medium": "bronze"}},
    }


@HOSTS
async def test_a_value_only_others_may_read_is_not_found(row_checks: int | None) -> None:
    mine = await found("the locked one", CURATOR, row_checks)
    assert [value["value"] for value in mine["values"]] == ["The Locked One"]
    assert "ocked" not in to_json(await found("the locked one", VISITOR, row_checks))
    assert "ocked" not in to_json(await found("locked", NOBODY, row_checks))


@HOSTS
async def test_values_of_fields_nobody_allowed_are_not_searched(row_checks: int | None) -> None:
    answer = await found("blue hall", row_checks=row_checks)
    assert "values" not in answer


@HOSTS
async def test_a_row_that_is_newer_than_the_list_of_values_is_found(row_checks: int | None) -> None:
    host = museum(row_checks=row_checks)
    grounding = GraphQLGrounding(host)
    await call(grounding, VISITOR, "search_managers", query="works")
    host.rows["Artist"].append({"id": "9", "name": "Zora Quill", "country": "Chad", "bornOn": "2000-01-01"})
    locked = host.rows["Work"][0] | {"id": "99", "name": "Quiet Quagga", "locked": True}
    host.rows["Work"].append(locked)
    answer = await call(grounding, VISITOR, "search_managers", query="works by quill")
    assert [value["value"] for value in answer["values"]] == ["Zora Quill"]
    assert "values" not in await call(grounding, VISITOR, "search_managers", query="quagga")
    seen = await call(grounding, CURATOR, "search_managers", query="quagga")
    assert [value["value"] for value in seen["values"]] == ["Quiet Quagga"]


async def test_a_field_whose_values_cannot_be_listed_does_not_end_the_search(caplog: pytest.LogCaptureFixture) -> None:
    host = museum()
    listed = host.hints

    async def broken(manager: str, field: str, most: int, containing: str = "") -> Any:
        if field == "country":
            raise ConnectionError
        return await listed(manager, field, most, containing)

    host.hints = broken  # type: ignore[method-assign]
    answer = await call(GraphQLGrounding(host), VISITOR, "search_managers", query="works by Ada Moor")
    assert answer["values"][0]["value"] == "Ada Moor"
    assert "Artist.country cannot be listed" in caplog.text


async def test_allowed_mutations_are_found_with_their_inputs_and_no_others() -> None:
    options = {"allowed_mutations": ["renameWork", "lendWork"]}
    answer = await found("lend the work Winter Fjord", **options)
    assert answer["mutations"] == [
        {
            "mutation": "lendWork",
            "about": "Lend a work to another museum until a day.",
            "input": {"work": "ID!", "until": "Date!", "weight": "Measurement"},
        }
    ]
    assert "mutations" not in await found("delete the work Winter Fjord")


async def test_what_is_not_there_is_not_found() -> None:
    answer = await found("zzyzx qwfpgj")
    assert answer["managers"] == []
    assert answer["message"].startswith("Nothing found.")


@pytest.mark.parametrize("size", [8, 200])
async def test_an_answer_stays_short_whatever_the_schema(size: int) -> None:
    grounding = GraphQLGrounding(generated(size))
    for query in ("customers with open orders", "line items due", "name", "active status of every thing we keep", ""):
        answer = await call(grounding, VISITOR, "search_managers", query=query)
        assert estimate(to_json(answer)) <= 420


async def test_a_thousand_types_are_searched_in_under_twenty_milliseconds() -> None:
    grounding = GraphQLGrounding(generated(1000))
    ground = grounding.ground()
    queries = ["customers with open orders", "inspektion reports of old machines", "line items of overdue invoices"]
    began = time.process_time()
    for query in queries * 5:
        assert ground.index.find(query.split())
    # CPU time of this process, so that a busy machine does not count.
    assert (time.process_time() - began) / 15 < 0.02


async def test_the_name_of_each_of_two_hundred_managers_finds_it_among_the_first_five() -> None:
    ground = GraphQLGrounding(generated(200)).ground()
    from dragoman.graphql.lookup import MOST_MANAGERS
    from dragoman.graphql.naming import words

    missed = [
        name
        for name in ground.catalog.managers
        if name not in [hit.name for hit in ground.index.find([f"{w}s" for w in words(name)])[:5]]
    ]
    assert MOST_MANAGERS >= 5
    assert missed == []
