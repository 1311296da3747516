"""Answers about a workshop's projects and parts, and about a repository: those the matching was tuned on."""

import random
from typing import Any

from tests.harness.claims.planting import Row, Told

PROJECTS = ["Apollo", "Gemini", "Mercury Works", "Voyager", "Skylab", "Ranger Two", "Surveyor", "Galileo", "Magellan"]
SUPPLIERS = ["Boltwerk AG", "Rhein Metall GmbH", "Fjord Steel", "Kestrel Parts", "Lindner & Co", "Osaka Precision"]
PARTS = ["Hinge 40", "Cobalt Magnet", "Steel Plate", "Axle M12", "Copper Coil", "Drive Belt", "Bearing 6204", "Gasket"]
NOWHERE = [
    "Zephyr",
    "Northwind Industries",
    "Halcyon",
    "Polaris Group",
    "Tiberius",
    "Quantum Forge",
    "Vesta",
    "Oriel Labs",
]
MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October"]
MONATE = ["Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober"]


def rows_of(rng: random.Random, most: int = 6) -> list[Row]:
    names = rng.sample(PROJECTS, rng.randint(4, most))
    return [
        {
            "id": str(rng.randint(1, 400)),
            "name": name,
            "status": rng.choice(["active", "planned", "closed"]),
            "budget": {"value": round(rng.uniform(900, 90000), 2), "unit": "EUR"},
            "deadline": f"2027-{rng.randint(1, 9):02}-{rng.randint(1, 28):02}",
            "supplier": {"name": rng.choice(SUPPLIERS)},
            "partCount": rng.randint(3, 60),
            "progress": round(rng.uniform(0.05, 0.99), 3),
        }
        for name in names
    ]


def told(question: str, rows: list[Row], answer: str, **arguments: Any) -> Told:
    result = {"rows": rows, "total_count": len(rows), "has_more": False, "next_offset": None}
    return Told(question, "query", {"manager": "Project", "limit": 20, **arguments}, result, answer)


def english(value: float, digits: int = 2) -> str:
    return f"{value:,.{digits}f}"


def german(value: float, digits: int = 2) -> str:
    return f"{value:,.{digits}f}".translate(str.maketrans(",.", ".,"))


def day(iso: str) -> str:
    year, month, number = iso.split("-")
    return f"{int(number)} {MONTHS[int(month) - 1]} {year}"


def tag(iso: str) -> str:
    year, month, number = iso.split("-")
    return f"{int(number)}. {MONATE[int(month) - 1]} {year}"


def listing(rng: random.Random) -> Told:
    rows = rows_of(rng)
    lines = [
        f"- [[name:{r['name']}]]: [[number:{english(r['budget']['value'])} EUR]], due [[date:{r['deadline']}]]"
        for r in rows
    ]
    return told("Which projects do we have?", rows, f"There are [[number:{len(rows)}]] projects:\n" + "\n".join(lines))


def table(rng: random.Random) -> Told:
    rows = rows_of(rng)
    lines = [
        f"| [[name:{r['name']}]] | {r['status']} | [[number:{r['partCount']}]] | [[name:{r['supplier']['name']}]] |"
        for r in rows
    ]
    head = "| Project | Status | Parts | Supplier |\n|---|---|---|---|\n"
    return told("Show the projects with their part counts", rows, "Here they are:\n\n" + head + "\n".join(lines))


def single(rng: random.Random) -> Told:
    row = rows_of(rng)[0]
    text = (
        f"[[name:{row['name']}]] has a budget of [[number:{english(row['budget']['value'])} EUR]] and is due on "
        f"[[date:{day(row['deadline'])}]]. It needs [[number:{row['partCount']}]] parts."
    )
    return told(f"Tell me about {row['name']}", [row], text.replace(f"[[name:{row['name']}]]", row["name"]))


def total(rng: random.Random) -> Told:
    rows = rows_of(rng)
    budgets = [r["budget"]["value"] for r in rows]
    text = (
        f"The [[number:{len(rows)}]] projects have a total budget of [[number:{english(sum(budgets))} EUR]], on average "
        f"[[number:{english(sum(budgets) / len(budgets))} EUR]]. The largest is [[name:{max(rows, key=lambda r: r['budget']['value'])['name']}]]."
    )
    return told("What is the total budget?", rows, text)


def liste(rng: random.Random) -> Told:
    rows = rows_of(rng)
    lines = [
        f"- [[name:{r['name']}]] – Budget [[number:{german(r['budget']['value'])} €]], fällig am [[date:{tag(r['deadline'])}]]"
        for r in rows
    ]
    return told("Welche Projekte gibt es?", rows, f"Es gibt [[number:{len(rows)}]] Projekte:\n\n" + "\n".join(lines))


def commits(rng: random.Random) -> Told:
    paths = [
        "src/engine/planner.py",
        "src/web/views.py",
        "docs/setup.md",
        "tests/test_ledger.py",
        "src/engine/ledger.py",
    ]
    rows = [
        {
            "sha": f"{rng.getrandbits(160):040x}",
            "subject": rng.choice(
                ["Fix the rounding of totals", "Add a planner", "Drop the old cache", "Speed up the index"]
            ),
            "author": rng.choice(["Ada Byron", "Lin Chen", "Per Olsen"]),
            "date": f"2026-{rng.randint(1, 9):02}-{rng.randint(1, 28):02}T{rng.randint(8, 18):02}:{rng.randint(10, 59)}:00+00:00",
            "path": rng.choice(paths),
            "insertions": rng.randint(1, 400),
            "deletions": rng.randint(1, 200),
        }
        for _ in range(4)
    ]
    one = rows[0]
    while not (any(c.isdigit() for c in one["sha"][:8]) and any(c.isalpha() for c in one["sha"][:8])):
        one["sha"] = f"{rng.getrandbits(160):040x}"
    text = (
        f"The newest change is [[hash:{one['sha'][:8]}]] by [[name:{one['author']}]] on [[date:{one['date'][:10]}]]: it touches "
        f"`[[path:{one['path']}]]` with [[number:{one['insertions']}]] insertions and [[number:{one['deletions']}]] deletions."
    )
    return Told("What changed last?", "find_changes", {"limit": 20}, {"found": 4, "commits": rows}, text)


# As a model would shape them ------------------------------------------------------------------------------------------


def chatty(rng: random.Random) -> Told:
    rows = sorted(rows_of(rng), key=lambda r: -r["budget"]["value"])
    top = rows[:3]
    lines = [
        f"{n}. **[[name:{r['name']}]]** — [[number:€{english(r['budget']['value'], 0)}]] ([[name:{r['supplier']['name']}]])"
        for n, r in enumerate(top, 1)
    ]
    text = "Sure! Here are the top [[number:3]] projects by budget:\n\n" + "\n".join(lines)
    text += (
        f"\n\nTogether they account for roughly [[number:€{english(sum(r['budget']['value'] for r in top), 0)}]]. "
        "Let me know if you'd like me to break this down in one of two ways: by month or by supplier."
    )
    return told("What are the top 3 projects by budget?", rows, text, order_by=["-budget"])


def gap(rng: random.Random) -> Told:
    rows = sorted(rows_of(rng), key=lambda r: -r["partCount"])
    one, two = rows[0], rows[-1]
    text = (
        f"Great question. **[[name:{one['name']}]]** uses the most parts ([[number:{one['partCount']}]]), while "
        f"**[[name:{two['name']}]]** uses the fewest ([[number:{two['partCount']}]]). That is a difference of "
        f"[[number:{one['partCount'] - two['partCount']}]] parts."
    )
    return told("Which project uses the most parts?", rows, text)


def percentages(rng: random.Random) -> Told:
    rows = rows_of(rng)
    lines = [f"* [[name:{r['name']}]] is [[number:{r['progress'] * 100:.1f}%]] done ({r['status']})" for r in rows]
    active = sum(r["status"] == "active" for r in rows)
    text = "## Progress at a glance\n\n" + "\n".join(lines)
    if active:
        text += f"\n\n[[number:{active}]] of them are active. Note: this reflects your own permissions."
    return told("How far along are the projects?", rows, text)


def zusammenfassung(rng: random.Random) -> Told:
    rows = rows_of(rng)
    best = max(rows, key=lambda r: r["budget"]["value"])
    parts = sum(r["partCount"] for r in rows)
    text = (
        f"Das teuerste Projekt ist „[[name:{best['name']}]]“ mit rund [[number:{german(best['budget']['value'], 0)} Euro]]; "
        f"geliefert wird es von „[[name:{best['supplier']['name']}]]“. Insgesamt brauchen die [[number:{len(rows)}]] Projekte "
        f"[[number:{parts}]] Teile. Schritt 1 wäre, die Termine zu prüfen – zum Beispiel den [[date:{best['deadline'][8:]}.{best['deadline'][5:7]}.2027]]."
    )
    return told("Was ist das teuerste Projekt?", rows, text)


def soon(rng: random.Random) -> Told:
    rows = sorted(rows_of(rng), key=lambda r: r["deadline"])
    first = rows[0]
    month, number = MONTHS[int(first["deadline"][5:7]) - 1], int(first["deadline"][8:])
    text = (
        f"As of December 1, 2026, the next deadline is [[date:{month} {number}, 2027]] for [[name:{first['name']}]] "
        f"(status: {first['status']}). In short:\n\n- **Budget:** [[number:{first['budget']['value']:.2f} EUR]]\n"
        f"- **Parts:** [[number:{first['partCount']}]]\n- **Supplier:** [[name:{first['supplier']['name']}]]"
    )
    return told("What is due next?", rows, text)


PLAIN = [listing, table, single, total, liste, commits]
SHAPED = [chatty, gap, percentages, zusammenfassung, soon]
