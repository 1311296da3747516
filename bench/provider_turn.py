"""A turn with the real `openai` SDK against a local server: a call, its result, 500 chunks of text.

`python -m bench.provider_turn` measures alone. The server is a process of its own, so that its CPU is not counted.
"""

import asyncio
import json
import resource
import socket
import statistics
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from time import process_time
from typing import Any

from dragoman.harness.assistant import Assistant
from dragoman.harness.caller import Caller
from dragoman.harness.events import Failed, TextChunk
from dragoman.harness.memory import MemoryStore
from dragoman.harness.tools import Tool, Toolbox, ToolDefinition
from dragoman.providers.openai import OpenAIProvider

CHUNKS = 500
TURNS = 60
AT_ONCE = 200


def provider_turn() -> dict[str, float]:
    """CPU ms of a turn, one after another and 200 at once, and the peak of the process's memory in MB."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = subprocess.Popen([sys.executable, "-m", __spec__.name, "serve", str(port)], cwd=_top())
    try:
        _wait_for(port)
        command = [sys.executable, "-m", __spec__.name, "measure", str(port)]
        done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=_top())
        return dict(json.loads(done.stdout.splitlines()[-1]))
    finally:
        server.kill()
        server.wait()


def told(figures: Mapping[str, float]) -> str:
    """The figures as a sentence."""
    return (
        f"A turn through the openai SDK (a call, its result, {CHUNKS} chunks): {figures['alone']:.1f} ms CPU one after "
        f"another (of it {figures['bare']:.1f} for reading and decoding the same lines), {figures['together']:.1f} ms "
        f"each with {AT_ONCE} at once; peak {figures['peak']:.0f} MB."
    )


# ---- the client ------------------------------------------------------------------------------------------------------


async def measure(port: int) -> dict[str, float]:
    """The figures, from within the process that is measured."""
    provider = OpenAIProvider(base_url=f"http://127.0.0.1:{port}/v1", api_key="bench", model="bench")
    store = MemoryStore()
    assistant = Assistant(provider, _Lookup(), store)
    await asyncio.gather(*(_turn(assistant) for _ in range(5)))  # imports and first connections
    alone, bare = [], []
    for _ in range(TURNS):  # in turns, so that a busy machine makes both slower alike
        begun = process_time()
        await _turn(assistant)
        alone.append((process_time() - begun) * 1000)
        begun = process_time()
        await _bare_turn(provider.client())
        bare.append((process_time() - begun) * 1000)
    begun = process_time()
    await asyncio.gather(*(_turn(assistant) for _ in range(AT_ONCE)))
    together = (process_time() - begun) * 1000 / AT_ONCE
    await provider.aclose()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "alone": statistics.median(alone),
        "bare": statistics.median(bare),
        "together": together,
        "peak": peak,
    }


async def _bare_turn(client: Any) -> None:
    """The same two requests with the SDK alone, each line decoded and nothing done with it."""
    for role in ("user", "tool"):
        body = {"messages": [{"role": role, "content": "How many parts are there?"}]}
        create = client.chat.completions.with_streaming_response.create
        async with create(model="bench", messages=[], stream=True, extra_body=body) as response:
            async for line in response.iter_lines():
                if line.startswith("data: {"):
                    json.loads(line[6:])


async def _turn(assistant: Assistant) -> None:
    caller = Caller("user:bench", is_authenticated=True)
    conversation = await assistant.store.create(caller)
    chunks = 0
    async for envelope in assistant.ask(caller, conversation, "How many parts are there?"):
        match envelope.event:
            case TextChunk():
                chunks += 1
            case Failed() as failed:
                raise AssertionError(failed.message)
    assert chunks == CHUNKS, chunks


class _Lookup:
    """A grounding with one tool."""

    async def prompt(self, caller: Caller) -> str:
        return "Answer from what is found."

    async def tools(self, caller: Caller) -> Toolbox:
        async def query(arguments: Mapping[str, Any]) -> Any:
            return {"rows": [{"id": number, "name": f"Part {number}"} for number in range(20)], "total_count": 20}

        parameters = {"type": "object", "properties": {"manager": {"type": "string"}, "limit": {"type": "integer"}}}
        return Toolbox.of([Tool(ToolDefinition("query", "Rows of a manager.", parameters), query)])


# ---- the server ------------------------------------------------------------------------------------------------------


async def serve(port: int) -> None:
    """Answer as an OpenAI server would: a call first, and text once there is a result."""
    server = await asyncio.start_server(_answer, "127.0.0.1", port, backlog=1024)
    async with server:
        await server.serve_forever()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
            body = json.loads(await reader.readexactly(length))
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
            for event in _TEXT if body["messages"][-1]["role"] == "tool" else _CALL:
                writer.write(b"%x\r\n%s\r\n" % (len(event), event))
                await writer.drain()
            writer.write(b"0\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def _event(delta: Mapping[str, Any], finish: str | None = None, **more: Any) -> bytes:
    chunk = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "bench",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        **more,
    }
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


_USAGE = _event({}, choices=[], usage={"prompt_tokens": 100, "completion_tokens": 500, "total_tokens": 600})
_CALL = [
    _event({"tool_calls": [{"index": 0, "id": "call_1", "function": {"name": "query", "arguments": ""}}]}),
    _event({"tool_calls": [{"index": 0, "function": {"arguments": '{"manager": "Part", "limit": 20}'}}]}),
    _event({}, "tool_calls"),
    _USAGE,
    b"data: [DONE]\n\n",
]
_TEXT = [*(_event({"content": f" word{i}"}) for i in range(CHUNKS)), _event({}, "stop"), _USAGE, b"data: [DONE]\n\n"]


def _wait_for(port: int) -> None:
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=20).close()
        except OSError:
            continue
        return


def _top() -> Path:
    return Path(__file__).resolve().parent.parent


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["serve", port]:
            asyncio.run(serve(int(port)))
        case ["measure", port]:
            print(json.dumps(asyncio.run(measure(int(port)))))
        case _:
            print(told(provider_turn()))
