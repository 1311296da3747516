"""What a scan costs: index and history of clones given by path, all of it and after one edit, beside git and CodeGraph.

Each step runs in a process of its own, in a copy of the clone, and its CPU seconds and peak memory are the kernel's
account of that process and of all it started.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from rich.table import Table

# What the history is held against: the same facts, asked of git and thrown away.
LOG = (
    "git", "-c", "diff.renameLimit=1000", "log", "--all", "-z", "--raw", "--numstat", "-M", "--diff-merges=first-parent",
    "--format=%H%x00%P%x00%an%x00%ae%x00%aI%x00%cI%x00%B",
)  # fmt: skip
INDEX = """
import sys; from contextlib import closing; from pathlib import Path
from dragoman.repo import db, index, repository
found = repository.find(Path.cwd(), Path(sys.argv[1]))
with closing(db.write(found.index)) as connection: index.update(connection, found, lambda *_: None)
"""
HISTORY = """
import sys; from contextlib import closing; from pathlib import Path
from dragoman.repo import db, record, repository
found = repository.find(Path.cwd(), Path(sys.argv[1]))
with closing(db.write(found.index)) as connection: record.update(connection, found)
"""
# The kernel counts the memory of whoever starts a process as that process's own: so somebody small starts it.
STARTER = """
import os, sys
away = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
_, status, used = os.wait4(os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=away), 0)
print(os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
"""
ALL, EDITED, LOGGED, PLAIN = "index, all files", "index, after an edit", "history, all commits", "git log, same facts"
THEIRS, THEIR_EDIT = "CodeGraph, all files", "CodeGraph, after the edit"
BESIDE = {ALL: THEIRS, EDITED: THEIR_EDIT, LOGGED: PLAIN}
QUIET = {"CODEGRAPH_TELEMETRY": "0", "DO_NOT_TRACK": "1", "CODEGRAPH_NO_DAEMON": "1"}


def scans(clones: list[Path]) -> list[dict[str, Any]]:
    """The figures of each clone: CPU seconds and peak MB by step."""
    return [_one(clone.resolve()) for clone in clones]


def told(found: dict[str, Any]) -> Table:
    """The figures of one clone as a table."""
    table = Table(
        title=f"{found['name']}: {found['files']:,} files, {found['commits']:,} commits; edited: {found['edited']}",
        title_justify="left",
    )
    for column in ("step", "CPU s", "peak MB", "beside"):
        table.add_column(column, justify="right" if column in ("CPU s", "peak MB") else "left")
    steps = found["steps"]
    for label, (seconds, megabytes) in steps.items():
        other = BESIDE.get(label)
        beside = f"{seconds / steps[other][0]:.2f} of {other.split(',')[0]}" if other and other in steps else ""
        table.add_row(label, f"{seconds:.2f}", f"{megabytes:,.0f}", beside)
    return table


def _one(clone: Path) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="dragoman-bench-") as folder:
        copy, state = Path(folder, "copy"), Path(folder, "state")
        subprocess.run(["git", "clone", "--quiet", "--mirror", str(clone), str(copy / ".git")], check=True)
        subprocess.run(["git", "-C", str(copy), "config", "core.bare", "false"], check=True)
        subprocess.run(["git", "-C", str(copy), "reset", "--quiet", "--hard"], check=True)
        files = subprocess.run(["git", "ls-files", "-z"], cwd=copy, check=True, capture_output=True).stdout.split(b"\0")
        count = subprocess.run(
            ["git", "rev-list", "--all", "--count"], cwd=copy, check=True, capture_output=True
        ).stdout
        python = [sys.executable, "-c"]
        steps: dict[str, tuple[float, float]] = {}
        steps[ALL] = _run([*python, INDEX, str(state)], copy)
        steps[LOGGED] = _run([*python, HISTORY, str(state)], copy)
        steps[PLAIN] = _run(LOG, copy)
        edited = _edit(copy, files)
        steps[EDITED] = _run([*python, INDEX, str(state)], copy)
        steps["history, nothing new"] = _run([*python, HISTORY, str(state)], copy)
        if codegraph := shutil.which("codegraph"):
            subprocess.run(["git", "-C", str(copy), "reset", "--quiet", "--hard"], check=True)
            steps[THEIRS] = _run([codegraph, "init", "-i"], copy)
            _edit(copy, files)
            steps[THEIR_EDIT] = _run([codegraph, "sync"], copy)
        return {
            "name": clone.name,
            "files": len(files) - 1,
            "commits": int(count),
            "edited": edited,
            "steps": steps,
        }


def _edit(copy: Path, files: list[bytes]) -> str:
    """Add a function to the largest Python or TypeScript file; its name."""
    sources = [copy / os.fsdecode(name) for name in files if name.endswith((b".py", b".ts"))]
    largest = max(sources, key=lambda path: path.stat().st_size if path.stat().st_size < 900_000 else 0)
    added = (
        "\n\ndef added_by_the_bench():\n    return 1\n"
        if largest.suffix == ".py"
        else "\nfunction addedByTheBench() {}\n"
    )
    largest.write_bytes(largest.read_bytes() + added.encode())
    return largest.name


def _run(command: list[str] | tuple[str, ...], place: Path) -> tuple[float, float]:
    """CPU seconds and peak MB of a command and of all it starts and waits for."""
    with tempfile.TemporaryFile() as errors:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", STARTER, *command], cwd=place, env={**os.environ, **QUIET},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True, check=False,
        )  # fmt: skip
        code, seconds, megabytes = (done.stdout or "1 0 0").split()
        if code != "0":
            errors.seek(0)
            sys.exit(f"{' '.join(command[:3])[:200]} failed:\n{errors.read()[-2000:].decode('utf-8', 'replace')}")
    return float(seconds), float(megabytes)
