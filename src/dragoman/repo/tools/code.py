"""The tools over the code graph: find a symbol, look at it, who calls it, what it calls, what an area holds."""

import asyncio
import sqlite3
from collections.abc import Callable, Mapping
from typing import Any

from dragoman.harness.tools import Tool, ToolDefinition, ToolError
from dragoman.repo import db, graph, outline, source
from dragoman.repo.graph import Neighbour, Page, Symbol
from dragoman.repo.names import NAME_SHAPES
from dragoman.repo.repository import Repository
from dragoman.repo.secrets import mask

_MOST_CHOICES = 30
_DOC = 300  # characters of a docstring that stand in a list
_MOST_MEMBERS = 100
_PAGING = {
    "limit": {"type": "integer", "minimum": 1, "maximum": 100},
    "offset": {"type": "integer", "minimum": 0},
}
_NAME = {"name": {"type": "string", "description": NAME_SHAPES}}

Ask = Callable[[sqlite3.Connection, Mapping[str, Any]], Any]


def tools(repository: Repository) -> list[Tool]:
    """The five tools of one repository."""

    def tool(name: str, description: str, properties: Mapping[str, Any], required: list[str], ask: Ask) -> Tool:
        async def run(arguments: Mapping[str, Any]) -> Any:
            return await asyncio.to_thread(_asked, repository, ask, arguments)

        parameters = {
            "type": "object",
            "properties": dict(properties),
            "required": required,
            "additionalProperties": False,
        }
        return Tool(ToolDefinition(name, description, parameters), run)

    def get_symbol(connection: sqlite3.Connection, arguments: Mapping[str, Any]) -> Any:
        return _get_symbol(connection, repository, arguments["name"])

    return [
        tool(
            "search_symbols",
            "Find functions, classes and other symbols by name, words of it or of the docstring; typing mistakes are forgiven.",
            {"query": {"type": "string"}, "kind": {"type": "string", "description": "class, function, method ..."}, **_PAGING},
            ["query"],
            _search_symbols,
        ),
        tool("get_symbol", "One symbol: signature, source, members, how many callers and callees.", _NAME, ["name"], get_symbol),
        tool(
            "get_callers",
            "Who calls a symbol, each call with its line. `possible` are guesses by name alone: say so, do not count them.",
            {**_NAME, **_PAGING}, ["name"], _get_callers,
        ),
        tool(
            "get_callees",
            "What a symbol calls, each call with its line; `possible` are guesses, `unresolved` leads nowhere known.",
            {**_NAME, **_PAGING}, ["name"], _get_callees,
        ),
        tool(
            "get_area_outline",
            f"What a folder or file holds: symbols by file with lines and commit counts; above {outline.MOST_SYMBOLS} symbols the files alone.",
            {"path": {"type": "string", "description": "from the root; empty for all"}}, [], _get_area_outline,
        ),
    ]  # fmt: skip


def _asked(repository: Repository, ask: Ask, arguments: Mapping[str, Any]) -> Any:
    try:
        with db.read(repository.index) as connection:
            graph.ready(connection)
            connection.execute("BEGIN")  # one state of the index for the whole answer
            return ask(connection, arguments)
    except db.NotIndexed as error:
        raise ToolError(error.message, "not_indexed") from None


# ---- the five --------------------------------------------------------------------------------------------------------


def _search_symbols(connection: sqlite3.Connection, arguments: Mapping[str, Any]) -> Any:
    page = graph.find(connection, arguments["query"], arguments.get("kind"), *_paging(arguments, 20))
    return {"found": page.found, "symbols": [shown(symbol) for symbol in page.items], **_more(page)}


def _get_symbol(connection: sqlite3.Connection, repository: Repository, name: str) -> Any:
    symbol = one(connection, name)
    if isinstance(symbol, dict):
        return symbol
    above = graph.parent(connection, symbol)
    inside = graph.members(connection, symbol, _MOST_MEMBERS)
    told: dict[str, Any] = {
        **shown(symbol),
        "source": source.of(repository, symbol.path, symbol.line, symbol.end_line),
    }
    if above:
        told["parent"] = above.id
    told["members"] = [
        {"name": member.name, "kind": member.kind, "line": member.line, "signature": mask(member.signature)[0]}
        for member in inside.items
    ]
    if inside.found > len(inside.items):
        told["members_found"] = inside.found
    told |= {
        "callers": graph.callers(connection, symbol, 1).found,
        "callees": graph.callees(connection, symbol, 1).found,
        "possible_callers": graph.possible_callers(connection, symbol, 1).found,
        "unresolved_calls": graph.unresolved_by_name(connection, symbol),
    }
    held = graph.holders(connection, symbol, 20)
    if held.found:
        told["references_found"] = held.found
        told["references"] = [_end(neighbour) for neighbour in held.items]
    return {"symbol": told | _not_indexed(connection, symbol)}


def _get_callers(connection: sqlite3.Connection, arguments: Mapping[str, Any]) -> Any:
    symbol = one(connection, arguments["name"])
    if isinstance(symbol, dict):
        return symbol
    limit, offset = _paging(arguments, 50)
    sure = graph.callers(connection, symbol, limit, offset)
    maybe = graph.possible_callers(connection, symbol, limit, offset)
    told = {
        "symbol": shown(symbol),
        "found": sure.found,
        "callers": [_end(neighbour) for neighbour in sure.items],
        "possible_found": maybe.found,
        "possible": [_end(neighbour) for neighbour in maybe.items],
    }
    held = graph.holders(connection, symbol, limit, offset)
    if held.found:
        told |= {"references_found": held.found, "references": [_end(neighbour) for neighbour in held.items]}
    if missing := graph.unresolved_by_name(connection, symbol):
        # "0 callers" is only true where nothing of that name stayed open.
        told["unresolved_found"] = missing
        told["note"] = f"{missing} calls of something named {symbol.name} lead nowhere known; some may be callers."
    return told | _not_indexed(connection, symbol) | _more(sure, maybe, held)


def _get_callees(connection: sqlite3.Connection, arguments: Mapping[str, Any]) -> Any:
    symbol = one(connection, arguments["name"])
    if isinstance(symbol, dict):
        return symbol
    limit, offset = _paging(arguments, 50)
    sure = graph.callees(connection, symbol, limit, offset)
    maybe = graph.possible_callees(connection, symbol, limit, offset)
    open_ones = graph.unresolved(connection, symbol, limit, offset)
    return {
        "symbol": shown(symbol),
        "found": sure.found,
        "callees": [_end(neighbour) for neighbour in sure.items],
        "possible_found": maybe.found,
        "possible": [_end(neighbour) for neighbour in maybe.items],
        "unresolved_found": open_ones.found,
        "unresolved": [{"text": text, "line": line} for text, line in open_ones.items],
        **_not_indexed(connection, symbol),
        **_more(sure, maybe, open_ones),
    }


def _get_area_outline(connection: sqlite3.Connection, arguments: Mapping[str, Any]) -> Any:
    path = _plain(arguments.get("path", ""))
    found = outline.outline(connection, path)
    if found is None:
        raise _unknown_path(connection, path)
    told: dict[str, Any] = {"path": found.path, "shape": found.shape, "symbol_count": found.symbol_count}
    match found.shape:
        case "symbols":
            told["files"] = [
                {
                    "path": area.path,
                    "commits": area.commits,
                    "symbols": [
                        {"name": line.name, "kind": line.kind, "line": line.line, "end_line": line.end_line}
                        for line in area.symbols
                    ],
                }
                for area in found.areas
            ]
        case "files":
            told["files"] = [
                {"path": area.path, "commits": area.commits, "symbol_count": area.symbol_count, "lines": area.lines}
                for area in found.areas
            ]
        case _:
            told["folders"] = [
                {"path": area.path, "commits": area.commits, "files": area.files, "symbol_count": area.symbol_count}
                for area in found.areas
            ]
    return told


# ---- what they share -------------------------------------------------------------------------------------------------


def one(connection: sqlite3.Connection, name: str) -> Symbol | dict[str, Any]:
    """The symbol, or the answer that lists those to choose from. Raises ToolError with near names."""
    found = graph.lookup(connection, name)
    if len(found) == 1:
        return found[0]
    if found:
        return {"choices": [shown(symbol) for symbol in found[:_MOST_CHOICES]], "found": len(found)}
    near = graph.near(connection, name)
    hint = f"Near: {', '.join(near)}." if near else "Try search_symbols."
    raise ToolError(f"No symbol is called {name!r}. {hint}", "unknown_symbol", near=near)


def _unknown_path(connection: sqlite3.Connection, path: str) -> ToolError:
    row = connection.execute("SELECT reason FROM skipped WHERE path = ?", (path,)).fetchone()
    if row:
        return ToolError(f"{path} is not indexed: {row[0]}.", "not_indexed_path")
    tail = path.rpartition("/")[2]
    like = "%" + tail.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
    sql = "SELECT path FROM files WHERE path LIKE ? ESCAPE '\\' ORDER BY length(path), path LIMIT 5"
    near = [found for (found,) in connection.execute(sql, (like,))]
    hint = f"Near: {', '.join(near)}." if near else "An empty path shows what there is."
    return ToolError(f"No indexed file or folder is at {path!r}. {hint}", "unknown_path", near=near)


def _plain(path: str) -> str:
    path = path.strip().replace("\\", "/") if "\\x" not in path else path.strip()
    while path.startswith("./"):
        path = path[2:]
    return "" if path == "." else path.strip("/")


def shown(symbol: Symbol) -> dict[str, Any]:
    """A symbol as every tool shows it."""
    return {
        "id": symbol.id,
        "name": symbol.dotted,
        "kind": symbol.kind,
        "path": symbol.path,
        "line": symbol.line,
        "end_line": symbol.end_line,
        "signature": mask(symbol.signature)[0],
        "doc": mask(_opening(symbol.doc))[0],
    }


def _opening(doc: str) -> str:
    """The first paragraph on one line, clipped."""
    said = " ".join(doc.strip().partition("\n\n")[0].split())
    return said if len(said) <= _DOC else f"{said[: _DOC - 3]}..."


def _end(neighbour: Neighbour) -> dict[str, Any]:
    told = {"id": neighbour.id, "kind": neighbour.kind, "path": neighbour.path, "line": neighbour.line}
    return {**told, "tier": neighbour.tier} if neighbour.tier else told


def _not_indexed(connection: sqlite3.Connection, symbol: Symbol) -> dict[str, str]:
    if graph.has_calls(connection, symbol.language):
        return {}
    return {"not_indexed": f"Calls in {symbol.language} files are not followed; search_text finds the name."}


def _paging(arguments: Mapping[str, Any], limit: int) -> tuple[int, int]:
    return arguments.get("limit", limit), arguments.get("offset", 0)


def _more(*pages: Page[Any]) -> dict[str, int]:
    ends = [page.next_offset for page in pages if page.next_offset is not None]
    return {"next_offset": max(ends)} if ends else {}
