"""What it takes to say of an answer what it rests on: a short answer, and one with a line for each of 25 rows."""

import json
import statistics
from collections.abc import Mapping
from time import process_time

from dragoman.harness.claims.evidence import Basis
from dragoman.harness.messages import Message, ToolCall, ToolResult

ROWS = 25
TIMES = 40


def evidence() -> dict[str, float]:
    """CPU milliseconds of reading the `short` and the `long` answer, medians, and how many claims each has."""
    short = "There are 25 brackets. Bracket 3 is the cheapest of these with 14 EUR, and Bracket 24 weighs 25.5 kg."
    figures: dict[str, float] = {}
    for name, answer in (("short", short), ("long", "\n".join(["There are 25 brackets:", *map(_line, range(ROWS))]))):
        taken, claims = list[float](), 0
        for _ in range(TIMES):
            basis = _basis()  # an answer is read once, so nothing of it is known before
            begun = process_time()
            found = basis.of(answer)
            taken.append((process_time() - begun) * 1000)
            claims = len(found)
            assert all(claim.source is not None for claim in found), found
        figures |= {name: statistics.median(taken), f"{name}_claims": claims}
    return figures


def told(figures: Mapping[str, float]) -> str:
    """The figures as a sentence."""
    return (
        f"Evidence of an answer with {figures['short_claims']:.0f} claims: {figures['short']:.2f} ms CPU; "
        f"with {figures['long_claims']:.0f} claims in {ROWS} lines: {figures['long']:.1f} ms."
    )


def _line(n: int) -> str:
    return (
        f"- **Bracket {n}** weighs {n + 1.5} kg, costs {n * 3 + 5} EUR and is due on 2026-{n % 12 + 1:02}-{n + 1:02}."
    )


def _basis() -> Basis:
    rows = [
        {
            "id": str(n),
            "name": f"Bracket {n}",
            "mass": {"value": n + 1.5, "unit": "kg"},
            "unitCost": {"value": n * 3 + 5, "unit": "EUR"},
            "dueOn": f"2026-{n % 12 + 1:02}-{n + 1:02}",
        }
        for n in range(ROWS)
    ]
    call = ToolCall("call", "query", {"manager": "Part", "filters": {"name__icontains": "bracket"}})
    result = ToolResult(call.id, call.name, json.dumps({"rows": rows, "total_count": ROWS}))
    basis = Basis()
    basis.follow(
        [
            Message("user", "Which brackets are there, with mass, cost and due date?"),
            Message("assistant", calls=(call,)),
            Message("tool", result=result),
        ]
    )
    return basis
