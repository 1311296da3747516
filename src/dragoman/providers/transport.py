"""The line to a service: who is trusted on it, and the bytes of a response as they come."""

import ssl
from collections.abc import AsyncIterable
from functools import cache
from typing import Any, cast


@cache
def trust() -> ssl.SSLContext:
    """The context for every client, as its library makes it for itself; SSL_CERT_FILE and SSL_CERT_DIR are honoured.

    Made once a process: to read all certificates takes longer than a request.
    """
    import httpx2

    return httpx2.create_ssl_context()


def kept(url: str) -> dict[str, int]:
    """How many connections a client may have, and may keep for later.

    None to a server of one's own: such servers drop an idle connection within seconds, and a request sent at that very
    moment fails, for nothing is sent twice. Without TLS a new one costs little.
    """
    return {"max_connections": 1000, "max_keepalive_connections": 100 if url.startswith("https:") else 0}


def chunks(response: Any) -> AsyncIterable[bytes]:
    """The bytes of an httpx2 response; where nothing is to be unpacked, without the layers that would."""
    return cast(
        AsyncIterable[bytes], response.aiter_bytes() if "content-encoding" in response.headers else response.stream
    )
