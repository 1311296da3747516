"""Names in an answer: values that stand in the results, and what is written like one and stands nowhere."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from dragoman.harness.claims.cells import Holders, Ledger
from dragoman.harness.claims.reading import Candidate, Free, Sentence, words
from dragoman.harness.claims.words import ENGLISH, GERMAN, MONTHS, PLAIN, VERBS, stem

_TOKEN = re.compile(r"\w+")
_BETWEEN = re.compile(r"[^\w\n]{0,3}")
_LEAD = re.compile(
    r"[*_`\"\u201e\u201c]*([^\n:\u2013\u2014(|*_`]{2,60}?)[*_`\"\u201c\u201d]*\s*(?::|\u2013|\u2014| - |\()"
)
_CELL = re.compile(r"[^|\n]+")

_LABEL = re.compile(r"([^\W\d_]+)[*_ ]*:$")

_NONE: frozenset[int] = frozenset()

_QUOTES = "\"'`*\u201c\u201e\u00ab|"


@dataclass(frozen=True, slots=True)
class Mention:
    """A value of the results that an answer speaks of, with who holds it. `named` where it is written as a name."""

    text: str
    start: int
    end: int
    holders: Holders
    named: bool


def mentions(sentence: Sentence, ledger: Ledger) -> Iterator[Mention]:
    """The values of the results in a sentence, the longest first at each place."""
    text, base = sentence.text, sentence.start
    tokens = list(_TOKEN.finditer(text))
    lows = [token[0].lower() for token in tokens]
    known, begun = ledger.lengths, -1
    for at, first in enumerate(lows):
        lengths = known.get(first, _NONE)
        if first[-1] == "s":
            lengths = lengths | known.get(first[:-1], _NONE)
        if not lengths or at < begun:
            continue
        best, holders = 0, None
        for length in sorted(lengths, reverse=True) if len(lengths) > 1 else lengths:
            if at + length > len(tokens):
                continue
            near = length == 1 or all(
                _BETWEEN.fullmatch(text, a.end(), b.start()) for a, b in pairwise(tokens[at : at + length])
            )
            if near and (holders := _named(lows[at : at + length], ledger)):
                best = length
                break
        if holders is None:
            continue
        begun = at + best
        start, end = tokens[at].start(), tokens[at + best - 1].end()
        shown = text[start:end]
        opens = start <= sentence.body - base or best == 1
        plain = best == 1 and (lows[at] in PLAIN or len(shown) < 2)
        around = text[max(0, start - 1) : start] + text[end : end + 1]
        quoted = any(sign in _QUOTES for sign in around)
        named = (
            quoted
            or (not shown.isalpha() and any(c.isdigit() for c in shown))
            or (shown[:1].isupper() and not plain)
            or (best > 1 and opens)
        )
        yield Mention(shown, base + start, base + end, holders, named and not (plain and not quoted))


def strangers(group: list[Sentence], ledger: Ledger, free: Free, answer: str) -> Iterator[Candidate]:
    """What is written like a name and stands nowhere in the results; `free` tells what is no claim yet."""
    english: list[bool] = []

    def capitals() -> bool:
        """Whether a capital letter tells a name, as in English it does."""
        if not english:
            english.append(len(ENGLISH.findall(answer)) >= len(GERMAN.findall(answer)))
        return english[0]

    for sentence in group:
        if sentence.heading or sentence.asks:
            continue
        yield from _capitals(sentence, ledger, free, capitals)


def leads(group: list[Sentence], is_known: Callable[[int, int], bool], ledger: Ledger) -> Iterator[Candidate]:
    """The first words of list items, and cells of tables, whose like beside them are known."""
    items = [s for s in group if s.listed]
    found = [(s, m) for s in items if (m := _LEAD.match(s.text, s.body - s.start))]
    spans = [(s.start + m.start(1), s.start + m.end(1)) for s, m in found]
    spans += [
        (s.body, s.start + len(s.text.rstrip(" .")))
        for s in items
        if not _LEAD.match(s.text, s.body - s.start) and len(s.text) - (s.body - s.start) <= 40
    ]
    yield from _odd_ones(spans, is_known, ledger, group)
    columns: dict[int, list[tuple[int, int]]] = {}
    for sentence in group:
        if sentence.table:
            for number, cell in enumerate(_CELL.finditer(sentence.text)):
                bare = cell[0].strip(" *_`")
                if bare:
                    start = sentence.start + cell.start() + cell[0].index(bare)
                    columns.setdefault(number, []).append((start, start + len(bare)))
    for spans in columns.values():
        yield from _odd_ones(spans[1:], is_known, ledger, group)


def _odd_ones(
    spans: list[tuple[int, int]], is_known: Callable[[int, int], bool], ledger: Ledger, group: list[Sentence]
) -> Iterator[Candidate]:
    known = [is_known(*span) for span in spans]
    if not any(known):
        return
    for (start, end), fine in zip(spans, known, strict=True):
        if fine:
            continue
        inside = next(s for s in group if s.start <= start < s.end)
        text = inside.text[start - inside.start : end - inside.start]
        low = [word.lower() for word in _TOKEN.findall(text)]
        if (
            not text[:1].isupper()
            or not low
            or all(w in PLAIN or stem(w) in ledger.vocabulary or w.isdigit() for w in low)
        ):
            continue
        if low[0] in PLAIN:
            continue
        yield Candidate(text, start, end, "name")


def _capitals(sentence: Sentence, ledger: Ledger, free: Free, capitals: Callable[[], bool]) -> Iterator[Candidate]:
    run: list[re.Match[str]] = []
    tokens = list(words(sentence))
    for token in [*tokens, None]:
        joins = (
            bool(run)
            and token is not None
            and token.start() - run[-1].end() <= 2
            and (sentence.text[run[-1].end() : token.start()] in (" ", " & ", "-"))
        )
        fits = (
            token is not None
            and token[0][:1].isupper()
            and free(sentence.start + token.start(), sentence.start + token.end())
        )
        if run and not (fits and joins):
            if found := _judge(run, sentence, ledger, capitals, tokens):
                yield found
            run = []
        if fits and token is not None:
            run.append(token)


def _judge(
    run: list[re.Match[str]],
    sentence: Sentence,
    ledger: Ledger,
    capitals: Callable[[], bool],
    tokens: list[re.Match[str]],
) -> Candidate | None:
    """The candidate of some capitalised words in a row, if they are a name at all."""
    text = sentence.text
    before = text[: run[0].start()].rstrip(" *_\"'`(\u201e\u201c")
    opens = run[0].start() <= sentence.body - sentence.start + 2 or before[-1:] in (":", "|", "\u2013", "\u2014", "")
    stripped = False
    while run and _is_common(run[0][0], ledger):
        run, stripped, opens = run[1:], stem(run[0][0]) in ledger.vocabulary, False
    while run and _is_common(run[-1][0], ledger):
        run = run[:-1]
    if not run:
        return None
    after = next((two for one, two in pairwise(tokens) if one is run[-1]), None)
    said = after is not None and after[0].lower() in VERBS and text[run[-1].end() : after.start()].strip('*_"') == " "
    label = _LABEL.search(before)
    stripped = stripped or (label is not None and stem(label[1]) in ledger.vocabulary)
    if len(run) == 1:
        word = run[0][0]
        if (word.isupper() and len(word) <= 5) or len(word) < 3:
            return None
        if not (stripped or (capitals() and (said if opens else True))):
            return None
    elif not stripped and opens and not said and not capitals():
        return None
    start, end = run[0].start(), run[-1].end()
    return Candidate(text[start:end], sentence.start + start, sentence.start + end, "name")


def _is_common(word: str, ledger: Ledger) -> bool:
    low = word.lower()
    parts = low.split("-")
    return all(part in PLAIN or part in MONTHS or stem(part) in ledger.vocabulary for part in parts) or len(low) == 1


def _named(lows: list[str], ledger: Ledger) -> Holders | None:
    """Who has this name, the last word in plural or genitive too."""
    if found := ledger.called(tuple(lows)):
        return found
    *head, last = lows
    return ledger.called((*head, last.removesuffix("s"))) or ledger.called((*head, f"{last}s"))
