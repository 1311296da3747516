"""docs/providers.md tells of every provider, setting and code there is."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from dragoman.providers.catalog import SERVICES
from dragoman.providers.settings import Settings


@pytest.fixture
def page(root: Path) -> str:
    return (root / "docs/providers.md").read_text(encoding="utf-8")


def test_the_table_lists_the_providers_in_the_order_they_are_looked_for(page: str):
    rows = re.findall(r'^\| `(\w+)` \| `(\w+)` \| (.*?) \| `pip install "dragoman\[(\w+)\]"`', page, re.MULTILINE)
    told = [(name, kind, extra) for name, kind, _, extra in rows]
    assert told == [(name, kind.__name__, kind.extra) for name, kind in SERVICES.items()]
    for name, _, keys, _ in rows:
        assert re.findall(r"`(\w+)`", keys) == list(SERVICES[name].keys)


def test_every_setting_is_told_with_its_default(page: str):
    table = page[page.index("## Configuration") : page.index("## Servers of your own")]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == [one.name for one in fields(Settings)]
    for one in fields(Settings):
        if isinstance(one.default, int | float):
            assert f"| `{one.name}` | {one.default} |" in table


def test_every_code_is_told(page: str, root: Path):
    told = set(re.findall(r"^\| `(\w+)` \| ", page[page.index("## When a service fails") :], re.MULTILINE))
    source = "".join(path.read_text(encoding="utf-8") for path in (root / "src/dragoman/providers").glob("*.py"))
    assert set(re.findall(r'code="(\w+)"', source)) - {"script_over"} <= told
