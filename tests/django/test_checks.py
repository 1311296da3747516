"""`manage.py check` says what would not work, and how to mend it."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from pytest_django import Settings

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
def test_the_models_and_the_migrations_agree():
    call_command("makemigrations", "dragoman", check=True, dry_run=True, verbosity=0)


def test_every_name_in_the_database_fits_every_database():
    from dragoman.django import models

    for model in (models.Conversation, models.Message, models.PausedCall, models.Run):
        assert all(len(index.name) <= 30 for index in model._meta.indexes)
