"""The HTTP routes: `path("", include("dragoman.django.urls"))`, once, at the root of the project."""

from django.urls import URLPattern, path

from dragoman.django import conf, views

app_name = "dragoman"


def routes() -> list[URLPattern]:
    """The routes of every enabled assistant below its `url`; none where the settings are wrong, which a check tells."""
    if conf.problems():
        return []
    return [one for alias, found in conf.enabled().items() for one in _routes(alias, found.route)]


def _routes(alias: str, base: str) -> list[URLPattern]:
    given = {"alias": alias}
    return [
        path(base, views.chat, given, name=alias),
        path(f"{base}confirm/", views.confirm, given, name=f"{alias}-confirm"),
        path(f"{base}stop/", views.stop, given, name=f"{alias}-stop"),
        path(f"{base}models/", views.models, given, name=f"{alias}-models"),
        path(f"{base}conversations/", views.conversations, given, name=f"{alias}-conversations"),
        path(f"{base}conversations/<str:conversation_id>/", views.conversation, given, name=f"{alias}-conversation"),
    ]


urlpatterns = routes()
