"""Relations: which tests call something, which classes rest on it, who imports or raises it, what changes along with it."""

import re
from collections.abc import Generator, Sequence

from dragoman.harness.provider import ToolRequest
from dragoman.providers.planner.history import Step
from dragoman.providers.planner.repo import changes, code, conditions, wording
from dragoman.providers.planner.repo.plan import Calls, call, trouble
from dragoman.providers.planner.repo.question import Asked
from dragoman.providers.planner.repo.wording import Item, counted, listed, place

TESTS = 20
_DIRECTLY = "Only calls that could be proven count; what a test reaches through other functions is not followed."
_BY_TEXT = "This rests on how the lines are written."

type Texts = Generator[list[ToolRequest], list[Step], tuple[list[Item], str]]


def tested(asked: Asked) -> Calls:
    """The tests that call something themselves."""
    subject = asked.subject
    if subject.words:
        return (yield from code.search(subject.words, "", unknown=f'"{subject.words}" names no single symbol.'))
    if subject.path:
        path, said = yield from changes.place_of(subject)
        if not path:
            return said
        what, target = f"`{path}`", conditions.at(path, "home.path")
    else:
        step = yield from code.about("get_callers", subject)
        if isinstance(step, str):
            return step
        symbol = step.data["symbol"]
        if absent := step.data.get("not_indexed"):
            return f"Which tests call {wording.name(symbol)} is not known. {absent}"
        what = f"{wording.name(symbol)} ({place(symbol)})"
        target = f"home.path = '{conditions.quoted(symbol['path'])}'"
        if symbol["kind"] != "module":
            target += f" AND target.line BETWEEN {int(symbol['line'])} AND {int(symbol['end_line'])}"
    step = yield from call(
        "run_project_stats",
        sql="SELECT files.path AS path, symbols.name AS name, symbols.line AS line, count(*) AS calls FROM calls "
        "JOIN symbols ON symbols.id = caller_id JOIN files ON files.id = symbols.file_id "
        "JOIN symbols AS target ON target.id = callee_id JOIN files AS home ON home.id = target.file_id "
        f"WHERE files.is_test = 1 AND home.is_test = 0 AND {target} GROUP BY 1, 2, 3 ORDER BY 1, 3",
    )
    if step.failed:
        return trouble(step)
    rows = step.data.get("rows") or []
    if not rows:
        return f"I found no test that calls {what} itself. {_DIRECTLY}"
    lines = [f"`{name}` at `{path}:{line}`" for path, name, line, _ in rows]
    many = f"at least {len(rows)} places" if step.data.get("capped") else counted(len(rows), "place")
    return f"{what} is called from {many} in the tests:\n{listed(lines, len(rows), 'place', TESTS)}\n{_DIRECTLY}"


def heirs(asked: Asked) -> Calls:
    """The classes that name a class as one they rest on."""
    name = _last(asked)
    written = (f"class ({name}", f"class , {name}", f"class .{name}", f"extends {name}", f"implements {name}")
    found, more = yield from _written(written)
    rests = re.compile(
        rf"\b(?:class|interface|record|struct)\b.*?(?:[(,:<.]|\bextends|\bimplements)\s*{re.escape(name)}\b", re.I
    )
    found = [one for one in found if rests.search(str(one["text"]))]
    said = f"{counted(len(found), 'class').capitalize()} {'names' if len(found) == 1 else 'name'} `{name}` as what it rests on"
    return _told(found, said, more)


def raised(asked: Asked) -> Calls:
    """The lines that raise or throw something."""
    name = _last(asked)
    found, more = yield from _written((f"raise {name}", f"throw new {name}", f"throw {name}"))
    raises = re.compile(rf"\b(?:raise|throw(?:\s+new)?)\s+(?:[\w.]+\.)?{re.escape(name)}\b")
    found = [one for one in found if raises.search(str(one["text"]))]
    return _told(found, f"`{name}` is raised in {counted(len(found), 'place')}", more)


def importers(asked: Asked) -> Calls:
    """The lines that import something by this name."""
    name = asked.subject.said
    found, more = yield from _written((f"import {name}", f"from {name}", f'"{name}"', f"'{name}'"))
    names = re.compile(
        rf"""^\s*(?:import|from|use|require\S*|const|let|var|export|\#include)\b.*?(?<![\w.]){re.escape(name)}\b"""
    )
    found = [one for one in found if names.search(str(one["text"]))]
    return _told(
        found, f"`{name}` is imported in {counted(len(found), 'place')}", more, " Relative imports are not among them."
    )


def together(asked: Asked) -> Calls:
    """The files that most commits changed along with one."""
    path, note = yield from changes.place_of(asked.subject)
    if not path:
        return note
    step = yield from call(
        "run_project_stats",
        sql="SELECT other.path AS path, count(DISTINCT other.sha) AS commits FROM commit_files AS one "
        "JOIN commit_files AS other USING (sha) JOIN commits USING (sha) "
        f"WHERE {conditions.within(asked)} AND one.path = '{conditions.quoted(path)}' AND other.path <> one.path GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 10",
    )
    if step.failed:
        return trouble(step)
    rows = step.data.get("rows") or []
    if not rows:
        return f"No commit of the default branch changed another file along with `{path}`."
    lines = [f"`{other}`: {counted(int(number), 'commit')}" for other, number in rows]
    return f"What commits changed along with `{path}` most often, under the names of that time:\n{listed(lines, len(lines), 'file', 10)}"


def _last(asked: Asked) -> str:
    """The name alone: of `Outer.Inner` the last part."""
    return re.split(r"[.:]", asked.subject.said.rstrip("()"))[-1]


def _written(texts: Sequence[str]) -> Texts:
    """The lines that hold one of the texts, each line once, and a word where there are more than could be looked at."""
    steps: list[Step] = yield [ToolRequest("search_text", {"query": text, "limit": 100}) for text in texts]
    found: dict[tuple[str, int], Item] = {}
    more = ""
    for step in steps:
        for one in step.data.get("matches") or []:
            found[str(one["path"]), int(one["line"])] = one
        if step.failed or step.data.get("next_offset"):
            more = " There may be more: not every line that holds the words was looked at."
    return [found[key] for key in sorted(found)], more


def _told(found: Sequence[Item], said: str, more: str, beyond: str = "") -> str:
    lines = [f"{place(one)} {wording.clipped(str(one['text']), 120)}" for one in found]
    colon = f":\n{listed(lines, len(lines), 'line', 20)}\n" if lines else ". "
    return f"{said}{colon}{_BY_TEXT}{more}{beyond}"
