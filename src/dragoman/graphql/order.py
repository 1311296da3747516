"""Order of a model's call: the schema's own where it can sort so, else a column to sort by afterwards."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dragoman.graphql.columns import Column, column
from dragoman.graphql.naming import fold
from dragoman.graphql.schema import Catalog, Exposed


@dataclass(frozen=True, slots=True)
class Order:
    """The columns to sort by, each with whether it is descending; arguments for the list where it can do that."""

    columns: tuple[tuple[Column, bool], ...] = ()
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def by_schema(self) -> bool:
        """Whether the schema can sort so, or nothing is to be sorted."""
        return bool(self.arguments) or not self.columns


def order(catalog: Catalog, manager: Exposed, wanted: Sequence[str]) -> Order:
    """The order `["-budget", "name"]` asks for. Raises ToolError for what is unknown or to-many."""
    columns = tuple((column(catalog, manager, _bare(name), "order"), name.startswith("-")) for name in wanted)
    if not columns or manager.root is None:
        return Order(columns)
    options = {fold(name): word for name, word in catalog.dialect.ordering.options(manager.root.field).items()}
    words = [(options.get(fold(c.name)) if not c.period else None, down) for c, down in columns]
    known = [(word, down) for word, down in words if word is not None]
    if len(known) == len(columns):
        return Order(columns, catalog.dialect.ordering.write(manager.root.field, known))
    return Order(columns)


def sortable(catalog: Catalog, manager: Exposed) -> list[str]:
    """What the schema itself can sort by, without anything hidden."""
    if manager.root is None:
        return []
    shown = []
    for name in catalog.dialect.ordering.options(manager.root.field):
        here: Exposed | None = manager
        for step in name.split("__"):
            found = here.find(step) if here else None
            relation = here.relations.get(found) if here and found else None
            if here is None or found is None:
                break
            here = catalog.managers[relation.target] if relation else None
        else:
            shown.append(name)
    return shown


def _bare(name: str) -> str:
    return name.lstrip("+-").strip()
