"""Ways: how to get from the asked-for type to the one a condition is about, over what the question names in between."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from dragoman.providers.planner.catalog import Catalog, Manager, Route
from dragoman.providers.planner.link import Mention, Reading
from dragoman.providers.planner.question import Question, Span
from dragoman.providers.planner.sense import Need


class Ways:
    """The ways of one question. `needs` collects what must be asked to know one, `routed` the types passed so far,
    `used` the places of the words that named a way."""

    def __init__(self, question: Question, mentions: Sequence[Mention], catalog: Catalog) -> None:
        self.question = question
        self.mentions = mentions
        self.catalog = catalog
        self.needs: list[Need] = []
        self.routed: set[str] = set()
        self.used: set[int] = set()
        self.start = ""
        self.named_at = 0
        self.apart: frozenset[Span] = frozenset()
        self._hung: dict[Span, int] = {}

    def begin(
        self, start: str, target: Mention | None, grouped: Iterable[Mention], beside: Mapping[Span, Reading]
    ) -> None:
        """Start from a type, named by `target`; its mention, groups, and what stands beside a name are no stops."""
        self.start = start
        self.named_at = target.first if target else 0
        self.apart = frozenset({*((target.span,) if target else ()), *(m.span for m in grouped), *beside})

    def to(self, end: str, mention: Mention | None = None, ready: Route | None = None) -> Route | None:
        """The way to a type: over a relation or type the question names, else the likeliest; None when none is known."""
        if end == self.start:
            return ()
        way = self._over(end, mention) if mention is not None else None
        if way is None:
            way = self.between(self.start, end, ready)
        if way:
            self._pass(way, end)
        return way

    def between(self, start: str, end: str, ready: Route | None = None) -> Route | None:
        """The likeliest way between two types; what would tell a better one is noted as a need."""
        catalog = self.catalog
        options = [way for way in (ready, catalog.route(start, end)) if way is not None]
        options = [way for way in options if catalog.is_simple(start, way)]
        way = min(options, key=lambda option: catalog.toll(start, option), default=None)
        if way is None:
            if (start, end) not in catalog.routes:
                self.needs.append(Need("find_path", {"from": start, "to": end}))
            return None
        if (unsure := self._unknown_after_single(start, way)) or catalog.toll(start, way) > len(way) + 1:
            found = self._look_between(start, end)
            if found and unsure and unsure not in catalog.asked:
                self.needs.append(Need("get_manager_schema", {"manager": unsure}))
        here = start
        for relation, stop in zip(way, catalog.stops(start, way), strict=False):
            if catalog.is_named(here, relation) and not self._is_asked(here, relation, stop):
                self._look_between(here, stop)
            here = stop
        return way

    def _pass(self, way: Route, end: str) -> None:
        self.routed.update(self.catalog.stops(self.start, way))
        self.routed.add(end)

    def _is_asked(self, start: str, relation: str, end: str) -> bool:
        """Whether the question names a relation, from either side."""
        named = [r for m in self.mentions for r in m.of("relation") if r.score >= 0.6]
        return any(r.name == relation and r.manager == start for r in named) or any(r.manager == end for r in named)

    def _unknown_after_single(self, start: str, way: Route) -> str:
        """A type on the way of which nothing is known, right after a step to a single row: a turn may be there."""
        here = start
        for relation, stop in zip(way, self.catalog.stops(start, way), strict=False):
            manager, there = self.catalog.managers.get(here), self.catalog.managers.get(stop)
            single = manager is not None and not manager.is_many(relation)
            if single and stop != self.catalog.reach(start, way) and (there is None or not there.relations):
                return stop
            here = stop
        return ""

    def _look_between(self, start: str, end: str) -> bool:
        """Whether there are types both ends have lists of, which may be the pair's own link; unknown ones are asked for."""
        lists = [self._lists(self.catalog.managers.get(name, Manager(name))) for name in (start, end)]
        for name in sorted(lists[0] & lists[1]):
            known = self.catalog.managers.get(name)
            if (known is None or not known.relations) and name not in self.catalog.asked:
                self.needs.append(Need("get_manager_schema", {"manager": name}))
        return bool(lists[0] & lists[1])

    def _lists(self, manager: Manager) -> set[str]:
        return {manager.leads_to(relation) for relation in manager.relations if manager.is_many(relation)}

    def _over(self, end: str, mention: Mention) -> Route | None:
        for m in self.mentions:
            for r in m.of("relation"):
                if m is not mention and r.score >= 0.6 and (way := self._named(r, end)):
                    self.used |= m.span
                    return way
        middle = [
            (m, m.names_type.manager) for m in self.mentions if m.names_type is not None and m.span not in self.apart
        ]
        middle = [(m, name) for m, name in middle if name not in (end, self.start)]
        before = [(m, name) for m, name in middle if m.last < mention.first and not self._is_hung(m, mention)]
        direct = self.catalog.route(self.start, end)
        passed = self.catalog.stops(self.start, direct) if direct else ()
        in_front = mention.first < self.named_at  # "with tiles, which towns have roofs": the roofs stand between
        chain = before or ([(m, name) for m, name in middle if name not in self.routed] if in_front else [])
        while chain and not {name for _, name in chain} <= set(passed):
            stops = [self.start, *dict.fromkeys(name for _, name in chain), end]
            legs = [self.between(one, other) for one, other in pairwise(stops)]
            whole = tuple(relation for leg in legs for relation in leg or ())
            detour = bool(direct) and len(whole) > len(direct or ()) + 2 and any(_is_akin(m) for m, _ in chain)
            if None not in legs and len(whole) <= 7 and not detour and self.catalog.is_simple(self.start, whole):
                for m, _ in chain:
                    self._hung.setdefault(m.span, mention.last)
                self.routed.update(stops[1:-1])
                return whole
            chain = chain[1:]
        return None

    def _named(self, reading: Reading, end: str) -> Route | None:
        """The way a named relation is: from here to there, or, seen from the other side, the one list that leads there."""
        holder = self.catalog.managers.get(reading.manager, Manager(reading.manager))
        if reading.name not in holder.relations:
            return None
        leads = holder.leads_to(reading.name)
        if reading.manager == self.start and leads == end:
            return (reading.name,)
        if reading.manager == end and leads == self.start:
            here = self.catalog.managers.get(self.start, Manager(self.start))
            back = [name for name in here.relations if here.leads_to(name) == end and here.is_many(name)]
            return (back[0],) if len(back) == 1 else None
        return None

    def _is_hung(self, middle: Mention, mention: Mention) -> bool:
        """Whether another condition between the two hangs on the middle one already."""
        last = self._hung.get(middle.span)
        if last is None:
            return False
        return any(
            word not in ("and", "or", "the", "in", "from") for word in self.question.lowers[last + 1 : mention.first]
        )


def _is_akin(mention: Mention) -> bool:
    """Whether words only share the root of a type's name, as a verb does: too little to go a long way round for."""
    kind = mention.names_type
    return kind is not None and kind.whole and kind.score < 0.9
