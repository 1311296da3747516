"""Assistant: ask and decide - load, fit, run the turn, keep each round, tell observers."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from typing import Any

from dragoman.harness import calls, revision, summary, tokens, window
from dragoman.harness.budget import Account, Budget, Unlimited, admitted, resumed
from dragoman.harness.caller import Caller
from dragoman.harness.claims import evidence
from dragoman.harness.errors import BadRequest, ChatError
from dragoman.harness.events import (
    ConfirmationNeeded,
    Done,
    Envelope,
    Event,
    Evidence,
    Failed,
    TextChunk,
    Thinking,
    ToolReturned,
    UserSaid,
)
from dragoman.harness.grounding import Grounding
from dragoman.harness.limits import Limits
from dragoman.harness.messages import Message, Outcome, Usage, new_id, now, unanswered
from dragoman.harness.patience import Interrupt, uninterrupted
from dragoman.harness.provider import Provider, model_of, name_of
from dragoman.harness.results import to_json
from dragoman.harness.store import Conversation, Decision, Hold, PausedCall, Store, changed
from dragoman.harness.tools import Toolbox, cancelled
from dragoman.harness.turn import Turn, conduct

log = logging.getLogger("dragoman.assistant")

Observer = Callable[[Caller, Envelope], Awaitable[None]]

_OBSERVING_SECONDS = 5  # how long a turn waits for an observer that does not come back
_ASKING_SECONDS = 1  # a turn that has told its last event is still being put away when the next message comes
_DECIDING_SECONDS = 30  # how long a decision waits for another one of its conversation


@dataclass(frozen=True, slots=True)
class Assistant:
    """A chat on one system. `instructions` is the developer's addition to the prompt.

    Both doors raise ChatError before their first event and change nothing then; later every failure is a Failed event
    followed by Done. A turn that waits for a person ends after ConfirmationNeeded, without Done.
    """

    provider: Provider
    grounding: Grounding
    store: Store
    limits: Limits = field(default_factory=Limits)
    observers: tuple[Observer, ...] = ()
    budget: Budget = field(default_factory=Unlimited)
    instructions: str = ""

    async def ask(
        self,
        caller: Caller,
        conversation: Conversation,
        text: str | None,
        *,
        interrupt: Interrupt | None = None,
        provider: Provider | None = None,
        instead_of: str = "",
    ) -> AsyncGenerator[Envelope]:
        """Answer a message. Open confirmations of the conversation are decided as superseded or timed out first.

        `provider` answers instead of the assistant's own. With `instead_of`, the id of a message, the turn of that
        message and all after it are taken back first; without a text its own question is asked again.
        Raises BadRequest (empty_message, message_too_long, unknown_message, already_changed), RateLimited and
        ConversationBusy.
        """
        if text is not None or not instead_of:
            self._check(text or "")
        if instead_of:
            revision.question(await self.store.messages(conversation.id), instead_of)
        run_id = new_id()
        chosen = self if provider is None else replace(self, provider=provider)
        async with admitted(self.budget, caller, conversation.id, run_id) as account:
            answering = chosen._admitted(caller, conversation, text, account, interrupt or Interrupt(), instead_of)
            async with aclosing(answering) as envelopes:
                async for envelope in envelopes:
                    yield envelope

    async def _admitted(
        self,
        caller: Caller,
        conversation: Conversation,
        text: str | None,
        account: Account,
        interrupt: Interrupt,
        instead_of: str,
    ) -> AsyncGenerator[Envelope]:
        for run_id in dict.fromkeys([paused.run_id for paused in await self.store.paused(conversation.id)]):
            async with self.store.hold(conversation.id, run_id, wait_seconds=_ASKING_SECONDS) as hold:
                for event in await self._give_up(caller, hold):
                    yield await self._tell(caller, hold, event)
        async with self.store.hold(conversation.id, account.run_id, wait_seconds=_ASKING_SECONDS) as hold:
            conversation = await self.store.get(conversation.id, caller)  # as it is now, and still theirs
            messages = await self._mend(caller, await self.store.recent(conversation), hold)
            if instead_of:
                replaced = revision.question(await self.store.messages(conversation.id), instead_of)
                text = replaced.text if text is None else text
                await uninterrupted(self.store.take_back(conversation.id, replaced.id))
                conversation = await self.store.get(conversation.id, caller)
                messages = await self.store.recent(conversation)
            said = Message("user", text or "", run_id=hold.run_id)
            messages = [*messages, said]
            account.began = True
            await uninterrupted(self.store.append(conversation.id, [said]))
            yield await self._tell(caller, hold, UserSaid(said.id, said.text, said.created))
            run = self._run(caller, conversation, messages, hold, account, interrupt)
            async with aclosing(run) as envelopes:
                async for envelope in envelopes:
                    yield envelope

    async def decide(
        self,
        caller: Caller,
        call_id: str,
        decision: Decision,
        *,
        interrupt: Interrupt | None = None,
        provider: Provider | None = None,
    ) -> AsyncGenerator[Envelope]:
        """Decide a call that waits, in the run that asked; after the last open one the turn goes on.

        Raises BadRequest (bad_event) for a call that is not this caller's, is decided already or has expired, and
        BadRequest (confirmation_changed) when what would run is not what was shown.
        """
        found = await self.store.waiting(call_id, caller)
        late = found is not None and found.expires_at <= now() and decision in ("confirmed", "user_rejected")
        if found is None or late:
            raise BadRequest("Unknown chat event.")
        conversation = await self.store.get(found.conversation_id, caller)
        async with (
            self.store.hold(conversation.id, found.run_id, wait_seconds=_DECIDING_SECONDS) as hold,
            resumed(self.budget, caller, found.run_id) as account,
        ):
            if decision == "confirmed":
                await self._compare(caller, found)
            paused = await self.store.claim(call_id, caller, decision)
            messages = await self.store.recent(conversation)
            if paused is None or paused.call not in [call for _, call in unanswered(messages)]:
                raise BadRequest("Unknown chat event.")
            others = {p.call.id: p for p in await self.store.paused(conversation.id) if p.run_id == hold.run_id}
            messages = await self._mend(caller, messages, hold, keep=frozenset({call_id, *others}))
            stop = interrupt or Interrupt()
            chosen = self if provider is None else replace(self, provider=provider)
            run = chosen._run(caller, conversation, messages, hold, account, stop, {call_id: decision}, others)
            async with aclosing(run) as envelopes:
                async for envelope in envelopes:
                    yield envelope

    async def _compare(self, caller: Caller, paused: PausedCall) -> None:
        """Raise unless the call would do now what the person was shown; the tools may be others by now."""
        operation = (await self.grounding.tools(caller)).operation(paused.call)
        if _shown(operation.name, operation.input) != _shown(paused.operation, paused.input):
            raise changed()

    def _check(self, text: str) -> None:
        if not text.strip():
            raise BadRequest("The message is empty. Write a question.", code="empty_message")
        most = self.limits.message_characters
        if len(text) > most or tokens.estimate(text[:most]) > self.limits.context_tokens // 2:
            raise BadRequest(
                f"The message has {len(text):,} characters; at most {most:,} are allowed. Shorten it.",
                code="message_too_long",
            )

    async def _run(
        self,
        caller: Caller,
        conversation: Conversation,
        messages: Sequence[Message],
        hold: Hold,
        account: Account,
        interrupt: Interrupt,
        decisions: dict[str, Decision] | None = None,
        waiting: dict[str, PausedCall] | None = None,
    ) -> AsyncGenerator[Envelope]:
        """Conduct the turn at the end of `messages`, keeping each round before it is told."""
        split = window.start_of_turn(messages)
        turn = Turn(
            self.provider, Toolbox(), self.limits, (), list(messages[split:]), hold.run_id, interrupt, decisions or {}
        )
        turn.limits = _within(self.limits, turn.spent, account)
        begun = len(turn.messages)
        keeper = _Keeper(self.store, hold, turn, account, folding=Usage())
        basis = evidence.Basis()
        turn.asked = {p.call.id: _as_needed(p) for p in (waiting or {}).values()}
        keeper.paused = set(turn.asked)
        events = conduct(turn)
        told: set[str] = set()
        try:
            try:
                turn.toolbox = await self.grounding.tools(caller)
                turn.head = await self._head(caller, conversation, messages[:split], turn, keeper)
                async for event in events:
                    await keeper.flush()
                    if isinstance(event, ToolReturned):
                        told.add(event.result.call_id)
                        basis.follow(turn.messages)
                    yield await self._tell(caller, hold, event)
            except ChatError as error:
                turn.messages.append(_failure(turn, error))
                yield await self._tell(caller, hold, Failed(error.code, error.message, error.retry_after))
            except Exception:
                log.exception("A turn failed.")
                unknown = ChatError("Something went wrong on the server. Ask again.", code="internal_error")
                turn.messages.append(_failure(turn, unknown))
                yield await self._tell(caller, hold, Failed(unknown.code, unknown.message))
            await keeper.flush()
        except (asyncio.CancelledError, GeneratorExit) as leaving:
            await _interrupt(events, turn)
            await uninterrupted(keeper.flush())
            if isinstance(leaving, GeneratorExit):
                for event in _farewell(
                    turn, begun, told, basis
                ):  # nobody listens any more, but observers are told the end
                    await self._tell(caller, hold, event)
                raise
            if task := asyncio.current_task():  # the interruption ends here: what follows is the turn's own farewell
                task.uncancel()
            for event in _farewell(turn, begun, told, basis):
                yield await self._tell(caller, hold, event)
            return
        for event in _farewell(turn, len(turn.messages), told, basis):
            yield await self._tell(caller, hold, event)

    async def _head(
        self, caller: Caller, conversation: Conversation, earlier: Sequence[Message], turn: Turn, keeper: "_Keeper"
    ) -> list[Message]:
        """The prompt, the summary and what is sent of the earlier messages; the keeper pays for folding."""
        earlier = window.sendable(earlier)
        prompt = await self.grounding.prompt(caller)
        if self.instructions:
            prompt = f"{prompt}\n\n{self.instructions}"
        system = Message("system", prompt, id="prompt")
        fixed = tokens.of_message(system) + tokens.of_tools(turn.toolbox.definitions)
        spare = self.limits.context_tokens * 3 // 4 - fixed - tokens.estimate(conversation.summary)
        fitted = window.fit([*earlier, *turn.messages], self.limits, spare_tokens=spare)
        text = conversation.summary
        if fitted.folded:
            text = await summary.fold(self.provider, text, fitted.folded, self.limits, keeper.pay)
            await uninterrupted(self.store.fold(conversation.id, text, fitted.folded[-1].id))
        kept = earlier[len(fitted.folded) :]
        return [system, *([summary.as_message(text)] if text else []), *kept]

    async def _give_up(self, caller: Caller, hold: Hold) -> list[Event]:
        """Decide what still waits in a run because the person went on; the run ends here."""
        events: list[Event] = []
        kept: list[Message] = []
        for paused in await self.store.paused(hold.conversation_id):
            if paused.run_id != hold.run_id:
                continue
            decision: Decision = "confirmation_timed_out" if paused.expires_at <= now() else "superseded"
            if await self.store.claim(paused.call.id, caller, decision):
                result = cancelled(paused.call, decision)
                kept.append(Message("tool", result=result, run_id=hold.run_id))
                events.append(ToolReturned(result, paused.call.arguments))
        if kept:
            kept.append(self._ended(hold, Outcome("stopped")))
            await uninterrupted(self.store.append(hold.conversation_id, kept))
            rows = await self.store.messages(hold.conversation_id)
            spent = sum((row.usage for row in rows if row.run_id == hold.run_id), Usage())
            events.append(Done("stopped", kept[-1].id, kept[-1].provider, kept[-1].model, spent))
        return events

    async def _mend(
        self, caller: Caller, messages: Sequence[Message], hold: Hold, keep: frozenset[str] = frozenset()
    ) -> list[Message]:
        """The messages with a result for every call whose run died, and an outcome for that run; both are kept."""
        lost = [call for _, call in unanswered(messages) if call.id not in keep]
        rows: list[Message] = []
        if lost:
            toolbox = await self.grounding.tools(caller)
            rows = calls.interrupted(toolbox, messages, keep)
        if (
            messages
            and messages[-1].run_id != hold.run_id
            and not any(m.outcome for m in messages if m.run_id == messages[-1].run_id)
        ):
            rows.append(self._ended(Hold(hold.conversation_id, messages[-1].run_id), Outcome("interrupted")))
        if rows:
            await uninterrupted(self.store.append(hold.conversation_id, rows))
        return [*messages, *rows]

    def _ended(self, hold: Hold, outcome: Outcome) -> Message:
        return replace(_ending(self.provider, outcome), run_id=hold.run_id)

    async def _tell(self, caller: Caller, hold: Hold, event: Event) -> Envelope:
        hold.seq += 1
        envelope = Envelope(hold.conversation_id, hold.run_id, hold.seq, event)
        if self.observers and isinstance(event, TextChunk | Thinking):
            await self._observe(
                caller, envelope, None
            )  # hundreds a turn: an observer takes note of them and does not wait
        elif self.observers:
            try:
                await uninterrupted(self._observe(caller, envelope, _OBSERVING_SECONDS))
            except asyncio.CancelledError:
                # What was observed is told first; the cancellation comes at the next wait.
                if task := asyncio.current_task():
                    task.uncancel()
                    task.cancel()
        return envelope

    async def _observe(self, caller: Caller, envelope: Envelope, seconds: float | None) -> None:
        for observer in self.observers:
            try:
                async with asyncio.timeout(seconds):
                    await observer(caller, envelope)
            except TimeoutError:
                log.error("An observer did not come back within %s seconds; the turn goes on.", seconds)
            except Exception:
                log.exception("An observer failed; the turn goes on.")


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
        turn.messages.append(_ending(turn.provider, Outcome(turn.interrupt.reason)))


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


def _ending(provider: Provider, outcome: Outcome) -> Message:
    """A row that only says how a turn ended."""
    return Message("assistant", provider=name_of(provider), model=model_of(provider), outcome=outcome)


def _failure(turn: Turn, error: ChatError) -> Message:
    return _ending(turn.provider, Outcome("error", error.code, error.message, error.retry_after))


def _shown(operation: str, given: Mapping[str, Any]) -> Any:
    """What a person was shown, as it was written to them."""
    return json.loads(to_json([operation, given]))


def _as_needed(paused: PausedCall) -> ConfirmationNeeded:
    return ConfirmationNeeded(paused.call.id, paused.operation, paused.input, paused.expires_at)
