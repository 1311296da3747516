"""Answer a Django request with an ASGI application: whole where it answers whole, streamed where it streams."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, MutableMapping
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse

from dragoman.harness.errors import BadRequest

log = logging.getLogger("dragoman.bridge")

type Frame = MutableMapping[str, Any]
type Application = Callable[
    [Frame, Callable[[], Awaitable[Frame]], Callable[[Frame], Awaitable[None]]], Awaitable[None]
]

LEAVING_SECONDS = 10  # from the end of an answer, or from a client's leaving, to the end of the application's work

_HOP_BY_HOP = {b"connection", b"content-length", b"transfer-encoding"}


async def answer(application: Application, scope: Frame, request: HttpRequest) -> HttpResponseBase:
    """The application's answer to this request. It is told when the client leaves, and cancelled when it then does not end.

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
        exchange.close()
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
                    break
        finally:
            self.close()

    def close(self) -> None:
        """Tell the application that the client has left; it has a while to put away what it has in hand."""
        self._gone.set()
        while not self._said.empty():  # one piece may wait for room
            self._said.get_nowait()
        if not self._task.done():
            timer = asyncio.get_running_loop().call_later(LEAVING_SECONDS, self._task.cancel)
            _leaving[self._task] = timer
            self._task.add_done_callback(_left)

    async def _run(self, application: Application, scope: Frame) -> None:
        try:
            await application(scope, self._receive, self._send)
        finally:
            if not self._gone.is_set():
                await self._said.put(None)

    async def _send(self, said: Frame) -> None:
        if not self._gone.is_set():
            await self._said.put(said)

    async def _receive(self) -> Frame:
        if self._inbox:
            return self._inbox.pop()
        await self._gone.wait()
        return {"type": "http.disconnect"}


# The loop keeps no reference to a task; without one it may be collected before it is done.
_leaving: dict[asyncio.Future[None], asyncio.TimerHandle] = {}


def _left(task: asyncio.Future[None]) -> None:
    _leaving.pop(task).cancel()
    if not task.cancelled() and (error := task.exception()) is not None:
        log.debug("An application failed after its client had left.", exc_info=error)
