"""The front page, and signing in: with a password, or in a demonstration as one of the people of the example."""

from typing import ClassVar

from django.conf import settings
from django.contrib.auth import get_user_model, login
from django.contrib.auth.views import LoginView
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from catalog.seed.story import PEOPLE


def home(request: HttpRequest) -> HttpResponse:
    """Who is signed in, and the ways on."""
    chats = [chat["url"] for chat in settings.DRAGOMAN.values() if chat["enabled"]]
    return render(request, "catalog/home.html", {"chats": chats})


class SignIn(LoginView):
    """Django's own login, and under DEBUG a button for each person of the example."""

    template_name = "catalog/sign_in.html"
    extra_context: ClassVar[dict[str, object]] = {
        "debug": settings.DEBUG,
        "people": [*(person[:3] for person in PEOPLE), ("admin", "admin", "Superuser")],
    }


@require_POST
def sign_in_as(request: HttpRequest) -> HttpResponse:
    """Sign in as a person of the example without a password. Under DEBUG only; otherwise there is no such page."""
    known = [person[0] for person in PEOPLE] + ["admin"]
    if not settings.DEBUG or request.POST.get("username") not in known:
        raise Http404
    user = get_object_or_404(get_user_model(), username=request.POST["username"])
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    return redirect("home")
