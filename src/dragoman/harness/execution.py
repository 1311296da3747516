"""One execution of a turn: each round is kept before it is told, and its end is told whatever happens."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from dragoman.harness import calls, summary, window
from dragoman.harness.budget import Account
from dragoman.harness.caller import Caller
from dragoman.harness.claims import evidence
from dragoman.harness.errors import ChatError
from dragoman.harness.events import ConfirmationNeeded, Done, Envelope, Event, Evidence, Failed, ToolReturned
from dragoman.harness.grounding import Grounding
from dragoman.harness.limits import Limits
from dragoman.harness.messages import Message, Outcome, Usage
from dragoman.harness.observers import Observer, tell
from dragoman.harness.opening import Opening, opening
from dragoman.harness.patience import Interrupt, uninterrupted
from dragoman.harness.provider import Provider, model_of, name_of
from dragoman.harness.store import Conversation, Decision, Hold, PausedCall, Store
from dragoman.harness.tools import Toolbox
from dragoman.harness.turn import Turn, conduct

log = logging.getLogger("dragoman.assistant")


@dataclass(frozen=True, slots=True)
class Execution:
    """Who answers whom, with what, and in which run; `hold` is held and `account` open while it runs."""

    provider: Provider
    grounding: Grounding
    store: Store
    limits: Limits
    observers: tuple[Observer, ...]
    instructions: str
    caller: Caller
    conversation: Conversation
    hold: Hold
    account: Account
    interrupt: Interrupt

    async def run(
        self,
        messages: Sequence[Message],
        decisions: Mapping[str, Decision] | None = None,
        waiting: Iterable[PausedCall] = (),
        opened: Opening | None = None,
    ) -> AsyncGenerator[Envelope]:
        """Conduct the turn at the end of `messages`; `decisions` were made in it, the calls of `waiting` still wait.

        `opened` is its opening where that is made already.

        What fails is a Failed event followed by Done. Cancelled or closed, it keeps and tells what was said so far.
        """
        hold, split = self.hold, window.start_of_turn(messages)
        turn = Turn(
            self.provider,
            Toolbox(),
            self.limits,
            (),
            list(messages[split:]),
            hold.run_id,
            self.interrupt,
            decisions or {},
        )
        turn.limits = _within(self.limits, turn.spent, self.account)
        begun = len(turn.messages)
        keeper = _Keeper(self.store, hold, turn, self.account, folding=Usage())
        basis = evidence.Basis()
        turn.asked = {paused.call.id: _as_needed(paused) for paused in waiting}
        keeper.paused = set(turn.asked)
        events = conduct(turn)
        told: set[str] = set()
        try:
            try:
                if opened is None:
                    opened = await opening(
                        self.grounding,
                        self.caller,
                        self.instructions,
                        self.conversation.summary,
                        messages[:split],
                        turn.messages,
                        self.limits,
                    )
                turn.toolbox = opened.toolbox
                turn.head = await self._head(opened, keeper)
                async for event in events:
                    if keeper.behind:
                        await keeper.flush()
                    if isinstance(event, ToolReturned):
                        told.add(event.result.call_id)
                        basis.follow(turn.messages)
                    yield await self._tell(event)
            except ChatError as error:
                turn.messages.append(_failure(turn, error))
                yield await self._tell(Failed(error.code, error.message, error.retry_after))
            except Exception:
                log.exception("A turn failed.")
                unknown = ChatError("Something went wrong on the server. Ask again.", code="internal_error")
                turn.messages.append(_failure(turn, unknown))
                yield await self._tell(Failed(unknown.code, unknown.message))
            await keeper.flush()
        except (asyncio.CancelledError, GeneratorExit) as leaving:
            await _interrupt(events, turn)
            await uninterrupted(keeper.flush())
            if isinstance(leaving, GeneratorExit):
                # Nobody listens any more, but observers are told the end.
                for event in _farewell(turn, begun, told, basis):
                    await self._tell(event)
                raise
            if task := asyncio.current_task():  # the interruption ends here: what follows is the turn's own farewell
                task.uncancel()
            for event in _farewell(turn, begun, told, basis):
                yield await self._tell(event)
            return
        for event in _farewell(turn, len(turn.messages), told, basis):
            yield await self._tell(event)

    async def _head(self, opened: Opening, keeper: "_Keeper") -> list[Message]:
        """What goes before the turn, the oldest messages folded if need be; the keeper pays for that."""
        told = opened.summary
        if opened.folded:
            told = await summary.fold(self.provider, told, opened.folded, self.limits, keeper.pay)
            await uninterrupted(self.store.fold(self.conversation.id, told, opened.folded[-1].id))
        return opened.messages(told)

    async def _tell(self, event: Event) -> Envelope:
        return await tell(self.observers, self.caller, self.hold, event)


def ending(provider: Provider, outcome: Outcome, run_id: str = "") -> Message:
    """A row that only says how a turn ended."""
    return Message("assistant", run_id=run_id, provider=name_of(provider), model=model_of(provider), outcome=outcome)


@dataclass(slots=True)
class _Keeper:
    """Keeps what a turn appended, and the calls that came to wait, before anybody is told of them."""

    store: Store
    hold: Hold
    turn: Turn
    account: Account
    folding: Usage
    kept: int = 0
    paused: set[str] | None = None

    def __post_init__(self) -> None:
        self.kept = len(self.turn.messages)

    def pay(self, cost: Usage) -> None:
        """The history was folded at this cost."""
        self.folding += cost

    @property
    def behind(self) -> bool:
        """Whether there is something to keep."""
        return self.kept < len(self.turn.messages) or not self.turn.asked.keys() <= (self.paused or frozenset())

    async def flush(self) -> None:
        messages = self.turn.messages
        if self.kept < len(messages):
            for i in range(self.kept, len(messages)):
                message = replace(messages[i], run_id=self.hold.run_id)
                if message.role == "assistant":  # folding the history is part of what the round after it cost
                    message, self.folding = replace(message, usage=message.usage + self.folding), Usage()
                messages[i] = message
            fresh, self.kept = messages[self.kept :], len(messages)
            self._count(fresh)
            await uninterrupted(self.store.append(self.hold.conversation_id, fresh))
        paused = self.paused = self.paused if self.paused is not None else set()
        if self.turn.asked.keys() - paused:
            asking = {call.id: call for message in messages for call in message.calls}
            waiting = [
                PausedCall(
                    asking[need.id],
                    self.hold.conversation_id,
                    self.hold.run_id,
                    need.expires_at,
                    need.operation,
                    need.input,
                )
                for need in self.turn.asked.values()
                if need.id not in paused
            ]
            paused.update(call.call.id for call in waiting)
            await uninterrupted(self.store.pause(waiting))
        self.account.waits = bool(self.turn.asked) and self.turn.outcome is None

    def _count(self, fresh: Sequence[Message]) -> None:
        """Before they are kept: a round that cannot be kept, as when its conversation was deleted, has cost the same."""
        self.account.began, self.account.used = True, self.turn.spent
        for message in fresh:
            if message.role == "assistant":
                self.account.provider, self.account.model = message.provider, message.model


async def _interrupt(events: AsyncGenerator[Event], turn: Turn) -> None:
    """Let the turn write down where it stands; it may have done so, when it was the one interrupted."""
    with suppress(asyncio.CancelledError, StopAsyncIteration):
        await events.athrow(asyncio.CancelledError())
    if turn.outcome is None and not turn.asked:  # interrupted before it began
        turn.messages.append(ending(turn.provider, Outcome(turn.interrupt.reason)))


def _farewell(turn: Turn, begun: int, told: set[str], basis: evidence.Basis) -> list[Event]:
    """What is still to be told of a turn that ended: results from `begun` on that nobody heard of, evidence, and the end itself."""
    asking = {call.id: call for message in turn.messages for call in message.calls}
    results = [message.result for message in turn.messages[begun:] if message.result is not None]
    events: list[Event] = [
        calls.returned(turn.toolbox, asking[result.call_id], result) for result in results if result.call_id not in told
    ]
    if (outcome := turn.outcome) is not None:
        last = turn.messages[-1]
        if claims := basis.claims(turn.messages):
            events.append(Evidence(claims))
        events.append(Done(outcome.finish_reason, last.id, last.provider, last.model, turn.spent))
    return events


def _within(limits: Limits, spent: Usage, account: Account) -> Limits:
    """The limits of a turn whose caller has only so much left."""
    if account.tokens is None:
        return limits
    return replace(
        limits, turn_tokens=min(limits.turn_tokens, spent.input_tokens + spent.output_tokens + account.tokens)
    )


def _failure(turn: Turn, error: ChatError) -> Message:
    return ending(turn.provider, Outcome("error", error.code, error.message, error.retry_after))


def _as_needed(paused: PausedCall) -> ConfirmationNeeded:
    return ConfirmationNeeded(paused.call.id, paused.operation, paused.input, paused.expires_at)
