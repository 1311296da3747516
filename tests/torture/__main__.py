"""`python -m tests.torture [--seconds 120] [--people 50]`: torture two workers, print the counts, fail for what broke."""

import argparse
import asyncio
import json
import math
import os
import random
import signal
import sys
import tempfile
import urllib.request
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from tests.torture import world
from tests.torture.person import Person, Record
from tests.torture.workers import Worker

ROOT = Path(__file__).resolve().parents[2]
LEAST = {"kills": 20, "disconnects": 200, "stops": 200, "decisions": 200}
LEASE_SECONDS = 35  # a little more than a dead worker's conversations stay locked
LAST_CALL_SECONDS = 30


def main() -> int:
    """Torture, and say what came of it; 0 when enough was done and nothing broke."""
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="of everybody's choices")
    parser.add_argument("--sqlite", action="store_true", help="on SQLite instead of PostgreSQL at 127.0.0.1")
    options = parser.parse_args()
    print(f"{options.people} people, 2 workers, {options.seconds:g} seconds, seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="dragoman-torture-") as folder, _database(options.sqlite) as address:
        os.environ[world.JOURNAL] = str(Path(folder) / "journal")
        environment = {
            "DJANGO_SETTINGS_MODULE": "tests.torture.project",
            "DRAGOMAN_TORTURE_DATABASE": address,
            "DRAGOMAN_TEST_DB": str(Path(folder) / "db.sqlite3"),
        }
        record = asyncio.run(_torture(options, environment))
        _judge(record)
    for name, count in sorted(record.counts.items()):
        print(f"{count:8,}  {name}")
    least = {name: math.ceil(count * min(1, options.seconds / 120)) for name, count in LEAST.items()}
    short = {
        f"only {record.counts[name]} {name}, expected {expected}"
        for name, expected in least.items()
        if record.counts[name] < expected
    }
    for fault in [*record.faults[:40], *sorted(short)]:
        print(f"FAULT: {fault}")
    print(f"{len(record.faults)} faults." if record.faults or short else "Nothing broke.")
    return 1 if record.faults or short else 0


async def _torture(options: argparse.Namespace, environment: dict[str, str]) -> Record:
    record = Record()
    chance = random.Random(options.seed)
    workers = [Worker(environment), Worker(environment)]
    try:
        workers[0].migrate()
        for worker in workers:
            await worker.start()
        before = [await _in_hand(worker) for worker in workers]
        ports = tuple(worker.port for worker in workers)
        people = [Person(n, ports, record, random.Random(options.seed + n)) for n in range(options.people)]
        end = asyncio.get_running_loop().time() + options.seconds
        async with asyncio.TaskGroup() as group:
            group.create_task(_kill(workers, record, chance, end))
            for person in people:
                group.create_task(person.live(end))
        print(f"waiting {LEASE_SECONDS} seconds for what dead workers held ...", flush=True)
        await asyncio.sleep(LEASE_SECONDS)
        await asyncio.gather(*(person.settle() for person in people))
        await asyncio.gather(*(person.leave() for person in people))
        await asyncio.sleep(1)
        for worker, (tasks, _) in zip(workers, before, strict=True):
            tasks_now, runs_now = await _in_hand(worker)
            if runs_now or tasks_now > tasks + 4:
                record.faults.append(
                    f"a worker still has {runs_now} runs and {tasks_now} tasks in hand, {tasks} before"
                )
        for worker in workers:
            if (code := await worker.end()) not in (0, -signal.SIGTERM):
                record.faults.append(f"a worker ended with {code}")
        record.faults += await asyncio.to_thread(workers[0].books)
    finally:
        for worker in workers:
            worker.kill()
    return record


async def _kill(workers: list[Worker], record: Record, chance: random.Random, end: float) -> None:
    """Kill one worker after another, without a word, and start it again."""
    loop = asyncio.get_running_loop()
    while loop.time() < end - 2:
        await asyncio.sleep(chance.uniform(2, 4))
        worker = chance.choice(workers)
        worker.kill()
        record.counts["kills"] += 1
        await worker.start()


async def _in_hand(worker: Worker) -> tuple[int, int]:
    def ask() -> tuple[int, int]:
        with urllib.request.urlopen(f"http://127.0.0.1:{worker.port}/in-hand/", timeout=LAST_CALL_SECONDS) as told:
            found = json.load(told)
        return found["tasks"], found["runs"]

    return await asyncio.to_thread(ask)


def _judge(record: Record) -> None:
    ran = Counter(world.journal())
    record.counts["changes"] = len(ran)
    record.faults += [f"the change {token} ran {times} times" for token, times in ran.items() if times > 1]
    record.faults += [f"the change {token} was told as done and did not run" for token in record.done - ran.keys()]


@contextmanager
def _database(sqlite: bool) -> Iterator[str]:
    """The address of a fresh PostgreSQL database, dropped afterwards with whoever is still connected."""
    if sqlite:
        yield ""
        return
    name = f"torture_{uuid.uuid4().hex[:12]}"
    user = os.environ.get("PGUSER", "postgres")
    with psycopg.connect(f"postgres://{user}@127.0.0.1/postgres", autocommit=True) as connection:
        connection.execute(f"create database {name}")  # type: ignore[call-overload]  # a name of our own
        try:
            yield f"postgres://{user}@127.0.0.1:5432/{name}"
        finally:
            connection.execute(f"drop database {name} with (force)")  # type: ignore[call-overload]


if __name__ == "__main__":
    sys.exit(main())
