"""Ask the example in the terminal, then serve its page.

    python examples/parts/demo.py            ask, then serve on http://127.0.0.1:8000/ (PORT chooses another)
    ONCE=1 python examples/parts/demo.py     only ask; exits 0 when every question got an answer of the expected kind

The database is examples/parts/var/parts.sqlite3, made and filled when it is not there.
"""

import asyncio
import hashlib
import json
import os
import socket
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from datetime import date
from io import StringIO
from pathlib import Path

HERE = Path(__file__).resolve().parent
VAR = Path(os.environ.get("PARTS_VAR", HERE / "var"))
sys.path.insert(0, str(HERE))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("PARTS_PROVIDER", "auto")  # a key or an Ollama that is there, else the planner
os.environ.setdefault("PARTS_DB_NAME", str(VAR / "parts.sqlite3"))

import django  # noqa: E402

django.setup()

# Django's models can be imported from here on.
import uvicorn  # noqa: E402
from django.apps import apps  # noqa: E402
from django.contrib.auth import get_user_model  # noqa: E402
from django.core.cache import cache  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.padding import Padding  # noqa: E402
from rich.text import Text  # noqa: E402

from dragoman.django import assistants  # noqa: E402
from dragoman.evals.judges.answer import says_plainly  # noqa: E402
from dragoman.harness.assistant import Assistant  # noqa: E402
from dragoman.harness.caller import Caller  # noqa: E402
from dragoman.harness.errors import ChatError  # noqa: E402
from dragoman.harness.events import (  # noqa: E402
    ConfirmationNeeded,
    Done,
    Envelope,
    Failed,
    TextChunk,
    ToolCalled,
    ToolReturned,
)
from dragoman.harness.messages import ToolResult  # noqa: E402

PASSWORD = "parts-demo"
ARCHIVED = "Halcyon"


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked and as whom. The answer names all of `names` and none of `never`; `follows` goes on in the talk.

    One that `changes` something asks for confirmation first; one that `cannot` be answered is met by saying so.
    """

    text: str
    names: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    user: str = "ada"
    follows: bool = False
    changes: bool = False
    cannot: bool = False
    note: str = ""


QUESTIONS = (
    Question("What projects contain parts with cobalt?", names=("Apollo", "Gemini"), never=("Mercury", "Nightjar")),
    Question("How many suppliers are in Norway?"),
    Question("Which parts have a mass over 200 kg?", names=("Main Tank Dome", "Thrust Frame")),
    Question("What are the top 5 projects by budget?", names=("Vega", "Apollo")),
    Question("What is the average mass of parts per category?", names=("structure", "fastener")),
    Question("Which parts are made of cobalt?", names=("Hall Thruster Magnet", "Gyro Torquer Magnet")),
    Question("In which projects are they?", names=("Apollo", "Gemini"), never=("Mercury",), follows=True),
    Question("Which active projects are past their deadline?", names=("Mercury", "Kestrel"), never=("Vega",)),
    Question("What is the phone number of Umbra Precision?", cannot=True, note="the data does not hold this"),
    Question(f"Archive project {ARCHIVED}.", names=(ARCHIVED,), changes=True),
    Question(
        "What projects contain parts with cobalt?",
        names=("Apollo",),
        never=("Gemini", "Nightjar", "Mercury"),
        user="ben",
        note="asked by somebody with fewer rights",
    ),
)


@dataclass(slots=True)
class Heard:
    """What a turn said."""

    results: list[ToolResult]
    waiting: list[ConfirmationNeeded]
    answer: str = ""
    ended: str = ""
    error: str = ""


def main() -> int:
    """Set up, ask, and serve unless ONCE is set; the exit code."""
    terminal = sys.stdout.isatty()
    console = Console(width=None if terminal else 110, highlight=False, soft_wrap=False)
    _set_up(console)
    failed = asyncio.run(_ask_all(console))
    if failed:
        console.print(f"\n{failed} of {len(QUESTIONS)} questions did not get the answer they should.", style="bold red")
    else:
        console.print(f"\nAll {len(QUESTIONS)} questions got an answer of the expected kind.", style="bold green")
    if os.environ.get("ONCE", "") in {"", "0"}:
        return _serve(console) or bool(failed)
    return bool(failed)


def _set_up(console: Console) -> None:
    """Make and fill the database where it is missing, made by other files than these, or filled in another month."""
    VAR.mkdir(exist_ok=True)
    stamp, state = VAR / "seeded", _state()
    database = Path(connection.settings_dict["NAME"])
    if not stamp.exists() or stamp.read_text() != state:
        console.print("Filling the example's database ...", style="dim")
        if database.parent == VAR:  # never a database that somebody chose
            connection.close()
            for file in VAR.glob(f"{database.name}*"):
                file.unlink()
        call_command("migrate", verbosity=0)
        call_command("seed", stdout=StringIO())
        stamp.write_text(state)
    # Whoever ran this before has archived it; the question below is to have something to do every time.
    apps.get_model("catalog", "Project").objects.filter(name=ARCHIVED).update(status="active")
    cache.clear()


def _state() -> str:
    """What the database depends on: the tables, the rows, and the month that relative dates are counted from."""
    made_by = sorted([*HERE.glob("catalog/migrations/*.py"), *HERE.glob("catalog/seed/*.py")])
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in made_by)).hexdigest()[:16]
    return f"{date.today():%Y-%m} {digest}"


async def _ask_all(console: Console) -> int:
    console.print(Text(assistants.provider_note(), style="bold"))
    assistant, conversation, failed = assistants.assistant(), None, 0
    for number, question in enumerate(QUESTIONS, start=1):
        caller = await _caller(question.user)
        if conversation is None or not question.follows:
            conversation = await assistant.store.create(caller)
        conversation = await assistant.store.get(conversation.id, caller)
        _head(console, number, question)
        heard = Heard([], [])
        try:
            await _listen(console, assistant.ask(caller, conversation, question.text), heard)
            await _decide(console, assistant, caller, heard)
        except ChatError as error:
            heard.error = error.message
        _print(console, Text(heard.answer.strip() or "no answer"))
        if wrong := await _wrong(question, heard):
            failed += 1
            _print(console, Text(f"Not as expected: {wrong}", style="red"))
    return failed


async def _listen(console: Console, events: AsyncGenerator[Envelope], heard: Heard) -> None:
    async with aclosing(events) as envelopes:
        async for envelope in envelopes:
            match envelope.event:
                case TextChunk(content):
                    heard.answer += content
                case ToolCalled(call):
                    line = Text(f"{call.name} ", style="magenta")
                    _print(console, line.append(json.dumps(dict(call.arguments), ensure_ascii=False), style="dim"))
                case ToolReturned(result):
                    heard.results.append(result)
                case ConfirmationNeeded() as need:
                    heard.waiting.append(need)
                case Failed(message=message):
                    heard.error = message
                case Done(finish_reason=reason):
                    heard.ended = reason
                case _:
                    pass


async def _decide(console: Console, assistant: Assistant, caller: Caller, heard: Heard) -> None:
    """Say yes to what waits, as a person would with a click, and say that the script did it."""
    while heard.waiting:
        need = heard.waiting.pop(0)
        asked = Text(f"{need.operation} {json.dumps(dict(need.input))} asks for confirmation. ", style="yellow")
        _print(console, asked.append("This script answers: yes.", style="bold yellow"))
        await _listen(console, assistant.decide(caller, need.id, "confirmed"), heard)


async def _wrong(question: Question, heard: Heard) -> str:
    if heard.error:
        return heard.error
    if heard.ended != "stop" or not heard.answer.strip():
        return f"the turn ended with {heard.ended or 'nothing'} and {'an' if heard.answer.strip() else 'no'} answer"
    if absent := [name for name in question.names if name not in heard.answer]:
        return f"the answer does not name {', '.join(absent)}"
    if intruders := [name for name in question.never if name in heard.answer]:
        return f"the answer names {', '.join(intruders)}"
    if question.cannot and not says_plainly(heard.answer):
        return "the answer does not say that it cannot be given"
    writes = [result for result in heard.results if result.writes and result.ran and not result.failed]
    if len(writes) != question.changes:
        return f"{len(writes)} changes were made instead of {int(question.changes)}"
    if question.changes and not await _is_archived():
        return f"{ARCHIVED} is not archived"
    return ""


async def _is_archived() -> bool:
    return await apps.get_model("catalog", "Project").objects.filter(name=ARCHIVED, status="archived").aexists()


async def _caller(login: str) -> Caller:
    user = await get_user_model()._default_manager.aget(username=login)
    return Caller(key=f"user:{user.pk}", user=user, is_authenticated=True, name=user.get_full_name())


def _head(console: Console, number: int, question: Question) -> None:
    title = Text(f"\n{number:2}. ", style="cyan").append(question.text, style="bold cyan")
    told = ["follows the question before"] if question.follows else []
    told += [question.note] if question.note else []
    console.print(title.append(f"   as {'; '.join([question.user, *told])}", style="dim"))


def _print(console: Console, text: Text) -> None:
    block = Padding(text, (0, 0, 0, 4), expand=False)
    if console.is_terminal:
        console.print(block)
        return
    with console.capture() as captured:
        console.print(block)
    print("\n".join(line.rstrip() for line in captured.get().splitlines()), flush=True)


def _serve(console: Console) -> int:
    port = int(os.environ.get("PORT", "8000"))
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", port)) == 0:
            console.print(f"Port {port} is taken. Choose another: PORT={port + 1} make demo", style="bold red")
            return 1
    console.print(f"\nThe page: http://127.0.0.1:{port}/", style="bold")
    console.print(f"Sign in as ada, ben, carla, dora or admin; the password of each is {PASSWORD}. Stop with Ctrl+C.")
    uvicorn.run("config.asgi:application", host="127.0.0.1", port=port, log_level="warning")
    return 0


if __name__ == "__main__":
    sys.exit(main())
