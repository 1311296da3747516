"""A service that fails is told in our words, once, with a code and with nothing of its own text."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from dragoman.providers.failures import retry_after
from tests.harness.world import kinds
from tests.providers.world import DIALECTS, KEY, build, desk

CODES = {
    400: "provider_rejected",
    401: "provider_key",
    403: "provider_key",
    402: "provider_credit",
    404: "unknown_model",
    413: "context_exceeded",
    429: "provider_rate_limited",
    500: "provider_unavailable",
    503: "provider_unavailable",
    529: "provider_unavailable",
}


@pytest.mark.requirement("g.provider.no-retries")
@pytest.mark.parametrize("status", CODES)
@pytest.mark.parametrize("name", DIALECTS)
async def test_a_status_becomes_a_sentence_and_is_not_tried_again(name: str, status: int):
    async with desk(name) as one:
        one.play("text", f"status={status}")
        frames = await one.ask()
        assert kinds(frames) == ["error", "done"]
        assert frames[0]["code"] == CODES[status]
        assert frames[0]["message"][0].isupper()
        assert "made up" not in str(frames)
        assert KEY not in str(frames)
        assert len(one.server.seen) == 1


@pytest.mark.requirement("g.provider.no-retries")
@pytest.mark.parametrize("fault", ["drop=0", "drop=1", "cut=1", "status=500"])
@pytest.mark.parametrize("name", DIALECTS)
async def test_whatever_fails_one_request_is_made(name: str, fault: str):
    async with desk(name) as one:
        one.play("text", fault)
        one.play("text")
        frames = await one.ask()
        assert frames[-1]["finish_reason"] == "error"
        assert len(one.server.seen) == 1


@pytest.mark.parametrize("name", ["anthropic", "openai", "openrouter", "deepseek", "google"])
async def test_how_long_to_wait_is_told(name: str):
    async with desk(name) as one:
        one.play("text", "status=429", headers={"retry-after": "7"})
        frames = await one.ask()
        assert frames[0]["retry_after"] == 7
        assert "Try again in 7 seconds" in frames[0]["message"]


async def test_google_says_how_long_to_wait_inside_its_error():
    error = {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "no", "details": [{"retryDelay": "12s"}]}
    async with desk("google") as one:
        one.play("text", "status=429", body=json.dumps({"error": error}).encode())
        assert (await one.ask())[0]["retry_after"] == 12


async def test_google_gives_a_wrong_key_the_status_of_a_bad_request():
    error = {"code": 400, "status": "INVALID_ARGUMENT", "message": "no", "details": [{"reason": "API_KEY_INVALID"}]}
    async with desk("google") as one:
        one.play("text", "status=400", body=json.dumps({"error": error}).encode())
        assert (await one.ask())[0]["code"] == "provider_key"


@pytest.mark.parametrize("name", ["openai", "openrouter", "deepseek"])
@pytest.mark.parametrize(
    ("status", "word", "code"),
    [(429, "insufficient_quota", "provider_credit"), (400, "context_length_exceeded", "context_exceeded")],
)
async def test_a_code_says_more_than_its_status(name: str, status: int, word: str, code: str):
    async with desk(name) as one:
        body = json.dumps({"error": {"message": "no", "type": word, "code": word}}).encode()
        one.play("text", f"status={status}", body=body)
        assert (await one.ask())[0]["code"] == code


@pytest.mark.parametrize("name", DIALECTS)
async def test_an_answer_that_is_no_stream_is_no_answer(name: str):
    async with desk(name) as one:
        one.play("text", "json=200", body=b"<html>We are busy.</html>")
        frames = await one.ask()
        assert kinds(frames) == ["error", "done"]
        assert frames[0]["code"] in ("stream_cut", "provider_garbled")
        assert "busy" not in str(frames)


@pytest.mark.parametrize("name", DIALECTS)
async def test_a_chunk_that_is_no_json_is_said_to_be_unreadable(name: str):
    body = b'{"model": \n' if name == "ollama" else b'data: {"choices": [\n\n'
    async with desk(name) as one:
        one.play("text", "json=200", body=body)
        assert (await one.ask())[0]["code"] == "provider_garbled"


@pytest.mark.parametrize("name", DIALECTS)
async def test_a_service_that_is_not_there_is_said_to_be_out_of_reach(name: str):
    async with desk(name) as one:
        closed = "http://127.0.0.1:9"
        one.assistant = type(one.assistant)(build(name, closed), one.fleet, one.store)
        frames = await one.ask()
        assert frames[0]["code"] == "provider_unreachable"
        assert closed in frames[0]["message"]
        await one.assistant.provider.aclose()


def test_a_wait_is_read_as_seconds_milliseconds_or_a_date():
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    assert retry_after({"retry-after": "2.5"}) == 2.5
    assert retry_after({"retry-after-ms": "250"}) == 0.25
    assert 80 < (retry_after({"retry-after": soon}) or 0) < 95
    for nonsense in ({}, {"retry-after": "soon"}, {"retry-after": "-1"}, {"retry-after": "99999999"}):
        assert retry_after(nonsense) is None
