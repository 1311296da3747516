"""What people ask about a zoo, and what the planner answers without any model."""

import pytest

from tests.providers.planner.talk import Talk
from tests.providers.planner.zoo import zoo


def names(answer: str) -> set[str]:
    """The rows an answer lists."""
    return {line[2:].split(":")[0] for line in answer.splitlines() if line.startswith("- ")}


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which animals live in the Tropical Hall?", {"Mei", "Bo", "Kaa"}),
        ("In the Tropical Hall, which animals live?", {"Mei", "Bo", "Kaa"}),
        ("list all animals of species Lion", {"Simba", "Nala"}),
        ("animals of the lion species", {"Simba", "Nala"}),
        ("Which animals are venomous?", {"Kaa"}),
        ("Which animals are not venomous?", {"Mei", "Bo", "Simba", "Nala"}),
        ("Which animals belong to carnivore species?", {"Simba", "Nala", "Kaa"}),
        ("Which enclosures are under repair?", {"Lion Rock"}),
        ("Which enclosures are not open?", {"Lion Rock"}),
        ("animals heavier than 100 kg", {"Simba", "Nala"}),
        ("Which animals weigh less than 6 kg?", {"Mei"}),
        ("animals with a weight between 6 and 150 kg", {"Bo", "Nala", "Kaa"}),
        ("animals with a price over 4 thousand euros", {"Simba", "Nala"}),
        ("animals with 0 legs", {"Kaa"}),
        ("animals with colour red", {"Mei", "Bo"}),
        ("animals born before 2016", {"Simba"}),
        ("Which animals were born in March 2022?", {"Bo"}),
        ("Which animals were born last month?", {"Nala"}),
        ("keepers hired since 2020", {"Timo Falk"}),
        ("Which houses have enclosures for endangered species?", {"Tropical Hall"}),
        ("Which animals are of species Red Panda or Lion?", {"Mei", "Bo", "Simba", "Nala"}),
    ],
)
async def test_a_question_for_rows_gets_them(question: str, rows: set[str]) -> None:
    assert names(await Talk(zoo()).say(question)) == rows


async def test_the_answer_says_which_filter_was_used() -> None:
    assert await Talk(zoo()).say("Which animals are of the Lion species?") == (
        "2 animals where species name is Lion:\n- Simba\n- Nala"
    )


async def test_a_plain_question_takes_a_search_and_a_query() -> None:
    talk = Talk(zoo())
    await talk.say("Which animals live in the Tropical Hall?")
    assert talk.tools == ["search_managers", "query"]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("How many animals are there?", "There are 5 animals."),
        ("How many carnivore species are there?", "There are 2 species where diet is carnivore."),
        ("Is there any closed enclosure?", "No: I found no enclosures where state is closed."),
        ("Are there any venomous animals?", "Yes, 1 animal where venomous:\n- Kaa"),
        ("Is Kaa venomous?", "Yes. Kaa: venomous yes."),
        ("Is Simba venomous?", "No. Simba: venomous no."),
        ("What is the weight of Kaa?", "Kaa: weight 6 kg."),
        ("How heavy is Simba?", "Simba: weight 190 kg."),
        ("How many legs does Kaa have?", "Kaa: legs 0."),
        ("In which house is Lion Rock?", "Lion Rock: house Savanna."),
        ("What is the heaviest animal?", "Simba: weight 190 kg. That is the highest weight of 5 animals."),
        ("Which animal is the cheapest?", "Mei: price 900 EUR. That is the lowest price of 5 animals."),
        ("Who is the newest keeper?", "Timo Falk: hired on 2025-11-01."),
        ("What is the total price of all animals?", "Total price 14,400 EUR over 5 animals."),
        ("minimum weight of carnivores", "Lowest weight 6 kg over 3 animals"),
    ],
)
async def test_a_question_for_a_number_or_a_yes_gets_one(question: str, told: str) -> None:
    assert (await Talk(zoo()).say(question)).startswith(told)


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        ("top 2 animals by weight", ["- Simba: weight 190 kg", "- Nala: weight 130 kg"]),
        ("average weight of animals per species", ["- Lion: 160 kg", "- King Cobra: 6 kg", "- Red Panda: 5.875 kg"]),
        ("How many animals are there per enclosure?", ["- Bamboo Grove: 2", "- Lion Rock: 2", "- Terrarium Nine: 1"]),
        ("Which house has the most enclosures?", ["- Tropical Hall: 2"]),
        ("Which species have more than 1 animal?", ["- Red Panda: 2", "- Lion: 2"]),
    ],
)
async def test_what_is_ranked_or_grouped_is_listed_in_order(question: str, lines: list[str]) -> None:
    told = [line for line in (await Talk(zoo()).say(question)).splitlines() if line.startswith("- ")]
    assert told == lines


async def test_one_row_by_name_is_shown_in_full() -> None:
    answer = await Talk(zoo()).say("show animal Kaa")
    assert answer.startswith("Animal Kaa:")
    for line in ["- weight: 6 kg", "- price: 2,500 EUR", "- venomous: yes", "- species: King Cobra"]:
        assert line in answer


async def test_overdue_is_a_due_date_gone_by_of_what_is_not_done() -> None:
    talk = Talk(zoo())
    answer = await talk.say("Which feedings are overdue?")
    assert talk.query["filters"] == {"dueOn__lt": "2026-06-15"}
    assert talk.query["exclude"] == {"progress": "done"}
    assert answer.startswith("1 feeding where due before 2026-06-15")


async def test_a_due_date_of_the_type_comes_before_a_flag_of_another() -> None:
    world = zoo()
    world.kinds["Animal"].fields["isOverdue"] = "Boolean"
    talk = Talk(world)
    await talk.say("Which feedings are overdue?")
    assert talk.query["filters"] == {"dueOn__lt": "2026-06-15"}


async def test_a_slip_of_the_finger_is_read_and_told() -> None:
    answer = await Talk(zoo()).say("which animls are venomous")
    assert names(answer) == {"Kaa"}
    assert 'I took "animls" for "animal".' in answer


@pytest.mark.parametrize(
    ("turns", "rows"),
    [
        (("Which animals were born before 2016?", "In which enclosures are they?"), {"Lion Rock"}),
        (("Which animals live in the Tropical Hall?", "Which of them are venomous?"), {"Kaa"}),
        (("Which animals live in the Tropical Hall?", "only the red pandas"), {"Mei", "Bo"}),
        (("How many animals have 4 legs?", "which ones?"), {"Mei", "Bo", "Simba", "Nala"}),
        (("top 2 animals by weight", "in which enclosures are they?"), {"Lion Rock"}),
        (("Which animals are of the Lion species?", "and of the Red Panda species?"), {"Mei", "Bo"}),
        (("Which enclosures are open?", "what about under repair?"), {"Lion Rock"}),
    ],
)
async def test_a_follow_up_goes_on_from_the_last_rows(turns: tuple[str, ...], rows: set[str]) -> None:
    assert names(await Talk(zoo()).say(*turns)) == rows


async def test_a_follow_up_may_count_or_ask_for_a_value() -> None:
    assert (
        await Talk(zoo()).say("Which animals live in the Tropical Hall?", "how many are venomous of those?")
    ).startswith("There is 1 animal")
    assert "Simba: weight 190 kg" in await Talk(zoo()).say(
        "Which animals are of the Lion species?", "What is their weight?"
    )


async def test_an_empty_result_says_with_which_filter_and_that_access_may_be_why() -> None:
    assert await Talk(zoo()).say("animals heavier than 500 kg") == (
        "I found no animals where weight over 500 kg. There may be some that you have no access to."
    )


async def test_more_rows_than_are_shown_are_counted() -> None:
    world = zoo()
    rows = world.kinds["Keeper"].rows
    rows += [{**rows[0], "id": str(n), "name": f"Keeper {n}"} for n in range(3, 30)]
    answer = await Talk(world).say("list all keepers")
    assert answer.startswith("29 keepers: 29 in all, first 10 shown.")
    assert len(names(answer)) == 10
