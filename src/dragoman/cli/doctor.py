"""dragoman doctor: what is wrong here, and how to mend it."""

import argparse
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from rich.console import Console
from rich.text import Text

from dragoman.cli.printing import plain
from dragoman.cli.serve import PORT
from dragoman.harness.errors import ChatError, ConfigurationError
from dragoman.providers import catalog
from dragoman.repo import config, db
from dragoman.repo.repository import Repository, find

LEAST_GIT = (2, 31)  # rev-parse --path-format
_MARKS = {"good": ("ok", "green"), "note": ("note", "yellow"), "bad": ("wrong", "bold red")}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: `mend` is what to do about it, empty where nothing is to be done."""

    about: str
    state: Literal["good", "note", "bad"]
    told: str
    mend: str = ""


def add_parser(subparsers: Any) -> None:
    """The words of this command."""
    parser = subparsers.add_parser(
        "doctor",
        help="say what is wrong here, and how to mend it",
        description="Look at git, the repository, its dragoman.toml, its index, the provider, the port and the state folder.",
    )
    parser.add_argument(
        "--repo", type=Path, default=Path(), metavar="PATH", help="the repository (default: this folder's)"
    )
    parser.add_argument("--port", type=int, default=PORT, help="the port that serve would use")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")


def run(arguments: argparse.Namespace) -> int:
    """Print every finding; 1 where something is wrong."""
    findings = list(examine(arguments.repo, arguments.port))
    if arguments.json:
        print(json.dumps({"findings": [asdict(one) for one in findings]}, ensure_ascii=False, indent=2))
    else:
        console = Console(highlight=False, soft_wrap=True)
        for one in findings:
            mark, style = _MARKS[one.state]
            console.print(
                Text(f"{mark:<6}", style=style).append(f"{one.about}: ", style="bold").append(plain(one.told), style="")
            )
            if one.mend:
                console.print(Text(f"      {plain(one.mend)}", style="cyan"))
    return int(any(one.state == "bad" for one in findings))


def examine(place: Path, port: int) -> Iterator[Finding]:
    """Look at everything, what rests on something missing left out."""
    yield _git()
    try:
        repository = find(place)
    except ConfigurationError as error:
        yield Finding("repository", "bad", error.message, "Go to a clone, or name one: --repo PATH")
    else:
        yield Finding("repository", "good", str(repository.root))
        yield _state(repository)
        yield _index(repository)
        try:
            found = config.read(repository)
        except ConfigurationError as error:
            mend = "" if error.code == "untrusted" else f"Mend {config.FILE}, or write it anew: dragoman init --force"
            yield Finding(config.FILE, "bad", error.message, mend)
        else:
            there = config.content(repository) is not None
            yield Finding(config.FILE, "good", "read" if there else "not there; every default holds")
            yield _provider(found)
    yield _port(port)


def _git() -> Finding:
    if shutil.which("git") is None:
        return Finding("git", "bad", "the program git is not found.", "Install git, and see that PATH leads to it.")
    done = subprocess.run(["git", "--version"], check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    match = re.search(r"(\d+)\.(\d+)", done.stdout)
    if match is None:
        return Finding("git", "bad", f"git --version failed: {done.stderr.strip() or done.stdout.strip()}")
    version = f"{match[1]}.{match[2]}"
    if (int(match[1]), int(match[2])) < LEAST_GIT:
        return Finding(
            "git", "bad", f"version {version} is too old.", f"Install git {LEAST_GIT[0]}.{LEAST_GIT[1]} or newer."
        )
    return Finding("git", "good", f"version {version}")


def _state(repository: Repository) -> Finding:
    where = f"{repository.state}"
    try:
        repository.state.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=repository.state):
            pass
    except OSError as error:
        mend = "Make it writable, or set DRAGOMAN_HOME to a folder that is."
        return Finding("state folder", "bad", f"{where} cannot be written ({error.strerror}).", mend)
    free = shutil.disk_usage(repository.state).free
    if free < 200_000_000:
        return Finding("state folder", "note", f"only {free // 1_000_000} MB are free at {where}.", "Make room there.")
    return Finding("state folder", "good", where)


def _index(repository: Repository) -> Finding:
    scan = f"dragoman scan {repository.root}"
    try:
        with db.read(repository.index) as connection:
            files, commits = (
                connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("files", "commits")
            )
    except ChatError as error:
        return Finding("index", "note", error.message, f"{scan} (the first question does it as well)")
    except Exception as error:
        return Finding("index", "bad", f"it cannot be read ({error}).", f"Delete {repository.index} and run: {scan}")
    size = repository.index.stat().st_size / 1_000_000
    return Finding("index", "good", f"{files:,} files and {commits:,} commits, {size:.1f} MB")


def _provider(found: config.Config) -> Finding:
    name, settings = found.choice(os.environ)
    try:
        catalog.create(name, settings)
        told = catalog.explain(name, settings)
    except ConfigurationError as error:
        mend = "" if "install" in error.message else "Set the variable, or choose another provider: dragoman init"
        return Finding("provider", "bad", error.message, mend)
    if name in ("auto", "planner") and "planner answers" in told:
        return Finding(
            "provider", "note", told, "Set the key of a service, or start Ollama, for answers by a language model."
        )
    return Finding("provider", "good", told)


def _port(port: int) -> Finding:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            mend = f"Serve on another: dragoman serve --port {port + 1}"
            return Finding("port", "note", f"{port} cannot be used ({error.strerror}).", mend)
    return Finding("port", "good", f"{port} is free")
