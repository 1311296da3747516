"""docs/repository.md names every command and every flag."""

import re
from pathlib import Path

import pytest

from dragoman.cli import main as door
from tests.cli.running import dragoman


@pytest.mark.parametrize("name", door.COMMANDS)
def test_every_command_is_documented(root: Path, name: str):
    assert f"`dragoman {name}" in (root / "docs" / "repository.md").read_text()


@pytest.mark.parametrize("name", ["ask", "serve"])
def test_every_flag_of_the_daily_commands_is_documented(root: Path, tmp_path: Path, name: str):
    page = (root / "docs" / "repository.md").read_text()
    flags = set(re.findall(r"--[a-z]+", dragoman(tmp_path, name, "--help").stdout)) - {"--help"}
    assert [flag for flag in sorted(flags) if flag not in page] == []
