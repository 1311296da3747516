"""Speak to the program git: bytes in and out, nothing of a repository's configuration started, errors as values."""

import os
import selectors
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Self

from dragoman.repo.repository import Repository

IDLE_SECONDS = 300  # of silence; there is no limit on how long git may work
_PIECE = 1 << 18
_TOLD = 2_000  # characters of git's own words that are passed on

# A repository's own configuration may name programs to start and ways to print; none of it counts here.
_FIXED = (
    *("core.quotePath=false", "core.fsmonitor=false", "core.hooksPath=/dev/null", "core.commentChar=#"),
    *("log.showSignature=false", "log.mailmap=false", "log.follow=false", "log.showRoot=true", "log.decorate=false"),
    *(
        "diff.renameLimit=1000",
        "diff.algorithm=default",
        "diff.relative=false",
        f"diff.orderFile={os.devnull}",
        "diff.submodule=short",
    ),
    *(
        "diff.ignoreSubmodules=none",
        "diff.noprefix=false",
        "diff.mnemonicPrefix=false",
        "diff.suppressBlankEmpty=false",
    ),
    *("diff.interHunkContext=0", "diff.context=3", "diff.indentHeuristic=true", "diff.colorMoved=no", "color.ui=false"),
    *("gc.auto=0", "maintenance.auto=false", "submodule.recurse=false", "core.pager=cat"),
)


@dataclass(frozen=True, slots=True)
class Output:
    """What git answered. `failure` is git's own sentence where it ended badly, and empty where it did not."""

    out: bytes
    failure: str = ""

    @property
    def ok(self) -> bool:
        """Whether git did what it was asked."""
        return not self.failure

    @property
    def text(self) -> str:
        """The answer as text without the last line's end; an odd byte becomes a replacement character."""
        return self.out.decode("utf-8", "replace").rstrip("\n")


@dataclass(slots=True)
class Stream:
    """Bytes of a running git, as they come. `failure` and `died` are known when the last piece was read.

    `died` says that git ended itself with a sentence; a git that was ended from outside may have said half a word.
    """

    pieces: Iterator[bytes]
    failure: str = ""
    died: bool = False

    def __iter__(self) -> Iterator[bytes]:
        return self.pieces


@dataclass(frozen=True, slots=True)
class Git:
    """The git of one clone; `program` is for tests."""

    git_dir: str
    work_tree: str | None = None
    idle_seconds: float = IDLE_SECONDS
    program: str = "git"

    @classmethod
    def of(cls, repository: Repository) -> Self:
        """Git for this clone."""
        return cls(str(repository.git_dir), None if repository.bare else str(repository.root))

    def run(self, *words: str, given: bytes = b"") -> Output:
        """Ask for something short and wait for all of it. `given` is what git reads."""
        stream = self.stream(*words, given=given)
        with stream as running:
            out = b"".join(running)
        return Output(out, running.failure)

    @contextmanager
    def stream(self, *words: str, given: bytes | IO[bytes] = b"") -> Iterator[Stream]:
        """Ask for something long. Git is ended when the block is left, or after a silence of `idle_seconds`."""
        with tempfile.TemporaryFile() as errors, _as_file(given) as source:
            process = subprocess.Popen(
                self.command(*words),
                stdin=source,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment(),
                cwd=self.work_tree or self.git_dir,
            )
            stream = Stream(iter(()))
            stream.pieces = self._pieces(process, errors, stream)
            try:
                yield stream
            finally:
                _end(process)

    def command(self, *words: str) -> list[str]:
        """The whole command line of a git that starts nothing and reads no configuration that changes its words."""
        place = [f"--git-dir={self.git_dir}"] + ([f"--work-tree={self.work_tree}"] if self.work_tree else [])
        fixed = [word for setting in _FIXED for word in ("-c", setting)]
        return [self.program, *place, *fixed, "--no-pager", "--literal-pathspecs", *words]

    def _pieces(self, process: subprocess.Popen[bytes], errors: IO[bytes], stream: Stream) -> Iterator[bytes]:
        assert process.stdout is not None
        descriptor = process.stdout.fileno()
        with selectors.DefaultSelector() as selector:
            selector.register(descriptor, selectors.EVENT_READ)
            while True:
                if not selector.select(self.idle_seconds):
                    process.kill()
                    stream.failure = f"git said nothing for {self.idle_seconds:g} seconds and was ended"
                    return
                piece = os.read(descriptor, _PIECE)
                if not piece:
                    break
                yield piece
        code = process.wait()
        if code:
            errors.seek(0)
            said = errors.read().decode("utf-8", "replace").strip()
            stream.died = code > 0
            stream.failure = said[-_TOLD:] or f"git ended with the code {code}"


def environment() -> dict[str, str]:
    """The environment git is started in: nothing inherited that points to another repository, no lock, no network."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {
        "LC_ALL": "C",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_FLUSH": "0",  # else git log writes commit by commit
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        # Of a partial clone, a missing object is told and not fetched: by the first where git knows it, else by the second.
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
    }


@dataclass(slots=True)
class Objects:
    """One long-lived `git cat-file --batch`. Use it in a with statement."""

    git: Git
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            self.git.command("cat-file", "--batch"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(),
            cwd=self.git.work_tree or self.git.git_dir,
        )
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            _end(self._process)

    def read(self, name: str | bytes) -> tuple[str, bytes] | None:
        """Kind and content of the object `name`, a SHA or `<SHA>:<path>`; None where there is none."""
        raw = name if isinstance(name, bytes) else os.fsencode(name)
        if b"\n" in raw or b"\0" in raw:
            return None  # a newline ends a question to git
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(raw + b"\n")
            process.stdin.flush()
        except BrokenPipeError:
            return None
        words = process.stdout.readline().split(b" ")
        if len(words) != 3 or not words[2].strip().isdigit():
            return None
        size = int(words[2])
        content = process.stdout.read(size + 1)
        return (words[1].decode(), content[:-1]) if len(content) == size + 1 else None


@contextmanager
def _as_file(given: bytes | IO[bytes]) -> Iterator[IO[bytes] | int]:
    if not isinstance(given, bytes):
        given.seek(0)
        yield given
    elif not given:
        yield subprocess.DEVNULL
    else:
        with tempfile.TemporaryFile() as file:  # a pipe would block once git's own answer fills up
            file.write(given)
            file.seek(0)
            yield file


def _end(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    if process.poll() is None:
        process.kill()
    process.wait()


def lines(pieces: Iterable[bytes], mark: bytes) -> Iterator[bytes]:
    """What stands between marks, without them."""
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(mark)
        yield from whole
    if rest:
        yield rest
