"""Read and list a clone's files: what is refused, and that lines, totals and masks are true."""

import os
import socket
from pathlib import Path

import pytest

from dragoman.harness.results import to_json
from dragoman.harness.tools import ToolError
from dragoman.repo import clamp, files, tree, withheld
from dragoman.repo.repository import Repository, find
from tests.repo.clones import clone, commit, git, put

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def code(repository: Repository, path: str) -> str:
    with pytest.raises(ToolError) as refused:
        files.read(repository, path)
    assert len(refused.value.message) < 400
    return refused.value.code


# The clamp ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["../outside.txt", "a/../../outside.txt", "/etc/passwd", "out", "folder/inside.txt", "/", "..", "a/../.."]
)
def test_nothing_outside_of_the_root_is_read(tmp_path: Path, path: str) -> None:
    repository = clone(tmp_path, {"a/b.py": "b = 1\n"})
    put(tmp_path, {"outside.txt": "outside", "folder/inside.txt": "inside"})
    (repository.root / "out").symlink_to(tmp_path / "outside.txt")
    (repository.root / "folder").symlink_to(tmp_path / "folder")
    git(repository.root, "add", "--all")
    assert code(repository, path) == ("not_a_file" if path == "a/../a/.." else "outside")


def test_a_link_to_a_tracked_file_inside_shows_that_file(tmp_path: Path) -> None:
    repository = clone(tmp_path, {"a.py": "a = 1\n"})
    (repository.root / "link.py").symlink_to("a.py")
    git(repository.root, "add", "--all")
    page = files.read(repository, "link.py")
    assert (page.path, page.text) == ("a.py", "a = 1")


def test_a_folder_swapped_for_a_link_after_the_question_is_not_followed(tmp_path: Path) -> None:
    repository = clone(tmp_path, {"a/b.py": "b = 1\n"})
    put(tmp_path, {"elsewhere/b.py": "secret"})
    file = clamp.the_file(repository, "a/b.py")
    (repository.root / "a/b.py").unlink()
    (repository.root / "a").rmdir()
    (repository.root / "a").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ToolError, match="no regular file"), clamp.opened(repository, file):
        pass


def test_a_fifo_a_socket_and_a_device_are_refused_without_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = clone(tmp_path, {"fifo": "", "socket": "", "device": "", "gone": ""})
    for name in ("fifo", "socket", "device", "gone"):
        (repository.root / name).unlink()
    os.mkfifo(repository.root / "fifo")
    monkeypatch.chdir(repository.root)  # the name of a socket may be 108 bytes long
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        assert code(repository, "socket") == "not_a_file"
    (repository.root / "device").symlink_to("/dev/zero")
    assert code(repository, "fifo") == "not_a_file"
    assert code(repository, "device") == "outside"
    assert code(repository, "gone") == "missing"


def test_an_ignored_and_a_new_file_are_not_read_until_they_are_added(tmp_path: Path) -> None:
    repository = clone(tmp_path, {".gitignore": "*.log\n"})
    put(repository.root, {"x.log": "ignored", "new.py": "n = 1\n"})
    assert code(repository, "x.log") == "not_tracked"
    assert code(repository, "new.py") == "not_tracked"
    git(repository.root, "add", "--intent-to-add", "new.py")
    assert files.read(repository, "new.py").text == "n = 1"


def test_a_submodule_is_told_and_not_entered(tmp_path: Path) -> None:
    inner = clone(tmp_path / "inner", {"x.py": "x = 1\n"})
    repository = clone(tmp_path, {"a.py": ""})
    git(repository.root, "submodule", "--quiet", "add", str(inner.root), "sub")
    assert code(repository, "sub") == "not_a_file"
    assert code(repository, "sub/x.py") == "not_tracked"
    assert {entry.name: entry.kind for entry in files.listing(repository).entries}["sub"] == "submodule"


# The deny-list --------------------------------------------------------------------------------------------------------

DENIED = [
    ".env",
    ".env.local",
    "a/.env",
    ".ENV",
    "a/.Env.production",
    "dragoman.toml",
    "DRAGOMAN.TOML",
    ".codegraph/x.db",
]
SPELLINGS = [
    "a/../.env", "./.env", "a//../.env", ".//.env", ".git/config", ".GIT/config", ".git", "a/../.git/HEAD", ".env ", ".env.",
    ".env::$DATA", "git~1/config", ".g\u200cit/config", "\uff0eenv", "{root}/.env", "{root}/.git/config", "link", "a/link",
]  # fmt: skip


@pytest.mark.parametrize("path", DENIED + SPELLINGS)
def test_git_own_state_configuration_and_env_are_refused_inside_the_root_too(tmp_path: Path, path: str) -> None:
    repository = clone(tmp_path, dict.fromkeys(DENIED, "SECRET=1\n") | {"a/b.py": "b = 1\n"})
    (repository.root / "link").symlink_to(".env")
    (repository.root / "a/link").symlink_to("../.git/config")
    commit(repository.root, {}, "Links")
    assert code(repository, path.replace("{root}", str(repository.root))) == "refused"
    with pytest.raises(ToolError):
        files.listing(repository, path.replace("{root}", str(repository.root)))


def test_denied_names_are_not_listed_and_names_like_them_are(tmp_path: Path) -> None:
    repository = clone(
        tmp_path, dict.fromkeys(DENIED, "x") | {"env.py": "", "a/environment.md": "", ".github/x.yml": ""}
    )
    assert [entry.name for entry in files.listing(repository).entries] == [".github", "a", "env.py"]
    assert [entry.name for entry in files.listing(repository, "a").entries] == ["environment.md"]


def test_denied_names_are_not_indexed_either(tmp_path: Path) -> None:
    listed = tree.listing(clone(tmp_path, {".env.py": "SECRET = 'x'\n", ".env": "", "a.py": "", "dragoman.toml": ""}))
    assert [entry.path for entry in listed.files] == ["a.py"]
    assert listed.skipped == dict.fromkeys([".env", ".env.py", "dragoman.toml"], tree.WITHHELD)


def test_a_diff_says_nothing_of_what_a_denied_file_holds(tmp_path: Path) -> None:
    root = clone(tmp_path, {"a.py": "a = 1\n"}).root
    commit(
        root,
        {"a.py": "a = 2\ndiff --git a/.env b/.env\n", "b/.env": "hidden\n", ".env one": "hidden\n", "z.py": "z = 1\n"},
    )
    shown = withheld.without(git(root, "show", "--format="))
    assert "hidden" not in shown
    assert shown.count("a file of which nothing is shown") == 2
    assert "+a = 2\n+diff --git a/.env b/.env" in shown
    assert "+z = 1" in shown
    assert withheld.without("no diff at all") == "no diff at all"


def test_the_state_is_refused_where_somebody_keeps_it_in_the_clone(tmp_path: Path) -> None:
    root = clone(tmp_path, {"a.py": ""}).root
    repository = find(root, root / "cache")
    put(repository.state, {"chat.sqlite3": "x"})
    commit(root, {}, "Track it by mistake")
    inside = repository.state.relative_to(root)
    assert code(repository, f"{inside}/chat.sqlite3") == "refused"


@pytest.mark.parametrize("path", ["a\0b", ".env\0.py", "\ud800", "x" * 5_000, "a/" * 3_000])
def test_what_is_no_path_is_refused_with_a_sentence(tmp_path: Path, path: str) -> None:
    assert code(clone(tmp_path, {"a": ""}), path) == "bad_path"


@pytest.mark.parametrize(
    "path", ["~/.ssh/id_rsa", "~root/x", "a.py/", "a.py/b", "-rf", ":(top)a.py", "*.py", "\\x2e\\x2e", "$HOME"]
)
def test_a_path_means_nothing_but_itself(tmp_path: Path, path: str) -> None:
    assert code(clone(tmp_path, {"b.py": "b"}), path) == "not_tracked"


# Lines ----------------------------------------------------------------------------------------------------------------


def test_a_long_file_is_read_in_pages_with_its_true_total(tmp_path: Path) -> None:
    lines = [f"line {n} " + "x" * 60 for n in range(1, 5_001)]
    repository = clone(tmp_path, {"long.txt": "\n".join(lines) + "\n"})
    first = files.read(repository, "long.txt")
    assert (first.first_line, first.last_line, first.total_lines, first.next_offset) == (1, 400, 5_000, 401)
    read: list[str] = []
    offset: int | None = 1
    while offset:
        page = files.read(repository, "long.txt", offset)
        assert page.total_lines == 5_000
        read += page.text.split("\n")
        offset = page.next_offset
    assert read == lines


def test_a_page_has_at_most_400_lines_and_100_kb(tmp_path: Path) -> None:
    repository = clone(tmp_path, {"short.txt": "x\n" * 1_000, "wide.txt": ("y" * 999 + "\n") * 1_000})
    assert files.read(repository, "short.txt", limit=10_000).last_line == 400
    wide = files.read(repository, "wide.txt")
    assert (wide.last_line, wide.total_lines, len(wide.text) + 1) == (100, 1_000, 100_000)
    roomy = files.read(repository, "wide.txt", room=5_000)
    assert len(to_json(roomy.text)) <= 5_000
    assert roomy.next_offset == roomy.last_line + 1 == 5


def test_a_file_of_50_mb_is_reached_at_its_end(tmp_path: Path) -> None:
    repository = clone(tmp_path, {"big.txt": ""})
    with (repository.root / "big.txt").open("wb") as file:
        file.write((b"z" * 99 + b"\n") * 500_000)
        file.write(b"the end")
    page = files.read(repository, "big.txt", 500_001)
    assert (page.text, page.total_lines, page.next_offset) == ("the end", 500_001, None)
    assert files.read(repository, "big.txt", 1, 1).total_lines == 500_001


def test_a_gigantic_line_is_cut_and_the_next_one_is_reached(tmp_path: Path) -> None:
    repository = clone(tmp_path, {"x.json": "[" + "1," * 150_000 + "1]\nafter\nlast"})
    page = files.read(repository, "x.json")
    assert (page.last_line, page.total_lines, page.next_offset) == (1, 3, 2)
    assert len(page.text) + page.cut == 300_003
    assert len(page.text) <= 100_000
    assert files.read(repository, "x.json", 2).text == "after\nlast"
    small = files.read(repository, "x.json", room=2_000)
    assert (len(small.text) < 2_000, len(small.text) + small.cut, small.next_offset) == (True, 300_003, 2)


@pytest.mark.parametrize(
    ("content", "text", "total"),
    [
        (b"", "", 0),
        (b"a", "a", 1),
        (b"a\n", "a", 1),
        (b"a\r\nb\r\n", "a\nb", 2),
        (b"\n\n", "\n", 2),
        (b"\xff\xe9\n", "��", 1),
    ],
)
def test_odd_contents_are_lines_too(tmp_path: Path, content: bytes, text: str, total: int) -> None:
    page = files.read(clone(tmp_path, {"a.txt": content}), "a.txt")
    assert (page.text, page.total_lines, page.next_offset) == (text, total, None)


def test_an_offset_past_the_end_says_how_long_the_file_is(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="has 2 lines; there is no line 9"):
        files.read(clone(tmp_path, {"a.txt": "a\nb\n"}), "a.txt", 9)


def test_a_binary_file_is_refused(tmp_path: Path) -> None:
    repository = clone(
        tmp_path, {"a.png": b"\x89PNG\0\0", "late.bin": b"x" * 8_191 + b"\0", "text.txt": b"x" * 9_000 + b"\0"}
    )
    assert code(repository, "a.png") == code(repository, "late.bin") == "binary"
    assert files.read(repository, "text.txt").total_lines == 1


def test_secrets_are_masked_counted_and_keep_their_lines(tmp_path: Path) -> None:
    body = "MIIEpAIBAAKCAQEA7bq0p0q9Xr1Zk3u0vJmQpYx2\n"
    key = "-----BEGIN PRIVATE KEY-----\n" + body * 3 + "-----END PRIVATE KEY-----\n"
    repository = clone(tmp_path, {"id.txt": f"one\n{key}token = '{TOKEN}'\nlast\n"})
    page = files.read(repository, "id.txt")
    assert (page.masked, page.total_lines, page.text.split("\n")[-1]) == (2, 8, "last")
    assert "MIIE" not in page.text
    assert TOKEN not in page.text
    inside = files.read(repository, "id.txt", 4, 1)  # a page that begins within the key
    assert (inside.text, inside.masked) == ("[masked]", 1)


def test_a_secret_over_the_edge_of_a_page_is_masked_before_it_is_cut(tmp_path: Path) -> None:
    repository = clone(tmp_path, {"a.txt": "x" * 99_980 + " " + TOKEN + " " + "y" * 100})
    page = files.read(repository, "a.txt")
    assert (page.masked, "ghp_" in page.text) == (1, False)


# Bare, and folders ----------------------------------------------------------------------------------------------------


def test_a_bare_repository_is_read_at_its_head(tmp_path: Path) -> None:
    root = clone(tmp_path, {"a/b.py": "b = 1\n", ".env": "X=1", "c.bin": b"\0"}).root
    (root / "link").symlink_to("a/b.py")
    commit(root, {}, "Link")
    git(tmp_path, "clone", "--quiet", "--bare", str(root), "bare.git")
    bare = find(tmp_path / "bare.git", tmp_path / "state")
    assert files.read(bare, "a/b.py").text == files.read(bare, "a/./b.py").text == "b = 1"
    assert [(entry.name, entry.kind) for entry in files.listing(bare).entries] == [
        ("a", "folder"), ("c.bin", "file"), ("link", "symlink"),
    ]  # fmt: skip
    wanted = {".env": "refused", "a/../.env": "refused", "c.bin": "binary", "../x": "outside", "/etc/passwd": "outside"}
    wanted |= {"a": "not_a_file", "link": "not_a_file", "HEAD": "not_tracked", "config": "not_tracked"}
    assert {path: code(bare, path) for path in wanted} == wanted


def test_a_folder_is_listed_in_pages_of_200(tmp_path: Path) -> None:
    repository = clone(tmp_path, {f"d/f{n:03}.txt": "" for n in range(450)} | {"d/z/x.txt": ""})
    first = files.listing(repository, "d")
    assert (first.found, len(first.entries), first.next_offset) == (451, 200, 200)
    assert (first.entries[0].name, first.entries[0].kind) == ("z", "folder")
    last = files.listing(repository, "d/", 400)
    assert (len(last.entries), last.next_offset) == (51, None)


def test_a_file_is_no_folder_and_a_folder_no_file(tmp_path: Path) -> None:
    repository = clone(tmp_path, {"a/b.py": ""})
    assert code(repository, "a") == code(repository, "") == code(repository, ".") == "not_a_file"
    for path, word in (("a/b.py", "is a file"), ("nowhere", "tracks nothing"), ("..", "outside")):
        with pytest.raises(ToolError, match=word):
            files.listing(repository, path)
    assert files.listing(clone(tmp_path / "empty")).found == 0
