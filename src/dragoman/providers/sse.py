"""Take the JSON out of server-sent events, bytes in as they come."""

import json
from typing import Any

_DECODER = json.JSONDecoder()
_LONGEST = 16_000_000  # bytes of one line; a service that sends more is not answering a chat


class Endless(Exception):
    """A line without an end."""


class Events:
    """Feed it the bytes of a stream in any pieces; comments, names and ids of events are left out."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> list[bytes]:
        """The data of each event that is whole by now. Raises Endless for a line that never ends."""
        fresh = not self._rest and not self._data
        if fresh and chunk.startswith(b"data: ") and chunk.endswith(b"\n\n") and chunk.count(b"\n") == 2:
            return [chunk[6:-2].strip()]  # one whole event, as almost always
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        if len(self._rest) > _LONGEST:
            raise Endless
        whole = []
        for line in lines:
            if line.startswith(b"data:"):
                self._data.append(line[5:].strip())
            elif self._data and line in (b"", b"\r"):
                whole.append(b"\n".join(self._data))
                self._data = []
        return whole

    def end(self) -> list[bytes]:
        """The data of a last event that no empty line follows."""
        return self.feed(b"\n\n")


def decoded(data: list[bytes]) -> list[Any]:
    """The values of these events; the one that only ends a stream is none. Raises JSONDecodeError, UnicodeDecodeError."""
    return [_DECODER.raw_decode(one.decode())[0] for one in data if one != b"[DONE]"]
