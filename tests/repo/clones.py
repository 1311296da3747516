"""Make a clone for a test: a folder, files, commits."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from dragoman.repo.repository import Repository, find

_PERSON = {
    "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org", "GIT_AUTHOR_DATE": "2026-03-01T12:00:00Z",
    "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.org", "GIT_COMMITTER_DATE": "2026-03-01T12:00:00Z",
    "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
}  # fmt: skip

Files = Mapping[str, str | bytes]


def git(place: Path, *arguments: str) -> str:
    """Run git there, as Ada; what it prints."""
    done = subprocess.run(
        ["git", "-C", str(place), "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", *arguments],
        check=True, capture_output=True, env={**os.environ, **_PERSON}, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return os.fsdecode(done.stdout).strip()


def put(place: Path, files: Files) -> None:
    """Write files below a folder; bytes as they are."""
    for name, content in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def commit(place: Path, files: Files, subject: str = "Change it") -> str:
    """Write files and commit everything; the commit's sha."""
    put(place, files)
    git(place, "add", "--all")
    git(place, "commit", "--quiet", "--allow-empty", "-m", subject)
    return git(place, "rev-parse", "HEAD")


def clone(place: Path, files: Files | None = None) -> Repository:
    """A new repository in `place/project` with one commit of these files; its state lies in `place/state`."""
    root = place / "project"
    root.mkdir(parents=True)
    git(root, "init", "--quiet")
    if files is not None:
        commit(root, files, "Begin")
    return find(root, place / "state")
