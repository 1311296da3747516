"""The command itself: help, versions, exit codes, and never a traceback."""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dragoman.cli import main as door
from tests.cli.running import dragoman, environment


def test_the_version_is_told_and_loads_no_command(tmp_path: Path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "dragoman", "--version"],
        check=True, capture_output=True, text=True, env=environment(tmp_path),
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert told.stdout.startswith("dragoman ")
    loaded = {line.rpartition("|")[2].strip() for line in told.stderr.splitlines()}
    assert not loaded & {"django", "rich", "uvicorn", "asyncio", "dragoman.repo", "dragoman.providers.catalog"}
    # The processor's seconds do not depend on what else runs here; 0.3 are promised.
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 0.3


def test_help_names_every_command(tmp_path: Path):
    told = dragoman(tmp_path, "--help")
    assert told.returncode == 0
    assert all(f"{name} " in told.stdout for name in door.COMMANDS)


@pytest.mark.parametrize("name", door.COMMANDS)
def test_every_command_has_a_help_of_its_own(tmp_path: Path, name: str):
    told = dragoman(tmp_path, name, "--help")
    assert told.returncode == 0
    assert f"usage: dragoman {name}" in told.stdout


@pytest.mark.parametrize(
    "words", [(), ("bogus",), ("ask",), ("--bogus",), ("serve", "--port", "x"), ("serve", "--port", "70000")]
)
def test_words_that_make_no_command_end_with_2(tmp_path: Path, words: tuple[str, ...]):
    told = dragoman(tmp_path, *words)
    assert (told.returncode, told.stdout) == (2, "")
    assert "usage: dragoman" in told.stderr


def test_no_words_at_all_tell_every_command(tmp_path: Path):
    told = dragoman(tmp_path)
    assert all(f"    {name} " in told.stderr for name in door.COMMANDS)


def test_a_number_out_of_its_range_is_told_with_the_range(tmp_path: Path):
    assert "'70000' is no number from 0 to 65,535" in dragoman(tmp_path, "serve", "--port", "70000").stderr
    assert "'0' is no number from 1 to 1,000" in dragoman(tmp_path, "scan", "--processes", "0").stderr


def test_a_folder_without_a_repository_is_said_in_a_sentence(tmp_path: Path):
    told = dragoman(tmp_path / "home", "ask", "where is x?", at=tmp_path)
    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr == f"{tmp_path} is in no git repository. Name one, or run git init there.\n"


def test_what_nobody_thought_of_is_a_sentence_as_well(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def broken(name: str) -> object:
        raise RuntimeError("inside")

    monkeypatch.setattr(door, "import_module", broken)
    assert door.main(["ask", "x"]) == 1
    told = capsys.readouterr().err
    assert "RuntimeError" in told
    assert "Traceback" not in told
    monkeypatch.setenv(door.DEBUG_VARIABLE, "1")
    with pytest.raises(RuntimeError):
        door.main(["ask", "x"])


def test_an_interrupt_ends_with_130_and_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def interrupted(name: str) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr(door, "import_module", interrupted)
    assert door.main(["ask", "x"]) == 130
    assert capsys.readouterr().err == "\nInterrupted.\n"


def test_an_answer_nobody_reads_to_its_end_makes_no_noise(tmp_path: Path):
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.Popen(
        [sys.executable, "-m", "dragoman", "--help"], stdout=writing, stderr=subprocess.PIPE, env=environment(tmp_path)
    )
    os.close(writing)
    _, said = process.communicate()
    assert b"Traceback" not in said
    assert process.returncode != -signal.SIGPIPE
