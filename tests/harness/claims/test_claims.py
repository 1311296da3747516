"""What an answer claims, and what each claim rests on."""

import datetime as dt
import json
from typing import Any

import pytest

from dragoman.harness.claims.claim import Claim
from dragoman.harness.claims.evidence import Basis
from dragoman.harness.messages import Message, ToolCall, ToolResult

ROWS = [
    {
        "id": "7",
        "name": "Apollo",
        "cost": {"value": 1234.5, "unit": "EUR"},
        "status": "active",
        "due": "2026-05-03",
        "parts": 12,
    },
    {
        "id": "8",
        "name": "Gemini",
        "cost": {"value": 99.9, "unit": "EUR"},
        "status": "closed",
        "due": "2026-11-20",
        "parts": 7,
    },
    {
        "id": "9",
        "name": "Salt Works",
        "cost": {"value": 45.25, "unit": "EUR"},
        "status": "active",
        "due": None,
        "parts": 31,
    },
]


def claims(
    answer: str, question: str = "Which projects are there?", rows: Any = ROWS, **arguments: Any
) -> dict[str, Claim]:
    call = ToolCall("c1", "query", {"manager": "Project", **arguments})
    basis = Basis()
    basis.follow(
        [
            Message("user", question, created=dt.datetime(2026, 12, 1, tzinfo=dt.UTC)),
            Message("assistant", "", (call,)),
            Message("tool", result=ToolResult("c1", "query", json.dumps({"rows": rows, "total_count": len(rows)}))),
        ]
    )
    found = basis.of(answer)
    assert all(answer[claim.start : claim.end] == claim.text for claim in found)
    return {claim.text: claim for claim in found}


def unmatched(answer: str, question: str = "Which projects are there?", **more: Any) -> list[str]:
    return [text for text, claim in claims(answer, question, **more).items() if claim.source is None]


def test_a_number_and_a_name_lead_to_their_cells() -> None:
    found = claims("Apollo has 12 parts.")
    name, parts = found["Apollo"].source, found["12"].source
    assert name is not None
    assert parts is not None
    assert (name.call_id, name.tool, name.row, name.field, name.value) == ("c1", "query", 0, "name", "Apollo")
    assert (parts.row, parts.field, parts.value) == (0, "parts", "12")


@pytest.mark.parametrize(
    "said", ["1,234.5 EUR", "1.234,50 €", "1 234,5 EUR", "1'234.50 EUR", "1\u202f234,50 €", "€1,234.50"]
)
def test_a_number_is_found_however_it_is_written(said: str) -> None:
    assert unmatched(f"Apollo costs {said}.") == []


@pytest.mark.parametrize(
    "said", ["3 May 2026", "May 3, 2026", "3. Mai 2026", "03.05.2026", "2026-05-03", "May 2026", "3 May", "Q2 2026"]
)
def test_a_date_is_found_however_it_is_written(said: str) -> None:
    assert claims(f"Apollo is due {said}.")[said].how == "cell"


def test_a_date_that_stands_nowhere_is_marked() -> None:
    assert unmatched("Apollo is due 4 May 2026.") == ["4 May 2026"]


@pytest.mark.parametrize(
    ("answer", "how"),
    [
        ("Apollo costs 1,235 EUR.", "rounded"),
        ("Apollo costs about 1,200 EUR.", "rounded"),
        ("There are 3 projects.", "cell"),
        ("In total they have 50 parts.", "sum"),
        ("On average it is 16.67 parts.", "average"),
        ("67 % are active.", "share"),
        ("2 of the projects are active.", "count"),
        ("Gemini has 5 parts less than Apollo.", "difference"),
    ],
)
def test_what_follows_from_the_rows_is_no_error(answer: str, how: str) -> None:
    assert how in {claim.how for claim in claims(answer).values() if claim.kind == "number"}
    assert unmatched(answer) == []


def test_a_number_of_another_row_does_not_support_a_sentence_about_this_one() -> None:
    assert unmatched("Apollo has 31 parts.") == ["31"]


def test_the_id_of_a_row_supports_no_quantity() -> None:
    assert unmatched("There are 9 left.") == ["9"]
    assert unmatched("It is project #9.") == []


def test_a_unit_that_does_not_fit_is_an_error_and_a_converted_one_is_not() -> None:
    rows = [{"name": "Bolt", "mass": {"value": 2.5, "unit": "kg"}}]
    assert unmatched("Bolt weighs 2.5 g.", rows=rows) == ["2.5 g"]
    assert claims("Bolt weighs 2,500 g.", rows=rows)["2,500 g"].how == "converted"


def test_a_number_of_the_question_or_of_the_call_counts_as_theirs() -> None:
    found = claims("These have more than 5 parts, of at most 20.", "Which have more than 5 parts?", limit=20)
    assert (found["5"].how, found["20"].how) == ("question", "argument")


def test_prose_numbers_are_no_claims() -> None:
    answer = "There are two ways to go on:\n\n1. By month.\n2. By supplier, see step 4.\n\nShall I show the next 50?"
    assert unmatched(answer) == []


def test_a_year_inside_a_name_is_part_of_the_name() -> None:
    assert unmatched("Expo 1998 is closed.", rows=[{"name": "Expo 1998", "status": "closed"}]) == []


@pytest.mark.parametrize(
    "answer",
    [
        "Zephyr has 12 parts.",
        'The supplier is "Zephyr".',
        "The largest project is Zephyr.",
        "- Apollo: active\n- Zephyr: active",
        "| Project | Parts |\n|---|---|\n| Apollo | 12 |\n| Zephyr | 7 |",
        "Es sind Projekte, und das Projekt Zephyr ist nicht dabei.",
    ],
)
def test_a_name_that_stands_nowhere_is_marked(answer: str) -> None:
    assert any("Zephyr" in text for text in unmatched(answer))


def test_hashes_and_paths_are_matched_by_what_is_said_of_them() -> None:
    rows = [{"sha": "8f3c2a9b7d1e4f60718293a4b5c6d7e8f9012345", "path": "src/web/views.py", "line": 41}]
    assert unmatched("Commit 8f3c2a9 touched `src/web/views.py`, line 41.", rows=rows) == []
    assert unmatched("Commit 8f3c2a8 touched `src/web/view.py`.", rows=rows) == ["8f3c2a8", "src/web/view.py"]


def test_the_line_after_a_path_is_matched_and_a_wrong_one_is_marked() -> None:
    rows = [{"id": "src/web/views.py::show", "path": "src/web/views.py", "line": 41}]
    assert unmatched("`show` is at `src/web/views.py:41`.", rows=rows) == []
    assert unmatched("`show` is at `src/web/views.py:42`.", rows=rows) == ["42"]


def test_the_minus_of_removed_lines_is_no_sign_of_the_number() -> None:
    rows = [{"subject": "Trim", "insertions": 67, "deletions": 48}]
    assert unmatched("Trim (+67 -48)", rows=rows) == []
    assert unmatched("Trim (+67 -49)", rows=rows) == ["-49"]
    assert unmatched("It fell by -48.", rows=rows) == ["-48"]


def test_what_a_list_leaves_out_follows_from_the_number_said_before() -> None:
    rows = [{"name": "Apollo"}, {"name": "Gemini"}]
    answer = "42 projects:\n- Apollo\n- Gemini\n... and {} more."
    assert unmatched(answer.format(40), rows=rows, found=42) == []
    assert unmatched(answer.format(41), rows=rows, found=42) == ["41"]


def test_an_answer_that_claims_nothing_has_no_evidence() -> None:
    assert claims("I could not find anything about that. Ask again, perhaps in other words?") == {}


def test_today_is_known() -> None:
    assert unmatched("As of December 1, 2026, nothing is overdue in 2026.") == []


def test_text_that_is_hostile_to_patterns_ends_soon_and_raises_nothing() -> None:
    for piece in ("1,234.500.00 ", "1,", "1.000", "A-", "a/b/", "**", "| ", '"', "Zephyr ", "2026-", "f" * 7 + "1"):
        claims(piece * 3000)


def test_an_answer_that_ends_where_a_longer_name_would_go_on_is_read_to_its_end() -> None:
    rows = [{"name": "Salt"}, {"name": "Salt Works Annex"}]
    assert claims("The first is Salt", rows=rows)["Salt"].source is not None
