"""Walk a history from its oldest commit to its newest, and lose one commit's files, not the walk, where an object is missing."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from tempfile import TemporaryFile
from typing import IO

from dragoman.repo.git import Git
from dragoman.repo.gitlog import Depth, Entry, Log, words
from dragoman.repo.refs import Refs

type Found = tuple[Entry, str | None]

SHALLOW = "shallow clone: its parent is not here"
NOT_COUNTED = "an object is missing: lines not counted"
NO_FILES = "an object is missing: files not known"

_AT_ONCE = 16_000  # commits that one git reads
_BLOCK = 500  # of them, kept in memory
_GIVING_UP = 8  # missing contents in a row, after which a partial clone is not asked for more of them


@dataclass(slots=True)
class Walk:
    """What went wrong on the way: git's sentences, and the one that ended the walk."""

    told: list[str] = field(default_factory=list)
    stopped: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """The commits to visit, oldest first, kept on disk."""

    file: IO[bytes]
    total: int

    def chunks(self) -> Iterator[list[str]]:
        """The SHAs, some at a time."""
        self.file.seek(0)
        chunk: list[str] = []
        for line in self.file:
            chunk.append(line.decode("ascii").strip())
            if len(chunk) == _AT_ONCE:
                yield chunk
                chunk = []
        if chunk:
            yield chunk


@contextmanager
def listing(git: Git, wanted: Iterable[str], left_out: Iterable[str], walk: Walk) -> Iterator[Listing]:
    """The commits that the wanted ones reach and the others do not, parents before children."""
    given = "".join([*(f"{sha}\n" for sha in sorted(wanted)), *(f"^{sha}\n" for sha in sorted(left_out))]).encode()
    with TemporaryFile() as file:
        total = 0
        with git.stream("rev-list", "--topo-order", "--reverse", "--stdin", given=given) as pieces:
            for piece in pieces:
                total += piece.count(b"\n")
                file.write(piece)
        if pieces.failure:
            walk.stopped = pieces.failure
            total = _what_there_is(git, given, file)
        file.flush()
        yield Listing(file, total)


def _what_there_is(git: Git, given: bytes, file: IO[bytes]) -> int:
    """As far as a broken history can be walked: git tells the newest before it comes to the break."""
    file.seek(0)
    file.truncate()
    with git.stream("rev-list", "--stdin", given=given) as pieces:
        found = b"".join(pieces).split(b"\n")[:-1]
    file.writelines(sha + b"\n" for sha in reversed(found))
    return len(found)


def read(git: Git, shas: Sequence[str], refs: Refs, walk: Walk) -> Iterator[Found]:
    """The commits in this order, each with the reason why its files are not known, or their lines not counted.

    Some at a time are asked for newest first: of a file git keeps the newest content whole, and makes older ones from it.
    """
    blocks = [shas[at : at + _BLOCK] for at in range(0, len(shas), _BLOCK)]
    found = _read(git, [sha for block in blocks for sha in reversed(block)], refs, walk)
    for at, block in enumerate(blocks):
        entries = list(islice(found, len(block)))
        if walk.stopped and len(entries) < len(block):
            walk.stopped = ""
            yield from _read(git, [sha for left in blocks[at:] for sha in left], refs, walk)
            return
        yield from reversed(entries)


def _read(git: Git, shas: Sequence[str], refs: Refs, walk: Walk) -> Iterator[Found]:
    left, depth, in_a_row = list(shas), Depth.FULL, 0
    while left and not walk.stopped:
        done = 0
        with git.stream(*words(depth), given="".join(f"{sha}\n" for sha in left).encode()) as stream:
            log = Log(stream, depth is Depth.FULL)
            for entry in log.entries():
                done += 1
                yield _judged(entry, refs, None if depth is Depth.FULL else NOT_COUNTED)
        left = left[done:]
        if not left:
            return
        if not log.failure:
            walk.stopped = f"git left out {len(left)} commits, {left[0]} first"
        elif stream.died or not done:
            in_a_row = in_a_row + 1 if not done else 1
            walk.told.append(log.failure)
            sha = left.pop(0)
            if found := without_contents(git, sha):
                yield _judged(found[0], refs, found[1])
            else:
                walk.stopped = log.failure
            if refs.partial and in_a_row >= _GIVING_UP:
                depth = Depth.TREES if depth is Depth.FULL else Depth.ALONE


def without_contents(git: Git, sha: str) -> tuple[Entry, str] | None:
    """A commit whose contents cannot be read: what its trees tell, or what it says itself, and why it is no more."""
    for depth, reason in ((Depth.TREES, NOT_COUNTED), (Depth.ALONE, NO_FILES)):
        if entry := one(git, sha, depth):
            return entry, reason
    return None


def one(git: Git, sha: str, depth: Depth = Depth.FULL) -> Entry | None:
    """One commit, or None where it cannot be read this far."""
    with git.stream(*words(depth), given=f"{sha}\n".encode()) as stream:
        log = Log(stream, depth is Depth.FULL)
        found = list(log.entries())
    return found[0] if found and not log.failure else None


def _judged(entry: Entry, refs: Refs, reason: str | None) -> tuple[Entry, str | None]:
    if entry.sha in refs.shallow:
        entry.changes = []  # git tells the whole tree as new, for it does not know the parent
        return entry, SHALLOW
    return entry, reason
