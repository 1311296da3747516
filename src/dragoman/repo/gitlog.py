"""Read `git log`: commit by commit, each with its files, framed by NUL alone and decoded field by field."""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from dragoman.repo import paths
from dragoman.repo.git import Git, Stream, lines

LONGEST_MESSAGE = 100_000  # characters that are kept


class Depth(Enum):
    """How much of a commit is asked for: everything; only what its trees tell; only what stands in the commit itself."""

    FULL = ("--raw", "--numstat", "-M")
    TREES = ("--raw", "-M100%")
    ALONE = ("--no-patch",)


# git prints no NUL inside any of these, so that no character a contributor chooses can end a field early.
_FIELDS = ("%H", "%P", "%at", "%ct", "%ae", "%an", "%B")
_FORMAT = "--format=tformat:" + "".join(f"{name}%x00" for name in _FIELDS)
_FIXED = (
    "-z",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--encoding=UTF-8",
    "--diff-merges=first-parent",
    "--abbrev=40",
)


@dataclass(frozen=True, slots=True)
class Change:
    """What a commit did to one file. The counts are None for a binary file, and where they are not known."""

    path: str
    old_path: str | None
    status: str
    insertions: int | None
    deletions: int | None


@dataclass(slots=True)
class Entry:
    """A commit as git tells it. `odd` counts the fields in which bytes were no text and had to be replaced."""

    sha: str
    parents: tuple[str, ...]
    authored_at: str
    committed_at: str
    email: str
    author: str
    subject: str
    body: str
    odd: int = 0
    changes: list[Change] = field(default_factory=list)


@dataclass(slots=True)
class Log:
    """The commits of one run of git log. Read `entries` to the end; then `failure` is git's sentence or empty.

    What is not known to be whole is not among the entries.
    """

    stream: Stream
    counted: bool

    @property
    def failure(self) -> str:
        """Why git ended before the last commit, or empty."""
        return self.stream.failure

    def entries(self) -> Iterator[Entry]:
        """The commits in the order they were asked for."""
        reader = _Reader(lines(self.stream, b"\0"))
        yield from reader.entries()
        if reader.last is None:
            return
        # git tells all files of a commit before it counts their lines: equal numbers are a whole commit.
        whole = self.counted and reader.named == len(reader.last.changes) and not reader.torn
        if not self.stream.failure or (self.stream.died and whole):
            yield reader.finished(reader.last)


def words(depth: Depth) -> tuple[str, ...]:
    """The words of a git log that reads the SHAs it is given, each commit against its first parent."""
    return ("log", "--no-walk=unsorted", "--stdin", *_FIXED, *depth.value, _FORMAT)


def plain(git: Git, depth: Depth, *names: str) -> list[str]:
    """The command line of the same log over everything the names reach; what a reading is measured against."""
    return git.command("log", *_FIXED, *depth.value, _FORMAT, "--end-of-options", *names)


class _Reader:
    """A state machine: after a header come files with their letters, then files with their counts, then a header."""

    def __init__(self, tokens: Iterator[bytes]) -> None:
        self.tokens = tokens
        self.last: Entry | None = None
        self.named = 0
        self.torn = False
        self.letters: dict[bytes, tuple[str, bytes | None]] = {}

    def entries(self) -> Iterator[Entry]:
        """All but the last, which stays in `last` until the end of the stream is judged."""
        for raw in self.tokens:
            self.torn = True
            token = raw.lstrip(b"\n")
            try:
                if token.startswith(b":"):
                    self._name(token)
                elif token[:1] in b"0123456789-" and token.count(b"\t", 0, 40) >= 2:
                    self._count(token)
                elif token:
                    done, self.last = self.last, self._header(token)
                    if done:
                        yield self.finished(done)
                    self.letters, self.named = {}, 0
            except StopIteration:
                return  # in the middle of a commit
            self.torn = False

    def _header(self, sha: bytes) -> Entry:
        parents, authored, committed, email, author, message = (next(self.tokens) for _ in _FIELDS[1:])
        told = [_text(raw) for raw in (email, author, message)]
        times = [_time(raw) for raw in (authored, committed)]
        subject, body = _split(told[2][0])
        return Entry(
            sha.decode("ascii", "replace"),
            tuple(parents.decode("ascii", "replace").split()),
            times[0][0],
            times[1][0],
            told[0][0],
            told[1][0],
            subject,
            body,
            odd=sum(odd for _, odd in told) + sum(odd for _, odd in times),
        )

    def _name(self, token: bytes) -> None:
        letter = chr(token.rsplit(b" ", 1)[1][0])
        old = next(self.tokens)
        new = next(self.tokens) if letter in "RC" else old
        self.letters[new] = letter, old if letter == "R" else None
        self.named += 1

    def _count(self, token: bytes) -> None:
        added, deleted, path = token.split(b"\t", 2)
        if not path:  # of a rename the two paths follow
            next(self.tokens)
            path = next(self.tokens)
        if self.last is not None:
            letter, old = self.letters.get(path, ("M", None))
            self.last.changes.append(_change(self.last, path, old, letter, _number(added), _number(deleted)))

    def finished(self, entry: Entry) -> Entry:
        """The commit with its files, also where their lines were not counted."""
        if self.letters and not entry.changes:  # lines were not counted
            entry.changes = [_change(entry, path, old, letter) for path, (letter, old) in self.letters.items()]
        return entry


def _change(
    entry: Entry, path: bytes, old: bytes | None, letter: str, added: int | None = None, deleted: int | None = None
) -> Change:
    new_path = paths.text(path)
    if "\\x" in new_path and not _is_text(path):
        entry.odd += 1
    return Change(new_path, None if old is None else paths.text(old), letter, added, deleted)


def _text(raw: bytes) -> tuple[str, bool]:
    try:
        return raw.decode(), False
    except UnicodeDecodeError:
        return raw.decode("utf-8", "replace"), True


def _is_text(raw: bytes) -> bool:
    return not _text(raw)[1]


def _time(raw: bytes) -> tuple[str, bool]:
    try:
        return dt.datetime.fromtimestamp(int(raw), dt.UTC).isoformat()[:19] + "Z", False
    except (ValueError, OverflowError, OSError):
        return "1970-01-01T00:00:00Z", True


def _split(message: str) -> tuple[str, str]:
    """Subject and body as git parts them: at the first empty line."""
    head, _, body = message[:LONGEST_MESSAGE].strip("\n").partition("\n\n")
    return " ".join(head.split("\n")).strip(), body.strip()


def _number(raw: bytes) -> int | None:
    return None if raw == b"-" else int(raw)
