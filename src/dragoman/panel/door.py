"""The panel's door: what a page may load, and who may come in - whoever was given the token, and nobody else."""

from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth import alogin
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseForbidden, HttpResponseRedirect
from django.utils.crypto import constant_time_compare
from django.utils.decorators import async_only_middleware

from dragoman.panel.settings import TOKEN

PERSON = "local"
_CLOSED = "This page is for the person who started `dragoman serve`. Open the address it printed, with its token.\n"
_BACKEND = "django.contrib.auth.backends.ModelBackend"

type Answer = Callable[[HttpRequest], Awaitable[HttpResponseBase]]


@async_only_middleware
def policy(answer: Answer) -> Answer:
    """What a page of ours may load, on every response."""
    port = settings.PANEL_PORT
    sockets = " ".join(f"ws://{name}:{port}" for name in ("127.0.0.1", "localhost"))
    allowed = (
        f"default-src 'self'; img-src 'self' data:; connect-src 'self' {sockets}; object-src 'none'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )

    async def answered(request: HttpRequest) -> HttpResponseBase:
        response = await answer(request)
        response["Content-Security-Policy"] = allowed
        return response

    return answered


@async_only_middleware
def admission(answer: Answer) -> Answer:
    """Whoever brings the token gets a session and the address without it; whoever has neither gets nothing."""

    async def admitted(request: HttpRequest) -> HttpResponseBase:
        brought = request.GET.get(TOKEN)
        if brought is not None and request.method == "GET":
            if not constant_time_compare(brought.encode(), settings.PANEL_TOKEN.encode()):
                return _closed()
            person, _ = await User.objects.aget_or_create(username=PERSON)
            await alogin(request, person, backend=_BACKEND)
            rest = request.GET.copy()
            del rest[TOKEN]
            return HttpResponseRedirect(f"{request.path}?{rest.urlencode()}" if rest else request.path)
        user = await sync_to_async(lambda: request.user.is_authenticated)()
        return await answer(request) if user else _closed()

    return admitted


def is_here(user: Any, context: object) -> bool:
    """Whether somebody came in by the token; for WebSockets, which no middleware of Django's sees."""
    return bool(user.is_authenticated)


def _closed() -> HttpResponse:
    return HttpResponseForbidden(_CLOSED, content_type="text/plain; charset=utf-8")
