"""The audit log: who asked what, what was done for them and how it ended, without secrets, to a sink of one's own."""

import json
import logging
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from django.utils import timezone
from django.utils.module_loading import import_string

from dragoman.django.conf import Audit
from dragoman.django.redact import Redactor, scrub
from dragoman.django.threads import called
from dragoman.harness.caller import Caller
from dragoman.harness.errors import ConfigurationError
from dragoman.harness.events import (
    ConfirmationNeeded,
    Done,
    Envelope,
    Event,
    Failed,
    TextChunk,
    ToolCalled,
    ToolReturned,
    UserSaid,
)
from dragoman.harness.results import to_json

log = logging.getLogger("dragoman.audit")

Record = dict[str, Any]

_UNFINISHED = 1_000  # answers whose text is collected at the same time; more means that some were never ended


@dataclass(frozen=True, slots=True)
class AuditLog:
    """An observer. Each record is a dictionary of plain values with its `event_type`, and goes to the sink at once."""

    alias: str
    settings: Audit
    redactor: Redactor
    sink: Callable[[Record], Any]
    _texts: OrderedDict[str, list[str]] = field(default_factory=OrderedDict)

    async def __call__(self, caller: Caller, envelope: Envelope) -> None:
        """Write down what this event tells, if anything."""
        match envelope.event:
            case TextChunk(content):
                self._collect(envelope.run_id, content)
                return
            case Done() | ConfirmationNeeded():
                await self._write(caller, envelope, self._answer(envelope))
        if self.settings.level == "tool_calls":
            await self._write(caller, envelope, self._deed(envelope.event))
        await self._write(caller, envelope, self._word(envelope.event))

    async def _write(self, caller: Caller, envelope: Envelope, told: Record | None) -> None:
        if told is None:
            return
        place = {
            "alias": self.alias,
            "at": timezone.now().isoformat(),
            "user": caller.key,
            "conversation_id": envelope.conversation_id,
            "run_id": envelope.run_id,
            "seq": envelope.seq,
        }
        await called(self.sink, {**told, **place})

    def _collect(self, run_id: str, content: str) -> None:
        self._texts.setdefault(run_id, []).append(content)
        if len(self._texts) > _UNFINISHED:
            self._texts.popitem(last=False)

    def _answer(self, envelope: Envelope) -> Record | None:
        """What was said since the run began, or since it waited for a person."""
        text = scrub("".join(self._texts.pop(envelope.run_id, [])))
        match envelope.event:
            case Done(finish_reason, message_id, provider, model, usage):
                return {
                    "event_type": "assistant_message",
                    "message": text,
                    "message_id": message_id,
                    "finish_reason": finish_reason,
                    "provider": provider,
                    "model": model,
                    "usage": asdict(usage),
                }
        return {"event_type": "assistant_message", "message": text} if text else None

    def _word(self, event: Event) -> Record | None:
        match event:
            case UserSaid(_, text):
                return {"event_type": "user_message", "message": scrub(text)}
            case Failed(code, message):
                return {"event_type": "error", "code": code, "message": scrub(message)}
        return None

    def _deed(self, event: Event) -> Record | None:
        match event:
            case ToolCalled(call):
                self.redactor.remember(call.arguments)
                arguments = self.redactor.value(call.arguments)
                return {"event_type": "tool_call", "call_id": call.id, "tool_name": call.name, "args": arguments}
            case ConfirmationNeeded(call_id, operation, given, expires_at):
                return {
                    "event_type": "confirmation_needed",
                    "call_id": call_id,
                    "mutation": operation,
                    "input": self.redactor.value(given),
                    "expires_at": expires_at.isoformat(),
                }
            case ToolReturned(result, arguments, operation, given):
                self.redactor.remember(arguments)
                told: Record = {
                    "event_type": "tool_result",
                    "call_id": result.call_id,
                    "tool_name": result.name,
                    "args": self.redactor.value(arguments),
                    "result": self._cut(self.redactor.value(result.data)),
                    "failed": result.failed,
                    "ran": result.ran,
                }
                if operation:
                    told |= {"mutation": operation, "input": self.redactor.value(given)}
                return told
        return None

    def _cut(self, result: Any) -> Any:
        """A result that is too long as the beginning of its text; what is secret is gone before."""
        text = to_json(result)
        most = self.settings.max_result_size
        return result if len(text) <= most else f"{text[:most]}… ({len(text) - most:,} characters more)"


def audit_log(alias: str, settings: Audit) -> AuditLog | None:
    """The observer that the settings ask for, or None. Raises ConfigurationError where `logger` cannot be imported."""
    if not settings.enabled or settings.level == "off":
        return None
    sink: Callable[[Record], Any] = to_logging
    if settings.logger:
        try:
            sink = import_string(settings.logger)
        except ImportError as error:
            raise ConfigurationError(f"The audit logger {settings.logger!r} cannot be imported.") from error
    return AuditLog(alias, settings, Redactor(settings.redact_fields), sink)


def to_logging(record: Record) -> None:
    """The sink where none is set: one line of JSON to the logger `dragoman.audit`, at the level INFO."""
    log.info("%s", json.dumps(record, ensure_ascii=False, default=str), extra={"audit": record})
