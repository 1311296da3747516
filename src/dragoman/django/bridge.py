"""Answer a Django request with an ASGI application: whole where it answers whole, streamed where it streams."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, MutableMapping
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse

from dragoman.harness.errors import BadRequest

type Frame = MutableMapping[str, Any]
type Application = Callable[
    [Frame, Callable[[], Awaitable[Frame]], Callable[[Frame], Awaitable[None]]], Awaitable[None]
]

_HOP_BY_HOP = {b"connection", b"content-length", b"transfer-encoding"}


async def answer(application: Application, scope: Frame, request: HttpRequest) -> HttpResponseBase:
    """The application's answer to this request. It is told when the client leaves, and cancelled when it does not end then.

    Raises BadRequest for a body that is too large, and whatever the application raised before it began to answer.
    """
    exchange = _Exchange(application, scope, _body(request))
    try:
        start = await exchange.next()
        headers = [(name.lower(), value) for name, value in start.get("headers", ()) if name.lower() not in _HOP_BY_HOP]
        streams = any(name == b"content-type" and value.startswith(b"text/event-stream") for name, value in headers)
        if streams:
            response: HttpResponseBase = StreamingHttpResponse(exchange.stream(), status=start["status"])
        else:
            response = HttpResponse(b"".join([piece async for piece in exchange.stream()]), status=start["status"])
    except BaseException:
        await exchange.close()
        raise
    for name, value in headers:
        response[name.decode("latin-1")] = value.decode("latin-1")
    return response


def _body(request: HttpRequest) -> bytes:
    try:
        return request.body
    except RequestDataTooBig:
        raise BadRequest("The request is too large.", code="message_too_long") from None


class _Exchange:
    """One run of the application, in a task of its own."""

    def __init__(self, application: Application, scope: Frame, body: bytes) -> None:
        self._inbox: list[Frame] = [{"type": "http.request", "body": body, "more_body": False}]
        self._said: asyncio.Queue[Frame | None] = asyncio.Queue(maxsize=16)  # a slow reader holds the application back
        self._gone = asyncio.Event()
        self._task = asyncio.ensure_future(self._run(application, scope))

    async def next(self) -> Frame:
        """What the application says next. Raises what it raised, when it ended instead."""
        said = await self._said.get()
        if said is None:
            await self._task
            raise ConnectionError("The application ended before its answer was whole.")
        return said

    async def stream(self) -> AsyncGenerator[bytes]:
        """The pieces of the body; leaving it early tells the application that the client has left."""
        try:
            while True:
                said = await self.next()
                if said.get("body"):
                    yield said["body"]
                if not said.get("more_body", False):
                    self._gone.set()
                    await asyncio.shield(self._task)  # it may have something to put away
                    break
        finally:
            await self.close()

    async def close(self) -> None:
        self._gone.set()
        self._task.cancel()
        await asyncio.wait([self._task])

    async def _run(self, application: Application, scope: Frame) -> None:
        try:
            await application(scope, self._receive, self._said.put)
        finally:
            # Put without waiting: nobody may be left to read. What was said before is still read first.
            while self._said.full() and self._gone.is_set():
                self._said.get_nowait()
            await self._said.put(None)

    async def _receive(self) -> Frame:
        if self._inbox:
            return self._inbox.pop()
        await self._gone.wait()
        return {"type": "http.disconnect"}
