"""How many people one Uvicorn worker serves: read turns of three calls over WebSockets, on one core."""

import asyncio
import random
import tempfile
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter

import websockets

from bench.live import Server, answer, serving
from bench.scripts import QUESTION

THINK_SECONDS = 20
BOUND_SECONDS = 1.0  # of the 95th percentile, from the question to the last frame
STEPS = (25, 50, 75, 100, 150, 200, 300, 400)
ROUNDS = 2  # turns of each person at each step
IDLE = 500
BUSY_SECONDS = 15


def sessions() -> dict[str, float]:
    """`held` people at 20 s of think time with p95 below a second, and that `p95` in seconds; `reads` a CPU second; and
    the `idle` kilobytes of a WebSocket on which nothing is said."""
    with tempfile.TemporaryDirectory(prefix="dragoman-bench-") as folder:
        return asyncio.run(_measure(Path(folder)))


def told(figures: Mapping[str, float]) -> str:
    """The figures as sentences."""
    return (
        f"One Uvicorn worker holds {figures['held']:.0f} people who think for {THINK_SECONDS} s (95 % of the read turns within "
        f"{figures['p95']:.2f} s); it answers {figures['reads']:.1f} read turns a CPU second. An idle WebSocket takes "
        f"{figures['idle']:.0f} kB."
    )


async def _measure(folder: Path) -> dict[str, float]:
    async with serving(folder, "bench.chatty.Reader") as server:
        idle = await _idle(server)
        reads = await _reads(server)
        held, worst = 0, 0.0
        for people in STEPS:
            taken = await _at(server, people)
            p95 = sorted(taken)[int(len(taken) * 0.95)]
            if p95 > BOUND_SECONDS:
                break
            held, worst = people, p95
        return {"held": held, "p95": worst, "reads": reads, "idle": idle}


async def _idle(server: Server) -> float:
    async with server.line() as first:
        await answer(first, QUESTION)
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
        async with server.line() as line:
            while perf_counter() < end:
                await answer(line, QUESTION)
                turns += 1

    await asyncio.gather(*(person() for _ in range(4)))
    return turns / (server.cpu_seconds() - begun)


async def _at(server: Server, people: int) -> list[float]:
    """Seconds from question to last frame, with so many people who each think before they ask."""
    taken: list[float] = []
    chance = random.Random(people)

    async def person(line: websockets.ClientConnection) -> None:
        await asyncio.sleep(chance.uniform(0, THINK_SECONDS))
        for _ in range(ROUNDS):
            begun = perf_counter()
            await answer(line, QUESTION)
            taken.append(perf_counter() - begun)
            await asyncio.sleep(max(0.0, THINK_SECONDS - taken[-1]))

    lines = [await server.line() for _ in range(people)]
    await asyncio.gather(*(person(line) for line in lines))
    await asyncio.gather(*(line.close() for line in lines))
    return taken
