"""Put questions with known answers to this project's assistant, and print what share it gets right."""

import json
import sys
from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path
from typing import Any

from asgiref.sync import async_to_sync
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from rich.console import Console, RenderableType

from dragoman.django import conf
from dragoman.django.assistants import assistant as configured
from dragoman.django.evals import DatabaseStage, eval_database
from dragoman.evals.cases import Case, load
from dragoman.evals.report import PASS_SHARE, as_json, failures, good_enough, table
from dragoman.evals.results import Report, Verdict
from dragoman.evals.runner import run
from dragoman.harness.assistant import Assistant
from dragoman.harness.errors import ChatError
from dragoman.providers import catalog


class Command(BaseCommand):
    """Exits with 1 when too few cases pass, or one is answered wrongly with confidence."""

    help = "Play the project's eval cases against its assistant, in a database of their own, and print a table."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where the cases are, which of them, with which providers, and how good is good enough."""
        parser.add_argument(
            "--cases", type=Path, action="append", help="file or directory (default: evals/ of the project)"
        )
        parser.add_argument(
            "--case", action="append", default=[], metavar="NAME", help="only this case; may be repeated"
        )
        parser.add_argument(
            "--provider", action="append", default=[], metavar="NAME", help="instead of the configured one"
        )
        parser.add_argument("--compare", default="", metavar="A,B,C", help="these providers, one row of the table each")
        parser.add_argument("--alias", default="default", help="which assistant of DRAGOMAN")
        parser.add_argument(
            "--at-least", type=float, default=PASS_SHARE * 100, metavar="PERCENT", help="of cases that must pass"
        )
        parser.add_argument(
            "--migrate", action="store_true", help="make the tables by the migrations, where they need it"
        )
        parser.add_argument("--json", action="store_true", help="print every verdict as JSON instead of the table")

    def handle(self, *args: Any, **options: Any) -> None:
        """Play and print; CommandError with 1 where the cases ask for more than the assistant gives."""
        names = [*options["provider"], *filter(None, (name.strip() for name in options["compare"].split(",")))]
        try:
            cases = _chosen(load(options["cases"] or [_home()]), options["case"])
            with eval_database(migrate=options["migrate"]):
                report = self._play(cases, _contestants(options["alias"], names), options["verbosity"])
        except ChatError as error:
            raise CommandError(error.message) from error
        if options["json"]:
            self.stdout.write(json.dumps(as_json(report), ensure_ascii=False, indent=2))
        else:
            self._print(failures(report))
            self._print(table(report))
        if not good_enough(report, options["at_least"] / 100):
            # The table has said it all; a traceback or a second sentence would only push it off the screen.
            sys.exit(1)

    def _play(self, cases: list[Case], contestants: dict[str, Assistant], verbosity: int) -> Report:
        stage = DatabaseStage()
        verdicts: list[Verdict] = []
        try:
            for name, assistant in contestants.items():
                report = async_to_sync(run)(
                    cases, assistant, provider=name, stage=stage, told=self._tell if verbosity > 1 else _silent
                )
                verdicts += report.verdicts
        finally:
            stage.close()
        return Report(tuple(verdicts))

    def _tell(self, verdict: Verdict) -> None:
        self.stderr.write(f"{'passed' if verdict.passed else 'FAILED'}  {verdict.provider}  {verdict.case.name}")

    def _print(self, drawn: RenderableType) -> None:
        console = Console(width=None if sys.stdout.isatty() else 150, force_terminal=sys.stdout.isatty())
        with console.capture() as captured:
            console.print(drawn)
        self.stdout.write(captured.get())


def _silent(verdict: Verdict) -> None:
    pass


def _home() -> Path:
    return Path(getattr(settings, "BASE_DIR", ".")) / "evals"


def _chosen(cases: list[Case], names: list[str]) -> list[Case]:
    known = {case.name: case for case in cases}
    if unknown := [name for name in names if name not in known]:
        raise CommandError(f"No case is called {', '.join(unknown)}. There is: {', '.join(known)}.")
    return [known[name] for name in names] or cases


def _contestants(alias: str, names: list[str]) -> dict[str, Assistant]:
    assistant = configured(alias)
    found = conf.assistants()[alias]
    if not names:
        return {found.provider: assistant}
    return {name: replace(assistant, provider=catalog.create(name, found.provider_config)) for name in names}
