"""Files: show lines, list what is in a folder or a file, find a text."""

import re
from dataclasses import replace
from typing import Any

from dragoman.harness.provider import ToolRequest
from dragoman.providers.planner.history import Step
from dragoman.providers.planner.repo import code, wording
from dragoman.providers.planner.repo.paths import path_named
from dragoman.providers.planner.repo.plan import Calls, call, trouble
from dragoman.providers.planner.repo.question import Asked
from dragoman.providers.planner.repo.subject import Subject, clean_path
from dragoman.providers.planner.repo.wording import Item, counted, listed
from dragoman.providers.planner.words import plural

AROUND = 5
SHOWN = 60
ENTRIES = 30
_MARKS = frozenset("TODO FIXME XXX HACK".split())
_MARKED = 200


def show(asked: Asked) -> Calls:
    """Lines of a file, or the source of a symbol."""
    subject = asked.subject
    if subject.words:
        return (yield from code.search(subject.words, ""))
    if subject.path:
        return (yield from _lines(subject))
    step = yield from code.named("get_symbol", subject)
    if isinstance(step, str):
        return step
    if step.failed:
        if full := (yield from path_named(subject.name)):
            return (yield from show(replace(asked, subject=Subject(path=full))))
        return (yield from code.search(subject.name, "", unknown=trouble(step)))
    item = step.data["symbol"]
    return f"{code.described(item)}\n{wording.fenced(str(item.get('source') or ''))}"


def inside(asked: Asked) -> Calls:
    """What is in a folder: its entries and its symbols; in a file: its symbols; in a class: its members."""
    subject = asked.subject
    if subject.whole:
        subject = Subject(path="", kind="folder")
    elif subject.words:
        return (yield from code.search(subject.words, asked.of))
    elif subject.name and not subject.guessed:
        return (yield from code.explain(replace(asked, subject=_holder(asked))))
    path = subject.path or subject.name
    steps: list[Step] = yield [_request("get_area_outline", path), _request("list_dir", path)]
    outline, entries = steps
    if outline.failed and entries.failed:
        if subject.name:
            return (yield from code.explain(replace(asked, subject=_holder(asked))))
        full = yield from path_named(path)
        if full and full != path:
            return (yield from inside(replace(asked, subject=replace(subject, path=full))))
        return trouble(entries) if asked.of in ("", "files", "folders") else trouble(outline)
    if not entries.failed and int(entries.data.get("found") or 0):
        said = _entries(entries.data)
        if outline.failed or asked.of not in ("", "symbols", "functions", "methods", "classes"):
            return said
        if asked.of:
            return _outline(outline.data, asked.of)
        if any("symbols" in one for one in outline.data.get("files") or []):
            return f"{said}\n{_outline(outline.data, '')}"
        below = sum(int(one.get("files") or 0) for one in outline.data.get("folders") or [])
        symbols, files = int(outline.data.get("symbol_count") or 0), below or len(outline.data.get("files") or [])
        return f"{said}\nIt holds {counted(symbols, 'symbol')} in {counted(files, 'file')}, all folders below counted."
    return _outline(outline.data, asked.of) if not outline.failed else trouble(outline)


def text(asked: Asked) -> Calls:
    """The lines in which a text stands."""
    words = asked.subject.said
    if (mark := words.upper().removesuffix("S")) in _MARKS:
        return (yield from _marked(mark))
    step = yield from call("search_text", query=words, limit=wording.LINES)
    if step.failed:
        return trouble(step)
    if not int(step.data.get("found") or 0):
        return f'"{words}" stands nowhere in the files.'
    return code.matches(step.data, words)


# Pieces of these ------------------------------------------------------------------------------------------------------


def _holder(asked: Asked) -> Subject:
    """The subject; what has methods or fields is a class."""
    has = asked.of in ("methods", "members", "fields", "attributes")
    return replace(asked.subject, kind="class") if has and not asked.subject.kind else asked.subject


def _request(tool: str, path: str) -> ToolRequest:
    return ToolRequest(tool, {"path": path} if path else {})


def _lines(subject: Subject) -> Calls:
    first = subject.line or 1
    last = subject.last_line or (SHOWN if not subject.line else first)
    step = yield from call("read_file", path=subject.path, offset=first, limit=min(last - first + 1, SHOWN))
    if step.failed:
        full = yield from path_named(subject.path)
        if full and full != subject.path:
            return (yield from _lines(replace(subject, path=full)))
        return trouble(step)
    data = step.data
    shown, total = int(data.get("last_line") or first), int(data.get("total_lines") or 0)
    if first > total:
        return f"`{data['path']}` has {counted(total, 'line')}; there is no line {first}."
    where = f"`{data['path']}:{first}`" if shown <= first else f"`{data['path']}:{first}-{shown}`"
    said = f"{where} (of {counted(total, 'line')}):\n{wording.fenced(str(data.get('text') or ''))}"
    if masked := int(data.get("masked") or 0):
        said += f"\n{counted(masked, 'secret')} {'is' if masked == 1 else 'are'} masked."
    return said


def _marked(mark: str) -> Calls:
    """The lines with a mark of their writers; `autodoc` holds no TODO."""
    step = yield from call("search_text", query=mark, limit=_MARKED)
    if step.failed:
        return trouble(step)
    found = [one for one in step.data.get("matches") or [] if re.search(rf"\b{mark}\b", str(one.get("text")))]
    beyond = int(step.data.get("found") or 0) > _MARKED
    if not found and not beyond:
        return f'"{mark}" stands nowhere in the files.'
    note = f"\nThese are of the first {_MARKED} lines that hold the letters." if beyond else ""
    return code.matches({"found": len(found), "matches": found[: wording.LINES]}, mark) + note


def _entries(data: Item) -> str:
    found = int(data.get("found") or 0)
    lines = []
    for one in data.get("entries") or []:
        folder = str(one.get("kind")) in ("folder", "directory", "dir")
        size = f" ({counted(int(one['lines']), 'line')})" if one.get("lines") is not None else ""
        lines.append(f"`{one['name']}{'/' if folder and not str(one['name']).endswith('/') else ''}`{size}")
    where = f"`{clean_path(str(data.get('path') or ''))}/`" if data.get("path") else "The top folder"
    return f"{where} has {counted(found, 'entry')}:\n{listed(lines, found, 'entry', ENTRIES)}"


def _outline(data: Item, of: str) -> str:
    kind = {"functions": "function", "methods": "method", "classes": "class"}.get(of, "")
    files: list[Item] = list(data.get("files") or [])
    total = int(data.get("symbol_count") or 0)
    path = str(data.get("path") or "") or "the repository"
    if folders := data.get("folders"):
        lines = [
            f"`{one['path']}/`: {counted(int(one.get('files') or 0), 'file')}, {counted(int(one.get('symbol_count') or 0), 'symbol')}"
            for one in folders
        ]
        return f"{counted(total, 'symbol')} in {counted(len(folders), 'folder')} of `{path}`:\n{listed(lines, len(folders), 'folder', ENTRIES)}"
    if data.get("shape") == "files" or any("symbols" not in one for one in files):
        lines = [
            f"`{one['path']}`: {counted(int(one.get('symbol_count') or 0), 'symbol')}, {counted(int(one.get('commits') or 0), 'commit')}"
            for one in files
        ]
        return f"{counted(total, 'symbol')} in {counted(len(files), 'file')} of `{path}`:\n{listed(lines, len(files), 'file', ENTRIES)}"
    found: list[tuple[Item, Any]] = [
        (one, item) for one in files for item in one["symbols"] if not kind or item["kind"] == kind
    ]
    if not found:
        return f"The index has no {plural(kind or 'symbol')} in `{path}`."
    lines = [f"`{item['name']}` ({item['kind']}) at `{one['path']}:{item['line']}`" for one, item in found]
    return (
        f"{counted(len(found), kind or 'symbol')} in `{path}`:\n{listed(lines, len(found), kind or 'symbol', ENTRIES)}"
    )
