"""Events to frames and frames to requests; a stored history replayed as events."""

import asyncio
import json
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from dragoman.harness.claims import evidence
from dragoman.harness.claims.claim import Claim
from dragoman.harness.errors import BadRequest, ChatError
from dragoman.harness.events import (
    ConfirmationNeeded,
    Done,
    Envelope,
    Event,
    Evidence,
    Failed,
    RoundLimit,
    TextChunk,
    Thinking,
    ToolCalled,
    ToolReturned,
    UserSaid,
)
from dragoman.harness.messages import Message, ToolResult, Usage
from dragoman.harness.results import to_json
from dragoman.harness.store import PausedCall

Frame = dict[str, Any]

# What a proxy, a browser and Django's GZipMiddleware need to pass events on one by one.
HEADERS = {
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
    "Content-Encoding": "identity",
}
_FIRST_ERRORS = frozenset({"retry_limit", "turn_limit"})  # told before the text that was written in spite of them


@dataclass(frozen=True, slots=True)
class Ask:
    """A client's `message`."""

    text: str
    conversation_id: str | None = None
    provider: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True)
class Revise:
    """A client's `edit`, or its `regenerate`, which has no text: the turn of a message is asked anew."""

    message_id: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Attach:
    """A client's `attach`: hear a run from the frame after `after_seq` on."""

    conversation_id: str
    run_id: str
    after_seq: int = 0


@dataclass(frozen=True, slots=True)
class Decide:
    """A client's `confirm`."""

    confirmation_id: str
    confirmed: bool


@dataclass(frozen=True, slots=True)
class StopRun:
    """A client's `stop`."""

    conversation_id: str


Request = Ask | Revise | Decide | StopRun | Attach


def frame(envelope: Envelope) -> Frame:
    """An event as the client gets it, with its place."""
    place = {"conversation_id": envelope.conversation_id, "run_id": envelope.run_id, "seq": envelope.seq}
    return {**_body(envelope.event), **place}


def error_frame(error: ChatError, conversation_id: str | None = None) -> Frame:
    """An error outside any run; its run_id is null and its seq 0."""
    body = _body(Failed(error.code, error.message, error.retry_after))
    return {**body, "conversation_id": conversation_id, "run_id": None, "seq": 0}


def encode(body: Frame) -> str:
    """A frame as JSON text."""
    return to_json(body)


def decode(value: Any) -> Any:
    """The value as a client gets it: what `encode` writes, read again."""
    return json.loads(to_json(value))


def sse(envelope: Envelope) -> str:
    """An event of a text/event-stream; its id is `<run_id>:<seq>`."""
    return sse_frame(frame(envelope))


def sse_frame(body: Frame) -> str:
    """A frame as an event of a text/event-stream. One outside of any run has no id: nobody goes on after it."""
    place = f"id: {body['run_id']}:{body['seq']}\n" if body["run_id"] else ""
    return f"{place}data: {encode(body)}\n\n"


async def with_heartbeat(source: AsyncGenerator[str], seconds: float = 15) -> AsyncGenerator[str]:
    """Pass on `source`, and a comment whenever it was silent for `seconds`, so that proxies keep the line open."""
    step: asyncio.Task[str] | None = None
    try:
        while True:
            step = step or asyncio.ensure_future(anext(source))
            # Not wait_for: it would cancel the source at the first silence.
            done, _ = await asyncio.wait({step}, timeout=seconds)
            if not done:
                yield ": still here\n\n"
                continue
            finished, step = step, None
            try:
                text = finished.result()
            except StopAsyncIteration:
                return
            yield text
    finally:
        if step is not None:
            step.cancel()
            await asyncio.wait({step})
        await source.aclose()


def parse(data: str | bytes) -> Request:
    """A client's frame as a request. Raises BadRequest: bad_json with the position, or bad_event."""
    try:
        body = json.loads(data)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise BadRequest(f"This is no valid JSON: {error.msg} at {place}.", code="bad_json") from None
    except (UnicodeDecodeError, RecursionError):
        raise BadRequest("This is no valid JSON in UTF-8.", code="bad_json") from None
    if not isinstance(body, dict):
        raise BadRequest('A frame is a JSON object, such as {"type": "message", "text": "..."}.')
    match body.get("type"):
        case "message":
            return Ask(
                _text(body, "text"),
                _text(body, "conversation_id", needed=False) or None,
                _text(body, "provider", needed=False),
                _text(body, "model", needed=False),
            )
        case "edit":
            return Revise(_text(body, "message_id"), _text(body, "text"))
        case "regenerate":
            return Revise(_text(body, "message_id"))
        case "attach":
            return Attach(_text(body, "conversation_id"), _text(body, "run_id"), _count(body, "after_seq"))
        case "confirm":
            return decision(body)
        case "stop":
            return StopRun(_text(body, "conversation_id"))
        case _:
            raise BadRequest(
                "Unknown chat event. A frame's type is message, confirm, stop, edit, regenerate or attach."
            )


def decision(body: Frame) -> Decide:
    """The decision in a JSON object. Raises BadRequest unless `confirmed` is true or false."""
    confirmed = body.get("confirmed")
    if not isinstance(confirmed, bool):
        raise BadRequest("A decision needs confirmation_id and confirmed, which is true or false.")
    return Decide(_text(body, "confirmation_id"), confirmed)


def replay(
    conversation_id: str,
    messages: Sequence[Message],
    paused: Iterable[PausedCall] = (),
) -> list[Envelope]:
    """Stored messages as the events that were told, numbered anew within each run; a text comes as one piece.

    `paused` are the calls that still wait, each as it was shown.
    """
    waiting: dict[str, list[Event]] = {}
    for call in paused:
        need = ConfirmationNeeded(call.call.id, call.operation, call.input, call.expires_at)
        waiting.setdefault(call.run_id, []).append(need)
    envelopes: list[Envelope] = []
    seqs: dict[str, int] = {}
    for run_id, rows in groupby(messages, key=lambda message: message.run_id):
        for event in [*_events(list(rows)), *waiting.pop(run_id, [])]:
            seqs[run_id] = seqs.get(run_id, 0) + 1
            envelopes.append(Envelope(conversation_id, run_id, seqs[run_id], event))
    return envelopes


def _events(rows: list[Message]) -> Iterable[Event]:
    spent, rounds = Usage(), 0
    for row in rows:
        spent += row.usage
        if row.role == "user":
            yield UserSaid(row.id, row.text, row.created)
        elif row.result is not None:
            yield ToolReturned(row.result)
        elif row.role == "assistant":
            yield from _assistant(row, rounds, spent, evidence.of_turn(rows) if row is rows[-1] else ())
            rounds += bool(row.calls)


def _assistant(row: Message, rounds: int, spent: Usage, claims: tuple[Claim, ...]) -> Iterable[Event]:
    outcome = row.outcome
    error = None
    if outcome is not None and outcome.error_code:
        error = Failed(outcome.error_code, outcome.error_message, outcome.retry_after)
    if outcome is not None and outcome.finish_reason == "round_limit":
        yield RoundLimit(rounds)
    if error and error.code in _FIRST_ERRORS:
        yield error
    if row.text:
        yield TextChunk(row.text)
    for call in row.calls:
        yield ToolCalled(call)
    if error and error.code not in _FIRST_ERRORS:
        yield error
    if claims:
        yield Evidence(claims)
    if outcome is not None:
        yield Done(outcome.finish_reason, row.id, row.provider, row.model, spent)


def _body(event: Event) -> Frame:
    match event:
        case TextChunk(content):
            return {"type": "text_chunk", "content": content}
        case Thinking(content):
            return {"type": "thinking", "content": content}
        case ToolCalled(call):
            return {"type": "tool_call", "id": call.id, "name": call.name, "args": call.arguments}
        case ToolReturned(result):
            return {"type": "tool_result", "id": result.call_id, "name": result.name, **_told(result)}
        case ConfirmationNeeded(id, operation, given, expires_at):
            return {
                "type": "confirm_mutation",
                "id": id,
                "mutation": operation,
                "input": given,
                "expires_at": expires_at.isoformat(),
            }
        case UserSaid(id, text, created):
            return {"type": "user_message", "id": id, "text": text, "created": created.isoformat()}
        case RoundLimit(rounds):
            return {"type": "round_limit", "rounds": rounds}
        case Failed(code, message, retry_after):
            body = {"type": "error", "message": message, "code": code}
            return body if retry_after is None else {**body, "retry_after": retry_after}
        case Evidence(items):
            return {"type": "evidence", "items": [_claim(item) for item in items]}
        case Done():
            return {"type": "done", **asdict(event)}


def _claim(claim: Claim) -> Frame:
    body = asdict(claim)
    if claim.source is not None:  # what a source does not have is left out
        body["source"] = {key: value for key, value in body["source"].items() if value not in ("", None)}
    return body


def _told(result: ToolResult) -> Frame:
    return {"result" if result.writes else "data": result.data}


def _count(body: Frame, key: str) -> int:
    value = body.get(key, 0)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise BadRequest(f"A {body.get('type')} needs {key!r}, a whole number of at least 0.")
    return value


def _text(body: Frame, key: str, *, needed: bool = True) -> str:
    value = body.get(key)
    if value is None and not needed:
        return ""
    if not isinstance(value, str):
        raise BadRequest(f"A {body.get('type', 'confirm')} needs {key!r}, a text.")
    return value
