"""Plan: the call that answers a question, and what may be tried once when it failed."""

from collections.abc import Mapping
from typing import Any

from dragoman.providers.planner.catalog import Catalog
from dragoman.providers.planner.sense import Sense

ROWS = 20
GROUPS = 50


def arguments(sense: Sense, catalog: Catalog) -> dict[str, Any]:
    """The arguments of the query a sense asks for."""
    asked: dict[str, Any] = {"manager": sense.manager}
    if sense.filters:
        asked["filters"] = sense.filters
    if sense.exclude:
        asked["exclude"] = sense.exclude
    if sense.ask == "groups":
        asked["aggregate"] = {"group_by": list(sense.group_by), "measures": list(sense.measures)}
        stretches = [key for key in sense.group_by if key.endswith(("__month", "__year"))]
        order_by = sense.order_by or tuple(stretches) or ((f"-{sense.measures[0]}",) if sense.group_by else ())
        if order_by:
            asked["order_by"] = list(order_by)
        asked["limit"] = sense.limit or (200 if sense.having else GROUPS)
        return asked
    if fields := _fields(sense, catalog):
        asked["fields"] = fields
    if sense.order_by:
        asked["order_by"] = list(sense.order_by)
    asked["limit"] = sense.limit or (5 if sense.ask in ("count", "exists") else ROWS)
    return asked


def again(asked: Mapping[str, Any], failure: Mapping[str, Any]) -> dict[str, Any] | None:
    """The same query without what the failure says does not exist, where that changes no condition; else None."""
    code = str(failure.get("code", ""))
    if code in ("unknown_field", "bad_fields", "to_many") and "fields" in asked:
        return {name: value for name, value in asked.items() if name != "fields"}
    return None


def _fields(sense: Sense, catalog: Catalog) -> list[str]:
    """What to show: what was asked for and what was compared or sorted by, beside what names a row; [] for the default."""
    compared = [
        c.field for c in sense.conditions if not c.route and not c.exclude and c.lookup in ("gt", "gte", "lt", "lte")
    ]
    sorted_by = [name.lstrip("-") for name in sense.order_by]
    wanted = list(dict.fromkeys([*sense.shown, *sorted_by, *compared]))
    if not wanted or sense.ask in ("count", "exists"):
        return []
    if set(wanted) <= set(sense.naming):
        return []
    manager = catalog.managers.get(sense.manager)
    naming = [*(("id",) if manager and "id" in manager.fields else ()), *sense.naming]
    return list(dict.fromkeys([*naming, *wanted]))
