"""What a case did and how it was judged, as values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from dragoman.evals.cases import Case
from dragoman.harness.messages import ToolCall, ToolResult, Usage

Dimension = Literal["tools", "rows", "answer"]
DIMENSIONS: tuple[Dimension, ...] = ("tools", "rows", "answer")


@dataclass(frozen=True, slots=True)
class Turn:
    """What one message led to. `answer` is all the text the person saw; `error` the code of a turn that failed."""

    question: str
    answer: str = ""
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolResult, ...] = ()
    finish_reason: str = ""
    error: str = ""
    usage: Usage = field(default_factory=Usage)

    @property
    def final_query(self) -> Mapping[str, Any] | None:
        """The data of the last successful read that gave rows; where none did, of the last successful read; or None."""
        reads = [result.data for result in self.results if result.ran and not result.failed and not result.writes]
        objects = [data for data in reads if isinstance(data, dict)]
        with_rows = [data for data in objects if isinstance(data.get("rows"), list)]
        found = with_rows or objects
        return found[-1] if found else None

    @property
    def queried(self) -> bool:
        """Whether a read gave rows, even none of them."""
        return self.final_query is not None and isinstance(self.final_query.get("rows"), list)


@dataclass(frozen=True, slots=True)
class Score:
    """One judge's word: `score` from 0 to 1, and why it is not 1."""

    dimension: Dimension
    score: float
    passed: bool
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """A case as played by one provider. `confident_wrong` holds why an answer misled without saying so, or nothing."""

    case: Case
    provider: str
    turns: tuple[Turn, ...]
    scores: tuple[Score, ...]
    confident_wrong: tuple[str, ...] = ()
    trouble: str = ""

    @property
    def passed(self) -> bool:
        """Whether every judge that had a say is content, and the case was played to its end."""
        return not self.trouble and not self.confident_wrong and all(score.passed for score in self.scores)

    def of(self, dimension: Dimension) -> list[Score]:
        """The scores in one dimension; a conversation may have several."""
        return [score for score in self.scores if score.dimension == dimension]

    @property
    def usage(self) -> Usage:
        """What all turns cost."""
        return sum((turn.usage for turn in self.turns), Usage())


@dataclass(frozen=True, slots=True)
class Report:
    """All verdicts of a run, in the order played."""

    verdicts: tuple[Verdict, ...]

    @property
    def providers(self) -> list[str]:
        """The providers, in the order played."""
        return list(dict.fromkeys(verdict.provider for verdict in self.verdicts))

    def of(self, provider: str) -> list[Verdict]:
        """The verdicts of one provider."""
        return [verdict for verdict in self.verdicts if verdict.provider == provider]
