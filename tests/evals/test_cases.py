"""Cases from YAML: what is read, and what a person is told of a file that is wrong."""

from pathlib import Path

import pytest

from dragoman.evals.cases import Case, CaseError, Exchange, Expectations, ExpectedCall, load, parse

SPECIFIED = """
- name: "cobalt_projects"
  description: "Multi-hop: material → part → BOM → project"
  setup:
    fixtures: "cobalt_test_data"
  conversation:
    - user: "What projects contain parts with cobalt?"
  expectations:
    tool_calls:
      - name: "search_managers"
      - name: "query"
        args_contain:
          manager: "Project"
    results_contain: ["Apollo", "Gemini"]
    results_exclude: ["Mercury"]
    answer_contains: ["Apollo", "Gemini"]
"""

EXTENDED = """
- name: archive
  setup: {fixtures: [parts, people], user: lena}
  conversation:
    - user: How many parts are there?
      expect:
        rows: [{count: 1200}]
        answer_contains: [[1200, twelve hundred]]
    - user: Archive project Apollo.
      confirm: true
      expect:
        tool_calls: [{name: mutate}]
    - user: What colour is it?
      expect: {honest: true, results_exclude: [red], tool_calls: []}
"""


def test_a_case_as_specified_is_read() -> None:
    assert parse(SPECIFIED, "cases.yaml") == [
        Case(
            name="cobalt_projects",
            description="Multi-hop: material → part → BOM → project",
            fixtures=("cobalt_test_data",),
            conversation=(Exchange("What projects contain parts with cobalt?"),),
            expectations=Expectations(
                tool_calls=(ExpectedCall("search_managers", {}), ExpectedCall("query", {"manager": "Project"})),
                results_contain=(("Apollo",), ("Gemini",)),
                results_exclude=(("Mercury",),),
                answer_contains=(("Apollo",), ("Gemini",)),
            ),
            source="cases.yaml",
        )
    ]


def test_turns_have_expectations_and_decisions_of_their_own() -> None:
    assert parse(EXTENDED, "cases.yaml") == [
        Case(
            name="archive",
            fixtures=("parts", "people"),
            user="lena",
            conversation=(
                Exchange(
                    "How many parts are there?",
                    expect=Expectations(rows=({"count": 1200},), answer_contains=(("1200", "twelve hundred"),)),
                ),
                Exchange("Archive project Apollo.", True, Expectations(tool_calls=(ExpectedCall("mutate", {}),))),
                Exchange(
                    "What colour is it?",
                    expect=Expectations(honest=True, results_exclude=(("red",),), tool_calls=()),
                ),
            ),
            source="cases.yaml",
        )
    ]


MINIMAL = "- {name: a, conversation: [{user: Hi}], expectations: {answer_contains: [hello]}}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: a", "c.yaml: expected a list of cases, each with a name and a conversation."),
        ("- name: [", "c.yaml, line 1: not valid YAML: expected the node content, but found '<stream end>'."),
        ("- just text", "c.yaml: case 1: expected a mapping with name and conversation, got 'just text'."),
        ("- {conversation: []}", "c.yaml: case 1, name: expected a text, got nothing."),
        ("- {name: 5, conversation: [{user: Hi}]}", "c.yaml: case 1, name: expected a text, got '5'."),
        ("- {name: a}", "c.yaml: case 'a', conversation: expected a list of turns, each `user: text`, got nothing."),
        (
            "- {name: a, conversation: Hi}",
            "c.yaml: case 'a', conversation: expected a list of turns, each `user: text`, got 'Hi'.",
        ),
        (
            "- {name: a, conversation: []}",
            "c.yaml: case 'a', conversation: expected at least one turn, got an empty list.",
        ),
        (
            "- {name: a, conversation: [{text: Hi}]}",
            "c.yaml: case 'a', conversation[0].text: unknown key. Expected one of: user, confirm, expect.",
        ),
        (
            "- {name: a, conversation: [{user: ''}]}",
            "c.yaml: case 'a', conversation[0].user: expected what the person says, as a text, got ''.",
        ),
        (
            "- {name: a, conversation: [{user: Hi, confirm: maybe}]}",
            "c.yaml: case 'a', conversation[0].confirm: expected true or false, got 'maybe'.",
        ),
        (
            "- {name: a, conversation: [{user: Hi}]}",
            "c.yaml: case 'a', expectations: expected expectations, or a turn with `expect`, got nothing.",
        ),
        (
            "- {name: a, conversation: [{user: Hi}], expectation: {}}",
            "c.yaml: case 'a', expectation: unknown key. Did you mean 'expectations'? "
            "Expected one of: name, description, setup, conversation, expectations.",
        ),
        (
            "- {name: a, conversation: [{user: Hi}], expectations: {answer_contains: hello}}",
            "c.yaml: case 'a', expectations.answer_contains: expected a list of texts or numbers, got 'hello'.",
        ),
        (
            "- {name: a, conversation: [{user: Hi}], expectations: {answer_contains: [no]}}",
            "c.yaml: case 'a', expectations.answer_contains[0]: "
            "expected a text or a number, in quotes if it is a date or yes or no, got 'False'.",
        ),
        (
            "- {name: a, conversation: [{user: Hi}], expectations: {tool_calls: [query]}}",
            "c.yaml: case 'a', expectations.tool_calls[0]: expected a mapping with the name of a tool, got 'query'.",
        ),
        (
            "- {name: a, conversation: [{user: Hi}], expectations: {tool_calls: [{name: query, args_contain: [1]}]}}",
            "c.yaml: case 'a', expectations.tool_calls[0].args_contain: expected a mapping of arguments, got a list.",
        ),
        (
            "- {name: a, conversation: [{user: Hi}], expectations: {rows: [Apollo]}}",
            "c.yaml: case 'a', expectations.rows[0]: expected a row: a mapping of field and value, got 'Apollo'.",
        ),
        (f"{MINIMAL}\n{MINIMAL}", None),
    ],
)
def test_a_malformed_file_is_named_with_its_case_key_and_what_was_expected(
    text: str, said: str | None, tmp_path: Path
) -> None:
    if said is None:
        file = tmp_path / "c.yaml"
        file.write_text(text)
        with pytest.raises(CaseError) as refused:
            load([file])
        assert refused.value.message == f"{file}: a case named 'a' stands in {file} already."
        return
    with pytest.raises(CaseError) as refused:
        parse(text, "c.yaml")
    assert refused.value.message == said


def test_a_directory_gives_the_cases_of_its_files_in_order(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text(MINIMAL.replace("name: a", "name: second"))
    (tmp_path / "a.yml").write_text(MINIMAL.replace("name: a", "name: first"))
    (tmp_path / "notes.txt").write_text("not a case")
    assert [case.name for case in load([tmp_path])] == ["first", "second"]


def test_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="no such file or directory of cases"):
        load([tmp_path / "none.yaml"])
    with pytest.raises(CaseError, match=r"no \*\.yaml file of cases in this directory"):
        load([tmp_path])
