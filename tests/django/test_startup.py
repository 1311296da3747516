"""A server whose assistant could not do what its settings say does not start, and the schema is read when it is said to be."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from graphql import GraphQLSchema
from pytest_django import Settings

from dragoman.django import assistants
from dragoman.django.hosts.general_manager import GeneralManagerHost
from dragoman.django.routing import websocket_routes
from dragoman.graphql.grounding import GraphQLGrounding
from dragoman.harness.caller import Caller
from tests.transports.clients import WAIT

CHAT = {"enabled": True, "url": "/chat/", "provider": "planner"}
LIBRARY = """
from config.settings import *
DRAGOMAN = {{"default": {{**DRAGOMAN["default"], **{keys!r}}}}}
GENERAL_MANAGER = {{**GENERAL_MANAGER, "AUTOCREATE_GRAPHQL": {schema}}}
"""


def ready() -> None:
    apps.get_app_config("dragoman").ready()


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        (
            {"allowed_mutations": ["archiveProjekt"]},
            "there is no mutation 'archiveProjekt'. Did you mean archiveProject",
        ),
        ({"grounding": {"host": "hasura"}}, "Unknown grounding host 'hasura'"),
        ({"grounding": {"value_serach": {}}}, "Did you mean 'value_search'?"),
        ({"grounding": {"types": ["PartType"]}}, "'types' is no key of a grounding on the host general_manager"),
    ],
)
@pytest.mark.parametrize("way", [websocket_routes, ready])
def test_what_the_settings_name_in_vain_stops_a_server(settings: Settings, keys: dict[str, Any], told: str, way: Any):
    settings.DRAGOMAN = {"default": {**CHAT, "build_index": "eager"}}
    way()
    settings.DRAGOMAN = {"default": {**CHAT, "build_index": "eager", **keys, "enabled": False}}
    way()
    settings.DRAGOMAN = {"default": {**CHAT, "build_index": "eager", **keys}}
    with pytest.raises(ImproperlyConfigured) as wrong:
        way()
    assert told in str(wrong.value)


def test_what_is_wrong_with_the_settings_alone_stops_the_server_and_not_the_command_that_tells_it(settings: Settings):
    settings.DRAGOMAN = {"default": {**CHAT, "build_index": "eager", "confirm_mutations": ["archiveProject"]}}
    ready()
    with pytest.raises(ImproperlyConfigured, match="is not in allowed_mutations"):
        websocket_routes()


def test_a_missing_schema_stops_a_server_and_none_is_built(settings: Settings, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(GeneralManagerHost, "schema", lambda self: None)
    settings.DRAGOMAN = {"default": CHAT}
    ready()  # another app may build it after this one
    with pytest.raises(ImproperlyConfigured, match="AUTOCREATE_GRAPHQL"):
        websocket_routes()
    settings.DRAGOMAN = {"default": {**CHAT, "build_index": "eager"}}
    with pytest.raises(ImproperlyConfigured, match="AUTOCREATE_GRAPHQL"):
        ready()


@pytest.mark.parametrize(
    ("keys", "schema", "told"),
    [
        (
            {"allowed_mutations": ["archiveProjekt"], "confirm_mutations": []},
            True,
            "there is no mutation 'archiveProjekt'",
        ),
        ({}, False, "there is no GraphQL schema for it"),
    ],
)
def test_uvicorn_ends_with_the_reason(tmp_path: Path, root: Path, keys: dict[str, Any], schema: bool, told: str):
    (tmp_path / "wrong_settings.py").write_text(LIBRARY.format(keys=keys, schema=schema))
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "wrong_settings",
        "PARTS_DB_NAME": str(tmp_path / "parts.sqlite3"),
        "PYTHONPATH": os.pathsep.join(map(str, (tmp_path, root / "examples" / "parts", root / "src"))),
    }
    command = [sys.executable, "-m", "uvicorn", "--port", "0", "config.asgi:application"]
    # The bound only ends a server that did start.
    done = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=6 * WAIT, check=False
    )
    assert done.returncode != 0
    assert told in done.stderr


# When the schema is read ----------------------------------------------------------------------------------------------


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[GraphQLSchema]]:
    """The schemas that were read, each time one was."""
    found: list[GraphQLSchema] = []
    build = GraphQLGrounding._build

    def noted(self: GraphQLGrounding) -> Any:
        built = build(self)
        found.append(built.ground.catalog.schema)
        return built

    monkeypatch.setattr(GraphQLGrounding, "_build", noted)
    assistants._desk.cache_clear()
    yield found
    assistants._desk.cache_clear()


@pytest.mark.parametrize(("when", "at_the_start"), [("lazy", 0), ("eager", 1)])
async def test_the_schema_is_read_once_when_the_setting_says_and_again_when_it_was_replaced(
    settings: Settings, readings: list[GraphQLSchema], monkeypatch: pytest.MonkeyPatch, when: str, at_the_start: int
):
    settings.DRAGOMAN = {"default": {**CHAT, "build_index": when}}
    ready()
    assert len(readings) == at_the_start
    grounding, caller = assistants.assistant().grounding, Caller("session:1")
    for _ in range(2):
        assert "Project" in await grounding.prompt(caller)
    assert len(readings) == 1
    replaced = GraphQLSchema(**readings[0].to_kwargs())
    monkeypatch.setattr(GeneralManagerHost, "schema", lambda self: replaced)
    for _ in range(2):
        assert "Project" in await grounding.prompt(caller)
    assert len(readings) == 2
    assert readings[1] is replaced
