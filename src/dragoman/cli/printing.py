"""Printing: text for a terminal, without what could steer it, and the progress of a scan."""

import argparse
import re
import sys

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

# A file's name or a commit's message may hold escape sequences; nothing of a repository steers somebody's terminal.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    """The text without control characters, line ends and tabs apart."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def errors() -> Console:
    """The console of what is no answer: progress, calls, notes."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


def number(text: str, least: int, most: int) -> int:
    """A number of the command line. Raises ArgumentTypeError, which argparse shows."""
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from {least} to {most:,}")
    return int(text)


class Reporting:
    """A scan's progress on stderr: bars on a terminal, a line a stage elsewhere. Call it as `report`; use it with `with`."""

    def __init__(self, title: str = "") -> None:
        self._title = title
        self._told: set[str] = set()
        self._progress: Progress | None = None
        self._tasks: dict[str, int] = {}

    def __enter__(self) -> "Reporting":
        if sys.stderr.isatty():
            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.completed}"),
                TimeElapsedColumn(),
            )
            self._progress = Progress(*columns, console=errors(), transient=True)
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """Say where the scan stands."""
        if self._progress is None:
            if stage not in self._told:  # several repositories take turns
                print(f"{self._title}{stage} ...", file=sys.stderr, flush=True)
            self._told.add(stage)
            return
        if stage not in self._tasks:
            self._tasks[stage] = self._progress.add_task(f"{self._title}{stage}", total=total)
        self._progress.update(self._tasks[stage], completed=done, total=total)  # type: ignore[arg-type]  # ids are ints
