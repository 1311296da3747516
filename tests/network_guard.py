"""Tests have no network: a socket to any other machine fails the test that opened it."""

import ipaddress
import socket
import sys
from collections.abc import Iterator

import pytest


class NetworkForbidden(OSError):
    """A test reached for an address that is not this machine."""


_strangers: list[str] = []


def _is_here(host: object) -> bool:
    if host in ("", None, "localhost", b"localhost", socket.gethostname()):
        return True
    try:
        address = ipaddress.ip_address(host.decode() if isinstance(host, bytes) else str(host))
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _watch_sockets(event: str, arguments: tuple[object, ...]) -> None:
    if event == "socket.getaddrinfo":
        host = arguments[0]
    elif event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = arguments[1]
        if not isinstance(address, tuple):  # a path: a Unix socket; None: already connected
            return
        host = address[0]
    else:
        return
    if not _is_here(host):
        _strangers.append(f"{host!s} ({event.removeprefix('socket.')})")
        raise NetworkForbidden(f"Tests have no network: {host!s} is not this machine. Talk to a server on 127.0.0.1.")


# An audit hook sees every socket of the process, also those opened below the socket module, and cannot be undone.
sys.addaudithook(_watch_sockets)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Fail a test that reached out, also when the code under test swallowed the error."""
    _strangers.clear()
    outcome = yield
    if _strangers:
        pytest.fail(f"The test reached for the network: {', '.join(_strangers)}.", pytrace=False)
    return outcome
