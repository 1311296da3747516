"""The page, and the HTTP ways to ask: a whole turn at once, a stream of events, a decision, a stop, a replay."""

import json
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import render

from dragoman.django import runs, turns
from dragoman.django.assistants import Desk
from dragoman.django.door import STATUS, as_json, door
from dragoman.django.identity import Visitor
from dragoman.django.threads import in_thread
from dragoman.harness import wire
from dragoman.harness.errors import BadRequest, ChatError
from dragoman.harness.events import ConfirmationNeeded, Envelope, TextChunk, ToolCalled, ToolReturned
from dragoman.harness.runs import Run
from dragoman.harness.store import Conversation

log = logging.getLogger("dragoman.views")


async def _page(request: HttpRequest, desk: Desk, visitor: Visitor) -> HttpResponseBase:
    get_token(request)  # the page posts, so its visitor needs the cookie
    session = getattr(request, "session", None)
    return await in_thread(
        render,
        request,
        "dragoman/page.html",
        {
            "base": desk.settings.url,
            "alias": desk.settings.alias,
            "who": visitor.caller.name,
            "known": visitor.caller.is_authenticated or bool(session is not None and session.session_key),
            "providers": " ".join(desk.choices.names),
        },
    )


page = door("GET", "HEAD", begins_session=False)(_page)


@door("POST")
async def ask(request: HttpRequest, desk: Desk, visitor: Visitor) -> HttpResponseBase:
    """Answer a message, as one JSON object or, where the client accepts them, as a stream of events."""
    match _parse(request, "message"):
        case wire.Ask() as asked:
            pass
        case _:
            raise BadRequest('Unknown chat event. Send {"text": "..."} here.')

    async def newest() -> Conversation:
        await desk.budget.check(visitor.caller)  # a refused message leaves no conversation behind
        return await desk.store.newest(visitor.caller, visitor.session)

    return await _told_to(request, desk, visitor, await turns.ask(desk, visitor, asked, newest))


@door("POST")
async def edit(request: HttpRequest, desk: Desk, visitor: Visitor) -> HttpResponseBase:
    """Ask a message in other words; answers as a message does."""
    return await _revise(request, desk, visitor, "edit")


@door("POST")
async def regenerate(request: HttpRequest, desk: Desk, visitor: Visitor) -> HttpResponseBase:
    """Ask a message again; answers as a message does."""
    return await _revise(request, desk, visitor, "regenerate")


async def chat(request: HttpRequest, alias: str) -> HttpResponseBase:
    """The assistant's one address: GET is the page, POST asks."""
    return await (ask if request.method == "POST" else page)(request, alias)


@door("POST")
async def confirm(request: HttpRequest, desk: Desk, visitor: Visitor) -> HttpResponseBase:
    """Decide a call that waits; answers with its result and what the turn says after it."""
    match _parse(request, "confirm"):
        case wire.Decide(call_id, confirmed):
            pass
        case _:
            raise BadRequest('Unknown chat event. Send {"confirmation_id": "...", "confirmed": true} here.')
    try:
        run = await turns.decide(desk, visitor, call_id, "confirmed" if confirmed else "user_rejected")
        if _wants_events(request):
            return await _stream(run)
        return _told(await _all(run))
    except BadRequest as error:
        if error.code != "bad_event":
            raise
        return await _answered_before(desk, visitor, call_id)


@door("POST")
async def stop(request: HttpRequest, desk: Desk, visitor: Visitor) -> HttpResponseBase:
    """Stop what answers in a conversation; its text so far is kept."""
    match _parse(request, "stop"):
        case wire.StopRun(conversation_id):
            conversation = await desk.store.get(conversation_id, visitor.caller)
        case _:
            raise BadRequest('Unknown chat event. Send {"conversation_id": "..."} here.')
    return as_json({"conversation_id": conversation.id, "stopped": await runs.stop(desk.supervisor, conversation.id)})


@door("GET", begins_session=False)
async def run(
    request: HttpRequest, desk: Desk, visitor: Visitor, conversation_id: str = "", run_id: str = ""
) -> HttpResponseBase:
    """The frames of a run after `?after=`, or after `Last-Event-ID`, as a stream; 204 where there is none to come."""
    found = await desk.store.get(conversation_id, visitor.caller)
    frames = runs.attach(desk.supervisor, found.id, run_id, _place(request, run_id))
    try:
        first = await anext(frames)
    except StopAsyncIteration:
        return HttpResponse(status=204)
    except BaseException:
        await frames.aclose()
        raise
    return StreamingHttpResponse(
        wire.with_heartbeat(_attached(first, frames)), content_type="text/event-stream", headers=wire.HEADERS
    )


# Runs -----------------------------------------------------------------------------------------------------------------


async def _revise(request: HttpRequest, desk: Desk, visitor: Visitor, kind: str) -> HttpResponseBase:
    match _parse(request, kind):
        case wire.Revise() as revised:
            return await _told_to(request, desk, visitor, await turns.revise(desk, visitor, revised))
        case _:
            raise BadRequest('Unknown chat event. Send {"message_id": "..."} here.')


async def _told_to(request: HttpRequest, desk: Desk, visitor: Visitor, run: Run) -> HttpResponseBase:
    return await (_stream(run) if _wants_events(request) else _whole_turn(desk, visitor, run))


async def _whole_turn(desk: Desk, visitor: Visitor, run: Run) -> HttpResponseBase:
    """All of a turn. One response has no way back for a confirmation, so what asks for one is cancelled."""
    envelopes: list[Envelope] = []
    refused = False
    waiting: list[str] = []
    while True:
        told = await _all(run)
        envelopes += told
        waiting += [envelope.event.id for envelope in told if isinstance(envelope.event, ConfirmationNeeded)]
        if not waiting:
            break
        refused = True
        run = await turns.decide(desk, visitor, waiting.pop(0), "confirmation_unsupported")
    if not refused:
        return _told(envelopes)
    unsupported = ChatError(
        "A plain POST cannot ask for a confirmation, so nothing was changed. Ask over a stream of events "
        "(Accept: text/event-stream) or a WebSocket.",
        code="confirmation_unsupported",
    )
    return _told(envelopes, unsupported)


async def _all(run: Run) -> list[Envelope]:
    async with aclosing(run.listen()) as envelopes:
        return [envelope async for envelope in envelopes]


async def _stream(run: Run) -> HttpResponseBase:
    """The run as server-sent events. What keeps it from beginning is raised before there is a response."""
    envelopes = run.listen()
    try:
        first = await anext(envelopes)
    except BaseException:
        await envelopes.aclose()
        raise
    return StreamingHttpResponse(
        wire.with_heartbeat(_events(first, envelopes)), content_type="text/event-stream", headers=wire.HEADERS
    )


async def _events(first: Envelope, envelopes: AsyncGenerator[Envelope]) -> AsyncGenerator[str]:
    async with aclosing(envelopes):
        yield wire.sse(first)
        async for envelope in envelopes:
            yield wire.sse(envelope)


async def _attached(first: wire.Frame, frames: AsyncGenerator[wire.Frame]) -> AsyncGenerator[str]:
    async with aclosing(frames):
        yield wire.sse_frame(first)
        try:
            async for frame in frames:
                yield wire.sse_frame(frame)
        except ChatError as error:
            yield wire.sse_frame(wire.error_frame(error, first["conversation_id"]))


def _place(request: HttpRequest, run_id: str) -> int:
    heard = request.headers.get("last-event-id", "")
    text = heard.removeprefix(f"{run_id}:") if heard.startswith(f"{run_id}:") else request.GET.get("after", "0")
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise BadRequest("'after' is a whole number.")
    return int(text)


# Requests and responses -----------------------------------------------------------------------------------------------


def _parse(request: HttpRequest, kind: str) -> wire.Request:
    """The request's JSON as a frame of this kind; over HTTP the address says the kind, so `type` may be left out."""
    try:
        data = request.body
    except RequestDataTooBig:
        raise BadRequest("The request is too large. Shorten the message.", code="message_too_long") from None
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        return wire.parse(data)  # which says what is wrong with it
    return wire.parse(json.dumps({"type": kind, **body}) if isinstance(body, dict) else data)


def _wants_events(request: HttpRequest) -> bool:
    return request.get_preferred_type(["application/json", "text/event-stream"]) == "text/event-stream"


def _told(envelopes: list[Envelope], error: ChatError | None = None) -> HttpResponse:
    """A turn as one object: its frames, and its answer, which is the text after the last tool."""
    answer: list[str] = []
    for envelope in envelopes:
        match envelope.event:
            case ToolCalled() | ToolReturned():
                answer.clear()
            case TextChunk(content):
                answer.append(content)
    last = envelopes[-1]
    body = {
        "conversation_id": last.conversation_id,
        "run_id": last.run_id,
        "frames": [wire.frame(envelope) for envelope in envelopes],
        "answer": "".join(answer),
    }
    if error is None:
        return as_json(body)
    return as_json({**wire.error_frame(error), **body}, status=STATUS.get(error.code, 400))


async def _answered_before(desk: Desk, visitor: Visitor, call_id: str) -> HttpResponse:
    """What a second answer gets: the result of the first; an unknown or expired confirmation is an unknown event."""
    if (again := await turns.result_of(desk, visitor, call_id)) is not None:
        place = {"conversation_id": again["conversation_id"], "run_id": again["run_id"]}
        return as_json({**place, "frames": [again], "answer": ""})
    body = {"type": "error", "message": "Unknown chat event.", "code": "bad_event"}
    return as_json(body, status=STATUS["unknown_confirmation"])
