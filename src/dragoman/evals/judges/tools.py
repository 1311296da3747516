"""Were the right tools called, in a valid order?"""

from collections.abc import Sequence

from dragoman.evals.cases import ExpectedCall
from dragoman.evals.matching import contains
from dragoman.evals.results import Score
from dragoman.harness.messages import ToolCall


def judge(expected: Sequence[ExpectedCall], calls: Sequence[ToolCall]) -> Score:
    """All or nothing: the expected calls are found among those made, in this order; others may stand between them.

    No expected call at all demands that none is made.
    """
    if not expected:
        passed = not calls
        reasons = () if passed else (f"no tool was expected, called: {_named(calls)}",)
        return Score("tools", float(passed), passed, reasons)
    position = 0
    for wanted in expected:
        rest = calls[position:]
        found = next((n for n, call in enumerate(rest) if _fits(wanted, call)), None)
        if found is None:
            return Score("tools", 0.0, False, (_missing(wanted, rest, calls),))
        position += found + 1
    return Score("tools", 1.0, True)


def _fits(wanted: ExpectedCall, call: ToolCall) -> bool:
    return call.name == wanted.name and contains(wanted.args_contain, call.arguments)


def _missing(wanted: ExpectedCall, rest: Sequence[ToolCall], calls: Sequence[ToolCall]) -> str:
    arguments = f" with {dict(wanted.args_contain)}" if wanted.args_contain else ""
    near = [call for call in rest if call.name == wanted.name]
    if near:
        return f"{wanted.name}{arguments} was not called; its arguments were {dict(near[-1].arguments)}"
    out_of_order = any(_fits(wanted, call) for call in calls)
    return f"{wanted.name}{arguments} was not called{' in this order' if out_of_order else ''}: {_named(calls)}"


def _named(calls: Sequence[ToolCall]) -> str:
    return ", ".join(call.name for call in calls) or "no call"
