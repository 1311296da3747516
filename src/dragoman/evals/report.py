"""A table of pass rates, one row a provider, and why what failed failed."""

from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from dragoman.evals.results import DIMENSIONS, Report, Score, Verdict
from dragoman.harness.messages import Usage

PASS_SHARE = 0.9


def table(report: Report) -> Table:
    """Pass rates per dimension and provider, with the mean share of facts, what was misleading, and tokens a case."""
    drawn = Table(title="Evals", title_justify="left")
    drawn.add_column("Provider")
    for heading in (
        "Tool selection",
        "Query correctness",
        "Answer quality",
        "Facts",
        "Cases",
        "Confidently wrong",
        "Tokens a case",
    ):
        drawn.add_column(heading, justify="right")
    for provider in report.providers:
        verdicts = report.of(provider)
        scores = {dimension: [s for v in verdicts for s in v.of(dimension)] for dimension in DIMENSIONS}
        answers = scores["answer"]
        drawn.add_row(
            escape(provider),
            *(_rate([score.passed for score in scores[dimension]]) for dimension in DIMENSIONS),
            f"{sum(score.score for score in answers) / len(answers):.0%}" if answers else "-",
            _rate([verdict.passed for verdict in verdicts]),
            str(sum(bool(verdict.confident_wrong) for verdict in verdicts)),
            _tokens(verdicts),
        )
    return drawn


def failures(report: Report) -> RenderableType:
    """One paragraph for each case that failed: which provider, what was asked, what was wrong, what was answered."""
    failed = [verdict for verdict in report.verdicts if not verdict.passed]
    if not failed:
        return Text("Every case passed.")
    return Group(*(_failure(verdict) for verdict in failed))


def good_enough(report: Report, share: float = PASS_SHARE) -> bool:
    """Whether, with every provider, this share of the cases passes and none is answered wrongly with confidence."""
    for provider in report.providers:
        verdicts = report.of(provider)
        if any(verdict.confident_wrong for verdict in verdicts):
            return False
        if sum(verdict.passed for verdict in verdicts) < share * len(verdicts):
            return False
    return bool(report.verdicts)


def as_json(report: Report) -> list[dict[str, Any]]:
    """Every verdict as JSON, with what was asked, called and answered."""
    return [
        {
            "case": verdict.case.name,
            "provider": verdict.provider,
            "passed": verdict.passed,
            "confident_wrong": list(verdict.confident_wrong),
            "trouble": verdict.trouble,
            "scores": [_score(score) for score in verdict.scores],
            "turns": [
                {
                    "question": turn.question,
                    "calls": [{"name": call.name, "args": dict(call.arguments)} for call in turn.calls],
                    "answer": turn.answer,
                    "finish_reason": turn.finish_reason,
                }
                for turn in verdict.turns
            ],
            "usage": {"input_tokens": verdict.usage.input_tokens, "output_tokens": verdict.usage.output_tokens},
        }
        for verdict in report.verdicts
    ]


def _failure(verdict: Verdict) -> Text:
    text = Text("\n").append(verdict.case.name, style="bold").append(f" ({verdict.provider})")
    for turn in verdict.turns:
        text.append(f"\n  asked     {turn.question}").append(f"\n  answered  {_short(turn.answer) or 'nothing'}")
        for call in turn.calls:
            text.append(f"\n  called    {call.name} {_short(str(dict(call.arguments)))}", style="dim")
    for score in verdict.scores:
        for reason in score.reasons if not score.passed else ():
            text.append(f"\n  {score.dimension:<9} {reason}", style="yellow")
    for reason in verdict.confident_wrong:
        text.append(f"\n  wrong with confidence: {reason}", style="bold red")
    if verdict.trouble:
        text.append(f"\n  {verdict.trouble}", style="red")
    return text


def _score(score: Score) -> dict[str, Any]:
    return {
        "dimension": score.dimension,
        "score": round(score.score, 3),
        "passed": score.passed,
        "reasons": list(score.reasons),
    }


def _rate(passed: Sequence[bool]) -> str:
    return f"{sum(passed)}/{len(passed)} {sum(passed) / len(passed):.0%}" if passed else "-"


def _tokens(verdicts: Sequence[Verdict]) -> str:
    usage = sum((verdict.usage for verdict in verdicts), Usage())
    return f"{usage.input_tokens / len(verdicts):,.0f} + {usage.output_tokens / len(verdicts):,.0f}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 300 else f"{line[:297]}..."
