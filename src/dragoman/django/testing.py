"""For the tests of a project: ask its assistant as somebody, call its tools, and let a script stand in for the model."""

from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import Any

from asgiref.sync import async_to_sync
from django.conf import settings
from django.test.utils import override_settings

from dragoman.django import assistants, conf
from dragoman.django.doctor import caller_of
from dragoman.django.retention import Sweeper
from dragoman.django.threads import share_the_test_thread
from dragoman.harness import wire
from dragoman.harness.caller import Caller
from dragoman.harness.events import Envelope
from dragoman.harness.messages import ToolCall, new_id
from dragoman.providers.scripted import Round, Scripted


@dataclass(frozen=True, slots=True)
class Told:
    """What a turn told: its frames, as a client gets them."""

    frames: tuple[wire.Frame, ...]

    @property
    def conversation_id(self) -> str:
        """Where it was told; give it to `ask` to go on there."""
        return str(self.frames[0]["conversation_id"])

    @property
    def answer(self) -> str:
        """The text after the last tool result."""
        after = max((place for place, one in enumerate(self.frames) if one["type"] == "tool_result"), default=-1)
        return "".join(one["content"] for one in self.frames[after + 1 :] if one["type"] == "text_chunk")

    @property
    def results(self) -> list[Any]:
        """What the tools came back with, in the order they were told; a failed one has `error` and `code`."""
        return [one.get("data", one.get("result")) for one in self.frames if one["type"] == "tool_result"]

    @property
    def confirmation(self) -> wire.Frame | None:
        """The change that waits for a person at the end, as it is shown to them; None where none does."""
        return self.frames[-1] if self.frames[-1]["type"] == "confirm_mutation" else None

    @property
    def error(self) -> wire.Frame | None:
        """The first error frame; None where nothing went wrong."""
        return next((one for one in self.frames if one["type"] == "error"), None)


@contextmanager
def scripted(*rounds: Round, alias: str = "default") -> Iterator[Scripted]:
    """Within the block a script is the model: one round a request, each a text or a list of texts and ToolRequests.

    `seen` of what comes back holds every request that was made of it: the messages and the tools.
    """
    own = getattr(settings, conf.SETTING)[alias]
    played = {**own, "provider": "scripted", "provider_config": {"rounds": list(rounds)}}
    with override_settings(**{conf.SETTING: {**getattr(settings, conf.SETTING), alias: played}}):
        provider = assistants.desk(alias).choices.default
        assert isinstance(provider, Scripted)
        yield provider


async def aask(user: Any, text: str, *, conversation_id: str = "", alias: str = "default") -> Told:
    """Ask as a user, or as somebody anonymous for None, in a new conversation unless one is named.

    Everything below the doors is real: rights, tools, budgets, audit, signals and what is kept. The project's own
    `permission` and what a browser guards are the doors': ask through Django's test client to test those.
    Raises ChatError as `Assistant.ask` does.
    """
    with share_the_test_thread():
        assistant, caller = assistants.assistant(alias), _caller(user)
        store = assistant.store
        at = await store.get(conversation_id, caller) if conversation_id else await store.create(caller)
        return await _told(alias, assistant.ask(caller, at, text))


async def adecide(user: Any, confirmation: Mapping[str, Any], confirmed: bool, *, alias: str = "default") -> Told:
    """Decide what `Told.confirmation` showed, and hear the rest of the turn. Raises ChatError as `Assistant.decide`."""
    with share_the_test_thread():
        decision = assistants.assistant(alias).decide(
            _caller(user), confirmation["id"], "confirmed" if confirmed else "user_rejected"
        )
        return await _told(alias, decision)


async def acall(user: Any, tool: str, *, alias: str = "default", **arguments: Any) -> Any:
    """What one tool answers this user; a failure is a value with `error` and `code`. A change is made at once."""
    with share_the_test_thread():
        toolbox = await assistants.assistant(alias).grounding.tools(_caller(user))
        limits = conf.assistants()[alias].limits
        call = ToolCall(new_id(), tool, arguments)
        done = await toolbox.run(call, budget=limits.result_characters, timeout_seconds=limits.tool_timeout_seconds)
        return done.data


def ask(user: Any, text: str, *, conversation_id: str = "", alias: str = "default") -> Told:
    """`aask` for a test that is not async."""
    return async_to_sync(aask)(user, text, conversation_id=conversation_id, alias=alias)


def decide(user: Any, confirmation: Mapping[str, Any], confirmed: bool, *, alias: str = "default") -> Told:
    """`adecide` for a test that is not async."""
    return async_to_sync(adecide)(user, confirmation, confirmed, alias=alias)


def call(user: Any, tool: str, *, alias: str = "default", **arguments: Any) -> Any:
    """`acall` for a test that is not async."""
    return async_to_sync(acall)(user, tool, alias=alias, **arguments)


# ----------------------------------------------------------------------------------------------------------------------


def _caller(user: Any) -> Caller:
    return Caller("session:test") if user is None else caller_of(user)


async def _told(alias: str, envelopes: AsyncGenerator[Envelope]) -> Told:
    async with aclosing(envelopes):
        told = Told(tuple([wire.frame(envelope) async for envelope in envelopes]))
    for observer in assistants.assistant(alias).observers:
        if isinstance(observer, Sweeper):  # what it began belongs to the test that is still running
            await observer.swept()
    return told
