"""What changes rarely: countries, materials, sites, and the exchange rates of the treasury service."""

from typing import ClassVar

from django.db import models
from general_manager.interface import (
    DatabaseInterface,
    ReadOnlyInterface,
    RequestField,
    RequestFilter,
    RequestInterface,
    RequestQueryOperation,
)
from general_manager.manager import GeneralManager, Input
from general_manager.measurement import MeasurementField
from general_manager.permission import AdditiveManagerPermission

from catalog.countries import COUNTRIES
from catalog.treasury import Treasury


class Country(GeneralManager):
    """A country in which suppliers, customers and sites are. Kept as a fixed list, with its customs region."""

    chat_exposed = True
    chat_search_fields = ("name", "code")

    _data: ClassVar[list[dict[str, object]]] = COUNTRIES

    class Interface(ReadOnlyInterface):
        code = models.CharField(max_length=2, unique=True)
        name = models.CharField(max_length=60, unique=True)
        region = models.CharField(max_length=20)
        in_customs_union = models.BooleanField()

    class Permission(AdditiveManagerPermission):
        __read__: ClassVar[list[str]] = ["public"]


class Material(GeneralManager):
    """A raw material that parts are made of: a metal, an alloy, a polymer, a composite or a ceramic."""

    chat_exposed = True
    chat_search_fields = ("name",)

    class Interface(DatabaseInterface):
        class Category(models.TextChoices):
            METAL = "metal"
            ALLOY = "alloy"
            POLYMER = "polymer"
            COMPOSITE = "composite"
            CERAMIC = "ceramic"

        name = models.CharField(max_length=80, unique=True)
        category = models.CharField(max_length=20, choices=Category)
        density = MeasurementField(base_unit="kg/m**3")
        is_hazardous = models.BooleanField(default=False, help_text="Needs protective equipment when machined.")
        is_critical = models.BooleanField(default=False, help_text="On the list of critical raw materials.")

    class Permission(AdditiveManagerPermission):
        __read__: ClassVar[list[str]] = ["public"]


class Site(GeneralManager):
    """A place where we work: a plant, a warehouse, a laboratory or an office. Deliveries arrive at sites."""

    chat_exposed = True
    chat_search_fields = ("name", "city")

    class Interface(DatabaseInterface):
        class Kind(models.TextChoices):
            PLANT = "plant"
            WAREHOUSE = "warehouse"
            LABORATORY = "laboratory"
            OFFICE = "office"

        name = models.CharField(max_length=80, unique=True)
        city = models.CharField(max_length=60)
        country = models.ForeignKey("catalog.Country", on_delete=models.PROTECT)
        kind = models.CharField(max_length=20, choices=Kind)
        opened_on = models.DateField()

    class Permission(AdditiveManagerPermission):
        __read__: ClassVar[list[str]] = ["public"]


class ExchangeRate(GeneralManager):
    """What one euro costs in another currency today, as the treasury's rate service says. Asked live, never stored."""

    chat_exposed = True
    chat_search_fields = ("currency", "name")

    class Interface(RequestInterface):
        id = Input(type=int)

        currency = RequestField(str, source="iso")
        name = RequestField(str)
        rate = RequestField(float, source="perEuro")
        is_pegged = RequestField(bool, source="pegged")

        class Meta:
            filters: ClassVar[dict[str, RequestFilter]] = {
                "currency": RequestFilter(remote_name="iso", value_type=str),
                "name": RequestFilter(value_type=str, allow_local_fallback=True),
                "name__icontains": RequestFilter(value_type=str, allow_local_fallback=True),
                "rate__gt": RequestFilter(value_type=(int, float), allow_local_fallback=True),
                "rate__lt": RequestFilter(value_type=(int, float), allow_local_fallback=True),
                "is_pegged": RequestFilter(value_type=bool, allow_local_fallback=True),
            }
            query_operations: ClassVar[dict[str, RequestQueryOperation]] = {
                "list": RequestQueryOperation(name="list", method="GET", path="/rates"),
                "detail": RequestQueryOperation(name="detail", method="GET", path="/rates/{id}"),
            }
            transport = Treasury()

    class Permission(AdditiveManagerPermission):
        __read__: ClassVar[list[str]] = ["public"]
