r"""A path as text: from the root, with forward slashes; a byte that is no UTF-8 is written `\xNN`, so that it can be kept and told."""

import re

_ESCAPED = re.compile(r"(?:\\x[89a-f][0-9a-f])+")


def text(raw: bytes) -> str:
    """The path as the index keeps it and people read it."""
    return raw.decode("utf-8", "backslashreplace")


def raw(path: str) -> bytes:
    """The bytes of the file system for a path made by `text`, or typed by a person."""
    found = b""
    at = 0
    for escaped in _ESCAPED.finditer(path):
        found += path[at : escaped.start()].encode("utf-8", "surrogateescape")
        octets = bytes.fromhex(escaped.group().replace("\\x", ""))
        # Only what could not be decoded was escaped; a name that spells such an escape out is left as it is.
        found += octets if _broken(octets) else escaped.group().encode()
        at = escaped.end()
    return found + path[at:].encode("utf-8", "surrogateescape")


def _broken(octets: bytes) -> bool:
    try:
        octets.decode()
    except UnicodeDecodeError:
        return True
    return False
