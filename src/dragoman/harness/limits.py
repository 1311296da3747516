"""Limits: rounds, retries, seconds and sizes of one turn."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Each has the specification's default where it names one.

    `max_retries` counts rounds in which a read failed; one more than that ends the tools of the turn. Sizes are in
    characters, `context_tokens` is the most a request may hold, `turn_tokens` what a whole turn may spend.
    """

    max_tool_rounds: int = 8
    max_retries: int = 3
    timeout_seconds: float = 60
    stream_timeout_seconds: float = 30
    tool_timeout_seconds: float = 60
    turn_seconds: float = 600
    turn_tokens: int = 400_000
    context_tokens: int = 100_000
    message_characters: int = 20_000
    result_characters: int = 30_000
    parallel_reads: int = 4
    calls_per_round: int = 16
    max_recent_messages: int = 20
    summarize_after: int = 10
    confirm_timeout_seconds: float = 30
