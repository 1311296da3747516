"""DRAGOMAN in settings: the specification's dictionary is accepted as written, and what is wrong is named."""

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from dragoman.django import conf
from dragoman.harness.limits import Limits

SPECIFICATION = {
    "enabled": True,
    "url": "/chat/",
    "provider": "general_manager.chat.providers.OllamaProvider",
    "provider_config": {"model": "llama3", "base_url": "http://localhost:11434"},
    "permission": "path.to.chat_access",
    "allowed_mutations": ["createOrder", "deleteProject", "archiveProject", "updateProjectStatus"],
    "confirm_mutations": ["deleteProject"],
    "confirm_timeout_seconds": 30,
    "allowed_origins": ["https://app.example.com"],
    "system_prompt": "You are a helpful assistant for our logistics platform.",
    "tool_strategy": "discovery",
    "rate_limit": {"max_requests_per_hour": 60, "max_tokens_per_hour": 100_000},
    "query_limits": {"max_results": 200, "query_timeout_seconds": 5, "max_retries_per_message": 3},
    "conversation": {"max_recent_messages": 20, "summarize_after": 10, "ttl_hours": 24},
    "audit": {
        "enabled": True,
        "level": "tool_calls",
        "logger": "path.to.chat_audit_logger",
        "max_result_size": 4096,
        "redact_fields": ["password", "secret", "token", "key", "credential"],
    },
}


def read(settings: Settings, **keys: Any) -> conf.AssistantSettings:
    settings.DRAGOMAN = {"default": keys}
    return conf.assistants()["default"]


def complaints(settings: Settings, value: Any) -> list[str]:
    settings.DRAGOMAN = value
    return [str(problem) for problem in conf.problems()]


def test_the_specifications_dictionary_is_accepted_as_written(settings: Settings):
    found = read(settings, **SPECIFICATION)
    for key, value in SPECIFICATION.items():
        kept = getattr(found, key)
        if isinstance(value, dict) and key != "provider_config":
            kept = {name: getattr(kept, name) for name in value}
            value = {name: tuple(one) if isinstance(one, list) else one for name, one in value.items()}
        assert kept == (tuple(value) if isinstance(value, list) else value), key


def test_what_is_left_out_has_the_documented_default(settings: Settings):
    found = read(settings)
    assert found == conf.AssistantSettings()
    assert (found.enabled, found.url, found.tool_strategy, found.confirm_timeout_seconds) == (
        False,
        "/chat/",
        "discovery",
        30,
    )
    assert found.rate_limit == conf.RateLimit(60, 100_000)
    assert found.query_limits == conf.QueryLimits(200, 5, 3)
    assert found.conversation == conf.ConversationLimits(20, 10, 24)
    assert found.audit == conf.Audit(True, "tool_calls", "", 4096, ("password", "secret", "token", "key", "credential"))
    assert found.limits == Limits()
    assert (found.limits.timeout_seconds, found.limits.stream_timeout_seconds) == (60, 30)


def test_the_limits_of_a_turn_come_from_their_places_in_the_dictionary(settings: Settings):
    found = read(
        settings,
        provider_config={"timeout_seconds": 7, "stream_timeout_seconds": 8},
        query_limits={"max_retries_per_message": 1},
        conversation={"max_recent_messages": 4, "summarize_after": 2},
        confirm_timeout_seconds=9,
        limits={"max_tool_rounds": 3, "turn_tokens": 1000},
    )
    assert found.limits == Limits(
        timeout_seconds=7,
        stream_timeout_seconds=8,
        max_retries=1,
        max_recent_messages=4,
        summarize_after=2,
        confirm_timeout_seconds=9,
        max_tool_rounds=3,
        turn_tokens=1000,
    )


@pytest.mark.parametrize(
    ("keys", "where", "words"),
    [
        ({"enabeld": True}, "['enabeld']", "Did you mean 'enabled'?"),
        ({"colour": 1}, "['colour']", "There is: enabled, url, provider"),
        ({"excluded_managers": []}, "['excluded_managers']", "chat_exposed = True"),
        ({"rate_limit": {"max_request_per_hour": 1}}, "['rate_limit']", "Did you mean 'max_requests_per_hour'?"),
        ({"limits": {"max_retries": 1}}, "['limits']['max_retries']", "is not a setting"),
        ({"enabled": "yes"}, "['enabled']", "expected True or False, got str"),
        ({"url": "https://example.com/chat/"}, "['url']", "a path such as '/chat/'"),
        ({"confirm_timeout_seconds": "30"}, "['confirm_timeout_seconds']", "a number of at least 0, got str"),
        ({"query_limits": {"max_results": 0}}, "['max_results']", "a whole number of at least 1, got 0"),
        ({"query_limits": {"max_results": True}}, "['max_results']", "got True"),
        ({"allowed_mutations": "createPart"}, "['allowed_mutations']", "a list of texts"),
        ({"tool_strategy": "raw"}, "['tool_strategy']", "'discovery', 'direct'"),
        ({"audit": {"level": "all"}}, "['audit']['level']", "'off', 'messages', 'tool_calls'"),
        ({"audit": []}, "['audit']", "a dictionary"),
        ({"permission": "allowed"}, "['permission']", "the dotted path of a callable"),
        ({"provider": ""}, "['provider']", "a short name or the dotted path of a class"),
        ({"provider_config": {"timeout_seconds": -1}}, "['timeout_seconds']", "at least 0"),
        ({"confirm_mutations": ["deleteAll"]}, "['confirm_mutations']", "'deleteAll' is not in allowed_mutations"),
    ],
)
def test_what_is_wrong_is_named_with_its_place_and_the_way_out(
    settings: Settings, keys: dict[str, Any], where: str, words: str
):
    [told] = complaints(settings, {"default": keys})
    assert told.startswith("DRAGOMAN['default']")
    assert where in told
    assert words in told
    with pytest.raises(ImproperlyConfigured, match="DRAGOMAN"):
        conf.assistants()


def test_everything_that_is_wrong_is_told_at_once(settings: Settings):
    assert len(complaints(settings, {"default": {"a": 1, "b": 2}, "other": {"url": 3}})) == 3


@pytest.mark.parametrize("value", [[], "chat", {"default": None}, {"default": True}, {"enabled": True}])
def test_what_is_no_dictionary_of_aliases_is_refused(settings: Settings, value: Any):
    assert complaints(settings, value)


def test_a_key_is_not_told_with_its_value(settings: Settings):
    found = read(settings, provider_config={"api_key": "hunter2"})
    assert "hunter2" not in repr(found)
    [told] = complaints(settings, {"default": {"provider_config": "hunter2"}})
    assert "hunter2" not in told


def test_two_assistants_need_two_places(settings: Settings):
    [told] = complaints(settings, {"default": {"enabled": True}, "sales": {"enabled": True}})
    assert "'/chat/' is that of 'default' too" in told
    assert "/chat/sales/" in told
    assert not complaints(settings, {"default": {"enabled": True}, "sales": {}})


@pytest.mark.parametrize(
    ("given", "url", "route"),
    [("chat", "/chat/", "chat/"), ("/a/b", "/a/b/", "a/b/"), ("/", "/", ""), ("", "/", "")],
)
def test_a_url_is_read_with_or_without_its_slashes(settings: Settings, given: str, url: str, route: str):
    found = read(settings, url=given)
    assert (found.url, found.route) == (url, route)


def test_changed_settings_are_read_again(settings: Settings):
    assert not read(settings).enabled
    assert read(settings, enabled=True).enabled
    settings.DRAGOMAN = {}
    assert conf.assistants() == {}
