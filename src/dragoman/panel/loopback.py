"""Loopback: only this machine's own names for the panel, and only its own pages, on every route and every WebSocket."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

_FOREIGN = "This server answers pages of its own only.\n"

type Scope = dict[str, Any]
type Receive = Callable[[], Awaitable[Mapping[str, Any]]]
type Send = Callable[[dict[str, Any]], Awaitable[None]]
type Application = Callable[[Scope, Receive, Send], Awaitable[None]]


def guarded(application: Application, port: int) -> Application:
    """The application behind a check of Host and Origin, on every route and every WebSocket.

    A name that somebody else's DNS points here is no host of ours, and a page from elsewhere gets nothing, reads included.
    """
    hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or _is_ours(scope["headers"], hosts):
            await application(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 4403})  # before it was accepted: a 403
        else:
            headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"x-content-type-options", b"nosniff")]
            await send({"type": "http.response.start", "status": 403, "headers": headers})
            await send({"type": "http.response.body", "body": _FOREIGN.encode()})

    return answer


def _is_ours(headers: Iterable[tuple[bytes, bytes]], hosts: set[str]) -> bool:
    told: dict[str, list[str]] = {}
    for name, value in headers:
        told.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1").lower())
    host = told.get("host", [])
    if len(host) != 1 or host[0] not in hosts:
        return False
    if any(origin != f"http://{host[0]}" for origin in told.get("origin", [])):
        return False
    # What a browser fetches for a page of another site, another port of this machine included; following a link is none.
    site, mode = told.get("sec-fetch-site", ["none"])[0], told.get("sec-fetch-mode", ["navigate"])[0]
    return site in ("none", "same-origin") or mode == "navigate"
