"""Answer a statement somebody else wrote, behind four layers, of which each would do alone for what it is there for.

- the connection: read-only, and told so twice
- the authorizer: SELECT from the tables named, by the functions named, and nothing else
- the shape: one statement that aggregates (`sqlshape`)
- the caps: rows, characters, memory, file size, processor time, in a process of its own that is ended when it is late
"""

import json
import os
import subprocess
import sys
from collections.abc import Collection
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from dragoman.harness.tools import ToolError
from dragoman.repo import sqlshape

Layer = Literal["read_only", "authorizer", "shape", "caps"]
EVERY: frozenset[Layer] = frozenset({"read_only", "authorizer", "shape", "caps"})
MOST_ROWS = 200

_CHILD = Path(__file__).with_name("sqlchild.py")


@dataclass(frozen=True, slots=True)
class Caps:
    """`seconds` are of processor time, `patience_seconds` by the clock; `cell` and `room` are characters, of one value and of all."""

    rows: int = MOST_ROWS
    cell: int = 500
    room: int = 24_000
    seconds: int = 5
    patience_seconds: float = 30


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows of JSON values; `capped` says that there were more."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    capped: bool


def run(
    path: Path, tables: Collection[str], sql: str, *, caps: Caps | None = None, layers: Collection[Layer] = EVERY
) -> Answer:
    """What the statement answers from these tables of the database. Blocks; fit for a thread.

    `layers` is for the tests of each layer without the others. Raises ToolError: bad_sql, refused, too_much.
    """
    caps = caps or Caps()
    if "shape" in layers and (objection := sqlshape.objection(sql)):
        raise ToolError(objection, "bad_sql")
    asked = {
        "path": os.fspath(path),
        "tables": sorted(tables),
        "sql": sql,
        "caps": asdict(caps),
        "layers": sorted(layers),
    }
    patience = caps.patience_seconds if "caps" in layers else None
    told = _child(json.dumps(asked), patience)
    if "failure" in told:
        raise _failed(told["failure"], told["said"], tables)
    return Answer(tuple(told["columns"]), tuple(tuple(row) for row in told["rows"]), told["capped"])


def _child(asked: str, patience_seconds: float | None) -> dict[str, Any]:
    # Isolated, without site, environment or a folder of ours: nothing but the standard library is in reach.
    command = [sys.executable, "-I", "-S", os.fspath(_CHILD)]
    try:
        done = subprocess.run(
            command, input=asked.encode(), capture_output=True, check=False, cwd="/", env={}, timeout=patience_seconds
        )
    except subprocess.TimeoutExpired:
        raise _too_much() from None
    try:
        told = json.loads(done.stdout)
    except ValueError:  # ended by a limit before it could say anything
        raise _too_much() from None
    return told if isinstance(told, dict) else {}


def _failed(name: str, said: str, tables: Collection[str]) -> ToolError:
    match name:
        case "SQLITE_AUTH":
            return ToolError(
                f"Not allowed here: {said}. A SELECT may read {', '.join(sorted(tables))} and use common aggregate, window, "
                "text and date functions.",
                "refused",
            )
        case "SQLITE_INTERRUPT" | "SQLITE_NOMEM" | "SQLITE_FULL" | "SQLITE_TOOBIG":
            return _too_much()
        case _ if name.startswith("SQLITE_IOERR"):
            return _too_much()
        case _ if name.startswith("SQLITE_READONLY"):
            return ToolError("Nothing can be written here.", "refused")
        case _:
            return ToolError(f"The statement does not work: {said}.", "bad_sql")


def _too_much() -> ToolError:
    return ToolError(
        "The statement took too much time or memory. Ask for less: join on keys, narrow by date.", "too_much"
    )
