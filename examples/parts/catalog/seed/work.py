"""What is done: projects with their bills of material and people, orders, deliveries and inspections."""

from datetime import date, timedelta
from decimal import Decimal
from random import Random

from django.db import models

from catalog.seed import names, story
from catalog.seed.company import Company
from catalog.seed.tables import euro, kilograms, model, write


class Work:
    """The projects of a company and what came of them; each step goes on from the rows of the one before."""

    def __init__(self, company: Company) -> None:
        self.company = company
        self.calendar = company.calendar

    def begin(self) -> None:
        """Write all of it."""
        self._projects()
        self._lines_and_assignments()
        self._orders()
        self._deliveries()
        self._inspections()

    def _projects(self) -> None:
        draw = Random(14)
        customers = list(model("Customer").objects.order_by("id"))
        leads = [
            row for row in self.company.employee.values() if row.department == "engineering" and row.account is None
        ]
        rows = []
        for number, (name, status, login, confidential, budget, deadline) in enumerate(story.PROJECTS, start=101):
            months = draw.randint(-8, -2) if status == "planned" else draw.randint(20, 40)
            rows.append(
                {
                    "name": name,
                    "code": f"P-{number}",
                    "customer": draw.choice(customers),
                    "owner": self.company.by_login[login] if login else draw.choice(leads),
                    "status": status,
                    "budget": euro(budget * 1000),
                    "margin_percent": Decimal(draw.randint(40, 240)) / 10,
                    "started_on": self.calendar.months_ago(months, draw.randint(1, 28)),
                    "deadline": self.calendar.in_days(deadline),
                    "is_confidential": confidential,
                }
            )
        self.project = {row.name: row for row in write("Project", rows)}

    def _lines_and_assignments(self) -> None:
        draw = Random(15)
        common = [part for name, part in self.company.part.items() if name not in {row[0] for row in story.PARTS}]
        people = [row for row in self.company.employee.values() if row.account is None]
        lines, places = [], []
        for name, project in self.project.items():
            for part, quantity in story.LINES.get(name, {}).items():
                lines.append({"project": project, "part": self.company.part[part], "quantity": quantity})
            for part in draw.sample(common, draw.randint(16, 28)):
                lines.append({"project": project, "part": part, "quantity": draw.choice([1, 1, 2, 2, 4, 6, 8, 12])})
            for login, role, hours in story.MEMBERS.get(name, []):
                places.append(
                    {
                        "project": project,
                        "employee": self.company.by_login[login],
                        "role": role,
                        "hours_per_week": hours,
                    }
                )
            for employee in draw.sample(people, draw.randint(4, 8)):
                role = draw.choice(["engineer", "technician", "quality", "planner"])
                places.append(
                    {"project": project, "employee": employee, "role": role, "hours_per_week": draw.randrange(4, 40, 4)}
                )
        self.lines = write("BillOfMaterial", lines)
        write("Assignment", places)

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
                    "total": euro(sum(one.unit_cost.magnitude * count for one, count in chosen)),
                    "is_express": draw.random() < 0.12,
                }
            )
            self.arrivals.append(arrived)
        self.orders = write("Order", rows)
        write(
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
        sites = [site for site in self.company.site.values() if site.kind != "office"]
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
                    "weight": kilograms(mass),
                }
            )
            self.delivered.append(chosen if arrived else [])
        self.deliveries = write("Delivery", rows)

    def _inspections(self) -> None:
        draw = Random(18)
        inspectors = [row for row in self.company.employee.values() if row.department == "quality"]
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
        write("Inspection", rows)
