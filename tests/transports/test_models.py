"""Which models may be chosen: asked for live, or known with the reason."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
from django.test import AsyncClient
from pytest_django import Settings

pytestmark = pytest.mark.usefixtures("chat")


class Listing(BaseHTTPRequestHandler):
    """A service that only lists its models."""

    def do_GET(self) -> None:
        body = json.dumps({"object": "list", "data": [{"id": "small-1", "object": "model"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing on the terminal."""


@pytest.fixture
def service() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Listing) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


@pytest.mark.requirement("r.chat.models")
async def test_the_models_of_the_configured_service_are_asked_for_live(
    client: AsyncClient, settings: Settings, service: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    default = {**settings.DRAGOMAN["default"], "provider": "openai", "provider_config": {"base_url": service}}
    settings.DRAGOMAN = {"default": default}
    answer = await client.get("/chat/models/?provider=openai")
    assert answer.status_code == 200
    assert answer.json() == {
        "provider": "openai",
        "source": "live",
        "models": [{"id": "small-1", "name": "small-1"}],
    }


@pytest.mark.requirement("r.chat.models")
async def test_without_a_key_the_known_models_are_told_with_names_and_the_reason(
    client: AsyncClient, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    answer = await client.get("/chat/models/?provider=anthropic")
    assert answer.status_code == 200
    told = answer.json()
    assert told["source"] == "fallback"
    assert "ANTHROPIC_API_KEY" in told["error"]
    assert told["models"]
    assert all(model["name"] != model["id"] for model in told["models"])


@pytest.mark.parametrize("name", ["antropic", "os.system", "tests.transports.world.Speaker"])
async def test_only_a_provider_that_is_offered_is_asked(client: AsyncClient, name: str):
    answer = await client.get("/chat/models/", {"provider": name})
    assert answer.status_code == 400
    assert answer.json()["code"] == "unknown_provider"
    assert "There is: anthropic, openai" in answer.json()["message"]
