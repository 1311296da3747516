"""What something is found to be, and the small rules by which several findings become one."""

from dataclasses import dataclass, field
from typing import NamedTuple

from dragoman.repo.languages.facts import Binding, FileFacts, Scope
from dragoman.repo.languages.modules import PythonModules, ScriptModules


class Found(NamedTuple):
    """What something is. `typed` says that a step of the proof was an annotation.

    `kind` is module, namespace, class, function, instance, super, outside or made outside (an instance of something there); the
    last two have a dotted name for a path.
    """

    kind: str
    path: str
    scope: int = -1
    typed: bool = False


@dataclass(slots=True)
class File:
    """One file's facts, and what was already inferred in it."""

    path: str
    facts: FileFacts
    modules: PythonModules | ScriptModules
    script: bool
    scopes: tuple[Scope, ...]
    inferred: dict[tuple[int, int, bool], Found | None] = field(default_factory=dict)
    annotated: dict[tuple[int, int, bool], Found | None] = field(default_factory=dict)


def none(file: File, at: int) -> bool:
    """Whether an expression says that there is nothing: it has no vote."""
    return at >= 0 and file.facts.expressions[at][0] == "none"


def agreed(found: list[Found | None]) -> Found | None:
    """The one thing all say; one that is unknown, or another, and nothing is proven."""
    first = found[0] if found else None
    if first is None or any(each is None or each[:3] != first[:3] for each in found[1:]):
        return None
    return first._replace(typed=any(each.typed for each in found if each))


def both(one: Binding, other: Binding) -> Binding:
    """The votes of two bindings of one name."""
    return (*one, *other[1:]) if len(one) > 1 and len(other) > 1 else ("var",)


def merged(lines: list[list[tuple[str, int]]]) -> list[tuple[str, int]]:
    """C3, as Python does it; where that is impossible, each class at its first place."""
    lines = [list(line) for line in [*lines, [line[0] for line in lines if line]] if line]
    merged: list[tuple[str, int]] = []
    while lines:
        for line in lines:
            head = line[0]
            if not any(head in other[1:] for other in lines):
                break
        else:
            head = lines[0][0]
        merged.append(head)
        lines = [rest for line in lines if (rest := [each for each in line if each != head])]
    return merged
