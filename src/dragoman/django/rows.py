"""Rows and values: what the harness says, as the tables keep it, and back."""

import json
import math
import uuid
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, cast

from django.utils.crypto import salted_hmac

from dragoman.django import models
from dragoman.harness.messages import Message, Outcome, Role, ToolCall, ToolResult, Usage
from dragoman.harness.results import to_json
from dragoman.harness.store import Conversation, Decision, PausedCall


def conversation(row: models.Conversation) -> Conversation:
    return Conversation(
        id=row.id.hex,
        owner=row.owner,
        title=row.title,
        summary=row.summary,
        summarized_through=row.summarized_through,
        created=row.created,
        provider=row.provider,
        model=row.model,
    )


def row(conversation_id: uuid.UUID, message: Message) -> models.Message:
    return models.Message(
        conversation_id=conversation_id,
        message_id=message.id,
        run_id=message.run_id,
        role=message.role,
        text=storable(message.text),
        calls=[storable(asdict(call)) for call in message.calls],
        result=storable(asdict(message.result)) if message.result else None,
        created=message.created,
        provider=message.provider,
        model=message.model,
        outcome=storable(asdict(message.outcome)) if message.outcome else None,
        carry=storable([dict(piece) for piece in message.carry]),
        **asdict(message.usage),
    )


def message(row: models.Message) -> Message:
    return Message(
        role=cast(Role, row.role),
        text=row.text,
        calls=tuple(ToolCall(**call) for call in row.calls),
        result=ToolResult(**row.result) if row.result else None,
        id=row.message_id,
        run_id=row.run_id,
        created=row.created,
        provider=row.provider,
        model=row.model,
        usage=Usage(row.input_tokens, row.output_tokens, row.cached_tokens, row.estimated),
        outcome=Outcome(**row.outcome) if row.outcome else None,
        carry=tuple(row.carry),
    )


def paused_call(row: models.PausedCall) -> PausedCall:
    return PausedCall(
        call=ToolCall(**row.call),
        conversation_id=row.conversation_id.hex,
        run_id=row.run_id,
        expires_at=row.expires_at,
        operation=row.operation,
        input=row.input,
        decision=cast(Decision, row.decision) if row.decision else None,
    )


def seal(paused: PausedCall, owner: str) -> str:
    """Keyed, so that whoever may write to the table and does not know the project's secret cannot make one up."""
    shown = (asdict(paused.call), paused.operation, dict(paused.input), owner, paused.conversation_id, paused.run_id)
    text = json.dumps(_whole(json.loads(to_json(storable(shown)))), sort_keys=True)
    return salted_hmac("dragoman.confirmation", text, algorithm="sha256").hexdigest()


def _whole(value: Any) -> Any:
    """The value with 1000.0 as 1000: databases do not keep the two apart."""
    match value:
        case float() if value.is_integer():
            return int(value)
        case dict():
            return {key: _whole(inner) for key, inner in value.items()}
        case list():
            return [_whole(inner) for inner in value]
    return value


def storable[T](value: T) -> T:
    """The value as every database takes it: no NUL, no half of a surrogate pair, no number that JSON does not have."""
    plain: Any = value
    match plain:
        case str():
            plain = plain.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()
        case Mapping():
            plain = {storable(key): storable(inner) for key, inner in plain.items()}
        case list() | tuple():
            plain = [storable(inner) for inner in plain]
        case float() if not math.isfinite(plain):
            plain = None
    return cast(T, plain)
