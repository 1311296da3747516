"""Assistant: ask and decide - who may, what an earlier run left open, and the run that answers."""

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any

from dragoman.harness import calls, revision, tokens
from dragoman.harness.budget import Account, Budget, Unlimited, admitted, resumed
from dragoman.harness.caller import Caller
from dragoman.harness.errors import BadRequest
from dragoman.harness.events import Done, Envelope, Event, ToolReturned, UserSaid
from dragoman.harness.execution import Execution, ending
from dragoman.harness.grounding import Grounding
from dragoman.harness.limits import Limits
from dragoman.harness.messages import Message, Outcome, Usage, new_id, now, unanswered
from dragoman.harness.observers import Observer, Tracer, Untraced, tell
from dragoman.harness.opening import Opening, opening
from dragoman.harness.patience import Interrupt, uninterrupted
from dragoman.harness.provider import Provider
from dragoman.harness.results import to_json
from dragoman.harness.store import Conversation, Decision, Hold, PausedCall, Store, changed
from dragoman.harness.tools import cancelled

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
    tracer: Tracer = field(default_factory=Untraced)

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
        answering = self._by(provider)._asked(caller, conversation, text, interrupt or Interrupt(), instead_of)
        async with aclosing(self.tracer.turn(answering)) as envelopes:
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
        going_on = self._by(provider)._decided(caller, call_id, decision, interrupt or Interrupt())
        async with aclosing(self.tracer.turn(going_on)) as envelopes:
            async for envelope in envelopes:
                yield envelope

    def _by(self, provider: Provider | None) -> "Assistant":
        return self if provider is None else replace(self, provider=self.tracer.provider(provider))

    async def _asked(
        self, caller: Caller, conversation: Conversation, text: str | None, interrupt: Interrupt, instead_of: str
    ) -> AsyncGenerator[Envelope]:
        if text is not None or not instead_of:
            self._check(text or "")
        if instead_of:
            replaced = revision.question(await self.store.messages(conversation.id), instead_of)
            instead_of, text = replaced.id, replaced.text if text is None else text
        said = Message("user", text or "")
        async with admitted(self.budget, caller, conversation.id, new_id()) as account:
            waiting = dict.fromkeys([paused.run_id for paused in await self.store.paused(conversation.id)])
            if waiting:  # and is given up only for a message that there is room for
                recent = await self.store.recent(conversation)
                await self._afford(caller, conversation, recent, said, account, instead_of)
            for run_id in waiting:
                async with self.store.hold(conversation.id, run_id, wait_seconds=_ASKING_SECONDS) as hold:
                    for event in await self._give_up(caller, hold):
                        yield await tell(self.observers, caller, hold, event)
            async with self.store.hold(conversation.id, account.run_id, wait_seconds=_ASKING_SECONDS) as hold:
                conversation = await self.store.get(conversation.id, caller)  # as it is now, and still theirs
                messages = await self._mend(caller, await self.store.recent(conversation), hold)
                opened = await self._afford(caller, conversation, messages, said, account, instead_of)
                if instead_of:
                    opened = None
                    revision.question(await self.store.messages(conversation.id), instead_of)  # may still be taken back
                    await uninterrupted(self.store.take_back(conversation.id, instead_of))
                    conversation = await self.store.get(conversation.id, caller)
                    messages = await self.store.recent(conversation)
                said = replace(said, run_id=hold.run_id, created=now())
                account.began = True
                await uninterrupted(self.store.append(conversation.id, [said]))
                yield await tell(self.observers, caller, hold, UserSaid(said.id, said.text, said.created))
                execution = self._execution(caller, conversation, hold, account, interrupt)
                run = execution.run([*messages, said], opened=opened)
                async with aclosing(run) as envelopes:
                    async for envelope in envelopes:
                        yield envelope

    async def _decided(
        self, caller: Caller, call_id: str, decision: Decision, interrupt: Interrupt
    ) -> AsyncGenerator[Envelope]:
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
            execution = self._execution(caller, conversation, hold, account, interrupt)
            async with aclosing(execution.run(messages, {call_id: decision}, others.values())) as envelopes:
                async for envelope in envelopes:
                    yield envelope

    def _execution(
        self, caller: Caller, conversation: Conversation, hold: Hold, account: Account, interrupt: Interrupt
    ) -> Execution:
        return Execution(
            self.provider,
            self.grounding,
            self.store,
            self.limits,
            self.observers,
            self.instructions,
            caller,
            conversation,
            hold,
            account,
            interrupt,
        )

    async def _afford(
        self,
        caller: Caller,
        conversation: Conversation,
        messages: Sequence[Message],
        said: Message,
        account: Account,
        instead_of: str,
    ) -> Opening | None:
        """Set the tokens of the first request aside: its opening, where there is a limit and it could be made.

        Raises RateLimited where the hour has no room for it.
        """
        if account.tokens is None:
            return None
        earlier, told = list(takewhile(lambda message: message.id != instead_of, messages)), conversation.summary
        try:
            opened = await opening(self.grounding, caller, self.instructions, told, earlier, [said], self.limits)
        except Exception:  # the run will meet the same, and keep what became of it
            return None
        needed = min(opened.tokens([said]), self.limits.context_tokens)
        account.tokens = await self.budget.reserve(caller, account, needed)
        return opened

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
            kept.append(ending(self.provider, Outcome("stopped"), hold.run_id))
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
            rows.append(ending(self.provider, Outcome("interrupted"), messages[-1].run_id))
        if rows:
            await uninterrupted(self.store.append(hold.conversation_id, rows))
        return [*messages, *rows]


def _shown(operation: str, given: Mapping[str, Any]) -> Any:
    """What a person was shown, as it was written to them."""
    return json.loads(to_json([operation, given]))
