"""The panel with some of its layers, in a process of its own, and what attacks on it come to; told as JSON.

`python -m tests.panel.attacked HOME CLONE LAYER ...` with the layers that are on: loopback, admission, csrf, policy, here.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from asgiref.testing import ApplicationCommunicator

from dragoman.panel import server, settings
from dragoman.repo.repository import find

PORT = 4321
TOKEN = "the-token-of-this-test"
OURS = f"127.0.0.1:{PORT}"


def built(home: Path, clone: Path, layers: set[str]) -> Any:
    """The application with these layers and no other."""
    whole = settings.settings
    missing = {name for name, layer in MIDDLEWARE.items() if layer not in layers}

    def some(*arguments: Any) -> dict[str, Any]:
        told = whole(*arguments)
        told["MIDDLEWARE"] = [name for name in told["MIDDLEWARE"] if name not in missing]
        told["ALLOWED_HOSTS"] = ["*"]  # Django looks at the host only where a view asks for it: no layer to rest on
        if "here" not in layers:
            for alias in told["DRAGOMAN"].values():
                alias["permission"] = "tests.panel.attacked.anybody"
        return told

    settings.settings = some
    if "loopback" not in layers:
        server.loopback.guarded = lambda application, port: application
    places = settings.places([settings.Served(find(clone, home), "planner", {})])
    return server.build(places, home / "chat.sqlite3", PORT, TOKEN)


MIDDLEWARE = {
    "dragoman.panel.door.policy": "policy",
    "django.middleware.csrf.CsrfViewMiddleware": "csrf",
    "dragoman.panel.door.admission": "admission",
}


def anybody(user: Any, context: object) -> bool:
    """Lets everybody in."""
    return True


async def http(
    application: Any, method: str, path: str, body: bytes = b"", **headers: str
) -> tuple[int, dict[str, str]]:
    """Status and headers of the answer."""
    target, _, query = path.partition("?")
    sent = {"host": OURS, **headers} | ({"content-type": "application/json"} if body else {})
    scope = {
        "type": "http", "method": method, "path": target, "raw_path": target.encode(), "query_string": query.encode(),
        "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in sent.items()],
        "http_version": "1.1", "scheme": "http", "server": ("127.0.0.1", PORT), "client": ("127.0.0.1", 1), "root_path": "",
    }  # fmt: skip
    line = ApplicationCommunicator(application, scope)
    await line.send_input({"type": "http.request", "body": body})
    start = await line.receive_output(30)
    while (await line.receive_output(30)).get("more_body"):
        pass
    await line.wait(30)
    return start["status"], {name.decode().lower(): value.decode() for name, value in start["headers"]}


async def socket(application: Any, path: str, **headers: str) -> str:
    """The type of the first answer to a WebSocket that wants to be accepted."""
    sent = {"host": OURS, "origin": f"http://{OURS}", **headers}
    scope = {
        "type": "websocket", "path": path, "raw_path": path.encode(), "query_string": b"", "subprotocols": [],
        "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
        "http_version": "1.1", "scheme": "ws", "server": ("127.0.0.1", PORT), "client": ("127.0.0.1", 1), "root_path": "",
    }  # fmt: skip
    line = ApplicationCommunicator(application, scope)
    await line.send_input({"type": "websocket.connect"})
    told = str((await line.receive_output(30))["type"])
    if told == "websocket.accept":
        await line.send_input({"type": "websocket.disconnect", "code": 1000})
    await line.wait(30)
    return told


async def attacks(application: Any, page: str) -> dict[str, Any]:
    """What each attack comes to."""
    plain, headers = await http(application, "GET", page)
    _, entered = await http(application, "GET", f"{page}?token={TOKEN}")
    cookie = entered.get("set-cookie", "").partition(";")[0]
    question = json.dumps({"text": "where is fit_window?"}).encode()
    return {
        "no_token": plain,
        "wrong_token": (await http(application, "GET", f"{page}?token=wrong"))[0],
        "foreign_host": (await http(application, "GET", page, host="evil.test"))[0],
        "foreign_origin": (await http(application, "GET", page, origin="http://evil.test"))[0],
        "foreign_post": (await http(application, "POST", page, question, cookie=cookie))[0],
        "policy": headers.get("content-security-policy", ""),
        "foreign_socket": await socket(application, page, origin="http://evil.test", cookie=cookie),
        "socket_without_session": await socket(application, page),
    }


def main() -> None:
    home, clone, *layers = sys.argv[1:]
    application = built(Path(home), Path(clone), set(layers))
    sys.stdout.write(json.dumps(asyncio.run(attacks(application, f"/{Path(clone).name}/"))))


if __name__ == "__main__":
    main()
