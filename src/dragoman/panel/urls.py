"""The panel's routes: the list of repositories, the files of the page, and a chat and an Explorer for each repository."""

from django.conf import settings
from django.urls import URLPattern, include, path

from dragoman.panel import explorer, views
from dragoman.panel.settings import Place


def _explorer(place: Place) -> list[URLPattern]:
    base, given = f"{place.url.strip('/')}/explorer", {"alias": place.alias}
    return [path(base, explorer.page, given), path(f"{base}/<str:tool>", explorer.look, given)]


urlpatterns = [
    path("", views.index, name="panel"),
    path("static/<path:path>", views.static, name="panel-static"),
    *(route for place in settings.PANEL_PLACES for route in _explorer(place)),
    path("", include("dragoman.django.urls")),
]
