"""The example is what its README says: rows, rights, every kind of manager, and cases whose answers are right."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import general_manager.api.graphql_query_permissions as query_permissions
import pytest
from django.apps import apps
from django.contrib.auth.models import AnonymousUser, User
from django.core.management import call_command
from django.db import models
from django.test import Client, override_settings
from general_manager.api.graphql import GraphQL

from dragoman.evals.cases import Case, load

pytestmark = pytest.mark.django_db

EVALS = Path(__file__).resolve().parents[2] / "examples" / "parts" / "evals"

type Ask = Callable[..., Any]


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Ask the schema as somebody; the data of an answer without errors.

    GeneralManager refuses a filter after a thousand checks of rights; here it is asked straight, so it may take more.
    """
    monkeypatch.setattr(query_permissions, "MAX_QUERY_PERMISSION_CANDIDATES", 100_000)

    def ask(login: str, document: str, **variables: object) -> Any:
        answer = answer_to(login, document, **variables)
        assert not answer.errors, answer.errors
        return answer.data

    return ask


def answer_to(login: str, document: str, **variables: object) -> Any:
    user = User.objects.get(username=login) if login else AnonymousUser()
    return GraphQL.get_schema().execute(document, variable_values=variables, context_value=SimpleNamespace(user=user))


def table(name: str) -> models.Manager[Any]:
    return apps.get_model("catalog", name)._base_manager


def project_id(name: str) -> str:
    return str(table("Project").get(name=name).pk)


# ---- rows ----


def test_there_are_more_than_five_thousand_rows():
    assert sum(model._base_manager.count() for model in seeded_models()) >= 5000


def test_every_row_has_its_history():
    for model in seeded_models():
        if model.__name__ != "Country":
            assert model.history.count() == model._base_manager.count(), model.__name__


def test_the_rows_are_the_same_in_every_process(root: Path, tmp_path: Path, kept_rows: Path):
    script = (
        "import django; django.setup()\n"
        "from datetime import date\n"
        "from tests.examples.test_parts import fingerprint\n"
        "from catalog.seed import seed\n"
        "seed(date(2031, 3, 1)); print(fingerprint())\n"
    )
    shutil.copyfile(kept_rows, tmp_path / "parts.sqlite3")
    environment = {
        **os.environ,
        "PYTHONHASHSEED": "1",  # this process has another one
        "PYTHONPATH": os.pathsep.join([str(root), str(root / "examples" / "parts"), str(root / "src")]),
        "PARTS_DB": "sqlite",
        "PARTS_DB_NAME": str(tmp_path / "parts.sqlite3"),
    }
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    reseed(date(2031, 3, 1))
    assert done.stdout.splitlines()[-1] == fingerprint()


@pytest.mark.parametrize("today", [date(2027, 1, 1), date(2028, 2, 29)])
def test_last_month_and_overdue_mean_the_same_rows_on_any_day(today: date):
    reseed(today)
    last_month = date(today.year - (today.month == 1), (today.month - 2) % 12 + 1, 1)
    this_month = today.replace(day=1)
    orders = table("Order")
    overdue = orders.filter(status__in=["submitted", "approved"], due_on__lt=today)
    assert [
        orders.filter(placed_on__gte=last_month, placed_on__lt=this_month).count(),
        overdue.count(),
        table("Inspection").filter(result="failed", inspected_on__gte=last_month, inspected_on__lt=this_month).count(),
        table("Delivery").filter(arrived_on__gte=last_month, arrived_on__lt=this_month).count(),
        table("Project").filter(status="active", deadline__lt=today).count(),
        orders.filter(placed_on__gt=today).count(),
        table("Certificate").filter(valid_until__lt=today).count(),
    ] == [27, 23, 4, 13, 3, 0, 86]


# ---- rights ----

COBALT = """{ materialList(filter: {name: "Cobalt"}) { items { partList { items {
    billOfMaterialList(pageSize: 50) { items { project { name } } } } } } } }"""


@pytest.mark.parametrize(
    ("login", "projects"),
    [
        ("ada", {"Apollo", "Gemini"}),
        ("ben", {"Apollo"}),
        ("carla", {"Apollo", "Gemini"}),
        ("dora", {"Apollo", "Nightjar"}),
        ("admin", {"Apollo", "Gemini", "Nightjar"}),
        ("", set()),
    ],
)
def test_who_sees_which_projects_with_cobalt(ask: Ask, login: str, projects: set[str]):
    material = ask(login, COBALT)["materialList"]["items"][0]
    lines = [line for part in material["partList"]["items"] for line in part["billOfMaterialList"]["items"]]
    assert {line["project"]["name"] for line in lines} == projects


@pytest.mark.parametrize(("login", "count"), [("ada", 41), ("ben", 40), ("carla", 41), ("admin", 44), ("", 0)])
def test_a_confidential_project_is_not_counted_for_a_stranger(ask: Ask, login: str, count: int):
    answer = ask(login, "{ projectList { pageInfo { totalCount } } projectSummaryList { pageInfo { totalCount } } }")
    assert [answer[name]["pageInfo"]["totalCount"] for name in ("projectList", "projectSummaryList")] == [count, count]


def test_what_hangs_on_a_confidential_project_is_hidden_with_it(ask: Ask):
    for login, seen in (("ada", True), ("ben", False)):
        answer = ask(
            login,
            """query ($of: ID) { billOfMaterialList(filter: {projectId: $of}) { items { id } }
               orderList(filter: {projectId: $of}) { items { id } }
               deliveryList(filter: {order: {number: "PO-10003"}}) { items { id } } }""",
            of=project_id("Gemini"),
        )
        assert [bool(page["items"]) for page in answer.values()] == [seen] * 3


def test_a_summary_does_not_tell_a_stranger_that_the_project_exists(ask: Ask):
    document = "query ($of: ID!) { projectSummary(projectId: $of) { partCount } }"
    assert ask("dora", document, of=project_id("Nightjar"))["projectSummary"]["partCount"] > 0
    assert ask("ada", document, of=project_id("Nightjar"))["projectSummary"] is None


@pytest.mark.parametrize(("login", "cost", "rating", "margin"), [("ada", None, None, None), ("carla", 4200, 2, 21.2)])
def test_costs_ratings_and_margins_are_for_those_who_need_them(
    ask: Ask, login: str, cost: float | None, rating: int | None, margin: float | None
):
    answer = ask(
        login,
        """{ partList(filter: {name: "Hall Thruster Magnet"}) { items { unitCost { value } } }
             supplierList(filter: {name: "Umbra Precision"}) { items { rating } }
             projectList(filter: {name: "Vega"}) { items { marginPercent owner { account } } } }""",
    )
    part, supplier, project = (answer[name]["items"][0] for name in ("partList", "supplierList", "projectList"))
    assert (part["unitCost"] and part["unitCost"]["value"], supplier["rating"]) == (cost, rating)
    assert project["marginPercent"] == margin


def test_nobody_filters_by_a_field_they_may_not_read():
    answer = answer_to("ada", "{ supplierList(filter: {rating: 5}) { items { name } } }")
    assert "Permission denied" in answer.errors[0].message


def test_one_manager_is_never_exposed_though_related_ones_are(ask: Ask):
    exposed = {name: getattr(one, "chat_exposed", False) for name, one in GraphQL.manager_registry.items()}
    assert [name for name, shown in exposed.items() if not shown] == ["SupplierContract"]
    contracts = ask("ada", "{ supplierList(pageSize: 1) { items { supplierContractList { items { clause } } } } }")
    assert contracts["supplierList"]["items"][0]["supplierContractList"]["items"]  # so hiding it is the chat's work


# ---- every kind of manager ----


def test_a_manager_of_each_kind_answers(ask: Ask):
    answer = ask(
        "carla",
        """query ($apollo: ID!) {
             countryList(filter: {code: "NO"}) { items { name } }
             materialList(filter: {name: "Cobalt"}) { items { density { value unit } } }
             machineList(filter: {name: "Mill 03"}) { items { site { city } } }
             exchangeRateList(filter: {currency: "CHF"}) { items { rate } }
             projectSummary(projectId: $apollo) { lineCount partCount totalMass { value } partsCost { value } } }""",
        apollo=project_id("Apollo"),
    )
    assert answer == {
        "countryList": {"items": [{"name": "Norway"}]},
        "materialList": {"items": [{"density": {"value": 8900.0, "unit": "kilogram / meter ** 3"}}]},
        "machineList": {"items": [{"site": {"city": "Toulouse"}}]},
        "exchangeRateList": {"items": [{"rate": 0.9512}]},
        "projectSummary": {
            "lineCount": 25,
            "partCount": 173,
            "totalMass": {"value": 3456.29},
            "partsCost": {"value": 878846.03},
        },
    }


def test_each_manager_says_what_it_is():
    for name, manager in GraphQL.manager_registry.items():
        assert (manager.__doc__ or "").strip(), name


# ---- changes ----

ARCHIVE = "mutation ($project: ID!) { archiveProject(project: $project) { success project { status } } }"


def test_the_owner_archives_a_project(ask: Ask):
    done = ask("ada", ARCHIVE, project=project_id("Aurora"))
    assert done["archiveProject"] == {"success": True, "project": {"status": "archived"}}
    assert table("Project").get(name="Aurora").history.first().history_type == "~"


def test_nobody_else_archives_it():
    answer = answer_to("ben", ARCHIVE, project=project_id("Aurora"))
    assert answer.errors
    assert table("Project").get(name="Aurora").status == "active"


def test_only_a_submitted_order_is_approved_and_only_by_a_buyer():
    document = "mutation ($order: ID!) { approveOrder(order: $order) { success order { status } } }"
    submitted, approved = (str(table("Order").get(number=number).pk) for number in ("PO-10074", "PO-10155"))
    assert answer_to("ada", document, order=submitted).errors
    assert answer_to("carla", document, order=approved).errors[0].extensions["fieldErrors"]["order"]
    assert answer_to("carla", document, order=submitted).data["approveOrder"]["order"]["status"] == "approved"


def test_an_employee_is_assigned_and_a_part_is_changed(ask: Ask):
    done = ask(
        "ada",
        """mutation ($project: ID!, $employee: ID!) { assignEmployee(project: $project, employee: $employee,
             role: "engineer", hoursPerWeek: 8) { success assignment { role hoursPerWeek } } }""",
        project=project_id("Aurora"),
        employee=str(table("Employee").get(name="Farid Silva").pk),
    )
    assert done["assignEmployee"]["assignment"] == {"role": "engineer", "hoursPerWeek": 8}
    changed = ask(
        "carla",
        "mutation ($id: ID!) { updatePart(id: $id, leadTimeDays: 70) { success Part { leadTimeDays } } }",
        id=str(table("Part").get(name="Louvre Actuator").pk),
    )
    assert changed["updatePart"]["Part"] == {"leadTimeDays": 70}


# ---- the pages ----


def test_somebody_signs_in_with_one_click_in_a_demonstration_only(client: Client):
    with override_settings(DEBUG=True):
        assert client.post("/sign-in/as/", {"username": "ada"}).status_code == 302
    assert b"Ada Lindgren" in client.get("/").content
    with override_settings(DEBUG=False):
        assert client.post("/sign-in/as/", {"username": "ben"}).status_code == 404


def test_the_click_needs_a_csrf_token():
    with override_settings(DEBUG=True):
        assert Client(enforce_csrf_checks=True).post("/sign-in/as/", {"username": "admin"}).status_code == 403


def test_the_documented_password_works(client: Client):
    assert client.post("/sign-in/", {"username": "ben", "password": "parts-demo"}).status_code == 302


def test_no_migration_is_missing():
    call_command("makemigrations", "catalog", check=True, dry_run=True, verbosity=0)


# ---- the cases ----

QUERIES = {
    "suppliers_from_norway": 'supplierList(filter: {country: {name: "Norway"}}, pageSize: 100)',
    "parts_from_halden": 'partList(filter: {supplier: {name: "Halden Magnetics"}}, pageSize: 100)',
    "blocked_parts": 'partList(filter: {status: "blocked"}, pageSize: 100)',
    "ceramic_materials": 'materialList(filter: {category: "ceramic"}, pageSize: 100)',
    "projects_on_hold": 'projectList(filter: {status: "on_hold"}, pageSize: 100)',
    "hazardous_materials": "materialList(filter: {isHazardous: true}, pageSize: 100)",
    "unapproved_suppliers": "supplierList(filter: {isApproved: false}, pageSize: 100)",
    "machines_in_toulouse": 'machineList(filter: {site: {name: "Toulouse Laboratory"}}, pageSize: 100)',
    "lost_deliveries": 'deliveryList(filter: {status: "lost"}, pageSize: 100)',
    "quality_people": 'employeeList(filter: {department: "quality"}, pageSize: 100)',
    "heavier_than_100_kg": 'partList(filter: {mass_Gt: "100 kg"}, pageSize: 100)',
    "lighter_than_100_g": 'partList(filter: {mass_Lt: "100 g"}, pageSize: 100)',
    "budget_over_five_million": 'projectList(filter: {budget_Gt: "5000000 EUR"}, pageSize: 100)',
    "dense_materials": 'materialList(filter: {density_Gt: "10000 kg/m**3"}, pageSize: 100)',
    "long_lead_times": "partList(filter: {leadTimeDays_Gt: 180}, pageSize: 100)",
    "top_five_budgets": "projectList(orderBy: [{field: budget, direction: DESC}], pageSize: 5)",
    "busiest_machines": "machineList(orderBy: [{field: runningHours, direction: DESC}], pageSize: 3)",
    "most_expensive_parts": "partList(orderBy: [{field: unitCost, direction: DESC}], pageSize: 3)",
    "rating_as_buyer": "supplierList(filter: {rating: 1}, pageSize: 100)",
    "overdue_for_polaris": 'orderList(filter: {isOverdue: true, project: {name: "Polaris"}}, pageSize: 100)',
    "hired_in_2023": 'employeeList(filter: {hiredOn_Gte: "2023-01-01", hiredOn_Lte: "2023-12-31"}, pageSize: 100)',
    "hired_before_2004": 'employeeList(filter: {hiredOn_Lt: "2004-01-01"}, pageSize: 100)',
    "sites_before_2000": 'siteList(filter: {openedOn_Lt: "2000-01-01"}, pageSize: 100)',
    "apollo_orders_submitted": 'orderList(filter: {project: {name: "Apollo"}, status: "submitted"}, pageSize: 100)',
}


def cases() -> dict[str, Case]:
    return {case.name: case for case in load([EVALS])}


def test_there_are_enough_cases_of_people_the_example_knows():
    assert len(cases()) >= 44
    assert {case.user for case in cases().values()} <= {"ada", "ben", "carla", "dora", "admin", ""}


@pytest.mark.parametrize("name", sorted(QUERIES))
def test_the_rows_a_case_expects_are_the_rows_its_user_gets(ask: Ask, name: str):
    case = cases()[name]
    assert case.expectations is not None
    assert case.expectations.rows is not None
    key = next(iter(case.expectations.rows[0]))
    field = {"tracking_number": "trackingNumber"}.get(key, key)
    (page,) = ask(case.user, f"{{ {QUERIES[name]} {{ items {{ {field} }} }} }}").values()
    assert sorted(row[field] for row in page["items"]) == sorted(row[key] for row in case.expectations.rows)


# ---- helpers ----


def seeded_models() -> list[Any]:
    return [one for one in apps.get_app_config("catalog").get_models() if not one.__name__.startswith("Historical")]


def reseed(today: date) -> None:
    from catalog.seed import seed

    seed(today)


def fingerprint() -> str:
    """The rows of all tables without their ids, which depend on what was there before, and without passwords."""
    digest = sha256()
    for model in sorted(seeded_models(), key=lambda one: str(one.__name__)):
        names = [field.attname for field in model._meta.concrete_fields if not field.is_relation]
        related = [
            f"{field.name}__{label}"
            for field in model._meta.concrete_fields
            if field.is_relation
            for label in ("name", "number", "tracking_number", "username")
            if label in {other.name for other in field.related_model._meta.concrete_fields}
        ]
        names.remove("id")
        rows = sorted(map(repr, model._base_manager.values_list(*names, *related)))
        digest.update("\n".join([model.__name__, *rows]).encode())
    return digest.hexdigest()
