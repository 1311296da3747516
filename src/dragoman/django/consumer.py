"""The WebSocket: frames in, frames out; a run belongs to the supervisor, this only listens to it."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from datetime import datetime
from typing import Any

from channels.consumer import get_handler_name
from channels.generic.websocket import AsyncWebsocketConsumer
from django.core.exceptions import ImproperlyConfigured

from dragoman.django import assistants, conf, identity, runs, turns
from dragoman.django.assistants import Desk
from dragoman.django.identity import NotPermitted, SignedOut, Visitor
from dragoman.django.threads import in_thread
from dragoman.harness import wire
from dragoman.harness.errors import BadRequest, ChatError
from dragoman.harness.events import ConfirmationNeeded, Envelope, ToolReturned
from dragoman.harness.messages import now
from dragoman.harness.runs import Run
from dragoman.harness.store import Conversation, Decision

log = logging.getLogger("dragoman.consumer")

# More than the longest message takes in JSON; what is larger is not even parsed.
FRAME_CHARACTERS = 500_000
NOT_PERMITTED, SIGNED_OUT, GOING_AWAY = 4403, 4401, 1011

LEAVING_SECONDS = 10  # how long a closing socket waits for its runs to be written down


class ChatConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]  # Channels ships no types
    """One socket of one visitor. No frame waits for a turn: stop, confirm and disconnect are handled at once."""

    def __init__(self, alias: str = "default") -> None:
        super().__init__()
        self.alias = alias
        self._conversation: Conversation | None = None
        self._listening: dict[asyncio.Task[None], Run] = {}
        self._attached: set[asyncio.Task[None]] = set()
        self._timers: dict[str, asyncio.Task[None]] = {}

    # What Channels calls --------------------------------------------------------------------------------------------

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Hand a message to its handler. Channels' own first waits for the one thread that all consumers share."""
        await getattr(self, get_handler_name(message))(message)

    async def connect(self) -> None:
        """Accept whom the project permits; an anonymous visitor gets a session's cookie with it."""
        try:
            found = conf.enabled()[self.alias]
            self._socket = identity.Socket(self.scope, found.client_address_header)
            await identity.permit(found, self._socket.user, self.scope)
        except (KeyError, NotPermitted):
            await self.close(NOT_PERMITTED)
        except ImproperlyConfigured:
            log.exception("The assistant %r cannot answer.", self.alias)
            await self.close(GOING_AWAY)
        else:
            await self.accept(headers=await self._socket.open())

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Handle one frame; whatever is wrong with it is told, and the socket lives on."""
        try:
            await self._handle(text_data)
        except SignedOut as error:
            await self._tell(wire.error_frame(error))
            await self.close(SIGNED_OUT)
        except ChatError as error:
            await self._tell(wire.error_frame(error, self._conversation.id if self._conversation else None))
        except Exception:
            log.exception("A frame to the assistant %r failed.", self.alias)
            failed = ChatError("Something went wrong on the server. Try again.", code="internal_error")
            await self._tell(wire.error_frame(failed))

    async def disconnect(self, code: int) -> None:
        """Stop listening; a run nobody listens to is interrupted and written down, after the grace period if any."""
        runs = list(self._listening.values())
        tasks = [*self._listening, *self._attached, *self._timers.values()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        if runs and not conf.assistants()[self.alias].disconnect_grace_seconds:
            await asyncio.wait([run.task for run in runs], timeout=LEAVING_SECONDS)

    # Frames ---------------------------------------------------------------------------------------------------------

    async def _handle(self, text: str | None) -> None:
        if text is None:
            raise BadRequest("A frame is a text that holds JSON, not bytes.", code="bad_json")
        if len(text) > FRAME_CHARACTERS:
            raise BadRequest(
                f"The frame has {len(text):,} characters; at most {FRAME_CHARACTERS:,} are read. Shorten the message.",
                code="message_too_long",
            )
        request = wire.parse(text)
        visitor = await self._socket.visitor()
        await identity.permit(conf.assistants()[self.alias], visitor.caller.user, self.scope)
        desk: Desk = await in_thread(assistants.desk, self.alias)
        match request:
            case wire.Ask():
                await self._ask(desk, visitor, request)
            case wire.Revise():
                self._listen(desk, await turns.revise(desk, visitor, request))
            case wire.Decide(call_id, confirmed):
                decision: Decision = "confirmed" if confirmed else "user_rejected"
                await self._decide(desk, visitor, call_id, decision)
            case wire.Attach(conversation_id, run_id, after):
                conversation = await desk.store.get(conversation_id, visitor.caller)
                frames = runs.attach(desk.supervisor, conversation.id, run_id, after)
                task = asyncio.ensure_future(self._hear(conversation.id, frames))
                self._attached.add(task)
                task.add_done_callback(self._attached.discard)
            case wire.StopRun(conversation_id):
                conversation = await desk.store.get(conversation_id, visitor.caller)
                # Stopping waits for the run to write down where it stands; the next frame does not.
                self._in_background(runs.stop(desk.supervisor, conversation.id))

    async def _ask(self, desk: Desk, visitor: Visitor, request: wire.Ask) -> None:
        async def mine() -> Conversation:
            if self._conversation is None or self._conversation.owner != visitor.caller.key:
                await desk.budget.check(visitor.caller)  # a refused message leaves no conversation behind
                return await desk.store.create(visitor.caller, visitor.session)
            # As it is now: what was folded meanwhile is not sent again.
            return await desk.store.get(self._conversation.id, visitor.caller)

        run = await turns.ask(desk, visitor, request, mine)
        self._listen(desk, run)
        self._conversation = await desk.store.get(run.conversation_id, visitor.caller)

    async def _decide(self, desk: Desk, visitor: Visitor, call_id: str, decision: Decision) -> None:
        try:
            self._listen(desk, await turns.decide(desk, visitor, call_id, decision))
        except BadRequest:
            if decision == "confirmation_timed_out" or not await self._tell_again(desk, visitor, call_id):
                raise

    async def _tell_again(self, desk: Desk, visitor: Visitor, call_id: str) -> bool:
        """Tell the result of a call that was decided before; False where it was not."""
        again = await turns.result_of(desk, visitor, call_id)
        if again is not None:
            await self._tell(again)
        return again is not None

    # Runs -----------------------------------------------------------------------------------------------------------

    def _listen(self, desk: Desk, run: Run) -> None:
        task = asyncio.ensure_future(self._pass_on(desk, run))
        self._listening[task] = run
        task.add_done_callback(lambda done: self._listening.pop(done, None))

    async def _pass_on(self, desk: Desk, run: Run) -> None:
        try:
            async with aclosing(run.listen()) as envelopes:
                async for envelope in envelopes:
                    await self._tell(wire.frame(envelope))
                    self._mind_the_time(desk, envelope)
        except ChatError as error:
            await self._tell(wire.error_frame(error, run.conversation_id))
        except Exception:
            # The line broke while something was said: Channels tells it by disconnect().
            log.debug("A frame could not be sent.", exc_info=True)

    async def _hear(self, conversation_id: str, frames: AsyncGenerator[wire.Frame]) -> None:
        try:
            async with aclosing(frames):
                async for frame in frames:
                    await self._tell(frame)
        except ChatError as error:
            await self._tell(wire.error_frame(error, conversation_id))
        except Exception:
            log.debug("A frame could not be sent.", exc_info=True)

    def _mind_the_time(self, desk: Desk, envelope: Envelope) -> None:
        """Decide a call that waits too long; forget the clock of one that has its result."""
        match envelope.event:
            case ConfirmationNeeded(id=call_id, expires_at=expires_at):
                self._timers[call_id] = asyncio.ensure_future(self._time_out(call_id, expires_at))
            case ToolReturned(result) if timer := self._timers.pop(result.call_id, None):
                timer.cancel()

    async def _time_out(self, call_id: str, expires_at: datetime) -> None:
        await asyncio.sleep((expires_at - now()).total_seconds())
        self._timers.pop(call_id, None)
        try:
            visitor = await self._socket.visitor()
            desk = await in_thread(assistants.desk, self.alias)
            await self._decide(desk, visitor, call_id, "confirmation_timed_out")
        except ChatError:
            log.debug("The confirmation %s needs no time-out any more.", call_id)
        except Exception:
            log.exception("The confirmation %s could not be timed out.", call_id)

    def _in_background(self, work: Coroutine[Any, Any, object]) -> None:
        task = asyncio.ensure_future(work)
        _background.add(task)
        task.add_done_callback(_background.discard)

    async def _tell(self, frame: wire.Frame) -> None:
        await self.send(text_data=wire.encode(frame))


# The loop keeps no reference to a task; without one it may be collected before it is done.
_background: set[asyncio.Future[object]] = set()
