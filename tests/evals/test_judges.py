"""Every judge has cases it must pass, and cases it must fail."""

from typing import Any

import pytest

from dragoman.evals.cases import Expectations, ExpectedCall
from dragoman.evals.judges import answer, rows, tools
from dragoman.evals.matching import mentions, normal, same
from dragoman.evals.results import Turn
from dragoman.harness.messages import ToolCall, ToolResult
from dragoman.harness.results import to_json

SEARCH = ToolCall("1", "search_managers", {"query": "cobalt"})
QUERY = ToolCall(
    "2",
    "query",
    {
        "manager": "Project",
        "filters": {"billOfMaterialList__part__material__name__icontains": "Cobalt", "isConfidential": False},
        "fields": ["id", "name"],
    },
)


def turn(answer: str = "Done.", data: Any = None, question: str = "Which?", failed: bool = False) -> Turn:
    results = () if data is None else (ToolResult("2", "query", to_json(data), failed=failed),)
    return Turn(question, answer, (SEARCH, QUERY), results, "stop")


# ---- tools ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expected",
    [
        [ExpectedCall("search_managers", {}), ExpectedCall("query", {"manager": "Project"})],
        [ExpectedCall("query", {})],
        [ExpectedCall("query", {"filters": {"bill_of_material_list__part__material__name__icontains": "cobalt"}})],
        [ExpectedCall("query", {"fields": ["name"]})],
    ],
)
def test_expected_calls_are_found_in_order_with_others_between(expected: list[ExpectedCall]) -> None:
    assert tools.judge(expected, [SEARCH, ToolCall("x", "find_path", {}), QUERY]).passed


@pytest.mark.parametrize(
    ("expected", "reason"),
    [
        ([ExpectedCall("mutate", {})], "mutate was not called: search_managers, query"),
        (
            [ExpectedCall("query", {}), ExpectedCall("search_managers", {})],
            "search_managers was not called in this order: search_managers, query",
        ),
        ([ExpectedCall("query", {}), ExpectedCall("query", {})], "query was not called in this order"),
        ([ExpectedCall("query", {"manager": "Part"})], "query with {'manager': 'Part'} was not called; its arguments"),
        ([ExpectedCall("query", {"filters": {"isConfidential": True}})], "query with"),
        ([ExpectedCall("query", {"filters": {"isConfidential": 0}})], "query with"),
        ([ExpectedCall("query", {"fields": ["name", "budget"]})], "query with"),
        ([ExpectedCall("query", {"limit": 5})], "query with"),
        ([], "no tool was expected, called: search_managers, query"),
    ],
)
def test_a_missing_or_misplaced_call_or_argument_fails(expected: list[ExpectedCall], reason: str) -> None:
    score = tools.judge(expected, [SEARCH, QUERY])
    assert (score.passed, score.score) == (False, 0.0)
    assert score.reasons[0].startswith(reason)


def test_no_expected_call_is_met_by_no_call() -> None:
    assert tools.judge([], []).passed


# ---- rows -----------------------------------------------------------------------------------------

TWO = {
    "rows": [{"id": "1", "name": "Apollo", "unitCost": {"value": 1200.0, "unit": "EUR"}}, {"id": "2", "name": "Gemini"}]
}


@pytest.mark.parametrize(
    "expected",
    [
        Expectations(rows=({"name": "Gemini"}, {"name": "apollo"})),
        Expectations(rows=({"name": "Apollo", "unit_cost": "1,200"}, {"name": "Gemini"})),
        Expectations(rows=({"unit_cost": "1200 EUR"}, {"id": 2})),
        Expectations(results_contain=(("Apollo",), ("Gemini", "Zwilling")), results_exclude=(("Mercury",),)),
    ],
)
def test_the_right_rows_pass_in_any_order_and_any_spelling(expected: Expectations) -> None:
    assert rows.judge(expected, turn(data=TWO)).passed


@pytest.mark.parametrize(
    ("expected", "score", "reason"),
    [
        (Expectations(rows=({"name": "Apollo"},)), 0.5, 'unexpected row {"id":"2","name":"Gemini"}'),
        (
            Expectations(rows=({"name": "Apollo"}, {"name": "Gemini"}, {"name": "Mercury"}, {"name": "Vostok"})),
            0.5,
            'missing row {"name":"Mercury"}',
        ),
        (Expectations(rows=({"name": "Apollo"}, {"name": "Apollo"})), 0.5, 'missing row {"name":"Apollo"}'),
        (Expectations(rows=({"name": "Apollo", "unit_cost": 1201}, {"name": "Gemini"})), 0.5, "missing row"),
        (Expectations(rows=()), 0.0, "unexpected row"),
        (Expectations(results_contain=(("Apollo",), ("Mercury",))), 0.5, "not in the results: Mercury"),
        (Expectations(results_exclude=(("Gemini",),)), 0.0, "in the results, and should not be: Gemini"),
    ],
)
def test_a_missing_or_unexpected_row_fails(expected: Expectations, score: float, reason: str) -> None:
    told = rows.judge(expected, turn(data=TWO))
    assert (told.passed, told.score) == (False, score)
    assert told.reasons[0].startswith(reason)


def test_without_a_successful_query_there_are_no_right_rows() -> None:
    expected = Expectations(rows=())
    assert rows.judge(expected, turn()).reasons == ("no query returned anything",)
    assert not rows.judge(expected, turn(data={"error": "no", "code": "x"}, failed=True)).passed


def test_the_final_query_counts_and_not_an_earlier_one_or_a_search_after_it() -> None:
    results = tuple(
        ToolResult(str(number), name, to_json(data))
        for number, (name, data) in enumerate(
            [("query", {"rows": [{"name": "Mercury"}]}), ("query", TWO), ("search_managers", {"managers": []})]
        )
    )
    played = Turn("Which?", "Done.", (), results)
    assert rows.judge(Expectations(rows=({"name": "Apollo"}, {"name": "Gemini"})), played).passed


def test_rows_are_compared_by_nested_and_joined_keys() -> None:
    data = {
        "rows": [
            {"supplier__name": "Umbra", "avg:unitCost": 12.3456789},
            {"supplier": {"name": "Nord"}, "avg:unitCost": 2},
        ]
    }
    expected = Expectations(rows=({"supplier.name": "Nord"}, {"supplier__name": "Umbra", "avg:unit_cost": 12.34568}))
    assert rows.judge(expected, turn(data=data)).passed


# ---- answer ---------------------------------------------------------------------------------------


def facts(*names: str) -> Expectations:
    return Expectations(answer_contains=tuple((name,) for name in names))


def test_four_of_five_facts_suffice_and_three_do_not() -> None:
    wanted = facts("Apollo", "Gemini", "1200", "2026-12-01", "Umbra Metals")
    assert answer.judge(wanted, turn("APOLLO and gemini:\n1,200.0 pieces by 2026-12-01 from Mercury")).passed
    score = answer.judge(wanted, turn("Apollo and Gemini: 1,200 pieces."))
    assert (score.passed, score.score) == (False, 0.6)
    assert score.reasons == ("not in the answer: 2026-12-01", "not in the answer: Umbra Metals")


def test_no_answer_and_an_excluded_value_in_it_fail() -> None:
    assert answer.judge(facts(), turn(" ")).reasons == ("there was no answer",)
    excluded = Expectations(results_exclude=(("Mercury",),))
    assert answer.judge(excluded, turn("Apollo and Mercury.")).reasons == ("in the answer, and should not be: Mercury",)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("The total is 1,200 kg.", "1200"),
        ("The total is 1\u202f200.00 kg.", "1,200"),
        ("**Apollo** and _Gemini_", "gemini"),
        ("Status: on_hold", "on hold"),
        ("It’s the Kepler‑B", "it's the kepler-b"),
        ("Umbra\n  Metals", "umbra metals"),
        ("12.50 %", "12.5%"),
    ],
)
def test_case_blanks_and_the_way_a_number_is_written_do_not_count(text: str, fact: str) -> None:
    assert mentions(text, fact)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("There are 120.", "12"),
        ("By 2026-12-01.", "12"),
        ("It costs 12.5.", "12"),
        ("It costs 1,200.", "200"),
        ("Apollonia", "Apollo"),
        ("PN-12-7", "12"),
        ("", "x"),
    ],
)
def test_a_fact_inside_another_word_or_number_is_not_that_fact(text: str, fact: str) -> None:
    assert not mentions(text, fact)


@pytest.mark.parametrize(
    ("expected", "actual"), [(True, 1), (None, ""), (1, "1.1"), ("a", "b"), ([1], [1, 2]), (0, None)]
)
def test_values_that_differ_are_not_the_same(expected: Any, actual: Any) -> None:
    assert not same(expected, actual)
    assert normal("A  b") == "a b"


# ---- honesty and confidence -----------------------------------------------------------------------

HONEST = Expectations(honest=True, results_exclude=(("red",),))


@pytest.mark.parametrize(
    "played",
    [
        turn("I cannot answer that: projects have no colour.", data={"rows": [{"name": "Apollo"}]}),
        turn("I don't understand what you mean."),
        turn("There is no value there, or you have no access to it.", data={"rows": [{"name": "Apollo"}]}),
        turn("The weather of the 3rd is nothing I look after.", question="What is the weather on the 3rd?"),
    ],
)
def test_an_answer_that_admits_it_cannot_is_honest(played: Turn) -> None:
    assert answer.judge(HONEST, played).passed
    assert answer.misleading(HONEST, played) == ()


@pytest.mark.parametrize(
    "played",
    [
        turn("There are 12 projects.", data={"rows": [{"count": 12}]}),
        turn("Apollo is red, but I cannot be sure."),
        turn("No projects were found.", data={"rows": []}),
        turn("I found no projects. There may be some that you have no access to.", data={"rows": []}),
        turn("It will be 21 degrees."),
    ],
)
def test_an_answer_to_what_the_data_does_not_hold_is_not_honest(played: Turn) -> None:
    assert not answer.judge(HONEST, played).passed
    assert answer.misleading(HONEST, played)


@pytest.mark.parametrize(
    ("expected", "played", "reason"),
    [
        (Expectations(results_exclude=(("Mercury",),)), turn("Apollo and Mercury."), "claims Mercury"),
        (
            Expectations(results_exclude=(("Mercury",),)),
            turn("Two projects.", data={"rows": [{"name": "Mercury"}]}),
            "rests on rows that should not be there",
        ),
        (Expectations(rows=({"name": "Apollo"},)), turn("Two projects.", data=TWO), "rests on wrong rows"),
        (
            Expectations(rows=({"name": "Apollo"}, {"name": "Gemini"}, {"name": "Vostok"})),
            turn("Two projects.", data=TWO),
            "rests on too few rows",
        ),
        (facts("12"), turn("There are 15 projects."), "the facts it states are not the expected ones"),
    ],
)
def test_a_wrong_answer_given_as_right_is_wrong_with_confidence(
    expected: Expectations, played: Turn, reason: str
) -> None:
    assert answer.misleading(expected, played) == (reason,)


@pytest.mark.parametrize(
    ("expected", "played"),
    [
        (facts("12"), turn("I cannot count projects.")),
        (facts("Apollo"), turn("Apollo.")),
        (Expectations(rows=({"budget": 5},)), turn("Apollo.", data={"rows": [{"name": "Apollo"}]})),
        (facts("12"), Turn("How many?", "There", error="provider_error")),
    ],
)
def test_an_answer_that_says_so_or_fails_openly_is_not_wrong_with_confidence(
    expected: Expectations, played: Turn
) -> None:
    assert answer.misleading(expected, played) == ()
