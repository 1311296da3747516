"""A key or an SDK that is missing is said so, with its name, before anything is asked."""

import pytest

from dragoman.harness.errors import ConfigurationError
from dragoman.providers import catalog, service
from tests.providers.world import DIALECTS, PROVIDERS, desk

NEEDING = ("anthropic", "openai", "openrouter", "deepseek", "google")


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in PROVIDERS.values():
        for key in provider.keys:
            monkeypatch.delenv(key, raising=False)


@pytest.mark.parametrize("value", [None, "", "  "])
@pytest.mark.parametrize("name", NEEDING)
def test_a_missing_key_names_provider_and_variable(name: str, value: str | None, monkeypatch: pytest.MonkeyPatch):
    if value is not None:
        for key in PROVIDERS[name].keys:
            monkeypatch.setenv(key, value)
    for build in (PROVIDERS[name], lambda: catalog.create(name)):
        with pytest.raises(ConfigurationError) as told:
            build()
        assert told.value.code == "missing_key"
        variables = " or ".join(PROVIDERS[name].keys)
        assert told.value.message == (
            f"{PROVIDERS[name].__name__} has no key: set the environment variable {variables}."
        )


@pytest.mark.requirement("r.chat.key-check")
@pytest.mark.parametrize("name", NEEDING)
async def test_a_key_that_is_missing_at_construction_is_all_that_was_missing(
    name: str, monkeypatch: pytest.MonkeyPatch
):
    with pytest.raises(ConfigurationError, match=PROVIDERS[name].keys[0]):
        PROVIDERS[name](model="m")
    monkeypatch.setenv(PROVIDERS[name].keys[0], "sk-set")
    async with desk(name, api_key="") as one:
        one.play("text")
        assert (await one.ask())[-1]["finish_reason"] == "stop"
        assert "sk-set" in str(one.server.seen[0].headers)


@pytest.mark.requirement("r.chat.key-check")
async def test_a_key_may_stand_in_a_variable_of_ones_own(monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(ConfigurationError, match="set the environment variable TEAM_KEY"):
        catalog.create("anthropic", {"key_variable": "TEAM_KEY"})
    monkeypatch.setenv("TEAM_KEY", "sk-team")
    async with desk("anthropic", api_key="", key_variable="TEAM_KEY") as one:
        one.play("text")
        await one.ask()
        assert "sk-team" in str(one.server.seen[0].headers)


@pytest.mark.parametrize("name", DIALECTS)
async def test_the_key_goes_to_the_service_in_a_header_and_nowhere_else(name: str):
    async with desk(name) as one:
        one.play("text")
        await one.ask()
        seen = one.server.seen[0]
        assert "sk-secret" in str(seen.headers)
        assert "sk-secret" not in seen.path + one.sent()
        assert "sk-secret" not in repr(one.provider.settings) + repr(one.provider.key)


@pytest.mark.parametrize("name", ["openai", "ollama"])
async def test_a_server_of_ones_own_needs_no_key(name: str):
    async with desk(name, api_key="") as one:
        one.play("text")
        frames = await one.ask()
        assert frames[-1]["finish_reason"] == "stop"


@pytest.mark.parametrize("name", DIALECTS)
def test_a_missing_sdk_says_what_to_install(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(service, "installed", lambda sdk: False)
    provider = PROVIDERS[name]
    with pytest.raises(ConfigurationError) as told:
        provider(api_key="x")
    assert told.value.message == f'To use {provider.__name__}, install: pip install "dragoman[{provider.extra}]"'
