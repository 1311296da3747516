"""The runner plays a case through a real Assistant, and the judges say what came of it."""

from collections.abc import Iterable, Sequence
from io import StringIO

import pytest
from rich.console import Console

from dragoman.evals.cases import Case, parse
from dragoman.evals.report import as_json, failures, good_enough, table
from dragoman.evals.results import Report
from dragoman.evals.runner import EmptyStage, run
from dragoman.harness.assistant import Assistant
from dragoman.harness.caller import Caller
from dragoman.harness.errors import ProviderError
from dragoman.harness.memory import MemoryStore
from dragoman.harness.messages import Message
from dragoman.harness.provider import Piece, ToolRequest
from dragoman.harness.store import Conversation
from dragoman.harness.tools import ToolDefinition
from dragoman.providers.scripted import Scripted
from tests.evals.shelf import Shelf, ShelfStage

COBALT = """
- name: cobalt
  setup: {user: lena}
  conversation: [{user: "What projects contain parts with cobalt?"}]
  expectations:
    tool_calls: [{name: query, args_contain: {filters: {metal: cobalt}}}]
    rows: [{name: Apollo}, {name: Gemini}]
    results_exclude: [Mercury]
    answer_contains: [Apollo, Gemini]
"""

ARCHIVE = """
- name: archive
  setup: {user: lena}
  conversation:
    - user: Archive Apollo.
      confirm: true
      expect:
        tool_calls: [{name: archive, args_contain: {id: 1}}]
        answer_contains: [archived]
    - user: Which are active?
  expectations:
    tool_calls: [{name: archive}, {name: query}]
    rows: [{name: Gemini}, {name: Mercury}]
"""

ASK_COBALT = ToolRequest("query", {"manager": "Project", "filters": {"metal": "cobalt"}})
ASK_ACTIVE = ToolRequest("query", {"manager": "Project", "filters": {"status": "active"}})


def names_of_last_result(messages: Sequence[Message], tools: Sequence[ToolDefinition]) -> Iterable[str]:
    result = messages[-1].result
    assert result is not None
    return [", ".join(row["name"] for row in result.data["rows"])]


class Untouched(MemoryStore):
    """A store in which an eval must not leave a conversation."""

    async def create(self, caller: Caller) -> Conversation:
        raise AssertionError("An eval was kept among people's conversations.")


def cases(text: str) -> list[Case]:
    return parse(text, "cases.yaml")


def assistant(*rounds: Iterable[Piece] | str, shelf: Shelf | None = None) -> Assistant:
    return Assistant(Scripted(*rounds), shelf or Shelf(), MemoryStore())


@pytest.mark.requirement("g.evals.yaml")
async def test_a_case_is_played_through_the_assistant_and_judged_in_three_dimensions() -> None:
    report = await run(cases(COBALT), assistant([ASK_COBALT], names_of_last_result), provider="scripted")
    [verdict] = report.verdicts
    assert verdict.passed
    assert [(score.dimension, score.score) for score in verdict.scores] == [("tools", 1), ("rows", 1), ("answer", 1)]
    assert verdict.turns[0].answer == "Apollo, Gemini"
    assert verdict.turns[0].finish_reason == "stop"
    assert verdict.usage.input_tokens > 0


@pytest.mark.requirement("g.evals.judges")
async def test_a_wrong_query_fails_in_every_dimension_and_is_wrong_with_confidence() -> None:
    report = await run(cases(COBALT), assistant([ASK_ACTIVE], names_of_last_result), provider="scripted")
    [verdict] = report.verdicts
    assert [(score.dimension, score.passed) for score in verdict.scores] == [
        ("tools", False),
        ("rows", False),
        ("answer", False),
    ]
    assert verdict.scores[1].score == 0.0  # all three rows came: precision 2/3, but the excluded one is among them
    assert verdict.confident_wrong == ("claims Mercury",)
    assert not good_enough(report)


async def test_a_confirmed_mutation_runs_and_the_next_case_finds_the_world_as_before() -> None:
    shelf = Shelf()
    stage = ShelfStage(shelf)
    script = [
        [ToolRequest("archive", {"id": "1"})],
        ["Apollo is archived."],
        [ASK_ACTIVE],
        names_of_last_result,
        [ASK_COBALT],
        names_of_last_result,
    ]
    report = await run(cases(ARCHIVE + COBALT), assistant(*script, shelf=shelf), provider="scripted", stage=stage)
    assert [(verdict.case.name, verdict.passed) for verdict in report.verdicts] == [("archive", True), ("cobalt", True)]
    assert stage.played == ["archive", "cobalt"]
    assert shelf.rows[0]["status"] == "active"


async def test_a_mutation_that_the_case_does_not_confirm_is_rejected() -> None:
    shelf = Shelf()
    rejected = cases(ARCHIVE.replace("confirm: true", "confirm: false"))
    script = [[ToolRequest("archive", {"id": "1"})], ["I left it."], [ASK_ACTIVE], names_of_last_result]
    report = await run(rejected, assistant(*script, shelf=shelf), provider="scripted", stage=ShelfStage(shelf))
    [verdict] = report.verdicts
    assert verdict.turns[0].results[0].data == {"status": "cancelled", "reason": "user_rejected"}
    assert [row["name"] for row in verdict.turns[1].results[0].data["rows"]] == ["Apollo", "Gemini", "Mercury"]
    assert not verdict.passed


async def test_a_failing_provider_is_reported_and_not_retried() -> None:
    provider = Scripted([ProviderError("The service is down.")])
    broken = Assistant(provider, Shelf(), MemoryStore())
    report = await run(cases(COBALT), broken, provider="scripted", stage=EmptyStage())
    [verdict] = report.verdicts
    assert (verdict.passed, verdict.confident_wrong) == (False, ())
    assert verdict.trouble == "'What projects contain parts with cobalt?' ended in provider_error"
    assert len(provider.seen) == 1


async def test_every_case_is_a_conversation_of_its_own_and_none_is_kept() -> None:
    script = Scripted([ASK_COBALT], names_of_last_result, "Hello.", "Hello again.")
    asked = Assistant(script, Shelf(), Untouched())
    hello = "\n- {name: hello, conversation: [{user: Hi}, {user: Hi}], expectations: {answer_contains: [hello]}}"
    report = await run(cases(COBALT + hello), asked, provider="scripted")
    assert all(verdict.passed for verdict in report.verdicts)
    assert [[message.text for message in messages if message.role == "user"] for messages, _ in script.seen[-2:]] == [
        ["Hi"],
        ["Hi", "Hi"],
    ]


async def test_providers_are_compared_in_one_table_with_the_reasons_of_what_failed() -> None:
    good = await run(cases(COBALT), assistant([ASK_COBALT], names_of_last_result), provider="careful")
    bad = await run(cases(COBALT), assistant([ASK_ACTIVE], names_of_last_result), provider="hasty")
    report = Report(good.verdicts + bad.verdicts)
    console = Console(width=160, record=True, file=StringIO())
    console.print(table(report), failures(report))
    told = console.export_text()
    careful, hasty = (next(line for line in told.splitlines() if name in line) for name in ("careful", "hasty"))
    assert careful.count("1/1 100%") == 4
    assert hasty.count("0/1 0%") == 4
    assert "in the answer, and should not be: Mercury" in told
    assert "wrong with confidence: claims Mercury" in told
    assert (good_enough(good), good_enough(bad), good_enough(report), good_enough(Report(()))) == (
        True,
        False,
        False,
        False,
    )
    assert [(entry["provider"], entry["passed"]) for entry in as_json(report)] == [("careful", True), ("hasty", False)]
