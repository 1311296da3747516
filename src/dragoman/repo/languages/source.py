"""A file's bytes as a syntax tree: encodings mended, and told how much did not parse."""

import re
from dataclasses import dataclass
from functools import lru_cache
from inspect import cleandoc

from tree_sitter import Language, Node, Parser

TEXT = 80  # characters of an expression that are shown
SIGNATURE = 300
DOC = 4000
_SPACES = re.compile(rb"[\n\t\r\f]|  |^ | $").search


@dataclass(frozen=True, slots=True)
class Source:
    """One parsed file. Its bytes are UTF-8 without a byte order mark, whatever they were on disk."""

    content: bytes
    root: Node

    @property
    def lines(self) -> int:
        """How many lines it has; a last line without its end counts."""
        return self.content.count(b"\n") + (not self.content.endswith(b"\n") and bool(self.content))

    def text(self, start: int, end: int, limit: int = TEXT) -> str:
        """What stands there, on one line, cut at `limit` characters."""
        if end - start <= limit and (piece := self.content[start:end]).isascii() and not _SPACES(piece):
            return piece.decode()
        shown = " ".join(self.content[start : min(end, start + 4 * limit)].decode("utf-8", "replace").split())
        return shown if len(shown) <= limit else shown[: limit - 1] + "…"

    def comment_above(self, start: int, marks: tuple[bytes, ...]) -> str:
        """The comment lines that end right above the line of byte `start`, without their marks."""
        found: list[str] = []
        end = self.content.rfind(b"\n", 0, start)
        while end > 0 and len(found) < 60:
            begin = self.content.rfind(b"\n", 0, end) + 1
            written = self.content[begin:end].strip()
            mark = next((each for each in marks if written.startswith(each)), None)
            if mark is None:
                break
            found.append(written[len(mark) :].decode("utf-8", "replace").strip())
            end = begin - 1
        return "\n".join(reversed(found)).strip()[:DOC]


def parse(content: bytes, language: Language) -> Source:
    """The tree of what stands in a file, with replacement characters for bytes that are no text."""
    content = _utf8(content)
    return Source(content, _parser(language).parse(content).root_node)


def error_share(source: Source) -> float:
    """How much of the file did not parse, from 0 to 1."""
    if not source.root.has_error:
        return 0.0
    wrong, waiting = 0, [source.root]
    while waiting:
        node = waiting.pop()
        if node.is_error:
            wrong += node.end_byte - node.start_byte
        elif node.has_error:
            waiting.extend(node.children)
    return round(min(1.0, wrong / max(1, len(source.content))), 4)


def documentation(written: str) -> str:
    """A docstring without the indentation of the code around it."""
    return cleandoc(written)[:DOC].strip()


@lru_cache(maxsize=32)
def _parser(language: Language) -> Parser:
    return Parser(language)


def _utf8(content: bytes) -> bytes:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace").encode()
    content = content.removeprefix(b"\xef\xbb\xbf")
    try:
        content.decode()
    except UnicodeDecodeError:
        return content.decode("utf-8", "replace").encode()
    return content
