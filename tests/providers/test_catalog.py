"""A name to a provider, with the reason why it is that one."""

import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from typing import Any

import pytest

from dragoman.harness.errors import ConfigurationError
from dragoman.harness.provider import Text
from dragoman.providers import catalog
from dragoman.providers.catalog import SERVICES, create, explain
from dragoman.providers.openai import OpenAIProvider
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


@pytest.mark.requirement("g.provider.shipped")
@pytest.mark.parametrize("name", SERVICES)
def test_an_adapter_has_a_short_name_and_two_paths(name: str):
    service = SERVICES[name]
    for path in (
        name,
        f"dragoman.providers.{service.__name__}",
        f"dragoman.providers.{name}.{service.__name__}",
        f"general_manager.chat.providers.{service.__name__}",
    ):
        made = create(path, {"api_key": "hunter2", "model": "big"})
        assert type(made) is service
        assert (made.name, made.model) == (name, "big")
        assert "hunter2" not in explain(path, {"api_key": "hunter2", "model": "big"})


def test_an_adapter_is_found_in_its_room_without_its_sdk_being_imported():
    told = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, dragoman.providers as p; from dragoman.providers import catalog;"
            "catalog.create('openai', {'base_url': 'http://localhost:1'}); p.GoogleProvider(api_key='k');"
            "print([m for m in ('openai', 'anthropic', 'google.genai', 'ollama', 'httpx', 'httpx2') if m in sys.modules])",
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    assert told.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["anthropic", "openai", "openrouter", "deepseek"])
def test_each_has_an_address_a_key_and_models_of_its_own(name: str):
    service = SERVICES[name]
    others = [other for other in SERVICES.values() if other is not service]
    assert not {service.address} & {other.address for other in others}
    assert service.keys == (f"{name.upper()}_API_KEY",)
    assert service.known
    assert all(model.name for model in service.known)


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
def test_a_key_brings_its_service_and_is_named_but_not_told(monkeypatch: pytest.MonkeyPatch, key: str):
    monkeypatch.setenv(key, "hunter2")
    made, told = create("auto"), explain("auto")
    assert key in type(made).keys
    assert f"answers with the model {made.model}: {key} is set." in told
    assert "hunter2" not in told


def test_the_first_key_in_the_documented_order_is_the_one(monkeypatch: pytest.MonkeyPatch):
    order = []
    for key in reversed(KEYS):
        monkeypatch.setenv(key, "x")
        order.append(create("auto").name)
    assert list(dict.fromkeys(reversed(order))) == ["anthropic", "openai", "openrouter", "deepseek", "google"]


def test_a_key_whose_sdk_is_missing_is_passed_over_and_said_to_be(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "x")
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    monkeypatch.setattr(catalog, "installed", lambda sdk: sdk != "anthropic")
    assert create("auto").name == "openai"
    assert 'ANTHROPIC_API_KEY is set too, but to use it install: pip install "dragoman[anthropic]".' in explain("auto")


def test_what_is_said_of_an_ollama_is_not_handed_to_a_service_with_a_key(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    made = create("auto", {"model": "llama3", "base_url": "http://localhost:1", "timeout_seconds": 7})
    assert isinstance(made, OpenAIProvider)
    assert made.base_url == OpenAIProvider.address
    assert made.model == OpenAIProvider.known[0].id
    assert made.settings.timeout_seconds == 7


def test_an_ollama_that_runs_answers_where_no_key_is_set():
    with socket.create_server(("127.0.0.1", 0)) as running:
        address = f"http://127.0.0.1:{running.getsockname()[1]}"
        assert explain("auto", {"base_url": address}) == f"Ollama answers: it runs at {address}."
        made = create("auto", {"base_url": address, "model": "llama3"})
        assert (made.name, made.model, made.base_url) == ("ollama", "llama3", address)


def test_at_hand_is_whoever_has_a_key_and_an_sdk_and_an_ollama_that_runs(monkeypatch: pytest.MonkeyPatch):
    assert catalog.at_hand() == ("planner",)
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    monkeypatch.setenv("GEMINI_API_KEY", "x")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "x")
    monkeypatch.setenv("MINE", "x")
    monkeypatch.setattr(catalog, "installed", lambda sdk: sdk != "anthropic")
    assert catalog.at_hand() == ("openai", "google", "planner")
    assert catalog.at_hand({"deepseek": "MINE", "openai": "NONE"}) == ("deepseek", "google", "planner")
    with socket.create_server(("127.0.0.1", 0)) as running:
        monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{running.getsockname()[1]}")
        assert catalog.at_hand() == ("openai", "google", "ollama", "planner")


def test_another_machine_is_not_asked():
    assert "no Ollama runs at http://ollama.example" in explain("auto", {"base_url": "http://ollama.example"})


@pytest.mark.parametrize("name", SERVICES)
def test_a_setting_nobody_knows_is_refused_with_the_one_that_was_meant(name: str):
    with pytest.raises(ConfigurationError, match=r"'modle' is not a setting\. Did you mean 'model'\?"):
        create(name, {"api_key": "x", "modle": "big"})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("timeout_seconds", 0),
        ("stream_timeout_seconds", "30"),
        ("max_tokens", 0),
        ("model", 5),
        ("options", []),
        ("tool_mode", "magic"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_what_would(key: str, value: Any):
    with pytest.raises(ConfigurationError, match=f"'{key}' takes "):
        create("openai", {"api_key": "x", key: value})


def test_the_json_mode_is_for_those_who_have_it():
    assert create("ollama", {"tool_mode": "json"}).settings.tool_mode == "json"
    with pytest.raises(ConfigurationError, match="'tool_mode' takes 'native' here"):
        create("anthropic", {"api_key": "x", "tool_mode": "json"})
