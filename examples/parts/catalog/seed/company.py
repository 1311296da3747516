"""Who and what there is: users, materials, sites, people, machines, suppliers, customers and parts."""

from decimal import Decimal
from random import Random
from typing import Self

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group, User
from django.db import models
from general_manager.measurement import Measurement

from catalog.seed import names, story
from catalog.seed.calendar import Calendar
from catalog.seed.tables import euro, kilograms, model, some_day, write

PASSWORD = "parts-demo"  # printed in the README: a demonstration on one's own machine


class Company:
    """Who and what there is before anybody works: the rows written so far, by name where they have one."""

    def __init__(self, calendar: Calendar) -> None:
        self.calendar = calendar

    def found(self) -> Self:
        """Write the users and what the company has."""
        self.country = {row.code: row for row in model("Country").objects.order_by("code")}
        self._users()
        self._materials()
        self._sites_and_people()
        self._suppliers()
        self._parts()
        return self

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
        self.material = {row.name: row for row in write("Material", rows)}

    def _sites_and_people(self) -> None:
        rows = [
            {"name": name, "city": city, "country": self.country[code], "kind": kind, "opened_on": opened}
            for name, city, code, kind, opened in story.SITES
        ]
        self.site = {row.name: row for row in write("Site", rows)}
        draw = Random(11)
        people = [
            {
                "name": name,
                "job_title": job,
                "department": department,
                "site": self.site[site],
                "hired_on": some_day(draw, 2012, 2019),
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
                    "hired_on": some_day(draw, 2003, 2023),
                    "is_full_time": draw.random() < 0.88,
                }
            )
        self.employee = {row.name: row for row in write("Employee", people)}
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
                        "commissioned_on": some_day(draw, 2001, 2023),
                        "running_hours": draw.randint(300, 41000),
                        "is_running": draw.random() < 0.85,
                    }
                )
        self._maintain(write("Machine", machines))

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
        write("Maintenance", jobs)

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
                "supplier_since": some_day(draw, 1999, 2023),
            }
            for name, code in known.items()
        ]
        self.supplier = {row.name: row for row in write("Supplier", rows)}
        buyers = [row for row in self.employee.values() if row.department == "purchasing"]
        write(
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
        write(
            "Customer",
            [
                {
                    "name": name,
                    "country": self.country[draw.choice(list(self.country))],
                    "sector": draw.choice(["civil", "defence", "research", "commercial"]),
                    "customer_since": some_day(draw, 2001, 2023),
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
                "mass": kilograms(mass),
                "unit_cost": euro(cost),
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
                    "mass": kilograms(Decimal(draw.randint(2, 4500)) / 100),
                    "unit_cost": euro(Decimal(draw.randint(300, 950000)) / 100),
                    "lead_time_days": draw.randrange(7, 140, 7),
                    "is_flight_critical": draw.random() < 0.2,
                    "status": draw.choices(["released", "prototype", "phased_out"], weights=[80, 12, 8])[0],
                }
            )
        for number, row in enumerate(rows, start=20001):
            row["part_number"] = f"PN-{number}"
        self.part = {row.name: row for row in write("Part", rows)}
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
        write("Certificate", certificates)
