"""Code: where a symbol is, what it is, who calls it and what it calls."""

from collections.abc import Generator
from dataclasses import replace
from typing import Any

from dragoman.harness.provider import ToolRequest
from dragoman.providers.planner.history import Step
from dragoman.providers.planner.repo import wording
from dragoman.providers.planner.repo.paths import path_named
from dragoman.providers.planner.repo.plan import Calls, call, code, trouble
from dragoman.providers.planner.repo.question import Asked
from dragoman.providers.planner.repo.subject import Subject
from dragoman.providers.planner.repo.wording import Item, counted, listed, place
from dragoman.providers.planner.words import join

SEARCHED = 8
_UNKNOWN = "unknown_symbol"

type Found = Generator[list[ToolRequest], list[Step], Step | str]


def where(asked: Asked) -> Calls:
    """Where something is: a symbol by its name, else what its words find, else where they stand in the text."""
    subject = asked.subject
    if subject.path:
        return (yield from _file(subject))
    if subject.words:
        return (yield from search(subject.words, asked.of))
    step = yield from named("get_symbol", subject)
    if isinstance(step, str):
        return step
    if step.failed:
        if code(step) == _UNKNOWN:
            if not subject.name.isdigit() and (full := (yield from path_named(subject.name))):
                return (yield from _file(Subject(path=full)))
            return (yield from search(subject.name, "", unknown=trouble(step)))
        return trouble(step)
    return described(step.data["symbol"])


def explain(asked: Asked) -> Calls:
    """What a symbol is, by its signature, its own first line and what stands around it."""
    if asked.subject.path or asked.subject.words:
        return (yield from where(asked))
    step = yield from named("get_symbol", asked.subject)
    if isinstance(step, str):
        return step
    if step.failed:
        if code(step) == _UNKNOWN:
            return (yield from search(asked.subject.name, "", unknown=trouble(step)))
        return trouble(step)
    return told(step.data["symbol"])


def callers(asked: Asked) -> Calls:
    """Who calls a symbol, each call with its line; candidates by name alone are said to be just that."""
    step = yield from about("get_callers", asked.subject)
    if isinstance(step, str):
        return step
    data = step.data
    name, found = f"{wording.name(data['symbol'])} ({place(data['symbol'])})", int(data.get("found") or 0)
    lines = [f"`{one['id']}` at {place(one)}" for one in data.get("callers") or []]
    possible = _possible(data, "call it")
    if found:
        said = f"{name} is called in {counted(found, 'place')}:\n{listed(lines, found, 'place', 20)}"
    elif possible or data.get("unresolved_found") or data.get("not_indexed"):
        said = f"I found no proven call of {name}."
    else:
        said = f"Nothing in the indexed code calls {name}."
    notes = [possible, _references(data), str(data.get("note") or ""), str(data.get("not_indexed") or "")]
    return "\n".join(filter(None, [said, *notes]))


def callees(asked: Asked) -> Calls:
    """What a symbol calls, and what of its calls leads nowhere the index knows."""
    step = yield from about("get_callees", asked.subject)
    if isinstance(step, str):
        return step
    data = step.data
    name, found = f"{wording.name(data['symbol'])} ({place(data['symbol'])})", int(data.get("found") or 0)
    lines = [f"`{one['id']}` at {place(one)}" for one in data.get("callees") or []]
    said = (
        f"{name} makes {counted(found, 'call')} within this repository:\n{listed(lines, found, 'call', 20)}"
        if found
        else f"{name} calls nothing in this repository that could be proven."
    )
    outside = int(data.get("unresolved_found") or 0)
    texts = list(dict.fromkeys(f"`{one['text']}` (line {one['line']})" for one in data.get("unresolved") or []))
    beyond = ""
    if outside:
        more = f" and {outside - 8} more" if outside > 8 else ""
        verb = "leads" if outside == 1 else "lead"
        beyond = (
            f"{counted(outside, 'further call')} {verb} outside or could not be resolved: {', '.join(texts[:8])}{more}."
        )
    return "\n".join(filter(None, [said, _possible(data, "be called"), beyond, str(data.get("not_indexed") or "")]))


def symbols(asked: Asked) -> Calls:
    """Symbols of a kind that words find."""
    return (yield from search(asked.subject.said, asked.of))


# Pieces of these ------------------------------------------------------------------------------------------------------


def named(tool: str, subject: Subject) -> Found:
    """A tool's answer for a symbol, or the choice where its name is ambiguous. A failure is a step."""
    step = yield from call(tool, name=subject.name)
    if code(step) == _UNKNOWN and "::" in subject.name and "/" not in subject.name.partition("::")[0]:
        # `render.py::render` where the path was not written in full: the name alone, and of its choices those there.
        path, _, name = subject.name.partition("::")
        step = yield from call(tool, name=name)
        there = [one for one in step.data.get("choices") or [] if str(one["path"]).endswith(path)]
        if len(there) == 1:
            step = yield from call(tool, name=there[0]["id"])
    if "choices" in step.data and subject.kind in ("function", "method", "class"):
        fitting = [one for one in step.data["choices"] if one["kind"] == subject.kind]
        if len(fitting) == 1 and int(step.data.get("found") or 0) <= len(step.data["choices"]):
            step = yield from call(tool, name=fitting[0]["id"])
    if "choices" in step.data:
        return wording.choice(step.data, subject.name)
    return step


def search(words: str, kind: str, unknown: str = "") -> Calls:
    """What words find among the symbols, else in the text of the files."""
    single = {"functions": "function", "methods": "method", "classes": "class"}.get(kind, "")
    step = yield from call("search_symbols", query=words, kind=single, limit=SEARCHED)
    found = int(step.data.get("found") or 0)
    if not step.failed and found:
        lines = [wording.symbol(one) for one in step.data.get("symbols") or []]
        what = counted(found, f"{single or 'symbol'}")
        fits = "fits" if found == 1 else "fit"
        # What nothing is called by may be in a docstring, or be a slip of the pen: no claim that this is it.
        opening = f"{unknown}\nBy its words {what} may be meant" if unknown else f'{what} {fits} "{words}"'
        return f"{opening}:\n{listed(lines, found, single or 'symbol', SEARCHED)}"
    text = yield from call("search_text", query=words, limit=SEARCHED)
    found = int(text.data.get("found") or 0)
    if not text.failed and found:
        return f'No symbol fits "{words}", but the text does: {matches(text.data, words)}'
    return unknown or f'I found nothing for "{words}", neither among the symbols nor in the text of the files.'


def matches(data: Item, words: str) -> str:
    """The lines in which a text stands."""
    found = int(data.get("found") or 0)
    lines = [f"{place(one)} {wording.clipped(str(one['text']), 120)}" for one in data.get("matches") or []]
    return f'"{words}" stands in {counted(found, "line")}:\n{listed(lines, found, "line")}'


def described(item: Item) -> str:
    """One symbol: what it is, where from and to, and its own words."""
    last = f" to line {item['end_line']}" if item.get("end_line", item["line"]) != item["line"] else ""
    said = f"{wording.name(item)} is {_a(item['kind'])} at {place(item)}{last}."
    if signature := str(item.get("signature") or "").strip():
        said += f"\n`{wording.clipped(signature, 160)}`"
    if doc := str(item.get("doc") or "").strip():
        said += f"\nIts own words: {wording.clipped(doc, 200)}"
    return said


def told(item: Item) -> str:
    """One symbol with what it holds and how often it is called."""
    said = described(item)
    members: list[Any] = list(item.get("members") or [])
    if members:
        names = [f"`{one['name'].rpartition('.')[2]}`" + (f" ({place(one)})" if "path" in one else f" (line {one['line']})" if "line" in one else "")
                 if isinstance(one, dict) else f"`{one}`" for one in members]  # fmt: skip
        shown = names[:12]
        said += f"\nIt holds {counted(len(members), 'member')}: {join(shown) if len(names) == len(shown) else ', '.join(shown) + ' ...'}."
    calling, called = int(item.get("callers") or 0), int(item.get("callees") or 0)
    said += f"\nCalled in {counted(calling, 'place')}; makes {counted(called, 'call')} within this repository"
    if possible := int(item.get("possible_callers") or 0):
        said += f"; {counted(possible, 'possible caller')} by name alone"
    return said + "."


def about(tool: str, subject: Subject) -> Found:
    """The answer of a tool about one symbol, or why there is none."""
    if subject.path:
        return "Name a function, method or class: I know who calls those, not who uses a file."
    if subject.words:
        return (yield from search(subject.words, "", unknown=f'"{subject.words}" names no single symbol.'))
    step = yield from named(tool, replace(subject))
    if isinstance(step, str) or not step.failed:
        return step
    if code(step) == _UNKNOWN:
        return (yield from search(subject.name, "", unknown=trouble(step)))
    return trouble(step)


def _references(data: Item) -> str:
    found = int(data.get("references_found") or 0)
    if not found:
        return ""
    lines = [f"`{one['id']}` at {place(one)}" for one in data.get("references") or []]
    return f"It is handed over without being called in {counted(found, 'place')}:\n{listed(lines, found, 'place', 5)}"


def _a(noun: str) -> str:
    return f"an {noun}" if noun[:1] in "aeiou" else f"a {noun}"


def _possible(data: Item, verb: str) -> str:
    found = int(data.get("possible_found") or 0)
    if not found:
        return ""
    lines = [f"`{one['id']}` at {place(one)}" for one in data.get("possible") or []]
    return f"{found} more might {verb}; only the name fits:\n{listed(lines, found, 'candidate', 5)}"


def _file(subject: Subject) -> Calls:
    """Where a file is: a path that leads somewhere, or the files of that name."""
    step = yield from call("get_area_outline", path=subject.path)
    if step.failed:
        return trouble(step)
    files: list[Item] = list(step.data.get("files") or [])
    return f"`{subject.path}` is there" + (
        f", with {counted(int(step.data.get('symbol_count') or 0), 'symbol')}." if files else "."
    )
