"""No test reaches the network, and none hides that it tried."""

import socket

import pytest

GUARD = ("tests.network_guard",)


@pytest.mark.parametrize(
    "reach",
    [
        "socket.create_connection(('192.0.2.1', 80), timeout=1)",
        "socket.getaddrinfo('example.com', 80)",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'', ('192.0.2.1', 53))",
        "asyncio.run(asyncio.open_connection('192.0.2.1', 80))",
    ],
)
def test_reaching_out_fails_the_test_although_the_error_was_swallowed(run_suite, reach: str):
    result = run_suite(
        f"import asyncio, contextlib, socket\ndef test_it():\n    with contextlib.suppress(OSError):\n        {reach}\n",
        plugins=GUARD,
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*reached for the network: *"])


def test_the_loopback_and_unix_sockets_are_open(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(("localhost", server.getsockname()[1]), timeout=5).close()
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(str(tmp_path / "s"))
        server.listen()
        client.connect(str(tmp_path / "s"))
