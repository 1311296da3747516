"""Reader: one question while it is being understood, what is used up of it and what stands in the way."""

import datetime as dt
from collections.abc import Sequence

from dragoman.providers.planner import bind, target
from dragoman.providers.planner.amounts import Comparison
from dragoman.providers.planner.catalog import TEMPORAL, Catalog, Manager
from dragoman.providers.planner.lexicon import ASKED_BEFORE, DUE_WORDS, FUNCTION
from dragoman.providers.planner.link import Mention, Reading
from dragoman.providers.planner.question import Question, Span
from dragoman.providers.planner.sense import Condition, Earlier, Need
from dragoman.providers.planner.ways import Ways
from dragoman.providers.planner.words import join, nearness, plural, say, split

Read = tuple[Mention, Reading]


class Reader:
    """One question while it is being understood; `used` are the places explained so far."""

    def __init__(
        self,
        question: Question,
        mentions: Sequence[Mention],
        catalog: Catalog,
        earlier: Earlier | None,
        today: dt.date,
    ) -> None:
        self.question = question
        self.mentions = tuple(mentions)
        self.catalog = catalog
        self.earlier = earlier if question.refers or question.varies or not question.content else None
        self.today = today
        self.ways = Ways(question, self.mentions, catalog)
        self.used: set[int] = set()
        self.needs = self.ways.needs
        self.trouble = ""
        self.conditions: list[Condition] = []
        self.made: dict[Span, Condition] = {}
        self.itself: list[Reading] = []
        self.manager = ""
        self.target: Mention | None = None
        self.having: Comparison | None = None
        self.limit = question.limit
        self.beside = dict(target.appositions(question, self.mentions))

    @property
    def _here(self) -> Manager:
        return self.catalog.managers.get(self.manager, Manager(self.manager))

    def _read(self, mention: Mention) -> Reading | None:
        """The likeliest reading of a mention, given the type asked for; None for one that names a type."""
        kind = mention.names_type
        others = [r for r in mention.readings if r.sort != "type"]
        if mention.span in self.beside or (kind and (not others or kind.score >= others[0].score)):
            own = [r for r in others if r.manager == self.manager and r.whole and r.sort == "relation"]
            return own[0] if own and mention.span not in self.beside else None
        return min(others, key=lambda r: self._strain(mention, r), default=None)

    def _strain(self, mention: Mention, reading: Reading) -> float:
        strain = (1 - reading.score) * 2 + (0 if reading.whole else 0.4)
        if any(row == reading for row in self.beside.values()):
            return strain - 2
        if reading.manager == self.manager:
            strain -= 0.2 if reading.sort != "row" else 0
        else:
            named = [m for m in self.mentions if any(r.manager == reading.manager for r in m.of("type"))]
            close = min((min(abs(m.first - mention.last), abs(mention.first - m.last)) for m in named), default=9)
            way = self.catalog.route(self.manager, reading.manager)
            distance = len(way) if way is not None else 3
            strain += (0.15 + 0.15 * close if named else 0.6) + 0.1 * distance
        beside_field = any(
            r.name == reading.name and r.manager == reading.manager and abs(m.first - mention.first) <= 2
            for m in self.mentions
            if m is not mention
            for r in m.of("field")
        )
        return strain - (0.8 if beside_field else 0)

    def _is_named(self, manager: str, mention: Mention) -> bool:
        """Whether the question names a type beside this mention, or the earlier rows it goes on from are of that type."""
        others = [m for m in self.mentions if m is not mention]
        return (self.earlier is not None and self.earlier.manager == manager) or any(
            r.manager == manager for m in others for r in m.of("type", "row")[:2]
        )

    def _is_wanted(self, mention: Mention, reading: Reading) -> bool:
        """Whether a field is asked for: one of a type the question does not name must be said to be ("with their ...").

        Otherwise the word may be a condition ("still lit") that only sounds like the field.
        """
        if reading.manager == self.manager or self._is_named(reading.manager, mention):
            return True
        before = self.question.lowers[mention.first - 1] if mention.first else ""
        after = self.question.lowers[mention.last + 1] if mention.last + 1 < len(self.question.tokens) else ""
        qualifies = any(m.names_type and m.first == mention.last + 1 for m in self.mentions)  # "the painted doors"
        words = [word for word in split(reading.name) if word not in FUNCTION]
        same = (m for m in self.mentions if any(r.name == reading.name for r in m.of("field")))
        met = [self.question.lowers[place] for m in same for place in m.span]
        said = len(words) > 1 and all(any(nearness(asked, word) >= 0.75 for asked in met) for word in words)
        return said or (reading.score >= 0.9 and not qualifies and (before in ASKED_BEFORE or after == "of"))

    def _guesses(self, readings: Sequence[Read]) -> tuple[str, ...]:
        """What was taken for a slip of the finger, as `"wrold" for "world"`."""
        chosen = [(m, r, r.value if r.sort in ("row", "choice") else r.name) for m, r in readings]
        chosen += [(m, k, k.manager) for m in self.mentions if (k := m.names_type)]
        found: list[str] = []
        for mention, reading, name in chosen:
            words = split(name) or (name,)
            for place in sorted((mention.span & reading.span) - self.question.overdue):
                token = self.question.tokens[place]
                best = max((nearness(token.lower, word), word) for word in words)
                if best[0] == 0.7:
                    found.append(f'"{token.text}" for "{name if reading.sort == "row" else say(name)}"')
        return tuple(dict.fromkeys(found))

    def _denied(self, mention: Mention) -> bool:
        for place in self.question.negations:
            between = self.question.lowers[place + 1 : mention.first]
            crossed = any(m.of("choice", "flag", "row") and place < m.first < mention.first for m in self.mentions)
            if place < mention.first and len(between) <= 4 and place not in self.used and not crossed:
                self.used.add(place)
                return True
        return False

    def _future(self) -> str:
        """Why what "will" be cannot be told, unless a date is asked for by its name ("when will it expire")."""
        if not any(t.lower == "will" and (i == 0 or not t.capital) for i, t in enumerate(self.question.tokens)):
            return ""
        dated = any(
            self.catalog.managers[r.manager].base(r.name) in TEMPORAL
            for m in self.mentions
            for r in m.of("field")
            if r.manager in self.catalog.managers
        )
        if dated or DUE_WORDS & set(self.question.lowers) or self.question.overdue:
            return ""
        return "I cannot tell what will be; I can only look up what is in the data."

    def _is_bound(self, place: bind.Place, span: Span) -> bool:
        """Whether a field was found; if not, what is needed or in the way is noted."""
        self.needs += place.needs
        if place.field and not place.needs:
            self.used |= place.used
            return True
        if not place.field and not place.needs:
            words = self.question.words(span)
            if place.options:
                options = join([say(name) for name in place.options], "or")
                self.trouble = self.trouble or f'Which field do you mean with "{words}": {options}?'
            else:
                nouns = plural(say(self.manager))
                self.trouble = self.trouble or f'I could not tell which field of {nouns} "{words}" is about.'
        return False

    def _ask_schema(self, name: str) -> None:
        if name not in self.catalog.asked:
            self.needs.append(Need("get_manager_schema", {"manager": name}))

    def _no_way(self, end: str) -> None:
        if not any(need.tool == "find_path" for need in self.needs):
            self.trouble = self.trouble or f"I see no way from {plural(say(self.manager))} to {plural(say(end))}."
