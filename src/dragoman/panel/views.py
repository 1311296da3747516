"""The list of repositories, and the files a page is made of."""

import mimetypes
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dragoman.panel.settings import Place


@require_safe
def index(request: HttpRequest) -> HttpResponseBase:
    """Each repository with the way to its chat; a single one is gone to at once."""
    places: Sequence[Place] = settings.PANEL_PLACES
    if len(places) == 1:
        return HttpResponseRedirect(places[0].url)
    shown = [{"name": place.url.strip("/"), "url": place.url, "root": str(place.repository.root)} for place in places]
    return render(request, "panel/index.html", {"places": shown})


@require_safe
def static(request: HttpRequest, path: str) -> HttpResponseBase:
    """A file of ours. A panel has no web server in front of it that would serve them."""
    found = finders.find(path)
    if not isinstance(found, str):
        raise Http404
    kind, _ = mimetypes.guess_type(path)
    return HttpResponse(Path(found).read_bytes(), content_type=kind or "application/octet-stream")
