"""The pages name every command, every flag, and every tool that can be chosen."""

import re
from pathlib import Path

import pytest

from dragoman.cli import main as door
from dragoman.cli import mcp
from dragoman.repo.grounding import ROOMS
from dragoman.repo.repository import Repository
from tests.cli.running import dragoman


@pytest.mark.parametrize("name", door.COMMANDS)
def test_every_command_is_documented(root: Path, name: str):
    assert f"`dragoman {name}" in (root / "docs" / "repository.md").read_text()


@pytest.mark.parametrize("name", ["ask", "serve", "mcp"])
def test_every_flag_of_the_daily_commands_is_documented(root: Path, tmp_path: Path, name: str):
    page = (root / "docs" / "repository.md").read_text()
    flags = set(re.findall(r"--[a-z]+", dragoman(tmp_path, name, "--help").stdout)) - {"--help"}
    assert [flag for flag in sorted(flags) if flag not in page] == []


def test_every_tool_that_an_agent_is_or_may_be_given_is_documented(root: Path, tmp_path: Path):
    told = (root / "docs" / "mcp.md").read_text().partition("## A repository")[2]
    given, chosen = told.split("| `--tools` |")
    nowhere = Repository(tmp_path, tmp_path, False, tmp_path)
    names = {tool.name for room in ROOMS for tool in room(nowhere)}
    assert {name for name in names if f"`{name}`" in given} == {*mcp.NARROW}
    assert {name for name in names if f"`{name}`" in chosen} == names - {*mcp.NARROW}
