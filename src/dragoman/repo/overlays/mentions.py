"""Tell calls from mentions in languages whose calls are not followed: by what stands behind the name in the file.

A SCIP index says that a function is named at a place, not that it is called there. A name before a bracket is a call;
any other is the function handed over. In Ruby a name alone calls.
"""

import re
from collections.abc import Iterator, Sequence

from dragoman.repo.languages.edges import Edge, Reference
from dragoman.repo.languages.facts import FileFacts
from dragoman.repo.overlays import places

# Type arguments may stand before the bracket: `f[int](x)`, `f<T>(x)`, `f::<T>(x)`. PHP's `f(...)` calls nothing.
_BRACKET = re.compile(r"\s*(?:::\s*)?(?:<[^()<>;]*(?:<[^()<>;]*>[^()<>;]*)*>|\[[^();]*\])?\s*\((?!\s*\.\.\.\s*\))")
_ALONE = frozenset({"ruby"})
_BODIES = frozenset({"function", "method"})

Mention = tuple[int, int, str, str]  # line from 1, column from 0 in whatever the index counts, name, the uid it means


def told(path: str, file: FileFacts, content: bytes, mentions: Sequence[Mention]) -> Iterator[Edge | Reference]:
    """What the mentions are that still fit the text, each with its column in bytes; imports and declarations are nothing."""
    lines = content.split(b"\n")
    declared = {(symbol.line, symbol.name) for symbol in file.symbols if symbol.kind in _BODIES}
    for line, column, name, uid in mentions:
        raw = lines[line - 1] if line <= len(lines) else b""
        at = _place(raw, column, name)
        holder = places.around(path, file, line)
        if at is None or holder == path or (line, name) in declared:
            continue
        behind = raw[at + len(name.encode()) :].decode("utf-8", "replace")
        if file.language in _ALONE or _BRACKET.match(behind):
            yield Edge(holder, uid, path, line, at, "proven")
        else:
            yield Reference(holder, uid, path, line, at, "proven")


def _place(raw: bytes, column: int, name: str) -> int | None:
    """The byte at which the name stands, the column being of bytes, of UTF-16 units or of characters; None where it does not."""
    text = raw.decode("utf-8", "replace")
    units = text.encode("utf-16-le")[: 2 * column].decode("utf-16-le", "ignore")
    for at in (column, len(units.encode()), len(text[:column].encode())):
        if raw[at : at + len(name.encode())] == name.encode():
            return at
    return None
