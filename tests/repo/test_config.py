"""dragoman.toml: what it may say, what it never holds, and what does not come with a clone unasked."""

from pathlib import Path

import pytest

from dragoman.harness.errors import ConfigurationError
from dragoman.repo import config
from dragoman.repo.repository import Repository, find
from tests.repo import clones

WHOLE = """
provider = "anthropic"
model = "some-model"
default_branch = "trunk"

[provider_config]
timeout_seconds = 20
max_tokens = 900

[index]
exclude = ["vendor/**"]

[forge]
kind = "gitlab"
"""


def clone(tmp_path: Path, text: str | None) -> Repository:
    root = tmp_path / "clone"
    root.mkdir()
    if text is not None:
        (root / config.FILE).write_text(text)
    return Repository(root, root / ".git", False, tmp_path / "state")


def bare(tmp_path: Path, text: str) -> Repository:
    root = clones.clone(tmp_path, {config.FILE: text}).root
    clones.git(tmp_path, "clone", "--quiet", "--bare", str(root), "bare.git")
    return find(tmp_path / "bare.git", tmp_path / "state")


def complaint(text: str) -> str:
    with pytest.raises(ConfigurationError) as caught:
        config.parse(text.encode())
    return caught.value.message


def test_without_a_file_every_default_holds(tmp_path: Path):
    found = config.read(clone(tmp_path, None))
    assert found == config.Config()
    assert found.choice({}) == ("auto", {})


def test_a_file_says_which_model_answers(tmp_path: Path):
    found = config.read(clone(tmp_path, WHOLE))
    assert found.choice({}) == ("anthropic", {"timeout_seconds": 20.0, "max_tokens": 900, "model": "some-model"})
    assert found.index.exclude == ("vendor/**",)
    assert (found.default_branch, found.forge.kind) == ("trunk", "gitlab")


def test_a_bare_clone_is_told_by_the_file_of_its_head_or_by_one_of_its_own(tmp_path: Path):
    repository = bare(tmp_path, WHOLE)
    assert config.read(repository).index.exclude == ("vendor/**",)
    (repository.root / config.FILE).write_text('[index]\nexclude = ["mine"]\n')
    assert config.read(repository).index.exclude == ("mine",)


def test_the_file_of_a_bare_clones_head_sends_nothing_anywhere_unasked(tmp_path: Path):
    repository = bare(tmp_path, '[keys]\nopenai = "WORK_KEY"\n')
    with pytest.raises(ConfigurationError, match="dragoman init --trust"):
        config.read(repository)
    config.trust(repository)
    assert config.read(repository).keys == {"openai": "WORK_KEY"}


def test_another_provider_asked_for_gets_none_of_the_first_ones_settings():
    found = config.parse(WHOLE.encode())
    assert found.choice({}, "openai") == ("openai", {})
    assert found.choice({}, "openai", "gpt") == ("openai", {"model": "gpt"})


def test_a_key_in_a_variable_of_its_own_is_found_by_auto():
    found = config.parse(b'[keys]\nopenai = "WORK_KEY"')
    assert found.choice({}) == ("auto", {})
    assert found.choice({"WORK_KEY": "x"}) == ("openai", {"key_variable": "WORK_KEY"})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('provder = "openai"', "provder: is not a setting. Did you mean 'provider'?"),
        ("colour = 1", "colour: is not a setting. There is: provider, model"),
        (
            '[provider_config]\napi_key = "x"',
            "provider_config.api_key: is not a setting. A key never stands in this file",
        ),
        ("provider = 3", "provider: expected a text, got int."),
        ("index = 3", "index: expected a table, got int."),
        ('[index]\nexclude = "a"', "index.exclude: expected a list of texts, got str."),
        ('[forge]\nkind = "svn"', "forge.kind: expected 'github' or 'gitlab', got str."),
        ('[keys]\nopenai = "not a name"', "keys.openai: expected the name of an environment variable"),
        ("[provider_config]\ntimeout_seconds = -1", "expected a number of seconds above 0"),
        ('model = "x"', "model: needs a provider of its own"),
        ("provider = ", "is not valid TOML"),
    ],
)
def test_what_does_not_fit_is_told_with_its_place_and_the_way_out(text: str, told: str):
    assert told in complaint(text)


def test_all_that_is_wrong_is_told_at_once():
    assert len(complaint('provder = "x"\n[index]\nexclud = []').splitlines()) == 2


@pytest.mark.parametrize(
    "secret",
    [
        "sk-ant-REDACTED",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "glpat-abcdefghijklmnop",
        "AIzaSyA0123456789abcdefghijklmnopqrstuv",
        "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3f",
        "https://ada:hunter2@proxy.test/",
    ],
)
@pytest.mark.parametrize("place", ["model = {}", "[keys]\nopenai = {}", "[provider_config]\noptions = {{ a = [{}] }}"])
def test_a_value_that_looks_like_a_key_is_refused_and_not_repeated(place: str, secret: str):
    told = complaint(place.format(f'"{secret}"'))
    assert "looks like a key" in told
    assert secret not in told


@pytest.mark.parametrize(
    "model", ["claude-opus-4-5-20251101", "anthropic/claude-sonnet-4.5", "gpt-5.2", "qwen3:30b-a3b-instruct"]
)
def test_the_name_of_a_model_looks_like_no_key(model: str):
    assert config.parse(f'provider = "x"\nmodel = "{model}"'.encode()).model == model


@pytest.mark.parametrize(
    "text",
    [
        'provider = "evil.module.Provider"',
        'provider = "openai"\n[provider_config]\nbase_url = "https://elsewhere.test"',
        '[keys]\nopenai = "AWS_SECRET_ACCESS_KEY"',
        '[forge]\nkind = "github"\nbase_url = "https://elsewhere.test"',
        '[forge]\nkind = "github"\ntoken_variable = "MY_TOKEN"',
    ],
)
def test_what_sends_a_key_somewhere_holds_only_once_somebody_here_said_yes_to_it(tmp_path: Path, text: str):
    repository = clone(tmp_path, text)
    with pytest.raises(ConfigurationError) as caught:
        config.read(repository)
    assert caught.value.code == "untrusted"
    assert "dragoman init --trust" in caught.value.message
    config.trust(repository)
    assert config.read(repository) == config.parse(text.encode())
    (repository.root / config.FILE).write_text(text + "\n# changed since")
    with pytest.raises(ConfigurationError):
        config.read(repository)


def test_what_a_file_says_of_nothing_secret_needs_no_yes(tmp_path: Path):
    assert config.read(clone(tmp_path, WHOLE)).provider == "anthropic"


def test_every_key_is_documented(root: Path):
    page = (root / "docs" / "repository.md").read_text()
    sections = {name: keys for name, keys in config._SECTIONS.items() if isinstance(keys, dict)}
    keys = [f"{name}.{key}" for name, inner in sections.items() for key in inner]
    keys += [key for key in config._KEYS if key not in config._SECTIONS]
    assert [key for key in keys if f"`{key}`" not in page] == []
