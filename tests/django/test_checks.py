"""`manage.py check` says what would not work, and how to mend it."""

from io import StringIO
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from pytest_django import Settings

from dragoman.django import checks, models
from dragoman.django.hosts.general_manager import GeneralManagerHost
from dragoman.providers import service

CHAT = {"enabled": True, "url": "/chat/", "provider": "planner"}


def check(*arguments: str) -> str:
    """What the command prints about the assistant."""
    told = StringIO()
    try:
        call_command("check", "--tag", "dragoman", *arguments, stderr=told, stdout=told)
    except SystemCheckError as error:
        return str(error)
    return told.getvalue()


def test_a_project_that_is_set_up_well_hears_nothing(settings: Settings):
    settings.DRAGOMAN = {"default": CHAT}
    assert "no issues" in check()


def test_a_setting_that_is_not_known_fails_the_check_with_a_suggestion(settings: Settings):
    settings.DRAGOMAN = {"default": {**CHAT, "provder": "planner"}}
    told = check()
    assert "dragoman.E001" in told
    assert "Did you mean 'provider'?" in told


@pytest.mark.requirement("g.exposure.no-exclude-list")
def test_a_list_of_managers_to_hide_is_refused_with_the_way_to_hide_them(settings: Settings):
    settings.DRAGOMAN = {"default": {**CHAT, "excluded_managers": ["SecretNote"]}}
    told = check()
    assert "dragoman.E001" in told
    assert "chat_exposed = True" in told


@pytest.mark.requirement("g.activate.schema-required")
def test_a_missing_schema_is_told_and_none_is_built(settings: Settings, monkeypatch: pytest.MonkeyPatch):
    settings.DRAGOMAN = {"default": CHAT}
    monkeypatch.setattr(GeneralManagerHost, "schema", lambda self: None)
    told = check()
    assert "dragoman.E004" in told
    assert "AUTOCREATE_GRAPHQL" in told


def test_a_host_that_is_not_there_is_told(settings: Settings):
    settings.DRAGOMAN = {"default": {**CHAT, "grounding": {"host": "hasura"}}}
    told = check()
    assert "dragoman.E004" in told
    assert "hasura" in told


@pytest.mark.requirement("g.activate.validates-mutations")
def test_a_mutation_that_is_not_there_is_named(settings: Settings):
    settings.DRAGOMAN = {"default": {**CHAT, "allowed_mutations": ["archiveProject", "archiveProjekt"]}}
    told = check()
    assert "dragoman.E005" in told
    assert "'archiveProjekt'" in told
    assert "archiveProject" in told.split("Did you mean")[1]
    settings.DRAGOMAN = {"default": {**CHAT, "confirm_mutations": ["archiveProject"]}}
    told = check()
    assert "dragoman.E001" in told
    assert "'archiveProject' is not in allowed_mutations" in told


def test_a_missing_include_is_told(settings: Settings):
    settings.DRAGOMAN = {"default": CHAT}
    settings.ROOT_URLCONF = "tests.django.no_urls"
    told = check()
    assert "dragoman.E002" in told
    assert 'include("dragoman.django.urls")' in told


def test_an_include_below_a_prefix_is_told(settings: Settings):
    settings.DRAGOMAN = {"default": {**CHAT, "url": "/elsewhere/"}}
    assert "dragoman.E002" in check()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GENERAL_MANAGER", {"CHAT": {"enabled": True}}),
        ("GENERAL_MANAGER_CHAT", {"enabled": True}),
        ("CHAT", {"enabled": True}),
    ],
)
def test_another_chat_beside_this_one_is_told(settings: Settings, name: str, value: Any):
    settings.DRAGOMAN = {"default": CHAT}
    setattr(settings, name, value)
    told = check()
    assert "dragoman.E003" in told
    assert "CHAT" in told
    assert 'DRAGOMAN["default"]' in told
    settings.DRAGOMAN = {"default": {**CHAT, "enabled": False}}
    assert "no issues" in check()


def test_missing_sessions_are_a_warning(settings: Settings):
    settings.DRAGOMAN = {"default": CHAT}
    settings.INSTALLED_APPS = [app for app in settings.INSTALLED_APPS if app != "django.contrib.sessions"]
    assert "dragoman.W001" in check()


@pytest.mark.django_db
@pytest.mark.requirement("g.activate.one-app")
def test_there_is_one_app_with_one_migration_tree_that_agrees_with_the_models():
    ours = [config for config in apps.get_app_configs() if config.name.startswith("dragoman")]
    assert [(config.name, config.label) for config in ours] == [("dragoman.django", "dragoman")]
    assert "ready" in vars(type(ours[0]))
    call_command("makemigrations", "dragoman", check=True, dry_run=True, verbosity=0)


def test_every_name_in_the_database_fits_every_database():
    for model in (models.Conversation, models.Message, models.PausedCall, models.Run):
        assert all(len(index.name) <= 30 for index in model._meta.indexes)


# What cannot be imported, installed or afforded ------------------------------------------------------------------------


def may_ask(user: Any, context: Any) -> bool:
    return True


NO_CALLABLE = "a text"
HERE = "tests.django.test_checks"


@pytest.mark.requirement("g.activate.checks")
@pytest.mark.parametrize(
    ("keys", "place"),
    [
        ({"permission": "nowhere.at.all"}, "['permission']"),
        ({"permission": f"{HERE}.may_not_ask"}, "['permission']"),
        ({"permission": f"{HERE}.NO_CALLABLE"}, "['permission']"),
        ({"audit": {"logger": "nowhere.at.all"}}, "['audit']['logger']"),
        ({"grounding": {"kind": "nowhere.at.All"}}, "['grounding']['kind']"),
    ],
)
def test_a_path_that_does_not_import_is_told(settings: Settings, keys: dict[str, Any], place: str):
    settings.DRAGOMAN = {"default": {**CHAT, **keys}}
    told = check()
    assert "dragoman.E006" in told
    assert place in told
    settings.DRAGOMAN = {"default": {**CHAT, "permission": f"{HERE}.may_ask", "audit": {"logger": f"{HERE}.may_ask"}}}
    assert "no issues" in check()


@pytest.mark.requirement("g.activate.checks")
@pytest.mark.parametrize("provider", ["nowhere.at.All", f"{HERE}.may_ask", "openay"])
def test_a_provider_that_is_not_there_is_told(settings: Settings, provider: str):
    settings.DRAGOMAN = {"default": {**CHAT, "provider": provider}}
    told = check()
    assert "dragoman.E007" in told
    assert repr(provider) in told


@pytest.mark.requirement("g.activate.checks", "g.config.extras")
@pytest.mark.parametrize(
    ("provider", "extra"),
    [
        ("anthropic", "anthropic"),
        ("openai", "openai"),
        ("google", "google"),
        ("ollama", "ollama"),
        ("deepseek", "openai"),
    ],
)
def test_a_provider_without_its_sdk_says_what_to_install(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, provider: str, extra: str
):
    monkeypatch.setattr(service, "installed", lambda sdk: False)
    monkeypatch.setattr(checks, "installed", lambda sdk: False)
    settings.DRAGOMAN = {"default": {**CHAT, "provider": provider}}
    told = check()
    assert "dragoman.E007" in told
    assert f'pip install "dragoman[{extra}]"' in told


@pytest.mark.requirement("g.activate.checks")
def test_a_provider_without_its_key_is_a_warning_that_names_the_variable(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    settings.DRAGOMAN = {"default": {**CHAT, "provider": "anthropic"}}
    told = check()
    assert "dragoman.W002" in told
    assert "ANTHROPIC_API_KEY" in told
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test")
    assert "no issues" in check()


@pytest.mark.requirement("g.activate.checks")
def test_a_provider_one_may_switch_to_is_checked_as_well(settings: Settings, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    settings.DRAGOMAN = {"default": {**CHAT, "providers": {"openai": {"models": ["gpt-5"]}}}}
    told = check()
    assert "dragoman.W002" in told
    assert "OPENAI_API_KEY" in told
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    assert "no issues" in check()


@pytest.mark.requirement("g.activate.checks")
def test_a_tool_for_each_of_too_many_managers_is_told_with_what_it_costs(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    settings.DRAGOMAN = {"default": {**CHAT, "tool_strategy": "direct"}}
    assert "no issues" in check()
    monkeypatch.setattr(checks, "DIRECT_MANAGERS", 3)
    told = check()
    assert "dragoman.W003" in told
    assert " tokens in every request" in told
    settings.DRAGOMAN = {"default": CHAT}
    assert "no issues" in check()


@pytest.mark.requirement("g.activate.checks")
@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"permission": 3}, "['permission']: expected the dotted path of a callable, got 3"),
        ({"allowed_mutations": "archiveProject"}, "['allowed_mutations']: expected a list of texts"),
        ({"rate_limit": {"max_requests_per_hour": "60"}}, "expected a whole number of at least 0"),
        ({"audit": {"level": "all"}}, "expected one of 'off', 'messages', 'tool_calls'"),
        ({"conversation": {"ttl_hour": 1}}, "Did you mean 'ttl_hours'?"),
        ({"client_address_header": "X Forwarded For"}, "expected the name of a header"),
    ],
)
def test_a_wrong_type_or_an_unknown_key_is_told_where_it_stands(settings: Settings, keys: dict[str, Any], told: str):
    settings.DRAGOMAN = {"default": {**CHAT, **keys}}
    assert told in check()
    assert "dragoman.E001" in check()


# Production -----------------------------------------------------------------------------------------------------------

SHARED = {"default": {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "cache"}}


@pytest.fixture
def ready(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A project that is set up well for many workers."""
    monkeypatch.delenv("WEB_CONCURRENCY", raising=False)
    settings.DEBUG = False
    settings.CACHES = SHARED
    settings.CHANNEL_LAYERS = {}
    settings.DRAGOMAN = {"default": {**CHAT, "permission": f"{HERE}.may_ask"}}
    assert "no issues" in check("--deploy")
    return settings


@pytest.mark.requirement("g.activate.checks")
@pytest.mark.parametrize(
    ("name", "value", "id"),
    [
        ("CACHES", {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}, "W010"),
        ("CHANNEL_LAYERS", {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}, "W011"),
        ("DRAGOMAN", {"default": {**CHAT, "permission": f"{HERE}.may_ask", "provider": "auto"}}, "W012"),
        (
            "DRAGOMAN",
            {"default": {**CHAT, "permission": f"{HERE}.may_ask", "conversation": {"ttl_hours": None}}},
            "W013",
        ),
        ("DRAGOMAN", {"default": CHAT}, "W014"),
        ("ASGI_APPLICATION", None, "W015"),
    ],
)
def test_a_hazard_of_production_is_told_where_one_deploys_and_nowhere_else(
    ready: Settings, name: str, value: Any, id: str
):
    setattr(ready, name, value)
    told = check("--deploy")
    assert f"dragoman.{id}" in told
    assert told.count("(dragoman.") == 1
    assert "no issues" in check()
    ready.DRAGOMAN = {"default": {**CHAT, "enabled": False}}
    assert "no issues" in check("--deploy")


def test_a_single_worker_may_keep_its_cache_to_itself(ready: Settings, monkeypatch: pytest.MonkeyPatch):
    ready.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    ready.CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
    monkeypatch.setenv("WEB_CONCURRENCY", "1")
    assert "no issues" in check("--deploy")
