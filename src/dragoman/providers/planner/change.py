"""Change: an order to change something, matched with the mutations on offer and their inputs."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dragoman.providers.planner.catalog import Catalog, Manager, Offer
from dragoman.providers.planner.lexicon import ASKING, CHANGES, FUNCTION
from dragoman.providers.planner.link import Mention, Reading
from dragoman.providers.planner.question import Question
from dragoman.providers.planner.words import join, nearness, say, split

_POLITE = frozenset(
    "please kindly can could you would will i want to like need we let us lets now ok and then just go ahead".split()
)
_NUMBERS = frozenset("Int Float Decimal BigInt".split())


@dataclass(frozen=True, slots=True)
class Row:
    """A row an input needs the id of: found by a text, with the filter that finds it."""

    input: str
    manager: str
    value: str
    filters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """What was ordered: the mutation, the inputs the sentence gives, the rows to look up, what is still missing."""

    offer: Offer
    inputs: dict[str, Any] = field(default_factory=dict)
    rows: tuple[Row, ...] = ()
    missing: tuple[str, ...] = ()
    unexplained: tuple[int, ...] = ()


def verb(question: Question) -> int | None:
    """The place of the verb where a clause orders something ("please close ..."), else None."""
    for start in question.clause_starts:
        for place in range(start, len(question.tokens)):
            token = question.tokens[place]
            if token.lower in _POLITE:
                continue
            asks = token.lower in ASKING and token.lower not in CHANGES
            known_form = token.lower not in FUNCTION and not token.lower.endswith(("ing", "s", "ed"))
            if not asks and known_form and token.text.isalpha() and not token.quoted:
                return place
            break
    return None


def find(question: Question, mentions: Sequence[Mention], catalog: Catalog) -> Change | None:
    """The change a sentence orders, with as many inputs as it gives; None when it orders none of those on offer."""
    scored = []
    for offer in catalog.offers:
        words = split(offer.name)
        place = _verb_of(question, words)
        if place is None:
            continue
        rest = [word for word in words[1:] if word not in FUNCTION]
        rows = [r for m in mentions for r in m.of("row")]
        met = sum(any(nearness(t.lower, word) >= 0.9 for t in question.tokens) for word in rest)
        owned = any(split(r.manager) == tuple(rest) for r in rows)
        if rest and not met and not owned:
            continue
        exact = question.tokens[place].lower == words[0]
        scored.append((2 * exact + met / max(1, len(rest)) + owned, -len(words), place, offer))
    if not scored:
        return None
    _, _, place, offer = max(scored, key=lambda entry: entry[:2])
    return _Filler(question, mentions, catalog, offer, place).change()


def _verb_of(question: Question, words: Sequence[str]) -> int | None:
    for place, token in enumerate(question.tokens):
        if token.quoted:
            continue
        if token.lower == words[0] or words[0] in CHANGES.get(token.lower, ()):
            before = question.lowers[:place]
            if all(word in _POLITE or word in ("the", "a") for word in before) or not (set(before) & ASKING):
                return place
    return None


class _Filler:
    """Fills the inputs of one mutation from one sentence; `used` are the places that have been spent."""

    def __init__(
        self, question: Question, mentions: Sequence[Mention], catalog: Catalog, offer: Offer, place: int
    ) -> None:
        self.question = question
        self.mentions = mentions
        self.catalog = catalog
        self.offer = offer
        self.place = place
        self.used = {place}
        self.taken: list[Reading] = []

    def change(self) -> Change:
        offer = self.offer
        inputs: dict[str, Any] = {}
        rows: list[Row] = []
        missing: list[str] = []
        kinds = {name: kind.rstrip("!") or self._kind(name) for name, kind in offer.inputs.items()}
        for name in [n for n in kinds if kinds[n] == "ID" or n == "id"]:
            if row := self._row(name):
                rows.append(row)
        for name in [n for n in kinds if kinds[n] != "ID" and n != "id"]:
            value = self._value(name, kinds[name])
            if value is not None:
                inputs[name] = value
        given = {*inputs, *(row.input for row in rows)}
        missing = [name for name, kind in offer.inputs.items() if kind.endswith("!") and name not in given]
        updates = split(offer.name)[0] in ("update", "change", "edit", "set")
        if updates and not inputs and len(rows) < 2:
            missing.append("what to change")
        return Change(offer, inputs, tuple(rows), tuple(missing), self._unexplained())

    def _subject(self) -> Manager | None:
        """The type the mutation's name ends in."""
        own = tuple(split(self.offer.name)[1:])
        return next((m for m in self.catalog.managers.values() if split(m.name) == own), None)

    def _kind(self, name: str) -> str:
        """The type of an input that the offer only names: that of the subject's field of this name."""
        subject = self._subject()
        if subject is None:
            return "String"
        choices = "|".join(subject.choices(name))
        return choices or ("ID" if name in subject.relations else subject.base(name) or "?")

    def _row(self, name: str) -> Row | None:
        words = split(name)
        words = words[:-1] if len(words) > 1 and words[-1] == "id" else words
        own = split(self.offer.name)[1:]
        wanted = own if words == ("id",) else words
        candidates: list[tuple[float, Mention, Reading]] = []
        for mention in self.mentions:
            for reading in mention.of("row"):
                if reading in self.taken or mention.span & self.used:
                    continue
                fits = split(reading.manager) == tuple(wanted)
                related = any(split(reading.manager) == split(m.leads_to(r)) and split(r) == tuple(words)
                              for m in self.catalog.managers.values() for r in m.relations)  # fmt: skip
                if fits or related:
                    candidates.append((reading.score + reading.whole, mention, reading))
        if not candidates:
            return None
        _, mention, reading = max(candidates, key=lambda entry: entry[0])
        self.taken.append(reading)
        self.used |= mention.span
        for other in self.mentions:
            if any(r.manager == reading.manager for r in other.of("type")):
                self.used |= other.span
        found = dict(reading.hit.filters.get(reading.manager) or {}) if reading.hit and reading.whole else {}
        text = reading.value if reading.whole else self.question.words(mention.span)
        return Row(name, reading.manager, text, found or {f"{reading.name}__icontains": text})

    def _value(self, name: str, kind: str) -> Any:
        label = self._label(name)
        if "|" in kind:
            return self._choice(kind.split("|"))
        if kind in _NUMBERS or kind == "Measurement":
            return self._amount(name, label, kind)
        if kind in ("Date", "DateTime"):
            for period in self.question.periods:
                if period.first and not period.span & self.used:
                    self.used |= period.span | set(label or ())
                    return period.first.isoformat()
            return None
        if kind == "Boolean":
            return self._truth(label)
        if kind == "?":
            return None
        return self._text(name, label)

    def _label(self, name: str) -> frozenset[int] | None:
        """The places of the input's name in the sentence."""
        words = [word for word in split(name) if word not in FUNCTION and word != "is"]
        found = {
            place: word
            for place, token in enumerate(self.question.tokens)
            for word in words
            if place not in self.used and nearness(token.lower, word) >= 0.9
        }
        return frozenset(found) if found and len(set(found.values())) * 2 >= len(words) else None

    def _choice(self, choices: Iterable[str]) -> str | None:
        for choice in choices:
            words = split(choice)
            places = [
                i
                for i, t in enumerate(self.question.tokens)
                if i not in self.used and any(nearness(t.lower, w) >= 0.9 for w in words)
            ]
            if len(places) >= len(words):
                self.used |= set(places)
                return choice
        return None

    def _amount(self, name: str, label: frozenset[int] | None, kind: str) -> Any:
        free = [a for a in self.question.amounts if not a.span & self.used]
        unit_named = [a for a in free if a.unit and any(nearness(a.unit, word) >= 0.9 for word in split(name))]
        chosen = unit_named[0] if unit_named else None
        if chosen is None and label and free:
            chosen = min(free, key=lambda a: abs(min(a.span) - max(label)))
        if chosen is None and len(free) == 1 and self.offer.inputs[name].endswith("!"):
            chosen = free[0]
        if chosen is None:
            return None
        self.used |= chosen.span | set(label or ())
        around = range(max(chosen.span) + 1, min(max(chosen.span) + 4, len(self.question.tokens)))
        self.used |= {i for i in around if any(nearness(self.question.lowers[i], word) >= 0.9 for word in split(name))}
        if kind == "Measurement":
            return chosen.text
        return chosen.bare if kind != "Int" else int(chosen.number)

    def _truth(self, label: frozenset[int] | None) -> bool | None:
        if not label:
            return None
        self.used |= label
        denied = any(place + 1 in label or place + 2 in label for place in self.question.negations)
        return not (denied or bool({"false", "no", "off"} & set(self.question.lowers)))

    def _text(self, name: str, label: frozenset[int] | None) -> str | None:
        tokens = self.question.tokens
        quoted = sorted({t.quoted for t in tokens if t.quoted})
        if quoted and (label or self.offer.inputs[name].endswith("!")):
            words = [i for i, t in enumerate(tokens) if t.quoted == quoted[0]]
            self.used |= set(words) | set(label or ())
            return self._source(words)
        if told := self._told(name):
            return told
        if label:
            rest = list(range(max(label) + 1, len(tokens)))
            while rest and tokens[rest[0]].lower in ("to", "is", "as", "of", "being", "be", "into"):
                self.used.add(rest.pop(0))
            if rest:
                self.used |= set(rest) | label
                return self._source(rest)
        if self.offer.inputs[name].endswith("!"):
            reason = next((i for i, w in enumerate(self.question.lowers) if w in ("because", "since")), None)
            if reason is not None and reason + 1 < len(tokens):
                rest = list(range(reason + 1, len(tokens)))
                self.used |= {reason, *rest}
                return self._source(rest)
        return None

    def _told(self, name: str) -> str | None:
        """A word of the sentence among those the mutation's description lists after the input's name."""
        match = re.search(rf"{re.escape(say(name))}\s*\(([^)]*)", self.offer.about, re.IGNORECASE)
        options: list[str] = re.split(r",|\bor\b|\.\.\.", match[1]) if match else []
        for option in filter(None, (o.strip() for o in options)):
            for place, token in enumerate(self.question.tokens):
                if place not in self.used and nearness(token.lower, option.casefold()) >= 0.9:
                    self.used.add(place)
                    return str(option)
        for place, token in enumerate(self.question.tokens[:-1]):
            following = self.question.tokens[place + 1]
            if token.lower == "as" and place + 1 not in self.used and self.offer.inputs[name].endswith("!"):
                article = following.lower in ("a", "an", "the") and place + 2 < len(self.question.tokens)
                chosen = place + 2 if article else place + 1
                self.used.add(chosen)
                return self.question.tokens[chosen].text
        return None

    def _source(self, places: Sequence[int]) -> str:
        """The words as they were written, what stands between them included."""
        return " ".join(self.question.tokens[i].text for i in places)

    def _unexplained(self) -> tuple[int, ...]:
        """Words nothing explains; another clause may say what it likes unless it sets a condition."""
        question = self.question
        names = {word for name in (self.offer.name, *self.offer.inputs) for word in split(name)}
        about = set(split(self.offer.about))
        numbers = frozenset().union(*(a.span for a in question.amounts)) if question.amounts else frozenset()
        own = {question.clause(self.place)}
        own |= {question.clause(i) for i, word in enumerate(question.lowers) if word in ("if", "unless", "only", "not")}
        return tuple(
            i
            for i in question.content
            if i not in self.used
            and question.clause(i) in own
            and not any(nearness(question.lowers[i], word) >= 0.75 for word in names | about)
            and not (question.tokens[i].has_digit and i in numbers)
        )


def wanting(change: Change) -> str:
    """What to say when inputs are missing."""
    names = [say(name.removesuffix("Id")) for name in change.missing]
    return f"To {say(change.offer.name)} I still need: {join(names)}. Please say it in one sentence."


def unoffered(question: Question, place: int, mentions: Sequence[Mention], catalog: Catalog) -> str:
    """What to say to an order that nothing on offer fits; empty for what may as well be a question.

    A verb of change in general is an order, and so is a first word that only shares the root of a choice: "close the
    gate" where a gate can be closed.
    """
    word = question.lowers[place]
    general = word in CHANGES
    choices = [r for m in mentions if place in m.span for r in m.of("choice", "flag")]
    exact = any(nearness(word, known) >= 0.9 for r in choices for known in split(r.value or r.name))
    bare_form = bool(choices) and not exact
    explained = any(place in m.span and m.of("type", "row", "field") for m in mentions)
    if not general and (explained or not bare_form):
        return ""
    names = join([say(offer.name) for offer in catalog.offers])
    offered = f" What I found on offer: {names}." if names else ""
    return f'I cannot do that: no change called "{question.tokens[place].text}" is on offer to you here. Nothing was changed.{offered}'


def read_back(manager: str, row_id: str, arguments: Mapping[str, Any], catalog: Catalog) -> dict[str, Any] | None:
    """The query that shows what a changed row is now: its name, its choices, and what was given; None if nothing is known."""
    known = catalog.managers.get(manager)
    if known is None or "id" not in known.fields:
        return None
    given = arguments.get("input") or {}
    shown = [n for n in known.fields if n in known.naming or known.choices(n) or (n in given and n != "id")]
    return {"manager": manager, "filters": {"id": row_id}, "fields": ["id", *shown], "limit": 1} if shown else None
