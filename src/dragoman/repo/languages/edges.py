"""Edges: what is known of a repository once the facts of all its files are seen together.

A uid is `path::Outer.inner`; a caller that is the module itself is its `path` alone. Lines count from 1, columns from 0.
"""

from dataclasses import dataclass
from typing import NamedTuple


class Edge(NamedTuple):
    """A call whose callee is known. `tier` is proven (every step stands in the code) or typed (a step rests on an annotation)."""

    caller: str
    callee: str
    path: str
    line: int
    column: int
    tier: str


class Reference(NamedTuple):
    """A function or class handed over by name, called later by somebody else. `tier` as for an edge."""

    holder: str
    target: str
    path: str
    line: int
    column: int
    tier: str


class Possible(NamedTuple):
    """A candidate for an unresolved call, by its name alone. Never counted as an edge."""

    caller: str
    callee: str
    path: str
    line: int
    column: int


class Unresolved(NamedTuple):
    """A call without an edge. `external`: it provably goes to the language or a library, so it is nobody's caller here."""

    caller: str
    path: str
    line: int
    text: str  # the callee as written, receiver included
    name: str  # its last part
    external: bool


class ImportTarget(NamedTuple):
    """An import and the file of this repository it means; None for a library, or where it is not certain."""

    path: str
    line: int
    module: str  # as written
    target: str | None


@dataclass(frozen=True, slots=True)
class Resolution:
    """Everything, in the order of path, then place. The same facts give the same value."""

    edges: tuple[Edge, ...] = ()
    possible: tuple[Possible, ...] = ()
    unresolved: tuple[Unresolved, ...] = ()
    imports: tuple[ImportTarget, ...] = ()
    references: tuple[Reference, ...] = ()
