"""What the planner does not know it says, and asks no query for."""

from dataclasses import replace

import pytest

from dragoman.harness.messages import Message, ToolCall, ToolResult
from dragoman.harness.provider import Piece, Text
from dragoman.harness.tools import ToolDefinition
from dragoman.providers.planner import Planner
from tests.providers.planner.talk import Talk
from tests.providers.planner.world import Kind
from tests.providers.planner.zoo import zoo

SEARCH, QUERY = (ToolDefinition(name, name, {"type": "object"}) for name in ("search_managers", "query"))


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Which animals are from Mars?", '"Mars"'),
        ("What is the shoe size of Kaa?", '"shoe size"'),
        ("How many tickets did we sell?", '"tickets"'),
        ("asdf qwertz", '"asdf qwertz"'),
        ("my animals", '"my"'),
        ("animals by enclosure manager", '"manager"'),
    ],
)
async def test_a_word_that_nothing_explains_is_named_and_no_query_is_made(question: str, word: str) -> None:
    talk = Talk(zoo())
    answer = await talk.say(question)
    assert "query" not in talk.tools
    assert "could not link" in answer
    assert word in answer
    assert "ANTHROPIC_API_KEY" in answer
    assert "Ollama" in answer


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Why is Kaa in the Tropical Hall?", "I cannot tell reasons"),
        ("Which animals are venomous or endangered?", 'with "and" only'),
        ("Which houses hold red pandas and lions?", "cannot look for rows that have both"),
        ("Which animal is the largest?", "Which field do you mean"),
        ("feedings in May 2026", "Which field do you mean"),
        ("What does Tropical Hall contain?", "Which do you want to know of"),
    ],
)
async def test_what_was_understood_and_cannot_be_answered_says_why(question: str, told: str) -> None:
    talk = Talk(zoo())
    assert told in await talk.say(question)
    assert "query" not in talk.tools


@pytest.mark.parametrize("text", ["Hello!", "thanks a lot", "What can you do?", "Good morning everybody"])
async def test_small_talk_calls_no_tool(text: str) -> None:
    talk = Talk(zoo())
    assert await talk.say(text)
    assert talk.tools == []


async def test_what_it_can_do_names_the_changes_on_offer() -> None:
    answer = await Talk(zoo()).say("What can you do?")
    assert "close enclosure and move animal" in answer
    assert "without a language model" in answer


async def test_what_is_said_around_a_question_is_set_aside_and_told() -> None:
    answer = await Talk(zoo()).say("Hi, which animals are venomous? I need it for a poster later")
    assert "- Kaa" in answer
    assert 'I set this aside: "I need it for a poster later"' in answer


async def test_a_value_that_is_empty_is_not_told_as_an_answer() -> None:
    world = zoo()
    world.kinds["Animal"].rows[4]["price"] = None
    answer = await Talk(world).say("What is the price of Kaa?")
    assert answer == "I cannot tell the price of Kaa: there is no value there, or you have no access to it."


async def test_a_failed_query_is_told_as_failed() -> None:
    failure = '{"error": "Permission denied to use query field price.", "code": "permission_denied"}'
    turn = [
        Message("user", "list animals"),
        *_round(
            "search_managers",
            {"query": "animals"},
            '{"managers": [{"manager": "Animal", "fields": {"name": "String"}}]}',
        ),
        *_round("query", {"manager": "Animal", "limit": 20}, failure, failed=True),
    ]
    assert await _text(turn) == "I could not look that up (animals): Permission denied to use query field price."


async def test_errors_beside_rows_are_passed_on() -> None:
    turn = [
        Message("user", "list animals"),
        *_round(
            "search_managers",
            {"query": "animals"},
            '{"managers": [{"manager": "Animal", "fields": {"name": "String"}}]}',
        ),
        *_round(
            "query",
            {"manager": "Animal", "limit": 20},
            '{"rows": [{"name": "Kaa"}], "total_count": 1, "errors": [{"message": "No access to price."}]}',
        ),
    ]
    assert await _text(turn) == "1 animal:\n- Kaa\nNot all of it could be read: No access to price."


async def test_without_tools_it_tells_what_was_found_so_far() -> None:
    turn = [
        Message("user", "list animals"),
        *_round(
            "query", {"manager": "Animal", "filters": {"name": "Kaa"}}, '{"rows": [{"name": "Kaa"}], "total_count": 1}'
        ),
    ]
    assert await _text(turn, []) == "Found so far, animals where name is Kaa:\n- Kaa"


async def test_a_request_for_a_summary_is_answered_with_nothing() -> None:
    assert await _text([Message("system", "Summarise the conversation."), Message("user", "list animals")], []) == ""


async def test_without_the_tools_it_needs_it_says_so() -> None:
    answer = await _text([Message("user", "list animals")], [ToolDefinition("sql", "sql", {})])
    assert answer.startswith("Without the tools search_managers and query I cannot look anything up.")


def _round(tool: str, arguments: dict[str, object], content: str, *, failed: bool = False) -> list[Message]:
    call = ToolCall(f"{tool}-1", tool, arguments)
    return [
        Message("assistant", calls=(call,)),
        Message("tool", result=ToolResult(call.id, tool, content, failed=failed)),
    ]


async def _text(messages: list[Message], tools: list[ToolDefinition] | None = None) -> str:
    pieces: list[Piece] = [p async for p in Planner().complete(messages, [SEARCH, QUERY] if tools is None else tools)]
    return "".join(piece.content for piece in pieces if isinstance(piece, Text))


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Which animals are heavier than 5 kg and still opened?", '"opened"'),
        ("Which feedings are opened?", '"opened"'),
        ("Show the opened animals", '"opened"'),
    ],
)
async def test_a_word_is_no_column_of_a_type_that_nobody_named(question: str, word: str) -> None:
    talk = Talk(zoo())
    answer = await talk.say(question)
    assert "query" not in talk.tools
    assert f"could not link {word}" in answer


async def test_a_field_of_another_type_is_shown_where_it_is_plainly_asked_for() -> None:
    talk = Talk(zoo())
    await talk.say("animals heavier than 100 kg with their diet")
    assert "species__diet" in talk.query["fields"]


@pytest.mark.parametrize("question", ["What will Kaa be like tomorrow?", "How heavy will Simba be?"])
async def test_what_will_be_is_not_told(question: str) -> None:
    talk = Talk(zoo())
    assert "I cannot tell what will be" in await talk.say(question)
    assert "query" not in talk.tools


async def test_a_date_may_lie_ahead() -> None:
    talk = Talk(zoo())
    await talk.say("Which feedings will be due after 2026-06-12?")
    assert talk.query["filters"] == {"dueOn__gte": "2026-06-13"}


async def test_a_piece_of_a_name_is_not_fetched_from_around_a_corner() -> None:
    world = zoo()
    house = world.kinds["House"]
    world.kinds["House"] = replace(house, relations={**house.relations, "sponsorList": "[Sponsor]"})
    world.kinds["Sponsor"] = Kind(
        "Somebody who pays.",
        {"id": "ID", "name": "String"},
        {"house": "House"},
        [{"id": "1", "name": "Rain Umbrellas", "house": "1"}],
    )
    talk = Talk(world)
    assert 'could not link "rain"' in await talk.say("Which enclosures have rain?")
    assert "query" not in talk.tools


@pytest.mark.parametrize("question", ["Which keepers have overdue feedings?", "Which houses are overdue?"])
async def test_overdue_is_not_told_of_another_type_than_the_one_meant(question: str) -> None:
    world = zoo()
    world.kinds["Animal"].fields["isOverdue"] = "Boolean"
    talk = Talk(world)
    assert 'could not link "overdue"' in await talk.say(question)
    assert "query" not in talk.tools


async def test_no_way_passes_a_type_twice() -> None:
    talk = Talk(zoo())
    assert 'could not link "house"' in await talk.say("Which keepers house Lion?")
    assert "query" not in talk.tools


async def test_a_state_of_something_far_away_that_nobody_named_is_not_meant() -> None:
    talk = Talk(zoo())
    assert 'could not link "closed"' in await talk.say("Which species are closed?")
    assert "query" not in talk.tools
