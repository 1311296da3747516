"""Clones that a test builds with git itself: commit by commit, with the authors and the times it chooses."""

import os
import subprocess
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dragoman.repo import db, record
from dragoman.repo.record import Recorded
from dragoman.repo.repository import Repository, find

ADA, BEN = "Ada Byron <ada@example.org>", "Ben Ali <ben@example.org>"
_BEGIN = 1_767_225_600  # 2026-01-01, and an hour later with every commit


@dataclass
class Clone:
    """A work tree with a history; `state` is where the index of it goes."""

    root: Path
    state: Path
    hours: int = 0

    @property
    def repository(self) -> Repository:
        return find(self.root, self.state)

    def git(self, *words: str, given: bytes = b"", refused: bool = False, **variables: str) -> str:
        """What git says, without the last line's end; `refused` where it may say no."""
        named = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
        for role in ("AUTHOR", "COMMITTER"):
            named |= {
                f"GIT_{role}_NAME": "Ada Byron",
                f"GIT_{role}_EMAIL": "ada@example.org",
                f"GIT_{role}_DATE": self.time,
            }
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        done = subprocess.run(
            ["git", *words], cwd=self.root, input=given, env=kept | named | variables, capture_output=True, check=False
        )
        assert refused or done.returncode == 0, done.stderr.decode("utf-8", "replace")
        return done.stdout.decode("utf-8", "replace").rstrip("\n")

    @property
    def time(self) -> str:
        return f"{_BEGIN + 3600 * self.hours} +0000"

    def write(self, path: str, content: str | bytes) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(
        self, message: str | bytes, files: Mapping[str, str | bytes | None] | None = None, author: str = ADA
    ) -> str:
        """Change these files (None takes one away), commit everything, and tell the SHA."""
        for path, content in (files or {}).items():
            if content is None:
                self.git("rm", "-q", "--", path)
            else:
                self.write(path, content)
        self.hours += 1
        self.git("add", "-A")
        parent = self.git("rev-parse", "--verify", "-q", "HEAD", refused=True)
        tree = self.git("write-tree")
        head = f"tree {tree}\n" + (f"parent {parent}\n" if parent else "")
        head += f"author {author} {self.time}\ncommitter {ADA} {self.time}\n\n"
        said = message if isinstance(message, bytes) else message.encode()
        # Written as an object, because git commit would clean the message up.
        sha = self.git("hash-object", "-t", "commit", "-w", "--stdin", given=head.encode() + said)
        self.git("update-ref", "HEAD", sha)
        return sha

    def merge(self, *others: str, message: str = "Merge") -> str:
        """Merge branches, several of them as an octopus, into the one that is checked out."""
        self.hours += 1
        self.git("merge", "-q", "--no-ff", "-m", message, *others)
        return self.git("rev-parse", "HEAD")

    def branch(self, name: str, at: str = "HEAD") -> None:
        """Check a new branch out."""
        self.git("checkout", "-q", "-b", name, at)

    def checkout(self, name: str) -> None:
        self.git("checkout", "-q", name)

    def index(self, **options: Any) -> Recorded:
        """Bring the index up to date."""
        with closing(db.write(self.repository.index)) as connection:
            return record.update(connection, self.repository, **options)

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """What the index answers."""
        with db.read(self.repository.index) as connection:
            return [tuple(row) for row in connection.execute(sql, values)]


def clone(place: Path, branch: str = "main") -> Clone:
    """An empty one."""
    made = Clone(place / "work", place / "state")
    made.root.mkdir(parents=True)
    made.git("init", "-q", "-b", branch)
    return made
