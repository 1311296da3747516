"""What something is found to be, and the small rules by which several findings become one."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dragoman.repo.languages.facts import Binding, FileFacts, Scope
from dragoman.repo.languages.modules import PythonModules
from dragoman.repo.languages.script_modules import ScriptModules


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
class Answer:
    """What was found, kept. `low` is below the number of the questions in hand while it may still turn out to be part of a
    circle; `reads` are the numbers of the cells that were looked up for it."""

    low: int
    found: Any = None
    reads: set[int] | None = None


@dataclass(slots=True)
class File:
    """One file's facts, and what was already inferred in it: asked by itself, and by others."""

    path: str
    facts: FileFacts
    modules: PythonModules | ScriptModules
    script: bool
    scopes: tuple[Scope, ...]
    own: dict[object, Answer] = field(default_factory=dict)
    seen: dict[object, Answer] = field(default_factory=dict)
    cells: dict[tuple[str, int, str], int] = field(default_factory=dict)  # numbers of what others looked up here


KINDS = {"class": "class", "object": "instance", "namespace": "namespace"}  # of a scope, to what it is found to be


def bound(scopes: tuple[Scope, ...], script: bool, scope: int, name: str) -> tuple[Binding, int] | None:
    """The binding of a name and the scope it stands in; the bodies of classes are passed by from inside."""
    first = True
    while scope >= 0:
        each = scopes[scope]
        if each.kind not in ("class", "object") or (first and not script):
            binding = each.names.get(name)
            if binding is not None:
                return binding, scope
        first = False if each.kind != "block" else first
        scope = each.parent
    return None


def method_of(scopes: tuple[Scope, ...], scope: int) -> int:
    """The class or object a scope is in a method of, -1 where it is in none."""
    while scope >= 0:
        each = scopes[scope]
        if each.kind == "function" and each.parent >= 0 and scopes[each.parent].kind in KINDS:
            return each.parent
        scope = each.parent
    return -1


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
