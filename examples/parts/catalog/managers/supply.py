"""What we buy and from whom: suppliers, their contracts, and parts."""

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from general_manager.interface import DatabaseInterface
from general_manager.manager import GeneralManager
from general_manager.measurement import MeasurementField
from general_manager.permission import AdditiveManagerPermission

BUYERS: list[str] = ["inGroup:buyers", "isAdmin"]


class Supplier(GeneralManager):
    """A company that sells us parts. The rating, from 1 to 5, is for the buyers' eyes only."""

    chat_exposed = True
    chat_search_fields = ("name",)

    class Interface(DatabaseInterface):
        name = models.CharField(max_length=100, unique=True)
        country = models.ForeignKey("catalog.Country", on_delete=models.PROTECT)
        rating = models.PositiveSmallIntegerField(validators=[MinValueValidator(1), MaxValueValidator(5)])
        is_approved = models.BooleanField(default=False, help_text="Passed our quality audit.")
        contact_email = models.EmailField()
        supplier_since = models.DateField()

    class Permission(AdditiveManagerPermission):
        __read__: ClassVar[list[str]] = ["isAuthenticated"]
        __update__: ClassVar[list[str]] = BUYERS
        rating: ClassVar[dict[str, list[str]]] = {"read": BUYERS}


class SupplierContract(GeneralManager):
    """The negotiated terms with a supplier. Never part of the chat: it stands here to prove that."""

    chat_exposed = False

    class Interface(DatabaseInterface):
        supplier = models.ForeignKey("catalog.Supplier", on_delete=models.CASCADE)
        negotiated_by = models.ForeignKey("catalog.Employee", on_delete=models.PROTECT)
        rebate_percent = models.DecimalField(max_digits=4, decimal_places=1)
        clause = models.CharField(max_length=200)
        valid_until = models.DateField()

    class Permission(AdditiveManagerPermission):
        __read__: ClassVar[list[str]] = ["isAuthenticated"]


class Part(GeneralManager):
    """Something that is built into a product: a bracket, a valve, a board. What a unit costs only buyers may read."""

    chat_exposed = True
    chat_search_fields = ("name", "part_number")

    class Interface(DatabaseInterface):
        class Category(models.TextChoices):
            STRUCTURE = "structure"
            PROPULSION = "propulsion"
            ELECTRONICS = "electronics"
            THERMAL = "thermal"
            FASTENER = "fastener"

        class Status(models.TextChoices):
            PROTOTYPE = "prototype"
            RELEASED = "released"
            PHASED_OUT = "phased_out"
            BLOCKED = "blocked"

        name = models.CharField(max_length=100, unique=True)
        part_number = models.CharField(max_length=20, unique=True)
        category = models.CharField(max_length=20, choices=Category)
        status = models.CharField(max_length=20, choices=Status, default=Status.RELEASED)
        material = models.ForeignKey("catalog.Material", on_delete=models.PROTECT)
        supplier = models.ForeignKey("catalog.Supplier", on_delete=models.PROTECT)
        mass = MeasurementField(base_unit="kg")
        unit_cost = MeasurementField(base_unit="EUR")
        lead_time_days = models.PositiveIntegerField()
        is_flight_critical = models.BooleanField(default=False)

    class Permission(AdditiveManagerPermission):
        __read__: ClassVar[list[str]] = ["public"]
        __create__: ClassVar[list[str]] = BUYERS
        __update__: ClassVar[list[str]] = BUYERS
        __delete__: ClassVar[list[str]] = ["isAdmin"]
        unit_cost: ClassVar[dict[str, list[str]]] = {"read": BUYERS}


class Certificate(GeneralManager):
    """A document that proves something of a part: its material, its conformity, or that it was tested."""

    chat_exposed = True
    chat_search_fields = ("number",)

    class Interface(DatabaseInterface):
        class Kind(models.TextChoices):
            MATERIAL = "material"
            CONFORMITY = "conformity"
            TEST_REPORT = "test_report"

        number = models.CharField(max_length=20, unique=True)
        part = models.ForeignKey("catalog.Part", on_delete=models.CASCADE)
        kind = models.CharField(max_length=20, choices=Kind)
        issued_on = models.DateField()
        valid_until = models.DateField()

    class Permission(AdditiveManagerPermission):
        __read__: ClassVar[list[str]] = ["isAuthenticated"]
