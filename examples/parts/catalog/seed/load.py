"""Draw the company from a fixed seed and write it in bulk, history included.

Each table has a random stream of its own, so a change to one leaves the others as they are. Absolute dates all lie
before 2024; the others are counted from today in whole months or days, so that "last month" and "overdue" have the
same answers on any day.
"""

from datetime import date
from io import StringIO

from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.management import call_command
from django.db import transaction

from catalog.seed import story
from catalog.seed.calendar import Calendar
from catalog.seed.company import Company
from catalog.seed.tables import model
from catalog.seed.work import Work

TABLES = [
    "Material", "Site", "Supplier", "Customer", "Employee", "SupplierContract", "Machine", "Maintenance", "Part",
    "Certificate", "Project", "BillOfMaterial", "Assignment", "Order", "OrderLine", "Delivery", "Inspection",
]  # fmt: skip


def seed(today: date | None = None) -> dict[str, int]:
    """Replace the catalogue's rows and the demo users by the seeded ones; returns the number of rows per table.

    Dates that matter as "last month" or "overdue" are placed around `today`, by default the current date. Runs inside
    whatever database is configured, a test's too.
    """
    with transaction.atomic():
        clear()
        call_command("sync_read_only", stdout=StringIO())
        Work(Company(Calendar(today or date.today())).found()).begin()
    cache.clear()
    return {name: model(name).objects.count() for name in ["Country", *TABLES]}


def clear() -> None:
    """Delete what `seed` writes: the catalogue with its history, and the demo users."""
    for name in reversed(TABLES):
        table = model(name)
        # Straight to the table: an ordinary delete would write a line of history for each row.
        for rows in (table.history.all(), table._base_manager.all()):
            rows._raw_delete(rows.db)
    User.objects.filter(username__in=[login for login, *_ in story.PEOPLE] + ["admin"]).delete()
    cache.clear()
