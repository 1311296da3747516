"""A world can be renamed in both directions, so that what only knows its words finds nothing to hold on to."""

import pytest

from dragoman.evals.cases import parse
from dragoman.evals.runner import run
from dragoman.harness.assistant import Assistant
from dragoman.harness.memory import MemoryStore
from dragoman.harness.provider import ToolRequest
from dragoman.providers.scripted import Scripted
from tests.evals.renaming import Renamed, Renaming, over, renamed_case, reordered
from tests.evals.shelf import Shelf, ShelfStage
from tests.evals.test_runner import ARCHIVE, COBALT, names_of_last_result

WORLD = Renaming.of(
    "Project BillOfMaterial leadTimeDays metal cobalt tin Apollo Gemini Mercury on_hold archiveProject archived active "
    "Norvik Castings PTFE PN-20001 deliveries".split()
)


def test_every_word_of_a_name_is_invented_and_its_inflections_and_spelling_follow() -> None:
    for text in [
        "cobalt",
        "Cobalt",
        "COBALT",
        "billOfMaterialList",
        "bill_of_material__lead",
        "PTFE",
        "Norvik castings",
    ]:
        renamed = WORLD.rename(text)
        assert renamed.casefold() != text.casefold()
        assert WORLD.restore(renamed) == text
    assert WORLD.rename("deliver")[:4] == WORLD.rename("deliveries")[:4] == WORLD.rename("delivered")[:4]
    assert WORLD.rename("archived") == f"{WORLD.rename('archive')}d"


def test_what_is_everybodys_stays() -> None:
    for text in ["How many are there by name?", "PN-20001", "12 kg", "2026-12-01", "id", "status", "the 3 highest"]:
        assert WORLD.rename(text) == text


def test_a_misspelt_word_is_misspelt_in_the_new_world_too() -> None:
    assert WORLD.question("cobolt") != "cobolt"
    assert len(WORLD.question("Norvik Castngs").split()[1]) == len("Castngs")
    assert WORLD.question("What is the weather?") == "What is the weather?"


def test_the_tools_own_keys_stay_and_names_under_them_change() -> None:
    told = over({"rows": [{"metal": "cobalt", "id": "1"}], "total_count": 1, "order_by": ["-metal"]}, WORLD.rename)
    metal, cobalt = WORLD.rename("metal"), WORLD.rename("cobalt")
    assert told == {"rows": [{metal: cobalt, "id": "1"}], "total_count": 1, "order_by": [f"-{metal}"]}


@pytest.mark.parametrize(
    ("question", "turned"),
    [
        ("What projects contain parts with cobalt?", "With cobalt, what projects contain parts?"),
        ("top 5 projects by budget", "By budget, top 5 projects"),
        ("How many suppliers do we have in Spain?", "In Spain, how many suppliers do we have?"),
        ("Which orders for Apollo are overdue?", "Which orders for Apollo are overdue?"),
        ("In which projects are they?", "In which projects are they?"),
        ("Archive project Apollo", "Archive project Apollo"),
    ],
)
def test_a_question_is_turned_around_where_a_person_would_still_understand_it(question: str, turned: str) -> None:
    assert reordered(question) == turned


async def test_a_case_passes_in_the_renamed_world_with_the_renamed_words_and_with_those_only() -> None:
    [case] = parse(COBALT, "cases.yaml")
    there = renamed_case(case, WORLD, reordered)
    manager, metal, cobalt = map(WORLD.rename, ["Project", "metal", "cobalt"])
    assert cobalt in there.conversation[0].user
    new = ToolRequest("query", {"manager": manager, "filters": {metal: cobalt}})
    old = ToolRequest("query", {"manager": "Project", "filters": {"metal": "cobalt"}})

    async def passes(request: ToolRequest) -> bool:
        script = Scripted([request], lambda messages, tools: [WORLD.rename("Apollo, Gemini")])
        assistant = Assistant(script, Renamed(Shelf(), WORLD), MemoryStore())
        report = await run([there], assistant, provider="scripted")
        return report.verdicts[0].passed

    assert await passes(new)
    assert not await passes(old)


async def test_a_mutation_is_confirmed_and_done_under_its_new_name() -> None:
    shelf = Shelf()
    there = renamed_case(parse(ARCHIVE, "cases.yaml")[0], WORLD)
    manager, status, active, name = map(WORLD.rename, ["Project", "status", "active", "name"])
    script = Scripted(
        [ToolRequest("archive", {"id": "1"})],
        [WORLD.rename("Apollo is archived.")],
        [ToolRequest("query", {"manager": manager, "filters": {status: active}})],
        names_of_last_result,
    )
    assistant = Assistant(script, Renamed(shelf, WORLD), MemoryStore())
    report = await run([there], assistant, provider="scripted", stage=ShelfStage(shelf))
    [verdict] = report.verdicts
    assert (verdict.passed, name) == (True, "name")
    assert WORLD.rename("Gemini") in verdict.turns[1].answer
