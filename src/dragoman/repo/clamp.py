"""Which files of a clone may be read, and how one is opened: below the root, tracked, regular, and none that holds secrets by its name.

An answer travels: into a transcript, to a provider. So a file counts only where somebody has put it under version control;
what is ignored, new or outside is refused, whatever way its path is spelled.
"""

import os
import posixpath
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader

from dragoman.harness.tools import ToolError
from dragoman.repo import paths, tree
from dragoman.repo.repository import Repository
from dragoman.repo.withheld import denied

_SNIFFED = 8_192  # bytes in which a NUL tells a binary file
_REGULAR = (b"100644", b"100755")
_LONGEST_PATH = 4_096


@dataclass(frozen=True, slots=True)
class Tracked:
    """A path git knows; `mode` is git's, `blob` the name of its content as git has it."""

    raw: bytes
    mode: bytes
    blob: str

    @property
    def path(self) -> str:
        """The path as people read it."""
        return paths.text(self.raw)

    @property
    def regular(self) -> bool:
        """Whether git has it as a file: no symlink, no submodule."""
        return self.mode in _REGULAR


def spelled(repository: Repository, path: str) -> str:
    """The path from the root, `..` and symlinks followed; empty for the root itself. Raises ToolError where it leads out."""
    if "\0" in path or len(path) > _LONGEST_PATH:
        raise ToolError("That is no path: it is too long, or holds a NUL character.", "bad_path")
    try:
        raw = paths.raw(path)
    except UnicodeEncodeError:
        raise ToolError("That is no path: it holds half a character.", "bad_path") from None
    if denied(path):
        raise _refused(path)
    if repository.bare:
        inside = posixpath.normpath(posixpath.join("/", path)).lstrip("/")
        # There is no folder to step out of, so a path that tries is answered as in a work tree.
        if posixpath.isabs(path) or posixpath.normpath(path).split("/")[0] == "..":
            raise _outside(path)
        return inside
    root = os.path.realpath(os.fsencode(repository.root))
    try:
        there = os.path.realpath(os.path.join(root, raw))
    except (OSError, ValueError):
        raise _outside(path) from None
    if there != root and not there.startswith(root.rstrip(b"/") + b"/"):
        raise _outside(path)
    inside = paths.text(there[len(root) :].lstrip(b"/"))
    if denied(inside) or _is_state(repository, there):
        raise _refused(path)
    return inside


def tracked(repository: Repository, under: str = "") -> Iterator[Tracked]:
    """What git has at this path or below it, denied paths left out."""
    where = ["--", os.fsdecode(paths.raw(under))] if under else []
    if repository.bare:
        head = tree.head(repository)
        told = (
            tree.ask(repository, "--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", head, *where)
            if head
            else b""
        )
    else:
        told = tree.ask(repository, "--literal-pathspecs", "ls-files", "-z", "--stage", *where)
    seen: set[bytes] = set()
    for line in told.split(b"\0")[:-1]:
        words, raw = line.split(b"\t", 1)
        mode, *rest = words.split()
        if raw not in seen and not denied(paths.text(raw)):  # a path in conflict stands there up to three times
            seen.add(raw)
            yield Tracked(raw, mode, rest[1 if repository.bare else 0].decode())


def the_file(repository: Repository, path: str) -> Tracked:
    """The tracked regular file of this path. Raises ToolError: bad_path, outside, refused, not_a_file, not_tracked, binary."""
    inside = spelled(repository, path)
    raw = paths.raw(inside)
    found = list(tracked(repository, inside))
    one = next((one for one in found if one.raw == raw), None)
    if one is None:
        if found or not inside:
            raise ToolError(f"{path or '.'} is a folder. list_dir shows what is in it.", "not_a_file")
        raise ToolError(
            f"Git does not track a file {path}. Paths are from the root, as list_dir and search_text show them; "
            "a new file can be read after git add.",
            "not_tracked",
        )
    if not one.regular:
        raise ToolError(f"{path} is no regular file in git, but a link or a submodule.", "not_a_file")
    return one


@contextmanager
def opened(repository: Repository, file: Tracked) -> Iterator[BufferedReader]:
    """The content of a tracked file, at its begin. Raises ToolError: not_a_file, missing, binary."""
    with _blob(repository, file) if repository.bare else _on_disk(repository, file) as content:
        if b"\0" in content.read(_SNIFFED):
            raise ToolError(f"{file.path} is a binary file and cannot be shown.", "binary")
        content.seek(0)
        yield content


@contextmanager
def _on_disk(repository: Repository, file: Tracked) -> Iterator[BufferedReader]:
    *folders, name = file.raw.split(b"/")
    place = os.open(os.path.realpath(repository.root), os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            # Step by step, so that no folder can be swapped for a link between the question and the opening.
            for folder in folders:
                below = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=place)
                os.close(place)
                place = below
            # A FIFO would wait for a writer for ever, hence O_NONBLOCK.
            descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=place)
        except FileNotFoundError:
            raise ToolError(f"{file.path} is tracked, but not in the work tree.", "missing") from None
        except OSError:
            raise _no_regular(file) from None
    finally:
        os.close(place)
    with os.fdopen(descriptor, "rb") as content:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _no_regular(file)
        yield content


@contextmanager
def _blob(repository: Repository, file: Tracked) -> Iterator[BufferedReader]:
    command = ["git", "--git-dir", os.fspath(repository.git_dir), "cat-file", "blob", file.blob]
    with tempfile.TemporaryFile() as spool:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=spool,
            stderr=subprocess.DEVNULL,
            check=False,
            env=tree.environment(),
        )
        if done.returncode:
            raise ToolError(f"{file.path} is tracked, but its content is not in this clone.", "missing")
        with os.fdopen(os.dup(spool.fileno()), "rb") as content:
            content.seek(0)
            yield content


def _is_state(repository: Repository, there: bytes) -> bool:
    state = os.path.realpath(os.fsencode(repository.state))
    return there == state or there.startswith(state + b"/")


def _refused(path: str) -> ToolError:
    return ToolError(f"{_short(path)} is never read: it may hold secrets, or is git's or Dragoman's own.", "refused")


def _outside(path: str) -> ToolError:
    return ToolError(
        f"{_short(path)} is outside of the repository. Paths are from its root, like src/main.py.", "outside"
    )


def _no_regular(file: Tracked) -> ToolError:
    return ToolError(f"{file.path} is no regular file in the work tree.", "not_a_file")


def _short(path: str) -> str:
    return path if len(path) <= 200 else f"{path[:200]}..."
