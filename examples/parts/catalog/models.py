"""The tables of the app: one written by hand, the others made by the managers."""

from django.db import models


class Machine(models.Model):
    """A machine as the maintenance department's older system keeps it."""

    class Kind(models.TextChoices):
        MILL = "mill"
        LATHE = "lathe"
        PRINTER = "printer"
        AUTOCLAVE = "autoclave"
        TEST_BENCH = "test_bench"

    name = models.CharField(max_length=80, unique=True)
    kind = models.CharField(max_length=20, choices=Kind)
    site = models.ForeignKey("catalog.Site", on_delete=models.PROTECT)
    commissioned_on = models.DateField()
    running_hours = models.PositiveIntegerField(default=0)
    is_running = models.BooleanField(default=True)

    def __str__(self) -> str:
        return self.name


# Last: the managers wrap the model above, and importing them makes the models that migrations look for.
from catalog import managers  # noqa: E402, F401
