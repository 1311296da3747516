"""Row values a question may mean: guessed from a list kept in the process, shown only after the caller was seen to
read them.

The list knows every distinct value of the fields a developer allows, whoever may read it. It says where to look and
nothing else: each candidate is asked for through the schema as the caller, and what does not come back is dropped.
"""

import asyncio
import logging
import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dragoman.graphql.execute import Session
from dragoman.graphql.host import Hint, Host
from dragoman.graphql.naming import alike, stem
from dragoman.graphql.schema import Catalog, Exposed
from dragoman.graphql.verify import EACH, Value, verified

log = logging.getLogger("dragoman.graphql")

PER_FIELD = 5_000
ALL = 100_000
KEPT_SECONDS = 60
_UNKNOWN = 2  # words of a question that are looked for in the rows themselves
_COMMON = 400  # a word in more values than this says nothing
_TOKEN = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class _Entry:
    manager: str
    field: str
    text: str
    stems: tuple[str, ...]
    rows: list[str]


@dataclass(slots=True)
class _List:
    entries: list[_Entry] = field(default_factory=list)
    postings: dict[str, list[int]] = field(default_factory=dict)
    vocabulary: list[str] = field(default_factory=list)
    until: float = 0.0


class Hints:
    """The list of one catalog, filled when it is first needed and again when it is old. Safe to share."""

    def __init__(self, catalog: Catalog, host: Host, clock: Callable[[], float] = time.monotonic) -> None:
        self._catalog = catalog
        self._host = host
        self._clock = clock
        self._list = _List()
        self._filling: asyncio.Lock | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def find(self, session: Session, asked: Sequence[str], known: Callable[[str], bool]) -> list[Value]:
        """The values the words of a question may mean, best first; `known` says which words the schema has itself."""
        if not any(manager.searchable for manager in self._catalog.managers.values()):
            return []
        await self._fill()
        candidates, unknown = self._candidates(asked, known)
        candidates += await self._unlisted(unknown[:_UNKNOWN])
        return await verified(session, candidates) if candidates else []

    def has(self, word: str) -> bool:
        """Whether some value has this word; only ever used to decide how to look."""
        return stem(word.casefold()) in self._list.postings

    async def _fill(self) -> None:
        if self._clock() < self._list.until:
            return
        loop = asyncio.get_running_loop()
        if self._filling is None or self._loop is not loop:  # a lock belongs to one event loop
            self._filling, self._loop = asyncio.Lock(), loop
        async with self._filling:
            if self._clock() >= self._list.until:
                self._list = await self._read()

    async def _read(self) -> _List:
        found = _List(until=self._clock() + KEPT_SECONDS)
        for manager in self._catalog.managers.values():
            for name in manager.searchable:
                if len(found.entries) >= ALL:
                    break
                values = await self._hints(manager.name, name, PER_FIELD)
                rows: dict[str, list[str]] = {}
                for hint in values:
                    rows.setdefault(hint.text, []).append(hint.id)
                for text, ids in rows.items():
                    known = [one for one in ids if one] if manager.detail else []
                    _add(found, _Entry(manager.name, name, text, tuple(_stems(text)), known[:EACH]))
        found.vocabulary = [word for word in found.postings if len(word) >= 4]
        return found

    def _candidates(self, asked: Sequence[str], known: Callable[[str], bool]) -> tuple[list[Value], list[str]]:
        """What the list proposes, best first, and the words it has nothing for."""
        marks: dict[int, dict[str, float]] = {}  # entry -> word of the question -> likeness
        unmatched: list[str] = []
        for word in asked:
            found = self._alike(word, guess=not known(word))
            for token, likeness in found:
                for place in self._list.postings[token]:
                    marks.setdefault(place, {})[word] = likeness
            if not found and not known(word) and len(word) >= 3:
                unmatched.append(word)
        groups: dict[tuple[str, str, frozenset[str]], list[int]] = {}
        for place, by_word in marks.items():
            entry = self._list.entries[place]
            groups.setdefault((entry.manager, entry.field, frozenset(by_word)), []).append(place)
        proposed: list[Value] = []
        for (_, _, words), places in groups.items():
            proposed += self._proposals(words, places, marks, known)
        return _best_of_each_field(proposed), unmatched

    def _alike(self, word: str, guess: bool) -> list[tuple[str, float]]:
        key = stem(word)
        if key in self._list.postings:
            return [(key, 1.0)] if len(self._list.postings[key]) <= _COMMON else []
        if not guess or len(key) < 4 or key.isdigit():
            return []
        return [(token, likeness * 0.9) for token, likeness in alike(key, self._list.vocabulary)]

    def _proposals(
        self,
        words: frozenset[str],
        places: list[int],
        marks: Mapping[int, Mapping[str, float]],
        known: Callable[[str], bool],
    ) -> list[Value]:
        entries = [self._list.entries[place] for place in places]
        weight = {word: max(marks[place][word] for place in places) * self._rarity(word) for word in words}
        score = sum(weight.values())
        whole = [e for e, p in zip(entries, places, strict=True) if len(marks[p]) >= len(set(e.stems))]
        if not whole and all(known(word) for word in words):
            return []  # "part" in "Part 7" is the question's own word, not a value it names
        # A value the question names in full counts most, and one that many rows share counts least.
        found = [Value(e.text, e.manager, e.field, "exact", 1, score * 1.5, tuple(e.rows)) for e in whole[:2]]
        rest = len(entries) - len(whole)
        if rest == 1 and not whole:
            share = len(words) / max(1, len(set(entries[0].stems)))
            found.append(replace(_value(entries[0]), score=score * (0.6 + share / 2)))
        elif rest:
            phrase = _phrase(entries, {stem(word) for word in words})
            if phrase:
                rows = tuple(row for e in entries for row in e.rows[:1])
                found.append(replace(_value(entries[0]), text=phrase, lookup="icontains", score=score, rows=rows))
        return found

    def _rarity(self, word: str) -> float:
        places = self._list.postings.get(stem(word), ())
        return math.log(2 + len(self._list.entries) / max(1, len(places)))

    async def _unlisted(self, words: Sequence[str]) -> list[Value]:
        """Words nothing is known of, looked for in the rows themselves: these may be newer than the list, or too many."""
        found: list[Value] = []
        for word in words:
            for manager in self._catalog.managers.values():
                for name in manager.searchable:
                    found += await self._containing(manager, name, word)
        return found

    async def _containing(self, manager: Exposed, name: str, word: str) -> list[Value]:
        hints = await self._hints(manager.name, name, EACH, word)
        texts = dict.fromkeys(hint.text for hint in hints)
        rows = tuple(hint.id for hint in hints if hint.id)
        if not texts:
            return []
        lookup, text = ("exact", next(iter(texts))) if len(texts) == 1 else ("icontains", word)
        return [Value(text, manager.name, name, lookup, 1, 0.5, rows if manager.detail else ())]

    async def _hints(self, manager: str, name: str, most: int, containing: str = "") -> Sequence[Hint]:
        try:
            return await self._host.hints(manager, name, most, containing)
        except Exception:  # one field that cannot be read must not end the search
            log.exception("The values of %s.%s cannot be listed.", manager, name)
            return []


def _add(found: _List, entry: _Entry) -> None:
    found.entries.append(entry)
    for token in set(entry.stems):
        found.postings.setdefault(token, []).append(len(found.entries) - 1)


def _stems(text: str) -> list[str]:
    return [stem(token.casefold()) for token in _TOKEN.findall(text)]


def _phrase(entries: Sequence[_Entry], stems: set[str]) -> str:
    """The text the entries share, as it is written in most of them: from the first word of the question to the last."""
    counted: dict[str, int] = {}
    for entry in entries[:50]:
        places = [m for m in _TOKEN.finditer(entry.text) if stem(m.group().casefold()) in stems]
        if places:
            text = entry.text[places[0].start() : places[-1].end()].casefold()
            counted[text] = counted.get(text, 0) + 1
    return max(counted, key=lambda text: (counted[text], len(text)), default="")


def _best_of_each_field(values: list[Value]) -> list[Value]:
    """Best first, at most three of a field, so that one field does not crowd out the others."""
    kept: list[Value] = []
    count: dict[tuple[str, str], int] = {}
    for value in sorted(values, key=lambda v: (-v.score, len(v.text), v.text)):
        place = (value.manager, value.field)
        count[place] = count.get(place, 0) + 1
        if count[place] <= 3:
            kept.append(value)
    return kept


def _value(entry: _Entry) -> Value:
    return Value(entry.text, entry.manager, entry.field, rows=tuple(entry.rows))
