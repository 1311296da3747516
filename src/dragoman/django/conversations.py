"""Conversations over HTTP: begin, list, replay, rename, switch, delete; and all data of a person."""

import json
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from dragoman.django import records, runs, turns
from dragoman.django.assistants import Desk
from dragoman.django.door import as_json, door
from dragoman.django.identity import SignedOut, Visitor
from dragoman.django.rows import storable
from dragoman.django.threads import in_thread
from dragoman.harness import wire
from dragoman.harness.errors import BadRequest, ConfigurationError
from dragoman.harness.provider import model_of
from dragoman.harness.store import Conversation
from dragoman.providers import catalog

_PAGE, _MOST = 30, 100
_DELETING_SECONDS = 5  # how long a deletion waits for the answer that it stopped


@door("GET", "POST")
async def begin(request: HttpRequest, desk: Desk, visitor: Visitor) -> HttpResponseBase:
    """Begin a new conversation; answers with its id."""
    conversation = await desk.store.create(visitor.caller, visitor.session)
    return as_json({"conversation_id": conversation.id}, status=201)


@door("GET", "POST", begins_session=False)
async def listing(request: HttpRequest, desk: Desk, visitor: Visitor) -> HttpResponseBase:
    """The caller's conversations, the last used one first. Whoever only looks gets no session by it."""
    limit, offset = _number(request, "limit", _PAGE, 1, _MOST), _number(request, "offset", 0, 0, 10**6)
    found, more = await in_thread(records.listed, desk.settings.alias, visitor.caller, limit, offset)
    body: dict[str, Any] = {
        "conversations": [
            {
                "conversation_id": one.id,
                "title": one.title,
                "created": one.created.isoformat(),
                "updated": one.updated.isoformat(),
                "running": one.running,
                "provider": one.provider or desk.choices.default_name,
                "model": one.model,
            }
            for one in found
        ]
    }
    return as_json({**body, "next_offset": offset + limit} if more else body)


async def conversations(request: HttpRequest, alias: str) -> HttpResponseBase:
    """GET lists the caller's conversations, POST begins a new one."""
    return await (begin if request.method == "POST" else listing)(request, alias)


@door("GET", "PATCH", "DELETE", begins_session=False)
async def conversation(
    request: HttpRequest, desk: Desk, visitor: Visitor, conversation_id: str = ""
) -> HttpResponseBase:
    """GET replays a stored conversation; PATCH renames it or switches its model; DELETE deletes it."""
    found = await desk.store.get(conversation_id, visitor.caller)
    match request.method:
        case "PATCH":
            return await _changed(request, desk, visitor, found)
        case "DELETE":
            return await _deleted(desk, visitor, found)
        case _:
            return await _replayed(desk, found)


@door("GET", "DELETE", begins_session=False)
async def data(request: HttpRequest, desk: Desk, visitor: Visitor) -> HttpResponseBase:
    """GET is all that is kept of the signed-in person with this assistant; DELETE deletes their conversations."""
    if not visitor.caller.is_authenticated:
        raise SignedOut("Sign in to see or delete what is kept of you.")
    alias, owner = desk.settings.alias, visitor.caller.key
    if request.method == "DELETE":
        return as_json({"deleted": await in_thread(records.delete_all, owner, alias)})
    response = as_json(await in_thread(records.export, owner, alias))
    response["Content-Disposition"] = f'attachment; filename="conversations-{alias}.json"'
    return response


@door("GET", begins_session=False)
async def models(request: HttpRequest, desk: Desk, visitor: Visitor) -> HttpResponseBase:
    """The models of a provider: live, or those we know of with the reason why it could not be asked."""
    name = request.GET.get("provider") or desk.choices.default_name
    try:
        if name not in catalog.SERVICES and not desk.choices.offers(name):
            raise ConfigurationError(f"There is no provider {name!r}. There is: {', '.join(catalog.SERVICES)}.")
        found = await desk.choices.models(name)
    except ConfigurationError as error:
        raise BadRequest(error.message, code="unknown_provider") from None
    body = {
        "provider": name,
        "source": found.source,
        "models": [{"id": model.id, "name": model.title} for model in found.models],
    }
    return as_json({**body, "error": found.reason} if found.reason else body)


# ----------------------------------------------------------------------------------------------------------------------


async def _replayed(desk: Desk, found: Conversation) -> HttpResponse:
    messages = await desk.store.messages(found.id)
    running, run_id = await runs.going_on(desk.supervisor, found.id)
    envelopes = wire.replay(found.id, messages, await desk.store.paused(found.id))
    return as_json(
        {
            **await _about(desk, found),
            "frames": [wire.frame(envelope) for envelope in envelopes],
            "running": running,
            "run_id": run_id,
        }
    )


async def _changed(request: HttpRequest, desk: Desk, visitor: Visitor, found: Conversation) -> HttpResponse:
    wanted = _wanted(request)
    if "title" in wanted:
        await in_thread(records.rename, desk.settings.alias, visitor.caller, found.id, wanted["title"])
    if "provider" in wanted or "model" in wanted:
        # Another provider brings its own default model.
        name = wanted.get("provider") or found.provider or desk.choices.default_name
        model = wanted.get("model", "")
        if refused := desk.choices.refusal(name, model):
            raise BadRequest(refused.message, code=refused.code)
        await desk.store.switch(found.id, name, model)
    return as_json(await _about(desk, await desk.store.get(found.id, visitor.caller)))


async def _deleted(desk: Desk, visitor: Visitor, found: Conversation) -> HttpResponse:
    await runs.stop(desk.supervisor, found.id)
    async with desk.store.hold(found.id, "", wait_seconds=_DELETING_SECONDS):
        await in_thread(records.delete, desk.settings.alias, visitor.caller, found.id)
    return as_json({"conversation_id": found.id, "deleted": True})


async def _about(desk: Desk, found: Conversation) -> dict[str, Any]:
    name = found.provider if desk.choices.offers(found.provider) else desk.choices.default_name
    return {
        "conversation_id": found.id,
        "title": found.title,
        "created": found.created.isoformat(),
        "provider": name,
        "model": model_of(await turns.answering(desk, found)),
    }


def _wanted(request: HttpRequest) -> dict[str, str]:
    try:
        body = json.loads(request.body)
    except (ValueError, RecursionError):
        raise BadRequest("This is no valid JSON.", code="bad_json") from None
    known = ("title", "provider", "model")
    if not isinstance(body, dict) or not body or not set(body) <= set(known):
        raise BadRequest(f"Send a JSON object with some of: {', '.join(known)}.")
    if not all(isinstance(value, str) for value in body.values()):
        raise BadRequest("Each value is a text.")
    body = storable(body)
    title = body.get("title")
    if title is not None and not 0 < len(title.strip()) <= records.TITLE_CHARACTERS:
        raise BadRequest(f"A title has 1 to {records.TITLE_CHARACTERS} characters.")
    if len(body.get("model", "")) > records.TITLE_CHARACTERS:
        raise BadRequest("That is no name of a model.")
    return {**body, "title": title.strip()} if title is not None else body


def _number(request: HttpRequest, name: str, default: int, least: int, most: int) -> int:
    text = request.GET.get(name, str(default))
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise BadRequest(f"{name!r} is a whole number.")
    return min(max(int(text), least), most)
