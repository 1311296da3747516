"""One message through every door: each client sends it and gives back the frames."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from channels.routing import URLRouter
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.test import AsyncClient

from dragoman.django.assistants import assistant
from dragoman.django.routing import websocket_routes
from dragoman.harness import wire
from dragoman.harness.caller import Caller

WAIT = 20  # seconds until a test that hangs is called failed; nothing measures against it

Frame = dict[str, Any]
JSON = "application/json"
EVENTS = "text/event-stream"
ENDS = ("done", "confirm_mutation")


async def in_process(caller: Caller, text: str) -> list[Frame]:
    chat = assistant()
    conversation = await chat.store.create(caller)
    return [wire.frame(envelope) async for envelope in chat.ask(caller, conversation, text)]


async def post(client: AsyncClient, path: str, body: Frame, accept: str = JSON, **headers: str) -> Any:
    """A POST as the page sends it; the response."""
    return await client.post(path, json.dumps(body), content_type=JSON, headers={"accept": accept, **headers})


async def plain_post(client: AsyncClient, text: str, **more: Any) -> list[Frame]:
    response = await post(client, "/chat/", {"text": text, **more})
    assert response.status_code == 200, response.content
    return response.json()["frames"]


async def new_conversation(client: AsyncClient) -> str:
    response = await post(client, "/chat/conversations/", {})
    assert response.status_code == 201
    return response.json()["conversation_id"]


async def sse(client: AsyncClient, text: str, path: str = "/chat/", **more: Any) -> list[Frame]:
    response = await post(client, path, {"text": text, **more} if text else more, EVENTS)
    assert response.status_code == 200, response
    assert response["Content-Type"] == EVENTS
    return [frame async for frame in events(response)]


async def events(response: Any) -> AsyncIterator[Frame]:
    """The frames of a stream, as they come; each id must be the frame's own place."""
    buffer = ""
    async for chunk in response.streaming_content:
        buffer += chunk.decode()
        while "\n\n" in buffer:
            block, buffer = buffer.split("\n\n", 1)
            if block.startswith(":"):
                continue
            name, data = block.split("\n")
            frame = json.loads(data.removeprefix("data: "))
            assert name == f"id: {frame['run_id']}:{frame['seq']}"
            yield frame
    assert buffer == ""


class Socket:
    """A WebSocket in this process."""

    def __init__(self, communicator: WebsocketCommunicator) -> None:
        self.communicator = communicator

    async def say(self, **frame: Any) -> None:
        await self.communicator.send_json_to(frame)

    async def hear(self) -> Frame:
        return await self.communicator.receive_json_from(WAIT)

    async def hear_until(self, *types: str) -> list[Frame]:
        """The frames up to and including the first of one of these types."""
        frames = [await self.hear()]
        while frames[-1]["type"] not in types:
            frames.append(await self.hear())
        return frames

    async def is_closed(self) -> int:
        """The code of the close that comes next."""
        message = await self.communicator.receive_output(WAIT)
        assert message["type"] == "websocket.close", message
        return message["code"]


def communicator(cookies: str = "", origin: str = "http://testserver", path: str = "/chat/") -> WebsocketCommunicator:
    headers = [(b"origin", origin.encode()), (b"host", b"testserver")]
    if cookies:
        headers.append((b"cookie", cookies.encode()))
    return WebsocketCommunicator(URLRouter(websocket_routes()), path, headers=headers)


def cookies_of(client: AsyncClient) -> str:
    name = settings.SESSION_COOKIE_NAME
    return f"{name}={client.cookies[name].value}" if name in client.cookies else ""


@asynccontextmanager
async def socket(client: AsyncClient | None = None, **options: Any) -> AsyncIterator[Socket]:
    """An open WebSocket of this client's session; closed at the end."""
    line = communicator(cookies_of(client) if client else "", **options)
    accepted, code = await line.connect(WAIT)
    assert accepted, code
    try:
        yield Socket(line)
    finally:
        async with asyncio.timeout(WAIT):
            await line.disconnect(timeout=WAIT)


async def websocket(client: AsyncClient, text: str) -> list[Frame]:
    async with socket(client) as line:
        await line.say(type="message", text=text)
        return await line.hear_until(*ENDS)


def named(frames: list[Frame]) -> list[Frame]:
    """The frames with every id replaced by its first appearance, and every moment by a word."""
    names: dict[str, str] = {}

    def name(key: str, value: Any) -> Any:
        if key in ("created", "expires_at"):
            return "then"
        if key == "items":  # of evidence: each source names the call it comes from
            return [{**item, "source": {k: name(k, v) for k, v in (item["source"] or {}).items()}} for item in value]
        if key in ("id", "call_id", "conversation_id", "run_id", "message_id") and isinstance(value, str):
            return names.setdefault(value, f"{key} {len(names)}")
        return value

    return [{key: name(key, value) for key, value in frame.items()} for frame in frames]


def kinds(frames: list[Frame]) -> list[str]:
    return [frame["type"] for frame in frames]


def text_of(frames: list[Frame]) -> str:
    return "".join(frame["content"] for frame in frames if frame["type"] == "text_chunk")
