"""get_manager_schema, find_path and the grounding itself."""

import threading

import pytest

from dragoman.graphql.grounding import GraphQLGrounding
from dragoman.graphql.host import Answer, Fault
from dragoman.graphql.schema import Catalog
from dragoman.harness.errors import ConfigurationError
from tests.graphql.museum import CURATOR, VISITOR, call, museum
from tests.graphql.world import Spec, World


async def test_a_schema_tells_fields_relations_filters_order_and_what_changes_it() -> None:
    grounding = GraphQLGrounding(museum(), allowed_mutations=["lendWork", "createArtist"])
    answer = await call(grounding, VISITOR, "get_manager_schema", manager="work")
    assert answer["manager"] == "Work"
    assert answer["row_id"] == "id"
    assert answer["fields"]["medium"] == "oil|bronze|ink"
    assert answer["units"] == {"weight": "kg", "price": "EUR"}
    assert answer["relations"] == {"artist": "Artist", "room": "Room"}
    assert answer["mutations"] == ["lendWork"]
    assert answer["filters"]["name"] == ["exact", "icontains", "in"]
    assert answer["filters"]["visitsPerDay"] == ["exact", "gt", "gte", "lt", "lte"]
    assert "score" not in answer["filters"]
    assert answer["order_by"] == ["id", "name", "medium", "madeOn", "weight", "price", "isOnLoan", "visitsPerDay"]


async def test_the_fields_part_tells_what_each_is() -> None:
    answer = await call(GraphQLGrounding(museum()), VISITOR, "get_manager_schema", manager="Work", part="fields")
    assert answer["fields"]["isOnLoan"] == "Boolean: Lent to another museum at the moment."


async def test_a_row_without_an_id_is_identified_by_what_it_belongs_to() -> None:
    answer = await call(GraphQLGrounding(museum()), VISITOR, "get_manager_schema", manager="RoomSummary")
    assert answer["row_id"] == ["room"]


async def test_a_path_is_the_shortest_chain_with_the_filter_it_begins() -> None:
    answer = await call(GraphQLGrounding(museum()), VISITOR, "find_path", **{"from": "Wing", "to": "artist"})
    assert answer == {
        "from": "Wing",
        "to": "Artist",
        "path": ["roomList", "workList", "artist"],
        "filter_prefix": "roomList__workList__artist__",
        "steps": ["Wing", "Room", "Work", "Artist"],
    }


async def test_no_path_is_said_and_not_invented() -> None:
    world = World([Spec("A", {"name": "String"}), Spec("B", {"name": "String"})])
    grounding = GraphQLGrounding(world)
    answer = await call(grounding, VISITOR, "find_path", **{"from": "A", "to": "B"})
    assert answer == {"from": "A", "to": "B", "path": None, "message": "No relation leads from A to B."}
    answer = await call(grounding, VISITOR, "find_path", **{"from": "A", "to": "A"})
    assert answer["path"] is None


async def test_a_path_never_leads_through_a_hidden_manager() -> None:
    specs = [
        Spec("A", {"name": "String"}),
        Spec("Hidden", {"name": "String"}, {"a": "A", "b": "B"}, exposed=False),
        Spec("B", {"name": "String"}),
    ]
    answer = await call(GraphQLGrounding(World(specs)), VISITOR, "find_path", **{"from": "A", "to": "B"})
    assert answer["path"] is None


async def test_a_project_without_a_schema_is_told_so() -> None:
    host = museum()
    host.schema = lambda: None  # type: ignore[method-assign, assignment, return-value]
    with pytest.raises(ConfigurationError, match="no GraphQL schema"):
        await GraphQLGrounding(host).tools(VISITOR)


async def test_a_schema_that_was_replaced_is_read_again() -> None:
    host, other = museum(), World([Spec("Planet", {"name": "String"})])
    grounding = GraphQLGrounding(host)
    assert "Work" in await grounding.prompt(VISITOR)
    host.schema, host.managers = other.schema, other.managers  # type: ignore[method-assign]
    assert "Planet" in await grounding.prompt(VISITOR)


async def test_many_threads_read_the_schema_once() -> None:
    host = museum()
    reads: list[str] = []
    managers = host.managers
    host.managers = lambda: (reads.append("read"), managers())[1]  # type: ignore[method-assign, func-returns-value]
    grounding = GraphQLGrounding(host)
    threads = [threading.Thread(target=grounding.ground) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert reads == ["read"]


async def test_a_query_that_runs_out_of_time_is_a_result_the_model_can_read() -> None:
    host = museum()

    async def late(*_: object) -> Answer:
        return Answer(None, (Fault("The query took longer than 5 seconds.", "query_timeout"),))

    host.execute = late  # type: ignore[method-assign]
    answer = await call(GraphQLGrounding(host), VISITOR, "query", manager="Work")
    assert answer == {"error": "The query took longer than 5 seconds.", "code": "query_timeout"}


async def test_a_whole_call_has_a_deadline() -> None:
    import asyncio

    host = museum()
    reached = asyncio.Event()

    async def never(*_: object) -> Answer:
        await reached.wait()
        raise AssertionError

    host.execute = never  # type: ignore[method-assign]
    grounding = GraphQLGrounding(host, deadline_seconds=0.01)
    answer = await call(grounding, VISITOR, "query", manager="Work")
    assert answer["code"] == "query_timeout"


async def test_managers_whose_names_begin_alike_do_not_mix() -> None:
    specs = [Spec("Part", {"name": "String"}), Spec("PartGroup", {"name": "String"}, {"part": "Part"})]
    rows = {"Part": [{"id": "1", "name": "Bolt"}], "PartGroup": [{"id": "7", "name": "Bolts", "partId": "1"}]}
    grounding = GraphQLGrounding(World(specs, rows))
    assert (await call(grounding, VISITOR, "query", manager="Part"))["rows"] == [{"id": "1", "name": "Bolt"}]
    assert (await call(grounding, VISITOR, "query", manager="PartGroup"))["rows"] == [{"id": "7", "name": "Bolts"}]
    assert Catalog(World(specs)).managers["Part"].relations["partGroupList"].target == "PartGroup"


async def test_reading_after_a_change_sees_the_change() -> None:
    grounding = GraphQLGrounding(museum(row_checks=1000), allowed_mutations=["deleteWork"])
    before = await call(grounding, CURATOR, "query", manager="Work", filters={"medium": "ink"})
    await call(grounding, CURATOR, "mutate", mutation="deleteWork", input={"id": "4"})
    after = await call(grounding, CURATOR, "query", manager="Work", filters={"medium": "ink"})
    assert (before["total_count"], after["total_count"]) == (1, 0)
