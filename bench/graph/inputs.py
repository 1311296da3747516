"""The repositories the graph is measured on, at fixed versions, and a type checker's index of each; fetched once."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path

PYTHON = {"celery": "5.7.0", "sqlalchemy": "2.1.9", "httpie": "3.2.4"}
SCRIPT = ("rxjs", "7.8.2")
TOOLS = ("@sourcegraph/scip-python@0.6.6", "@sourcegraph/scip-typescript@0.4.0")
PLACE_VARIABLE = "DRAGOMAN_BENCH_GRAPH"  # a folder that keeps what was fetched


def place() -> Path:
    """The folder with everything fetched and indexed; by default one below the system's for temporary files."""
    named = os.environ.get(PLACE_VARIABLE)
    return Path(named) if named else Path(tempfile.gettempdir()) / "dragoman-bench-graph"


def missing() -> str:
    """Why this cannot be measured here; empty where it can."""
    wanted = [tool for tool in ("node", "npm") if shutil.which(tool) is None]
    if wanted:
        return f"{' and '.join(wanted)} not found; the type checkers need it"
    return "" if _pip() else "pip not found; it fetches the sources"


def python(name: str, say: Callable[[str], None]) -> tuple[Path, Path]:
    """The folder of a package's sdist, and the SCIP index of it."""
    version, home = PYTHON[name], place()
    root, index = home / "src" / f"{name}-{version}", home / "scip" / f"{name}-{version}.scip"
    if not root.is_dir():
        say(f"download {name} {version} ...")
        # Only this package from source: its build tools may come as wheels.
        asked = ["--no-deps", "--no-binary", name, "-d", str(home / "sdist"), f"{name}=={version}"]
        _run([*_pip(), "download", "-q", *asked], home)
        with tarfile.open(next((home / "sdist").glob(f"{name}-{version}.tar.gz"))) as packed:
            packed.extractall(home / "src", filter="data")
    if not index.is_file():
        say(f"index {name} with scip-python, minutes ...")
        tool = _tool("scip-python")
        index.parent.mkdir(parents=True, exist_ok=True)
        (home / "environment.json").write_text("[]")
        options = ["--cwd", str(root), "--project-name", root.name, "--project-version", "0"]
        options += ["--environment", str(home / "environment.json"), "--output", f"{index}.part"]
        _run(["node", "--max-old-space-size=7000", str(tool), "index", *options], root)
        Path(f"{index}.part").rename(index)
    return root, index


def script(say: Callable[[str], None]) -> tuple[Path, Path]:
    """The folder of the npm package that ships its TypeScript, and the SCIP index of it."""
    name, version = SCRIPT
    home = place()
    root, index = home / "ts" / "package", home / "scip" / f"{name}.scip"
    if not root.is_dir():
        say(f"download {name} {version} ...")
        root.parent.mkdir(parents=True, exist_ok=True)
        _run(["npm", "pack", "--silent", f"{name}@{version}"], root.parent)
        with tarfile.open(root.parent / f"{name}-{version}.tgz") as packed:
            packed.extractall(root.parent, filter="data")
    if not index.is_file():
        say(f"index {name} with scip-typescript ...")
        index.parent.mkdir(parents=True, exist_ok=True)
        asked = ["index", "--output", f"{index}.part", "src/tsconfig.base.json"]
        _run(["node", str(_tool("scip-typescript")), *asked], root)
        Path(f"{index}.part").rename(index)
    return root, index


def _pip() -> list[str]:
    """The command of this environment's pip, or, since uv puts none there, of the one on PATH; empty without any."""
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    found = shutil.which("pip") or shutil.which("pip3")
    return [found] if found else []


def _tool(name: str) -> Path:
    home = place() / "tools"
    found = home / "node_modules" / ".bin" / name
    if not found.exists():
        home.mkdir(parents=True, exist_ok=True)
        _run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(home), *TOOLS], home)
    return found


def _run(command: list[str], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=folder, stdin=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"{' '.join(command[:4])} failed:\n{(done.stdout + done.stderr)[-3000:]}")
