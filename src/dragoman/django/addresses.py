"""Where an anonymous person asks from, as a keyed digest: they can drop a cookie, and hardly their address."""

import ipaddress
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest
from django.utils.crypto import salted_hmac


def of_request(request: HttpRequest, header: str) -> str:
    """The digest for a request; `header` is the one a trusted proxy writes the client's address into, or empty."""
    return _digest(request.headers.get(header, "") if header else "", request.META.get("REMOTE_ADDR", ""))


def of_scope(scope: Mapping[str, Any], header: str) -> str:
    """The digest for a WebSocket's scope."""
    name = header.lower().encode("latin-1")
    values = [value.decode("latin-1") for key, value in scope.get("headers", ()) if header and key == name]
    return _digest(",".join(values), (scope.get("client") or ("",))[0] or "")


def _digest(forwarded: str, peer: str) -> str:
    # The last one is what the nearest proxy saw; those before it are whatever the client wrote.
    address = _network(forwarded.rpartition(",")[2].strip()) or _network(peer)
    return salted_hmac("dragoman.address", address, algorithm="sha256").hexdigest()[:32] if address else ""


def _network(text: str) -> str:
    """The address, or for IPv6 the /64 that a single customer has; empty where the text is none."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)
