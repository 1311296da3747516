"""Calls from a SCIP index (`index.scip` in the root), which a compiler or a type checker wrote: read without protobuf.

What it says counts only where it still fits the code: a definition of that name there, and at the place that uses it a
call site of ours, or, in a language whose calls are not followed, the name itself. Its columns count characters where
our call sites count bytes, so a call that is followed behind letters beyond ASCII on its line stays ours.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from dragoman.repo import tree
from dragoman.repo.languages.edges import Edge, Reference
from dragoman.repo.languages.facts import FileFacts
from dragoman.repo.overlays import mentions, places
from dragoman.repo.repository import Repository

FILE = "index.scip"
LARGEST = 500_000_000
_DEFINITION, _IMPORT, _FORWARD = 1, 2, 64  # bits of an occurrence's roles
# The last descriptor: `name`, then # of a type, . of a term, (...). of a method.
_NAME = re.compile(r"(?:`((?:[^`]|``)+)`|([\w$+-]+))(?:#|\.|:|!|\([^()]*\)\.)$")

_FUNCTION = re.compile(r"\([^()]*\)\.$")
# A constructor is written as its type: `Thing#`<init>`().` of Java, `Thing#`.ctor`().` of C#.
_CONSTRUCTOR = re.compile(r"`(?:<init>|\.ctor)`\([^()]*\)\.$")

Occurrence = tuple[tuple[int, ...], str, int]  # range, symbol, roles


def mark(repository: Repository) -> str:
    """Changes with the index."""
    path = _path(repository)
    return f"scip:{path.stat().st_mtime_ns}:{path.stat().st_size}" if path else ""


def told(repository: Repository, facts: Mapping[str, FileFacts]) -> tuple[list[Edge], list[Reference]]:
    """The calls whose both ends are here, and, where we follow no calls, the functions handed over.

    None where there is no index, or a broken one.
    """
    path = _path(repository)
    if path is None:
        return [], []
    try:
        documents = dict(_documents(memoryview(path.read_bytes())))
    except (OSError, ValueError, IndexError):
        return [], []
    known = places.definitions(facts)
    defined: dict[str, str] = {}
    for name, occurrences in documents.items():
        for place, symbol, roles in occurrences:
            if roles & _DEFINITION and place and (uid := known.get((name, place[0] + 1, _last(symbol)))):
                defined[symbol] = uid
    edges: list[Edge] = []
    references: list[Reference] = []
    with tree.reading(repository) as content:
        for name in sorted(documents.keys() & facts.keys()):
            if facts[name].scopes:
                edges += _calls(name, facts[name], documents[name], defined)
                continue
            entry = tree.at(repository, name)
            text = content(entry) if entry else None
            for one in mentions.told(name, facts[name], text or b"", _mentions(documents[name], defined)):
                match one:
                    case Edge():
                        edges.append(one)
                    case Reference():
                        references.append(one)
    return edges, references


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


def _mentions(occurrences: Sequence[Occurrence], defined: Mapping[str, str]) -> list[mentions.Mention]:
    return sorted(
        (place[0] + 1, place[1], _last(symbol), defined[symbol])
        for place, symbol, roles in occurrences
        if len(place) > 1
        and not roles & (_DEFINITION | _IMPORT | _FORWARD)
        and symbol in defined
        and _FUNCTION.search(symbol)
    )


def _last(symbol: str) -> str:
    """The name as it stands in the text."""
    found = _NAME.search(_CONSTRUCTOR.sub("", symbol))
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
