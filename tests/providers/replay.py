"""Serve written answers of a service over loopback, with faults, and see when the client hangs up."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

WIRE = Path(__file__).parent / "wire"


@dataclass
class Seen:
    """A request as it came, and what became of its answer."""

    path: str
    headers: dict[str, str]
    body: Any
    peer: int = 0
    sent: int = 0
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass
class Play:
    """One answer: the file's name and a fault - cut=n, drop=n or stall=n before event n, or before the head with
    `wait`; pieces=n bytes at a time; gap=s seconds after each event; status=n instead; `open` promises to keep the line, `endless` repeats the first events until the client leaves."""

    file: str
    fault: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b'{"error": {"type": "made", "message": "made up sk-secret"}}'


class Replay:
    """Answers one request after another, each with the next play; `seen` holds the requests."""

    def __init__(self) -> None:
        self.plays: list[Play] = []
        self.seen: list[Seen] = []
        self.arrived = asyncio.Event()
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def play(self, file: str, fault: str = "", **more: Any) -> None:
        self.plays.append(Play(file, fault, **more))

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._answer(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen = await _request(reader)
        seen.peer = writer.get_extra_info("peername")[1]
        self.seen.append(seen)
        play = self.plays.pop(0)
        kind, _, value = play.fault.partition("=")
        hung_up = asyncio.create_task(_leaving(reader, seen))
        try:
            self.arrived.set()
            if kind == "wait":
                await hung_up
            elif kind in ("status", "json"):
                await _plain(writer, int(value), play)
            else:
                await _stream(writer, play, seen, hung_up)
        finally:
            hung_up.cancel()


@asynccontextmanager
async def replaying() -> AsyncIterator[Replay]:
    replay = Replay()
    server = await asyncio.start_server(replay.handle, "127.0.0.1", 0)
    replay.port = server.sockets[0].getsockname()[1]
    async with server:
        try:
            yield replay
        finally:
            server.abort_clients()


def events_of(file: str) -> list[bytes]:
    path = next(WIRE.glob(f"{file}.*"))
    raw = path.read_bytes()
    if path.suffix == ".ndjson":
        return raw.splitlines(keepends=True)
    return re.findall(rb".+?(?:\r\n\r\n|\n\n|\Z)", raw, re.S)


async def _request(reader: asyncio.StreamReader) -> Seen:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {key.lower(): value.strip() for key, _, value in (line.partition(":") for line in head[1:] if line)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Seen(head[0].split(" ")[1], headers, json.loads(body) if body else None)


async def _leaving(reader: asyncio.StreamReader, seen: Seen) -> None:
    with suppress(ConnectionError):
        await reader.read(1)
    seen.hung_up.set()


async def _plain(writer: asyncio.StreamWriter, status: int, play: Play) -> None:
    headers = {"content-type": "application/json", "content-length": str(len(play.body)), "connection": "close"}
    lines = "".join(f"{key}: {value}\r\n" for key, value in (headers | play.headers).items())
    writer.write(f"HTTP/1.1 {status} Made\r\n{lines}\r\n".encode() + play.body)
    await writer.drain()


async def _stream(writer: asyncio.StreamWriter, play: Play, seen: Seen, hung_up: "asyncio.Task[None]") -> None:
    kind, _, value = play.fault.partition("=")
    media = "application/x-ndjson" if play.file.startswith("ollama") else "text/event-stream"
    writer.write(
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n"
        f"connection: {'keep-alive' if kind == 'open' else 'close'}\r\ncontent-type: {media}\r\n\r\n".encode()
    )
    events = events_of(play.file)
    if kind == "pieces":
        whole, size = b"".join(events), int(value)
        events = [whole[i : i + size] for i in range(0, len(whole), size)]
    for number, event in enumerate(events):
        if kind in ("stall", "cut", "drop") and number == int(value):
            await writer.drain()
            if kind == "stall":
                await hung_up
            if kind == "drop":
                writer.transport.abort()
                return
            break
        writer.write(b"%x\r\n%s\r\n" % (len(event), event))
        await writer.drain()
        seen.sent += 1
        if kind == "pieces":
            await asyncio.sleep(0)
        if kind == "gap":
            await asyncio.wait({hung_up}, timeout=float(value))
        while kind == "endless" and number == int(value) and not hung_up.done():
            writer.write(b"%x\r\n%s\r\n" % (len(event), event))
            await writer.drain()
            await asyncio.wait({hung_up}, timeout=0.01)
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    if kind == "open":
        await asyncio.wait({hung_up}, timeout=5)
