"""dragoman scan: what it prints, and what it exits with."""

import json
import os
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest

from dragoman.cli.main import main
from dragoman.repo import db
from dragoman.repo.languages import registry
from dragoman.repo.repository import find
from tests.repo.clones import clone, commit, git, put
from tests.repo.test_index import SHOP, content, fresh


@pytest.fixture(autouse=True)
def _state_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAGOMAN_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")
    for name in ("DRAGOMAN_BROKER_URL", "DRAGOMAN_RESULT_URL", "DRAGOMAN_QUEUE"):
        monkeypatch.delenv(name, raising=False)


def scanned(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    capsys.readouterr()
    assert main(["scan", "--json", *words]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.requirement("r.scan.graph", "r.scan.history")
def test_a_scan_indexes_the_code_as_a_graph_and_the_history_again_and_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = clone(tmp_path, SHOP).root
    told = scanned(capsys, str(root))
    assert told.pop("seconds") >= 0
    assert told == {
        "repository": str(root), "index": str(find(root).index), "files": 4, "read": 4, "symbols": 5,
        "calls": {"proven": 4}, "possible_calls": 0, "unresolved_calls": 0, "skipped": {}, "failed": [],
        "branch": "main", "commits": 1, "new_commits": 1, "incomplete_commits": {},
    }  # fmt: skip
    said = content(find(root).index)
    assert "('shop/cart.py', 3, 'shop.money', 'shop/money.py')" in said["imports"]
    assert any("'shop/cart.py::Cart.total', 'shop.cart.Cart.total'" in row for row in said["symbols"])
    sha = commit(
        root, {"shop/more.py": "from shop.cart import Cart\n\n\ndef more():\n    return Cart().empty()\n"}, "More"
    )
    git(root, "mv", "shop/money.py", "shop/coins.py")
    again = scanned(capsys, str(root))
    assert (again["files"], again["read"], again["commits"], again["new_commits"]) == (5, 2, 2, 1)
    assert content(find(root).index) == fresh(find(root), tmp_path / "fresh")
    with db.read(find(root).index) as connection:
        row = connection.execute("SELECT path, status FROM commit_files WHERE sha = ?", (sha,)).fetchone()
    assert tuple(row) == ("shop/more.py", "A")
    assert git(root, "status", "--porcelain").split("\n") == ["R  shop/money.py -> shop/coins.py"]


def test_a_bare_clone_leaves_out_what_its_dragoman_toml_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = clone(tmp_path, SHOP | {"vendor/x.py": "", "dragoman.toml": '[index]\nexclude = ["vendor/"]\n'}).root
    git(tmp_path, "clone", "--quiet", "--bare", str(root), "bare.git")
    told = scanned(capsys, str(tmp_path / "bare.git"))
    assert (told["files"], told["skipped"]) == (4, {"excluded in dragoman.toml": 1, "possibly secret": 1})


def test_a_person_is_told_the_counts_on_stdout_and_the_stages_on_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = clone(tmp_path, SHOP | {"logo.png": b"\x89PNG\0"}).root
    assert main(["scan", str(root)]) == 0
    said = capsys.readouterr()
    lines = [" ".join(line.split()) for line in said.out.splitlines()]
    assert lines[0] == str(root)
    assert "files 4; 5 read now" in lines
    assert "calls 4 proven; 0 possible, 0 unresolved" in lines
    assert "left out 1 binary" in lines
    assert "commits 1, 1 of them new, on main" in lines
    assert "read ..." in said.err


def test_the_folder_one_stands_in_is_scanned_from_anywhere_below(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = clone(tmp_path, SHOP).root
    monkeypatch.chdir(root / "shop")
    assert scanned(capsys)["repository"] == str(root)


def test_a_folder_outside_git_is_an_error_that_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scan", str(tmp_path)]) == 1
    assert "is in no git repository" in capsys.readouterr().err


def test_several_repositories_are_scanned_each_in_a_process_and_one_failing_stops_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    roots = [clone(tmp_path / name, SHOP).root for name in ("one", "two", "three")]
    (find(roots[1]).git_dir / "index").write_bytes(b"broken")
    assert main(["scan", "--json", "--processes", "2", str(tmp_path / "nowhere"), *map(str, roots)]) == 1
    told = {one["repository"]: one for one in json.loads(capsys.readouterr().out)}
    assert "no folder" in told[str(tmp_path / "nowhere")]["error"]
    assert "index" in told[str(roots[1])]["error"]
    assert [told[str(root)]["files"] for root in (roots[0], roots[2])] == [4, 4]


def test_when_the_parsers_are_missing_the_exit_code_and_the_words_say_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(path: str, source: bytes) -> Any:
        raise ModuleNotFoundError("No module named 'tree_sitter_python'")

    root = clone(tmp_path, SHOP).root
    monkeypatch.setattr(registry, "read", missing)
    assert main(["scan", str(root)]) == 1
    assert "4 of 4 source files could not be read" in capsys.readouterr().err


def test_control_characters_of_a_name_do_not_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = clone(tmp_path, SHOP | {f"m{at}.py": "x = 1\n" for at in range(5)}).root
    put(root, {"a\x1b[31m.py": "%%% ((( ]]] def def\n" * 30})
    assert main(["scan", str(root)]) == 0
    assert "\x1b[31m" not in capsys.readouterr().out


@pytest.mark.parametrize("words", [["--processes", "0"], ["--processes", "x"], ["--nope"]])
def test_a_wrong_flag_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scan", *words]) == 2
    assert "usage" in capsys.readouterr().err


# ---- over Celery -----------------------------------------------------------------------------------------------------

URLS = {"redis": "redis://127.0.0.1:6379/5", "rabbitmq": "amqp://guest:guest@127.0.0.1:5672//"}


@pytest.mark.parametrize(
    "service",
    [pytest.param(name, marks=pytest.mark.service(name)) for name in URLS],
)
def test_with_a_broker_several_repositories_are_scanned_by_workers(tmp_path: Path, service: str) -> None:
    roots = [clone(tmp_path / name, SHOP).root for name in ("one", "two")]
    told = {
        **os.environ, "DRAGOMAN_HOME": str(tmp_path / "home"), "DRAGOMAN_BROKER_URL": URLS[service],
        "DRAGOMAN_QUEUE": f"index-{uuid.uuid4().hex}", "DJANGO_SETTINGS_MODULE": "",
    }  # fmt: skip
    worker = subprocess.Popen(
        [sys.executable, "-m", "celery", "-A", "dragoman.cli.workers", "worker", "--pool", "prefork", "-c", "1",
         "--without-gossip", "--without-mingle", "--without-heartbeat"],
        env=told, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tmp_path,
    )  # fmt: skip
    try:
        done = subprocess.run(
            [sys.executable, "-m", "dragoman", "scan", "--json", str(tmp_path / "nowhere"), *map(str, roots)],
            env=told, check=False, capture_output=True, text=True, timeout=200,
        )  # fmt: skip
    finally:
        worker.terminate()
        worker.wait(60)
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)
    assert "no folder" in found[0]["error"]
    assert [(one["repository"], one["files"]) for one in found[1:]] == [(str(root), 4) for root in roots]
    with db.read(find(roots[0], tmp_path / "home").index) as connection:
        assert connection.execute("SELECT count(*) FROM files").fetchone()[0] == 4


def test_a_broker_that_is_not_there_is_told(tmp_path: Path) -> None:
    roots = [clone(tmp_path / name, SHOP).root for name in ("one", "two")]
    done = subprocess.run(
        [sys.executable, "-m", "dragoman", "scan", *map(str, roots)],
        env={**os.environ, "DRAGOMAN_HOME": str(tmp_path / "home"), "DRAGOMAN_BROKER_URL": "redis://127.0.0.1:1/0"},
        check=False, capture_output=True, text=True, timeout=200,
    )  # fmt: skip
    assert done.returncode == 1
    assert "The broker in DRAGOMAN_BROKER_URL cannot be used" in done.stderr
