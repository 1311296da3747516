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
QUIET = {"CODEGRAPH_TELEMETRY": "0", "DO_NOT_TRACK": "1", "CODEGRAPH_NO_DAEMON": "1"}


def scans(clones: list[Path]) -> list[dict[str, Any]]:
    """The figures of each clone: CPU seconds and peak MB by step."""
    return [_one(clone.resolve()) for clone in clones]


def told(found: dict[str, Any]) -> Table:
    """The figures of one clone as a table."""
    table = Table(
        title=f"{found['name']}: {found['files']:,} files, {found['commits']:,} commits", title_justify="left"
    )
    for column in ("step", "CPU s", "peak MB"):
        table.add_column(column, justify="left" if column == "step" else "right")
    for label, (seconds, megabytes) in found["steps"].items():
        table.add_row(label, f"{seconds:.2f}", f"{megabytes:,.0f}")
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
        steps["index, all files"] = _run([*python, INDEX, str(state)], copy)
        steps["history, all commits"] = _run([*python, HISTORY, str(state)], copy)
        steps["git log with files, renames and counts"] = _run(LOG, copy)
        edited = _edit(copy, files)
        steps[f"index, after an edit of {edited}"] = _run([*python, INDEX, str(state)], copy)
        steps["history, nothing new"] = _run([*python, HISTORY, str(state)], copy)
        if codegraph := shutil.which("codegraph"):
            subprocess.run(["git", "-C", str(copy), "reset", "--quiet", "--hard"], check=True)
            steps["CodeGraph, all files"] = _run([codegraph, "init", "-i"], copy)
            _edit(copy, files)
            steps["CodeGraph, after the edit"] = _run([codegraph, "sync"], copy)
        return {"name": clone.name, "files": len(files) - 1, "commits": int(count), "steps": steps}


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
        process = subprocess.Popen(
            command, cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
            env={**os.environ, **QUIET},
        )  # fmt: skip
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            sys.exit(f"{' '.join(command[:3])[:200]} failed:\n{errors.read()[-2000:].decode('utf-8', 'replace')}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
