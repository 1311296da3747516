"""Draw the company from a fixed seed and write it in bulk, history included.

Each table has a random stream of its own, so a change to one leaves the others as they are. Absolute dates all lie
before 2024; the others are counted from today in whole months or days, so that "last month" and "overdue" have the
same answers on any day.
"""

from collections.abc import Iterable
from datetime import date, timedelta
from decimal import Decimal
from io import StringIO
from random import Random

from django.apps import apps
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group, User
from django.core.cache import cache
from django.core.management import call_command
from django.db import models, transaction
from general_manager.measurement import Measurement

from catalog.seed import names, story
from catalog.seed.calendar import Calendar

PASSWORD = "parts-demo"  # printed in the README: a demonstration on one's own machine
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
        _Company(Calendar(today or date.today())).found()
    cache.clear()
    return {name: _model(name).objects.count() for name in ["Country", *TABLES]}


def clear() -> None:
    """Delete what `seed` writes: the catalogue with its history, and the demo users."""
    for name in reversed(TABLES):
        model = _model(name)
        # Straight to the table: an ordinary delete would write a line of history for each row.
        for rows in (model.history.all(), model._base_manager.all()):
            rows._raw_delete(rows.db)
    User.objects.filter(username__in=[login for login, *_ in story.PEOPLE] + ["admin"]).delete()
    cache.clear()


def _model(name: str) -> type[models.Model]:
    return apps.get_model("catalog", name)


def _write[Row: models.Model](name: str, rows: Iterable[dict[str, object]]) -> list[Row]:
    model = _model(name)
    written = model.objects.bulk_create([model(**row) for row in rows], batch_size=500)
    model.history.bulk_history_create(written, batch_size=500, default_change_reason="seed")
    return written


def _day(draw: Random, first: int, last: int) -> date:
    return date(draw.randint(first, last), draw.randint(1, 12), draw.randint(1, 28))


def _euro(amount: object) -> Measurement:
    return Measurement(Decimal(str(amount)), "EUR")


def _kilograms(amount: object) -> Measurement:
    return Measurement(Decimal(str(amount)), "kg")


class _Company:
    """The rows written so far, by name where they have one."""

    def __init__(self, calendar: Calendar) -> None:
        self.calendar = calendar

    def found(self) -> None:
        self.country = {row.code: row for row in _model("Country").objects.order_by("code")}
        self._users()
        self._materials()
        self._sites_and_people()
        self._suppliers()
        self._parts()
        self._projects()
        self._lines_and_assignments()
        self._orders()
        self._deliveries()
        self._inspections()

    def _users(self) -> None:
        password = make_password(PASSWORD)
        buyers, _ = Group.objects.get_or_create(name="buyers")
        self.account = {}
        for login, name, _, _, _, is_staff, is_buyer in story.PEOPLE:
            first, last = name.split()
            self.account[login] = User.objects.create(
                username=login, first_name=first, last_name=last, password=password, is_staff=is_staff
            )
            if is_buyer:
                self.account[login].groups.add(buyers)
        User.objects.create(username="admin", password=password, is_staff=True, is_superuser=True)

    def _materials(self) -> None:
        rows = [
            {
                "name": name,
                "category": category,
                "density": Measurement(density, "kg/m**3"),
                "is_hazardous": hazardous,
                "is_critical": critical,
            }
            for name, category, density, hazardous, critical in story.MATERIALS
        ]
        self.material = {row.name: row for row in _write("Material", rows)}

    def _sites_and_people(self) -> None:
        rows = [
            {"name": name, "city": city, "country": self.country[code], "kind": kind, "opened_on": opened}
            for name, city, code, kind, opened in story.SITES
        ]
        self.site = {row.name: row for row in _write("Site", rows)}
        draw = Random(11)
        people = [
            {
                "name": name,
                "job_title": job,
                "department": department,
                "site": self.site[site],
                "hired_on": _day(draw, 2012, 2019),
                "account": self.account[login],
            }
            for login, name, job, department, site, _, _ in story.PEOPLE
        ]
        drawn = draw.sample([f"{first} {last}" for first in names.FIRST_NAMES for last in names.LAST_NAMES], 120)
        for name in drawn:
            department = draw.choices(list(names.JOBS), weights=[40, 45, 14, 9, 12])[0]
            people.append(
                {
                    "name": name,
                    "job_title": draw.choice(names.JOBS[department]),
                    "department": department,
                    "site": draw.choice(list(self.site.values())),
                    "hired_on": _day(draw, 2003, 2023),
                    "is_full_time": draw.random() < 0.88,
                }
            )
        self.employee = {row.name: row for row in _write("Employee", people)}
        self.by_login = {login: self.employee[name] for login, name, *_ in story.PEOPLE}
        machines = []
        for kind, count in {"mill": 12, "lathe": 9, "printer": 7, "autoclave": 4, "test_bench": 6}.items():
            for number in range(1, count + 1):
                machines.append(
                    {
                        "name": f"{kind.replace('_', ' ').title()} {number:02}",
                        "kind": kind,
                        "site": draw.choice(
                            [site for site in self.site.values() if site.kind in ("plant", "laboratory")]
                        ),
                        "commissioned_on": _day(draw, 2001, 2023),
                        "running_hours": draw.randint(300, 41000),
                        "is_running": draw.random() < 0.85,
                    }
                )
        self._maintain(_write("Machine", machines))

    def _maintain(self, machines: list[models.Model]) -> None:
        draw = Random(19)
        technicians = [row for row in self.employee.values() if row.department == "production"]
        jobs = []
        for _ in range(360):
            kind = draw.choices(["service", "repair", "calibration"], weights=[5, 3, 2])[0]
            jobs.append(
                {
                    "machine": draw.choice(machines),
                    "technician": draw.choice(technicians),
                    "kind": kind,
                    "performed_on": self.calendar.months_ago(draw.randint(1, 30), draw.randint(1, 28)),
                    "downtime_hours": Decimal(draw.randint(5, 960 if kind == "repair" else 120)) / 10,
                    "was_planned": kind != "repair" or draw.random() < 0.2,
                }
            )
        _write("Maintenance", jobs)

    def _suppliers(self) -> None:
        draw = Random(12)
        known = dict(story.SUPPLIERS)
        others = [f"{name} {trade}" for name in names.SUPPLIERS for trade in names.TRADES]
        for name in draw.sample([name for name in others if name not in known], 72):
            known[name] = draw.choice(list(self.country))
        rows = [
            {
                "name": name,
                "country": self.country[code],
                "rating": draw.choices([1, 2, 3, 4, 5], weights=[1, 3, 8, 9, 4])[0],
                "is_approved": name in story.SUPPLIERS or draw.random() < 0.8,
                "contact_email": f"sales@{name.lower().replace(' ', '-')}.example",
                "supplier_since": _day(draw, 1999, 2023),
            }
            for name, code in known.items()
        ]
        self.supplier = {row.name: row for row in _write("Supplier", rows)}
        buyers = [row for row in self.employee.values() if row.department == "purchasing"]
        _write(
            "SupplierContract",
            [
                {
                    "supplier": supplier,
                    "negotiated_by": draw.choice(buyers),
                    "rebate_percent": Decimal(draw.randint(5, 240)) / 10,
                    "clause": f"Confidential rebate schedule {number:03}; not to be disclosed.",
                    "valid_until": self.calendar.in_days(draw.randint(30, 900)),
                }
                for number, supplier in enumerate(self.supplier.values(), start=1)
            ],
        )
        _write(
            "Customer",
            [
                {
                    "name": name,
                    "country": self.country[draw.choice(list(self.country))],
                    "sector": draw.choice(["civil", "defence", "research", "commercial"]),
                    "customer_since": _day(draw, 2001, 2023),
                    "is_active_account": draw.random() < 0.9,
                }
                for name in names.CUSTOMERS
            ],
        )

    def _parts(self) -> None:
        draw = Random(13)
        rows = [
            {
                "name": name,
                "category": category,
                "material": self.material[material],
                "supplier": self.supplier[supplier],
                "mass": _kilograms(mass),
                "unit_cost": _euro(cost),
                "lead_time_days": days,
                "is_flight_critical": critical,
                "status": status,
            }
            for name, category, material, supplier, mass, cost, days, critical, status in story.PARTS
        ]
        materials = [row for name, row in self.material.items() if name != "Cobalt"]
        suppliers = list(self.supplier.values())
        every = [
            (category, f"{place} {thing} {series}")
            for category, things in names.THINGS.items()
            for place in names.PLACES
            for thing in things
            for series in ("A", "B", "C", "D")
        ]
        for category, name in draw.sample(every, 585):
            rows.append(
                {
                    "name": name,
                    "category": category,
                    "material": draw.choice(materials),
                    "supplier": draw.choice(suppliers),
                    "mass": _kilograms(Decimal(draw.randint(2, 4500)) / 100),
                    "unit_cost": _euro(Decimal(draw.randint(300, 950000)) / 100),
                    "lead_time_days": draw.randrange(7, 140, 7),
                    "is_flight_critical": draw.random() < 0.2,
                    "status": draw.choices(["released", "prototype", "phased_out"], weights=[80, 12, 8])[0],
                }
            )
        for number, row in enumerate(rows, start=20001):
            row["part_number"] = f"PN-{number}"
        self.part = {row.name: row for row in _write("Part", rows)}
        critical = [part for part in self.part.values() if part.is_flight_critical]
        certificates = []
        for number in range(7001, 7361):
            # In whole months, and never in this one: what has expired has expired on any day of it.
            years, age = draw.choice([2, 3, 4]), draw.choice([month for month in range(1, 47) if month % 12])
            day = draw.randint(1, 28)
            certificates.append(
                {
                    "number": f"CERT-{number}",
                    "part": draw.choice(critical),
                    "kind": draw.choice(["material", "conformity", "test_report"]),
                    "issued_on": self.calendar.months_ago(age, day),
                    "valid_until": self.calendar.months_ago(age - 12 * years, day),
                }
            )
        _write("Certificate", certificates)

    def _projects(self) -> None:
        draw = Random(14)
        customers = list(_model("Customer").objects.order_by("id"))
        leads = [row for row in self.employee.values() if row.department == "engineering" and row.account is None]
        rows = []
        for number, (name, status, login, confidential, budget, deadline) in enumerate(story.PROJECTS, start=101):
            months = draw.randint(-8, -2) if status == "planned" else draw.randint(20, 40)
            rows.append(
                {
                    "name": name,
                    "code": f"P-{number}",
                    "customer": draw.choice(customers),
                    "owner": self.by_login[login] if login else draw.choice(leads),
                    "status": status,
                    "budget": _euro(budget * 1000),
                    "margin_percent": Decimal(draw.randint(40, 240)) / 10,
                    "started_on": self.calendar.months_ago(months, draw.randint(1, 28)),
                    "deadline": self.calendar.in_days(deadline),
                    "is_confidential": confidential,
                }
            )
        self.project = {row.name: row for row in _write("Project", rows)}

    def _lines_and_assignments(self) -> None:
        draw = Random(15)
        common = [part for name, part in self.part.items() if name not in {row[0] for row in story.PARTS}]
        people = [row for row in self.employee.values() if row.account is None]
        lines, places = [], []
        for name, project in self.project.items():
            for part, quantity in story.LINES.get(name, {}).items():
                lines.append({"project": project, "part": self.part[part], "quantity": quantity})
            for part in draw.sample(common, draw.randint(16, 28)):
                lines.append({"project": project, "part": part, "quantity": draw.choice([1, 1, 2, 2, 4, 6, 8, 12])})
            for login, role, hours in story.MEMBERS.get(name, []):
                places.append(
                    {"project": project, "employee": self.by_login[login], "role": role, "hours_per_week": hours}
                )
            for employee in draw.sample(people, draw.randint(4, 8)):
                role = draw.choice(["engineer", "technician", "quality", "planner"])
                places.append(
                    {"project": project, "employee": employee, "role": role, "hours_per_week": draw.randrange(4, 40, 4)}
                )
        self.lines = _write("BillOfMaterial", lines)
        _write("Assignment", places)

    def _orders(self) -> None:
        draw = Random(16)
        parts_of: dict[int, list[models.Model]] = {}
        for line in self.lines:
            parts_of.setdefault(line.project_id, []).append(line.part)
        busy = [row for row in self.project.values() if row.status != "planned"]
        rows, contents, self.arrivals = [], [], []
        for number in range(10001, 10461):
            project = draw.choice(busy)
            part = draw.choice(parts_of[project.id])
            status = draw.choices(["received", "cancelled", "approved", "submitted", "draft"], [62, 6, 14, 12, 6])[0]
            placed, due, arrived = self._dates(draw, status)
            chosen = [(part, draw.choice([2, 4, 5, 10, 20]))]
            same = [other for other in parts_of[project.id] if other.supplier_id == part.supplier_id and other != part]
            chosen += [(other, draw.choice([1, 2, 5, 10])) for other in same]
            chosen += [(draw.choice(parts_of[project.id]), 1)] if len(chosen) < 3 and draw.random() < 0.4 else []
            contents.append(chosen)
            rows.append(
                {
                    "number": f"PO-{number}",
                    "supplier": part.supplier,
                    "project": project,
                    "status": status,
                    "placed_on": placed,
                    "due_on": due,
                    "total": _euro(sum(one.unit_cost.magnitude * count for one, count in chosen)),
                    "is_express": draw.random() < 0.12,
                }
            )
            self.arrivals.append(arrived)
        self.orders = _write("Order", rows)
        _write(
            "OrderLine",
            [
                {"order": order, "part": part, "quantity": quantity}
                for order, chosen in zip(self.orders, contents, strict=True)
                for part, quantity in chosen
            ],
        )
        self.contents = contents

    def _dates(self, draw: Random, status: str) -> tuple[date, date, date | None]:
        """When it was placed, when it is due, and when it came: closed ones by month, open ones by days from now."""
        calendar = self.calendar
        if status in ("received", "cancelled"):
            month, day = draw.randint(1, 14), draw.randint(1, 28)
            arrived = calendar.months_ago(month, day)
            placed = calendar.months_ago(month + draw.randint(1, 4), draw.randint(1, 28))
            due = max(arrived + timedelta(days=draw.randint(-6, 9)), placed + timedelta(days=1))
            return placed, due, arrived if status == "received" else None
        if status != "draft" and draw.random() < 0.22:
            return (
                calendar.months_ago(draw.randint(2, 4), draw.randint(1, 28)),
                calendar.in_days(-draw.randint(1, 25)),
                None,
            )
        months = draw.randint(0, 2)
        placed = calendar.today if months == 0 else calendar.months_ago(months, draw.randint(1, 28))
        return placed, calendar.in_days(draw.randint(4, 75)), None

    def _deliveries(self) -> None:
        draw = Random(17)
        sites = [site for site in self.site.values() if site.kind != "office"]
        rows, self.delivered = [], []
        for order, arrived, chosen in zip(self.orders, self.arrivals, self.contents, strict=True):
            if order.status not in ("received", "approved"):
                continue
            status = "delivered" if arrived else draw.choices(["scheduled", "in_transit", "at_customs"], [4, 5, 2])[0]
            if status == "in_transit" and draw.random() < 0.15:
                status = "lost"
            expected = arrived - timedelta(days=draw.choice([-3, -1, 0, 0, 0, 2, 5])) if arrived else order.due_on
            mass = sum(part.mass.magnitude * quantity for part, quantity in chosen)
            rows.append(
                {
                    "tracking_number": f"TRK{draw.randint(10**7, 10**8 - 1)}",
                    "order": order,
                    "site": draw.choice(sites),
                    "carrier": draw.choice(names.CARRIERS),
                    "status": status,
                    "expected_on": expected,
                    "arrived_on": arrived,
                    "weight": _kilograms(mass),
                }
            )
            self.delivered.append(chosen if arrived else [])
        self.deliveries = _write("Delivery", rows)

    def _inspections(self) -> None:
        draw = Random(18)
        inspectors = [row for row in self.employee.values() if row.department == "quality"]
        rows = []
        for delivery, chosen in zip(self.deliveries, self.delivered, strict=True):
            for part, _ in chosen[:2]:
                result = draw.choices(["passed", "failed", "conditional"], [80, 11, 9])[0]
                # In the month of the arrival, so that "last month" stays the same month.
                waited = timedelta(days=draw.randint(0, 28 - delivery.arrived_on.day))
                rows.append(
                    {
                        "delivery": delivery,
                        "part": part,
                        "inspector": draw.choice(inspectors),
                        "inspected_on": delivery.arrived_on + waited,
                        "result": result,
                        "defects": 0 if result == "passed" else draw.randint(1, 9),
                        "finding": draw.choice(names.FINDINGS[result]) if result in names.FINDINGS else "",
                    }
                )
        _write("Inspection", rows)
