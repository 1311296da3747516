"""The HTTP routes: `path("", include("dragoman.django.urls"))`, once, at the root of the project."""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec

from django.http import HttpResponseBase
from django.urls import URLPattern, path

from dragoman.django import conf, conversations, views

app_name = "dragoman"


def routes() -> list[URLPattern]:
    """The routes of every enabled assistant below its `url`; none where the settings are wrong, which a check tells."""
    if conf.problems():
        return []
    enabled = conf.enabled().items()
    chat = [one for alias, found in enabled for one in _routes(alias, found.route)]
    return chat + [_mcp(alias, found.route) for alias, found in enabled if found.mcp and find_spec("mcp")]


def _routes(alias: str, base: str) -> list[URLPattern]:
    given = {"alias": alias}
    one = f"{base}conversations/<str:conversation_id>/"
    return [
        path(base, views.chat, given, name=alias),
        path(f"{base}confirm/", views.confirm, given, name=f"{alias}-confirm"),
        path(f"{base}stop/", views.stop, given, name=f"{alias}-stop"),
        path(f"{base}edit/", views.edit, given, name=f"{alias}-edit"),
        path(f"{base}regenerate/", views.regenerate, given, name=f"{alias}-regenerate"),
        path(f"{base}models/", conversations.models, given, name=f"{alias}-models"),
        path(f"{base}data/", conversations.data, given, name=f"{alias}-data"),
        path(f"{base}conversations/", conversations.conversations, given, name=f"{alias}-conversations"),
        path(f"{one}runs/<str:run_id>/", views.run, given, name=f"{alias}-run"),
        path(one, conversations.conversation, given, name=f"{alias}-conversation"),
    ]


def _mcp(alias: str, base: str) -> URLPattern:
    # By name: the library it needs is an extra, and takes a second to import.
    endpoint: Callable[..., HttpResponseBase] = import_module("dragoman.django.mcp").endpoint
    return path(f"{base}mcp/", endpoint, {"alias": alias}, name=f"{alias}-mcp")


urlpatterns = routes()
