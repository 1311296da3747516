"""Did the final query return the right rows?"""

from collections.abc import Mapping, Sequence
from typing import Any

from dragoman.evals.cases import Expectations, Fact
from dragoman.evals.matching import mentions, same, spelled, spelling
from dragoman.evals.results import Score, Turn
from dragoman.harness.results import to_json

Row = Mapping[str, Any]

_ABSENT = object()


def judge(expected: Expectations, turn: Turn) -> Score:
    """A set comparison with the final query: what share of its rows was expected, what share of the expected is there.

    The score is the smaller of precision and recall; only 1 passes. A value under `results_exclude` spoils precision,
    one missing of `results_contain` recall.
    """
    data = turn.final_query
    if data is None:
        return Score("rows", 0.0, False, ("no query returned anything",))
    precision, recall, reasons = 1.0, 1.0, []
    if expected.rows is not None:
        rows = data["rows"] if isinstance(data.get("rows"), list) else []
        missing, unexpected = compare(expected.rows, rows)
        precision = 1 - len(unexpected) / len(rows) if rows else 1.0
        recall = 1 - len(missing) / len(expected.rows) if expected.rows else 1.0
        reasons += [f"missing row {_brief(row)}" for row in missing[:5]]
        reasons += [f"unexpected row {_brief(row)}" for row in unexpected[:5]]
    text = words(data)
    if absent := [fact for fact in expected.results_contain if not _stands(fact, text)]:
        recall = min(recall, 1 - len(absent) / len(expected.results_contain))
        reasons.append(f"not in the results: {_listed(absent)}")
    if intruders := excluded(expected, text):
        precision = min(precision, 1 - len(intruders) / len(expected.results_exclude))
        reasons.append(f"in the results, and should not be: {_listed(intruders)}")
    score = min(precision, recall)
    return Score("rows", score, score == 1, tuple(reasons))


def compare(expected: Sequence[Row], rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """The expected rows that are missing and the rows nobody expected; each row counts once, only given keys count."""
    missing, left = [], list(rows)
    for wanted in expected:
        found = next((n for n, row in enumerate(left) if _matches(wanted, row)), None)
        if found is None:
            missing.append(wanted)
        else:
            del left[found]
    return missing, left


def comparable(expected: Sequence[Row], rows: Sequence[Row]) -> bool:
    """Whether every row has the keys that are compared; one without them is unfit to be judged, and no untruth."""
    keys = [key for row in expected for key in row]
    return all(value_of(row, key) is not _ABSENT for row in rows for key in keys)


def excluded(expected: Expectations, text: str) -> list[Fact]:
    """The values under `results_exclude` which stand in the text."""
    return [fact for fact in expected.results_exclude if _stands(fact, text)]


def words(data: Any) -> str:
    """Everything a result says, as a text to search in."""
    match data:
        case Mapping():
            return " | ".join(f"{key}: {words(value)}" for key, value in data.items())
        case list() | tuple():
            return " | ".join(words(value) for value in data)
        case str():
            return data
        case _:
            return to_json(data)


def value_of(row: Row, key: str) -> Any:
    """A row's value at a key, which may lead into nested rows: `supplier__name`, `supplier.name`."""
    given = spelled(row)
    name = spelling(key)
    if name in given:
        return given[name]
    parts = name.split("__")
    for cut in range(len(parts) - 1, 0, -1):
        inner = given.get("__".join(parts[:cut]))
        if isinstance(inner, Mapping):
            return value_of(inner, "__".join(parts[cut:]))
    return _ABSENT


def _matches(wanted: Row, row: Row) -> bool:
    return all(same(value, value_of(row, key)) for key, value in wanted.items())


def _stands(fact: Fact, text: str) -> bool:
    return any(mentions(text, spelling) for spelling in fact)


def _brief(row: Any) -> str:
    text = to_json(row)
    return text if len(text) <= 120 else f"{text[:117]}..."


def _listed(facts: Sequence[Fact]) -> str:
    return ", ".join(" or ".join(fact) for fact in facts)
