"""The GeneralManager host: every kind of manager of the example, asked as people with different rights."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import AnonymousUser, User
from general_manager.api import graphql_query_permissions
from general_manager.api.graphql import GraphQL
from general_manager.manager import GeneralManager
from general_manager.utils.path_mapping import PathMap
from graphql import parse

from dragoman.django import conf
from dragoman.django.grounding import grounding_of
from dragoman.django.hosts.general_manager import GeneralManagerHost
from dragoman.graphql.grounding import GraphQLGrounding
from dragoman.graphql.naming import camel
from dragoman.graphql.schema import Catalog
from dragoman.harness.caller import Caller
from dragoman.harness.messages import ToolCall

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("on_the_test_thread")]

NOBODY = Caller("session", AnonymousUser())
HIDDEN = "SupplierContract"


async def person(name: str) -> Caller:
    user = await sync_to_async(User.objects.get)(username=name)
    return Caller(name, user, True, name)


@pytest.fixture(scope="module")
def grounding() -> GraphQLGrounding:
    """The example's own grounding, from its settings; read once for this file."""
    found = grounding_of(conf.assistants()["default"])
    assert isinstance(found, GraphQLGrounding)
    return found


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog(GeneralManagerHost())


async def call(grounding: GraphQLGrounding, caller: Caller, tool: str, /, **arguments: Any) -> Any:
    box = await grounding.tools(caller)
    return (await box.run(ToolCall("1", tool, arguments), budget=30_000, timeout_seconds=60)).data


def names(answer: Mapping[str, Any]) -> list[str]:
    return [row["name"] for row in answer["rows"]]


COBALT = {"billOfMaterialList__part__material__name__icontains": "cobalt"}


async def test_a_filter_four_relations_deep_gives_each_person_their_own_rows(grounding: GraphQLGrounding) -> None:
    ada = names(await call(grounding, await person("ada"), "query", manager="Project", filters=COBALT))
    ben = names(await call(grounding, await person("ben"), "query", manager="Project", filters=COBALT))
    staff = names(await call(grounding, await person("carla"), "query", manager="Project", filters=COBALT))
    assert {"Apollo", "Gemini"} <= set(ada)
    assert "Mercury" not in [*ada, *ben, *staff]
    assert set(ben) <= set(staff)
    assert names(await call(grounding, NOBODY, "query", manager="Project", filters=COBALT)) == []


async def test_the_python_spelling_of_a_filter_is_the_same_filter(grounding: GraphQLGrounding) -> None:
    ada = await person("ada")
    python = {"bill_of_material_list__part__material__name__icontains": "cobalt"}
    assert await call(grounding, ada, "query", manager="Project", filters=python) == await call(
        grounding, ada, "query", manager="Project", filters=COBALT
    )


@pytest.mark.parametrize(
    "manager", ["Part", "Country", "Machine", "ProjectSummary", "ExchangeRate", "BillOfMaterial", "Employee"]
)
async def test_every_kind_of_manager_is_listed_described_and_counted(grounding: GraphQLGrounding, manager: str) -> None:
    ada = await person("ada")
    answer = await call(grounding, ada, "query", manager=manager, limit=3)
    assert len(answer["rows"]) == 3
    assert all(row for row in answer["rows"])
    schema = await call(grounding, ada, "get_manager_schema", manager=manager)
    assert schema["about"]
    assert schema["fields"]
    counted = await call(grounding, ada, "query", manager=manager, aggregate={"measures": ["count"]})
    assert counted["rows"] == [{"count": answer["total_count"]}]


async def test_a_calculated_manager_is_filtered_and_ordered_by_what_it_calculates(grounding: GraphQLGrounding) -> None:
    ada = await person("ada")
    answer = await call(
        grounding, ada, "query", manager="ProjectSummary", fields=["lineCount", {"project": ["name"]}],
        filters={"lineCount__gte": 20}, order_by=["-line_count"], limit=5,
    )  # fmt: skip
    counts = [row["lineCount"] for row in answer["rows"]]
    assert counts == sorted(counts, reverse=True)
    assert min(counts) >= 20
    one = await call(grounding, ada, "query", manager="ProjectSummary", filters={"project__name": "Apollo"})
    assert [row["project"]["name"] for row in one["rows"]] == ["Apollo"]


async def test_rows_of_a_remote_system_are_filtered_and_ordered(grounding: GraphQLGrounding) -> None:
    answer = await call(
        grounding, NOBODY, "query", manager="ExchangeRate", fields=["currency"], filters={"rate__gt": 20},
        order_by=["-rate"],
    )  # fmt: skip
    assert [row["currency"] for row in answer["rows"]] == ["KRW", "JPY", "CZK"]
    one = await call(grounding, NOBODY, "query", manager="ExchangeRate", filters={"currency": "SEK"})
    assert names(one) == ["Swedish krona"]
    beyond = {"currency__icontains": "se"}
    assert names(await call(grounding, NOBODY, "query", manager="ExchangeRate", filters=beyond)) == ["Swedish krona"]
    count = {"measures": ["count"]}
    counted = await call(grounding, NOBODY, "query", manager="ExchangeRate", filters=beyond, aggregate=count)
    assert counted["rows"] == [{"count": 1}]


async def test_a_field_somebody_may_not_read_is_null_and_refused_as_a_condition(grounding: GraphQLGrounding) -> None:
    ada, carla = await person("ada"), await person("carla")
    seen = await call(grounding, ada, "query", manager="Supplier", fields=["rating"], limit=3)
    assert [row["rating"] for row in seen["rows"]] == [None, None, None]
    refused = await call(grounding, ada, "query", manager="Supplier", filters={"rating__gte": 4})
    assert "Permission denied" in refused["error"]
    refused = await call(grounding, ada, "query", manager="Supplier", order_by=["-rating"])
    assert "Permission denied" in refused["error"]
    allowed = await call(grounding, carla, "query", manager="Supplier", filters={"rating__gte": 4}, fields=["rating"])
    assert {row["rating"] for row in allowed["rows"]} <= {4, 5}


@pytest.mark.parametrize(
    "asked",
    [
        {"filters": {"rating__gte": 4}},
        {"exclude": {"rating__lt": 4}},
        {"order_by": ["-rating"]},
        {"filters": {"name__icontains": "a", "rating": 5}, "order_by": ["name"]},
    ],
    ids=str,
)
async def test_without_the_librarys_rule_a_condition_on_an_unreadable_field_would_tell(
    grounding: GraphQLGrounding, monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any]
) -> None:
    ada, carla = await person("ada"), await person("carla")
    limited = {"manager": "Supplier", "fields": ["name"], "limit": 100, **asked}
    refused = await call(grounding, ada, "query", **limited)
    assert "Permission denied" in refused["error"]
    assert "rows" not in refused
    monkeypatch.setattr(graphql_query_permissions, "authorize_query_fields", lambda *_: None)
    told = await call(grounding, ada, "query", **limited)
    assert names(told) == names(await call(grounding, carla, "query", **limited)) != []


async def test_an_unreadable_field_is_no_oracle_where_rows_are_compared_afterwards(grounding: GraphQLGrounding) -> None:
    ada = await person("ada")
    dear = {"billOfMaterialList__part__unitCost__gt": "1000 EUR"}
    answer = await call(grounding, ada, "query", manager="Project", filters=dear)
    assert answer.get("rows", []) == []
    averaged = await call(
        grounding, ada, "query", manager="Part", aggregate={"group_by": [], "measures": ["avg:unitCost"]},
        filters={"material__name": "Cobalt"},
    )  # fmt: skip
    assert averaged["rows"] == [{"avg:unitCost": None}]


async def test_averages_per_group_are_over_all_parts_and_in_their_unit(grounding: GraphQLGrounding) -> None:
    carla = await person("carla")
    answer = await call(
        grounding, carla, "query", manager="Part", order_by=["-avg:unitCost"], limit=3,
        aggregate={"group_by": ["category"], "measures": ["count", "avg:unitCost", "sum:mass"]},
    )  # fmt: skip
    assert answer["complete"] is True
    assert answer["computed_over"] > 100
    assert all(row["avg:unitCost"]["unit"] == "EUR" for row in answer["rows"])


async def test_more_conditions_than_the_library_would_test_are_met_all_the_same(
    grounding: GraphQLGrounding,
) -> None:
    ada = await person("ada")
    all_lines = await call(grounding, ada, "query", manager="BillOfMaterial", aggregate={"measures": ["count"]})
    assert 2 * all_lines["rows"][0]["count"] > 1_000
    some = await call(
        grounding, ada, "query", manager="BillOfMaterial", filters={"quantity__gte": 2}, fields=["quantity"],
        order_by=["-quantity"],
    )  # fmt: skip
    assert some["total_count"] < all_lines["rows"][0]["count"]
    assert all(row["quantity"] >= 2 for row in some["rows"])


async def test_values_are_found_with_typing_mistakes_and_only_by_those_who_may_read_them(
    grounding: GraphQLGrounding,
) -> None:
    ada = await person("ada")
    answer = await call(grounding, ada, "search_managers", query="projects with cobolt")
    assert answer["values"][0]["filters"]["Material"] == {"name": "Cobalt"}
    ready = answer["values"][0]["filters"]["Project"]
    assert {"Apollo", "Gemini"} <= set(names(await call(grounding, ada, "query", manager="Project", filters=ready)))
    assert "values" not in await call(grounding, NOBODY, "search_managers", query="project Apollo")


async def test_the_hidden_manager_is_nowhere(grounding: GraphQLGrounding, catalog: Catalog) -> None:
    carla = await person("carla")
    box = await grounding.tools(carla)
    text = await grounding.prompt(carla) + repr(box.definitions)
    for manager in catalog.managers:
        text += str(await call(grounding, carla, "get_manager_schema", manager=manager))
    text += str(await call(grounding, carla, "search_managers", query="negotiated terms rebate clause contracts"))
    for secret in ("upplierContract", "upplier_contract", "negotiated", "rebate"):
        assert secret not in text
    for arguments in (
        {"manager": HIDDEN},
        {"manager": "Supplier", "fields": ["supplierContractList"]},
        {"manager": "Supplier", "filters": {"supplierContractList__clause__icontains": "a"}},
        {"manager": "Employee", "order_by": ["supplierContractList__rebatePercent"]},
        {"manager": "Supplier", "aggregate": {"group_by": ["supplierContractList__clause"]}},
    ):
        assert "error" in await call(grounding, carla, "query", **arguments)
    assert "error" in await call(grounding, carla, "find_path", **{"from": "Supplier", "to": HIDDEN})


async def test_the_questions_on_the_page_about_the_tools_have_answers(grounding: GraphQLGrounding, root: Path) -> None:
    carla = await person("carla")
    blocks = re.findall(r"```json\n(.+?)```", (root / "docs/tools.md").read_text(), re.S)
    asked = [json.loads(block) for block in blocks]
    whole = [arguments for arguments in asked if "aggregate" in arguments]
    filters = [arguments for arguments in asked if any("__" in key for key in arguments)]
    assert (len(whole), len(filters)) == (1, 1)
    for arguments in (*whole, {"manager": "Project", "filters": filters[0]}):
        answer = await call(grounding, carla, "query", **arguments)
        assert answer["rows"], arguments


def exposed() -> dict[str, type[GeneralManager]]:
    return {n: m for n, m in GraphQL.manager_registry.items() if getattr(m, "chat_exposed", False)}


def test_paths_are_as_long_as_the_librarys_own_and_the_same_wherever_theirs_is_exposed(
    grounding: GraphQLGrounding, catalog: Catalog
) -> None:
    paths, managers = grounding.ground().paths, exposed()
    compared = 0
    for start in managers:
        for goal in managers:
            theirs = (PathMap(start).to(goal) or _NO_WAY).path if start != goal else None
            ours = paths.way(start, goal)
            if not theirs or not _over_exposed(catalog, start, theirs):
                continue
            assert ours is not None
            assert len(ours.names) == len(theirs)
            compared += 1
    assert compared > 100


_NO_WAY = SimpleNamespace(path=None)


def _over_exposed(catalog: Catalog, start: str, path: list[str]) -> bool:
    here = catalog.managers[start]
    for name in path:
        relation = here.relations.get(camel(name))
        if relation is None:
            return False
        here = catalog.managers[relation.target]
    return True


def test_docs_choices_units_and_help_texts_come_from_the_managers(catalog: Catalog) -> None:
    part, supplier = catalog.managers["Part"], catalog.managers["Supplier"]
    assert part.about.startswith("Something that is built into a product")
    assert part.fields["status"].choices == ("prototype", "released", "phased_out", "blocked")
    assert (part.fields["mass"].unit, part.fields["mass"].kind) == ("kg", "Measurement")
    assert supplier.fields["isApproved"].doc == "Passed our quality audit."
    assert part.naming[0] == "name"
    assert catalog.managers["Order"].naming == ("number",)
    assert catalog.managers["ProjectSummary"].row_id == ("project",)


def test_exposure_is_opt_in_and_a_subclass_can_take_it_back() -> None:
    class Shown(GraphQL.manager_registry["Part"]):  # type: ignore[misc, name-defined]
        pass

    class Hidden(Shown):
        chat_exposed = False

    row = GraphQL.get_schema().graphql_schema.type_map["PartType"]
    host = GeneralManagerHost()
    assert host._manager("Shown", Shown, row).exposed is True
    assert host._manager("Hidden", Hidden, row).exposed is False
    assert host._manager("Hidden", Hidden, row).about == ""


async def test_a_mutation_runs_as_the_person_and_reads_the_object_back(grounding: GraphQLGrounding) -> None:
    answer = await call(grounding, await person("carla"), "mutate", mutation="updatePart",
                        input={"id": "1", "lead_time_days": 77})  # fmt: skip
    assert answer["ok"] is True
    assert answer["object"]["id"] == "1"
    assert answer["object"]["leadTimeDays"] == 77
    refused = await call(grounding, await person("ada"), "mutate", mutation="updatePart",
                         input={"id": "1", "lead_time_days": 78})  # fmt: skip
    assert "error" in refused
    again = await call(grounding, NOBODY, "query", manager="Part", fields=["leadTimeDays"], filters={"id": "1"})
    assert again["rows"] == [{"leadTimeDays": 77, "id": "1"}] or again["rows"] == [{"leadTimeDays": 77}]


async def test_a_validation_error_of_a_mutation_names_the_field(grounding: GraphQLGrounding) -> None:
    answer = await call(
        grounding, await person("carla"), "mutate", mutation="updatePart", input={"id": "1", "name": ""}
    )
    assert answer["field_errors"]


@pytest.mark.parametrize("weight", ["5 s", {"value": 5, "unit": "EUR"}])
async def test_a_unit_of_another_kind_is_named(grounding: GraphQLGrounding, weight: Any) -> None:
    answer = await call(grounding, NOBODY, "query", manager="Part", filters={"mass__gt": weight})
    assert (answer["error"], answer["code"]) == ("Unit must be compatible with 'kg'.", "bad_value")


async def test_suppliers_without_parts_are_those_whose_list_is_empty(grounding: GraphQLGrounding) -> None:
    ada = await person("ada")
    count = {"measures": ["count"]}

    async def counted(**filters: Any) -> int:
        answer = await call(grounding, ada, "query", manager="Material", filters=filters, aggregate=count)
        return int(answer["rows"][0]["count"])

    assert await counted() == await counted(partList__isnull=True) + await counted(partList__isnull=False)


async def test_a_mutation_of_a_missing_row_says_no_more_than_not_found(grounding: GraphQLGrounding) -> None:
    answer = await call(
        grounding, await person("carla"), "mutate", mutation="archiveProject", input={"project": "99999"}
    )
    assert (answer["error"], answer["code"]) == ("Not found, or no access.", "not_found")


async def test_an_error_in_the_projects_own_code_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    def explode(*_: object, **__: object) -> None:
        raise RuntimeError("/srv/secret/path and a password")

    host = GeneralManagerHost()
    field = GraphQL.get_schema().graphql_schema.query_type.fields["partList"]
    monkeypatch.setattr(field, "resolve", explode)
    answer = await host.execute(parse("{ partList { items { id } } }"), {}, NOBODY)
    assert [fault.message for fault in answer.faults] == ["An internal server error occurred."]
