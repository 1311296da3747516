"""Recall: the rows the last answer was about, so that "they" and "what about ..." have something to mean."""

from collections.abc import Mapping

from dragoman.providers.planner.catalog import PROBED_ROWS, Catalog
from dragoman.providers.planner.history import History, Step, Turn
from dragoman.providers.planner.sense import Earlier


def earlier(history: History, catalog: Catalog) -> Earlier | None:
    """The rows of the last turn that queried any; None when there is none. Only the newest counts."""
    for turn in reversed(history.earlier):
        if step := _query(turn):
            return _earlier(turn, step)
    return None


def _query(turn: Turn) -> Step | None:
    good = [s for s in turn.steps if s.call.name == "query" and s.result is not None and not s.failed]
    final = [s for s in good if s.call.arguments.get("limit") != PROBED_ROWS]
    return final[-1] if final else None


def _earlier(turn: Turn, step: Step) -> Earlier:
    asked, data = step.call.arguments, step.data
    rows = [row for row in data.get("rows") or [] if isinstance(row, Mapping)]
    total = data.get("total_count")
    order_by = tuple(asked.get("order_by") or ())
    chosen = bool(order_by) and isinstance(total, int) and total > len(rows) and not asked.get("aggregate")
    return Earlier(
        str(asked.get("manager", "")),
        asked.get("filters") or {},
        asked.get("exclude") or {},
        order_by,
        tuple(asked.get("fields") or ()),
        tuple(str(row["id"]) for row in rows if row.get("id") is not None),
        chosen,
        turn.text,
        bool(asked.get("aggregate")),
    )
