"""Answer the open calls of a turn: reads side by side, writes one after another, results in the order asked."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from datetime import timedelta
from itertools import groupby

from dragoman.harness.events import ConfirmationNeeded, ToolReturned
from dragoman.harness.limits import Limits
from dragoman.harness.messages import Message, ToolCall, ToolResult, now, unanswered
from dragoman.harness.patience import uninterrupted
from dragoman.harness.store import Decision
from dragoman.harness.tools import Toolbox, ToolError, cancelled, failed

_INTERRUPTED = ToolError(
    "This call was interrupted before its result was known. It is not run again by itself.", "interrupted"
)


async def answer(
    toolbox: Toolbox, limits: Limits, messages: list[Message], decisions: Mapping[str, Decision], left: frozenset[str]
) -> AsyncIterator[ToolReturned]:
    """Answer the open calls of `messages` but those in `left`; each result is appended before it is told.

    A write that has begun is seen to its end and its result appended, even when the task is cancelled meanwhile.
    """
    todo = [(asking, call) for asking, call in unanswered(messages) if call.id not in left]
    spoiled = _spoiled(toolbox, messages)
    for writes, group in groupby(todo, key=lambda pair: toolbox.writes(pair[1])):
        if writes:
            for asking, call in group:
                again = asking.id not in spoiled.get(toolbox.operation(call).name, {asking.id})
                work = _write(toolbox, limits, call, decisions.get(call.id, "confirmed"), again=again)
                yield returned(toolbox, call, await uninterrupted(_appended(messages, work)))
        else:
            reads = [call for _, call in group]
            for call, result in zip(reads, await _reads(toolbox, limits, reads), strict=True):
                messages.append(Message("tool", result=result))
                yield returned(toolbox, call, result)


def returned(toolbox: Toolbox, call: ToolCall, result: ToolResult) -> ToolReturned:
    """The event that tells a result, with what was called."""
    if not result.writes:
        return ToolReturned(result, call.arguments)
    operation = toolbox.operation(call)
    return ToolReturned(result, call.arguments, operation.name, operation.input)


def to_confirm(toolbox: Toolbox, limits: Limits, messages: Sequence[Message]) -> list[ConfirmationNeeded]:
    """The open calls that a person must decide first, in the order asked, each as it is shown.

    A call that could not run in any case - malformed, unfit, of an operation that failed before - asks nobody.
    """
    spoiled = _spoiled(toolbox, messages)
    expires = now() + timedelta(seconds=limits.confirm_timeout_seconds)
    asked = []
    for asking, call in unanswered(messages):
        if toolbox.objection(call) or not toolbox.waits(call):
            continue
        operation = toolbox.operation(call)
        if asking.id in spoiled.get(operation.name, {asking.id}):
            asked.append(ConfirmationNeeded(call.id, operation.name, operation.input, expires))
    return asked


def failed_rounds(messages: Sequence[Message]) -> int:
    """How many rounds hold a call that failed and changed nothing; calls of one round are no retries of each other."""
    results = {m.result.call_id: m.result for m in messages if m.result is not None}
    return sum(
        any((r := results.get(call.id)) is not None and r.failed and not (r.writes and r.ran) for call in message.calls)
        for message in messages
    )


def interrupted(toolbox: Toolbox, messages: Sequence[Message], left: frozenset[str]) -> list[Message]:
    """Results for the open calls but those in `left`: nobody knows how they ended, and they are not run again."""
    lost = [(asking.run_id, call) for asking, call in unanswered(messages) if call.id not in left]
    results = [(run_id, failed(call, _INTERRUPTED, budget=400, writes=toolbox.writes(call))) for run_id, call in lost]
    return [Message("tool", result=result, run_id=run_id) for run_id, result in results]


def _spoiled(toolbox: Toolbox, messages: Sequence[Message]) -> dict[str, set[str]]:
    """Operations that failed or that a person refused, each with the ids of the messages that asked for it.

    Calls of those messages may still run: they were asked for before anybody knew.
    """
    asking = {call.id: (message.id, call) for message in messages for call in message.calls}
    found: dict[str, set[str]] = {}
    for message in messages:
        result = message.result
        if result is None or not result.writes or result.call_id not in asking:
            continue
        if (result.failed and result.ran) or (not result.failed and not result.ran):
            place, call = asking[result.call_id]
            found.setdefault(toolbox.operation(call).name, set()).add(place)
    return found


async def _write(toolbox: Toolbox, limits: Limits, call: ToolCall, decision: Decision, *, again: bool) -> ToolResult:
    if decision != "confirmed":
        return cancelled(call, decision)
    if again:
        name = toolbox.operation(call).name
        refusal = ToolError(
            f"{name} failed or was refused in this turn and is not tried again. Tell the person, and ask what to do.",
            "not_repeated",
        )
        return failed(call, refusal, budget=limits.result_characters, writes=True, ran=False)
    return await toolbox.run(call, budget=limits.result_characters, timeout_seconds=limits.tool_timeout_seconds)


async def _appended(messages: list[Message], work: Awaitable[ToolResult]) -> ToolResult:
    result = await work
    messages.append(Message("tool", result=result))
    return result


async def _reads(toolbox: Toolbox, limits: Limits, calls: Sequence[ToolCall]) -> list[ToolResult]:
    room = asyncio.Semaphore(limits.parallel_reads)

    async def read(call: ToolCall) -> ToolResult:
        async with room:
            return await toolbox.run(call, budget=limits.result_characters, timeout_seconds=limits.tool_timeout_seconds)

    return await asyncio.gather(*map(read, calls))
