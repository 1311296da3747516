"""Orders to change something: resolved to a row, confirmed by a person, told as they went."""

import pytest

from dragoman.harness.tools import ToolError
from tests.providers.planner.talk import Talk
from tests.providers.planner.world import Mutation
from tests.providers.planner.zoo import zoo


@pytest.mark.parametrize(
    "order",
    [
        "Close enclosure Lion Rock because the fence is broken",
        "please close Lion Rock, reason: the fence is broken",
        'Close the enclosure Lion Rock with the reason "the fence is broken"',
    ],
)
async def test_a_change_is_asked_for_with_the_rows_id_and_runs_once(order: str) -> None:
    talk = Talk(zoo())
    answer = await talk.say(order)
    assert [needed.input for needed in talk.asked] == [
        {"mutation": "closeEnclosure", "input": {"enclosureId": "2", "reason": "the fence is broken"}}
    ]
    assert talk.tools.count("mutate") == 1
    assert answer == "Closed enclosure: Lion Rock. It now has: state closed."


async def test_two_rows_of_an_order_go_to_their_own_inputs() -> None:
    talk = Talk(zoo())
    await talk.say("move Kaa to Bamboo Grove")
    assert talk.asked[0].input["input"] == {"animalId": "5", "enclosureId": "3"}


async def test_a_rejected_change_is_told_as_not_done() -> None:
    talk = Talk(zoo(), confirm="user_rejected")
    assert await talk.say("move Kaa to Bamboo Grove") == (
        "Not done, nothing was changed: you declined it. (Move animal was cancelled.)"
    )
    assert "mutate" not in talk.tools


async def test_a_failed_change_tells_why_and_is_not_tried_again() -> None:
    world = zoo()

    def refuse(given: object) -> object:
        raise ToolError("The grove is full.", "full", field_errors={"enclosureId": ["two pandas live there"]})

    world.mutations["moveAnimal"] = Mutation("Move an animal.", {"animalId": "ID!", "enclosureId": "ID!"}, refuse)
    talk = Talk(world)
    answer = await talk.say("move Kaa to Bamboo Grove")
    assert (
        answer
        == "I could not move animal: The grove is full. Nothing was changed.\nenclosure id: two pandas live there"
    )
    assert talk.tools.count("mutate") == 1


async def test_a_missing_input_is_asked_for() -> None:
    talk = Talk(zoo())
    assert "I still need: reason" in await talk.say("close enclosure Lion Rock")
    assert "mutate" not in talk.tools


@pytest.mark.parametrize("order", ["Delete Kaa", "rename Kaa to Sss", "Feed Kaa", "Repair Lion Rock"])
async def test_an_order_nothing_on_offer_fits_changes_nothing(order: str) -> None:
    talk = Talk(zoo())
    answer = await talk.say(order)
    assert {"mutate", "query"}.isdisjoint(talk.tools)
    assert "cannot" in answer or "could not link" in answer
