"""`dragoman serve` in a process of its own, and a client for it."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests import doors

WAIT = 60


@dataclass
class Panel:
    """A running panel; `address` is what it printed."""

    process: subprocess.Popen[str]
    address: str
    cookies: dict[str, str] = field(default_factory=dict)

    @property
    def port(self) -> int:
        found = re.search(r":(\d+)/", self.address)
        assert found
        return int(found[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def cookie(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items())

    def enter(self) -> "Panel":
        """Come in by the address with the token."""
        assert self.get(self.address.removeprefix(self.url))[0] == 302
        return self

    def get(self, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of a GET."""
        return self.request("GET", path, None, **headers)

    def ask(self, path: str, text: str, **headers: str) -> tuple[int, Any]:
        """A question as the page posts it: the status, and what came back."""
        page = self.get(path)[2].decode()
        token = re.search(r'data-token="([^"]*)"', page)
        status, _, body = self.request(
            "POST", path, json.dumps({"text": text}), **{"X-CSRFToken": token[1] if token else "", **headers}
        )
        return status, json.loads(body) if body.startswith(b"{") else body.decode()

    def request(self, method: str, path: str, body: str | None, **headers: str) -> tuple[int, dict[str, str], bytes]:
        """One request, with the cookies so far; `headers` win over all of its own."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT)
        try:
            line.putrequest(method, path, skip_host=True)
            sent = {"Host": f"127.0.0.1:{self.port}", "Cookie": self.cookie, "Connection": "close"}
            if body is not None:
                sent |= {"Content-Length": str(len(body.encode())), "Content-Type": "application/json"}
            for name, value in {**sent, **headers}.items():
                line.putheader(name, value)
            line.endheaders(body.encode() if body is not None else None)
            response = line.getresponse()
            doors.enter("http")
            for value in response.headers.get_all("set-cookie", []):
                name, _, rest = value.partition("=")
                self.cookies[name] = rest.split(";")[0]
            return response.status, {k.lower(): v for k, v in response.headers.items()}, response.read()
        finally:
            line.close()

    def end(self, number: int = signal.SIGTERM) -> int:
        """Tell it to end, and the code it ends with."""
        self.process.send_signal(number)
        return self.process.wait(WAIT)


@contextmanager
def serving(home: Path, *repositories: Path, provider: str = "planner") -> Iterator[Panel]:
    """The panel of these repositories on a free port, its state in `home`."""
    words = [sys.executable, "-m", "dragoman", "serve", "--port", "0", "--provider", provider]
    words += ["--repo", *map(str, repositories)]
    environment = {**os.environ, "DRAGOMAN_HOME": str(home), "PYTHONUNBUFFERED": "1"}
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    # Its own session, so that a Ctrl-C of the person who runs the tests is not one of its own; and able to be interrupted,
    # which what a shell has put in the background is not.
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, text=True, env=environment, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("Open http://127.0.0.1:"), line
        yield Panel(process, line.removeprefix("Open ").strip())
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
