"""Which providers `dragoman serve` offers for a repository; the page itself is in tests/panel."""

from pathlib import Path

import pytest

from dragoman.cli import serve
from dragoman.providers import catalog
from dragoman.repo.config import Config
from dragoman.repo.repository import Repository, find
from tests.repo import orchard


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    for service in catalog.SERVICES.values():
        for key in service.keys:
            monkeypatch.delenv(key, raising=False)
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    monkeypatch.setenv("MINE", "x")
    return find(orchard.build(tmp_path / "orchard"), tmp_path / "home")


def test_the_others_are_those_at_hand_and_get_no_address_that_is_meant_for_the_chosen_one(repository: Repository):
    config = {"base_url": "http://proxy.test/v1", "timeout_seconds": 7}
    found = Config(provider="openai", model="large", provider_config=config, keys={"anthropic": "MINE"})
    served = serve.served_by(repository, found, *found.choice({}))
    assert (served.provider, served.provider_config) == ("openai", {**config, "model": "large"})
    assert served.others == {
        "anthropic": {"timeout_seconds": 7, "key_variable": "MINE"},
        "planner": {"timeout_seconds": 7},
    }


def test_auto_is_shown_by_the_name_of_whom_it_found(repository: Repository):
    found = Config(keys={"anthropic": "MINE"})
    served = serve.served_by(repository, found, *found.choice({}))
    assert (served.provider, {*served.others}) == ("openai", {"anthropic", "planner"})
    served = serve.served_by(repository, found, *found.choice({"MINE": "x"}))
    assert (served.provider, {*served.others}) == ("anthropic", {"openai", "planner"})


def test_without_a_key_there_is_the_planner_alone(repository: Repository, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    served = serve.served_by(repository, Config(), *Config().choice({}))
    assert (served.provider, served.others) == ("planner", {})
