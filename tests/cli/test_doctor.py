"""dragoman doctor: each fault is found, with the way to mend it."""

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import dragoman
from tests.repo import orchard


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return orchard.build(tmp_path_factory.mktemp("clones") / "orchard")


def findings(home: Path, *words: str, at: Path, **more: str) -> tuple[int, dict[str, Any]]:
    told = dragoman(home, "doctor", "--port", "0", "--json", *words, at=at, **more)
    return told.returncode, {one["about"]: one for one in json.loads(told.stdout)["findings"]}


def test_a_sound_clone_has_nothing_wrong(tmp_path: Path, clone: Path):
    code, found = findings(tmp_path, at=clone)
    assert code == 0
    assert {one["state"] for one in found.values()} == {"good", "note"}
    assert "dragoman scan" in found["index"]["mend"]
    assert "planner" in found["provider"]["told"]
    dragoman(tmp_path, "ask", "where is Store?", at=clone)
    assert "15 commits" in findings(tmp_path, at=clone)[1]["index"]["told"]


@pytest.mark.parametrize(
    ("about", "text", "told", "mend"),
    [
        ("dragoman.toml", "provder = 'x'", "Did you mean 'provider'?", "dragoman init"),
        ("dragoman.toml", "[keys]\nopenai = 'AWS_SECRET'", "keys", ""),
        ("provider", "provider = 'openai'", "OPENAI_API_KEY", "Set the variable"),
        ("provider", "provider = 'nobody'", "Unknown provider 'nobody'", "dragoman init"),
    ],
)
def test_a_wrong_setting_is_found(tmp_path: Path, about: str, text: str, told: str, mend: str):
    clone = orchard.build(tmp_path / "orchard")
    (clone / "dragoman.toml").write_text(text)
    code, found = findings(tmp_path / "home", at=clone)
    assert code == 1
    assert found[about]["state"] == "bad"
    assert told in found[about]["told"]
    assert mend in found[about]["mend"]


def test_a_broken_index_is_found(tmp_path: Path, clone: Path):
    dragoman(tmp_path, "ask", "where is Store?", at=clone)
    (index,) = tmp_path.glob("*/index.sqlite3")
    for beside in tmp_path.glob("*/index.sqlite3-*"):
        beside.unlink()
    index.write_bytes(b"nothing of a database" * 100)
    found = findings(tmp_path, at=clone)[1]["index"]
    assert found["state"] != "good"
    assert "dragoman scan" in found["mend"]
    told = dragoman(tmp_path, "ask", "where is Store?", at=clone)  # which makes a new one
    assert "src/orchard/store.py:6" in told.stdout


def test_no_repository_and_a_state_folder_that_is_a_file_are_found(tmp_path: Path, clone: Path):
    assert findings(tmp_path, at=tmp_path)[1]["repository"]["state"] == "bad"
    (tmp_path / "file").write_text("")
    assert findings(tmp_path / "file", at=clone)[1]["state folder"]["mend"].endswith(
        "set DRAGOMAN_HOME to a folder that is."
    )


def test_a_taken_port_is_found(tmp_path: Path, clone: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, found = findings(tmp_path, "--port", str(port), at=clone)
    assert (code, found["port"]["state"]) == (0, "note")
    assert f"--port {port + 1}" in found["port"]["mend"]


def test_git_that_is_missing_is_found(tmp_path: Path, clone: Path):
    (tmp_path / "empty").mkdir()
    code, found = findings(tmp_path, at=clone, PATH=str(tmp_path / "empty"))
    assert code == 1
    assert found["git"]["mend"].startswith("Install git")
