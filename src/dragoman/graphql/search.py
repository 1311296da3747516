"""Find managers by words: their names, texts, fields and choices; plurals, stems and typing mistakes forgiven."""

import bisect
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from dragoman.graphql.naming import alike, fold, stem, words

_NAME, _CHOICE, _FIELD, _RELATION, _ABOUT, _DOC = 6.0, 2.5, 2.2, 1.4, 1.2, 0.8
_WHOLE_NAME = 9.0

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


@dataclass(frozen=True, slots=True)
class _Posting:
    topic: str
    weight: float
    field: str


class Index:
    """An index of topics by the stems of their words; built once, asked in well under a millisecond a word."""

    def __init__(self, topics: Iterable[Topic]) -> None:
        self._postings: dict[str, list[_Posting]] = {}
        self._names: dict[str, frozenset[str]] = {}
        count = 0
        for topic in topics:
            count += 1
            self._add(topic)
        self._vocabulary = sorted(self._postings)
        self._rarity = {
            word: math.log(1 + count / len({p.topic for p in postings})) for word, postings in self._postings.items()
        }

    def knows(self, word: str) -> bool:
        """Whether a word, or one with the same stem, occurs."""
        return stem(word) in self._postings

    def names(self, word: str) -> bool:
        """Whether a word is part of a topic's name."""
        return any(posting.weight >= _NAME for posting in self._postings.get(stem(word), ()))

    def find(self, query: Iterable[str], exact: frozenset[str] = frozenset()) -> list[Hit]:
        """The topics the words of a query point to, best first. Words in `exact` are not guessed at."""
        hits: dict[str, Hit] = {}
        asked = list(dict.fromkeys(query))
        stems = {stem(word) for word in asked}
        for word in asked:
            best: dict[str, dict[str, float]] = {}
            for known, likeness in self._alike(word, guess=word not in exact):
                for posting in self._postings[known]:
                    score = posting.weight * self._rarity[known] * likeness
                    by_field = best.setdefault(posting.topic, {})
                    by_field[posting.field] = max(score, by_field.get(posting.field, 0.0))
            for topic, by_field in best.items():
                hit = hits.setdefault(topic, Hit(topic))
                hit.score += max(by_field.values()) + 0.1 * (sum(by_field.values()) - max(by_field.values()))
                hit.words.add(word)
                for name, score in by_field.items():
                    if name:
                        hit.fields[name] = hit.fields.get(name, 0.0) + score
        for hit in hits.values():
            parts = self._names[hit.name]
            hit.named = bool(parts) and (parts <= stems or fold(hit.name) in stems)
            if hit.named:
                hit.score += _WHOLE_NAME * (1 + 0.2 * len(parts))
        return sorted(hits.values(), key=lambda hit: (-hit.score, hit.name))

    def _add(self, topic: Topic) -> None:
        best: dict[tuple[str, str], float] = {}
        for weight, text, part in topic.texts:
            found = [word for word in words(text) if word not in STOP_WORDS]
            keys = [stem(word) for word in found]
            if len(found) > 1 and weight >= _RELATION:  # billofmaterials, leadtime
                keys.append(stem("".join(words(text))))
            for key in keys:
                best[(key, part)] = max(weight, best.get((key, part), 0.0))
        for (key, part), weight in best.items():
            self._postings.setdefault(key, []).append(_Posting(topic.name, weight, part))
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
