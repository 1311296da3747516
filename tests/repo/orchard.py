"""A small repository with a known history, made by git itself: fifteen commits of three people within a year."""

import os
import subprocess
from pathlib import Path

ADA, BEN, CEM = ("Ada Apfel", "ada@orchard.test"), ("Ben Birne", "ben@orchard.test"), ("Cem Citrus", "cem@orchard.test")

_WINDOW_1 = '''\
"""Keep what fits."""


def fit_window(items, budget):
    """Keep the newest items that fit into the budget."""
    kept = []
    for item in reversed(items):
        budget -= len(item)
        kept.append(item)
    return kept
'''

_WINDOW_2 = '''\
"""Keep what fits."""


def fit_window(items, budget):
    """Keep the newest items that fit into the budget."""
    window = Window(budget)
    for item in reversed(items):
        window.add(item)
    return window.items


class Window:
    """Items under a budget, oldest first out."""

    def __init__(self, budget):
        self.budget = budget
        self.items = []

    def add(self, item):
        """Add an item and trim."""
        self.items.append(item)
        self.trim()

    def total(self):
        """How much the items weigh."""
        return sum(len(item) for item in self.items)

    def trim(self):
        """Drop the oldest items until the rest fits."""
        while self.total() > self.budget:
            self.items.pop(0)
'''

_WINDOW_3 = _WINDOW_2.replace(
    "sum(len(item) for item in self.items)", "sum((len(item) for item in self.items), start=0)"
)
_WINDOW_4 = _WINDOW_3.replace("while self.total() > self.budget:", "while self.items and self.total() > self.budget:")
_WINDOW_5 = _WINDOW_4.replace(
    "    window = Window(budget)\n",
    '    if budget < 0:\n        raise ValueError("A budget is not below zero.")\n    window = Window(budget)\n',
)

_STORE = '''\
"""Keep items on disk."""

import json


class Store:
    """Items in a JSON file."""

    def __init__(self, path):
        self.path = path

    def load(self):
        """Read all items."""
        with self._open("r") as file:
            return json.load(file)

    def save(self, items):
        """Write all items."""
        with self._open("w") as file:
            json.dump(items, file)

    def _open(self, mode):
        return open(self.path, mode)
'''

_RENDER_1 = '''\
"""Show items to people."""


def render(items):
    """Items as text."""
    return table([[item] for item in items])


def table(rows):
    """Rows as lines."""
    return "\\n".join(" ".join(row) for row in rows)
'''

_RENDER_2 = (
    _RENDER_1
    + '''

class Report:
    """A report of items."""

    def __init__(self, items):
        self.items = items

    def render(self):
        """The report as text."""
        return render(self.items)
'''
)

_CLI = '''\
"""The command line."""

from orchard.render import render
from orchard.{module} import Store
from orchard.window import fit_window


def main(path: str, budget: int = 100) -> str:
    """Load, fit and show."""
    store = Store(path)
    items = fit_window(store.load(), budget)
    store.save(items)
    return render(items)
'''

_RATES = '''\
"""Conversion rates."""

RATES = {"EUR": 1.0, "USD": 1.1}


def convert(amount, currency):
    """An amount in another currency."""
    return amount * rate_of(currency)


def rate_of(currency):
    """The rate of a currency, from the cache."""
    return RATES[currency]
'''

_CHART = """\
// Draw charts in the browser.
export class Axis {
  constructor(readonly label: string) {}

  ticks(count: number): number[] {
    return Array.from({ length: count }, (_, place) => place);
  }
}

export function drawChart(values: number[]): string {
  const axis = new Axis("x");
  return axis.ticks(values.length).join(" ");
}
"""

_TEST = '''\
"""Does the window keep what fits?"""

from orchard.window import fit_window


def test_the_newest_is_kept():
    assert fit_window(["a", "bb"], 2) == ["a"]
'''

_TEST_2 = (
    _TEST
    + """

def test_a_budget_below_zero_is_refused():
    try:
        fit_window([], -1)
    except ValueError:
        return
    raise AssertionError
"""
)


def build(root: Path) -> Path:
    """Make the repository in `root` and answer with it."""
    root.mkdir(parents=True)
    git(root, "init", "--quiet", "--initial-branch", "main")
    src = "src/orchard"
    commits: list[tuple[tuple[str, str], str, str, dict[str, str]]] = [
        (ADA, "2026-01-12", "Start the orchard", {"README.md": "# Orchard\n\nKeeps fruit.\n", f"{src}/__init__.py": ""}),
        (ADA, "2026-01-20", "Fit items into a window", {f"{src}/window.py": _WINDOW_1}),
        (BEN, "2026-02-03", "Keep items in a storage", {f"{src}/storage.py": _STORE}),
        (ADA, "2026-02-17", "Trim the oldest items first", {f"{src}/window.py": _WINDOW_2}),
        (CEM, "2026-03-05", "Render items as a table", {f"{src}/render.py": _RENDER_1}),
        (BEN, "2026-03-09", "Add the command line", {f"{src}/cli.py": _CLI.format(module="storage")}),
        (ADA, "2026-04-02", "Cache conversion rates", {f"{src}/money/__init__.py": "", f"{src}/money/rates.py": _RATES}),
        (BEN, "2026-04-15", "Fix the total of an empty window", {f"{src}/window.py": _WINDOW_3}),
        (CEM, "2026-05-11", "Draw charts in the browser", {"web/chart.ts": _CHART}),
        (ADA, "2026-06-01", "Test the window", {"tests/test_window.py": _TEST}),
        (BEN, "2026-07-07", "Call the storage a store", {f"{src}/cli.py": _CLI.format(module="store")}),
        (CEM, "2026-08-19", "Let reports render themselves", {f"{src}/render.py": _RENDER_2}),
        (ADA, "2026-09-23", "Stop trimming at the last item", {f"{src}/window.py": _WINDOW_4}),
        (BEN, "2026-11-02", "Explain the design", {"docs/design.md": "# Design\n\nTODO: say more about the cache.\n"}),
        (ADA, "2026-11-24", "Refuse a budget below zero", {f"{src}/window.py": _WINDOW_5, "tests/test_window.py": _TEST_2}),
    ]  # fmt: skip
    for author, day, subject, files in commits:
        if subject == "Call the storage a store":
            git(root, "mv", f"{src}/storage.py", f"{src}/store.py")
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, "utf-8")
        git(root, "add", "--all")
        git(root, "commit", "--quiet", "--message", subject, author=author, day=day)
    return root


def git(root: Path, *words: str, author: tuple[str, str] = ADA, day: str = "2026-01-01") -> str:
    """Run git there, as somebody on some day and with nobody's configuration; its output."""
    name, email = author
    moment = f"{day}T12:00:00+00:00"
    environment = {
        **os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": email, "GIT_AUTHOR_DATE": moment,
        "GIT_COMMITTER_NAME": name, "GIT_COMMITTER_EMAIL": email, "GIT_COMMITTER_DATE": moment,
    }  # fmt: skip
    done = subprocess.run(["git", "-C", str(root), *words], check=True, capture_output=True, text=True, env=environment)
    return done.stdout.strip()
