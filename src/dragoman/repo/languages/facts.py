"""Facts: what one file says by itself, as small values that can be stored and resolved later without its text."""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

FORMAT = 2  # raise it when a stored fact changes its meaning: what was stored is then read again

# An expression is a flat tuple; whole numbers in it are indexes into `FileFacts.expressions`, and -1 is "no expression":
#   ("name", n)  ("attr", of, n)  ("call", of)  ("new", of)  ("await", of)  ("super",)  ("none",)  ("literal", type name)
#   ("as", type)  ("told", of, type)  ("or", of, of, ...)  ("item", of, of, ...)  - the last is head[argument, argument]
type Expression = tuple[str | int, ...]

# What a name is bound to; `scope` is an index into `FileFacts.scopes`:
#   ("def", scope)  ("mod", module)  ("from", module, name)  ("local", name)  ("inst", scope)  ("class", scope)
#   ("var", kind, expression, scope, kind, expression, scope, ...)  with kind "type" or "value"; without any: unknown
type Binding = tuple[str | int, ...]


class Symbol(
    NamedTuple
):  # a tuple, as the next two, since there are very many and a dataclass takes four times as long
    """Something defined. `qualname` is unique within its file: `Outer.inner`, and `Outer.inner#2` for the second of that name."""

    qualname: str
    name: str
    kind: str  # class, function, method, variable, interface, struct, enum, module ...
    parent: str  # qualname of what it stands in, "" in the module itself
    signature: str
    doc: str
    line: int  # from 1, included; decorators and leading comments are not counted
    end_line: int


class Import(NamedTuple):
    """One imported module, as written; `names` is what is taken out of it, `*` for everything, empty for the module itself."""

    line: int
    module: str
    names: tuple[str, ...] = ()


class Call(NamedTuple):
    """A place that calls, or (`kind` reference) hands over something without calling it. `expression` is the callee."""

    kind: str  # call or reference
    scope: int
    expression: int
    line: int  # from 1
    column: int  # from 0, in bytes, of the callee's last name; of its arguments where it has none
    text: str  # the callee as written, receiver included, cut at 80 characters


@dataclass(frozen=True, slots=True)
class Scope:
    """A stretch of code with names of its own. Scope 0 is the module."""

    kind: str  # module, class, object, namespace, function, block (comprehensions are blocks)
    parent: int  # -1 for the module
    symbol: int  # index into `FileFacts.symbols`; -1 where it is nobody's own
    names: Mapping[str, Binding] = field(default_factory=dict)
    # Of a class: what is assigned through self or this. Of a function: under "return", what it gives back.
    attributes: Mapping[str, Binding] = field(default_factory=dict)
    bases: tuple[int, ...] = ()  # of a class; -1 for one that is no plain name
    returns: int = -1  # of a function: its annotation
    flags: tuple[
        str, ...
    ] = ()  # async, property, static, classmethod, overload, self (the call gives its receiver back)


@dataclass(frozen=True, slots=True)
class FileFacts:
    """One file. `error_share` is how much of it did not parse, from 0 to 1."""

    language: str
    lines: int = 0
    symbols: tuple[Symbol, ...] = ()
    imports: tuple[Import, ...] = ()
    calls: tuple[Call, ...] = ()
    scopes: tuple[Scope, ...] = ()
    expressions: tuple[Expression, ...] = ()
    exports: Mapping[str, Binding] = field(default_factory=dict)  # where a language exports by name
    stars: tuple[str, ...] = ()  # modules whose every name is imported, or exported again
    error_share: float = 0.0
    doc: str = ""  # what the file says of itself at its top


def dump(facts: FileFacts) -> bytes:
    """Bytes for storing; `load` gives back an equal value."""
    rows = [
        FORMAT,
        facts.language,
        facts.lines,
        facts.symbols,
        facts.imports,
        facts.calls,
        [
            [s.kind, s.parent, s.symbol, dict(s.names), dict(s.attributes), s.bases, s.returns, s.flags]
            for s in facts.scopes
        ],
        facts.expressions,
        dict(facts.exports),
        facts.stars,
        facts.error_share,
        facts.doc,
    ]
    return zlib.compress(json.dumps(rows, separators=(",", ":")).encode(), 1)


def load(stored: bytes) -> FileFacts:
    """What `dump` stored. Raises ValueError for what it did not, or did in another version's format."""
    try:
        rows: Any = json.loads(zlib.decompress(stored))
        if rows[0] != FORMAT:
            raise ValueError(f"These facts have format {rows[0]}, this version reads {FORMAT}: read the file again.")
        _, language, lines, symbols, imports, calls, scopes, expressions, exports, stars, error_share, doc = rows
        return FileFacts(
            language,
            lines,
            tuple(map(Symbol._make, symbols)),
            tuple(Import(line, module, tuple(names)) for line, module, names in imports),
            tuple(map(Call._make, calls)),
            tuple(_scope(*row) for row in scopes),
            tuple(map(tuple, expressions)),
            _bindings(exports),
            tuple(stars),
            error_share,
            doc,
        )
    except (zlib.error, TypeError, IndexError, KeyError) as fault:
        raise ValueError(f"These are no stored facts of a file: {fault}.") from fault


def _bindings(rows: dict[str, list[Any]]) -> dict[str, Binding]:
    return {name: tuple(row) for name, row in rows.items()}


def _scope(
    kind: str,
    parent: int,
    symbol: int,
    names: dict[str, list[Any]],
    attributes: dict[str, list[Any]],
    bases: list[int],
    returns: int,
    flags: list[str],
) -> Scope:
    return Scope(kind, parent, symbol, _bindings(names), _bindings(attributes), tuple(bases), returns, tuple(flags))
