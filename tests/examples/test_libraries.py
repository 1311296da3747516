"""The small library projects: the same questions, each on the GraphQL library it is built with."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module", params=["library_graphene"])
def talked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "LIBRARY_DB": str(tmp_path_factory.mktemp(request.param) / "library.sqlite3"),
        "PYTHONPATH": str(ROOT / "src"),
    }
    script, project = ROOT / "tests/examples/library_talk.py", ROOT / "examples" / request.param
    done = subprocess.run(
        [sys.executable, script, project], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("project", ["library_graphene", "library_strawberry"])
def test_the_page_of_an_example_finds_its_files(project: str):
    ask = "from django.test import Client; print(Client().get('/static/dragoman/page.js', headers={'host': 'localhost'}).status_code)"
    kept = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "--no-imports", "-c", ask],
        cwd=ROOT / "examples" / project, env={**kept, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1:] == ["200"], done.stderr[-3000:]


def test_a_list_is_filtered_over_a_relation_and_ordered(talked: Any):
    assert talked["by author"]["rows"] == [
        {"title": "The Glass Orchard", "pages": 312, "publisher": {"name": "Harbour Press"}},
        {"title": "Winter Ledger", "pages": 198, "publisher": {"name": "Lindentor"}},
    ]


def test_a_page_says_that_there_is_more_though_nothing_counts(talked: Any):
    page = talked["page"]
    assert [row["title"] for row in page["rows"]] == ["The Glass Orchard", "A Map of Rain"]
    assert (page["has_more"], page["next_offset"], page["total_count"]) == (True, 2, None)
    assert "no total" in talked["overview"]["note"]


def test_any_page_is_read_under_the_librarys_own_cap(talked: Any):
    assert [row["code"] for row in talked["far page"]["rows"]] == ["2-000", "2-001"]
    assert len({row["code"] for row in talked["more than a page"]["rows"]}) == 200


def test_conditions_on_related_lists_and_groups_are_answered(talked: Any):
    assert sorted(row["name"] for row in talked["over lists"]["rows"]) == ["Aoife Nolan", "Tomas Berg"]
    assert talked["groups"]["rows"][0] == {"book__title": "A Map of Rain", "count": 150}
    assert talked["groups"]["complete"]


def test_a_list_without_paging_is_read_with_its_rows(talked: Any):
    first = talked["plain list"]["rows"][0]
    assert first == {"name": "Harbour Press", "books": [{"title": "The Glass Orchard"}, {"title": "Salt Roads"}]}


def test_a_value_comes_with_its_filter(talked: Any):
    assert talked["value"]["values"][0]["filters"]["Book"] == {"title": "The Glass Orchard"}


def test_it_runs_as_the_person_who_asks(talked: Any):
    assert talked["nobody"]["rows"] == []
    assert talked["nobody renames"]["code"] == "not_authenticated"


def test_a_mutation_with_one_input_object_is_confirmed_and_read_back(talked: Any):
    waits = next(frame for frame in talked["scripted"] if frame["type"] == "confirm_mutation")
    assert set(waits["input"]) == {"id", "name"}
    result = next(frame["result"] for frame in talked["scripted"] if frame["type"] == "tool_result")
    assert result["object"]["name"] == "Kenji M."
    assert talked["scripted"][-1]["finish_reason"] == "stop"


def test_a_hidden_type_appears_nowhere(talked: Any):
    assert "staff" not in talked["hidden"].casefold()
    assert "zimtstern" not in talked["hidden"].casefold()
    assert "staff" in talked["open"].casefold()  # the very same attack, with the guard off


def test_the_planner_answers_over_http_without_a_model(talked: Any):
    assert "Salt Roads" in talked["planner"]["answer"]
    assert "A Map of Rain" in talked["planner"]["answer"]
    assert "Winter Ledger" not in talked["planner"]["answer"]
