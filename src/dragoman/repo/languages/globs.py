"""The patterns of configs, as TypeScript reads them: which files `include` and `exclude` mean, and which text a star stands for."""

import fnmatch
import re
from collections.abc import Iterable
from functools import lru_cache

_INSTALLED = frozenset(("node_modules", "bower_components", "jspm_packages"))


def included(patterns: Iterable[str], path: str) -> bool:
    """Whether a pattern means the file. A folder means all that is in it; no wildcard means a name that begins with a dot."""
    for pattern in patterns:
        start, steps = _including(pattern)
        if path.startswith(start) and _leads(steps, path, excludes=False):
            return True
    return False


def excluded(patterns: Iterable[str], path: str) -> bool:
    """Whether a pattern means the file or a folder it is in."""
    for pattern in patterns:
        start, steps = _excluding(pattern)
        if path.startswith(start) and _leads(steps, path, excludes=True):
            return True
    return False


def starred(patterns: Iterable[tuple[str, str]], text: str) -> tuple[str, str] | None:
    """The pattern that means a text, and what its star stands for. A pattern is what stands before its star and behind it;
    the one that begins longest counts, and of those the first."""
    best: tuple[str, str] | None = None
    for start, end in patterns:
        long_enough = len(text) >= len(start) + len(end) and (best is None or len(start) > len(best[0]))
        if long_enough and text.startswith(start) and text.endswith(end):
            best = start, end
    return (f"{best[0]}*{best[1]}", text[len(best[0]) : len(text) - len(best[1])]) if best else None


@lru_cache(maxsize=4096)
def _including(pattern: str) -> tuple[str, tuple[str, ...]]:
    """What every path begins with that is meant, and the steps to it."""
    start, steps = _excluding(pattern)
    if not steps or not any(mark in steps[-1] for mark in ".*?"):
        return start, (*steps, "**", "*")
    return start, ("",) if steps[-1] == "**" else steps  # TypeScript refuses one that ends so


@lru_cache(maxsize=4096)
def _excluding(pattern: str) -> tuple[str, tuple[str, ...]]:
    return ("", ()) if pattern == "." else (re.split(r"[*?]", pattern, maxsplit=1)[0], tuple(pattern.split("/")))


def _leads(steps: tuple[str, ...], path: str, excludes: bool) -> bool:
    """Whether the steps lead to the file. All ways are gone at once, so that no pattern takes long."""
    end = len(steps)
    reached = _passing(steps, {0})
    for part in path.split("/"):
        if excludes and end in reached:
            return True
        plain = excludes or not (part.startswith(".") or part in _INSTALLED)
        further = set()
        for at in reached - {end}:
            step = steps[at]
            if step == "**":
                further |= {at} if plain else set()
            elif (plain or step[:1] not in ("*", "?")) and _name(step).match(part):
                further.add(at + 1)
        reached = _passing(steps, further)
    return end in reached


def _passing(steps: tuple[str, ...], reached: set[int]) -> set[int]:
    """With the places behind each `**`, which may mean no folder at all."""
    found = set(reached)
    for at in sorted(reached):
        while at < len(steps) and steps[at] == "**":
            at += 1
            found.add(at)
    return found


@lru_cache(maxsize=4096)
def _name(step: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(step.replace("[", "[[]")))
