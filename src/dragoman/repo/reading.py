"""Read files into facts: here, or in other processes where there is enough to read."""

import hashlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO

from dragoman.repo import tree
from dragoman.repo.languages import configs, facts, registry
from dragoman.repo.repository import Repository

_WORTH_IT = 4_000_000  # bytes to read, from which on another process pays for its start
_BATCH_BYTES = 400_000
_MOST_JOBS = 8
_UNPARSED = 0.5  # share of a file that did not parse, from which on it counts as not read


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file to read, and the digest it had when it was read before."""

    entry: tree.Entry
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Read:
    """What came of it. `same`: the content is what it was. `reason`: why it is left out. `failure`: why nothing was made of it."""

    entry: tree.Entry
    read_ns: int = 0
    digest: str = ""
    language: str = ""
    lines: int = 0
    config: str | None = None  # what it says of modules, where it is a config
    facts: bytes | None = None
    same: bool = False
    reason: str | None = None
    failure: str | None = None


def read_all(repository: Repository, wanted: Sequence[Wanted], jobs: int | None = None) -> Iterator[Read]:
    """Each file's reading, in any order. `jobs` processes; by default as many as there are processors, if worth it."""
    if jobs is None:
        enough = sum(one.entry.size for one in wanted) // _WORTH_IT
        jobs = min(_processors(), _MOST_JOBS, 1 + enough)
    # sys.executable is empty, or another program, where Python is embedded in one.
    if jobs > 1 and len(wanted) > 1 and "python" in os.path.basename(sys.executable or "").lower():
        yield from _spread(repository, wanted, jobs)
    else:
        yield from _read_here(repository, wanted)


def really_changed(repository: Repository, wanted: Sequence[Wanted]) -> int:
    """How many of these files have another content than before, whatever their times say."""
    with tree.reading(repository) as content:
        return sum(not _made(one, content(one.entry), digest_only=True).same for one in wanted)


def _read_here(repository: Repository, wanted: Sequence[Wanted]) -> Iterator[Read]:
    with tree.reading(repository) as content:
        for one in wanted:
            yield _read(one, content)


def _read(one: Wanted, content: tree.Reading) -> Read:
    begun = time.time_ns()
    return replace(_made(one, content(one.entry)), read_ns=begun)


def _made(one: Wanted, content: bytes | None, *, digest_only: bool = False) -> Read:
    entry = one.entry
    if content is None:
        return Read(entry, reason=tree.UNREADABLE)
    if len(content) > tree.LARGEST:
        return Read(entry, reason=tree.TOO_LARGE)
    digest = hashlib.blake2b(content, digest_size=16).hexdigest()
    if digest_only or digest == one.digest:
        return Read(entry, digest=digest, same=digest == one.digest)
    if reason := tree.objection(content):
        return Read(entry, digest=digest, reason=reason)
    language = registry.language_of(entry.path)
    lines = content.count(b"\n") + (not content.endswith(b"\n") and bool(content))
    told = Read(entry, digest=digest, language=language, lines=lines)
    if not language:
        return replace(told, config=configs.read(entry.path, content))
    try:
        found = registry.read(entry.path, content)
    except Exception as error:  # one file, or one grammar that is not there; the scan counts them and says so
        return replace(told, failure=f"{type(error).__name__}: {error}")
    failure = f"{found.error_share:.0%} of it is no {language}" if found.error_share >= _UNPARSED else None
    return replace(told, facts=facts.dump(found), failure=failure)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# ---- in other processes ----------------------------------------------------------------------------------------------


def _spread(repository: Repository, wanted: Sequence[Wanted], jobs: int) -> Iterator[Read]:
    batches: queue.SimpleQueue[list[Wanted]] = queue.SimpleQueue()
    count = 0
    for batch in _batches(wanted):
        batches.put(batch)
        count += 1
    done: queue.SimpleQueue[list[Read]] = queue.SimpleQueue()
    stop = threading.Event()
    threads = [
        threading.Thread(target=_feed, args=(repository, batches, done, stop), daemon=True)
        for _ in range(min(jobs, count))
    ]
    for thread in threads:
        thread.start()
    left = len(wanted)
    try:
        while left:
            found = done.get()
            left -= len(found)
            yield from found
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def _batches(wanted: Sequence[Wanted]) -> Iterator[list[Wanted]]:
    batch: list[Wanted] = []
    size = 0
    for one in wanted:
        batch.append(one)
        size += one.entry.size + 1000
        if size > _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _feed(
    repository: Repository,
    batches: "queue.SimpleQueue[list[Wanted]]",
    done: "queue.SimpleQueue[list[Read]]",
    stop: threading.Event,
) -> None:
    worker: _Worker | None = None
    while not stop.is_set():
        try:
            batch = batches.get_nowait()
        except queue.Empty:
            break
        try:
            worker = worker or _Worker(repository)
            done.put(worker.read(batch))
        except Exception:
            # A grammar written in C took its process along; find the file it was by reading one at a time.
            if worker:
                worker.close()
            worker = None
            done.put([_alone(repository, one) for one in batch])
    if worker:
        worker.close()


def _alone(repository: Repository, one: Wanted) -> Read:
    try:
        worker = _Worker(repository)
        try:
            (found,) = worker.read([one])
        finally:
            worker.close()
        return found
    except Exception:  # whatever the pipe holds after a crash
        return Read(one.entry, language=registry.language_of(one.entry.path), failure="the reader crashed")


class _Worker:
    """A process that reads batches. Not one of multiprocessing's: those may not be had in a daemon, and import the caller's program."""

    def __init__(self, repository: Repository) -> None:
        # -P: the folder we are in may be the very repository, and its modules are not to be imported.
        command = [sys.executable, "-P", "-c", "from dragoman.repo import reading; reading.serve()"]
        paths = os.pathsep.join(path for path in sys.path if path)
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": paths},
        )
        if self._process.stdin is None or self._process.stdout is None:
            raise OSError("no pipe")
        self._to: BinaryIO = self._process.stdin  # type: ignore[assignment]
        self._from: BinaryIO = self._process.stdout  # type: ignore[assignment]
        pickle.dump(repository, self._to)

    def read(self, batch: list[Wanted]) -> list[Read]:
        pickle.dump(batch, self._to)
        self._to.flush()
        found: list[Read] = pickle.load(self._from)
        return found

    def close(self) -> None:
        try:
            self._to.close()
        except OSError:
            self._process.kill()
        self._from.close()
        self._process.wait()


def serve() -> None:
    """Answer batches on stdin until it ends, as it does when the one who asks is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the one who asks decides
    source, target = sys.stdin.buffer, sys.stdout.buffer
    repository: Repository = pickle.load(source)
    with tree.reading(repository) as content:
        while True:
            try:
                batch: list[Wanted] = pickle.load(source)
            except EOFError:
                return
            read = [_read(one, content) for one in batch]
            try:
                pickle.dump(read, target)
                target.flush()
            except BrokenPipeError:  # whoever asked has gone in the meantime, and nobody waits for this
                os.dup2(os.open(os.devnull, os.O_WRONLY), target.fileno())
                return
