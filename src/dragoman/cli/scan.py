"""dragoman scan: index repositories, or bring their indexes up to date, and say what was found."""

import argparse
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from dragoman.cli.printing import Reporting, errors, number, plain
from dragoman.cli.scanning import BROKER_VARIABLE, job, summary
from dragoman.harness.errors import ConfigurationError
from dragoman.repo.many import Job, Outcome, scan_many

DONE, FAILED = 0, 1
_LABEL = len("incomplete commits")


def add_parser(subparsers: Any) -> None:
    """The words of this command."""
    parser = subparsers.add_parser(
        "scan",
        help="index repositories, or bring their indexes up to date",
        description="Index repositories: their code and their history. Only what changed is read; a scan that was cut "
        f"short goes on where it was. Several are spread over processes, or over Celery workers where {BROKER_VARIABLE} is set.",
    )
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="repositories (default: this folder's)")
    parser.add_argument("--json", action="store_true", help="print what was found as JSON")
    parser.add_argument("--full", action="store_true", help="read every file again")
    parser.add_argument("--processes", type=_processes, metavar="N", help="at most so many repositories at once")


def run(options: argparse.Namespace) -> int:
    """Scan them; 0 when all are indexed, 1 when one is not, or not to be trusted."""
    told = [_told(outcome) for outcome in _outcomes(options)]
    if options.json:
        print(json.dumps(told if len(options.paths) > 1 else told[0], ensure_ascii=False, indent=2))
    else:
        _show(told)
    return FAILED if any(one.get("error") or one.get("fault") for one in told) else DONE


def _outcomes(options: argparse.Namespace) -> Iterator[Outcome | dict[str, Any]]:
    paths: Sequence[Path] = options.paths or [Path()]
    broker = os.environ.get(BROKER_VARIABLE, "").strip()
    if broker and len(paths) > 1:
        yield from _over_workers(paths, anew=options.full)
        return
    jobs: list[Job] = []
    for path in paths:
        try:
            jobs.append(job(path, anew=options.full))
        except ConfigurationError as error:
            if len(paths) == 1:
                raise
            yield {"repository": str(path), "error": error.message}
    with Reporting() as report:
        several = len(jobs) > 1
        yield from scan_many(
            jobs,
            lambda one, stage, done, total: report(
                f"{one.repository.name}: {stage}" if several else stage, done, total
            ),
            options.processes,
        )


def _over_workers(paths: Sequence[Path], *, anew: bool) -> Iterator[dict[str, Any]]:
    try:
        from dragoman.cli import workers  # noqa: PLC0415  # Celery is an extra
    except ModuleNotFoundError as error:
        if error.name != "celery":
            raise
        raise ConfigurationError(
            f"{BROKER_VARIABLE} is set, and Celery is missing. Install it: pip install 'dragoman[celery]'"
        ) from None
    yield from workers.spread(paths, anew=anew)


def _told(outcome: Outcome | dict[str, Any]) -> dict[str, Any]:
    if isinstance(outcome, dict):
        return outcome
    if outcome.scanned is None:
        return {"repository": str(outcome.job.repository.root), "error": outcome.error}
    return summary(outcome.scanned)


def _show(told: Sequence[dict[str, Any]]) -> None:
    console = Console(highlight=False, soft_wrap=True)
    for one in told:
        if one.get("error"):
            errors().print(Text(plain(f"{one['repository']}: {one['error']}"), style="red"))
            continue
        console.print(Text(plain(one["repository"]), style="bold"))
        for label, value in _rows(one):
            console.print(Text(f"  {label:<{_LABEL}}  ").append(plain(value)))
        if one.get("fault"):
            errors().print(Text(plain(one["fault"]), style="red"))


def _rows(one: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "files", f"{one['files']:,}; {one['read']:,} read now"
    yield "symbols", f"{one['symbols']:,}"
    sure = ", ".join(f"{count:,} {tier}" for tier, count in one["calls"].items())
    yield "calls", f"{sure or 'none'}; {one['possible_calls']:,} possible, {one['unresolved_calls']:,} unresolved"
    branch = f", on {one['branch']}" if one["branch"] else ""
    yield "commits", f"{one['commits']:,}, {one['new_commits']:,} of them new{branch}"
    for what, key in (("left out", "skipped"), ("incomplete commits", "incomplete_commits")):
        if one[key]:
            yield what, ", ".join(f"{count:,} {reason}" for reason, count in one[key].items())
    if one["failed"]:
        first = one["failed"][0]
        yield "not understood", f"{len(one['failed']):,} files, the first {first['path']} ({first['why']})"
    if one.get("history_stopped"):
        yield "history", one["history_stopped"]
    yield "took", f"{one['seconds']:g} s"
    yield "index", one["index"]


def _processes(text: str) -> int:
    return number(text, 1, 1_000)
