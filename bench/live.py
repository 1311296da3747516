"""A real server to measure: Uvicorn, Channels, WebSockets, and a generated project of eight managers."""

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import websockets

from bench.scripts import CHUNKS

TURNS = 20
UPSTREAM = "upstream"  # in the place of a provider: GeneralManager's own chat


def serve(directory: Path, port: int, provider: str) -> None:
    """Serve the generated project until the process is ended: with this provider, or with GeneralManager's own chat."""
    from bench import project, world  # noqa: PLC0415

    world.write(directory, 8)
    settings = (directory / "with_chat.py").read_text()
    (directory / "with_chat.py").write_text(settings.replace('"provider": "scripted"', f'"provider": "{provider}"'))
    project.start(directory, "with_upstream" if provider == UPSTREAM else "with_chat")
    import uvicorn  # noqa: PLC0415
    from channels.routing import ProtocolTypeRouter  # noqa: PLC0415
    from django.core.asgi import get_asgi_application  # noqa: PLC0415
    from django.core.management import call_command  # noqa: PLC0415

    call_command("migrate", run_syncdb=True, verbosity=0)
    world.seed()
    sockets = _upstream() if provider == UPSTREAM else _own()
    application = ProtocolTypeRouter({"http": get_asgi_application(), "websocket": sockets})
    uvicorn.run(application, host="127.0.0.1", port=port, log_level="error", ws="websockets-sansio")


def _own() -> Any:
    from channels.auth import AuthMiddlewareStack  # noqa: PLC0415
    from channels.routing import URLRouter  # noqa: PLC0415

    from dragoman.django.routing import websocket_urlpatterns  # noqa: PLC0415

    return AuthMiddlewareStack(URLRouter(websocket_urlpatterns))


def _upstream() -> Any:
    """GeneralManager's WebSocket by its own functions; at its start it would look for an application in the settings."""
    from general_manager.chat.routing import build_chat_websocket_application, build_chat_ws_route  # noqa: PLC0415

    return build_chat_websocket_application([build_chat_ws_route("/chat/")])


def stream(directory: Path) -> dict[str, float]:
    """Frames per CPU second of the server process, over several answers of 2,000 pieces."""

    async def measure() -> dict[str, float]:
        async with serving(directory, "bench.chatty.Chatty") as server, server.line() as line:
            assert await answer(line) >= CHUNKS
            frames, begun = 0, server.cpu_seconds()
            for _ in range(TURNS):
                frames += await answer(line)
            return {"frames_per_cpu_second": frames / (server.cpu_seconds() - begun)}

    return asyncio.run(measure())


class Server:
    """A running server."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self.process = process
        self.port = port

    def line(self) -> websockets.connect:
        """A WebSocket of somebody who is not signed in."""
        url = f"ws://127.0.0.1:{self.port}/chat/"
        return websockets.connect(url, max_size=None, origin=f"http://127.0.0.1:{self.port}", proxy=None)

    def cpu_seconds(self) -> float:
        """What its process used so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_mb(self) -> float:
        """Its resident memory."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@asynccontextmanager
async def serving(directory: Path, provider: str) -> AsyncIterator[Server]:
    """A server with this provider, once it takes connections."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "bench.live", str(directory), str(port), provider]
    process = await asyncio.to_thread(subprocess.Popen, command)
    server = Server(process, port)
    try:
        given_up = monotonic() + 180
        while True:
            try:
                await (await server.line()).close()
                break
            except OSError:
                if monotonic() > given_up or process.poll() is not None:
                    raise
                await asyncio.sleep(0.3)
        yield server
    finally:
        process.terminate()
        process.wait()


async def answer(line: websockets.ClientConnection, text: str = "Tell.") -> int:
    """Ask, and hear the answer to its end; the number of frames."""
    return len(await heard(line, text))


async def heard(line: websockets.ClientConnection, text: str) -> list[dict[str, Any]]:
    """Ask, and hear the answer to its end; its frames."""
    await line.send(json.dumps({"type": "message", "text": text}))
    frames: list[dict[str, Any]] = []
    while not frames or frames[-1]["type"] != "done":
        frames.append(json.loads(await asyncio.wait_for(line.recv(), 60)))
        if frames[-1]["type"] == "error":
            raise AssertionError(frames[-1])
    return frames


if __name__ == "__main__":
    serve(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
