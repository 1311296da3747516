"""Tools over the statistics: run_project_stats, and render_chart of them."""

import asyncio
from typing import Any

from dragoman.harness.tools import Arguments, Tool, ToolDefinition, ToolError
from dragoman.repo import charts, db, sqlguard, stats
from dragoman.repo.repository import Repository

ROOM = 24_000  # characters of JSON; a turn cuts results at 30,000


def tools(repository: Repository, room: int = ROOM) -> list[Tool]:
    """The tools that count; `room` is how many characters of JSON the rows may have."""
    caps = sqlguard.Caps(room=room)

    async def ask(sql: str) -> sqlguard.Answer:
        try:
            return await asyncio.to_thread(stats.ask, repository, sql, caps)
        except db.NotIndexed as error:
            raise ToolError(error.message, "not_indexed") from None

    async def run_project_stats(arguments: Arguments) -> Any:
        answer = await ask(arguments["sql"])
        rows = [list(row) for row in answer.rows]
        return {"columns": list(answer.columns), "rows": rows, "row_count": len(rows), "capped": answer.capped}

    async def render_chart(arguments: Arguments) -> Any:
        answer = await ask(arguments["sql"])
        wanted = (arguments["kind"], arguments["title"], arguments["x"], arguments["y"])
        return {"chart": charts.chart(answer, *wanted).told()}

    return [Tool(_stats(), run_project_stats), Tool(_CHART, render_chart)]


def _stats() -> ToolDefinition:
    return ToolDefinition(
        "run_project_stats",
        "Numbers over history and code (how many, how often, busiest, trends): one SQLite SELECT that aggregates; "
        f"at most {sqlguard.MOST_ROWS} rows. Not for finding single commits or symbols. {stats.described()}",
        {
            "type": "object",
            "properties": {"sql": {"type": "string"}},
            "required": ["sql"],
            "additionalProperties": False,
        },
    )


_CHART = ToolDefinition(
    "render_chart",
    "Show a statement's rows as a chart; it runs sql as run_project_stats does. One row for each x; y columns are numbers.",
    {
        "type": "object",
        "properties": {
            "sql": {"type": "string"},
            "kind": {"type": "string", "enum": list(charts.KINDS)},
            "title": {"type": "string", "minLength": 1, "maxLength": 120},
            "x": {"type": "string"},
            "y": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": charts.MOST_SERIES},
        },
        "required": ["sql", "kind", "title", "x", "y"],
        "additionalProperties": False,
    },
)
