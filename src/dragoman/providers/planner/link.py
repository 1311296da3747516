"""Link: which words of a question name which type, field, choice or row."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from dragoman.providers.planner.catalog import TEMPORAL, Catalog, Hit, Manager, noun_of
from dragoman.providers.planner.lexicon import ENDING, FUNCTION, PERSONS, PREPOSITIONS
from dragoman.providers.planner.question import NOWHERE, Question, Span
from dragoman.providers.planner.words import Token, nearness, split, tokenize

Sort = Literal["type", "field", "relation", "flag", "choice", "row"]


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to understand some words: `name` is the field or relation, `value` the choice or the row's text.

    `score` is 1 for the very words; `whole` says that no word of the name was left out.
    """

    sort: Sort
    manager: str
    name: str
    value: str
    span: Span
    score: float
    whole: bool
    hit: Hit | None = None
    asked: bool = False


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of a question with every reading they have, best first."""

    span: Span
    readings: tuple[Reading, ...]

    @property
    def first(self) -> int:
        """Where it begins."""
        return min(self.span)

    @property
    def last(self) -> int:
        """Where it ends."""
        return max(self.span)

    def of(self, *sorts: Sort) -> tuple[Reading, ...]:
        """The readings of these sorts."""
        return tuple(reading for reading in self.readings if reading.sort in sorts)

    @property
    def names_type(self) -> Reading | None:
        """The reading as a type, where that is as good as the best."""
        types = self.of("type")
        return types[0] if types and types[0].score >= self.readings[0].score - 0.1 else None


def names(tokens: Sequence[Token], catalog: Catalog) -> Span:
    """The places of words that are the whole of a row's text and look like a name, numbers within it included."""
    found: set[int] = set()
    for reading in _rows(tokens, catalog.hits):
        words = [tokens[i] for i in reading.span]
        telling = any(t.capital or t.has_digit or t.quoted for t in words)
        if reading.whole and reading.score > 0.9 and telling and (len(words) > 1 or not words[0].text.isdigit()):
            found |= reading.span
    return frozenset(found)


def mentions(question: Question, catalog: Catalog) -> tuple[Mention, ...]:
    """The mentions that together explain most words, each place in one mention at most, in the sequence of the words."""
    wanted = frozenset(question.linkable)
    readings = [r for r in _readings(question.tokens, catalog) if r.span & wanted and not r.span & question.counting]
    by_span: dict[Span, list[Reading]] = {}
    for reading in readings:
        by_span.setdefault(reading.span & wanted, []).append(reading)
    chosen: list[Mention] = []
    free = set(wanted)
    for span, group in sorted(by_span.items(), key=lambda pair: -_weight(pair[0], pair[1])):
        if span <= free:
            free -= span
            best = sorted(_distinct(group), key=lambda r: (-r.score - _preference(r), len(r.name)))
            chosen.append(Mention(span, tuple(best)))
    return tuple(sorted(chosen, key=lambda mention: mention.first))


def _weight(span: Span, group: Iterable[Reading]) -> float:
    return max(len(span) * r.score + _preference(r) + (0.3 if r.whole else 0) + (1.2 if r.asked else 0) for r in group)


def _preference(reading: Reading) -> float:
    return {"type": 0.1, "row": 0.08, "choice": 0.06, "flag": 0.04, "relation": 0.02, "field": 0.02}[reading.sort]


def _distinct(group: Iterable[Reading]) -> list[Reading]:
    best: dict[tuple[str, str, str, str], Reading] = {}
    for reading in group:
        key = (reading.sort, reading.manager, reading.name, reading.value)
        if key not in best or best[key].score < reading.score:
            best[key] = reading
    return list(best.values())


def _readings(tokens: Sequence[Token], catalog: Catalog) -> Iterator[Reading]:
    chosen = {(m.name, name) for m in catalog.managers.values() for name in m.fields if m.choices(name)}
    yield from _rows(tokens, [hit for hit in catalog.hits if (hit.manager, hit.field) not in chosen])
    for manager in catalog.managers.values():
        yield from _types(tokens, manager)
        yield from _members(tokens, manager)


def _types(tokens: Sequence[Token], manager: Manager) -> Iterator[Reading]:
    words = split(manager.name)
    for span, matched, score in _windows(tokens, words):
        share = matched / len(_telling(words))
        asked = share == 1 and score >= 0.95 and bool(_before(tokens, span) & {"which", "many", "all", "list"})
        yield Reading("type", manager.name, "", "", span, score * (0.55 + 0.45 * share), share == 1, asked=asked)
    noun = noun_of(manager.about)
    for span, matched, score in _windows(tokens, noun[-1:]) if noun else ():
        if score >= 0.9 and matched:
            yield Reading("type", manager.name, "", "", span, 0.6, False)
    if {"person", "people", "someone"} & set(noun):
        yield from (
            Reading("type", manager.name, "", "", frozenset({i}), 0.6, False)
            for i, t in enumerate(tokens)
            if t.lower in PERSONS
        )


def _before(tokens: Sequence[Token], span: Span) -> set[str]:
    return {tokens[min(span) - 1].lower} if min(span) else set()


def _members(tokens: Sequence[Token], manager: Manager) -> Iterator[Reading]:
    for name in manager.fields:
        if name == "id":
            continue
        yes_or_no = manager.base(name) == "Boolean"
        words = split(name)
        if yes_or_no and len(words) > 1 and words[0] in ("is", "has", "was", "can", "in"):
            words = words[1:]
        telling = _telling(words)
        for span, matched, score in _windows(tokens, words):
            share = matched / len(telling)
            if share < 1 and _slipped(tokens, span, words):
                continue
            yield Reading(
                "flag" if yes_or_no else "field", manager.name, name, "", span, score * (0.5 + 0.5 * share), share == 1
            )
        if words[-1] == "until" and manager.base(name) in TEMPORAL:
            ending = (i for i, token in enumerate(tokens) if token.lower in ENDING)
            yield from (Reading("field", manager.name, name, "", frozenset({i}), 0.8, True) for i in ending)
        for choice in manager.choices(name):
            pieces = split(choice)
            for span, matched, score in _windows(tokens, pieces):
                if matched == len(_telling(pieces)):
                    yield Reading("choice", manager.name, name, choice, span, score, True)
    for name in manager.relations:
        words = split(name)
        words = words[:-1] if len(words) > 1 and words[-1] == "list" else words
        if words == split(manager.leads_to(name)):
            continue
        for span, matched, score in _windows(tokens, words):
            share = matched / len(_telling(words))
            yield Reading("relation", manager.name, name, "", span, score * (0.5 + 0.5 * share), share == 1)


def _rows(tokens: Sequence[Token], hits: Iterable[Hit]) -> Iterator[Reading]:
    for hit in hits:
        words = tuple(token.lower for token in tokenize(hit.value))
        for span, matched, score in _windows(tokens, words, least=0.65):
            share = matched / max(1, len(_telling(words)))
            yield Reading("row", hit.manager, hit.field, hit.value, span, score * (0.6 + 0.4 * share), share == 1, hit)


def _slipped(tokens: Sequence[Token], span: Span, words: Sequence[str]) -> bool:
    """Whether a word only meets the name as a slip of the finger: too little to go on where the name is not whole."""
    return any(0 < max(nearness(tokens[i].lower, word) for word in words) <= 0.7 for i in span)


def _telling(words: Sequence[str]) -> tuple[str, ...]:
    """The words of a name that must be met: all but function words, unless there are no others."""
    return tuple(w for w in words if w not in FUNCTION and w not in PREPOSITIONS) or tuple(words)


def _windows(tokens: Sequence[Token], words: Sequence[str], least: float = 0.0) -> Iterator[tuple[Span, int, float]]:
    """Every stretch of the sentence that meets words of a name, in any sequence: its places, how many, how well.

    Function words may stand between; those of the name itself are taken along.
    """
    telling = _telling(words)
    if not telling:
        return
    near: list[tuple[float, int]] = []
    for token in tokens:
        scores = [(nearness(token.lower, word), -k) for k, word in enumerate(telling)]
        near.append(max(scores))
    for start, (score, _) in enumerate(near):
        if score <= least:
            continue
        if start and near[start - 1][0] > least and near[start - 1][1] != near[start][1]:
            continue  # within a longer stretch that has begun before
        span, met, total, at = {start}, {near[start][1]}, score, start + 1
        while at < len(tokens) and len(met) < len(telling):
            score, which = _best_of_rest(tokens[at], telling, met)
            if score > least:
                span.add(at)
                met.add(which)
                total += score
            elif tokens[at].lower not in words and tokens[at].lower not in ("of", "the", "a", "and"):
                break
            at += 1
        yield frozenset(span) | _taken_along(tokens, span, words), len(met), total / len(met)


def _best_of_rest(token: Token, telling: Sequence[str], met: set[int]) -> tuple[float, int]:
    rest = [(nearness(token.lower, word), -k) for k, word in enumerate(telling) if -k not in met]
    return max(rest, default=(0.0, 0))


def _taken_along(tokens: Sequence[Token], span: set[int], words: Sequence[str]) -> Span:
    """Function words of the name that stand next to what was met, as the "on" of "on hold"."""
    small = set(words) - set(_telling(words))
    near = {i for i in (min(span) - 1, max(span) + 1) if 0 <= i < len(tokens)}
    inner = set(range(min(span), max(span)))
    return frozenset(i for i in near | inner if tokens[i].lower in small) or NOWHERE
