"""`python -m bench.graph.cost FOLDER`: CPU seconds and peak memory of reading and resolving its Python files, as JSON."""

import gc
import json
import re
import sys
import time
from pathlib import Path

from bench.graph.judge import read
from dragoman.repo.languages.resolve import resolve


def main() -> None:
    """Read and resolve; whatever was imported before counts in the memory and not in the seconds."""
    gc.disable()
    begun = time.process_time()
    files = read(Path(sys.argv[1]), "python")
    has_read = time.process_time()
    found = resolve(files)
    done = time.process_time()
    print(
        json.dumps(
            {
                "files": len(files),
                "calls": sum(call.kind == "call" for facts in files.values() for call in facts.calls),
                "edges": len(found.edges),
                "read": has_read - begun,
                "resolve": done - has_read,
                "megabytes": _peak(),
            }
        )
    )


def _peak() -> float:
    # Linux's own count of this program; getrusage would tell the parent's where that was larger.
    told = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(told[1]) / 1024 if told else 0.0


if __name__ == "__main__":
    main()
