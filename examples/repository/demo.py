"""Index this clone and ask it six questions in the terminal; no key and no model, the planner answers.

    python examples/repository/demo.py      exits 0 when every question was answered

The index lies where `dragoman ask` looks for it, so a question of your own is answered at once afterwards.
"""

import asyncio
import json
import sys
import time
from contextlib import aclosing
from pathlib import Path

from rich.console import Console
from rich.text import Text

from dragoman.cli.printing import plain
from dragoman.harness.assistant import Assistant
from dragoman.harness.caller import Caller
from dragoman.harness.errors import ConfigurationError
from dragoman.harness.events import Failed, TextChunk, ToolCalled
from dragoman.harness.memory import MemoryStore
from dragoman.providers.planner import Planner
from dragoman.repo import scan
from dragoman.repo.grounding import RepoGrounding
from dragoman.repo.repository import Repository, find

QUESTIONS = (
    "Where is conduct defined?",
    "Who calls start_of_turn?",
    "What changed lately in src/dragoman/evals/judges?",
    "What is in src/dragoman/evals/judges?",
    "What are the busiest files?",
    "Show src/dragoman/harness/events.py:1",
)
CALLER = Caller("demo")


def main() -> int:
    """Index, ask, and answer with the exit code."""
    console = Console(width=None if sys.stdout.isatty() else 110, highlight=False)
    try:
        repository = find(Path(__file__).parent)
    except ConfigurationError as error:
        console.print(f"The questions about this repository are left out: {error.message}", style="yellow")
        return 0
    begun = time.process_time()
    scan.scan(repository)
    seconds = time.process_time() - begun
    console.print(
        Text(f"This repository as one to ask: {repository.root}, indexed in {seconds:.1f} CPU s", style="bold")
    )
    failed = asyncio.run(_ask_all(console, repository))
    told = (
        f"{failed} of {len(QUESTIONS)} questions about this repository failed."
        if failed
        else "All of them were answered."
    )
    console.print(f"\n{told}\n", style="bold red" if failed else "bold green")
    return int(failed > 0)


async def _ask_all(console: Console, repository: Repository) -> int:
    assistant, failed = Assistant(Planner(), RepoGrounding(repository), MemoryStore()), 0
    for number, question in enumerate(QUESTIONS, start=1):
        console.print(Text(f"\n{number:2}. ", style="cyan").append(question, style="bold cyan"))
        conversation = await assistant.store.create(CALLER)
        answer, wrong = "", ""
        async with aclosing(assistant.ask(CALLER, conversation, question)) as envelopes:
            async for envelope in envelopes:
                match envelope.event:
                    case TextChunk(content):
                        answer += content
                    case ToolCalled(call):
                        line = Text(f"{call.name} ", style="magenta")
                        _print(console, line.append(json.dumps(dict(call.arguments), ensure_ascii=False), style="dim"))
                    case Failed(message=message):
                        wrong = message
                    case _:
                        pass
        _print(console, Text(wrong or plain(answer.strip()) or "no answer", style="red" if wrong else ""))
        failed += bool(wrong or not answer.strip())
    return failed


def _print(console: Console, text: Text) -> None:
    for line in text.split("\n", allow_blank=True):
        console.print(Text("    ").append_text(line), soft_wrap=True)


if __name__ == "__main__":
    sys.exit(main())
