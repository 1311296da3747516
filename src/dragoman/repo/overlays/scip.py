"""Calls from a SCIP index (`index.scip` in the root), which a compiler or a type checker wrote: read without protobuf.

What it says counts only where it still fits the code: a call site at that place, and a definition of that name there.
Its columns count characters where ours count bytes, so a call behind letters beyond ASCII on its line stays ours.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from dragoman.repo.languages.edges import Edge
from dragoman.repo.languages.facts import FileFacts
from dragoman.repo.overlays import places
from dragoman.repo.repository import Repository

FILE = "index.scip"
LARGEST = 500_000_000
_DEFINITION = 1  # a bit of an occurrence's roles
# The last descriptor: `name`, then # of a type, . of a term, (...). of a method.
_NAME = re.compile(r"(?:`((?:[^`]|``)+)`|([\w$+-]+))(?:#|\.|:|!|\([^()]*\)\.)$")

Occurrence = tuple[tuple[int, ...], str, int]  # range, symbol, roles


def mark(repository: Repository) -> str:
    """Changes with the index."""
    path = _path(repository)
    return f"scip:{path.stat().st_mtime_ns}:{path.stat().st_size}" if path else ""


def edges(repository: Repository, facts: Mapping[str, FileFacts]) -> list[Edge]:
    """The calls whose both ends are here; none where there is no index, or a broken one."""
    path = _path(repository)
    if path is None:
        return []
    try:
        documents = dict(_documents(memoryview(path.read_bytes())))
    except (OSError, ValueError, IndexError):
        return []
    known = places.definitions(facts)
    defined: dict[str, str] = {}
    for name, occurrences in documents.items():
        for place, symbol, roles in occurrences:
            if roles & _DEFINITION and place and (uid := known.get((name, place[0] + 1, _last(symbol)))):
                defined[symbol] = uid
    return [
        edge
        for name in sorted(documents.keys() & facts.keys())
        for edge in _calls(name, facts[name], documents[name], defined)
    ]


def _path(repository: Repository) -> Path | None:
    path = repository.root / FILE
    plain = not repository.bare and not path.is_symlink() and path.is_file() and path.stat().st_size <= LARGEST
    return path if plain else None


def _calls(path: str, file: FileFacts, occurrences: list[Occurrence], defined: Mapping[str, str]) -> Iterator[Edge]:
    used = {
        (place[0] + 1, place[1]): symbol
        for place, symbol, roles in occurrences
        if len(place) > 1 and not roles & _DEFINITION and symbol in defined
    }
    for call in file.calls:
        symbol = used.get((call.line, call.column))
        if call.kind == "call" and symbol and call.text.endswith(_last(symbol)):
            yield Edge(places.caller(path, file, call.scope), defined[symbol], path, call.line, call.column, "proven")


def _last(symbol: str) -> str:
    found = _NAME.search(symbol)
    return (found.group(1) or found.group(2)).replace("``", "`") if found else ""


# ---- the bytes -------------------------------------------------------------------------------------------------------


def _documents(data: memoryview) -> Iterator[tuple[str, list[Occurrence]]]:
    for number, document in _fields(data):
        if number == 2 and isinstance(document, memoryview):
            path = ""
            occurrences = []
            for part, value in _fields(document):
                if part == 1 and isinstance(value, memoryview):
                    path = bytes(value).decode()
                elif part == 2 and isinstance(value, memoryview):
                    occurrences.append(_occurrence(value))
            yield path, occurrences


def _occurrence(data: memoryview) -> Occurrence:
    place: list[int] = []
    symbol, roles = "", 0
    for number, value in _fields(data):
        match number, value:
            case 1, memoryview():  # packed
                at = 0
                while at < len(value):
                    part, at = _varint(value, at)
                    place.append(part)
            case 1, int():
                place.append(value)
            case 2, memoryview():
                symbol = bytes(value).decode()
            case 3, int():
                roles = value
    return tuple(place), symbol, roles


def _fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """(number, value) of each field of a message. Raises ValueError, IndexError for what is none."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        match key & 7:
            case 0:
                number, at = _varint(data, at)
                yield key >> 3, number
                continue
            case 2:
                size, at = _varint(data, at)
            case 5:
                size = 4
            case 1:
                size = 8
            case _:
                raise ValueError("This is no SCIP index.")
        if at + size > len(data):
            raise ValueError("This SCIP index ends early.")
        yield key >> 3, data[at : at + size]
        at += size


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at
    raise ValueError("This is no SCIP index.")
