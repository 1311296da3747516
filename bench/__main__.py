"""`python -m bench [tokens turn stream startup search provider evidence sessions graph scan] [--managers 8,50,200]`: measure, and print tables."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench import evidence, live, provider_turn, scan, sessions, wide, world
from bench.graph import measure as graph

SECTIONS = ("tokens", "turn", "stream", "startup", "search", "provider", "evidence", "sessions")
ASKED = ("graph", "scan")  # only when named: one fetches packages and takes minutes, the other measures --clone
WHOLE = {"provider", "evidence", "sessions", *ASKED}  # these are measured once, whatever the size
STARTS = 5  # of the smallest project, with and without; of a larger one the difference would drown in the rest


def main() -> None:
    """Measure what was asked for, everything by default."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "sections",
        nargs="*",
        metavar="section",
        help=f"of {', '.join(SECTIONS + ASKED)}; the first {len(SECTIONS)} by default",
    )
    parser.add_argument("--managers", default="8,50,200", help="sizes of the generated project")
    parser.add_argument("--clone", action="extend", nargs="+", default=[], type=Path, help="repositories to scan")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON instead of tables")
    options = parser.parse_args()
    if unknown := set(options.sections) - set(SECTIONS + ASKED):
        parser.error(f"unknown section {', '.join(sorted(unknown))}; there is {', '.join(SECTIONS + ASKED)}")
    if "scan" in options.sections and not options.clone:
        parser.error("scan needs clones to measure: --clone PATH")
    sections = options.sections or list(SECTIONS)
    sizes = [int(size) for size in options.managers.split(",")]
    figures = measure(sections, sizes, options.clone)
    if options.json:
        print(json.dumps(figures, indent=2))
    else:
        show(figures, sections)


def measure(sections: list[str], sizes: list[int], clones: list[Path]) -> dict[str, Any]:
    """The figures: one process for each size of project, so that none finds another's caches."""
    figures: dict[str, Any] = {"projects": []}
    for size in sizes if set(sections) - WHOLE else ():
        _say(f"a project with {size} managers ...")
        with tempfile.TemporaryDirectory(prefix="dragoman-bench-") as folder:
            told = _run("bench.child", folder, str(size), ",".join(sections))
            found = json.loads(told.splitlines()[-1])
            if "startup" in sections and size == min(sizes):
                found["startup"]["added"] = _added(Path(folder), STARTS)
            if "stream" in sections and size == min(sizes):
                found["live"] = live.stream(Path(folder, "live"))
        figures["projects"].append(found)
    if "search" in sections:
        _say("a schema with 1,000 types ...")
        figures["wide"] = wide.search()
    if "provider" in sections:
        _say("a turn with a provider's SDK ...")
        figures["provider"] = provider_turn.provider_turn()
    if "evidence" in sections:
        _say("evidence of answers ...")
        figures["evidence"] = evidence.evidence()
    if "scan" in sections:
        _say("clones ...")
        figures["scans"] = scan.scans(clones)
    if "sessions" in sections:
        figures["sessions"] = sessions.sessions(_say)
    if "graph" in sections:
        figures["graph"] = graph.graph(_say)
    return figures


def show(figures: dict[str, Any], sections: list[str]) -> None:
    """Print one table with a column for each size."""
    console = Console(width=None if sys.stdout.isatty() else 120)
    projects = figures["projects"]
    table = Table(title="Generated GeneralManager projects", title_justify="left")
    table.add_column("managers")
    for found in projects:
        table.add_column(f"{found['managers']}", justify="right")

    def row(label: str, section: str, key: str, form: str = ",.0f") -> None:
        table.add_row(label, *(format(f[section][key], form) if key in f.get(section, {}) else "-" for f in projects))

    if "tokens" in sections:
        row("system prompt, tokens", "tokens", "prompt")
        row("tool definitions, tokens", "tokens", "tools")
        row("one search result, tokens", "tokens", "search")
        row("five calls (search, schema, path, query, answer), input tokens", "tokens", "five")
        row("three calls (search, query, answer), input tokens", "tokens", "three")
        table.add_section()
    if "turn" in sections:
        for found in projects:
            turn = found["turn"]
            turn["more"] = turn["memory"] - turn["graphql"]
            turn["kept"] = turn["database"] - turn["memory"]
        row("read turn of three calls, CPU ms", "turn", "database", ".1f")
        row("  its GraphQL executed directly", "turn", "graphql", ".1f")
        row("  keeping the conversation in the database", "turn", "kept", ".1f")
        row("  all the rest: loop, tools, fitting, frames", "turn", "more", ".1f")
        table.add_section()
    if "stream" in sections:
        row("2,000 chunks in process, frames per CPU second", "stream", "frames_per_cpu_second")
        row("2,000 chunks over a WebSocket, frames per CPU second", "live", "frames_per_cpu_second")
        table.add_section()
    if "startup" in sections:
        row("start, CPU s", "startup", "whole", ".2f")
        row("  of it inside dragoman, CPU s", "startup", "dragoman", ".3f")
        row("  with it less without it, medians, CPU s", "startup", "added", ".2f")
        table.add_section()
    if "search" in sections:
        row("first search, index built, CPU ms", "search", "first", ".1f")
        row("later searches, CPU ms", "search", "later", ".1f")
    if projects:
        console.print(table)
    if "provider" in figures:
        console.print(provider_turn.told(figures["provider"]))
    if "evidence" in figures:
        console.print(evidence.told(figures["evidence"]))
    if "sessions" in figures:
        console.print(sessions.table(figures["sessions"]))
    if "graph" in figures:
        console.print(graph.told(figures["graph"]))
    for found in figures.get("scans", ()):
        console.print(scan.told(found))
    if "wide" in figures:
        wide_one = figures["wide"]
        console.print(
            f"Search at {wide_one['types']:,} types: {wide_one['median']:.1f} ms CPU (slowest {wide_one['slowest']:.1f}); "
            f"the first, with the index built: {wide_one['first']:.0f} ms."
        )


def _added(directory: Path, times: int) -> float:
    """Median CPU seconds of a start with the assistant less that of one without it, taken in turns."""
    world.write(directory, sum(1 for line in (directory / "plant/managers.py").open() if line.startswith("class ")) - 1)
    spent: dict[str, list[float]] = {"with_chat": [], "without_chat": []}
    for _ in range(times):
        for settings, seconds in spent.items():
            seconds.append(float(_run("bench.project", str(directory), settings).splitlines()[-1]))
    return statistics.median(spent["with_chat"]) - statistics.median(spent["without_chat"])


def _run(module: str, *arguments: str) -> str:
    here = Path(__file__).resolve().parent.parent
    path = os.pathsep.join(filter(None, [str(here), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        check=False, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}, cwd=here,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{module} failed:\n{done.stderr[-4000:]}")
    return done.stdout


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
