"""`make demo ONCE=1`: what somebody sees who has just cloned the repository."""

import os
import re
import subprocess
import sys
from pathlib import Path


def test_the_demonstration_names_its_provider_and_answers_every_question(root: Path, tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "examples/parts/demo.py"],
        check=False, capture_output=True, text=True, cwd=root,
        # The planner by name: with a key in the environment the demonstration would spend it.
        env={**os.environ, "PARTS_PROVIDER": "planner", "ONCE": "1", "PARTS_DB_NAME": str(tmp_path / "demo.sqlite3"), "PARTS_VAR": str(tmp_path)},
    )  # fmt: skip
    assert told.returncode == 0, told.stdout + told.stderr
    lines = told.stdout.splitlines()
    assert "planner answers" in lines[1]
    asked = [number for line in lines if (number := re.match(r" ?(\d+)\. ", line))]
    assert len(asked) >= 9
    assert sum("This script answers: yes." in line for line in lines) == 1
    assert "2 projects where" in told.stdout
    assert "1 project where" in told.stdout
    assert lines[-1] == f"All {len(asked)} questions got an answer of the expected kind."
