"""dragoman init: write dragoman.toml, by questions on a terminal or by flags; nothing else is touched unasked."""

import argparse
import json
import os
import re
import stat
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.prompt import Confirm, Prompt
from rich.text import Text

from dragoman.cli.printing import plain
from dragoman.harness.errors import BadRequest, ConfigurationError
from dragoman.providers import catalog
from dragoman.repo import config
from dragoman.repo.repository import Repository, find

PROVIDERS = ("auto", "planner", *catalog.SERVICES)
FORGES = ("none", "github", "gitlab")
_HOSTS = {"github": "https://github.com", "gitlab": "https://gitlab.com"}
_TOKENS = {"github": "GITHUB_TOKEN", "gitlab": "GITLAB_TOKEN"}
_HOOKS = ("post-commit", "post-merge", "post-checkout")
# A hook must never make a git command fail or wait, least of all where dragoman is gone.
_HOOK = "#!/bin/sh\n# Written by dragoman init.\ncommand -v dragoman >/dev/null 2>&1 && (dragoman scan >/dev/null 2>&1 </dev/null &)\nexit 0\n"


@dataclass(slots=True)
class Answers:
    """What the file is written from."""

    provider: str = "auto"
    model: str = ""
    base_url: str = ""
    keys: dict[str, str] = field(default_factory=dict)
    forge: str = ""
    forge_url: str = ""
    token_variable: str = ""
    default_branch: str = ""
    exclude: list[str] = field(default_factory=list)
    gitignore: bool = False
    hooks: bool = False


def add_parser(subparsers: Any) -> None:
    """The words of this command."""
    parser = subparsers.add_parser(
        "init",
        help="write dragoman.toml for a repository, by questions or by flags",
        description="Write dragoman.toml. Keys never stand in it, only the names of variables. Without a terminal use --yes.",
    )
    parser.add_argument(
        "--repo", type=Path, default=Path(), metavar="PATH", help="the repository (default: this folder's)"
    )
    parser.add_argument("--yes", action="store_true", help="ask nothing: take the flags, and defaults for the rest")
    parser.add_argument("--force", action="store_true", help="write over a dragoman.toml that is there")
    parser.add_argument(
        "--trust", action="store_true", help="say yes to the dragoman.toml that is there, and write nothing"
    )
    parser.add_argument("--provider", choices=PROVIDERS, help="which model answers (default: auto)")
    parser.add_argument("--model", default="", help="the model of that provider")
    parser.add_argument("--base-url", default="", help="where that provider is, if not at its own address")
    parser.add_argument(
        "--key-variable",
        action="append",
        default=[],
        metavar="PROVIDER=VARIABLE",
        help="the environment variable with a provider's key, if not the usual one; repeatable",
    )
    parser.add_argument(
        "--forge", choices=FORGES, help="where pull requests and issues are (default: what origin says)"
    )
    parser.add_argument("--forge-url", default="", help="the forge's address, if it is not the public one")
    parser.add_argument("--token-variable", default="", help="the environment variable with the forge's token")
    parser.add_argument("--default-branch", default="", help="if it is not the one origin says")
    parser.add_argument(
        "--exclude", action="append", default=[], metavar="PATTERN", help="paths to leave out of the index; repeatable"
    )
    parser.add_argument("--gitignore", action="store_true", help="also add dragoman.toml to .gitignore")
    parser.add_argument("--hooks", action="store_true", help="also write git hooks that scan after commit, merge and checkout")  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Write the file; 1 where one is there already, or an answer does not fit. Raises ChatError."""
    repository = find(arguments.repo)
    path = repository.root / config.FILE
    if arguments.trust:
        return _trust(repository, path)
    if repository.bare:
        raise ConfigurationError(f"{repository.root} is bare: it has no work tree for a {config.FILE}.")
    if path.exists() and not arguments.force:
        raise ConfigurationError(f"{path} is there already. Write over it with --force, or edit it.")
    given = _given(arguments, repository)
    if not arguments.yes:
        if not sys.stdin.isatty():
            raise ConfigurationError(
                "There is no terminal to ask on. Use --yes with flags; dragoman init --help tells them."
            )
        given = _asked(given, Console())
    text = written(given)
    config.parse(text.encode(), str(path))  # says in the file's own words what does not fit
    path.write_text(text, "utf-8")
    config.trust(repository)
    print(f"Wrote {path}.")
    if given.gitignore:
        _ignore(repository)
    if given.hooks:
        _hook(repository)
    _next_steps(given)
    return 0


def written(answers: Answers) -> str:
    """The file's text."""
    lines = ["# What Dragoman does in this repository. No key stands here, only the names of environment variables."]
    lines.append(f"provider = {_quoted(answers.provider)}")
    lines += [f"model = {_quoted(answers.model)}"] if answers.model else []
    lines += [f"default_branch = {_quoted(answers.default_branch)}"] if answers.default_branch else []
    if answers.base_url:
        lines += ["", "[provider_config]", f"base_url = {_quoted(answers.base_url)}"]
    if answers.keys:
        lines += ["", "# The environment variable that holds each provider's key.", "[keys]"]
        lines += [f"{_key(name)} = {_quoted(variable)}" for name, variable in answers.keys.items()]
    if answers.exclude:
        lines += ["", "[index]", f"exclude = [{', '.join(map(_quoted, answers.exclude))}]"]
    if answers.forge:
        lines += ["", "[forge]", f"kind = {_quoted(answers.forge)}"]
        lines += [f"base_url = {_quoted(answers.forge_url)}"] if answers.forge_url else []
        lines += [f"token_variable = {_quoted(answers.token_variable)}"] if answers.token_variable else []
    return "\n".join(lines) + "\n"


# Where the answers come from ------------------------------------------------------------------------------------------


def _given(arguments: argparse.Namespace, repository: Repository) -> Answers:
    keys: dict[str, str] = {}
    for pair in arguments.key_variable:
        name, sign, variable = pair.partition("=")
        if not sign or name not in catalog.SERVICES:
            there = ", ".join(catalog.SERVICES)
            raise BadRequest(f"--key-variable takes PROVIDER=VARIABLE; the providers are {there}.")
        keys[name] = variable
    kind, address = _forge_of(repository)
    forge = kind if arguments.forge is None else arguments.forge.replace("none", "")
    return Answers(
        provider=arguments.provider or "auto",
        model=arguments.model,
        base_url=arguments.base_url,
        keys=keys,
        forge=forge,
        forge_url=arguments.forge_url or (address if forge == kind else ""),
        token_variable=arguments.token_variable or _TOKENS.get(forge, ""),
        default_branch=arguments.default_branch,
        exclude=arguments.exclude,
        gitignore=arguments.gitignore,
        hooks=arguments.hooks,
    )


def _asked(given: Answers, console: Console) -> Answers:
    there = [name for name, service in catalog.SERVICES.items() if any(os.environ.get(key) for key in service.keys)]
    if there:
        console.print(Text(f"A key is set for: {', '.join(there)}.", style="dim"))
    given.provider = Prompt.ask("Which model answers", choices=list(PROVIDERS), default=given.provider, console=console)
    service = catalog.SERVICES.get(given.provider)
    if service is not None:
        known = service.known[0].id
        given.model = Prompt.ask("Which of its models", default=given.model or known, console=console)
        if service.keys:
            variable = Prompt.ask("Which environment variable has its key", default=given.keys.get(given.provider, service.keys[0]), console=console)  # fmt: skip
            given.keys = {**given.keys, given.provider: variable} if variable not in service.keys else given.keys
        given.base_url = Prompt.ask(
            "At which address, if not its own", default=given.base_url, show_default=False, console=console
        )
    given.forge = Prompt.ask("Where are pull requests and issues", choices=list(FORGES), default=given.forge or "none", console=console).replace("none", "")  # fmt: skip
    if given.forge:
        given.forge_url = Prompt.ask("At which address, if not the public one", default=given.forge_url, show_default=bool(given.forge_url), console=console)  # fmt: skip
        given.token_variable = Prompt.ask("Which environment variable has its token", default=given.token_variable or _TOKENS[given.forge], console=console)  # fmt: skip
    else:
        given.forge_url = given.token_variable = ""
    given.gitignore = Confirm.ask(f"Add {config.FILE} to .gitignore", default=given.gitignore, console=console)
    given.hooks = Confirm.ask(
        "Write git hooks that scan after commit, merge and checkout", default=given.hooks, console=console
    )
    return given


def _forge_of(repository: Repository) -> tuple[str, str]:
    """The forge the remote `origin` is at and its address, the public ones without; empty where it cannot be told."""
    asked = ["git", "-C", str(repository.root), "remote", "get-url", "origin"]
    done = subprocess.run(asked, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    match = re.match(r"(?:\w+://)?(?:[^@/]+@)?([\w.-]+)", done.stdout.strip())
    host = match[1].lower() if match and not done.returncode else ""
    kind = next((name for name in _HOSTS if name in host), "")
    return kind, "" if not kind or f"https://{host}" == _HOSTS[kind] else f"https://{host}"


# What is done with them -----------------------------------------------------------------------------------------------


def _trust(repository: Repository, path: Path) -> int:
    found = config.content(repository)
    if found is None:
        raise ConfigurationError(f"There is no {path} to trust.")
    config.parse(found, str(path))
    config.trust(repository)
    print(f"Trusting {path} as it stands now.")
    return 0


def _ignore(repository: Repository) -> None:
    path = repository.root / ".gitignore"
    before = path.read_text("utf-8") if path.is_file() else ""
    if config.FILE in before.split():
        return
    path.write_text(f"{before}{'' if before.endswith(chr(10)) or not before else chr(10)}{config.FILE}\n", "utf-8")
    print(f"Added {config.FILE} to {path}.")


def _hook(repository: Repository) -> None:
    asked = ["git", "-C", str(repository.root), "rev-parse", "--path-format=absolute", "--git-path", "hooks"]
    done = subprocess.run(asked, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    folder = Path(os.fsdecode(done.stdout).rstrip("\n"))
    folder.mkdir(parents=True, exist_ok=True)
    for name in _HOOKS:
        path = folder / name
        if path.exists() and path.read_text("utf-8", "replace") != _HOOK:
            print(f"{path} is yours and stays as it is; let it run `dragoman scan` if you like.", file=sys.stderr)
            continue
        path.write_text(_HOOK, "utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
        print(f"Wrote {path}.")


def _next_steps(given: Answers) -> None:
    service = catalog.SERVICES.get(given.provider)
    variables = [given.keys[given.provider]] if given.provider in given.keys else list(service.keys) if service else []
    if variables and not any(os.environ.get(variable) for variable in variables):
        print(f"Set {' or '.join(variables)} to your key before you ask.")
    print(plain('Next: dragoman ask "what is this repository?"'))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _quoted(name)
