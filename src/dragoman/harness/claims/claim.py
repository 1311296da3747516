"""Claim and Source: something an answer says, and what it rests on."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["number", "date", "name", "hash", "path"]


@dataclass(frozen=True, slots=True)
class Source:
    """What a claim rests on: a cell of a result, or a text that needs no result, such as the question.

    `call_id` and `tool` are empty where no tool returned it. `row` counts from 0 in the list the cell stands in, `field`
    is the way to the cell with dots, `value` what stands there, or how it was computed.
    """

    value: str
    call_id: str = ""
    tool: str = ""
    row: int | None = None
    field: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """A piece of an answer from `start` to `end`, counted in Unicode characters.

    `how` says in a word how it follows from the source: cell, rounded, converted, count, sum, average, share,
    difference, question, argument, today. Without a source it is "unmatched".
    """

    text: str
    start: int
    end: int
    kind: Kind
    source: Source | None
    how: str
