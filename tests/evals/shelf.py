"""A system of three rows and one mutation, held in memory: enough for an assistant to be asked about."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from dragoman.evals.cases import Case
from dragoman.harness.caller import Caller
from dragoman.harness.tools import Operation, Tool, Toolbox, ToolDefinition, ToolError

ROWS = (
    {"id": "1", "name": "Apollo", "metal": "cobalt", "status": "active"},
    {"id": "2", "name": "Gemini", "metal": "cobalt", "status": "active"},
    {"id": "3", "name": "Mercury", "metal": "tin", "status": "active"},
)
ANYTHING = {"type": "object"}


@dataclass
class Shelf:
    """A Grounding over rows; anonymous callers see the first row only."""

    rows: list[dict[str, Any]] = field(default_factory=lambda: [dict(row) for row in ROWS])

    async def tools(self, caller: Caller) -> Toolbox:
        async def query(arguments: Mapping[str, Any]) -> Any:
            if arguments.get("manager") != "Project":
                raise ToolError("There is only Project.", "unknown_manager")
            visible = self.rows if caller.is_authenticated else self.rows[:1]
            filters = arguments.get("filters", {}).items()
            return {"rows": [row for row in visible if all(row[key] == value for key, value in filters)]}

        async def archive(arguments: Mapping[str, Any]) -> Any:
            row = next(row for row in self.rows if row["id"] == arguments["id"])
            row["status"] = "archived"
            return {"ok": True, "object": row}

        def shown(arguments: Mapping[str, Any]) -> Operation:
            return Operation("archiveProject", arguments)

        return Toolbox.of(
            [
                Tool(ToolDefinition("query", "Rows of a manager.", ANYTHING), query),
                Tool(
                    ToolDefinition("archive", "Archive a project.", ANYTHING),
                    archive,
                    writes=True,
                    confirm=lambda _: True,
                    operation=shown,
                ),
            ]
        )

    async def prompt(self, caller: Caller) -> str:
        return "There are projects."


@dataclass
class ShelfStage:
    """Puts every row back after each case."""

    shelf: Shelf
    played: list[str] = field(default_factory=list)

    @asynccontextmanager
    async def set_for(self, case: Case) -> AsyncGenerator[Caller]:
        try:
            yield Caller(key=case.user or "nobody", is_authenticated=bool(case.user))
        finally:
            self.played.append(case.name)
            self.shelf.rows = [dict(row) for row in ROWS]
