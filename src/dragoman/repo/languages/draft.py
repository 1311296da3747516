"""The facts of one file while they are being gathered: scopes, symbols, expressions."""

from dataclasses import dataclass, field
from operator import attrgetter

from dragoman.repo.languages.facts import Binding, Call, Expression, FileFacts, Import, Scope, Symbol
from dragoman.repo.languages.source import Source, error_share

UNKNOWN: Binding = ("var",)
VOTES = 6  # a name assigned more often than this proves nothing


@dataclass(slots=True)
class DraftScope:
    """A Scope that may still change; `owner` is the class a method stands in, `receiver` its first parameter."""

    index: int
    kind: str
    parent: "DraftScope | None"
    symbol: int
    names: dict[str, Binding] = field(default_factory=dict)
    attributes: dict[str, Binding] = field(default_factory=dict)
    bases: tuple[int, ...] = ()
    returns: int = -1
    flags: tuple[str, ...] = ()
    owner: "DraftScope | None" = None
    receiver: str = ""
    elsewhere: dict[str, "DraftScope"] = field(default_factory=dict)  # global and nonlocal names

    def frozen(self) -> Scope:
        """The value that is kept."""
        parent = self.parent.index if self.parent else -1
        return Scope(self.kind, parent, self.symbol, self.names, self.attributes, self.bases, self.returns, self.flags)


class Draft:
    """What a reader fills while it walks the tree."""

    def __init__(self, source: Source, language: str) -> None:
        self.source, self.language = source, language
        self.symbols: list[Symbol] = []
        self.imports: list[Import] = []
        self.calls: list[Call] = []
        self.stars: list[str] = []
        self.exports: dict[str, Binding] = {}
        self.scopes: list[DraftScope] = []
        self.doc = ""
        self._expressions: dict[Expression, int] = {}
        self._rows: list[Expression] = []
        self._taken: dict[str, int] = {}
        self.module = self.scope("module", None)

    def expression(self, *row: str | int) -> int:
        """The index of an expression; equal ones have the same."""
        at = self._expressions.get(row)
        if at is None:
            at = self._expressions[row] = len(self._rows)
            self._rows.append(row)
        return at

    def head(self, at: int) -> int:
        """The index of what stands before the brackets of a type."""
        return int(self._rows[at][1]) if at >= 0 and self._rows[at][0] == "item" else at

    def is_plain(self, at: int) -> bool:
        """Whether an expression is a name, with or without what it belongs to."""
        return at >= 0 and self._rows[at][0] in ("name", "attr")

    def scope(self, kind: str, parent: DraftScope | None, symbol: int = -1) -> DraftScope:
        """A new scope inside another."""
        made = DraftScope(len(self.scopes), kind, parent, symbol)
        self.scopes.append(made)
        return made

    def symbol(
        self, name: str, kind: str, within: DraftScope, signature: str, doc: str, line: int, end_line: int
    ) -> int:
        """The index of a new symbol, its qualname made unique."""
        parent = self.holder(within)
        base = f"{parent}.{name}" if parent else name
        count = self._taken[base] = self._taken.get(base, 0) + 1
        qualname = base if count == 1 else f"{base}#{count}"
        self.symbols.append(Symbol(qualname, name, kind, parent, signature, doc, line, end_line))
        return len(self.symbols) - 1

    def holder(self, scope: DraftScope | None) -> str:
        """The qualname of the symbol a scope belongs to, "" for the module."""
        while scope is not None and scope.symbol < 0:
            scope = scope.parent
        return self.symbols[scope.symbol].qualname if scope is not None else ""

    def vote(self, names: dict[str, Binding], name: str, kind: str, expression: int, scope: DraftScope) -> None:
        """One more assignment to a name. They count only when all agree, and an annotation decides alone."""
        old = names.get(name)
        if old is None:
            names[name] = ("var", kind, expression, scope.index)
        elif old[0] != "var" or (len(old) > 1 and old[1] == "type"):
            return  # a definition wins over a later plain assignment
        elif kind == "type":
            names[name] = ("var", kind, expression, scope.index)
        elif len(old) == 1 or (kind, expression, scope.index) in zip(old[1::3], old[2::3], old[3::3], strict=True):
            return
        elif len(old) > 3 * VOTES:
            names[name] = UNKNOWN
        else:
            names[name] = (*old, kind, expression, scope.index)

    def names_nothing(self, word: str, scope: DraftScope | None) -> bool:
        """Whether a name is bound to nothing that could be known: a plain parameter, or not at all."""
        while scope is not None:
            binding = scope.names.get(word)
            if binding is not None:
                return len(binding) < 2
            scope = scope.parent
        return True

    def finish(self) -> FileFacts:
        """The facts; calls in the order of the text."""
        self.calls.sort(key=attrgetter("line", "column"))
        return FileFacts(
            self.language,
            self.source.lines,
            tuple(self.symbols),
            tuple(self.imports),
            tuple(self.calls),
            tuple(scope.frozen() for scope in self.scopes),
            tuple(self._rows),
            self.exports,
            tuple(self.stars),
            error_share(self.source),
            self.doc,
        )
