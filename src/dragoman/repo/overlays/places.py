"""Find our symbol for a place in a file that somebody else names, and who is around a place."""

from collections.abc import Mapping

from dragoman.repo.languages.facts import FileFacts, Symbol


def definitions(facts: Mapping[str, FileFacts]) -> dict[tuple[str, int, str], str]:
    """Uids by (path, line from 1, name)."""
    return {
        (path, symbol.line, symbol.name): f"{path}::{symbol.qualname}"
        for path, file in facts.items()
        for symbol in file.symbols
    }


def around(path: str, file: FileFacts, line: int) -> str:
    """The uid of the smallest function, class or the like around a line; the file's own where there is none."""
    inside = [symbol for symbol in file.symbols if symbol.line <= line <= symbol.end_line and _holds(symbol)]
    if not inside:
        return path
    return f"{path}::{min(inside, key=lambda symbol: symbol.end_line - symbol.line).qualname}"


def caller(path: str, file: FileFacts, scope: int) -> str:
    """The uid of the symbol whose scope this is, or the nearest around it."""
    while scope > 0:
        if file.scopes[scope].symbol >= 0:
            return f"{path}::{file.symbols[file.scopes[scope].symbol].qualname}"
        scope = file.scopes[scope].parent
    return path


def _holds(symbol: Symbol) -> bool:
    return symbol.kind not in ("variable", "attribute", "constant", "field")
