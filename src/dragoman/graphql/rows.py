"""Read rows of a manager as the caller: a window of them, or all of them up to a stated cap."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dragoman.graphql.document import Selection, unwrap, wrap
from dragoman.graphql.execute import Session, refusal
from dragoman.graphql.host import Fault
from dragoman.graphql.schema import Exposed, Root
from dragoman.harness.tools import ToolError

MOST_ROWS = 5_000


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows as the schema gave them. `total` is None where it cannot be known; `complete` says that none were left out."""

    rows: list[Mapping[str, Any]]
    total: int | None
    faults: tuple[Fault, ...] = ()
    complete: bool = True
    places: int = 0  # how many places of the list were read; a row that may not be seen takes one


@dataclass(frozen=True, slots=True)
class Reading:
    """What to read: a selection of a manager's rows, narrowed and ordered by arguments of its list."""

    selection: Selection
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def manager(self) -> Exposed:
        """Whose rows."""
        return self.selection.manager


async def window(session: Session, reading: Reading, offset: int, limit: int) -> Rows:
    """Up to `limit` rows from `offset` on. Raises ToolError when the server answered with nothing but an error."""
    root = listed(reading.manager)
    found: list[Mapping[str, Any] | None] = []
    total: int | None = None
    faults: tuple[Fault, ...] = ()
    for part in session.catalog.dialect.paging.windows(root.field, offset, limit):
        rows, total, wrong = await _request(session, reading, root, part.arguments)
        faults += wrong
        found += rows[part.skip : part.skip + part.take]
        if len(rows) < part.skip + part.take:
            break
    return Rows([row for row in found if row is not None], total, faults, places=len(found))


async def sweep(session: Session, reading: Reading, most: int = MOST_ROWS) -> Rows:
    """All rows in order, up to `most` of them."""
    found: list[Mapping[str, Any]] = []
    faults: tuple[Fault, ...] = ()
    total: int | None = None
    step, read = session.catalog.dialect.paging.most, 0
    while read < most:
        asked = min(step, most - read)
        part = await window(session, reading, read, asked)
        found += part.rows
        faults += part.faults
        total, read = part.total, read + part.places
        if part.places < asked or (total is not None and read >= total):
            return Rows(found, total if total is not None else len(found), faults, places=read)
    more = total > read if total is not None else (await window(session, reading, read, 1)).places > 0
    return Rows(found, total, faults, complete=not more, places=read)


def listed(manager: Exposed) -> Root:
    """The list of a manager. Raises ToolError for one that the schema does not list."""
    if manager.root is None:
        raise ToolError(f"{manager.name} cannot be listed: it is only reached through other managers.", "not_listed")
    return manager.root


def chunks(values: Sequence[Any], size: int) -> list[Sequence[Any]]:
    """Values in groups of at most `size`."""
    return [values[start : start + size] for start in range(0, len(values), size)]


async def _request(
    session: Session, reading: Reading, root: Root, paging: Mapping[str, Any]
) -> tuple[list[Mapping[str, Any] | None], int | None, tuple[Fault, ...]]:
    values = {**reading.arguments, **paging}
    declared = ", ".join(f"${name}: {root.field.args[name].type}" for name in values)
    passed = ", ".join(f"{name}: ${name}" for name in values)
    inner = reading.selection.text(session.catalog.dialect.paging)
    text = (
        f"query Ask{f'({declared})' if declared else ''} "
        f"{{ rows: {root.name}{f'({passed})' if passed else ''}{wrap(root.page, inner)} }}"
    )
    answer = await session.run(text, values)
    if answer.data is None or answer.data.get("rows") is None:
        raise refusal(answer.faults, "query_failed")
    rows, total = unwrap(root.page, answer.data["rows"])
    return rows, total, answer.faults
