"""A worker that can be killed and started again on its port."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ENDING_SECONDS = 20


class Worker:
    """Uvicorn with the tortured project, on a port of its own that it keeps."""

    def __init__(self, environment: dict[str, str]) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        self._environment = {**os.environ, **environment, "PYTHONPATH": path}
        self._environment.pop("PYTHONDONTWRITEBYTECODE", None)  # compiled once, not at every start
        self._process: subprocess.Popen[bytes] | None = None

    def migrate(self) -> None:
        command = [sys.executable, "-m", "django", "migrate", "-v0"]
        subprocess.run(command, env=self._environment, check=True, cwd=ROOT)

    def books(self) -> list[str]:
        """What is wrong in the database, one sentence each."""
        command = [sys.executable, "-m", "tests.torture.books"]
        done = subprocess.run(command, env=self._environment, check=True, cwd=ROOT, capture_output=True, text=True)
        return done.stdout.splitlines()

    async def start(self) -> None:
        """Start, and wait until it takes connections."""
        command = [sys.executable, "-m", "uvicorn", "--log-level", "error", "--port", str(self.port)]
        command.append("tests.transports.project.asgi:application")
        self._process = await asyncio.to_thread(subprocess.Popen, command, env=self._environment, cwd=ROOT)
        while self._process.poll() is None:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", self.port)
            except OSError:
                await asyncio.sleep(0.05)
                continue
            writer.close()
            return
        raise AssertionError(f"A worker ended with {self._process.returncode} before it served.")

    def kill(self) -> None:
        """SIGKILL: it has no time to say anything."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    async def end(self) -> int:
        """SIGTERM, as a service manager does; the exit code. Kills it when it does not end."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        try:
            return await asyncio.to_thread(self._process.wait, ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            return 124
