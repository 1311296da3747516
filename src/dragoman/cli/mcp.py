"""dragoman mcp: the tools of a repository for an agent, over MCP on stdin and stdout."""

import argparse
import asyncio
import difflib
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dragoman.cli import indexing
from dragoman.harness.caller import Caller
from dragoman.harness.errors import ConfigurationError
from dragoman.harness.tools import Toolbox
from dragoman.repo import config
from dragoman.repo.grounding import RepoGrounding
from dragoman.repo.repository import find

# What an agent that reads files by itself does not have. Every further tool costs it context in each conversation.
NARROW = (
    "search_symbols",
    "get_symbol",
    "get_callers",
    "get_callees",
    "find_changes",
    "get_area_history",
    "get_commit",
)
ALL = "all"
PERSON = Caller("local", is_authenticated=True)


def add_parser(subparsers: Any) -> None:
    """The words of this command."""
    parser = subparsers.add_parser(
        "mcp",
        help="give an agent the tools of a repository, over MCP on stdin and stdout",
        description="An MCP server for an agent to start. It ends with its stdin; everything but the protocol goes to stderr.",
    )
    parser.add_argument(
        "--repo", type=Path, default=Path(), metavar="PATH", help="the repository (default: this folder's)"
    )
    parser.add_argument(
        "--tools",
        type=_names,
        default=(),
        metavar="NAMES",
        help=f"tools beside the usual {len(NARROW)}: names with commas between them, or {ALL}",
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve until stdin ends. Raises ChatError where something is wrong before it begins."""
    if find_spec("mcp") is None:
        raise ConfigurationError("dragoman mcp needs a library more. Install it: pip install 'dragoman[mcp]'")
    repository = find(arguments.repo)
    settings = config.read(repository)
    grounding = RepoGrounding(repository, settings)
    box = offered(asyncio.run(grounding.tools(PERSON)), arguments.tools)
    # By name: the library it needs is an extra, and takes a second to import.
    import_module("dragoman.mcp.stdio").serve(grounding, box, partial(indexing.ensure, repository, settings))
    return 0


def offered(toolbox: Toolbox, more: Sequence[str]) -> Toolbox:
    """The narrow tools and those named, in the order of the toolbox. Raises ConfigurationError for a name that is none."""
    for name in more:
        if name != ALL and name not in toolbox.tools:
            close = difflib.get_close_matches(name, [*toolbox.tools, ALL], n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise ConfigurationError(f"Unknown tool {name!r}.{hint} There is: {', '.join(toolbox.tools)}, or {ALL}.")
    wanted = toolbox.tools if ALL in more else {*NARROW, *more}
    return Toolbox.of(tool for name, tool in toolbox.tools.items() if name in wanted)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for part in text.split(",") if (name := part.strip()))
