"""What a visitor sets in motion: a message, a turn asked anew, a decision; each is a run of the supervisor."""

import asyncio
from collections.abc import Awaitable, Callable

from dragoman.django.assistants import Desk
from dragoman.django.identity import Visitor
from dragoman.django.rows import storable
from dragoman.django.runlog import logged
from dragoman.django.shutdown import takes_leave
from dragoman.harness import wire
from dragoman.harness.errors import BadRequest, ConversationBusy
from dragoman.harness.events import Envelope, ToolReturned
from dragoman.harness.provider import Provider
from dragoman.harness.runs import Begin, Run
from dragoman.harness.store import Conversation, Decision

_LOOKS, _LOOK_SECONDS = 20, 0.25  # at the result of a decision that somebody else has just taken


async def ask(desk: Desk, visitor: Visitor, request: wire.Ask, otherwise: Callable[[], Awaitable[Conversation]]) -> Run:
    """Answer a message in the conversation it names, or in the one that `otherwise` gives.

    A provider or model it names is switched to; one that is not offered makes the turn end with that error.
    Raises UnknownConversation, and RateLimited before a conversation is begun for nothing.
    """
    if request.conversation_id:
        conversation = await desk.store.get(request.conversation_id, visitor.caller)
    else:
        conversation = await otherwise()
    provider = await answering(desk, conversation)
    if request.provider or request.model:
        name = request.provider or conversation.provider or desk.choices.default_name
        provider = await desk.choices.provider(name, request.model)
        if desk.choices.refusal(name, request.model) is None:
            await desk.store.switch(conversation.id, name, request.model)
    return start(
        desk,
        conversation.id,
        lambda stop: desk.assistant.ask(
            visitor.caller, conversation, storable(request.text), interrupt=stop, provider=provider
        ),
    )


async def revise(desk: Desk, visitor: Visitor, request: wire.Revise) -> Run:
    """Ask the turn of a message anew. Raises UnknownConversation for a message that is not this caller's."""
    conversation = await desk.store.of_message(request.message_id, visitor.caller)
    provider = await answering(desk, conversation)
    text = None if request.text is None else storable(request.text)
    return start(
        desk,
        conversation.id,
        lambda stop: desk.assistant.ask(
            visitor.caller, conversation, text, interrupt=stop, provider=provider, instead_of=request.message_id
        ),
    )


async def decide(desk: Desk, visitor: Visitor, call_id: str, decision: Decision) -> Run:
    """Decide a call that waits. Raises BadRequest (bad_event) where none of this caller's does."""
    waiting = await desk.store.waiting(call_id, visitor.caller)
    if waiting is None:
        raise BadRequest("Unknown chat event.")
    provider = await answering(desk, await desk.store.get(waiting.conversation_id, visitor.caller))
    return start(
        desk,
        waiting.conversation_id,
        lambda stop: desk.assistant.decide(visitor.caller, call_id, decision, interrupt=stop, provider=provider),
    )


async def result_of(desk: Desk, visitor: Visitor, call_id: str) -> wire.Frame | None:
    """The `tool_result` of a call this caller has decided before, once more; None for any other.

    Its `seq` is 0: it is told again, and is no new part of its run. Raises ConversationBusy while it is being made.
    """
    for _ in range(_LOOKS):
        decided = await desk.store.decided(call_id, visitor.caller)
        if decided is None:
            return None
        paused, result = decided
        if result is not None:
            return wire.frame(Envelope(paused.conversation_id, paused.run_id, 0, ToolReturned(result)))
        await asyncio.sleep(_LOOK_SECONDS)
    raise ConversationBusy("This is being carried out. Ask for its result in a moment.", retry_after=1)


async def answering(desk: Desk, conversation: Conversation) -> Provider:
    """Who answers in a conversation; the configured one where its choice is not offered any more."""
    if desk.choices.refusal(conversation.provider or desk.choices.default_name, conversation.model):
        return desk.choices.default
    return await desk.choices.provider(conversation.provider, conversation.model)


def start(desk: Desk, conversation_id: str, begin: Begin) -> Run:
    """A run of this desk, which takes leave when the server ends; with a log where it may outlive its line."""
    takes_leave(desk.supervisor)
    kept = desk.settings.disconnect_grace_seconds > 0
    run = desk.supervisor.start(conversation_id, (lambda stop: logged(begin(stop))) if kept else begin)
    desk.watch.over(run)
    return run
