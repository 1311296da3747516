"""The specification's promises about tools, exposure and mutations, through the Assistant."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from graphql import print_ast

from dragoman.graphql.grounding import GraphQLGrounding
from dragoman.graphql.host import Answer
from dragoman.harness.assistant import Assistant
from dragoman.harness.caller import Caller
from dragoman.harness.events import Done, ToolReturned
from dragoman.harness.memory import MemoryStore
from dragoman.harness.provider import ToolRequest
from dragoman.harness.tokens import of_tools
from dragoman.providers.scripted import Scripted
from tests.graphql.generated import generated
from tests.graphql.museum import CURATOR, NOBODY, VISITOR, museum

Call = tuple[str, dict[str, Any]]


async def turn(grounding: GraphQLGrounding, caller: Caller, *calls: Call) -> tuple[list[Any], Scripted]:
    """What the calls of one turn came back with, one round each, and the provider that made them."""
    provider = Scripted(*[[ToolRequest(name, arguments)] for name, arguments in calls], "That is all.")
    assistant = Assistant(provider=provider, grounding=grounding, store=MemoryStore())
    conversation = await assistant.store.create(caller)
    events = [envelope.event async for envelope in assistant.ask(caller, conversation, "Tell me.")]
    assert isinstance(events[-1], Done)
    return [event.result.data for event in events if isinstance(event, ToolReturned)], provider


async def one(grounding: GraphQLGrounding, caller: Caller, name: str, /, **arguments: Any) -> Any:
    """What a single call came back with."""
    results, _ = await turn(grounding, caller, (name, arguments))
    return results[0]


def offered(provider: Scripted) -> Sequence[str]:
    return [tool.name for tool in provider.seen[0][1]]


@pytest.mark.requirement("g.tools.five")
async def test_the_model_is_offered_the_five_tools_and_no_others() -> None:
    _, provider = await turn(GraphQLGrounding(museum()), VISITOR)
    assert offered(provider) == ["search_managers", "get_manager_schema", "find_path", "query", "mutate"]


@pytest.mark.requirement("g.tools.fixed-cost")
async def test_the_tools_cost_the_same_whatever_the_schema() -> None:
    costs = []
    for size in (8, 200):
        _, provider = await turn(GraphQLGrounding(generated(size)), VISITOR)
        costs.append(of_tools(provider.seen[0][1]))
    assert costs[0] == costs[1] < 700


@pytest.mark.requirement("g.tools.search-managers")
@pytest.mark.parametrize(
    ("query", "found"),
    [("Artist", "Artist"), ("sculptures", "Work"), ("isOnLoan", "Work"), ("lent to another museum", "Work")],
)
async def test_a_search_finds_managers_by_name_description_and_field(query: str, found: str) -> None:
    answer = await one(GraphQLGrounding(museum()), VISITOR, "search_managers", query=query)
    assert answer["managers"][0]["manager"] == found


@pytest.mark.requirement("g.tools.schema")
async def test_a_schema_has_fields_filters_nested_types_and_relations() -> None:
    answer = await one(GraphQLGrounding(museum()), VISITOR, "get_manager_schema", manager="Work")
    assert answer["fields"]["weight"] == "Measurement"
    assert answer["filters"]["name"] == ["exact", "icontains", "in"]
    assert answer["relations"] == {"artist": "Artist", "room": "Room"}


@pytest.mark.requirement("g.query.limit")
async def test_rows_are_capped_and_the_answer_says_how_many_there_are() -> None:
    more = [{"id": str(n), "day": "2026-01-01", "people": n, "roomId": "1"} for n in range(1, 351)]
    grounding = GraphQLGrounding(museum(more={"Visit": more}))
    answer = await one(grounding, VISITOR, "query", manager="Visit", limit=300)
    assert (len(answer["rows"]), answer["total_count"], answer["has_more"]) == (200, 350, True)
    small = GraphQLGrounding(museum(more={"Visit": more}), max_results=5)
    assert len((await one(small, VISITOR, "query", manager="Visit", limit=300))["rows"]) == 5


@pytest.mark.requirement("g.query.no-raw")
async def test_nothing_a_model_writes_becomes_graphql() -> None:
    hostile = 'x"}){id}} mutation{deleteWork(id:1){success}} #'
    host = museum()
    grounding = GraphQLGrounding(host, allowed_mutations=["renameWork"])
    await turn(
        grounding,
        CURATOR,
        ("query", {"manager": "Work", "filters": {"name": hostile}}),
        ("query", {"manager": hostile}),
        ("query", {"manager": "Work", "fields": [hostile, {hostile: [hostile]}]}),
        ("query", {"manager": "Work", "filters": {hostile: 1}, "order_by": [hostile]}),
        ("mutate", {"mutation": "renameWork", "input": {"id": "1", "name": hostile}}),
    )
    assert host.rows["Work"][0]["name"] == hostile
    assert len(host.rows["Work"]) == 6
    assert all(hostile not in print_ast(document) for document, _ in host.documents)


@pytest.mark.requirement("g.exposure.opt-in")
async def test_what_is_not_exposed_appears_in_no_prompt_tool_result_or_error() -> None:
    grounding = GraphQLGrounding(museum(), allowed_mutations=["createSecretNote", "renameWork"])
    calls: list[Call] = [
        ("search_managers", {"query": "notes that nobody may know of"}),
        ("get_manager_schema", {"manager": "Artist"}),
        ("find_path", {"from": "Artist", "to": "Work"}),
        ("query", {"manager": "Artist", "fields": ["*"]}),
        ("query", {"manager": "Artist", "fields": ["notes"]}),
        ("query", {"manager": "Artist", "filters": {"notes": 1}}),
    ]
    results, provider = await turn(grounding, CURATOR, *calls)
    assert "ecret" not in f"{results} {provider.seen[-1]}"


@pytest.mark.requirement("g.mutations.deny-default")
async def test_without_an_allow_list_nothing_can_be_changed() -> None:
    host = museum()
    answer = await one(GraphQLGrounding(host), CURATOR, "mutate", mutation="deleteWork", input={"id": "1"})
    assert answer["code"] == "mutation_not_allowed"
    assert len(host.rows["Work"]) == 6


@pytest.mark.requirement("g.mutations.exact-name")
async def test_another_spelling_of_an_allowed_mutation_is_not_allowed() -> None:
    for name in ("rename_work", "RenameWork", "renamework"):
        host = museum()
        grounding = GraphQLGrounding(host, allowed_mutations=[name, "lendWork"], confirm_mutations=[name])
        answer = await one(grounding, CURATOR, "mutate", mutation="renameWork", input={"id": "1", "name": "x"})
        assert answer["code"] in ("bad_arguments", "mutation_not_allowed")
        assert host.rows["Work"][0]["name"] == "Harbour at Dawn"


@pytest.mark.requirement("g.mutations.any-field")
async def test_generated_and_custom_mutations_are_allowed_alike() -> None:
    grounding = GraphQLGrounding(museum(), allowed_mutations=["renameWork", "lendWork", "countVisits"])
    results, _ = await turn(
        grounding,
        CURATOR,
        ("mutate", {"mutation": "renameWork", "input": {"id": "1", "name": "Dawn"}}),
        ("mutate", {"mutation": "lendWork", "input": {"work": "1", "until": "2027-01-01"}}),
        ("mutate", {"mutation": "countVisits", "input": {}}),
    )
    assert [answer["ok"] for answer in results] == [True, True, True]


@pytest.mark.requirement("g.mutations.failure-kinds")
async def test_each_kind_of_failure_of_a_mutation_reaches_the_model_as_a_result() -> None:
    async def breaks(*_: object) -> Answer:
        raise ConnectionError("10.0.0.7 refused")

    async def hangs(*_: object) -> Answer:
        await asyncio.Event().wait()
        raise AssertionError

    good = {"id": "1", "name": "x"}
    outcomes = {}
    for kind, execute, caller, given in (
        ("network", breaks, CURATOR, good),
        ("timeout", hangs, CURATOR, good),
        ("permission", None, VISITOR, good),
        ("validation", None, CURATOR, {"id": "1", "name": ""}),
    ):
        host = museum()
        host.execute = execute or host.execute  # type: ignore[method-assign]
        grounding = GraphQLGrounding(host, allowed_mutations=["renameWork"], deadline_seconds=0.05 if execute else 30)
        results, provider = await turn(grounding, caller, ("mutate", {"mutation": "renameWork", "input": given}))
        told = provider.seen[-1][0][-1]
        assert told.result is not None
        assert told.result.failed
        outcomes[kind] = results[0]["code"]
        assert "10.0.0.7" not in told.result.content
    assert outcomes == {
        "network": "tool_failed",
        "timeout": "mutation_timeout",
        "permission": "permission_denied",
        "validation": "bad_user_input",
    }


@pytest.mark.requirement("g.auth.anonymous-reads")
async def test_somebody_anonymous_reads_and_never_writes() -> None:
    host = museum()
    grounding = GraphQLGrounding(host, allowed_mutations=["renameWork"])
    results, _ = await turn(
        grounding,
        NOBODY,
        ("query", {"manager": "Artist"}),
        ("mutate", {"mutation": "renameWork", "input": {"id": "1", "name": "x"}}),
    )
    assert len(results[0]["rows"]) == 3
    assert results[1]["code"] == "not_authenticated"
    assert host.rows["Work"][0]["name"] == "Harbour at Dawn"


@pytest.mark.requirement("g.prompt.generated")
async def test_the_prompt_is_made_from_names_docstrings_field_texts_and_relations() -> None:
    _, provider = await turn(GraphQLGrounding(museum()), VISITOR)
    prompt = provider.seen[0][0][0].text
    for name in ("Artist", "Work", "Room", "Wing", "Visit", "RoomSummary"):
        assert name in prompt
    assert "A painter or sculptor whose works we keep." in prompt
    assert "isOnLoan: Lent to another museum at the moment." in prompt
    assert "(artist Artist, room Room)" in prompt


@pytest.mark.requirement("g.tools.direct")
async def test_direct_offers_one_tool_a_manager_and_mutate() -> None:
    grounding = GraphQLGrounding(museum(), allowed_mutations=["renameWork"], strategy="direct")
    results, provider = await turn(
        grounding,
        CURATOR,
        ("query_work", {"fields": ["name"], "filters": {"artist__country": "Spain"}}),
        ("query_room_summary", {"aggregate": {"measures": ["sum:workCount"]}}),
        ("query_work", {"filters": {"secretNoteId": "1"}}),
        ("query_secret_note", {}),
        ("mutate", {"mutation": "renameWork", "input": {"id": "1", "name": "Dawn"}}),
    )
    assert offered(provider) == [
        "query_artist", "query_work", "query_room", "query_wing", "query_visit", "query_room_summary", "mutate",
    ]  # fmt: skip
    assert results[0]["rows"] == [{"name": "Standing Figure"}, {"name": "Sketch of a Fox"}]
    assert results[1]["rows"] == [{"sum:workCount": 5}]
    assert [answer.get("code") for answer in results[2:4]] == ["unknown_filter", "unknown_tool"]
    assert results[4]["ok"] is True
    system = provider.seen[0][0][0].text
    assert "search_managers" not in system
    assert "renameWork(id: ID!, name: String!)" in system
    assert "ecret" not in f"{system} {provider.seen[0][1]}"
