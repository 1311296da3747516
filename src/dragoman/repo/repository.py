"""Repository: one clone on this machine, and the folder of ours that holds what is known of it."""

import hashlib
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from dragoman.harness.errors import ConfigurationError

HOME_VARIABLE = "DRAGOMAN_HOME"


@dataclass(frozen=True, slots=True)
class Repository:
    """A clone. `root` is its work tree, or its git directory where it is bare; `state` lies outside of both."""

    root: Path
    git_dir: Path
    bare: bool
    state: Path

    @property
    def name(self) -> str:
        """What people call it: the folder's name."""
        return self.root.name.removesuffix(".git")

    @property
    def index(self) -> Path:
        """The SQLite file with the code graph and the history."""
        return self.state / "index.sqlite3"

    @property
    def transcripts(self) -> Path:
        """The SQLite file with the conversations of all repositories of this home; no rule has to keep it out of an index."""
        return self.state.parent / "chat.sqlite3"


def find(place: Path, home: Path | None = None) -> Repository:
    """The repository `place` lies in. Raises ConfigurationError where there is none, or no git.

    Its state lies in `home`, by default `$DRAGOMAN_HOME` or `$XDG_CACHE_HOME/dragoman` (`~/.cache/dragoman`), in a
    folder of its own for each work tree.
    """
    place = place.resolve()
    if not place.is_dir():
        raise ConfigurationError(f"There is no folder {place}. Name the folder of a git repository.")
    asked = ["git", "-C", str(place), "rev-parse", "--path-format=absolute", "--is-bare-repository", "--git-dir"]
    try:
        done = subprocess.run(asked, check=False, capture_output=True, stdin=subprocess.DEVNULL)
        if done.returncode:
            raise ConfigurationError(f"{place} is in no git repository. Name one, or run git init there.")
        bare, git_dir = os.fsdecode(done.stdout).rstrip("\n").split("\n", 1)
        root = git_dir if bare == "true" else _top_level(place)
    except FileNotFoundError:
        raise ConfigurationError("The program git is missing: install it and try again.") from None
    return Repository(Path(root), Path(git_dir), bare == "true", _state(Path(root), home))


def _top_level(place: Path) -> str:
    asked = ["git", "-C", str(place), "rev-parse", "--path-format=absolute", "--show-toplevel"]
    done = subprocess.run(asked, check=False, capture_output=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise ConfigurationError(f"{place} lies inside a .git folder. Name the work tree beside it.")
    return os.fsdecode(done.stdout).rstrip("\n")


def _state(root: Path, home: Path | None) -> Path:
    if home is None:
        named = os.environ.get(HOME_VARIABLE)
        cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        home = Path(named) if named else Path(cache) / "dragoman"
    digest = hashlib.sha256(os.fsencode(root)).hexdigest()[:12]
    return home / f"{re.sub(r'[^A-Za-z0-9._-]+', '-', root.name)[:60]}-{digest}"
