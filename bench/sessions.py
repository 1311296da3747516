"""How many people one Uvicorn worker serves, here and by GeneralManager's own chat: read turns over WebSockets, on one core."""

import asyncio
import math
import random
import tempfile
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

import websockets
from rich.table import Table

from bench.live import UPSTREAM, Server, answer, heard, serving
from bench.scripts import PARTS_QUESTION

THINK_SECONDS = 20
BOUND_SECONDS = 1.0  # of the 95th percentile, from the question to the last frame
SHARES = (0.9, 0.8, 0.7, 0.6, 0.45, 0.3, 0.15)  # of the people who would keep the worker at work all the time
MOST = 600
ROUNDS = 2  # turns of each person at each step
IDLE = 500
BUSY_SECONDS = 15
IN_A_ROW = 5  # questions of one conversation

Figures = dict[str, float]


def sessions(say: Callable[[str], None]) -> dict[str, Figures]:
    """By server, "dragoman" and where it is installed "upstream", GeneralManager's own chat, with the very same question:

    `held` people at 20 s of think time with p95 below a second, and that `p95` in seconds; `reads`, read turns a CPU
    second; and the `idle` kilobytes of a WebSocket on which nothing is said.
    """
    servers = {"dragoman": "bench.chatty.Reader"}
    if find_spec("general_manager.chat"):
        servers["upstream"] = UPSTREAM
    figures, answers = {}, set()
    for name, provider in servers.items():
        say(f"many people at one worker of {name} ...")
        with tempfile.TemporaryDirectory(prefix="dragoman-bench-") as folder:
            figures[name], told = asyncio.run(_measure(Path(folder), provider, say))
            answers.add(told)
    assert len(answers) == 1, f"The same question was answered differently: {answers}"
    return figures


def table(figures: Mapping[str, Figures]) -> Table:
    """The figures side by side, with what the first is of the second."""
    ours, theirs = figures["dragoman"], figures.get("upstream")
    shown = Table(
        title="One Uvicorn worker, the same question to each, over WebSockets",
        title_justify="left",
        caption="One query, the same GraphQL document, in the fewest rounds that each needs of its model: 2 here, 4 there.",
        caption_justify="left",
    )
    for column in ("", "Dragoman", "GeneralManager's chat", "ratio"):
        shown.add_column(column, justify="right" if column else "left")
    rows = (
        (f"people who think for {THINK_SECONDS} s, 95 % of their turns within {BOUND_SECONDS:g} s", "held", ",.0f"),
        ("  the 95th percentile then, s", "p95", ".2f"),
        ("read turns a CPU second", "reads", ".1f"),
        ("memory of an idle WebSocket, kB", "idle", ".0f"),
    )
    for label, key, form in rows:
        there = format(theirs[key], form) if theirs else "not installed"
        ratio = f"{ours[key] / theirs[key]:.1f}" if theirs and theirs[key] and key != "p95" else ""
        shown.add_row(label, format(ours[key], form), there, ratio)
    return shown


async def _measure(folder: Path, provider: str, say: Callable[[str], None]) -> tuple[Figures, str]:
    """The figures of a server, and what it answers."""
    async with serving(folder, provider) as server:
        async with server.line() as line:
            told = _text(await heard(line, PARTS_QUESTION))
        idle = await _idle(server)
        reads = await _reads(server)
        held, worst = 0, 0.0
        for share in SHARES:
            people = max(1, min(MOST, round(reads * THINK_SECONDS * share)))
            p95 = await _p95(server, people)
            say(f"  {people} people: 95 % of the turns within {p95:.2f} s")
            if p95 <= BOUND_SECONDS:
                held, worst = people, p95
                break
        return {"held": held, "p95": worst, "reads": reads, "idle": idle}, told


def _text(frames: list[dict[str, Any]]) -> str:
    return "".join(frame["content"] for frame in frames if frame["type"] == "text_chunk")


async def _idle(server: Server) -> float:
    before = server.memory_mb()
    lines = [await server.line() for _ in range(IDLE)]
    await asyncio.sleep(1)
    added = server.memory_mb() - before
    await asyncio.gather(*(line.close() for line in lines))
    return added * 1000 / IDLE


async def _reads(server: Server) -> float:
    """Read turns for each second of the server's CPU, four people asking without a pause."""
    begun, end, turns = server.cpu_seconds(), perf_counter() + BUSY_SECONDS, 0

    async def person() -> None:
        nonlocal turns
        while perf_counter() < end:
            async with server.line() as line:
                for _ in range(IN_A_ROW):
                    await answer(line, PARTS_QUESTION)
            turns += IN_A_ROW

    await asyncio.gather(*(person() for _ in range(4)))
    return turns / (server.cpu_seconds() - begun)


async def _p95(server: Server, people: int) -> float:
    """The 95th percentile of the seconds from question to last frame, of people who each think before they ask."""
    taken: list[float] = []
    chance = random.Random(people)

    async def person(line: websockets.ClientConnection) -> None:
        await asyncio.sleep(chance.uniform(0, THINK_SECONDS))
        for number in range(ROUNDS):
            begun = perf_counter()
            try:
                await answer(line, PARTS_QUESTION)
            except (TimeoutError, AssertionError):  # no answer at all is worse than any late one
                taken.append(math.inf)
                return
            taken.append(perf_counter() - begun)
            if number < ROUNDS - 1:
                await asyncio.sleep(max(0.0, THINK_SECONDS - taken[-1]))

    lines = [await server.line() for _ in range(people)]
    await asyncio.gather(*(person(line) for line in lines))
    await asyncio.gather(*(line.close() for line in lines))
    return sorted(taken)[int(len(taken) * 0.95)]
