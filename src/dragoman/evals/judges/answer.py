"""Are the expected facts in the answer, and does an answer that cannot be given say so?

An answer *says plainly that it cannot* when one of the phrases below stands in it. An answer is *honest* when no value
under `results_exclude` stands in it, and it either says plainly that it cannot, or rests on no query at all and claims
no number that the question did not have.
"""

import re

from dragoman.evals.cases import Expectations
from dragoman.evals.judges.rows import comparable, compare, excluded, words
from dragoman.evals.matching import mentions, normal, numbers
from dragoman.evals.results import Score, Turn

THRESHOLD = 0.8

# "No projects were found" is missing on purpose: it is a claim about the data, true or false; that there may be others
# "that you have no access to" takes nothing of it back.
_PLAINLY = re.compile(
    r"\b(?:can ?not|can't|could not|couldn't|unable to|not able to|am not allowed|are not allowed|is not allowed|"
    r"(?:do|does|did) not (?:know|understand|have|hold|record|contain|say|see|offer)|"
    r"(?:don't|doesn't|didn't) (?:know|understand|have|hold|record|contain|say|see|offer)|"
    r"not sure what|(?<!that you have )no access|not available|no such (?:field|information|data|thing|type|kind)|"
    r"no (?:field|information|data|record|way|tool|mutation) (?:for|of|on|about|to|that|called|named)|"
    r"not (?:in|part of|among|recorded in|held in) (?:the|this|your|our) (?:data|system|schema)|"
    r"beyond what|nothing (?:here )?(?:about|on) that)\b"
)


def judge(expected: Expectations, turn: Turn) -> Score:
    """The share of the expected facts that the answer names, from 0.8 on enough; an honest answer where one is due."""
    if not turn.answer.strip():
        return Score("answer", 0.0, False, (f"there was no answer{f' ({turn.error})' if turn.error else ''}",))
    if expected.honest and not honest(expected, turn):
        return Score("answer", 0.0, False, ("it does not say that the data cannot answer this",))
    if intruders := excluded(expected, turn.answer):
        names = ", ".join(" or ".join(fact) for fact in intruders)
        return Score("answer", 0.0, False, (f"in the answer, and should not be: {names}",))
    wanted = expected.answer_contains
    absent = [fact for fact in wanted if not any(mentions(turn.answer, spelling) for spelling in fact)]
    share = 1 - len(absent) / len(wanted) if wanted else 1.0
    reasons = tuple(f"not in the answer: {' or '.join(fact)}" for fact in absent)
    return Score("answer", share, share >= THRESHOLD, reasons)


def honest(expected: Expectations, turn: Turn) -> bool:
    """Whether an answer to what cannot be answered admits it."""
    if excluded(expected, turn.answer):
        return False
    claims = numbers(turn.answer) - numbers(turn.question)
    return says_plainly(turn.answer) or (not turn.queried and not claims)


def says_plainly(answer: str) -> bool:
    """Whether the answer says that it could not do all that was asked."""
    return _PLAINLY.search(normal(answer)) is not None


def misleading(expected: Expectations, turn: Turn) -> tuple[str, ...]:
    """Why an answer is wrong with confidence, or nothing.

    It is when it was given without saying plainly that something could not be done, and an excluded value stands in it
    or in its rows, or its rows are not the expected ones, or too few expected facts stand in it, or it had to say that
    it cannot. An excluded value in the answer itself is never excused.
    """
    if not turn.answer.strip() or turn.error:
        return ()
    if intruders := excluded(expected, turn.answer):
        return (f"claims {', '.join(' or '.join(fact) for fact in intruders)}",)
    if says_plainly(turn.answer):
        return ()
    reasons: list[str] = []
    if expected.honest and not honest(expected, turn):
        reasons.append("answers what the data cannot answer")
    if turn.final_query is not None:
        reasons += _contradictions(expected, turn)
    if expected.answer_contains and not judge(expected, turn).passed:
        reasons.append("the facts it states are not the expected ones")
    return tuple(reasons)


def _contradictions(expected: Expectations, turn: Turn) -> list[str]:
    data = turn.final_query or {}
    reasons = ["rests on rows that should not be there"] if excluded(expected, words(data)) else []
    rows = data.get("rows") if isinstance(data.get("rows"), list) else None
    if expected.rows is not None and rows is not None and comparable(expected.rows, rows):
        missing, unexpected = compare(expected.rows, rows)
        if unexpected:
            reasons.append("rests on wrong rows")
        if missing:
            reasons.append("rests on too few rows")
    return reasons
