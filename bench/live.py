"""Frames per CPU second of a real server: Uvicorn, Channels, a WebSocket, and a model that streams."""

import asyncio
import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from time import monotonic

import websockets

from bench.scripts import CHUNKS

TURNS = 5


def serve(directory: Path, port: int) -> None:
    """Serve the generated project with the chatty model until the process is ended."""
    from bench import project, world  # noqa: PLC0415

    world.write(directory, 8)
    settings = (directory / "with_chat.py").read_text()
    (directory / "with_chat.py").write_text(
        settings.replace('"provider": "scripted"', '"provider": "bench.chatty.Chatty", "rate_limit": {}')
        + '\nDRAGOMAN["default"]["rate_limit"] = {"max_requests_per_hour": None, "max_tokens_per_hour": None}\n'
    )
    project.start(directory)
    import uvicorn  # noqa: PLC0415
    from channels.auth import AuthMiddlewareStack  # noqa: PLC0415
    from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: PLC0415
    from django.core.asgi import get_asgi_application  # noqa: PLC0415
    from django.core.management import call_command  # noqa: PLC0415

    from dragoman.django.routing import websocket_urlpatterns  # noqa: PLC0415

    call_command("migrate", run_syncdb=True, verbosity=0)
    application = ProtocolTypeRouter(
        {"http": get_asgi_application(), "websocket": AuthMiddlewareStack(URLRouter(websocket_urlpatterns))}
    )
    uvicorn.run(application, host="127.0.0.1", port=port, log_level="error", ws="websockets-sansio")


def stream(directory: Path) -> dict[str, float]:
    """Frames per CPU second of the server process, over several answers of 2,000 pieces."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([sys.executable, "-m", "bench.live", str(directory), str(port)])
    try:
        return asyncio.run(_listen(server, port))
    finally:
        server.terminate()
        server.wait()


async def _listen(server: subprocess.Popen[bytes], port: int) -> dict[str, float]:
    url = f"ws://127.0.0.1:{port}/chat/"
    given_up = monotonic() + 90
    while True:
        try:
            connection = await websockets.connect(url, max_size=None, origin=f"http://127.0.0.1:{port}")
            break
        except OSError:
            if monotonic() > given_up or server.poll() is not None:
                raise
            await asyncio.sleep(0.3)
    async with connection:
        await _answer(connection)
        frames, begun = 0, _cpu_seconds(server.pid)
        for _ in range(TURNS):
            frames += await _answer(connection)
        return {"frames_per_cpu_second": frames / (_cpu_seconds(server.pid) - begun)}


async def _answer(connection: websockets.ClientConnection) -> int:
    await connection.send(json.dumps({"type": "message", "text": "Tell."}))
    frames, kind = 0, ""
    while kind != "done":
        frame = json.loads(await asyncio.wait_for(connection.recv(), 60))
        kind, frames = frame["type"], frames + 1
        if kind == "error":
            raise AssertionError(frame)
    assert frames >= CHUNKS
    return frames


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    serve(Path(sys.argv[1]), int(sys.argv[2]))
