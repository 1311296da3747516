"""Where a clone's lines of history end: HEAD, branches, tags, the default branch, and where a clone was cut short."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dragoman.repo.git import Git

# A name as people write it, with steps back. What else git understands (reflogs, searches, ranges) is not taken.
REVISION = re.compile(r"(?![-/.])(?!.*(?:\.\.|@\{|//))[^\s\x00-\x20\x7f~^:?*\[\\]{1,200}(?:[~^]\d{0,6}){0,20}")
SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SHORT = re.compile(r"[0-9a-fA-F]{4,64}")
_USUAL = ("main", "master")


@dataclass(frozen=True, slots=True)
class Refs:
    """The ends of a clone's history. `head` is empty in an empty clone, `branch` where HEAD is detached.

    `default` is the default branch's name and `default_tip` its newest commit. `tips`, HEAD and that, are what is indexed:
    other branches and old releases would tell the same change again. `shallow` holds the commits whose
    parents are not here; `partial` says that contents may be missing.
    """

    head: str
    branch: str
    default: str
    default_tip: str
    tips: frozenset[str]
    names: Mapping[str, str]
    shallow: frozenset[str]
    partial: bool


def read(git: Git, configured: str = "") -> Refs:
    """What git tells of them; `configured` is the default branch's name where somebody wrote it down.

    The default branch is the configured name, else what origin's HEAD names, else main, else master, else HEAD. Of a
    local branch and origin's of the same name the one that is ahead counts.
    """
    names, remote_head = _names(git)
    head = git.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}").text
    symbolic = git.run("symbolic-ref", "--quiet", "HEAD").text
    branch = symbolic.removeprefix("refs/heads/") if symbolic.startswith("refs/heads/") else ""
    wanted = [name for name in (configured, remote_head.removeprefix("refs/remotes/origin/"), *_USUAL) if name]
    default, tip = branch or "HEAD", head
    for name in wanted:
        if found := _tip(git, names, name):
            default, tip = name, found
            break
    return Refs(head, branch, default, tip, frozenset({head, tip} - {""}), names, _shallow(git), _partial(git))


def resolve(git: Git, name: str) -> str | None:
    """The SHA of the commit that `name` means to git, a branch, a tag, HEAD, a SHA, each with steps back; else None."""
    if not REVISION.fullmatch(name):
        return None
    found = git.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    return found.text if found.ok and SHA.fullmatch(found.text) else None


def known(git: Git, shas: frozenset[str]) -> frozenset[str]:
    """Those of the SHAs that are commits here."""
    if not shas:
        return frozenset()
    asked = "\n".join(sorted(shas)).encode() + b"\n"
    told = git.run("cat-file", "--batch-check=%(objectname) %(objecttype)", given=asked).text.splitlines()
    return frozenset(line.partition(" ")[0] for line in told if line.endswith(" commit"))


def is_short(name: str) -> bool:
    """Whether this may be the beginning of a SHA."""
    return bool(_SHORT.fullmatch(name))


def _names(git: Git) -> tuple[dict[str, str], str]:
    """Full names to commits, and the full name origin's HEAD stands for."""
    fields = "%(refname)%00%(objecttype)%00%(objectname)%00%(*objecttype)%00%(*objectname)%00%(symref)"
    told = git.run("for-each-ref", f"--format={fields}", "refs/heads", "refs/tags", "refs/remotes/origin")
    names: dict[str, str] = {}
    remote_head = ""
    for line in told.out.decode("utf-8", "surrogateescape").splitlines():
        name, kind, sha, inner_kind, inner, symbolic = line.split("\0")
        if name == "refs/remotes/origin/HEAD":
            remote_head = symbolic
        elif "commit" in (kind, inner_kind):
            names[name] = sha if kind == "commit" else inner
    return names, remote_head


def _tip(git: Git, names: Mapping[str, str], name: str) -> str:
    here, there = names.get(f"refs/heads/{name}", ""), names.get(f"refs/remotes/origin/{name}", "")
    if here and there and here != there:
        behind = git.run("merge-base", "--is-ancestor", here, there).ok
        return there if behind else here
    return here or there


def _shallow(git: Git) -> frozenset[str]:
    place = git.run("rev-parse", "--path-format=absolute", "--git-path", "shallow").text
    try:
        return frozenset(SHA.findall(Path(place).read_text("ascii", "replace")))
    except OSError:
        return frozenset()


def _partial(git: Git) -> bool:
    told = git.run("config", "--local", "--get-regexp", r"^(extensions\.partialclone|remote\..*\.promisor)$").text
    return bool(told)
