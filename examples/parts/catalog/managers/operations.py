"""What happens every day: orders, their lines, deliveries, inspections and machines."""

from datetime import date
from typing import ClassVar

from django.db import models
from general_manager import graph_ql_property
from general_manager.interface import DatabaseInterface, ExistingModelInterface
from general_manager.manager import GeneralManager
from general_manager.measurement import MeasurementField
from general_manager.permission import AdditiveManagerPermission

from catalog.managers.supply import BUYERS
from catalog.models import Machine as MachineModel


class Order(GeneralManager):
    """A purchase order to a supplier, placed for a project. It is overdue once its due date has passed unreceived."""

    chat_exposed = True
    chat_search_fields = ("number",)

    class Interface(DatabaseInterface):
        class Status(models.TextChoices):
            DRAFT = "draft"
            SUBMITTED = "submitted"
            APPROVED = "approved"
            RECEIVED = "received"
            CANCELLED = "cancelled"

        number = models.CharField(max_length=20, unique=True)
        supplier = models.ForeignKey("catalog.Supplier", on_delete=models.PROTECT)
        project = models.ForeignKey("catalog.Project", on_delete=models.PROTECT)
        status = models.CharField(max_length=20, choices=Status, default=Status.DRAFT)
        placed_on = models.DateField()
        due_on = models.DateField()
        total = MeasurementField(base_unit="EUR")
        is_express = models.BooleanField(default=False)
        remark = models.CharField(max_length=200, blank=True, default="")

    class Permission(AdditiveManagerPermission):
        __read__: ClassVar[list[str]] = ["seesProject:project"]
        __update__: ClassVar[list[str]] = BUYERS

    @graph_ql_property(filterable=True)
    def is_overdue(self) -> bool:
        return self.due_on < date.today() and self.status in ("submitted", "approved")


class OrderLine(GeneralManager):
    """A line of an order: which part, and how many."""

    chat_exposed = True

    class Interface(DatabaseInterface):
        order = models.ForeignKey("catalog.Order", on_delete=models.CASCADE)
        part = models.ForeignKey("catalog.Part", on_delete=models.PROTECT)
        quantity = models.PositiveIntegerField()

    class Permission(AdditiveManagerPermission):
        __read__: ClassVar[list[str]] = ["seesProject:order:project"]


class Delivery(GeneralManager):
    """A shipment that brings an order, or a part of it, to one of our sites."""

    chat_exposed = True
    chat_search_fields = ("tracking_number",)

    class Interface(DatabaseInterface):
        class Status(models.TextChoices):
            SCHEDULED = "scheduled"
            IN_TRANSIT = "in_transit"
            AT_CUSTOMS = "at_customs"
            DELIVERED = "delivered"
            LOST = "lost"

        tracking_number = models.CharField(max_length=20, unique=True)
        order = models.ForeignKey("catalog.Order", on_delete=models.CASCADE)
        site = models.ForeignKey("catalog.Site", on_delete=models.PROTECT)
        carrier = models.CharField(max_length=40)
        status = models.CharField(max_length=20, choices=Status, default=Status.SCHEDULED)
        expected_on = models.DateField()
        arrived_on = models.DateField(null=True, blank=True)
        weight = MeasurementField(base_unit="kg")

    class Permission(AdditiveManagerPermission):
        __read__: ClassVar[list[str]] = ["seesProject:order:project"]


class Inspection(GeneralManager):
    """A quality check of a delivered part by one of our inspectors, with its result and the defects found."""

    chat_exposed = True

    class Interface(DatabaseInterface):
        class Result(models.TextChoices):
            PASSED = "passed"
            FAILED = "failed"
            CONDITIONAL = "conditional"

        delivery = models.ForeignKey("catalog.Delivery", on_delete=models.CASCADE)
        part = models.ForeignKey("catalog.Part", on_delete=models.PROTECT)
        inspector = models.ForeignKey("catalog.Employee", on_delete=models.PROTECT)
        inspected_on = models.DateField()
        result = models.CharField(max_length=20, choices=Result)
        defects = models.PositiveSmallIntegerField(default=0)
        finding = models.CharField(max_length=200, blank=True, default="")

    class Permission(AdditiveManagerPermission):
        __read__: ClassVar[list[str]] = ["seesProject:delivery:order:project"]
        __create__: ClassVar[list[str]] = ["isAuthenticated"]


class Machine(GeneralManager):
    """A machine on the shop floor, read from the maintenance department's own table."""

    chat_exposed = True
    chat_search_fields = ("name",)

    class Interface(ExistingModelInterface):
        model = MachineModel

    class Permission(AdditiveManagerPermission):
        __read__: ClassVar[list[str]] = ["isAuthenticated"]


class Maintenance(GeneralManager):
    """A maintenance job on a machine: what was done, by whom, when, and how long the machine stood still."""

    chat_exposed = True

    class Interface(DatabaseInterface):
        class Kind(models.TextChoices):
            SERVICE = "service"
            REPAIR = "repair"
            CALIBRATION = "calibration"

        machine = models.ForeignKey("catalog.Machine", on_delete=models.CASCADE)
        technician = models.ForeignKey("catalog.Employee", on_delete=models.PROTECT)
        kind = models.CharField(max_length=20, choices=Kind)
        performed_on = models.DateField()
        downtime_hours = models.DecimalField(max_digits=5, decimal_places=1)
        was_planned = models.BooleanField(default=True)

    class Permission(AdditiveManagerPermission):
        __read__: ClassVar[list[str]] = ["isAuthenticated"]
