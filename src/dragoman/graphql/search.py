"""Find managers by words: their names, texts, fields and choices; plurals, stems and typing mistakes forgiven."""

import bisect
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dragoman.graphql.naming import alike, fold, stem, words

_NAME, _CHOICE, _FIELD, _RELATION, _ABOUT, _DOC = 6.0, 2.5, 2.2, 1.4, 1.2, 0.8
_WHOLE_NAME = 9.0
_FREQUENT = 60  # a word of more topics than this is weighed for those the other words found
_MOST = 300

STOP_WORDS = frozenset(
    "a about all also an and any are as at be been between by can could did do does each find for from get give had has"
    " have how i in into is it its list many me much my of on or our per please show than that the their them there"
    " these they this those to us used was we were what when where which who whose why will with would you your"
    " aber alle als am an auf aus bei bis das dem den der des die ein eine einem einen einer es für gibt hat ich im"
    " ist kann mein mit nach nicht oder pro sind sich um und uns unser von vor was welche welchem welchen welcher wer"
    " wie wieviele wir wo zeig zeige zu zum zur"
    " au avec ce ces combien dans de du en est et il la le les leur mes mon ou par pour quel quelle quelles quels qui"
    " sont sur un une".split()
)


@dataclass(frozen=True, slots=True)
class Topic:
    """A thing that can be found: texts by how much a word in them counts, and the part of it they belong to."""

    name: str
    texts: tuple[tuple[float, str, str], ...]  # weight, text, field


@dataclass(slots=True)
class Hit:
    """A topic that was found, how well, and in which of its fields."""

    name: str
    score: float = 0.0
    fields: dict[str, float] = field(default_factory=dict)
    named: bool = False
    words: set[str] = field(default_factory=set)


class Index:
    """An index of topics by the stems of their words; built once, asked in well under a millisecond a word."""

    def __init__(self, topics: Iterable[Topic]) -> None:
        # word -> topic -> part of the topic -> how much the word counts there
        self._postings: dict[str, dict[str, dict[str, float]]] = {}
        self._names: dict[str, frozenset[str]] = {}
        for topic in topics:
            self._add(topic)
        self._vocabulary = sorted(self._postings)
        count = len(self._names)
        self._rarity = {word: math.log(1 + count / len(by_topic)) for word, by_topic in self._postings.items()}

    def knows(self, word: str) -> bool:
        """Whether a word, or one with the same stem, occurs."""
        return stem(word) in self._postings

    def find(self, query: Iterable[str], exact: frozenset[str] = frozenset()) -> list[Hit]:
        """The topics the words of a query point to, best first. Words in `exact` are not guessed at."""
        asked = list(dict.fromkeys(query))
        found = {word: list(self._alike(word, guess=word not in exact)) for word in asked}
        hits: dict[str, Hit] = {}
        # Rare words first: a word that half the topics have only tells between those the others point to.
        for word in sorted(asked, key=lambda w: min((len(self._postings[known]) for known, _ in found[w]), default=0)):
            self._score(word, found[word], hits)
        stems = {stem(word) for word in asked}
        for hit in hits.values():
            parts = self._names[hit.name]
            hit.named = bool(parts) and (parts <= stems or fold(hit.name) in stems)
            if hit.named:
                hit.score += _WHOLE_NAME * (1 + 0.2 * len(parts))
        return sorted(hits.values(), key=lambda hit: (-hit.score, hit.name))

    def _score(self, word: str, found: Sequence[tuple[str, float]], hits: dict[str, Hit]) -> None:
        """Add what one word says of each topic."""
        best: dict[str, dict[str, float]] = {}
        for known, likeness in found:
            by_topic = self._postings[known]
            factor = self._rarity[known] * likeness
            names = (
                [name for name in hits if name in by_topic] if hits and len(by_topic) > _FREQUENT else list(by_topic)
            )
            for name in names[:_MOST]:
                into = best.setdefault(name, {})
                for part, weight in by_topic[name].items():
                    into[part] = max(weight * factor, into.get(part, 0.0))
        for name, by_part in best.items():
            hit = hits.setdefault(name, Hit(name))
            most = max(by_part.values())
            hit.score += most + 0.1 * (sum(by_part.values()) - most)
            hit.words.add(word)
            for part, score in by_part.items():
                if part:
                    hit.fields[part] = hit.fields.get(part, 0.0) + score

    def _add(self, topic: Topic) -> None:
        for weight, text, part in topic.texts:
            found = [word for word in words(text) if word not in STOP_WORDS]
            keys = [stem(word) for word in found]
            if len(found) > 1 and weight >= _RELATION:  # billofmaterials, leadtime
                keys.append(stem("".join(words(text))))
            for key in keys:
                parts = self._postings.setdefault(key, {}).setdefault(topic.name, {})
                parts[part] = max(weight, parts.get(part, 0.0))
        self._names[topic.name] = frozenset(stem(word) for word in words(topic.name) if word not in STOP_WORDS)

    def _alike(self, word: str, guess: bool) -> Iterator[tuple[str, float]]:
        key = stem(word)
        if key in self._postings:
            yield key, 1.0
            return
        if not guess or len(word) < 4:
            return
        start = bisect.bisect_left(self._vocabulary, key)
        began = False
        for known in self._vocabulary[start : start + 5]:
            if known.startswith(key):
                began = True
                yield known, 0.8
        if began:
            return
        for known, likeness in alike(key, self._vocabulary):
            yield known, likeness * 0.9


def asked_words(query: str) -> list[str]:
    """The words of a question that carry meaning, in order."""
    found = [word for word in words(query) if word not in STOP_WORDS]
    return found or words(query)


def topic(
    name: str,
    about: str,
    fields: Mapping[str, tuple[str, tuple[str, ...]]],
    relations: Mapping[str, str],
) -> Topic:
    """What can be found of a manager: its name, its text, its fields with their texts and choices, its relations."""
    texts: list[tuple[float, str, str]] = [(_NAME, name, ""), (_ABOUT, about, "")]
    for field_name, (doc, choices) in fields.items():
        texts += [(_FIELD, field_name, field_name), (_DOC, doc, field_name)]
        texts += [(_CHOICE, choice, field_name) for choice in choices]
    texts += [(_RELATION, relation, relation) for relation in relations]
    return Topic(name, tuple(text for text in texts if text[1]))
