"""Values become JSON under a budget; arguments are checked against their schema."""

import datetime as dt
import json
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.harness.results import assemble, to_json
from dragoman.harness.schema import fault, unsupported

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=9), inner, max_size=6),
    max_leaves=60,
)


@given(json_values, st.integers(200, 2_000))
def test_whatever_the_value_the_text_is_valid_json_within_its_budget(value: object, budget: int) -> None:
    text = assemble(value, budget)
    assert len(text) <= budget
    json.loads(text)


def test_rows_are_left_out_from_the_end_and_counted() -> None:
    data = json.loads(assemble({"rows": [{"n": n, "text": "x" * 20} for n in range(100)], "total_count": 100}, 1_000))
    kept = len(data["rows"])
    assert 10 < kept < 40
    assert [row["n"] for row in data["rows"]] == list(range(kept))
    assert data["withheld"] == [f"{100 - kept} of 100 rows"]
    assert data["total_count"] == 100


def test_what_json_does_not_have_is_written_as_people_write_it() -> None:
    value = [dt.date(2026, 1, 2), Decimal("1.50"), UUID(int=1), float("nan"), {1}, (2,)]
    assert json.loads(to_json(value)) == ["2026-01-02", "1.50", str(UUID(int=1)), None, [1], [2]]


def test_half_a_surrogate_pair_from_a_model_can_still_be_sent() -> None:
    assert json.loads(to_json({"content": "broken \ud83d emoji, whole \U0001f680"}).encode()) == {
        "content": "broken ? emoji, whole \U0001f680"
    }


SCHEMA = {
    "type": "object",
    "properties": {
        "manager": {"type": "string", "minLength": 1},
        "limit": {"type": "integer", "minimum": 1, "maximum": 200},
        "fields": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "object"}]}, "maxItems": 3},
        "order": {"enum": ["asc", "desc"]},
        "deep": {"type": ["boolean", "null"]},
    },
    "required": ["manager"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"manager": "Ship", "limit": 5, "fields": ["a", {"b": ["c"]}], "order": "asc", "deep": None}, None),
        ({"manager": "Ship", "limit": 5.0}, None),
        ({}, "manager: missing. Needed: manager."),
        ({"manager": 3}, "manager: expected string, got 3."),
        ({"manager": ""}, "manager: expected at least 1 characters, got 0."),
        ({"manager": "Ship", "limit": "ten"}, "limit: expected integer, got 'ten'."),
        ({"manager": "Ship", "limit": True}, "limit: expected integer, got True."),
        ({"manager": "Ship", "limit": 500}, "limit: expected at most 200, got 500."),
        ({"manager": "Ship", "fields": ["a", 7]}, "fields[1]: expected object, got 7."),
        ({"manager": "Ship", "fields": ["a"] * 4}, "fields: expected at most 3 items, got 4."),
        ({"manager": "Ship", "order": "up"}, "order: 'up' is not allowed. It can be: 'asc', 'desc'."),
        ({"manager": "Ship", "deep": 1}, "deep: expected boolean or null, got 1."),
        ({"manager": "Ship", "filter": {}}, "filter: unknown. It has: manager, limit, fields, order, deep."),
        ([], "the arguments: expected object, got []."),
    ],
)
def test_the_first_fault_names_the_place_and_what_was_expected(value: object, says: str | None) -> None:
    assert fault(value, SCHEMA) == says


def test_a_schema_that_uses_more_than_is_checked_is_found_out() -> None:
    assert unsupported(SCHEMA) == []
    assert unsupported({"properties": {"a": {"pattern": "x"}, "b": {"items": {"oneOf": []}}}}) == ["oneOf", "pattern"]
