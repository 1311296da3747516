"""Projects of any size: N kinds of rows with plausible names, texts, fields and relations, from a fixed seed."""

import random
from functools import cache

from tests.graphql.world import Spec, World

_FIRST = (
    "Customer Supplier Order Invoice Delivery Part Material Machine Employee Project Contract Budget Warehouse Shipment"
    " Inspection Ticket Asset License Vehicle Tenant Policy Claim Payment Product Batch Recipe Sensor Meter Station Route"
).split()
_SECOND = (
    "Line Item Group Note Plan Record Entry Address Contact Price Rule Category Status Event Schedule Document Rating"
    " Summary Location Session Request Approval Change Version Target Limit Report Review Assignment Allocation"
).split()
_FIELDS = {
    "name": "String", "code": "String", "status": "String", "createdOn": "Date", "dueOn": "Date", "quantity": "Int",
    "amount": "Measurement", "weight": "Measurement", "isActive": "Boolean", "priority": "Int", "remark": "String",
    "city": "String", "email": "String", "ratio": "Float", "validUntil": "Date",
}  # fmt: skip


@cache
def generated(count: int) -> World:
    """A project of that size with thirty customers, built once a process; nobody changes it."""
    return World(specs(count), {"Customer": [{"id": str(n), "name": f"Customer {n}"} for n in range(1, 31)]})


def specs(count: int, seed: int = 7) -> list[Spec]:
    """`count` kinds of rows, about ten fields and three relations each; every tenth is hidden."""
    draw = random.Random(seed)
    names = [*_FIRST, *(f"{a}{b}" for a in _FIRST for b in _SECOND), *(f"Old{a}{b}" for a in _FIRST for b in _SECOND)]
    found: list[Spec] = []
    for place, name in enumerate(names[:count]):
        fields = {key: kind for key, kind in _FIELDS.items() if key == "name" or draw.random() < 0.6}
        earlier = [spec.name for spec in found]
        targets = draw.sample(earlier, min(len(earlier), draw.choice([1, 1, 2, 2, 3])))
        words = " ".join(draw.choices(_SECOND, k=6)).lower()
        found.append(
            Spec(
                name,
                fields,
                {target[0].lower() + target[1:]: target for target in targets},
                exposed=place % 10 != 9,
                about=f"What we keep of a {name.lower()}: its {words}. Kept for the books and for the yearly report.",
                docs={key: f"The {key} of it, as agreed." for key in list(fields)[:2]},
                choices={"status": ("open", "closed", "on_hold")} if "status" in fields else {},
                searchable=("name",),
            )
        )
    return found
