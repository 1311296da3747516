"""The compose file is one that Compose itself takes, and every setting in it is one that the example reads."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml


@pytest.fixture
def compose(root: Path) -> Path:
    return root / "examples" / "parts" / "compose.yaml"


def test_compose_takes_the_file(compose: Path, tmp_path: Path):
    command = shutil.which("docker-compose")
    if command is None and os.environ.get("DRAGOMAN_REQUIRE_SERVICES") == "1":
        pytest.fail("DRAGOMAN_REQUIRE_SERVICES=1, but docker-compose is not installed.", pytrace=False)
    if command is None:
        pytest.skip("docker-compose is not installed")
    done = subprocess.run(
        [command, "-f", str(compose), "config", "--services"], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) == {"web", "prepare", "database", "redis"}


def test_every_variable_and_file_it_names_is_there(compose: Path, root: Path):
    services = yaml.safe_load(compose.read_text())["services"]
    settings = (root / "examples" / "parts" / "config" / "settings.py").read_text()
    named = [name for name in services["web"]["environment"] if name.startswith("PARTS_")]
    assert named
    assert [name for name in named if name not in settings] == []
    built = (compose.parent / services["web"]["build"]["context"]).resolve()
    image = built / services["web"]["build"]["dockerfile"]
    copied = [word for line in re.findall(r"^COPY (.*) \S+$", image.read_text(), re.M) for word in line.split()]
    assert copied
    assert [name for name in copied if not (built / name).exists()] == []
