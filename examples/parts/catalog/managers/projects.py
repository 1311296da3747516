"""What we build and for whom: customers, projects, their bills of material, the people on them, and their sums."""

from datetime import date
from decimal import Decimal
from typing import ClassVar

from django.apps import apps
from django.db import models
from django.db.models import F, Sum, Value
from django.db.models.expressions import Combinable
from general_manager import graph_ql_property
from general_manager.interface import CalculationInterface, DatabaseInterface
from general_manager.manager import GeneralManager, Input
from general_manager.measurement import Measurement, MeasurementField
from general_manager.permission import AdditiveManagerPermission

from catalog.managers.supply import BUYERS


class Customer(GeneralManager):
    """An organisation that orders products from us."""

    chat_exposed = True
    chat_search_fields = ("name",)

    class Interface(DatabaseInterface):
        class Sector(models.TextChoices):
            CIVIL = "civil"
            DEFENCE = "defence"
            RESEARCH = "research"
            COMMERCIAL = "commercial"

        name = models.CharField(max_length=100, unique=True)
        country = models.ForeignKey("catalog.Country", on_delete=models.PROTECT)
        sector = models.CharField(max_length=20, choices=Sector)
        customer_since = models.DateField()
        is_active_account = models.BooleanField(default=True)

    class Permission(AdditiveManagerPermission):
        __read__: ClassVar[list[str]] = ["isAuthenticated"]


class Project(GeneralManager):
    """A product we develop and build for a customer. A confidential project is visible to its owner and members only."""

    chat_exposed = True
    chat_search_fields = ("name", "code")

    class Interface(DatabaseInterface):
        class Status(models.TextChoices):
            PLANNED = "planned"
            ACTIVE = "active"
            ON_HOLD = "on_hold"
            COMPLETED = "completed"
            ARCHIVED = "archived"

        name = models.CharField(max_length=80, unique=True)
        code = models.CharField(max_length=12, unique=True)
        customer = models.ForeignKey("catalog.Customer", on_delete=models.PROTECT)
        owner = models.ForeignKey("catalog.Employee", on_delete=models.PROTECT)
        status = models.CharField(max_length=20, choices=Status, default=Status.PLANNED)
        budget = MeasurementField(base_unit="EUR")
        margin_percent = models.DecimalField(max_digits=4, decimal_places=1)
        started_on = models.DateField()
        deadline = models.DateField()
        is_confidential = models.BooleanField(default=False)

    class Permission(AdditiveManagerPermission):
        __read__: ClassVar[list[str]] = ["seesProject"]
        __create__: ClassVar[list[str]] = ["isAdmin"]
        __update__: ClassVar[list[str]] = ["projectOwner", "isAdmin"]
        __delete__: ClassVar[list[str]] = ["isAdmin"]
        margin_percent: ClassVar[dict[str, list[str]]] = {"read": ["isAdmin"]}


class BillOfMaterial(GeneralManager):
    """A line of a project's bill of materials: which part goes into the project, and how many of it."""

    chat_exposed = True

    class Interface(DatabaseInterface):
        project = models.ForeignKey("catalog.Project", on_delete=models.CASCADE)
        part = models.ForeignKey("catalog.Part", on_delete=models.PROTECT)
        quantity = models.PositiveIntegerField()

        class Meta:
            constraints: ClassVar[list[models.BaseConstraint]] = [
                models.UniqueConstraint(fields=["project", "part"], name="one_line_a_part")
            ]

    class Permission(AdditiveManagerPermission):
        __read__: ClassVar[list[str]] = ["seesProject:project"]


class Assignment(GeneralManager):
    """An employee's place on a project: the role, and the hours a week."""

    chat_exposed = True

    class Interface(DatabaseInterface):
        class Role(models.TextChoices):
            LEAD = "lead"
            ENGINEER = "engineer"
            TECHNICIAN = "technician"
            QUALITY = "quality"
            PLANNER = "planner"

        project = models.ForeignKey("catalog.Project", on_delete=models.CASCADE)
        employee = models.ForeignKey("catalog.Employee", on_delete=models.CASCADE)
        role = models.CharField(max_length=20, choices=Role)
        hours_per_week = models.PositiveSmallIntegerField()

        class Meta:
            constraints: ClassVar[list[models.BaseConstraint]] = [
                models.UniqueConstraint(fields=["project", "employee"], name="one_place_an_employee")
            ]

    class Permission(AdditiveManagerPermission):
        __based_on__ = "project"


class ProjectSummary(GeneralManager):
    """The sums of one project, calculated when asked: lines, parts, mass and, for buyers, the cost of its parts.

    A row is identified by its project. Its permission rests on the project, so nobody learns from a summary that a
    confidential project exists.
    """

    chat_exposed = True

    class Interface(CalculationInterface):
        project = Input(Project, possible_values=lambda: Project.all())

    class Permission(AdditiveManagerPermission):
        __based_on__ = "project"
        parts_cost: ClassVar[dict[str, list[str]]] = {"read": BUYERS}

    @graph_ql_property
    def line_count(self) -> int:
        return int(self._sum(Value(1)))

    @graph_ql_property
    def part_count(self) -> int:
        return int(self._sum(F("quantity")))

    @graph_ql_property
    def total_mass(self) -> Measurement:
        return Measurement(self._sum(F("quantity") * F("part__mass_value")), "kg")

    @graph_ql_property
    def parts_cost(self) -> Measurement:
        return Measurement(self._sum(F("quantity") * F("part__unit_cost_value")), "EUR")

    @graph_ql_property
    def days_left(self) -> int:
        return (self.project.deadline - date.today()).days

    def _sum(self, term: Combinable) -> Decimal:
        # In the database: a project has dozens of lines, and a list of summaries would load every one of their parts.
        lines = apps.get_model("catalog", "BillOfMaterial").objects.filter(project=self.project.id)
        return Decimal(lines.aggregate(total=Sum(term, output_field=models.DecimalField()))["total"] or 0)
