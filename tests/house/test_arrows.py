"""The contracts of pyproject.toml can fail: each kind of wrong arrow, planted in a small house, is found and named."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOMS = ("cli", "panel", "django", "mcp", "evals", "graphql", "repo", "providers", "harness")
ARROWS = "Arrows run one way"
CIRCLES = "No circles"
FRAMEWORK = "No framework below dragoman.django"


@pytest.fixture
def small_house(tmp_path: Path, root: Path) -> Path:
    """Every room with one empty file, under the real contracts."""
    shutil.copy(root / "pyproject.toml", tmp_path)
    house = tmp_path / "src" / "dragoman"
    for room in ("", *ROOMS):
        (house / room).mkdir(parents=True)
        (house / room / "__init__.py").touch()
    for room in ROOMS:
        (house / room / "one.py").touch()
        (house / room / "two.py").touch()
    return house


def broken_contracts(house: Path) -> set[str]:
    top = house.parent.parent
    lint = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=top,
        env=os.environ | {"PYTHONPATH": str(house.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    broken = {line.removesuffix(" BROKEN") for line in lint.stdout.splitlines() if line.endswith(" BROKEN")}
    assert lint.returncode == bool(broken), lint.stdout + lint.stderr
    return broken


def test_arrows_that_run_down_are_kept(small_house: Path):
    for above, below in zip(
        ("cli", "panel", "django", "mcp", "evals"), ("panel", "django", "mcp", "evals", "graphql"), strict=True
    ):
        (small_house / above / "one.py").write_text(f"from dragoman.{below} import one\n")
    (small_house / "repo" / "one.py").write_text("from dragoman.harness import one\n")
    assert broken_contracts(small_house) == set()


@pytest.mark.parametrize(
    ("where", "source", "contract"),
    [
        ("harness/one.py", "import dragoman.evals.one\n", ARROWS),
        ("evals/one.py", "from dragoman.django import one\n", ARROWS),
        ("graphql/one.py", "from dragoman.repo import one\n", ARROWS),
        ("providers/one.py", "from dragoman.graphql import one\n", ARROWS),
        ("harness/one.py", "def later():\n    import dragoman.mcp.one\n", ARROWS),
        ("harness/one.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import dragoman.cli\n", ARROWS),
        ("attic/__init__.py", "", ARROWS),
        ("evals/one.py", "def later():\n    import django.db.models\n", FRAMEWORK),
        ("graphql/one.py", "import general_manager\n", FRAMEWORK),
    ],
    ids=[
        "up",
        "up by from",
        "sideways",
        "sideways back",
        "inside a function",
        "for types only",
        "a room nobody drew",
        "a framework",
        "a host",
    ],
)
def test_a_wrong_arrow_is_found(small_house: Path, where: str, source: str, contract: str):
    (small_house / where).parent.mkdir(exist_ok=True)
    (small_house / where).write_text(source)
    assert broken_contracts(small_house) == {contract}


@pytest.mark.parametrize("back", ["import dragoman.harness.one\n", "def later():\n    import dragoman.harness.one\n"])
def test_a_circle_inside_a_room_is_found(small_house: Path, back: str):
    (small_house / "harness" / "one.py").write_text("from dragoman.harness import two\n")
    (small_house / "harness" / "two.py").write_text(back)
    assert broken_contracts(small_house) == {CIRCLES}


def test_every_room_below_django_is_in_the_contract_about_frameworks(root: Path):
    contracts = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (below,) = [contract["source_modules"] for contract in contracts if contract["name"] == FRAMEWORK]
    rooms = {path.parent.name for path in (root / "src" / "dragoman").glob("*/__init__.py")}
    assert {f"dragoman.{room}" for room in rooms - {"cli", "panel", "django"}} == set(below)
