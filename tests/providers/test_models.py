"""Which models may be chosen: asked for live, or ours with the reason."""

import json

import pytest

from dragoman.providers import catalog
from dragoman.providers.models import Model
from tests.providers.world import DIALECTS, PROVIDERS, desk

LISTS = {
    "anthropic": {
        "data": [
            {
                "type": "model",
                "id": "claude-opus-5",
                "display_name": "Claude Opus 5",
                "created_at": "2026-01-01T00:00:00Z",
            }
        ],
        "has_more": False,
        "first_id": "claude-opus-5",
        "last_id": "claude-opus-5",
    },
    "openai": {"object": "list", "data": [{"id": "gpt-5", "object": "model", "created": 1, "owned_by": "x"}]},
    "openrouter": {"data": [{"id": "anthropic/claude-opus-5", "name": "Anthropic: Claude Opus 5", "created": 1}]},
    "deepseek": {"object": "list", "data": [{"id": "deepseek-chat", "object": "model", "owned_by": "deepseek"}]},
    "google": {
        "models": [
            {
                "name": "models/gemini-3-pro",
                "displayName": "Gemini 3 Pro",
                "supportedGenerationMethods": ["generateContent"],
            },
            {"name": "models/embedding", "displayName": "Embedding", "supportedGenerationMethods": ["embedContent"]},
        ]
    },
    "ollama": {"models": [{"model": "llama3.2:3b", "name": "llama3.2:3b", "size": 1}]},
}
LIVE = {
    "anthropic": Model("claude-opus-5", "Claude Opus 5"),
    "openai": Model("gpt-5"),
    "openrouter": Model("anthropic/claude-opus-5", "Anthropic: Claude Opus 5"),
    "deepseek": Model("deepseek-chat"),
    "google": Model("gemini-3-pro", "Gemini 3 Pro"),
    "ollama": Model("llama3.2:3b"),
}


@pytest.mark.parametrize("name", DIALECTS)
async def test_models_are_listed_live_by_their_names(name: str):
    async with desk(name) as one:
        one.play("list", "json=200", body=json.dumps(LISTS[name]).encode())
        found = await one.provider.models()
        assert (found.source, list(found.models), found.reason) == ("live", [LIVE[name]], "")


@pytest.mark.parametrize("name", DIALECTS)
async def test_a_list_that_cannot_be_had_is_ours_with_the_reason(name: str):
    async with desk(name) as one:
        one.play("list", "status=503")
        found = await one.provider.models()
        assert found.source == "fallback"
        assert found.models == PROVIDERS[name].known
        assert found.reason.startswith(f"{one.provider.title} is overloaded or broken")
        assert len(one.server.seen) == 1


@pytest.mark.parametrize("name", DIALECTS)
async def test_a_list_that_is_none_is_ours_with_the_reason(name: str):
    async with desk(name) as one:
        one.play("list", "json=200", body=b"<html>busy</html>")
        found = await one.provider.models()
        assert found.source == "fallback"
        assert "cannot be read" in found.reason


async def test_a_missing_key_is_a_reason_too(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("DEEPSEEK_API_KEY", raising=False)
    found = await catalog.models("deepseek")
    assert found.source == "fallback"
    assert "DEEPSEEK_API_KEY" in found.reason
    assert [model.title for model in found.models] == ["DeepSeek Chat", "DeepSeek Reasoner"]


async def test_who_has_no_models_says_so():
    found = await catalog.models("planner")
    assert (found.source, list(found.models)) == ("fallback", [])
    assert "no models" in found.reason


async def test_an_ollama_without_a_configured_model_takes_one_that_is_there():
    async with desk("ollama", model="") as one:
        one.play("list", "json=200", body=json.dumps(LISTS["ollama"]).encode())
        one.play("text")
        frames = await one.ask()
        assert frames[-1]["model"] == "llama3.2:3b"
        assert one.server.seen[1].body["model"] == "llama3.2:3b"
