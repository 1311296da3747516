"""dragoman serve: the chat page of repositories, on this machine only."""

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.text import Text

from dragoman.cli import indexing
from dragoman.cli.printing import errors, number, plain
from dragoman.panel import server
from dragoman.panel.settings import Served
from dragoman.providers import catalog
from dragoman.repo import config
from dragoman.repo.config import Config
from dragoman.repo.repository import Repository, find

PORT = 8421


def add_parser(subparsers: Any) -> None:
    """The words of this command."""
    parser = subparsers.add_parser(
        "serve",
        help="serve the chat page of one or several repositories on this machine",
        description="Serve the page on 127.0.0.1 and print its address, which holds a token. Ctrl-C ends it.",
    )
    parser.add_argument(
        "--repo", type=Path, nargs="+", default=[Path()], metavar="PATH", help="repositories (default: this folder's)"
    )
    parser.add_argument("--port", type=_port, default=PORT, help=f"default {PORT}; 0 takes a free one")
    parser.add_argument("--provider", default="", help="which model answers, instead of the one in dragoman.toml")
    parser.add_argument("--model", default="", help="the model of that provider")


def run(arguments: argparse.Namespace) -> int:
    """Serve until interrupted. Raises ChatError where something is wrong before it begins."""
    console = errors()
    served: list[Served] = []
    for place in arguments.repo:
        repository = find(place)
        if repository.root in [one.repository.root for one in served]:
            continue
        found = config.read(repository)
        name, settings = found.choice(os.environ, arguments.provider, arguments.model)
        catalog.create(name, settings)  # a missing key is said here and not in the page
        console.print(Text(plain(f"{repository.name}: {catalog.explain(name, settings)}"), style="dim"))
        indexing.ensure(repository, found, f"{repository.name}: ")
        served.append(served_by(repository, found, name, settings))
    server.serve(served, arguments.port, lambda address: print(f"Open {address}", flush=True))
    return 0


def served_by(repository: Repository, found: Config, name: str, settings: Mapping[str, Any]) -> Served:
    """The repository with the provider that was chosen, by its own name, and the others that could answer here."""
    chosen = catalog.choose(name, settings)
    # The rest of the file, an address above all, is about the provider it names.
    common = {key: found.provider_config[key] for key in catalog.FOR_ALL if key in found.provider_config}
    others: dict[str, dict[str, Any]] = {one: dict(common) for one in catalog.at_hand(found.keys) if one != chosen.name}
    for one in others.keys() & found.keys.keys():
        others[one]["key_variable"] = found.keys[one]
    return Served(repository, chosen.name, chosen.config, others)


def _port(text: str) -> int:
    return number(text, 0, 65535)
