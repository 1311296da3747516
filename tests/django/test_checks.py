"""`manage.py check` says what would not work, and how to mend it."""

from io import StringIO
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from pytest_django import Settings

from dragoman.django import models
from dragoman.django.hosts.general_manager import GeneralManagerHost

CHAT = {"enabled": True, "url": "/chat/", "provider": "planner"}


def check() -> str:
    """What the command prints about the assistant."""
    told = StringIO()
    try:
        call_command("check", "--tag", "dragoman", stderr=told, stdout=told)
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
