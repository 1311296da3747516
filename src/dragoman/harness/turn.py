"""The loop: messages and tools in, events out; stops for a confirmation, and goes on from the transcript alone."""

import asyncio
import json
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import isawaitable

from dragoman.harness import calls, tokens
from dragoman.harness.errors import BadRequest, ChatError, ProviderError, ProviderRefused
from dragoman.harness.events import ConfirmationNeeded, Event, Failed, RoundLimit, TextChunk, Thinking, ToolCalled
from dragoman.harness.limits import Limits
from dragoman.harness.messages import Message, Outcome, ToolCall, Usage, new_id, unanswered
from dragoman.harness.patience import Interrupt, patient
from dragoman.harness.provider import (
    Carry,
    Piece,
    Provider,
    Spent,
    Stop,
    Text,
    Thought,
    ToolRequest,
    Writing,
    model_of,
    name_of,
)
from dragoman.harness.store import Decision
from dragoman.harness.tools import Toolbox, ToolDefinition
from dragoman.harness.window import sendable, squeeze

log = logging.getLogger("dragoman.turn")

_CLOSING = (
    "No further tool call is possible in this turn. Answer now from what was found, and say plainly what is missing."
)


@dataclass(slots=True)
class Turn:
    """One user message and all its rounds.

    `head` is what goes before (prompt, summary, earlier exchanges). `messages` begins with the user's and grows as
    rounds complete: what is in it has happened and is to be kept. `asked` are the calls that wait for a person,
    `decisions` what was just decided of them.
    """

    provider: Provider
    toolbox: Toolbox
    limits: Limits
    head: Sequence[Message]
    messages: list[Message]
    run_id: str
    interrupt: Interrupt = field(default_factory=Interrupt)
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    asked: dict[str, ConfirmationNeeded] = field(default_factory=dict)

    @property
    def spent(self) -> Usage:
        """What the turn has cost so far."""
        return sum((message.usage for message in self.messages), Usage())

    @property
    def outcome(self) -> Outcome | None:
        """How the turn ended; None while it runs or waits."""
        return self.messages[-1].outcome


async def conduct(turn: Turn) -> AsyncGenerator[Event]:
    """Run a turn to its end, or to the calls that wait for a person.

    A message stands in `turn.messages` before the events that rest on it; the last one carries the outcome, unless
    calls wait. Cancelled, it appends what was said so far, what became of open calls and the outcome, and raises
    CancelledError; who iterates and is cancelled elsewhere throws that error in to the same effect.
    """
    draft = _Draft()
    started = time.monotonic()
    try:
        async for event in _answer(turn):
            yield event
        while not turn.asked:
            closing = _closing(turn, started)
            if closing.event:
                yield closing.event
            draft = _Draft()
            async for event in _round(turn, draft, () if closing.event else turn.toolbox.definitions):
                yield event
            if closing.event or not draft.calls:
                for event in _end(turn, draft, closing.outcome):
                    yield event
                return
            _keep(turn, draft.message(turn, calls=True))
            draft = _Draft()
            for call in turn.messages[-1].calls:
                yield ToolCalled(call)
            async for event in _answer(turn):
                yield event
    except ChatError as error:
        _keep(turn, draft.message(turn, Outcome("error", error.code, error.message, error.retry_after)))
        yield Failed(error.code, error.message, error.retry_after)
    except asyncio.CancelledError:
        if turn.outcome is None:
            for message in calls.interrupted(turn.toolbox, turn.messages, frozenset(turn.asked)):
                _keep(turn, message)
            if not turn.asked:
                _keep(turn, draft.message(turn, Outcome(turn.interrupt.reason)))
        raise


async def _answer(turn: Turn) -> AsyncGenerator[Event]:
    undecided = [call for _, call in unanswered(turn.messages) if call.id not in turn.decisions]
    fresh = calls.to_confirm(turn.toolbox, turn.limits, turn.messages)
    fresh = [need for need in fresh if need.id not in turn.asked and any(c.id == need.id for c in undecided)]
    turn.asked.update({need.id: need for need in fresh})
    async for event in calls.answer(turn.toolbox, turn.limits, turn.messages, turn.decisions, frozenset(turn.asked)):
        yield event
    for need in fresh:
        yield need


@dataclass(slots=True)
class _Draft:
    """A round while it is being said."""

    texts: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    carry: list[Mapping[str, object]] = field(default_factory=list)
    thought: list[str] = field(default_factory=list)
    spent: Usage | None = None
    stop: str = ""
    request: Sequence[Message] = ()
    tools: tuple[ToolDefinition, ...] = ()

    def usage(self) -> Usage:
        """What the round cost: what the provider said, else an estimate of all that was sent and received."""
        if self.spent is not None or not self.request:
            return self.spent or Usage()
        sent = sum(map(tokens.of_message, self.request)) + tokens.of_tools(self.tools)
        said = tokens.of_message(Message("assistant", "".join(self.texts + self.thought), tuple(self.calls)))
        return Usage(sent, said, estimated=True)

    def message(self, turn: Turn, outcome: Outcome | None = None, *, calls: bool = False) -> Message:
        return Message(
            "assistant",
            "".join(self.texts),
            tuple(self.calls) if calls else (),
            run_id=turn.run_id,
            provider=name_of(turn.provider),
            model=model_of(turn.provider),
            usage=self.usage(),
            outcome=outcome,
            carry=tuple(self.carry),
        )


@dataclass(frozen=True, slots=True)
class _Closing:
    """Why a round is the last one and gets no tools; without an event it is an ordinary round."""

    event: RoundLimit | Failed | None = None
    outcome: Outcome = field(default_factory=lambda: Outcome("stop"))


def _closing(turn: Turn, started: float) -> _Closing:
    limits = turn.limits
    rounds = [message for message in turn.messages if message.calls]
    if calls.failed_rounds(turn.messages) > limits.max_retries:
        return _stopped_by("retry_limit", f"Looking this up failed {limits.max_retries + 1} times.")
    if len(rounds) >= limits.max_tool_rounds:
        return _Closing(RoundLimit(len(rounds)), Outcome("round_limit"))
    spent = turn.spent
    if spent.input_tokens + spent.output_tokens >= limits.turn_tokens:
        return _stopped_by("turn_limit", f"This answer has used its {limits.turn_tokens:,} tokens.")
    if time.monotonic() - started >= limits.turn_seconds:
        return _stopped_by("turn_limit", f"This answer has used its {limits.turn_seconds:g} seconds.")
    return _Closing()


def _stopped_by(code: str, why: str) -> _Closing:
    message = f"{why} What follows rests on what was found so far."
    return _Closing(Failed(code, message), Outcome("error", code, message))


async def _round(turn: Turn, draft: _Draft, tools: tuple[ToolDefinition, ...]) -> AsyncIterator[Event]:
    """One request to the model, told as it comes and noted in `draft`. Raises ChatError."""
    request = [*turn.head, *turn.messages]
    if turn.toolbox.definitions and not tools:
        request.append(Message("system", _CLOSING))
    budget = turn.limits.context_tokens - tokens.of_tools(tools)
    draft.request, draft.tools = squeeze(sendable(request), budget), tools
    _check_size(draft.request, budget)
    limits = turn.limits
    try:
        stream = turn.provider.complete(draft.request, tools)
        if isawaitable(stream):
            stream = await stream
        async for piece in patient(stream, limits.timeout_seconds, limits.stream_timeout_seconds, counts=_is_something):
            if event := _note(draft, piece):
                yield event
    except (ChatError, asyncio.CancelledError):
        raise
    except Exception as error:
        log.exception("The provider %s failed.", name_of(turn.provider))
        raise ProviderError("The model's service failed. Try again, or choose another model.") from error
    if draft.stop == "refusal":
        raise ProviderRefused("The model declined to answer this.")
    if len(draft.calls) > limits.calls_per_round:
        del draft.calls[limits.calls_per_round :]


def _check_size(request: Sequence[Message], budget: int) -> None:
    # Four characters a token is never too many by more than a third: count only where it might matter.
    if sum(len(m.text) + len(m.result.content if m.result else "") for m in request) < 2 * budget:
        return
    size = sum(map(tokens.of_message, request))
    if size > budget:
        raise BadRequest(
            f"This conversation is too long for the model: about {size:,} tokens, {budget:,} fit. Start a new one.",
            code="context_exceeded",
        )


def _note(draft: _Draft, piece: Piece) -> Event | None:
    match piece:
        case Text(content):
            if not content:
                return None
            draft.texts.append(content)
            return TextChunk(content)
        case Thought(content):
            draft.thought.append(content)
            return Thinking(content) if content else None
        case ToolRequest():
            draft.calls.append(_call(piece))
        case Writing():
            pass
        case Spent(usage):
            draft.spent = usage
        case Carry(data):
            draft.carry.append(data)
        case Stop(reason):
            draft.stop = reason
        case _:
            raise ProviderError(f"The provider said {type(piece).__name__}, which is no piece of a reply.")
    return None


def _call(request: ToolRequest) -> ToolCall:
    """The request under an id of our own; two providers, or one twice, may use the same."""
    if not isinstance(request.arguments, str):
        return ToolCall(new_id(), request.name, request.arguments)
    text = request.arguments.strip() or "{}"
    try:
        arguments = json.loads(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        wrong = f"The arguments of {request.name} are no valid JSON: {error.msg} at {place}. Send the call again."
        return ToolCall(new_id(), request.name, malformed=wrong)
    if not isinstance(arguments, dict):
        kind = type(arguments).__name__
        wrong = f"The arguments of {request.name} must be a JSON object, not a {kind}. Send the call again."
        return ToolCall(new_id(), request.name, malformed=wrong)
    return ToolCall(new_id(), request.name, arguments)


def _is_something(piece: Piece) -> bool:
    return not (isinstance(piece, Text | Thought) and not piece.content)


def _end(turn: Turn, draft: _Draft, outcome: Outcome) -> list[Event]:
    events: list[Event] = []
    if draft.stop == "length":
        outcome = Outcome("error", "reply_cut", "The model's reply was cut off at its length limit.")
        events.append(Failed(outcome.error_code, outcome.error_message))
    elif not "".join(draft.texts).strip():
        if outcome.finish_reason == "stop":
            outcome = Outcome("error", "empty_reply", "The model gave no answer. Ask again, or in other words.")
            events.append(Failed(outcome.error_code, outcome.error_message))
        else:  # a turn that reached a limit ends in prose whatever the model does
            draft.texts = [_what_was_found(turn)]
            events.append(TextChunk(draft.texts[0]))
    _keep(turn, draft.message(turn, outcome))
    return events


def _what_was_found(turn: Turn) -> str:
    results = [message.result for message in turn.messages if message.result is not None]
    good = sum(not result.failed for result in results)
    return f"I could not finish this: {good} of {len(results)} lookups succeeded. Ask again, perhaps for less at once."


def _keep(turn: Turn, message: Message) -> None:
    turn.messages.append(message)
