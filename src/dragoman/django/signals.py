"""The four signals of a chat, and the observer that sends them: the same on every transport, and unable to break a turn."""

from dataclasses import dataclass
from typing import Any

from django.dispatch import Signal

from dragoman.django.redact import Redactor
from dragoman.django.threads import in_thread
from dragoman.harness.caller import Caller
from dragoman.harness.errors import ChatError
from dragoman.harness.events import Envelope, Failed, ToolReturned, UserSaid

# Before the model is asked: user, message, conversation_id.
chat_message_received = Signal()
# After a change was made: user, mutation, input, result.
chat_mutation_executed = Signal()
# After any tool has run, or failed to: user, tool_name, args, result.
chat_tool_called = Signal()
# When a model's service, a tool or the turn failed: user, error (a ChatError), context.
chat_error = Signal()


@dataclass(frozen=True, slots=True)
class Announcer:
    """An observer. Receivers run on a thread where the ORM may be used; what they raise is logged by Django."""

    alias: str
    redactor: Redactor

    async def __call__(self, caller: Caller, envelope: Envelope) -> None:
        """Send what this event means, if anything, and wait for the receivers."""
        match envelope.event:
            case UserSaid(_, text):
                await self._send(chat_message_received, caller, envelope, message=text)
            case ToolReturned() as returned:
                await self._returned(caller, envelope, returned)
            case Failed(code, message, retry_after):
                error = ChatError(message, code=code, retry_after=retry_after)
                await self._send(chat_error, caller, envelope, error=error, context=self._context(envelope))

    async def _returned(self, caller: Caller, envelope: Envelope, returned: ToolReturned) -> None:
        result = returned.result
        if not result.ran and not result.failed:
            return  # a person let it be: nothing was called
        args, data = dict(returned.arguments), result.data
        await self._send(chat_tool_called, caller, envelope, tool_name=result.name, args=args, result=data)
        if result.failed:
            message, code = (str(data.get(key, "")) for key in ("error", "code"))
            context = {
                **self._context(envelope),
                "tool_name": result.name,
                # Errors are sent on to places where secrets have no business.
                "args": self.redactor.value(args),
            }
            await self._send(chat_error, caller, envelope, error=ChatError(message, code=code), context=context)
        elif result.writes:
            changed = {"mutation": returned.operation, "input": dict(returned.input), "result": data}
            await self._send(chat_mutation_executed, caller, envelope, **changed)

    async def _send(self, signal: Signal, caller: Caller, envelope: Envelope, **told: Any) -> None:
        if not signal.has_listeners(type(self)):
            return
        place = {"alias": self.alias, "conversation_id": envelope.conversation_id, "run_id": envelope.run_id}
        # On a thread, also for receivers that are async: what they do with the ORM stays on that thread.
        await in_thread(signal.send_robust, type(self), user=caller.user, **{**place, **told})

    def _context(self, envelope: Envelope) -> dict[str, Any]:
        return {"alias": self.alias, "conversation_id": envelope.conversation_id, "run_id": envelope.run_id}
