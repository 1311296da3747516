"""The door of every HTTP view: settings, permission and identity before it, and every error as a frame after it."""

import functools
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase

from dragoman.django import assistants, conf, identity
from dragoman.django.threads import in_thread
from dragoman.harness import wire
from dragoman.harness.errors import ChatError

log = logging.getLogger("dragoman.views")

# Everything else that is told is the client's mistake, 400.
STATUS = {
    "permission_denied": 403,
    "signed_out": 403,
    "unknown_conversation": 404,
    "unknown_confirmation": 404,
    "method_not_allowed": 405,
    "conversation_busy": 409,
    "confirmation_unsupported": 409,
    "not_begun": 409,
    "confirmation_changed": 409,
    "already_changed": 409,
    "unknown_message": 404,
    "unknown_run": 404,
    "run_lost": 410,
    "message_too_long": 413,
    "rate_limited": 429,
    "too_many_turns": 429,
    "internal_error": 500,
    "configuration": 503,
}

type Answer = Coroutine[Any, Any, HttpResponseBase]


def door(*methods: str, begins_session: bool = True) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """Settings, permission and identity before the view; every error as a frame with its status after it."""

    def decorate(view: Callable[..., Answer]) -> Callable[..., Answer]:
        @transaction.non_atomic_requests
        @functools.wraps(view)
        async def opened(request: HttpRequest, alias: str, **kwargs: Any) -> HttpResponseBase:
            found = conf.assistants().get(alias)
            if found is None or not found.enabled:
                raise Http404
            try:
                if request.method not in methods:
                    raise ChatError(f"This address takes {' and '.join(methods)}.", code="method_not_allowed")
                await identity.permit(found, await identity.user_of(request), request)
                visitor = await identity.of_request(
                    request, begins_session=begins_session, address_header=found.client_address_header
                )
                desk = await in_thread(assistants.desk, alias)
                return await view(request, desk, visitor, **kwargs)
            except ChatError as error:
                return refusal(error)
            except Exception:
                log.exception("A request to the assistant %r failed.", alias)
                return refusal(ChatError("Something went wrong on the server. Try again.", code="internal_error"))

        return opened

    return decorate


def as_json(body: dict[str, Any], status: int = 200) -> HttpResponse:
    """A JSON response that nobody keeps."""
    response = HttpResponse(wire.encode(body), content_type="application/json", status=status)
    response["Cache-Control"] = "no-store"
    return response


def refusal(error: ChatError) -> HttpResponse:
    """An error before the first frame, with its status."""
    response = as_json(wire.error_frame(error), status=STATUS.get(error.code, 400))
    if error.retry_after is not None:
        response["Retry-After"] = str(max(1, round(error.retry_after)))
    return response
