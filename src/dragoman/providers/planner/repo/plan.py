"""Plan: an answer as a generator of calls, replayed from the turn's own steps, so that no state is kept."""

import json
from collections.abc import Generator, Iterable, Mapping
from typing import Any

from dragoman.harness.provider import ToolRequest
from dragoman.harness.tools import ToolDefinition
from dragoman.providers.planner.history import Step, Turn

type Calls = Generator[list[ToolRequest], list[Step], str]
type Call = Generator[list[ToolRequest], list[Step], Step]


def call(tool: str, **arguments: Any) -> Call:
    """Make one call and have its answer; an argument that is empty is left out."""
    given = {name: value for name, value in arguments.items() if value or (value == 0 and name == "offset")}
    (step,) = yield [ToolRequest(tool, given)]
    return step


def follow(plan: Calls, turn: Turn, offered: Iterable[ToolDefinition]) -> str | list[ToolRequest]:
    """The answer of a plan where the turn has the steps it asks for, else the calls that are still to be made."""
    names = {tool.name for tool in offered}
    try:
        wanted = next(plan)
        while True:
            if missing := [request.name for request in wanted if request.name not in names]:
                return f"I cannot look that up: the tool {missing[0]} is not on offer here."
            steps = [_done(turn, request) for request in wanted]
            if open_ := [request for request, step in zip(wanted, steps, strict=True) if step is None]:
                return open_
            wanted = plan.send([step for step in steps if step is not None])
    except StopIteration as end:
        return str(end.value)


def trouble(step: Step) -> str:
    """What a failed call said; what it tells a model about other tools is left out."""
    name, path = step.call.arguments.get("name"), step.call.arguments.get("path")
    match code(step):
        case "unknown_symbol" if name:
            near = [str(one) for one in step.data.get("near") or []]
            return f"No symbol is called `{name}`." + (
                f" Near: {', '.join(f'`{one}`' for one in near)}." if near else ""
            )
        case "not_tracked" if path:
            return f"Git tracks nothing at `{path}`. Paths are from the root; a new file counts after git add."
        case "not_a_folder" if path:
            return f'`{path}` is a file without symbols. Ask "show {path}".'
        case _:
            return str(step.data.get("error") or "The call failed.")


def code(step: Step) -> str:
    """The code of a failed call; empty where it succeeded."""
    return str(step.data.get("code") or "failed") if step.failed else ""


def _done(turn: Turn, request: ToolRequest) -> Step | None:
    assert isinstance(request.arguments, Mapping)
    wanted = _canonical(request.arguments)
    for step in turn.steps:
        if (
            step.call.name == request.name
            and step.result is not None
            and _canonical(dict(step.call.arguments)) == wanted
        ):
            return step
    return None


def _canonical(arguments: Mapping[str, Any]) -> str:
    return json.dumps(arguments, sort_keys=True, default=str)
