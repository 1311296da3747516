"""The small examples hold their own tests, in a process with their own settings."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("example", ["library_strawberry"])
def test_the_example_passes_its_tests(root: Path, tmp_path: Path, example: str):
    kept = {key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"}
    path = os.pathsep.join(filter(None, [str(root / "src"), kept.get("PYTHONPATH", "")]))
    done = subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", "manage.py", "test", "--noinput"],
        cwd=root / "examples" / example,
        env=kept | {"LIBRARY_DB": str(tmp_path / "library.sqlite3"), "PYTHONPATH": path},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-6000:]
