"""Which files a clone has, and why others are left out."""

import os
from pathlib import Path

import pytest

from dragoman.harness.errors import ConfigurationError
from dragoman.repo import paths, tree
from dragoman.repo.repository import find
from tests.repo.clones import clone, commit, git, put


def names(place: Path) -> list[str]:
    return [entry.path for entry in tree.listing(find(place)).files]


def left_out(place: Path) -> dict[str, str]:
    return dict(tree.listing(find(place)).skipped)


def everything(place: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()}


def test_tracked_and_new_files_are_listed_and_ignored_ones_are_not(tmp_path: Path) -> None:
    root = clone(tmp_path, {"a.py": "", "b/c.go": "", ".gitignore": "*.log\n"}).root
    put(root, {"new.py": "", "x.log": ""})
    assert names(root) == [".gitignore", "a.py", "b/c.go", "new.py"]


def test_a_deleted_file_a_symlink_and_a_large_file_are_named_with_their_reason(tmp_path: Path) -> None:
    root = clone(tmp_path, {"gone.py": "", "large.sql": "x" * 1_000_001, "kept.py": ""}).root
    (root / "gone.py").unlink()
    (root / "link.py").symlink_to("kept.py")
    (root / "loop").symlink_to("loop")
    assert left_out(root) == {
        "gone.py": tree.MISSING,
        "large.sql": tree.TOO_LARGE,
        "link.py": tree.SYMLINK,
        "loop": tree.SYMLINK,
    }


def test_a_tracked_folder_that_became_a_symlink_leads_nowhere(tmp_path: Path) -> None:
    put(tmp_path / "outside", {"secret.py": "KEY = 1"})
    root = clone(tmp_path, {"inside/secret.py": ""}).root
    (root / "inside/secret.py").unlink()
    (root / "inside").rmdir()
    (root / "inside").symlink_to(tmp_path / "outside")
    assert names(root) == []
    assert left_out(root)["inside/secret.py"] == tree.OUTSIDE


def test_a_fifo_is_neither_listed_nor_waited_for(tmp_path: Path) -> None:
    repository = clone(tmp_path, {"pipe.py": "x = 1"})
    (entry,) = tree.listing(repository).files
    (repository.root / "pipe.py").unlink()
    os.mkfifo(repository.root / "pipe.py")
    with tree.reading(repository) as content:
        assert content(entry) is None
    assert left_out(repository.root) == {"pipe.py": tree.SPECIAL}


def test_a_submodule_and_a_nested_work_tree_are_named_and_not_walked(tmp_path: Path) -> None:
    library = clone(tmp_path / "library", {"lib.py": ""}).root
    root = clone(tmp_path, {"a.py": ""}).root
    git(root, "submodule", "add", "--quiet", str(library), "vendor")
    git(root, "worktree", "add", "--quiet", "nested")
    assert names(root) == [".gitmodules", "a.py"]
    assert left_out(root) == {"vendor": tree.SUBMODULE, "nested/": tree.NESTED}


def test_installed_dependencies_that_nobody_ignored_are_one_line(tmp_path: Path) -> None:
    root = clone(tmp_path, {"a.js": "", "vendor/node_modules/tracked.js": ""}).root
    put(root, {"web/node_modules/x/index.js": "", "web/node_modules/y/index.js": ""})
    assert names(root) == ["a.js", "vendor/node_modules/tracked.js"]
    assert left_out(root) == {"web/node_modules/": tree.DEPENDENCIES}


def test_odd_names_are_kept_apart_and_found_again(tmp_path: Path) -> None:
    odd = [
        b"new\nline.py",
        "zażółć.py".encode(),
        b"caf\xe9.py",
        b" lead.py",
        b'quo"te.py',
        b"tab\t.py",
        b"back\\slash.py",
    ]
    root = clone(tmp_path, {}).root
    for raw in odd:
        Path(os.fsdecode(os.fsencode(root) + b"/" + raw)).write_text("x = 1\n")
    git(root, "add", "--all")
    entries = tree.listing(find(root)).files
    assert sorted(entry.raw for entry in entries) == sorted(odd)
    assert [paths.raw(entry.path) for entry in entries] == [entry.raw for entry in entries]
    with tree.reading(find(root)) as content:
        assert {content(entry) for entry in entries} == {b"x = 1\n"}


def test_a_bare_repository_shows_the_files_of_its_head(tmp_path: Path) -> None:
    root = clone(tmp_path, {"a.py": "x = 1\n", "b/c.py": b"\xff\n"}).root
    (root / "link").symlink_to("a.py")
    commit(root, {"d.py": ""})
    git(tmp_path, "clone", "--quiet", "--bare", str(root), "bare.git")
    repository = find(tmp_path / "bare.git")
    listed = tree.listing(repository)
    with tree.reading(repository) as content:
        assert {entry.path: content(entry) for entry in listed.files} == {
            "a.py": b"x = 1\n",
            "b/c.py": b"\xff\n",
            "d.py": b"",
        }
    assert listed.skipped == {"link": tree.SYMLINK}


@pytest.mark.parametrize("bare", [False, True])
def test_what_is_excluded_is_left_out_and_nothing_is_written(tmp_path: Path, bare: bool) -> None:
    files = {"a.py": "", "vendor/deep/x.py": "", "vendor/kept.py": "", "web/a.min.js": "", "ąę/b.py": ""}
    place = clone(tmp_path, files).root
    if bare:
        git(tmp_path, "clone", "--quiet", "--bare", str(place), "bare.git")
        place = tmp_path / "bare.git"
    before = everything(place)
    listed = tree.listing(find(place), ["vendor/*", "!vendor/kept.py", "/ąę/"])
    assert [entry.path for entry in listed.files] == ["a.py", "vendor/kept.py"]
    assert listed.skipped == {
        "vendor/deep/x.py": tree.EXCLUDED,
        "ąę/b.py": tree.EXCLUDED,
        "web/a.min.js": tree.GENERATED,
    }
    assert everything(place) == before


@pytest.mark.parametrize("bare", [False, True])
def test_a_repository_without_a_commit_has_no_files(tmp_path: Path, bare: bool) -> None:
    git(tmp_path, "init", "--quiet", *(["--bare"] if bare else []), "empty")
    assert names(tmp_path / "empty") == []
    assert tree.listing(find(tmp_path / "empty"), ["*.py"]).files == ()


def test_a_missing_blob_of_a_bare_repository_costs_that_file_only(tmp_path: Path) -> None:
    root = clone(tmp_path, {"a.py": "x = 1\n", "b.py": "y = 2\n"}).root
    blob = git(root, "rev-parse", "HEAD:a.py")
    git(tmp_path, "clone", "--quiet", "--bare", "--no-local", str(root), "bare.git")
    bare = tmp_path / "bare.git"
    pack = next((bare / "objects/pack").glob("*.pack"))
    moved = tmp_path / "moved.pack"
    pack.rename(moved)
    pack.with_suffix(".idx").unlink()
    os.system(f"git -C {bare} unpack-objects -q < {moved}")
    (bare / "objects" / blob[:2] / blob[2:]).unlink()
    repository = find(bare)
    with tree.reading(repository) as content:
        assert {entry.path: content(entry) for entry in tree.listing(repository).files} == {
            "a.py": None,
            "b.py": b"y = 2\n",
        }


def test_no_program_of_the_repositorys_configuration_is_started_and_nothing_is_written(tmp_path: Path) -> None:
    root = clone(tmp_path, {"a.py": ""}).root
    hook = tmp_path / "hook"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    hook.chmod(0o755)
    git(root, "config", "core.fsmonitor", str(hook))
    before = (root / ".git/index").read_bytes()
    os.utime(root / "a.py", (1, 1))
    assert names(root) == ["a.py"]
    assert not (tmp_path / "started").exists()
    assert (root / ".git/index").read_bytes() == before
    git(root, "status")  # a git that is not told otherwise starts it
    assert (tmp_path / "started").exists()


def test_the_variables_of_a_hook_do_not_lead_to_another_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = clone(tmp_path / "other", {"other.py": ""})
    repository = clone(tmp_path, {"a.py": ""})
    monkeypatch.setenv("GIT_DIR", str(other.git_dir))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.root))
    assert [entry.path for entry in tree.listing(repository).files] == ["a.py"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"x\0y", tree.BINARY),
        (b"// Code generated by protoc-gen-go. DO NOT EDIT.\n", tree.GENERATED),
        (b"a" * 30_000, tree.GENERATED),
        (b"x = 1\n" * 20_000, None),
        (b"# @generated by a tool\nx = 1\n", tree.GENERATED),
        (b"", None),
    ],
)
def test_binary_and_generated_content_is_told_from_source(content: bytes, reason: str | None) -> None:
    assert tree.objection(content) == reason


def test_a_corrupt_index_is_told_with_gits_own_words(tmp_path: Path) -> None:
    repository = clone(tmp_path, {"a.py": ""})
    (repository.git_dir / "index").write_bytes(b"broken")
    with pytest.raises(ConfigurationError, match="index"):
        tree.listing(repository)
