"""What one file's facts say, cell by cell, in words that stay the same when the file is read anew and its numbers shift.

A cell is what the inference looks up at once. By their kinds:
    L  what a name is bound to, seen from a scope      K  what a scope has under a name, and what is assigned there
    H  how a scope is declared                         M  the class a scope is a method of
    X  what is exported under a name                   S  the modules of which every name is imported
    f, w  among the paths and configs: see resolve     *  said by nobody, and so always another
"""

import hashlib

from dragoman.repo.languages.asking import Cell
from dragoman.repo.languages.facts import Binding, FileFacts
from dragoman.repo.languages.found import bound, method_of

OF_PATHS = frozenset("fw")


class Cells:
    """The cells of one file."""

    def __init__(self, facts: FileFacts, script: bool) -> None:
        self._facts, self._script = facts, script
        self._names = _names(facts)
        self._scopes = {name: at for at, name in enumerate(self._names)}
        self._trees: dict[int, object] = {}

    def key(self, cell: Cell) -> str:
        """The cell's name."""
        where = self._names[cell.scope] if cell.kind in "LKHM" else ""
        return f"{cell.kind}{where}\t{cell.text}"

    def digest(self, key: str) -> str:
        """A word for what stands in the cell; another where that is another."""
        where, _, text = key[1:].partition("\t")
        if key[0] in "LKHM" and where not in self._scopes:
            return "-"
        told = self._told(key[0], self._scopes.get(where, 0), text)
        return hashlib.blake2b(repr(told).encode(), digest_size=8).hexdigest() if told is not None else ""

    def _told(self, kind: str, at: int, text: str) -> object:
        facts = self._facts
        match kind:
            case "L":
                found = bound(facts.scopes, self._script, at, text)
                return found and (self._binding(found[0]), self._name(found[1]))
            case "K":
                scope = facts.scopes[at]
                told = self._binding(scope.names.get(text)), self._binding(scope.attributes.get(text))
                return told if told != (None, None) else None
            case "H":
                return self._declared(at)
            case "M":
                return self._name(method_of(facts.scopes, at))
            case "X":
                return self._binding(facts.exports.get(text))
            case "S":
                return facts.stars
        return None

    def _declared(self, at: int) -> object:
        scope = self._facts.scopes[at]
        symbol = self._facts.symbols[scope.symbol].qualname if scope.symbol >= 0 else ""
        receiver = next((self._binding(each) for each in scope.names.values() if each[0] == "inst"), None)
        bases = tuple(map(self._tree, scope.bases))
        return scope.kind, self._name(scope.parent), symbol, bases, self._tree(scope.returns), scope.flags, receiver

    def _name(self, scope: int) -> str | None:
        return self._names[scope] if scope >= 0 else None

    def _binding(self, binding: Binding | None) -> object:
        match binding:
            case ("def" | "inst" | "class", int(scope)):
                return binding[0], self._names[scope], self._facts.scopes[scope].kind
            case ("var", *votes):
                named = zip(votes[::3], votes[1::3], votes[2::3], strict=True)
                return "var", *((kind, self._tree(int(at)), self._name(int(scope))) for kind, at, scope in named)
        return binding

    def _tree(self, at: int) -> object:
        """An expression with those it is made of."""
        if at < 0:
            return None
        if at not in self._trees:
            row = self._facts.expressions[at]
            self._trees[at] = tuple(self._tree(part) if isinstance(part, int) else part for part in row)
        return self._trees[at]


def _names(facts: FileFacts) -> list[str]:
    """A name for each scope: of what it defines, or which one it is of those without a name in the scope around it."""
    names: list[str] = []
    taken: dict[str, int] = {}
    for scope in facts.scopes:
        if scope.symbol >= 0:
            name = facts.symbols[scope.symbol].qualname
        else:
            name = f"{names[scope.parent]}/{scope.kind}" if scope.parent >= 0 else ""
        count = taken[name] = taken.get(name, 0) + 1
        names.append(name if count == 1 else f"{name}/{count}")
    return names
