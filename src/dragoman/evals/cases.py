"""Cases from YAML: a conversation and what is expected of it."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import yaml

from dragoman.harness.errors import ConfigurationError

Fact = tuple[str, ...]


class CaseError(ConfigurationError):
    """A file of cases is malformed; the message names the file, the case, the key and what was expected."""

    code = "eval_case"


@dataclass(frozen=True, slots=True)
class ExpectedCall:
    """A call that has to be made; `args_contain` is a part of its arguments, at any depth."""

    name: str
    args_contain: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Expectations:
    """What a turn has to show. None means that nothing is expected of that dimension; an empty tuple is a demand.

    `tool_calls` happen in this order, others may stand between; `()` means that no tool runs. `rows` are exactly those
    of the final query, compared on the keys given. A fact is a tuple of spellings of which one suffices.
    `honest` means the data cannot answer, and the answer has to say so.
    """

    tool_calls: tuple[ExpectedCall, ...] | None = None
    results_contain: tuple[Fact, ...] = ()
    results_exclude: tuple[Fact, ...] = ()
    answer_contains: tuple[Fact, ...] = ()
    rows: tuple[Mapping[str, Any], ...] | None = None
    honest: bool = False


@dataclass(frozen=True, slots=True)
class Exchange:
    """One message of the person; `confirm` decides what the turn asks to be confirmed (None: rejected)."""

    user: str
    confirm: bool | None = None
    expect: Expectations | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """A conversation in a known world. `expectations` are about all calls, and the results and answer of the last turn."""

    name: str
    conversation: tuple[Exchange, ...]
    expectations: Expectations | None = None
    description: str = ""
    fixtures: tuple[str, ...] = ()
    user: str = ""
    source: str = ""


def load(paths: Iterable[Path]) -> list[Case]:
    """The cases of these files, and of the `*.yaml` and `*.yml` files of these directories, in order of their names.

    Raises CaseError for a file that is not there or malformed, and for two cases of one name.
    """
    cases: dict[str, Case] = {}
    for file in _files(paths):
        for case in parse(file.read_text(encoding="utf-8"), str(file)):
            if case.name in cases:
                raise CaseError(f"{file}: a case named {case.name!r} stands in {cases[case.name].source} already.")
            cases[case.name] = case
    return list(cases.values())


def parse(text: str, source: str) -> list[Case]:
    """The cases of a YAML text; `source` is what errors call it. Raises CaseError."""
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{source}, line {mark.line + 1}" if mark else source
        raise CaseError(f"{where}: not valid YAML: {getattr(error, 'problem', None) or 'unreadable'}.") from error
    if isinstance(document, dict) and set(document) == {"cases"}:
        document = document["cases"]
    if not isinstance(document, list):
        raise CaseError(f"{source}: expected a list of cases, each with a name and a conversation.")
    return [_case(raw, source, number) for number, raw in enumerate(document, start=1)]


def _files(paths: Iterable[Path]) -> list[Path]:
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            found = sorted(each for each in path.iterdir() if each.suffix in {".yaml", ".yml"})
            if not found:
                raise CaseError(f"{path}: no *.yaml file of cases in this directory.")
            files += found
        elif path.is_file():
            files.append(path)
        else:
            raise CaseError(f"{path}: no such file or directory of cases.")
    return files


@dataclass(frozen=True, slots=True)
class _Node:
    """A piece of a file with its place, so that an error can say where it is."""

    value: Any
    source: str
    case: str
    key: str = ""

    def wrong(self, expected: str) -> NoReturn:
        at = f", {self.key}" if self.key else ""
        raise CaseError(f"{self.source}: {self.case}{at}: expected {expected}, got {_shown(self.value)}.")

    def inner(self, key: str | int, value: Any) -> "_Node":
        place = f"{self.key}[{key}]" if isinstance(key, int) else f"{self.key}.{key}" if self.key else key
        return _Node(value, self.source, self.case, place)

    def mapping(self, keys: Sequence[str], expected: str) -> "dict[str, _Node]":
        if not isinstance(self.value, dict):
            self.wrong(expected)
        for key in self.value:
            if key not in keys:
                near = difflib.get_close_matches(str(key), keys, 1, 0.7)
                hint = f" Did you mean {near[0]!r}?" if near else ""
                place = f"{self.key}.{key}" if self.key else key
                raise CaseError(
                    f"{self.source}: {self.case}, {place}: unknown key.{hint} Expected one of: {', '.join(keys)}."
                )
        return {key: self.inner(key, value) for key, value in self.value.items()}

    def list(self, expected: str) -> "list[_Node]":
        if not isinstance(self.value, list):
            self.wrong(expected)
        return [self.inner(number, value) for number, value in enumerate(self.value)]

    def text(self, expected: str = "a text") -> str:
        if not isinstance(self.value, str) or not self.value.strip():
            self.wrong(expected)
        return self.value.strip()

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            self.wrong("true or false")
        return self.value


def _case(raw: Any, source: str, number: int) -> Case:
    name = raw.get("name") if isinstance(raw, dict) else None
    node = _Node(raw, source, f"case {name!r}" if isinstance(name, str) else f"case {number}")
    keys = node.mapping(
        ("name", "description", "setup", "conversation", "expectations"), "a mapping with name and conversation"
    )
    for needed, expected in (("name", "a text"), ("conversation", "a list of turns, each `user: text`")):
        if needed not in keys:
            node.inner(needed, None).wrong(expected)
    setup = keys["setup"].mapping(("fixtures", "user"), "a mapping of fixtures and user") if "setup" in keys else {}
    turns = keys["conversation"].list("a list of turns, each `user: text`")
    if not turns:
        keys["conversation"].wrong("at least one turn")
    case = Case(
        name=keys["name"].text(),
        conversation=tuple(_exchange(turn) for turn in turns),
        expectations=_expectations(keys["expectations"]) if "expectations" in keys else None,
        description=keys["description"].text() if "description" in keys else "",
        fixtures=_fixtures(setup["fixtures"]) if "fixtures" in setup else (),
        user=setup["user"].text("the name of a user") if setup.get("user") and setup["user"].value else "",
        source=source,
    )
    if case.expectations is None and not any(turn.expect for turn in case.conversation):
        node.inner("expectations", None).wrong("expectations, or a turn with `expect`")
    return case


def _fixtures(node: _Node) -> tuple[str, ...]:
    if isinstance(node.value, str):
        return (node.text(),)
    return tuple(item.text("the name of a fixture") for item in node.list("the name of a fixture, or a list of names"))


def _exchange(node: _Node) -> Exchange:
    keys = node.mapping(("user", "confirm", "expect"), "a mapping with `user: text`")
    if "user" not in keys:
        node.inner("user", None).wrong("what the person says, as a text")
    return Exchange(
        user=keys["user"].text("what the person says, as a text"),
        confirm=keys["confirm"].flag() if "confirm" in keys else None,
        expect=_expectations(keys["expect"]) if "expect" in keys else None,
    )


def _expectations(node: _Node) -> Expectations:
    known = ("tool_calls", "results_contain", "results_exclude", "answer_contains", "rows", "honest")
    keys = node.mapping(known, "a mapping of expectations")
    if not keys:
        node.wrong(f"at least one of: {', '.join(known)}")
    return Expectations(
        tool_calls=_calls(keys["tool_calls"]) if "tool_calls" in keys else None,
        results_contain=_facts(keys.get("results_contain")),
        results_exclude=_facts(keys.get("results_exclude")),
        answer_contains=_facts(keys.get("answer_contains")),
        rows=_rows(keys["rows"]) if "rows" in keys else None,
        honest=keys["honest"].flag() if "honest" in keys else False,
    )


def _calls(node: _Node) -> tuple[ExpectedCall, ...]:
    calls = []
    for item in node.list("a list of calls, each with a name"):
        keys = item.mapping(("name", "args_contain"), "a mapping with the name of a tool")
        if "name" not in keys:
            item.inner("name", None).wrong("the name of a tool")
        arguments = keys["args_contain"].value if "args_contain" in keys else {}
        if not isinstance(arguments, dict):
            keys["args_contain"].wrong("a mapping of arguments")
        calls.append(ExpectedCall(keys["name"].text("the name of a tool"), arguments))
    return tuple(calls)


def _facts(node: _Node | None) -> tuple[Fact, ...]:
    if node is None:
        return ()
    return tuple(_fact(item) for item in node.list("a list of texts or numbers"))


def _fact(node: _Node) -> Fact:
    spellings = node.list("a text") if isinstance(node.value, list) else [node]
    if not spellings:
        node.wrong("at least one spelling")
    return tuple(_spelling(each) for each in spellings)


def _spelling(node: _Node) -> str:
    if isinstance(node.value, bool) or not isinstance(node.value, (str, int, float)) or not str(node.value).strip():
        # YAML reads a bare 2026-01-31 as a date, and a bare yes or no as true or false.
        node.wrong("a text or a number, in quotes if it is a date or yes or no")
    return str(node.value)


def _rows(node: _Node) -> tuple[Mapping[str, Any], ...]:
    rows = []
    for item in node.list("a list of rows, each a mapping of field and value"):
        if not isinstance(item.value, dict) or not item.value:
            item.wrong("a row: a mapping of field and value")
        rows.append({str(key): value for key, value in item.value.items()})
    return tuple(rows)


def _shown(value: Any) -> str:
    match value:
        case None:
            return "nothing"
        case dict():
            return "a mapping"
        case list():
            return "a list" if value else "an empty list"
        case _:
            text = str(value)
            return repr(text if len(text) <= 60 else f"{text[:57]}...")
