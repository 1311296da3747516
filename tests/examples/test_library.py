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


ASKED = """
import sys
sys.path.insert(0, ".")
import django
django.setup()
from django.contrib.auth.models import User
from django.core.management import call_command
call_command("migrate", verbosity=0)
User.objects.create_superuser("root")
User.objects.create_user("ada")
for name in ("root", "ada"):
    call_command("dragoman_doctor", "--user", name)
"""


@pytest.mark.parametrize(
    ("example", "module", "hidden"),
    [
        ("library_graphene", "config.settings", "StaffNoteType"),
        ("library_strawberry", "library.settings", "Fine"),
    ],
)
def test_the_doctor_names_the_setting_that_hides_a_type_of_this_library(
    root: Path, tmp_path: Path, example: str, module: str, hidden: str
):
    path = os.pathsep.join(filter(None, [str(root / "src"), os.environ.get("PYTHONPATH", "")]))
    more = {"LIBRARY_DB": str(tmp_path / "db.sqlite3"), "DJANGO_SETTINGS_MODULE": module, "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", ASKED],
        cwd=root / "examples" / example, env=os.environ | more, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    to_root, to_ada = (line.strip() for line in done.stdout.splitlines() if "does not see" in line)
    why = "types of grounding does not name it: add the name there, or write chat_exposed = True on its class"
    assert to_root.endswith(f", each because {why}")
    assert hidden in to_root
    assert "told to superusers by name" in to_ada
    assert hidden not in to_ada
