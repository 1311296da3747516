"""Bring the code graph up to date: only what changed is read, and an update says what a fresh index says."""

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from dragoman.repo import db, index, intake, reading, tree
from dragoman.repo.index import Indexed
from dragoman.repo.languages import registry
from dragoman.repo.repository import Repository, find
from tests.repo.clones import clone, commit, git, put

SHOP = {
    "shop/__init__.py": "",
    "shop/cart.py": '"""What a person is about to buy."""\n\nfrom shop.money import round_up\n\n\nclass Cart:\n'
    "    def total(self, items):\n        return round_up(sum(items))\n\n    def empty(self):\n        return not self.total([])\n",
    "shop/money.py": "def round_up(amount):\n    return -(-amount // 1)\n",
    "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_total():\n    assert Cart().total([1]) == 1\n",
}


def silent(stage: str, done: int, total: int | None) -> None: ...


def update(repository: Repository, **options: Any) -> Indexed:
    with closing(db.write(repository.index)) as connection:
        return index.update(connection, repository, silent, **options)


CONTENT = {
    "files": "SELECT path, language, digest, size, lines, is_test, edges FROM files",
    "skipped": "SELECT path, reason FROM skipped",
    "symbols": "SELECT s.uid, s.dotted, s.name, s.kind, p.uid, s.signature, s.doc, s.line, s.end_line, s.words, f.path"
    " FROM symbols s JOIN files f ON f.id = s.file_id LEFT JOIN symbols p ON p.id = s.parent_id",
    "calls": "SELECT a.uid, b.uid, f.path, c.line, c.column, c.tier FROM calls c JOIN symbols a ON a.id = c.caller_id"
    " JOIN symbols b ON b.id = c.callee_id JOIN files f ON f.id = c.file_id",
    "possible": "SELECT a.uid, b.uid, f.path, c.line, c.column FROM possible_calls c JOIN symbols a ON a.id = c.caller_id"
    " JOIN symbols b ON b.id = c.callee_id JOIN files f ON f.id = c.file_id",
    "unresolved": "SELECT a.uid, f.path, c.line, c.text, c.name, c.is_external FROM unresolved_calls c"
    " JOIN symbols a ON a.id = c.caller_id JOIN files f ON f.id = c.file_id",
    "handed": "SELECT a.uid, b.uid, f.path, c.line, c.column, c.tier FROM handed_over c JOIN symbols a ON a.id = c.holder_id"
    " JOIN symbols b ON b.id = c.target_id JOIN files f ON f.id = c.file_id",
    "imports": "SELECT f.path, i.line, i.module, t.path FROM imports i JOIN files f ON f.id = i.file_id"
    " LEFT JOIN files t ON t.id = i.target_id",
    "searchable": "SELECT s.uid FROM symbol_names n JOIN symbols s ON s.id = n.rowid WHERE symbol_names MATCH 'tot'",
    "words": "SELECT s.uid FROM symbol_words w JOIN symbols s ON s.id = w.rowid WHERE symbol_words MATCH 'total'",
}


def content(path: Path) -> dict[str, list[str]]:
    """All that the index says, without the numbers of its rows."""
    with db.read(path) as connection:
        return {name: sorted(repr(tuple(row)) for row in connection.execute(sql)) for name, sql in CONTENT.items()}


def fresh(repository: Repository, place: Path) -> dict[str, list[str]]:
    """What an index that is made from nothing says."""
    other = Repository(repository.root, repository.git_dir, repository.bare, place)
    shutil.rmtree(place, ignore_errors=True)
    update(other)
    return content(other.index)


def calls(repository: Repository) -> set[tuple[str, str]]:
    sql = "SELECT a.uid, b.uid FROM calls c JOIN symbols a ON a.id = c.caller_id JOIN symbols b ON b.id = c.callee_id"
    with db.read(repository.index) as connection:
        return {tuple(row) for row in connection.execute(sql)}


def test_files_symbols_containment_imports_and_calls_are_indexed(tmp_path: Path) -> None:
    repository = clone(tmp_path, SHOP)
    told = update(repository)
    assert (told.files, told.read, told.symbols, told.fault) == (4, 4, 5, None)
    assert calls(repository) >= {
        ("shop/cart.py::Cart.total", "shop/money.py::round_up"),
        ("shop/cart.py::Cart.empty", "shop/cart.py::Cart.total"),
        ("tests/test_cart.py::test_total", "shop/cart.py::Cart.total"),
    }
    said = content(repository.index)
    assert "('shop/cart.py', 3, 'shop.money', 'shop/money.py')" in said["imports"]
    assert any("'shop/cart.py::Cart.total'" in row and "'shop/cart.py::Cart'" in row for row in said["symbols"])


def test_a_second_update_reads_nothing_and_writes_nothing(tmp_path: Path) -> None:
    repository = clone(tmp_path, SHOP)
    update(repository)
    with closing(db.write(repository.index)) as connection, connection:
        # As if read long after they were written: a file of this very moment may change again without its time telling.
        connection.execute("UPDATE readings SET read_ns = read_ns + 60000000000")
        connection.commit()
        before = connection.total_changes
        told = index.update(connection, repository, silent)
        assert told.read == 0
        assert connection.total_changes - before == 1  # the time of the scan


def test_only_what_changed_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = clone(tmp_path, SHOP)
    update(repository)
    seen = []
    read = registry.read
    monkeypatch.setattr(registry, "read", lambda path, source: seen.append(path) or read(path, source))
    put(repository.root, {"shop/money.py": "def round_up(amount):\n    return amount\n"})
    assert update(repository).read == 1
    assert seen == ["shop/money.py"]


def test_a_touched_file_is_not_taken_for_a_changed_one(tmp_path: Path) -> None:
    repository = clone(tmp_path, SHOP)
    update(repository)
    (repository.root / "shop/cart.py").touch()
    assert update(repository).read == 0


def test_an_edit_that_keeps_size_and_time_is_seen(tmp_path: Path) -> None:

    repository = clone(tmp_path, {"a.py": "def one(): pass\n"})
    update(repository)
    path = repository.root / "a.py"
    told = path.stat()
    path.write_text("def two(): pass\n")
    os.utime(path, ns=(told.st_atime_ns, told.st_mtime_ns))
    update(repository)
    assert any("a.py::two" in row for row in content(repository.index)["symbols"])


def test_a_callee_that_goes_away_takes_its_calls_along_and_coming_back_brings_them(tmp_path: Path) -> None:
    repository = clone(tmp_path, SHOP)
    update(repository)
    before = content(repository.index)
    (repository.root / "shop/money.py").rename(tmp_path / "money.py")
    update(repository)
    assert not any(callee.startswith("shop/money.py") for _, callee in calls(repository))
    (tmp_path / "money.py").rename(repository.root / "shop/money.py")
    update(repository)
    assert content(repository.index) == before


def test_an_index_made_anew_is_no_larger(tmp_path: Path) -> None:
    files = {
        f"m{at}.py": f"import m{at // 2}\n\n\ndef total_{at}():\n    return m{at // 2}.total_{at // 2}()\n"
        for at in range(150)
    }
    repository = clone(tmp_path, files)
    update(repository)
    before, said = repository.index.stat().st_size, content(repository.index)
    for _ in range(3):
        assert update(repository, anew=True).read == 150
    assert repository.index.stat().st_size <= before * 1.05
    assert content(repository.index) == said


def test_what_another_reader_read_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = clone(tmp_path, SHOP)
    update(repository)
    said = content(repository.index)
    monkeypatch.setattr(intake, "reader", lambda: "another")
    assert update(repository).read == 4
    assert content(repository.index) == said


@pytest.mark.parametrize("jobs", [1, 3])
def test_other_processes_read_what_this_one_would(tmp_path: Path, jobs: int) -> None:
    files = {f"m{at}.py": f"def total_{at}():\n    return {at}\n" * 200 for at in range(120)} | {
        "odd.py": b"caf\xe9 = 1\n"
    }
    repository = clone(tmp_path, files)
    assert update(repository, jobs=jobs).read == 121
    assert content(repository.index) == fresh(repository, tmp_path / "fresh")


def test_a_reader_that_crashes_costs_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, {"sitecustomize.py": CRASH})
    monkeypatch.syspath_prepend(tmp_path)
    repository = clone(
        tmp_path, {f"m{at}.py": f"def total_{at}(): pass\n" for at in range(20)} | {"crash.py": "x = 1\n"}
    )
    told = update(repository, jobs=2)
    assert told.failed == (("crash.py", "the reader crashed"),)
    assert (told.symbols, told.fault) == (20, None)


CRASH = """
import os, sys
if "reading" in " ".join(sys.orig_argv):
    from dragoman.repo.languages import registry
    read = registry.read
    registry.read = lambda path, source: os._exit(9) if path == "crash.py" else read(path, source)
"""


def test_nothing_of_the_folder_we_stand_in_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = f"open({str(tmp_path / 'ran')!r}, 'w')\n"
    files = {f"m{at}.py": "x = 1\n" for at in range(5)}
    repository = clone(
        tmp_path, files | {"pickle.py": planted, "dragoman/__init__.py": planted, "sitecustomize.py": planted}
    )
    monkeypatch.chdir(repository.root)
    assert update(repository, jobs=2).files == 8
    assert not (tmp_path / "ran").exists()


def test_a_missing_grammar_is_a_fault_and_mended_by_the_next_update(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(path: str, source: bytes) -> Any:
        raise ModuleNotFoundError("No module named 'tree_sitter_python'")

    repository = clone(tmp_path, SHOP)
    with monkeypatch.context() as broken:
        broken.setattr(registry, "read", missing)
        told = update(repository)
    assert told.fault
    assert told.fault.startswith("4 of 4 source files could not be read, the first of them shop/__init__.py")
    assert "tree_sitter_python" in told.fault
    assert update(repository).fault is None
    assert content(repository.index) == fresh(repository, tmp_path / "fresh")


def test_a_few_broken_files_are_named_and_no_fault(tmp_path: Path) -> None:
    repository = clone(
        tmp_path, SHOP | {f"m{at}.py": "x = 1\n" for at in range(5)} | {"broken.py": "%%% ((( ]]] def def\n" * 30}
    )
    told = update(repository)
    assert [path for path, _ in told.failed] == ["broken.py"]
    assert told.fault is None


@pytest.mark.parametrize(
    ("files", "broken", "fault"),
    [
        (2, 1, None),  # one file of three tells nothing about the rest
        (1, 4, None),
        (15, 5, "5 of 20 source files"),
        (16, 4, None),  # a fifth, and not more
        (0, 2, "2 of 2 source files"),  # not one could be read: a parser may be missing
    ],
)
def test_a_share_of_broken_files_is_a_fault_once_they_are_more_than_a_few(
    tmp_path: Path, files: int, broken: int, fault: str | None
) -> None:
    whole = {f"m{at}.py": "x = 1\n" for at in range(files)}
    repository = clone(tmp_path, whole | {f"n{at}.py": "%%% ((( ]]] def def\n" * 30 for at in range(broken)})
    told = update(repository)
    assert len(told.failed) == broken
    assert (told.fault or "").startswith(fault or "")
    assert bool(told.fault) is bool(fault)


def test_content_that_is_no_utf_8_is_indexed(tmp_path: Path) -> None:
    repository = clone(tmp_path, {"latin.py": 'def total():\n    "Summe f\xfcr alle"\n'.encode("latin-1")})
    update(repository)
    assert any("latin.py::total" in row for row in content(repository.index)["symbols"])


def test_odd_names_of_files_are_indexed_and_stay_apart(tmp_path: Path) -> None:

    root = clone(tmp_path, {}).root
    for raw in (b"new\nline.py", b"caf\xe9.py", "zażółć.py".encode(), b"a::b.py", b"%_.py", b'qu"ote.py'):
        Path(os.fsdecode(os.fsencode(root) + b"/" + raw)).write_bytes(b"def total(): pass\n")
    repository = find(root, tmp_path / "state")
    told = update(repository)
    assert (told.files, told.symbols) == (6, 6)
    assert content(repository.index) == fresh(repository, tmp_path / "fresh")


def test_a_bare_repository_is_indexed_as_its_head(tmp_path: Path) -> None:
    root = clone(tmp_path, SHOP).root
    git(tmp_path, "clone", "--quiet", "--bare", str(root), "bare.git")
    bare = find(tmp_path / "bare.git", tmp_path / "state")
    assert update(bare).read == 4
    assert update(bare).read == 0
    assert calls(bare) == calls_of_a_fresh(root, tmp_path)


def calls_of_a_fresh(root: Path, place: Path) -> set[tuple[str, str]]:
    repository = find(root, place / "other")
    update(repository)
    return calls(repository)


def test_what_a_killed_update_read_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Killed(BaseException): ...

    files = {f"m{at}.py": f"def total_{at}(): pass\n" for at in range(20)}
    repository = clone(tmp_path, files)
    monkeypatch.setattr(intake, "_KEEP_EVERY", 5)
    read, seen = registry.read, []

    def dying(path: str, source: bytes) -> Any:
        seen.append(path)
        if len(seen) == 13:
            raise Killed
        return read(path, source)

    monkeypatch.setattr(registry, "read", dying)
    with pytest.raises(Killed):
        update(repository)
    monkeypatch.setattr(registry, "read", read)
    assert update(repository).read == 10
    assert content(repository.index) == fresh(repository, tmp_path / "fresh")


def test_an_update_killed_before_it_published_publishes_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException): ...

    def dying(*_: Any, **__: Any) -> None:
        raise Killed

    repository = clone(tmp_path, SHOP)
    update(repository)
    before = content(repository.index)
    put(repository.root, {"shop/more.py": "def total_more(): pass\n"})
    with monkeypatch.context() as killed:
        killed.setattr(index.publish, "_edges", dying)
        with pytest.raises(Killed):
            update(repository)
    assert content(repository.index) == before
    assert update(repository).read == 0
    assert content(repository.index) == fresh(repository, tmp_path / "fresh") != before


def test_a_reader_sees_the_old_index_until_the_new_one_is_whole(tmp_path: Path) -> None:
    repository = clone(tmp_path, SHOP)
    update(repository)
    with db.read(repository.index) as reader:
        reader.execute("BEGIN")
        count = "SELECT count(*) FROM files"
        assert reader.execute(count).fetchone()[0] == 4
        put(repository.root, {"new.py": ""})
        update(repository)
        assert reader.execute(count).fetchone()[0] == 4
        reader.execute("COMMIT")
        assert reader.execute(count).fetchone()[0] == 5


def test_a_damaged_reading_costs_one_file_and_is_read_again(tmp_path: Path) -> None:
    repository = clone(tmp_path, SHOP)
    update(repository)
    with sqlite3.connect(repository.index) as connection:
        connection.execute("UPDATE readings SET facts = x'00' WHERE path = 'shop/money.py'")
    connection.close()
    put(repository.root, {"new.py": "x = 1\n"})
    update(repository)
    update(repository)
    assert content(repository.index) == fresh(repository, tmp_path / "fresh")


def test_excluded_paths_are_left_out_and_counted(tmp_path: Path) -> None:
    repository = clone(tmp_path, SHOP | {"vendor/deep/x.py": ""})
    listed = tree.listing(repository, ["vendor/", "test_*.py"])
    assert [entry.path for entry in listed.files] == ["shop/__init__.py", "shop/cart.py", "shop/money.py"]
    assert dict(update(repository, listed=listed).skipped) == {tree.EXCLUDED: 2}


AT = '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}'
ALIASED = {"tsconfig.json": AT, "src/x.ts": "export function f() {}\n", "web/a.ts": "import { f } from '@/x'\nf()\n"}


def test_an_alias_is_followed_until_its_config_goes_away(tmp_path: Path) -> None:
    repository = clone(tmp_path, ALIASED)
    update(repository)
    assert calls(repository) == {("web/a.ts", "src/x.ts::f")}
    assert "('web/a.ts', 1, '@/x', 'src/x.ts')" in content(repository.index)["imports"]
    (repository.root / "tsconfig.json").unlink()
    update(repository)
    assert calls(repository) == set()
    assert content(repository.index) == fresh(repository, tmp_path / "fresh")


def test_an_alias_of_a_file_that_is_not_indexed_leads_nowhere(tmp_path: Path) -> None:
    repository = clone(tmp_path, ALIASED | {".gitignore": "src\n"})
    git(repository.root, "rm", "--quiet", "--cached", "-r", "src", "--ignore-unmatch")
    update(repository)
    assert calls(repository) == set()


def test_a_config_that_is_left_out_is_not_passed_over_for_the_one_above(tmp_path: Path) -> None:
    repository = clone(tmp_path, ALIASED | {"web/base.json": AT})
    update(repository)
    assert calls(repository) == {("web/a.ts", "src/x.ts::f")}
    put(repository.root, {"web/tsconfig.json": AT + " " * tree.LARGEST})
    update(repository)
    assert calls(repository) == set()
    (repository.root / "web/tsconfig.json").unlink()
    (repository.root / "web/tsconfig.json").symlink_to("base.json")
    update(repository)
    assert calls(repository) == set()
    assert content(repository.index) == fresh(repository, tmp_path / "fresh")


def test_the_configs_of_a_bare_repository_count(tmp_path: Path) -> None:
    root = clone(tmp_path, ALIASED).root
    git(tmp_path, "clone", "--quiet", "--bare", str(root), "bare.git")
    bare = find(tmp_path / "bare.git", tmp_path / "state")
    update(bare)
    assert calls(bare) == {("web/a.ts", "src/x.ts::f")}


# ---- any sequence of changes -----------------------------------------------------------------------------------------

PATHS = [
    "a.py",
    "b.py",
    "pkg/__init__.py",
    "pkg/a.py",
    "pkg/b.py",
    "pkg/sub/c.py",
    "test_a.py",
    "notes.txt",
    "x.min.js",
]
TEXTS = [
    "", "def total(): pass\n", "from a import total\n\n\ndef use():\n    total()\n    self.total()\n",
    "from pkg.a import Base\n\n\nclass Thing(Base):\n    def total(self):\n        return self.base()\n",
    "class Base:\n    def base(self):\n        return total\n\n    def base(self):\n        pass\n", "import a\n\na.total()\n",
    "class Base:\n    class Inner:\n        def total(self): pass\n", "from .a import *\n\nx = Base().base()\n", "def (((\n", "\0\n",
]  # fmt: skip


def test_any_sequence_of_changes_leads_to_what_a_fresh_index_says(tmp_path_factory: pytest.TempPathFactory) -> None:
    class Changes(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.place = tmp_path_factory.mktemp("changes")
            self.repository = clone(self.place, {"a.py": TEXTS[1], "b.py": TEXTS[2], "pkg/a.py": TEXTS[4]})
            update(self.repository)

        @rule(path=st.sampled_from(PATHS), text=st.sampled_from(TEXTS))
        def edit(self, path: str, text: str) -> None:
            put(self.repository.root, {path: text})

        @rule(path=st.sampled_from(PATHS))
        def delete(self, path: str) -> None:
            (self.repository.root / path).unlink(missing_ok=True)

        @rule(old=st.sampled_from(PATHS), new=st.sampled_from(PATHS))
        def move(self, old: str, new: str) -> None:
            if (self.repository.root / old).is_file():
                (self.repository.root / new).parent.mkdir(parents=True, exist_ok=True)
                (self.repository.root / old).replace(self.repository.root / new)

        @rule()
        def commit(self) -> None:
            commit(self.repository.root, {})

        @invariant()
        def same(self) -> None:
            update(self.repository)
            assert content(self.repository.index) == fresh(self.repository, self.place / "fresh")

    run_state_machine_as_test(
        Changes,
        settings=settings(
            max_examples=12,
            stateful_step_count=8,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            derandomize=True,
        ),
    )


def test_reading_here_and_elsewhere_is_chosen_by_what_there_is_to_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spread = []
    monkeypatch.setattr(reading, "_processors", lambda: 4)
    monkeypatch.setattr(reading, "_spread", lambda repository, wanted, jobs: spread.append(jobs) or iter(()))
    repository = clone(tmp_path, SHOP)
    entries = [tree.Entry(f"{at}.py", b"", 900_000, "") for at in range(40)]
    list(reading.read_all(repository, [reading.Wanted(entry) for entry in entries]))
    assert spread == [4]
    monkeypatch.setattr(reading.sys, "executable", "/usr/sbin/uwsgi")
    assert [read.reason for read in reading.read_all(repository, [reading.Wanted(entries[0])] * 9)] == [
        tree.UNREADABLE
    ] * 9
