"""Start a mock server, or say why it cannot be."""

import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
AIMOCK = HERE / "node_modules/@copilotkit/aimock/dist/cli.js"
_PATIENCE = 60


def why_no_aimock() -> str:
    """The reason why aimock cannot run here; empty when it can."""
    if shutil.which("node") is None:
        return "node is not installed"
    return "" if AIMOCK.exists() else "aimock is not installed: run `npm ci` in tests/providers/mock_servers"


def why_no_llmock() -> str:
    """The reason why llmock cannot run here; empty when it can."""
    return "" if find_spec("llmock") else "llmock is not installed: pip install llmock==0.2.2"


@contextmanager
def aimock() -> Iterator[str]:
    """aimock with our fixtures; its address."""
    options = ["--fixtures", str(HERE / "fixtures.json"), "--log-level", "silent", "--strict"]
    with _running(["node", str(AIMOCK), *options, "--port"]) as url:
        yield url


@contextmanager
def llmock() -> Iterator[str]:
    """llmock without any script; its address."""
    with _running([sys.executable, "-m", "llmock.cli", "serve", "--port"]) as url:
        yield url


@contextmanager
def _running(command: list[str]) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen([*command, str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(_PATIENCE)


def _wait_for(port: int, process: "subprocess.Popen[bytes]") -> None:
    while process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE).close()
        except OSError:
            continue
        return
    raise AssertionError(f"The mock server ended with {process.returncode} before it served.")
