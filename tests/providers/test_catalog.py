"""A name to a provider, with the reason why it is that one."""

import socket
from collections.abc import AsyncIterator
from typing import Any

import pytest

from dragoman.harness.errors import ConfigurationError
from dragoman.harness.provider import Text
from dragoman.providers.catalog import create, explain
from dragoman.providers.planner import Planner
from dragoman.providers.scripted import Scripted

KEYS = (
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "DEEPSEEK_API_KEY",
    "GOOGLE_API_KEY",
    "GEMINI_API_KEY",
)


@pytest.fixture(autouse=True)
def bare_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key in the environment, and an address where no Ollama runs."""
    for key in KEYS:
        monkeypatch.delenv(key, raising=False)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
    monkeypatch.setenv("OLLAMA_HOST", address)


class Own:
    """A provider of a project's own."""

    def __init__(self, model: str = "m", base_url: str = "") -> None:
        self.model = model
        self.base_url = base_url

    async def complete(self, messages: Any, tools: Any) -> AsyncIterator[Text]:
        yield Text("own")


class Greedy(Own):
    """One that takes every key."""

    def __init__(self, **config: Any) -> None:
        self.config = config


class Broken(Own):
    """One that cannot be built."""

    def __init__(self, model: str = "") -> None:
        raise RuntimeError("secret: hunter2")


HERE = "tests.providers.test_catalog"


def test_the_planner_and_the_script_have_short_names():
    assert isinstance(create("planner"), Planner)
    assert isinstance(create("scripted", {"rounds": ["Hello."]}), Scripted)
    assert "without any model" in explain("planner")


def test_a_provider_of_ones_own_is_given_the_keys_it_takes():
    own = create(f"{HERE}.Own", {"model": "big", "timeout_seconds": 3})
    assert isinstance(own, Own)
    assert (own.model, own.base_url) == ("big", "")
    greedy = create(f"{HERE}.Greedy", {"model": "big", "timeout_seconds": 3})
    assert isinstance(greedy, Greedy)
    assert greedy.config == {"model": "big", "timeout_seconds": 3}


@pytest.mark.parametrize(
    "name",
    [
        "anthropic",
        "openai",
        "openrouter",
        "deepseek",
        "google",
        "ollama",
        "general_manager.chat.providers.OllamaProvider",
    ],
)
def test_an_adapter_that_is_not_part_of_this_version_is_named_with_what_there_is(name: str):
    for say in (create, explain):
        with pytest.raises(ConfigurationError, match="not part of this version") as told:
            say(name)
        assert "There is: planner, scripted, auto" in told.value.message


@pytest.mark.parametrize("name", ["gpt", "", "no.such.module.Provider", f"{HERE}.KEYS", f"{HERE}.Missing"])
def test_a_name_that_is_none_is_refused(name: str):
    with pytest.raises(ConfigurationError):
        create(name)


def test_why_a_class_could_not_be_built_is_for_the_log_and_not_for_the_client():
    with pytest.raises(ConfigurationError) as told:
        create(f"{HERE}.Broken", {"model": "x"})
    assert "hunter2" not in told.value.message
    assert isinstance(told.value.__cause__, RuntimeError)


def test_without_a_key_and_without_ollama_the_planner_answers():
    assert isinstance(create("auto"), Planner)
    assert "no key" in explain("auto")


@pytest.mark.parametrize("key", KEYS)
def test_a_key_is_named_and_nothing_is_spent(monkeypatch: pytest.MonkeyPatch, key: str):
    monkeypatch.setenv(key, "hunter2")
    told = explain("auto")
    assert told.startswith(f"{key} is set, but the adapter")
    assert "the planner answers instead" in told
    assert "nothing is spent" in told
    assert "hunter2" not in told
    assert isinstance(create("auto"), Planner)


def test_the_first_key_in_the_documented_order_is_the_one(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "x")
    assert "ANTHROPIC_API_KEY" in explain("auto")


def test_an_ollama_that_runs_is_noticed():
    with socket.create_server(("127.0.0.1", 0)) as running:
        address = f"http://127.0.0.1:{running.getsockname()[1]}"
        assert explain("auto", {"base_url": address}).startswith(f"Ollama runs at {address}")


def test_another_machine_is_not_asked():
    assert "no Ollama runs at http://ollama.example" in explain("auto", {"base_url": "http://ollama.example"})
