"""Scan several repositories, spread over processes; each has an index of its own, so that none waits for another."""

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dragoman.harness.errors import ChatError
from dragoman.repo.repository import Repository
from dragoman.repo.scan import Scanned, scan


@dataclass(frozen=True, slots=True)
class Job:
    """A repository to scan, and what its configuration says of it."""

    repository: Repository
    exclude: tuple[str, ...] = ()
    default_branch: str = ""
    anew: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a job: the scan, or the sentence that says why there is none."""

    job: Job
    scanned: Scanned | None
    error: str = ""


Report = Callable[[Job, str, int, int | None], None]


def scan_many(jobs: Sequence[Job], report: Report, processes: int | None = None) -> Iterator[Outcome]:
    """Scan them all, as many at once as there are processors; the outcomes as they come. One failing stops no other."""
    processes = min(processes or os.cpu_count() or 1, len(jobs))
    if processes <= 1 or not sys.executable:
        yield from (_here(job, report) for job in jobs)
        return
    waiting: queue.SimpleQueue[Job] = queue.SimpleQueue()
    for job in jobs:
        waiting.put(job)
    told: queue.SimpleQueue[Outcome | tuple[Job, Any]] = queue.SimpleQueue()
    running: set[subprocess.Popen[bytes]] = set()
    threads = [threading.Thread(target=_drive, args=(waiting, told, running), daemon=True) for _ in range(processes)]
    for thread in threads:
        thread.start()
    try:
        left = len(jobs)
        while left:
            match told.get():
                case Outcome() as outcome:
                    left -= 1
                    yield outcome
                case (job, stage):
                    report(job, *stage)
    finally:
        while not waiting.empty():
            waiting.get_nowait()
        for process in list(running):
            process.terminate()
        for thread in threads:
            thread.join()


def _here(job: Job, report: Report) -> Outcome:
    try:
        scanned = scan(
            job.repository,
            lambda *stage: report(job, *stage),
            anew=job.anew,
            exclude=job.exclude,
            default_branch=job.default_branch,
        )
    except ChatError as error:
        return Outcome(job, None, error.message)
    return Outcome(job, scanned)


def _drive(
    waiting: "queue.SimpleQueue[Job]",
    told: "queue.SimpleQueue[Outcome | tuple[Job, Any]]",
    running: "set[subprocess.Popen[bytes]]",
) -> None:
    while True:
        try:
            job = waiting.get_nowait()
        except queue.Empty:
            return
        try:
            told.put(_in_a_process(job, told, running))
        except Exception as error:  # whoever waits for this outcome must not wait for ever
            told.put(Outcome(job, None, f"Its scan ended early ({type(error).__name__})."))


def _in_a_process(
    job: Job, told: "queue.SimpleQueue[Outcome | tuple[Job, Any]]", running: "set[subprocess.Popen[bytes]]"
) -> Outcome:
    # As for readers of files: nothing of the folder we stand in is imported, and it works inside a daemon.
    command = [sys.executable, "-P", "-c", "from dragoman.repo import many; many.serve()"]
    paths = os.pathsep.join(path for path in sys.path if path)
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": paths}
    ) as process:
        running.add(process)
        try:
            if process.stdin is None or process.stdout is None:
                raise OSError("no pipe")
            with process.stdin as asked:
                pickle.dump(job, asked)
            while True:
                match pickle.load(process.stdout):
                    case Outcome() as outcome:
                        return outcome
                    case stage:
                        told.put((job, stage))
        except EOFError:
            return Outcome(
                job, None, f"Its scan was ended (exit code {process.wait()}); the next one goes on from there."
            )
        finally:
            running.discard(process)


def serve() -> None:
    """Scan the repository that stdin names; stages and the outcome go to stdout."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the one who asked decides
    target = sys.stdout.buffer
    job: Job = pickle.load(sys.stdin.buffer)

    def say(value: Any) -> None:
        pickle.dump(value, target)
        target.flush()

    say(_here(job, lambda _, *stage: say(stage)))
