"""The same turns against mock servers somebody else wrote, where those can play them."""

import json
import os
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from dragoman.harness import wire
from dragoman.harness.assistant import Assistant
from dragoman.harness.limits import Limits
from dragoman.harness.memory import MemoryStore
from tests.harness.world import ADA, Fleet, kinds, only, text
from tests.providers.mock_servers import running
from tests.providers.world import DIALECTS, build

FAMILY = ("openai", "openrouter", "deepseek")
FRAGMENTING = ("anthropic", *FAMILY)
FIVE = (*FRAGMENTING, "google")

# Which case each server can play for which dialect; COVERAGE.md has the reasons for the rest.
AIMOCK: dict[str, tuple[str, ...]] = {
    "text": DIALECTS,
    "one": DIALECTS,
    "two": DIALECTS,
    "fragmented": FRAGMENTING,
    "malformed": FAMILY,
    "thinking": FIVE,
    "refusal": (*FAMILY, "google"),
    "length": FIVE,
    "cut": DIALECTS,
    "stall": DIALECTS,
}
LLMOCK: dict[str, tuple[str, ...]] = {
    "text": FIVE,
    "one": FIVE,
    "two": FIVE,
    "fragmented": FRAGMENTING,
    "malformed": FRAGMENTING,
    "length": FIVE,
    "cut": FIVE,
    "stall": FIVE,
}
AIMOCK_PATHS = {"openai": "/v1", "deepseek": "/v1", "openrouter": "/api/v1"}
LLMOCK_PATHS = {**dict.fromkeys(FAMILY, "/v1"), "anthropic": "/anthropic", "google": "/gemini"}

# It calls the end of a call FUNCTION_CALL, which is no reason to finish, and Google's SDK warns of it.
pytestmark = [
    pytest.mark.requirement("r.chat.dialects"),
    pytest.mark.filterwarnings("ignore:FUNCTION_CALL is not a valid FinishReason"),
]


@pytest.fixture(scope="module")
def aimock() -> Iterator[str]:
    _need(running.why_no_aimock())
    with running.aimock() as url:
        yield url


@pytest.fixture(scope="module")
def llmock() -> Iterator[str]:
    _need(running.why_no_llmock())
    with running.llmock() as url:
        yield url


def _need(reason: str) -> None:
    if reason and os.environ.get("DRAGOMAN_REQUIRE_SERVICES") == "1":
        pytest.fail(f"DRAGOMAN_REQUIRE_SERVICES=1, but {reason}.", pytrace=False)
    if reason:
        pytest.skip(reason)


def pairs(cases: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(case, name) for case, names in cases.items() for name in names]


@pytest.mark.parametrize(("case", "name"), pairs(AIMOCK))
async def test_aimock_plays(case: str, name: str, aimock: str):
    check(case, await ask(name, aimock + AIMOCK_PATHS.get(name, ""), case), thoughts="One lookup.")


@pytest.mark.parametrize(("case", "name"), pairs(LLMOCK))
async def test_llmock_plays(case: str, name: str, llmock: str):
    script(llmock, *SCRIPTS[case])
    check(case, await ask(name, llmock + LLMOCK_PATHS[name], case))
    if case in ("cut", "stall"):
        assert len(post(llmock, "/_llmock/requests", None)["requests"]) == 1


ONE = {"name": "look", "arguments": {"ship": "Argo"}}
TWO = {"name": "look", "arguments": {"ship": "Beagle"}}
LATER = {"type": "reply", "text": "Hello there."}
LONG = {"type": "reply", "text": "Hello there, and here, and everywhere, all at once."}
SCRIPTS: dict[str, list[dict[str, Any]]] = {
    "text": [LATER],
    "one": [{"type": "reply", "text": "Let me look.", "tool_calls": [ONE]}, LATER],
    "two": [{"type": "reply", "tool_calls": [ONE, TWO]}, LATER],
    "fragmented": [{"type": "reply", "tool_calls": [ONE]}, LATER],
    "malformed": [{"type": "tool_fault", "kind": "malformed_arguments"}],
    "length": [{"type": "reply", "text": "Hello, it is a", "finish_reason": "length"}],
    "cut": [LONG, {"type": "stream_fault", "kind": "truncate", "after_chunks": 3}],
    "stall": [LONG, {"type": "stream_fault", "kind": "stall", "after_chunks": 3, "stall_seconds": 3}],
}


def check(case: str, frames: list[wire.Frame], thoughts: str = "") -> None:
    calls, results = only(frames, "tool_call"), only(frames, "tool_result")
    match case:
        case "text" | "thinking":
            assert text(frames) == "Hello there."
            assert frames[-1]["finish_reason"] == "stop"
            if case == "thinking":
                assert "".join(frame["content"] for frame in only(frames, "thinking")) == thoughts
        case "one" | "two" | "fragmented":
            ships = ["Argo", "Beagle"] if case == "two" else ["Argo"]
            assert [call["args"]["ship"] for call in calls] == ships
            assert [result["data"]["ship"] for result in results] == ships
            assert text(frames).endswith("Hello there.")
            assert frames[-1]["finish_reason"] == "stop"
        case "malformed":
            assert results[0]["data"]["code"] == "malformed_arguments"
            assert frames[-1]["finish_reason"] == "stop"
        case "refusal":
            assert frames[-2]["code"] == "provider_refused"
        case "length":
            assert frames[-2]["code"] == "reply_cut"
        case "cut":
            assert frames[-2]["code"] == "stream_cut"
            assert frames[-1]["finish_reason"] == "error"
        case "stall":
            assert frames[-2]["code"] in ("provider_stalled", "provider_timeout")
    assert kinds(frames)[-1] == "done"


async def ask(name: str, url: str, case: str) -> list[wire.Frame]:
    provider, store = build(name, url), MemoryStore()
    provider.client()
    limits = Limits(stream_timeout_seconds=0.5) if case == "stall" else Limits()
    assistant = Assistant(provider, Fleet(), store, limits)
    try:
        conversation = await store.create(ADA)
        frames = [wire.frame(e) async for e in assistant.ask(ADA, conversation, f"Please play {case}")]
        return [frame for frame in frames if frame["type"] != "user_message"]
    finally:
        await provider.aclose()


def script(url: str, *behaviours: dict[str, Any]) -> None:
    post(url, "/_llmock/reset", {})
    post(url, "/_llmock/scenario", {"behaviors": list(behaviours)})


def post(url: str, path: str, body: Any) -> Any:
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(url + path, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=20) as response:
        return json.load(response)
