"""Write rows in bulk, with their history; and the values that rows are made of."""

from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from random import Random

from django.apps import apps
from django.db import models
from general_manager.measurement import Measurement


def model(name: str) -> type[models.Model]:
    """The table of a manager."""
    return apps.get_model("catalog", name)


def write[Row: models.Model](name: str, rows: Iterable[dict[str, object]]) -> list[Row]:
    """Write rows and a first line of history for each; the rows come back with their ids."""
    table = model(name)
    written = table.objects.bulk_create([table(**row) for row in rows], batch_size=500)
    table.history.bulk_history_create(written, batch_size=500, default_change_reason="seed")
    return written


def some_day(draw: Random, first: int, last: int) -> date:
    """A day of those years, both included, never after the 28th of its month."""
    return date(draw.randint(first, last), draw.randint(1, 12), draw.randint(1, 28))


def euro(amount: object) -> Measurement:
    return Measurement(Decimal(str(amount)), "EUR")


def kilograms(amount: object) -> Measurement:
    return Measurement(Decimal(str(amount)), "kg")
