"""Who is trusted on the line to a service: read once a process, since it takes longer than a request."""

import ssl
from functools import cache


@cache
def trust() -> ssl.SSLContext:
    """The context for every client, as its library makes it for itself; SSL_CERT_FILE and SSL_CERT_DIR are honoured."""
    import httpx2

    return httpx2.create_ssl_context()
