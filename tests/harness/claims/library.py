"""Answers about a library, a clinic and another repository: other tables and other words, never tuned on."""

import random
from typing import Any

from tests.harness.claims.planting import Row, Told

TITLES = [
    "The Glass Orchard",
    "Salt Roads",
    "Winter Ledger",
    "A Map of Rain",
    "The Ninth Bell",
    "Paper Kites",
    "Low Tide",
]
AUTHORS = ["Ines Valdez", "Tomas Berg", "Aoife Nolan", "Kenji Mori", "Clara Weiss", "Samuel Okoro"]
WARDS = ["Cardiology", "Paediatrics", "Intensive Care", "Maternity", "Radiology", "Oncology"]
NOWHERE = [
    "Marigold Press",
    "Harriet Quill",
    "The Amber Door",
    "Osric Vane",
    "Silver Fen",
    "Lucan Frost",
    "Night Ferry",
]
SHORT = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def books(rng: random.Random) -> list[Row]:
    return [
        {
            "id": str(rng.randint(1, 900)),
            "title": title,
            "isbn": f"978-{rng.randint(0, 9)}-{rng.randint(100, 999)}-{rng.randint(10000, 99999)}-{rng.randint(0, 9)}",
            "author": {"fullName": rng.choice(AUTHORS)},
            "pages": rng.randint(90, 900),
            "loans": rng.randint(2, 80),
            "price": f"{rng.uniform(4, 60):.2f}",
            "published": f"{rng.randint(2001, 2024)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}",
            "weight": {"value": rng.randint(120, 1900), "unit": "g"},
        }
        for title in rng.sample(TITLES, rng.randint(4, 6))
    ]


def wards(rng: random.Random) -> list[Row]:
    return [
        {
            "ward": {"name": name},
            "count": rng.randint(5, 90),
            "avg:stayDays": round(rng.uniform(1.2, 14.0), 4),
            "sum:cost": round(rng.uniform(2_000, 4_000_000), 2),
        }
        for name in rng.sample(WARDS, rng.randint(3, 5))
    ]


def told(question: str, rows: list[Row], answer: str, **arguments: Any) -> Told:
    return Told(question, "query", arguments, {"rows": rows, "total_count": len(rows), "has_more": False}, answer)


def shelf(rng: random.Random) -> Told:
    rows = books(rng)
    lines = [
        f"* [[name:{r['title']}]] ([[name:{r['author']['fullName']}]]), [[number:{r['pages']}]] pages" for r in rows
    ]
    return told("List the books", rows, f"I found [[number:{len(rows)}]] books.\n\n" + "\n".join(lines), manager="Book")


def cheapest(rng: random.Random) -> Told:
    rows = sorted(books(rng), key=lambda r: float(r["price"]))
    low, high = rows[0], rows[-1]
    text = (
        f"The cheapest book is [[name:{low['title']}]] at [[number:${low['price']}]]; the most expensive one, "
        f"[[name:{high['title']}]], costs [[number:${high['price']}]]. It was published on [[date:{high['published']}]]."
    )
    return told("Which book is the cheapest?", rows, text, manager="Book", order_by=["price"])


def loans(rng: random.Random) -> Told:
    rows = books(rng)
    most = max(rows, key=lambda r: r["loans"])
    mean = sum(r["loans"] for r in rows) / len(rows)
    text = (
        f"All books together were lent [[number:{sum(r['loans'] for r in rows)}]] times, which is [[number:{mean:.1f}]] per book. "
        f"[[name:{most['title']}]] leads with [[number:{most['loans']}]] loans."
    )
    return told("How often were the books lent?", rows, text, manager="Book")


def stays(rng: random.Random) -> Told:
    rows = wards(rng)
    lines = [
        f"| [[name:{r['ward']['name']}]] | [[number:{r['count']}]] | [[number:{r['avg:stayDays']:.1f}]] | [[number:{r['sum:cost']:,.0f}]] |"
        for r in rows
    ]
    head = "| Ward | Patients | Average stay (days) | Cost |\n| :-- | --: | --: | --: |\n"
    return told(
        "Compare the wards", rows, head + "\n".join(lines), manager="Stay", aggregate={"group_by": ["ward__name"]}
    )


def livres(rng: random.Random) -> Told:
    rows = books(rng)
    one = rows[0]
    price = one["price"].replace(".", ",")
    text = (
        f"Il y a [[number:{len(rows)}]] livres. « [[name:{one['title']}]] » coûte [[number:{price} €]] et compte "
        f"[[number:{one['pages']}]] pages ; il a été emprunté [[number:{one['loans']}]] fois."
    )
    return told("Quels livres avons-nous ?", rows, text, manager="Book")


def symbols(rng: random.Random) -> Told:
    names = rng.sample(
        ["render_page", "LoanDesk.renew", "LoanDesk.close", "parse_isbn", "Shelf.reorder", "fine_for"], 4
    )
    found = [
        {
            "id": f"lib/{n.lower().replace('.', '_')}.py::{n}",
            "kind": "function",
            "path": f"lib/{n.lower().replace('.', '_')}.py",
            "line": rng.randint(20, 300),
            "tier": "certain",
        }
        for n in names
    ]
    target = {"id": "lib/core.py::due_date", "name": "due_date", "path": "lib/core.py", "line": 12}
    lines = [f"- `[[path:{f['path']}]]`, line [[number:{f['line']}]]" for f in found]
    text = f"`due_date` has [[number:{len(found)}]] callers:\n\n" + "\n".join(lines)
    result = {"symbol": target, "found": len(found), "callers": found, "possible_found": 0, "possible": []}
    return Told("Who calls due_date?", "get_callers", {"name": "due_date"}, result, text)


# As a model would shape them ------------------------------------------------------------------------------------------


def bestseller(rng: random.Random) -> Told:
    rows = sorted(books(rng), key=lambda r: -r["loans"])
    lines = [
        f"{n}. **[[name:{r['title']}]]** by [[name:{r['author']['fullName']}]] – [[number:{r['loans']}]] loans"
        for n, r in enumerate(rows[:4], 1)
    ]
    share = 100 * rows[0]["loans"] / sum(r["loans"] for r in rows)
    text = (
        "Happy to help! Based on the catalogue, these are the most borrowed titles:\n\n"
        + "\n".join(lines)
        + f"\n\nThe first alone makes up [[number:{share:.0f}%]] of all loans. Shall I list the next 10, or look at 2025 instead?"
    )
    return told("What are our most borrowed books?", rows, text, manager="Book", order_by=["-loans"])


def profile(rng: random.Random) -> Told:
    rows = books(rng)
    one = rng.choice(rows)
    year, month, number = one["published"].split("-")
    text = (
        f"### {one['title']}\n\n- **Author:** [[name:{one['author']['fullName']}]]\n"
        f"- **Published:** [[date:{SHORT[int(month) - 1]} {int(number)}, {year}]]\n- **ISBN:** [[code:{one['isbn']}]]\n"
        f"- **Weight:** [[number:{one['weight']['value'] / 1000:.3f} kg]]\n- **Pages:** [[number:{one['pages']}]]\n\n"
        "There are two things worth knowing: the price may change, and a copy can be renewed at most twice."
    )
    return told(f"Tell me everything about {one['title']}", [one], text, manager="Book")


def compare(rng: random.Random) -> Told:
    one, two = books(rng)[:2]
    if one["pages"] < two["pages"]:
        one, two = two, one
    text = (
        f"*[[name:{one['title']}]]* runs to [[number:{one['pages']}]] pages, which is [[number:{one['pages'] - two['pages']}]] more "
        f"than *[[name:{two['title']}]]* ([[number:{two['pages']}]]). On the other hand it weighs about "
        f"[[number:{one['weight']['value']} g]], against [[number:{two['weight']['value']} g]] for the second one."
    )
    return told("Compare the two longest books", [one, two], text, manager="Book")


def station(rng: random.Random) -> Told:
    rows = wards(rng)
    most = max(rows, key=lambda r: r["sum:cost"])
    text = (
        f"Die Station mit den höchsten Kosten ist „[[name:{most['ward']['name']}]]“: [[number:{most['sum:cost'] / 1e6:.2f} Mio. Euro]] bei "
        f"[[number:{most['count']}]] Patienten. Über alle Stationen hinweg wurden [[number:{sum(r['count'] for r in rows)}]] Patienten "
        "behandelt. Soll ich das nach Monaten aufschlüsseln?"
    )
    text = text.replace(f"{most['sum:cost'] / 1e6:.2f} Mio", f"{most['sum:cost'] / 1e6:.2f}".replace(".", ",") + " Mio")
    return told(
        "Welche Station kostet am meisten?", rows, text, manager="Stay", aggregate={"measures": ["sum:cost", "count"]}
    )


def blame(rng: random.Random) -> Told:
    rows = []
    while len(rows) < 3:
        sha = f"{rng.getrandbits(160):040x}"
        if any(c.isdigit() for c in sha[:7]) and any(c.isalpha() for c in sha[:7]):
            rows.append(
                {
                    "sha": sha,
                    "subject": rng.choice(["Charge fines by the day", "Let a loan be renewed twice"]),
                    "author": rng.choice(AUTHORS),
                    "date": f"2026-0{rng.randint(1, 9)}-{rng.randint(10, 28)}T10:{rng.randint(10, 59)}:00+02:00",
                    "files_changed": rng.randint(1, 12),
                }
            )
    a, b = rows[0], rows[1]
    text = (
        f"The rule came in with commit `[[hash:{a['sha'][:7]}]]` ([[name:{a['author']}]], [[date:{a['date'][:10]}]]) and was changed once more in "
        f"`[[hash:{b['sha'][:10]}]]`, which touched [[number:{b['files_changed']}]] files. Why it was done that way isn't recorded in either message."
    )
    return Told(
        "Since when can loans be renewed?", "find_changes", {"query": "renew"}, {"found": 3, "commits": rows}, text
    )


PLAIN = [shelf, cheapest, loans, stays, livres, symbols]
SHAPED = [bestseller, profile, compare, station, blame]
