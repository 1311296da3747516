"""dragoman ask: one question, answered in the terminal with the calls it took."""

import argparse
import asyncio
import json
import os
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.text import Text

from dragoman.cli import indexing
from dragoman.cli.printing import errors, plain
from dragoman.harness.assistant import Assistant
from dragoman.harness.caller import Caller
from dragoman.harness.events import Done, Failed, TextChunk, ToolCalled, ToolReturned
from dragoman.harness.memory import MemoryStore
from dragoman.harness.messages import ToolCall, Usage
from dragoman.harness.provider import Provider
from dragoman.providers import catalog
from dragoman.repo import config
from dragoman.repo.grounding import RepoGrounding
from dragoman.repo.repository import find

ANSWERED, FAILED, INTERRUPTED = 0, 1, 130
PERSON = Caller("local", is_authenticated=True)


def add_parser(subparsers: Any) -> None:
    """The words of this command."""
    parser = subparsers.add_parser(
        "ask",
        help="ask a question about a repository",
        description="Ask one question. The answer goes to stdout, everything else to stderr. The first question indexes.",
    )
    parser.add_argument("question", nargs="+", help='in plain language: "who calls fit_window?"')
    parser.add_argument(
        "--repo", type=Path, default=Path(), metavar="PATH", help="the repository (default: this folder's)"
    )
    parser.add_argument("--provider", default="", help="which model answers, instead of the one in dragoman.toml")
    parser.add_argument("--model", default="", help="the model of that provider")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")


def run(arguments: argparse.Namespace) -> int:
    """Answer; 0 when answered, 1 when something failed, 130 when interrupted. Raises ChatError."""
    repository = find(arguments.repo)
    settings = config.read(repository)
    provider = _provider(settings, arguments.provider, arguments.model)
    indexing.ensure(repository, settings)
    grounding = RepoGrounding(repository, settings)
    heard = asyncio.run(_ask(grounding, provider, _readable(" ".join(arguments.question)), quiet=arguments.json))
    if arguments.json:
        print(json.dumps(heard.as_json(), ensure_ascii=False, indent=2))
    elif heard.error:
        errors().print(Text(plain(heard.error), style="red"))
    if heard.ended in ("interrupted", "stopped"):
        return INTERRUPTED
    return ANSWERED if heard.answer.strip() and not heard.error else FAILED


def _provider(settings: config.Config, name: str, model: str) -> Provider:
    """The provider the flags or dragoman.toml ask for, after saying which it is. Raises ConfigurationError."""
    chosen, provider_config = settings.choice(os.environ, name, model)
    provider = catalog.create(chosen, provider_config)
    errors().print(Text(plain(catalog.explain(chosen, provider_config)), style="dim"))
    return provider


@dataclass(slots=True)
class Heard:
    """What a turn said."""

    question: str
    answer: str = ""
    error: str = ""
    ended: str = ""
    provider: str = ""
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    calls: dict[str, dict[str, Any]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The turn as one object."""
        told: dict[str, Any] = {"question": self.question, "answer": self.answer, "calls": list(self.calls.values())}
        told |= {"provider": self.provider, "model": self.model, "finish_reason": self.ended}
        told["usage"] = {"input_tokens": self.usage.input_tokens, "output_tokens": self.usage.output_tokens}
        return {**told, "error": self.error} if self.error else told


async def _ask(grounding: RepoGrounding, provider: Provider, question: str, *, quiet: bool) -> Heard:
    store = MemoryStore()
    assistant = Assistant(provider, grounding, store)
    conversation = await store.create(PERSON)
    heard, console, at_line_start = Heard(question), errors(), True
    async with aclosing(assistant.ask(PERSON, conversation, question)) as envelopes:
        async for envelope in envelopes:
            match envelope.event:
                case TextChunk(content):
                    heard.answer += content
                    if not quiet:
                        print(plain(content), end="", flush=True)
                        at_line_start = content.endswith("\n")
                case ToolCalled(call):
                    heard.calls[call.id] = {"name": call.name, "arguments": dict(call.arguments)}
                    if not quiet:
                        if not at_line_start:
                            print(flush=True)
                        console.print(_call(call))
                        at_line_start = True
                case ToolReturned(result):
                    if result.failed:
                        heard.calls[result.call_id]["failed"] = True
                case Failed(message=message):
                    heard.error = message
                case Done(finish_reason=reason, provider=name, model=model, usage=usage):
                    heard.ended, heard.provider, heard.model, heard.usage = reason, name, model, usage
                case _:
                    pass
    if not quiet and not at_line_start:
        print(flush=True)
    return heard


def _readable(typed: str) -> str:
    """The question as text; where the locale could not read its bytes they are taken for UTF-8."""
    try:
        typed.encode()
    except UnicodeEncodeError:
        return os.fsencode(typed).decode("utf-8", "replace")
    return typed


def _call(call: ToolCall) -> Text:
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
    return Text(f"{call.name} ", style="magenta").append(plain(arguments), style="dim")
