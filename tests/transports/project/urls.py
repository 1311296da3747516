"""The assistant, and a way to sign in without a password."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth import get_user_model, login
from django.contrib.staticfiles.urls import staticfiles_urlpatterns
from django.http import HttpRequest, HttpResponse
from django.urls import include, path


def sign_in(request: HttpRequest, name: str) -> HttpResponse:
    user, _ = get_user_model().objects.get_or_create(username=name)
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    return HttpResponse(f"{name} is signed in.")


def no_foreign_content(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """A strict content security policy: the page must need nothing inline and nothing from elsewhere."""

    def middleware(request: HttpRequest) -> Any:
        response = get_response(request)
        response["Content-Security-Policy"] = "default-src 'self'; base-uri 'none'; frame-ancestors 'none'"
        return response

    return middleware


urlpatterns = [
    path("sign-in/<str:name>/", sign_in),
    path("", include("dragoman.django.urls")),
    *staticfiles_urlpatterns(),
]
