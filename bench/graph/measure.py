"""Precision and recall of the call edges against scip-python and scip-typescript, and what they cost."""

import json
import random
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from rich.table import Table

from bench.graph import inputs, scip
from bench.graph.judge import Verdict, judge, read, read_configs

DRAWN = 50
SEED = 20261201


def graph(say: Callable[[str], None]) -> dict[str, Any]:
    """The figures; {"missing": why} where the tools are not here.

    Precision is over edges whose call the type checker could place, recall over calls whose target lies in the
    repository. Every disagreement is written to `disagreements.txt` in the folder of the inputs, a fixed random draw of
    them to `drawn.txt`; `bench/graph/judged.md` judges that draw by hand.
    """
    if why := inputs.missing():
        return {"missing": why}
    rows: dict[str, Any] = {}
    pooled = Verdict()
    for name in inputs.PYTHON:
        root, index = inputs.python(name, say)
        say(f"judge {name} ...")
        verdict = judge(root.name, read(root, "python"), scip.load(index))
        rows[root.name] = _row(verdict) | {"cost": _cost(str(root))}
        pooled += verdict
    rows["pooled"] = _row(pooled)
    root, index = inputs.script(say)
    files = {path: facts for path, facts in read(root, "typescript").items() if path.startswith("src/")}
    verdict = judge("-".join(inputs.SCRIPT), files, scip.load(index), read_configs(root))
    rows["-".join(inputs.SCRIPT)] = _row(verdict)
    wrong = pooled.disagreements + verdict.disagreements
    home = inputs.place()
    (home / "disagreements.txt").write_text("\n".join(wrong) + "\n")
    (home / "missed.txt").write_text("\n".join(pooled.missed + verdict.missed) + "\n")
    drawn = random.Random(SEED).sample(sorted(pooled.disagreements), min(DRAWN, len(pooled.disagreements)))
    (home / "drawn.txt").write_text("\n".join(drawn) + "\n")
    return {"rows": rows, "disagreements": str(home / "disagreements.txt")}


def told(figures: dict[str, Any]) -> Table | str:
    """The figures as a table, or why there are none."""
    if "missing" in figures:
        return f"Call edges were not measured: {figures['missing']}."
    table = Table(title="Call edges against a type checker", title_justify="left")
    heads = "repository, edges, judged, precision %, known calls, recall %, read CPU s, resolve CPU s, peak MB"
    for head in heads.split(", "):
        table.add_column(head, justify="left" if head == "repository" else "right")
    for name, row in figures["rows"].items():
        cost = row.get("cost")
        spent = [f"{cost['read']:.2f}", f"{cost['resolve']:.2f}", f"{cost['megabytes']:.0f}"] if cost else ["", "", ""]
        counted = [f"{row['edges']:,}", f"{row['judged']:,}", f"{100 * row['precision']:.2f}"]
        table.add_row(name, *counted, f"{row['known']:,}", f"{100 * row['recall']:.2f}", *spent)
    return table


def _row(verdict: Verdict) -> dict[str, Any]:
    names = ("edges", "judged", "right", "on_variable", "known", "found", "precision", "recall")
    return {name: getattr(verdict, name) for name in names}


def _cost(root: str) -> dict[str, Any]:
    done = subprocess.run([sys.executable, "-m", "bench.graph.cost", root], check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found
