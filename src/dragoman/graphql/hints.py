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
from typing import Any

from dragoman.graphql.document import unwrap, wrap
from dragoman.graphql.execute import Session
from dragoman.graphql.host import Host
from dragoman.graphql.naming import alike, stem
from dragoman.graphql.schema import Catalog, Exposed
from dragoman.graphql.values import fit
from dragoman.harness.tools import ToolError

log = logging.getLogger("dragoman.graphql")

PER_FIELD = 5_000
ALL = 100_000
KEPT_SECONDS = 60
CHECKS = 30  # how many rows or lists are asked for in one document
_EACH = 5  # how many rows stand for one candidate
_COMMON = 400  # a word in more values than this says nothing
_TOKEN = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Value:
    """A value the caller can read: equal to a row's, or part of several rows' (`lookup` is then icontains).

    `matches` is how many rows, 0 where they were not counted; `rows` are the ids of some of them, not yet verified.
    """

    text: str
    manager: str
    field: str
    lookup: str = "exact"
    matches: int = 1
    score: float = 0.0
    rows: tuple[str, ...] = ()


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
        candidates = self._candidates(asked, known)
        return await _verified(session, candidates) if candidates else []

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
                try:
                    values = await self._host.hints(manager.name, name, PER_FIELD)
                except Exception:  # one field that cannot be read must not end the search
                    log.exception("The values of %s.%s cannot be listed.", manager.name, name)
                    continue
                rows: dict[str, list[str]] = {}
                for hint in values:
                    rows.setdefault(hint.text, []).append(hint.id)
                for text, ids in rows.items():
                    known = [one for one in ids if one] if manager.detail else []
                    _add(found, _Entry(manager.name, name, text, tuple(_stems(text)), known[:_EACH]))
        found.vocabulary = [word for word in found.postings if len(word) >= 4]
        return found

    def _candidates(self, asked: Sequence[str], known: Callable[[str], bool]) -> list[Value]:
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
        proposed = _best_of_each_field(proposed)
        return proposed + self._direct(unmatched)

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

    def _direct(self, words: Sequence[str]) -> list[Value]:
        """Words nothing is known of are asked for as parts of values, where that is cheap: rows may be newer than the list."""
        if self._catalog.dialect.row_checks is not None:
            return []
        fields = [(m.name, name) for m in self._catalog.managers.values() for name in m.searchable]
        return [Value(word, manager, name, "icontains", 0, 0.5) for word in words[:2] for manager, name in fields]


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


async def _verified(session: Session, candidates: Sequence[Value]) -> list[Value]:
    """The candidates of which the caller can read a row, all asked for in one document.

    By the ids of rows where they are known, which costs a library the least; else by a condition on the list.
    """
    asked: dict[str, Value] = {}
    document = _Document()
    for value in candidates:
        manager = session.catalog.managers[value.manager]
        aliases = _by_rows(document, manager, value) or _by_list(document, session.catalog, manager, value)
        asked |= dict.fromkeys(aliases, value)
        if len(asked) >= CHECKS:
            break
    if not asked:
        return []
    try:
        answer = await session.run(document.text(), document.variables)
    except ToolError:
        return []
    texts: dict[Value, list[str]] = {}
    counts: dict[Value, int] = {}
    for alias, value in asked.items():
        rows, count = _rows(session.catalog.managers[value.manager], (answer.data or {}).get(alias))
        seen = [str(row[value.field]) for row in rows if row is not None and row.get(value.field) is not None]
        texts.setdefault(value, []).extend(seen)
        counts[value] = counts.get(value, 0) + (count if count is not None else len(seen))
    found = [_seen(value, texts[value], counts[value]) for value in dict.fromkeys(asked.values())]
    return [value for value in found if value is not None]


class _Document:
    """One document of many aliased fields, in the making."""

    def __init__(self) -> None:
        self.variables: dict[str, Any] = {}
        self._declared: list[str] = []
        self._fields: list[str] = []

    def variable(self, kind: Any, value: Any) -> str:
        name = f"v{len(self.variables)}"
        self.variables[name] = value
        self._declared.append(f"${name}: {kind}")
        return f"${name}"

    def field(self, text: str) -> str:
        alias = f"a{len(self._fields)}"
        self._fields.append(f"{alias}: {text}")
        return alias

    def text(self) -> str:
        declared = f"({', '.join(self._declared)})" if self._declared else ""
        return f"query Look{declared} {{ {' '.join(self._fields)} }}"


def _by_rows(document: _Document, manager: Exposed, value: Value) -> list[str]:
    detail = manager.detail
    if detail is None:
        return []
    aliases = []
    for one in value.rows[:_EACH]:
        variable = document.variable(detail.kind, fit(one, detail.kind, "id"))
        aliases.append(document.field(f"{detail.name}({detail.argument}: {variable}) {{ {value.field} }}"))
    return aliases


def _by_list(document: _Document, catalog: Catalog, manager: Exposed, value: Value) -> list[str]:
    root = manager.root
    place = catalog.dialect.filtering.root(root.field) if root else None
    slot = catalog.dialect.filtering.slots(place, value.field).get(value.lookup) if place else None
    if root is None or slot is None:
        return []
    written: Any = value.text
    for key in reversed(slot.keys):
        written = {key: written}
    page = next(catalog.dialect.paging.windows(root.field, 0, 1)).arguments
    passed = [f"{name}: {document.variable(root.field.args[name].type, part)}" for name, part in written.items()]
    passed += [f"{name}: {size}" for name, size in page.items()]
    return [document.field(f"{root.name}({', '.join(passed)}){wrap(root.page, value.field)}")]


def _rows(manager: Exposed, data: Any) -> tuple[Sequence[Mapping[str, Any] | None], int | None]:
    """The rows of a list, or the one row that was fetched by its id."""
    if not isinstance(data, Mapping):
        return [], 0
    if manager.root and manager.root.page.rows and manager.root.page.rows[0] in data:
        return unwrap(manager.root.page, data)
    return [data], 1


def _seen(value: Value, texts: Sequence[str], count: int) -> Value | None:
    """The value as the caller's own rows bear it out, or None."""
    if value.lookup == "exact":
        return replace(value, rows=()) if value.text in texts else None
    found = [text for text in texts if value.text.casefold() in text.casefold()]
    if not found:
        return None
    if count <= 1:
        return replace(value, text=found[0], lookup="exact", matches=1, rows=())
    return replace(value, matches=count if count != _EACH else 0, rows=())


def _value(entry: _Entry) -> Value:
    return Value(entry.text, entry.manager, entry.field, rows=tuple(entry.rows))
