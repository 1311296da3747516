"""The gate: nothing of a hidden manager leaves, by whatever door somebody tries."""

import json
from dataclasses import replace
from typing import Any

import pytest

from dragoman.graphql.exposure import REFUSED
from dragoman.graphql.grounding import GraphQLGrounding
from dragoman.graphql.schema import Catalog
from dragoman.harness.caller import Caller
from tests.graphql.museum import CURATOR, NOBODY, SPECS, VISITOR, call, museum, result
from tests.graphql.world import Spec, World

ALLOWED = ["renameWork", "lendWork", "createArtist", "createSecretNote", "deleteWork"]
HOSTS = pytest.mark.parametrize("row_checks", [None, 1000])

ATTEMPTS: list[tuple[str, dict[str, Any]]] = [
    ("search_managers", {"query": "secret note forgery"}),
    ("search_managers", {"query": "SecretNote"}),
    ("get_manager_schema", {"manager": "SecretNote"}),
    ("get_manager_schema", {"manager": "SecretNoteType"}),
    ("get_manager_schema", {"manager": "Work", "part": "fields"}),
    ("get_manager_schema", {"manager": "Work", "part": "filters"}),
    ("get_manager_schema", {"manager": "Artist", "part": "relations"}),
    ("get_manager_schema", {"manager": "Artist"}),
    ("find_path", {"from": "Artist", "to": "SecretNote"}),
    ("find_path", {"from": "SecretNote", "to": "Room"}),
    ("query", {"manager": "SecretNote"}),
    ("query", {"manager": "secret_note"}),
    ("query", {"manager": "secretNoteList"}),
    ("query", {"manager": "secretNoteGroups"}),
    ("query", {"manager": "Work", "fields": ["secretNote"]}),
    ("query", {"manager": "Work", "fields": ["secretNoteId"]}),
    ("query", {"manager": "Work", "fields": ["secret_note_id"]}),
    ("query", {"manager": "Work", "fields": [{"secretNote": ["text"]}]}),
    ("query", {"manager": "Work", "fields": ["secretNote__text"]}),
    ("query", {"manager": "Artist", "fields": [{"secretNoteList": ["text"]}]}),
    ("query", {"manager": "Artist", "fields": ["secretNoteGroups"]}),
    ("query", {"manager": "Work", "fields": [{"artist": [{"secretNoteList": ["id"]}]}]}),
    ("query", {"manager": "Work", "filters": {"secretNote__text__icontains": "forgery"}}),
    ("query", {"manager": "Work", "filters": {"secretNoteId": "1"}}),
    ("query", {"manager": "Work", "filters": {"secret_note_id__in": ["1"]}}),
    ("query", {"manager": "Work", "filters": {"secretNote__isnull": False}}),
    ("query", {"manager": "Artist", "filters": {"secretNoteList__any__text": "x"}}),
    ("query", {"manager": "Artist", "filters": {"secretNoteList__text": "x"}}),
    ("query", {"manager": "Work", "filters": {"artist__secretNoteList__id": "1"}}),
    ("query", {"manager": "Work", "exclude": {"secretNoteId": "1"}}),
    ("query", {"manager": "Work", "order_by": ["secretNote__name"]}),
    ("query", {"manager": "Work", "order_by": ["-secretNoteId"]}),
    ("query", {"manager": "Work", "aggregate": {"group_by": ["secretNote__name"]}}),
    ("query", {"manager": "Work", "aggregate": {"group_by": ["secretNoteId"]}}),
    ("query", {"manager": "Work", "aggregate": {"measures": ["count:secretNoteId"]}}),
    ("query", {"manager": "Artist", "aggregate": {"measures": ["count:secretNoteList__id"]}}),
    ("mutate", {"mutation": "createSecretNote", "input": {"text": "x"}}),
    ("mutate", {"mutation": "lendWork", "input": {"work": "2", "until": "2027-01-01", "secretNote": "1"}}),
    ("mutate", {"mutation": "renameWork", "input": {"id": "2", "name": "Kept", "secretNoteId": "1"}}),
]


def told(content: str, asked: Any) -> str:
    """What an answer says beyond the words it was asked with."""
    said = json.loads(content)
    text = json.dumps({key: value for key, value in said.items() if key != "manager"})
    for word in sorted(_words(asked), key=len, reverse=True):
        text = text.replace(word, "")
    return text.casefold()


def _words(value: Any) -> set[str]:
    if isinstance(value, dict):
        return {w for pair in value.items() for part in pair for w in _words(part)}
    if isinstance(value, list):
        return {w for part in value for w in _words(part)}
    text = str(value)
    return {text, *text.lstrip("-").replace(":", "__").split("__")} if isinstance(value, str) else set()


@HOSTS
@pytest.mark.parametrize(("tool", "arguments"), ATTEMPTS)
@pytest.mark.parametrize("caller", [CURATOR, VISITOR], ids=["curator", "visitor"])
async def test_no_tool_gives_a_hidden_manager_away(
    row_checks: int | None, tool: str, arguments: dict[str, Any], caller: Caller
) -> None:
    host = museum(row_checks=row_checks)
    answer = await result(GraphQLGrounding(host, allowed_mutations=ALLOWED), caller, tool, arguments)
    said = told(answer.content, arguments)
    assert "secret" not in said
    assert "forgery" not in said
    assert "writer" not in said
    if tool not in ("search_managers", "get_manager_schema") or "Note" in str(arguments):
        assert answer.failed or '"managers"' in answer.content or '"message"' in answer.content
    assert host.rows["Work"][1]["name"] == "Harbour at Dusk"


# The schema has no such input, whoever asks; what counts is what the error says.
NO_ATTACK = [("mutate", {"mutation": "renameWork", "input": {"id": "2", "name": "Kept", "secretNoteId": "1"}})]


@pytest.mark.parametrize(("tool", "arguments"), [one for one in ATTEMPTS if one not in NO_ATTACK])
async def test_without_the_gate_the_same_attempt_gets_through(tool: str, arguments: dict[str, Any]) -> None:
    """It answers where it was refused, or names what is hidden: so it is the gate that keeps it shut."""
    guarded, host = museum(), museum()
    shown = [replace(manager, exposed=True) for manager in host.managers()]
    host.managers = lambda: shown  # type: ignore[method-assign]
    kept, given = [
        await result(GraphQLGrounding(one, allowed_mutations=ALLOWED), CURATOR, tool, arguments)
        for one in (guarded, host)
    ]
    names = [word for word in ("secret", "forgery", "writer") if word in told(given.content, arguments)]
    assert names or (kept.failed and not given.failed)


DIRECT: list[tuple[str, dict[str, Any]]] = [
    ("query_secret_note", {}),
    *[
        ("query_" + arguments["manager"].lower(), {key: value for key, value in arguments.items() if key != "manager"})
        for tool, arguments in ATTEMPTS
        if tool == "query" and arguments["manager"] in ("Work", "Artist")
    ],
]


@pytest.mark.parametrize(("tool", "arguments"), DIRECT)
async def test_a_tool_for_each_manager_gives_nothing_hidden_away_and_without_the_gate_it_does(
    tool: str, arguments: dict[str, Any]
) -> None:
    guarded, host = museum(), museum()
    shown = [replace(manager, exposed=True) for manager in host.managers()]
    host.managers = lambda: shown  # type: ignore[method-assign]
    kept, given = [
        await result(GraphQLGrounding(one, strategy="direct"), CURATOR, tool, arguments) for one in (guarded, host)
    ]
    assert kept.failed
    said = [
        [
            word
            for word in ("secret", "forgery", "writer")
            if word in told(one.content, {tool: arguments}).replace("secret_note", "")
        ]
        for one in (kept, given)
    ]
    assert said[0] == []
    assert said[1] or not given.failed


async def test_no_document_ever_asks_for_a_hidden_type() -> None:
    host = museum()
    grounding = GraphQLGrounding(host, allowed_mutations=ALLOWED)
    for tool, arguments in ATTEMPTS:
        await result(grounding, CURATOR, tool, arguments)
    from graphql import print_ast

    assert all("ecret" not in print_ast(document) for document, _ in host.documents)


async def test_the_prompt_and_the_tools_know_nothing_hidden() -> None:
    grounding = GraphQLGrounding(museum(), allowed_mutations=ALLOWED)
    for caller in (CURATOR, NOBODY):
        box = await grounding.tools(caller)
        text = await grounding.prompt(caller) + repr(box.definitions)
        assert "ecret" not in text
        assert "nobody may know" not in text
        assert "lendWork" in text


async def test_a_mutation_that_returns_a_hidden_object_is_not_on_offer() -> None:
    box = await GraphQLGrounding(museum(), allowed_mutations=ALLOWED).tools(CURATOR)
    assert box.tools["mutate"].definition.parameters["properties"]["mutation"]["enum"] == [
        "renameWork",
        "lendWork",
        "createArtist",
        "deleteWork",
    ]


@pytest.mark.parametrize(
    "message",
    [
        "SecretNote 4 is missing.",
        "Cannot read field secret_note_id of work.",
        "No relation secretNoteList",
        "the SECRETNOTETYPE broke",
        "column museum_secretnote.text does not exist",
    ],
)
async def test_an_error_of_the_server_that_names_something_hidden_is_not_passed_on(message: str) -> None:
    exposure = Catalog(museum()).exposure
    assert exposure.clean(message) == REFUSED


async def test_an_error_of_the_server_that_names_nothing_hidden_is_passed_on_as_it_is() -> None:
    exposure = Catalog(museum()).exposure
    assert exposure.clean("Permission denied to use query field 'price'.").startswith("Permission denied")


async def test_a_type_that_no_manager_stands_for_is_hidden_like_an_unexposed_one() -> None:
    world = World([*SPECS])
    known = [manager for manager in world.managers() if manager.name != "Wing"]
    world.managers = lambda: known  # type: ignore[method-assign]
    answer = await call(GraphQLGrounding(world), VISITOR, "query", manager="Room", fields=["wingId"])
    assert answer["code"] == "unknown_field"
    assert "wing" not in answer["error"].replace("'wingId'", "")


async def test_nothing_exposed_means_there_is_nothing_to_find() -> None:
    world = World([Spec("Diary", {"name": "String"}, exposed=False)], {"Diary": [{"id": "1", "name": "Dear"}]})
    grounding = GraphQLGrounding(world)
    assert "No manager is exposed" in await grounding.prompt(VISITOR)
    assert (await call(grounding, VISITOR, "search_managers", query="diary dear"))["managers"] == []
    answer = await call(grounding, VISITOR, "query", manager="Diary")
    assert answer["error"] == "Unknown manager 'Diary'. There is: nothing. search_managers finds them."
