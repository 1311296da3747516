"""dragoman init: what it writes, what it asks, and what it leaves alone."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from dragoman.providers import catalog
from dragoman.repo import config
from dragoman.repo.repository import find
from tests.cli.running import dragoman, environment
from tests.repo import orchard


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    root = tmp_path / "clone"
    root.mkdir()
    orchard.git(root, "init", "--quiet")
    return root


@pytest.mark.requirement("r.cli.init")
def test_flags_write_a_file_that_is_read_back_as_meant(tmp_path: Path, clone: Path):
    told = dragoman(
        tmp_path / "home", "init", "--yes", "--provider", "anthropic", "--model", "some-model",
        "--key-variable", "anthropic=WORK_KEY", "--key-variable", "openai=OTHER_KEY", "--exclude", "vendor/**",
        "--forge", "gitlab", "--forge-url", "https://git.work.test", "--default-branch", "trunk", at=clone,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    assert "Set WORK_KEY to your key" in told.stdout
    found = config.read(find(clone, tmp_path / "home"))  # written here, so it needs no further yes
    assert found == config.Config(
        provider="anthropic", model="some-model", default_branch="trunk",
        keys={"anthropic": "WORK_KEY", "openai": "OTHER_KEY"}, index=config.Index(("vendor/**",)),
        forge=config.Forge("gitlab", "https://git.work.test", "GITLAB_TOKEN"),
    )  # fmt: skip
    assert orchard.git(clone, "status", "--porcelain") == "?? dragoman.toml"
    assert not list((clone / ".git" / "hooks").glob("post-[!u]*")) or all(
        path.suffix == ".sample" for path in (clone / ".git" / "hooks").iterdir()
    )


@pytest.mark.requirement("r.cli.init", "r.chat.openrouter")
def test_the_wizard_asks_on_a_terminal_and_writes_what_was_answered(tmp_path: Path, clone: Path):
    answers = ["openrouter", "", "WORK_KEY", "", "github", "", "", "n", "n"]
    told = _typed(tmp_path / "home", clone, answers)
    assert "Which model answers" in told
    for name in ("openrouter", "openai", "deepseek", "anthropic"):
        assert name in told
    found = config.read(find(clone, tmp_path / "home"))
    assert (found.provider, dict(found.keys)) == ("openrouter", {"openrouter": "WORK_KEY"})
    assert found.model == catalog.SERVICES["openrouter"].known[0].id
    assert (found.forge.kind, found.forge.token_variable) == ("github", "GITHUB_TOKEN")
    assert orchard.git(clone, "status", "--porcelain") == "?? dragoman.toml"


def test_hooks_and_the_gitignore_are_touched_only_when_asked_and_never_written_over(tmp_path: Path, clone: Path):
    (clone / ".gitignore").write_text("*.log")
    hooks = clone / ".git" / "hooks"
    (hooks / "post-merge").write_text("#!/bin/sh\necho mine\n")
    told = dragoman(tmp_path / "home", "init", "--yes", "--gitignore", "--hooks", at=clone)
    assert told.returncode == 0
    assert (clone / ".gitignore").read_text() == "*.log\ndragoman.toml\n"
    assert (hooks / "post-merge").read_text() == "#!/bin/sh\necho mine\n"
    assert "is yours and stays as it is" in told.stderr
    # Without dragoman on the path git goes on as if there were no hook.
    (clone / "a").write_text("a")
    orchard.git(clone, "add", "a")
    assert "error" not in orchard.git(clone, "commit", "--message", "a")
    assert os.access(hooks / "post-commit", os.X_OK)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "There is no terminal to ask on."),
        (("--yes", "--key-variable", "openai=sk-abcdefghijklmnopqrstuvwx"), "looks like a key"),
        (("--yes", "--key-variable", "nobody=X"), "--key-variable takes PROVIDER=VARIABLE"),
        (("--yes", "--forge", "github", "--forge-url", "ftp://x"), "forge.base_url: expected an address"),
        (("--trust",), "to trust"),
    ],
)
def test_what_does_not_fit_is_told_and_nothing_is_written(
    tmp_path: Path, clone: Path, words: tuple[str, ...], told: str
):
    ended = dragoman(tmp_path / "home", "init", *words, at=clone)
    assert ended.returncode == 1
    assert told in ended.stderr
    assert "sk-abc" not in ended.stderr
    assert not (clone / config.FILE).exists()


def test_a_file_that_is_there_is_not_written_over_unasked(tmp_path: Path, clone: Path):
    (clone / config.FILE).write_text('provider = "planner"\n')
    assert dragoman(tmp_path / "home", "init", "--yes", at=clone).returncode == 1
    assert (clone / config.FILE).read_text() == 'provider = "planner"\n'
    assert dragoman(tmp_path / "home", "init", "--yes", "--force", at=clone).returncode == 0


def test_the_forge_is_what_origin_says(tmp_path: Path, clone: Path):
    orchard.git(clone, "remote", "add", "origin", "git@gitlab.work.test:group/project.git")
    assert dragoman(tmp_path / "home", "init", "--yes", at=clone).returncode == 0
    found = config.read(find(clone, tmp_path / "home"))
    assert found.forge == config.Forge("gitlab", "https://gitlab.work.test", "GITLAB_TOKEN")


def _typed(home: Path, clone: Path, answers: list[str]) -> str:
    """What the wizard says on a terminal where these lines are typed."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "dragoman", "init"], stdin=theirs, stdout=theirs, stderr=theirs, cwd=clone,
        env=environment(home, TERM="dumb"), start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    os.write(ours, "".join(f"{answer}\n" for answer in answers).encode())
    said = b""
    try:
        while piece := os.read(ours, 4096):
            said += piece
    except OSError:  # how a terminal says that its other side has gone
        pass
    os.close(ours)
    assert process.wait() == 0, said.decode()
    return said.decode()
