"""The shortest way from one exposed manager to another, over exposed managers only."""

from collections import deque
from dataclasses import dataclass

from dragoman.graphql.schema import Catalog, Relation


@dataclass(frozen=True, slots=True)
class Way:
    """A chain of relations, and the managers it passes, the first included."""

    relations: tuple[Relation, ...]
    steps: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """The relations' names in order."""
        return [relation.name for relation in self.relations]

    @property
    def prefix(self) -> str:
        """What a filter on the last manager starts with."""
        return "".join(f"{relation.name}__" for relation in self.relations)


class Paths:
    """Ways within one catalog; each start is searched once."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._from: dict[str, dict[str, Way]] = {}

    def way(self, start: str, goal: str) -> Way | None:
        """The shortest way between two exposed managers of these names, or None. A manager has no way to itself."""
        if start == goal:
            return None
        if start not in self._from:
            self._from[start] = self._search(start)
        return self._from[start].get(goal)

    def _search(self, start: str) -> dict[str, Way]:
        ways: dict[str, Way] = {}
        queue = deque([(start, Way((), (start,)))])
        while queue:
            here, way = queue.popleft()
            for relation in self._catalog.managers[here].relations.values():
                there = relation.target
                if there != start and there not in ways:
                    ways[there] = Way((*way.relations, relation), (*way.steps, there))
                    queue.append((there, ways[there]))
        return ways
