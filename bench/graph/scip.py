"""Read a SCIP index without protobuf: which symbol stands where, and where it is defined."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

DEFINITION = 1  # bit of an occurrence's roles
type Place = tuple[str, int, int]  # path, line from 1, column from 0


@dataclass(slots=True)
class Index:
    """`occurrences` tells the symbols at a place, `definitions` the places a symbol is defined at."""

    occurrences: dict[Place, list[str]] = field(default_factory=lambda: defaultdict(list))
    definitions: dict[str, list[Place]] = field(default_factory=lambda: defaultdict(list))


def load(path: Path) -> Index:
    """The index written by scip-python or scip-typescript."""
    index = Index()
    for number, _, document in _fields(path.read_bytes()):
        if number != 2 or not isinstance(document, bytes):
            continue
        name, found = "", []
        for part, _, value in _fields(document):
            if part == 1 and isinstance(value, bytes):
                name = value.decode()
            elif part == 2 and isinstance(value, bytes):
                found.append(_occurrence(value))
        for where, symbol, roles in found:
            symbol = f"{name} {symbol}" if symbol.startswith("local ") else symbol
            place = (name, where[0] + 1, where[1])
            index.occurrences[place].append(symbol)
            if roles & DEFINITION:
                index.definitions[symbol].append(place)
    return index


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def _fields(data: bytes) -> Iterator[tuple[int, int, int | bytes]]:
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        value: int | bytes = 0
        match key & 7:
            case 0:
                value, at = _varint(data, at)
            case 2:
                size, at = _varint(data, at)
                value, at = data[at : at + size], at + size
            case 5:
                value, at = data[at : at + 4], at + 4
            case 1:
                value, at = data[at : at + 8], at + 8
        yield key >> 3, key & 7, value


def _occurrence(data: bytes) -> tuple[list[int], str, int]:
    where: list[int] = []
    symbol, roles = "", 0
    for number, _, value in _fields(data):
        if number == 1 and isinstance(value, bytes):
            at = 0
            while at < len(value):
                part, at = _varint(value, at)
                where.append(part)
        elif number == 1 and isinstance(value, int):
            where.append(value)
        elif number == 2 and isinstance(value, bytes):
            symbol = value.decode()
        elif number == 3 and isinstance(value, int):
            roles = value
    return where, symbol, roles
