"""Prepared answers with planted errors: templates whose claims are marked, filled from tables and then made wrong."""

import datetime as dt
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dragoman.harness.claims.evidence import Basis
from dragoman.harness.messages import Message, ToolCall, ToolResult, new_id

_MARK = re.compile(r"\[\[(\w+):(.*?)\]\]")

Row = dict[str, Any]


@dataclass(frozen=True)
class Told:
    """A question, what a tool returned, and an answer whose claims stand as `[[kind:text]]`."""

    question: str
    tool: str
    arguments: Row
    result: Row
    answer: str


@dataclass(frozen=True)
class Prepared:
    """An answer as it is shown, where its planted errors stand, and how many of its claims are true."""

    told: Told
    text: str
    planted: tuple[tuple[int, int, str], ...]
    true: int


@dataclass
class Score:
    planted: int = 0
    marked: int = 0
    true: int = 0
    wronged: int = 0

    @property
    def found(self) -> float:
        return self.marked / self.planted

    @property
    def false(self) -> float:
        return self.wronged / self.true


def prepare(told: Told, rng: random.Random, names: Sequence[str], errors: int = 1) -> Prepared:
    """The answer with `errors` of its claims made wrong; `names` are those that stand in no row."""
    marks = list(_MARK.finditer(told.answer))
    chosen = set(rng.sample(range(len(marks)), min(errors, len(marks))))
    text, planted, at = "", [], 0
    for number, mark in enumerate(marks):
        text += told.answer[at : mark.start()]
        kind, said = mark[1], mark[2]
        shown = wrong(kind, said, rng, names) if number in chosen else said
        if number in chosen:
            planted.append((len(text), len(text) + len(shown), kind))
        text, at = text + shown, mark.end()
    return Prepared(told, text + told.answer[at:], tuple(planted), len(marks) - len(planted))


def wrong(kind: str, said: str, rng: random.Random, names: Sequence[str]) -> str:
    """Another value of the same form."""
    match kind:
        case "name":
            return rng.choice(names)
        case "hash" | "code":
            spots = [n for n, c in enumerate(said) if c.isdigit()]
            return _replaced(said, rng.choice(spots), rng)
        case "path":
            return re.sub(r"(\w)(\w+)(\.\w+)$", lambda m: f"{m[1]}{rng.choice(['ost', 'ander', 'uild'])}{m[3]}", said)
        case "date":
            spots = [m for m in re.finditer(r"\d+", said) if len(m[0]) <= 2] or list(re.finditer(r"\d+", said))
            spot = rng.choice(spots)
            number = int(spot[0])
            other = number % 27 + rng.randint(1, 2) if len(spot[0]) <= 2 and number > 12 else _other(number, rng)
            if len(spot[0]) <= 2 and number <= 12:
                other = number % 12 + 1
            return said[: spot.start()] + str(other).zfill(len(spot[0])) + said[spot.end() :]
        case _:
            match = re.search(r"\d[\d.,\u202f ]*\d|\d", said)
            assert match is not None
            digits = match[0]
            if digits.isdigit() and int(digits) < 100:
                return said[: match.start()] + str(_other(int(digits), rng)) + said[match.end() :]
            spots = [n for n, c in enumerate(digits) if c.isdigit()][:2]
            return said[: match.start()] + _replaced(digits, rng.choice(spots), rng) + said[match.end() :]


def judge(prepared: Prepared, score: Score) -> list[str]:
    """Count one answer; what went wrong comes back in words."""
    told = prepared.told
    call = ToolCall(new_id(), told.tool, told.arguments)
    basis = Basis()
    created = dt.datetime(2026, 12, 1, tzinfo=dt.UTC)
    basis.follow(
        [
            Message("user", told.question, created=created),
            Message("assistant", "", (call,)),
            Message("tool", result=ToolResult(call.id, told.tool, json.dumps(told.result))),
        ]
    )
    claims = basis.of(prepared.text)
    marked = [claim for claim in claims if claim.source is None]
    wrongs = []
    for start, end, kind in prepared.planted:
        score.planted += 1
        if any(claim.start < end and start < claim.end for claim in marked):
            score.marked += 1
        else:
            found = [(c.text, c.how, c.source and c.source.field) for c in claims if c.start < end and start < c.end]
            wrongs.append(f"missed {kind} {prepared.text[start:end]!r} as {found} in: {prepared.text}")
    score.true += prepared.true
    for claim in marked:
        if not any(claim.start < end and start < claim.end for start, end, _ in prepared.planted):
            score.wronged += 1
            wrongs.append(f"wronged {claim.kind} {claim.text!r} in: {prepared.text}")
    return wrongs


def series(
    templates: Sequence[Callable[[random.Random], Told]], names: Sequence[str], count: int, seed: int
) -> Iterator[Prepared]:
    """`count` answers from the templates in turn; every fourth has two errors."""
    rng = random.Random(seed)
    for number in range(count):
        told = templates[number % len(templates)](rng)
        yield prepare(told, rng, names, errors=2 if number % 4 == 3 else 1)


def _other(number: int, rng: random.Random) -> int:
    return rng.choice(
        [n for n in (number - 2, number - 1, number + 1, number + 2, number + 3, number * 2) if n > 0 and n != number]
    )


def _replaced(text: str, spot: int, rng: random.Random) -> str:
    low = "1" if spot == 0 else "0"
    digit = rng.choice([c for c in "0123456789" if c != text[spot] and c >= low])
    return text[:spot] + digit + text[spot + 1 :]
