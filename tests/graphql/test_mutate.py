"""mutate: only what is allowed, only for those who are signed in, checked before it runs, and read back afterwards."""

from typing import Any

import pytest
from graphql import print_ast

from dragoman.graphql.grounding import GraphQLGrounding
from dragoman.harness.messages import ToolCall
from tests.graphql.museum import CURATOR, NOBODY, VISITOR, call, museum
from tests.graphql.world import World

ALL = ["renameWork", "lendWork", "deleteWork", "createArtist", "countVisits"]


def grounded(*allowed: str, confirm: tuple[str, ...] = ()) -> tuple[GraphQLGrounding, World]:
    host = museum()
    return GraphQLGrounding(host, allowed_mutations=allowed or ALL, confirm_mutations=confirm), host


async def change(grounding: GraphQLGrounding, mutation: str, caller: Any = CURATOR, **given: Any) -> Any:
    return await call(grounding, caller, "mutate", mutation=mutation, input=given)


async def test_a_generated_mutation_gives_back_what_names_the_object() -> None:
    grounding, host = grounded()
    assert await change(grounding, "renameWork", id=1, name="Harbour") == {
        "ok": True,
        "mutation": "renameWork",
        "object": {"id": "1", "name": "Harbour"},
    }
    assert host.rows["Work"][0]["name"] == "Harbour"


async def test_a_custom_mutation_takes_python_spellings_and_ids_by_another_name() -> None:
    grounding, host = grounded()
    answer = await change(grounding, "lendWork", work_id="2", until="2027-01-31", weight={"value": 9, "unit": "kg"})
    assert answer["object"] == {"id": "2", "name": "Harbour at Dusk", "weight": {"value": 9000.0, "unit": "g"}}
    assert host.documents[-1][1] == {"work": "2", "until": "2027-01-31", "weight": "9 kg"}


async def test_a_payload_with_an_id_alone_is_read_back_as_the_person() -> None:
    grounding, _ = grounded()
    answer = await change(grounding, "createArtist", name="Dora Fenn")
    assert answer["object"] == {"id": "4", "name": "Dora Fenn"}


async def test_what_was_deleted_or_has_no_object_gives_none() -> None:
    grounding, _ = grounded()
    assert await change(grounding, "deleteWork", id="4") == {"ok": True, "mutation": "deleteWork", "object": None}
    assert (await change(grounding, "countVisits"))["ok"] is True


async def test_values_travel_as_variables() -> None:
    grounding, host = grounded()
    hostile = '") { success } deleteWork(id: "1") { success } #'
    await change(grounding, "renameWork", id="1", name=hostile)
    assert hostile not in print_ast(host.documents[-1][0])
    assert (host.rows["Work"][0]["name"], len(host.rows["Work"])) == (hostile, 6)


async def test_nothing_is_allowed_until_somebody_allows_it() -> None:
    grounding = GraphQLGrounding(museum())
    answer = await change(grounding, "renameWork", id="1", name="x")
    assert answer == {
        "error": "The mutation 'renameWork' is not allowed here. Allowed: nothing.",
        "code": "mutation_not_allowed",
    }


@pytest.mark.parametrize("name", ["renamework", "rename_work", "RenameWork", "deleteWork", "renameWork ", "__typename"])
async def test_a_mutation_is_allowed_by_its_exact_name_only(name: str) -> None:
    grounding, host = grounded("renameWork")
    answer = await change(grounding, name, id="1", name="x")
    assert answer["code"] in ("mutation_not_allowed", "bad_arguments")
    assert host.rows["Work"][0]["name"] == "Harbour at Dawn"


async def test_somebody_anonymous_changes_nothing_whatever_is_allowed() -> None:
    grounding, host = grounded()
    for name in ALL:
        answer = await change(grounding, name, NOBODY, id="1", name="x")
        assert answer["code"] == "not_authenticated"
    assert host.documents == []


@pytest.mark.parametrize(
    ("mutation", "given", "code", "says"),
    [
        ("renameWork", {"id": "1"}, "missing_input", "also needs name"),
        ("renameWork", {"id": "1", "name": None}, "bad_value", "expected"),
        ("renameWork", {"id": "1", "nome": "x"}, "unknown_input", "Did you mean name?"),
        ("lendWork", {"work": "1", "until": "soon"}, "bad_value", "a date such as"),
        ("lendWork", {"work": "1", "until": "2027-01-01", "weight": "heavy"}, "bad_value", "a number with its unit"),
        ("lendWork", {"work": ["1", "2"], "until": "2027-01-01"}, "bad_value", "an id"),
        ("createArtist", {"name": {"first": "A"}}, "bad_value", "String"),
    ],
)
async def test_input_that_does_not_fit_is_refused_before_anything_runs(
    mutation: str, given: dict[str, Any], code: str, says: str
) -> None:
    grounding, host = grounded()
    answer = await change(grounding, mutation, **given)
    assert answer["code"] == code
    assert says in answer["error"]
    assert host.documents == []


async def test_a_validation_error_says_what_is_wrong_with_which_input() -> None:
    grounding, _ = grounded()
    assert await change(grounding, "renameWork", id="1", name="") == {
        "error": "Validation failed.",
        "code": "bad_user_input",
        "mutation": "renameWork",
        "field_errors": {"name": ["This field cannot be blank."]},
    }


async def test_a_person_without_the_right_is_told_so() -> None:
    grounding, _ = grounded()
    answer = await change(grounding, "renameWork", VISITOR, id="1", name="x")
    assert (answer["error"], answer["code"]) == ("Permission denied.", "permission_denied")


async def test_what_is_not_there_and_what_one_may_not_touch_look_alike() -> None:
    grounding, _ = grounded()
    answer = await change(grounding, "renameWork", id="99", name="x")
    assert (answer["error"], answer["code"]) == ("Not found, or no access.", "not_found")


async def test_a_call_waits_for_a_person_only_where_it_can_run() -> None:
    grounding, _ = grounded("renameWork", "lendWork", confirm=("renameWork",))

    async def waits(caller: Any, mutation: str, **given: Any) -> bool:
        box = await grounding.tools(caller)
        return box.waits(ToolCall("1", "mutate", {"mutation": mutation, "input": given}))

    assert await waits(CURATOR, "renameWork", id="1", name="x")
    assert not await waits(CURATOR, "lendWork", work="1", until="2027-01-01")
    assert not await waits(CURATOR, "renameWork", id="1")
    assert not await waits(CURATOR, "deleteWork", id="1")
    assert not await waits(NOBODY, "renameWork", id="1", name="x")


async def test_a_person_is_shown_the_mutation_and_exactly_the_input_that_runs() -> None:
    grounding, host = grounded("lendWork", confirm=("lendWork",))
    box = await grounding.tools(CURATOR)
    asked = ToolCall("1", "mutate", {"mutation": "lendWork", "input": {"work_id": 2, "until": "2027-01-31"}})
    shown = box.operation(asked)
    assert (shown.name, shown.input) == ("lendWork", {"work": "2", "until": "2027-01-31"})
    await box.run(asked, budget=1000, timeout_seconds=5)
    assert host.documents[-1][1] == shown.input
