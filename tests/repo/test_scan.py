"""Bring a repository up to date and tell whether it is: scans side by side, cut short, without room, in odd clones."""

import os
import resource
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from dragoman.harness.errors import ConfigurationError
from dragoman.repo import db, intake, lock, scan
from dragoman.repo.repository import Repository, find
from tests.repo.clones import clone, commit, git, put
from tests.repo.test_index import SHOP, content, fresh

PLENTY = {
    f"m{at}.py": f"import m{at // 2}\n\n\ndef total_{at}():\n    return m{at // 2}.total_{at // 2}()\n"
    for at in range(200)
}


def test_a_scan_brings_both_the_code_and_the_history_and_leaves_the_clone_clean(tmp_path: Path) -> None:
    repository = clone(tmp_path, SHOP)
    before = {path: path.stat().st_mtime_ns for path in repository.root.rglob("*")}
    told = scan.scan(repository)
    assert (told.indexed.files, told.recorded.commits, told.fault) == (4, 1, None)
    assert {path: path.stat().st_mtime_ns for path in repository.root.rglob("*")} == before
    assert git(repository.root, "status", "--porcelain") == ""
    assert sorted(os.listdir(repository.state)) == ["index.sqlite3", "scan.lock"]


def test_a_state_folder_inside_the_work_tree_hides_itself(tmp_path: Path) -> None:
    root = clone(tmp_path, SHOP).root
    repository = find(root, root / ".state")
    assert scan.scan(repository).indexed.files == 4
    assert git(root, "status", "--porcelain") == ""
    assert scan.freshen(repository).state == "current"


def test_stages_are_reported_with_how_much_is_done(tmp_path: Path) -> None:
    told: list[tuple[str, int, int | None]] = []
    scan.scan(clone(tmp_path, PLENTY), lambda *stage: told.append(stage))
    assert [done for stage, done, total in told if stage == "read" and total == 200] == [50, 100, 150, 200]
    assert {stage for stage, *_ in told} >= {"list", "read", "resolve", "publish", "history"}


# ---- before a question -----------------------------------------------------------------------------------------------


def test_nothing_is_stale_right_after_a_scan(tmp_path: Path) -> None:
    repository = clone(tmp_path, PLENTY)
    scan.scan(repository)
    assert scan.freshen(repository) == scan.Freshness("current")


def test_staleness_is_told_from_content_and_not_from_times(tmp_path: Path) -> None:
    repository = clone(tmp_path, PLENTY)
    scan.scan(repository)
    for path in PLENTY:
        (repository.root / path).touch()
    assert scan.freshen(repository) == scan.Freshness("current")


def test_an_edit_and_a_commit_are_visible_to_the_next_question(tmp_path: Path) -> None:
    repository = clone(tmp_path, SHOP)
    scan.scan(repository)
    put(repository.root, {"shop/money.py": "def round_down(amount): ...\n"})
    assert scan.freshen(repository) == scan.Freshness("updated", 1)
    sha = commit(repository.root, {}, "Round down")
    assert scan.freshen(repository).state == "updated"
    assert scan.freshen(repository) == scan.Freshness("current")
    with db.read(repository.index) as connection:
        assert connection.execute("SELECT 1 FROM symbols WHERE name = 'round_down'").fetchone()
        assert connection.execute("SELECT subject FROM commits WHERE sha = ?", (sha,)).fetchone()[0] == "Round down"


def test_many_changes_are_told_and_not_waited_for(tmp_path: Path) -> None:
    repository = clone(tmp_path, PLENTY)
    scan.scan(repository)
    put(repository.root, dict.fromkeys(list(PLENTY)[:61], "x = 1\n"))
    told = scan.freshen(repository)
    assert (told.state, told.changed) == ("stale", 61)
    assert told.note.startswith("61 files changed since the last scan")
    assert "dragoman scan" in told.note


def test_a_repository_that_was_never_scanned_is_told_with_the_command(tmp_path: Path) -> None:
    told = scan.freshen(clone(tmp_path, SHOP))
    assert told.state == "missing"
    assert "dragoman scan" in told.note


def test_a_running_scan_is_not_waited_for_before_a_question(tmp_path: Path) -> None:
    repository = clone(tmp_path, SHOP)
    scan.scan(repository)
    put(repository.root, {"new.py": ""})
    with lock.held(repository.state):
        told = scan.freshen(repository)
    assert (told.state, told.changed) == ("busy", 1)
    assert scan.freshen(repository).state == "updated"


def test_an_index_nobody_may_write_is_asked_with_a_word_about_its_age(tmp_path: Path) -> None:
    repository = clone(tmp_path, SHOP)
    scan.scan(repository)
    put(repository.root, {"new.py": "def fresh_one(): ...\n"})
    repository.state.chmod(0o555)
    repository.index.chmod(0o444)
    code = (
        "import os, sys, urllib.parse; from pathlib import Path; from dragoman.repo import db, intake, repository, scan\n"
        "found = repository.find(Path(sys.argv[1]), Path(sys.argv[2])); db.version(); intake.reader()\n"
        "if os.getuid() == 0: os.setuid(65534)\n"
        "os.environ.update(GIT_CONFIG_COUNT='1', GIT_CONFIG_KEY_0='safe.directory', GIT_CONFIG_VALUE_0='*', HOME='/')\n"
        "told = scan.freshen(found); print(told.state, told.changed)"
    )
    for place in (tmp_path, *tmp_path.parents[:2]):
        place.chmod(place.stat().st_mode | 0o055)
    command = [sys.executable, "-c", code, str(repository.root), str(tmp_path / "state")]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    repository.state.chmod(0o755)
    assert done.stdout == "stale 1\n", done.stderr


# ---- side by side, cut short, no room --------------------------------------------------------------------------------


def test_a_second_scan_waits_for_the_first(tmp_path: Path) -> None:
    repository = clone(tmp_path, SHOP)
    repository.state.mkdir(parents=True)
    waits = threading.Event()
    told: list[scan.Scanned] = []

    def second() -> None:
        told.append(scan.scan(repository, lambda stage, *_: waits.set() if stage == "wait for another scan" else None))

    with lock.held(repository.state):
        thread = threading.Thread(target=second)
        thread.start()
        assert waits.wait(60)
        assert not told
        with pytest.raises(lock.Busy):
            scan.scan(repository, wait=False)
    thread.join(60)
    assert told[0].indexed.files == 4


def test_two_scans_at_once_leave_one_good_index(tmp_path: Path) -> None:
    repository = clone(tmp_path, PLENTY)
    processes = [subprocess.Popen([sys.executable, "-c", SCAN, *places(repository)]) for _ in range(3)]
    assert [process.wait(120) for process in processes] == [0, 0, 0]
    assert content(repository.index) == fresh(repository, tmp_path / "fresh")


def test_a_scan_that_was_killed_goes_on_and_leaves_nothing_behind(tmp_path: Path) -> None:
    repository = clone(tmp_path, PLENTY)
    done = subprocess.run([sys.executable, "-c", DYING, *places(repository)], check=False, timeout=120)
    assert done.returncode == -signal.SIGKILL
    with closing(db.write(repository.index)) as connection:
        assert connection.execute("SELECT count(*) FROM readings").fetchone()[0] == 120
        assert connection.execute("SELECT count(*) FROM files").fetchone()[0] == 0
    told = scan.scan(repository)  # the lock of the dead is free
    assert told.indexed.read == 80
    assert sorted(os.listdir(repository.state)) == ["index.sqlite3", "scan.lock"]
    assert content(repository.index) == fresh(repository, tmp_path / "fresh")


def test_a_full_disk_is_told_and_the_old_index_is_still_asked(tmp_path: Path) -> None:
    repository = clone(tmp_path, SHOP)
    scan.scan(repository)
    before = content(repository.index)
    put(
        repository.root,
        {f"big{at}.py": "".join(f"def total_{at}_{n}(): ...\n" for n in range(400)) for at in range(60)},
    )
    limit = repository.index.stat().st_size + 100_000
    done = subprocess.run(
        [sys.executable, "-c", SCAN, *places(repository)],
        check=False, capture_output=True, text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )  # fmt: skip
    assert done.returncode == 1
    assert "There is no room left for the index" in done.stderr
    assert content(repository.index) == before
    assert scan.scan(repository).indexed.files == 64
    assert content(repository.index) == fresh(repository, tmp_path / "fresh")


def places(repository: Repository) -> list[str]:
    return [str(repository.root), str(repository.state.parent)]


SCAN = """
import sys; from pathlib import Path
from dragoman.repo import repository, scan
scan.scan(repository.find(Path(sys.argv[1]), Path(sys.argv[2])))
"""
DYING = (
    """
import os, signal
from dragoman.repo import intake
intake._KEEP_EVERY = 40
keep, kept = intake._keep, []
def dying(*arguments):
    keep(*arguments)
    kept.append(1)
    if len(kept) == 3: os.kill(os.getpid(), signal.SIGKILL)
intake._keep = dying
"""
    + SCAN
)


# ---- odd clones ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bare", [False, True])
def test_an_empty_repository_is_scanned_and_fresh(tmp_path: Path, bare: bool) -> None:
    git(tmp_path, "init", "--quiet", *(["--bare"] if bare else []), "empty")
    repository = find(tmp_path / "empty", tmp_path / "state")
    told = scan.scan(repository)
    assert (told.indexed.files, told.recorded.commits, told.fault) == (0, 0, None)
    assert scan.freshen(repository).state == "current"


def test_a_shallow_clone_a_detached_head_and_a_second_work_tree_are_scanned(tmp_path: Path) -> None:
    root = clone(tmp_path, SHOP).root
    commit(root, {"more.py": "x = 1\n"})
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{root}", "shallow")
    git(root, "worktree", "add", "--quiet", "--detach", str(tmp_path / "second"), "HEAD~1")
    for name, files in (("shallow", 5), ("second", 4)):
        repository = find(tmp_path / name, tmp_path / "state")
        assert scan.scan(repository).indexed.files == files
        assert scan.freshen(repository).state == "current"


def test_a_submodule_is_named_and_its_files_are_left_out(tmp_path: Path) -> None:
    library = clone(tmp_path / "library", {"lib.py": ""}).root
    repository = clone(tmp_path, SHOP)
    git(repository.root, "submodule", "add", "--quiet", str(library), "vendor")
    assert dict(scan.scan(repository).indexed.skipped) == {"submodule": 1}
    assert scan.freshen(repository).state == "current"


def test_a_switch_of_branches_is_followed(tmp_path: Path) -> None:
    repository = clone(tmp_path, SHOP)
    git(repository.root, "switch", "--quiet", "-c", "other")
    commit(repository.root, {"shop/other.py": "def other_total(): ...\n"})
    scan.scan(repository)
    git(repository.root, "switch", "--quiet", "main")
    assert scan.freshen(repository).state == "updated"
    assert content(repository.index) == fresh(repository, tmp_path / "fresh")


def test_a_merge_in_conflict_is_scanned_with_each_file_once(tmp_path: Path) -> None:
    repository = clone(tmp_path, SHOP)
    root = repository.root
    git(root, "switch", "--quiet", "-c", "other")
    commit(root, {"shop/money.py": "def round_up(): 1\n"})
    git(root, "switch", "--quiet", "main")
    commit(root, {"shop/money.py": "def round_up(): 2\n"})
    with pytest.raises(subprocess.CalledProcessError):
        git(root, "merge", "other")
    assert scan.scan(repository).indexed.files == 4


def test_a_version_that_reads_otherwise_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = clone(tmp_path, SHOP)
    scan.scan(repository)
    monkeypatch.setattr(intake, "reader", lambda: "newer")
    told = scan.freshen(repository)
    assert told.state == "stale"
    assert "another version" in told.note


def test_a_folder_outside_git_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="in no git repository"):
        find(tmp_path)


def test_a_damaged_index_is_no_riddle(tmp_path: Path) -> None:
    repository = clone(tmp_path, SHOP)
    scan.scan(repository)
    repository.index.write_bytes(b"This is no database at all, it only lies where one was." * 100)
    with pytest.raises(db.NotIndexed, match="dragoman scan"), db.read(repository.index):
        pass
    assert scan.freshen(repository).state == "missing"
    assert scan.scan(repository).indexed.files == 4
    with closing(sqlite3.connect(repository.index)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


def test_a_scan_inside_a_daemon_reads_in_other_processes_all_the_same(tmp_path: Path) -> None:
    repository = clone(tmp_path, PLENTY)
    done = subprocess.run(
        [sys.executable, "-c", DAEMON, *places(repository)], check=False, capture_output=True, text=True
    )
    assert (done.stdout, done.returncode) == ("200\n", 0), done.stderr


DAEMON = """
import multiprocessing, sys; from pathlib import Path
from dragoman.repo import repository, scan
def work():
    print(scan.scan(repository.find(Path(sys.argv[1]), Path(sys.argv[2])), jobs=2).indexed.read, flush=True)
process = multiprocessing.get_context("fork").Process(target=work, daemon=True)
process.start(); process.join(); sys.exit(process.exitcode)
"""
