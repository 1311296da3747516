"""A real server in a process of its own, and a browser's worth of a client for it."""

import asyncio
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from tests import doors
from tests.transports import world
from tests.transports.clients import WAIT, Frame

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = {
    "uvicorn": ["-m", "uvicorn", "--log-level", "warning", "--port"],
    "daphne": ["-m", "daphne", "-v", "0", "-p"],
}


class Server:
    """A running server; `ends` waits for its end."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self.process = process
        self.port = port
        self.url = f"http://127.0.0.1:{port}"

    def ends(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(WAIT)


@contextmanager
def serving(
    directory: Path, kind: str = "uvicorn", settings: str = "tests.transports.project.settings"
) -> Iterator[Server]:
    """The test project on a free port, with a fresh database in `directory`."""
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": settings,
        "DRAGOMAN_TEST_DB": str(directory / "db.sqlite3"),
        "DRAGOMAN_TEST_GATES": str(world.GATES),
        "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "src"))),
    }
    subprocess.run([sys.executable, "-m", "django", "migrate", "-v0"], env=environment, check=True, cwd=ROOT)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, *COMMANDS[kind], str(port), "tests.transports.project.asgi:application"]
    process = subprocess.Popen(command, env=environment, cwd=ROOT)
    try:
        _wait_for(port, process)
        yield Server(process, port)
    finally:
        process.kill()
        process.wait()


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=WAIT).close()
        except OSError:
            continue
        return
    raise AssertionError(f"The server ended with {process.returncode} before it served.")


class Browser:
    """Signs in and keeps its cookies."""

    def __init__(self, server: Server, name: str = "wanda") -> None:
        self.server = server
        self.cookies: dict[str, str] = {}
        if name:
            self._get(f"/sign-in/{name}/")
        self._get("/chat/")

    def _get(self, path: str) -> bytes:
        with self.request("GET", path) as response:
            return response.read()

    @contextmanager
    def request(self, method: str, path: str, body: Frame | None = None, **headers: str) -> Iterator[Any]:
        """A request whose connection is cut at the end of the block."""
        line = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=WAIT)
        sent = {
            "Cookie": self.cookie,
            "X-CSRFToken": self.cookies.get("csrftoken", ""),
            "Connection": "close",
            **headers,
        }
        try:
            line.request(method, path, json.dumps(body) if body is not None else None, sent)
            response = line.getresponse()
            doors.enter("http")
            for value in response.headers.get_all("set-cookie", []):
                name, _, rest = value.partition("=")
                self.cookies[name] = rest.split(";")[0]
            with response:
                yield response
        finally:
            line.close()

    @property
    def cookie(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items())

    def post(self, path: str, body: Frame) -> tuple[int, Any]:
        with self.request("POST", path, body) as response:
            return response.status, json.load(response)

    @contextmanager
    def stream(self, path: str, body: Frame) -> Iterator[Iterator[Frame]]:
        """The frames of a stream as they come; leaving the block hangs up."""
        with self.request("POST", path, body, Accept="text/event-stream") as response:
            assert response.status == 200, response.read()
            yield self.frames(response)

    @staticmethod
    def frames(response: Any) -> Iterator[Frame]:
        """The frames of an answer that streams, as they come."""
        for row in response:
            if row.startswith(b"data: "):
                yield json.loads(row.removeprefix(b"data: "))

    @asynccontextmanager
    async def socket(self, path: str = "/chat/") -> AsyncIterator["Line"]:
        url = f"ws://127.0.0.1:{self.server.port}{path}"
        headers = {"Cookie": self.cookie} if self.cookies else {}
        async with connect(url, origin=self.server.url, additional_headers=headers, proxy=None) as line:
            yield Line(line)


class Line:
    """An open WebSocket."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    async def say(self, **frame: Any) -> None:
        await self.connection.send(json.dumps(frame))

    async def hear(self) -> Frame:
        async with asyncio.timeout(WAIT):
            frame = json.loads(await self.connection.recv())
        doors.enter("websocket")
        return frame

    async def hear_until(self, *types: str) -> list[Frame]:
        frames = [await self.hear()]
        while frames[-1]["type"] not in types:
            frames.append(await self.hear())
        return frames
