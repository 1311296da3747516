"""Play a case through an Assistant and judge it.

Nothing here repairs, retries or recovers: what the assistant does is what a person would have got.
"""

from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from typing import Protocol

from dragoman.evals.cases import Case, Exchange, Expectations
from dragoman.evals.judges import answer, rows, tools
from dragoman.evals.results import Report, Score, Turn, Verdict
from dragoman.harness.assistant import Assistant
from dragoman.harness.caller import Caller
from dragoman.harness.errors import ChatError
from dragoman.harness.events import ConfirmationNeeded, Done, Envelope, Failed
from dragoman.harness.memory import MemoryStore
from dragoman.harness.messages import Message, Usage
from dragoman.harness.store import Conversation, Decision, Store


class Stage(Protocol):
    """The world a case plays in: the same for every case, whatever an earlier one changed."""

    def set_for(self, case: Case) -> AbstractAsyncContextManager[Caller]:
        """Within it the case's fixtures are there and its user may ask; afterwards its changes are gone."""
        ...


class EmptyStage:
    """A world that needs no setting: everybody is a caller, nothing is undone."""

    @asynccontextmanager
    async def set_for(self, case: Case) -> AsyncGenerator[Caller]:
        """A caller named like the case's user."""
        yield Caller(key=f"eval:{case.user or 'anonymous'}", name=case.user, is_authenticated=bool(case.user))


async def run(
    cases: Iterable[Case],
    assistant: Assistant,
    *,
    provider: str,
    stage: Stage | None = None,
    told: Callable[[Verdict], None] = lambda verdict: None,
) -> Report:
    """Play the cases one after another, each as a conversation of its own; `told` hears each verdict as it falls."""
    stage, verdicts = stage or EmptyStage(), []
    for case in cases:
        async with stage.set_for(case) as caller:
            verdict = judge(case, await play(case, assistant, caller), provider=provider)
        told(verdict)
        verdicts.append(verdict)
    return Report(tuple(verdicts))


async def play(case: Case, assistant: Assistant, caller: Caller, *, store: Store | None = None) -> tuple[Turn, ...]:
    """The turns of the case's conversation, a new one in `store`; without a store it is forgotten afterwards.

    The assistant's own store and observers stay out of it, so that no eval is found among people's conversations.
    """
    assistant = replace(assistant, store=store or MemoryStore(), observers=())
    conversation = await assistant.store.create(caller)
    turns = []
    for exchange in case.conversation:
        turns.append(await _turn(exchange, assistant, caller, conversation))
        conversation = await assistant.store.get(conversation.id, caller)
    return tuple(turns)


def judge(case: Case, turns: Sequence[Turn], *, provider: str) -> Verdict:
    """What the judges say of these turns."""
    scores: list[Score] = []
    wrong: list[str] = []
    for exchange, turn in zip(case.conversation, turns, strict=True):
        if exchange.expect:
            scores += _scores(exchange.expect, turn, turn)
            wrong += answer.misleading(exchange.expect, turn)
    if case.expectations:
        scores += _scores(case.expectations, _whole(turns), turns[-1])
        wrong += answer.misleading(case.expectations, turns[-1])
    trouble = "; ".join(f"{turn.question!r} ended in {turn.error}" for turn in turns if turn.error)
    return Verdict(case, provider, tuple(turns), tuple(scores), tuple(dict.fromkeys(wrong)), trouble)


def _scores(expected: Expectations, calling: Turn, answering: Turn) -> list[Score]:
    scores = []
    if expected.tool_calls is not None:
        scores.append(tools.judge(expected.tool_calls, calling.calls))
    if expected.rows is not None or expected.results_contain or (expected.results_exclude and answering.queried):
        scores.append(rows.judge(expected, answering))
    if expected.answer_contains or expected.honest or expected.results_exclude:
        scores.append(answer.judge(expected, answering))
    return scores


def _whole(turns: Sequence[Turn]) -> Turn:
    calls = tuple(call for turn in turns for call in turn.calls)
    return replace(turns[-1], calls=calls)


async def _turn(exchange: Exchange, assistant: Assistant, caller: Caller, conversation: Conversation) -> Turn:
    before = len(await assistant.store.messages(conversation.id))
    waiting: deque[ConfirmationNeeded] = deque()
    heard: list[Envelope] = []
    decision: Decision = "confirmed" if exchange.confirm else "user_rejected"
    try:
        await _hear(assistant.ask(caller, conversation, exchange.user), heard, waiting)
        while waiting:
            await _hear(assistant.decide(caller, waiting.popleft().id, decision), heard, waiting)
    except ChatError as error:
        return Turn(exchange.user, error=error.code)
    messages = (await assistant.store.messages(conversation.id))[before:]
    return _told(exchange.user, messages, heard)


async def _hear(events: AsyncGenerator[Envelope], heard: list[Envelope], waiting: deque[ConfirmationNeeded]) -> None:
    async for envelope in events:
        heard.append(envelope)
        if isinstance(envelope.event, ConfirmationNeeded):
            waiting.append(envelope.event)


def _told(question: str, messages: Sequence[Message], heard: Sequence[Envelope]) -> Turn:
    finish_reason, error, usage = "", "", Usage()
    for envelope in heard:
        match envelope.event:
            case Failed(code=code):
                error = code
            case Done(finish_reason=reason, usage=spent):
                finish_reason, usage = reason, spent
            case _:
                pass
    return Turn(
        question=question,
        answer="\n".join(message.text for message in messages if message.role == "assistant" and message.text),
        calls=tuple(call for message in messages for call in message.calls),
        results=tuple(message.result for message in messages if message.result is not None),
        finish_reason=finish_reason,
        error=error,
        usage=usage,
    )
