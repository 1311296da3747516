"""Question: what a sentence asks in general English, before any of its other words is linked to a schema."""

import datetime as dt
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from dragoman.providers.planner import lexicon
from dragoman.providers.planner.amounts import Amount, Comparison, amounts, comparisons
from dragoman.providers.planner.moments import Period, periods
from dragoman.providers.planner.words import Token, tokenize

Span = frozenset[int]
NOWHERE: Span = frozenset()


@dataclass(frozen=True, slots=True)
class Superlative:
    """The most or least of something: `kind` as in amounts, "" when only a field's name can tell; `count` rows."""

    kind: str
    direction: int
    count: int
    span: Span


@dataclass(frozen=True, slots=True)
class Question:
    """A sentence with its general English read. `content` are the words that need a link to the schema."""

    tokens: tuple[Token, ...]
    amounts: tuple[Amount, ...]
    comparisons: tuple[Comparison, ...]
    periods: tuple[Period, ...]
    superlative: Superlative | None
    measure: str
    measure_span: Span
    counting: Span
    exists: bool
    checks: bool
    how: str
    details: bool
    limit: int
    grouping: tuple[int, ...]
    negations: tuple[int, ...]
    overdue: Span
    refers: Span
    varies: bool
    own: Span
    reasons: bool
    ordering: Span
    content: tuple[int, ...]
    breaks: tuple[int, ...] = ()

    @property
    def clause_starts(self) -> tuple[int, ...]:
        """Where a clause begins: the first word, and those after a comma or the like."""
        return (0, *self.breaks)

    def clause(self, place: int) -> int:
        """Which clause a word is in, counted from 0."""
        return sum(start <= place for start in self.breaks)

    @property
    def lowers(self) -> tuple[str, ...]:
        """The words in lower case."""
        return tuple(token.lower for token in self.tokens)

    @property
    def linkable(self) -> tuple[int, ...]:
        """The places of words that may name something, whether or not they must."""
        extra = (
            i
            for i, token in enumerate(self.tokens)
            if token.lower in lexicon.RELATING
            or token.lower in lexicon.VERBS_OF_KINDS
            or token.lower in lexicon.PERSONS
        )
        return tuple(sorted({*self.content, *self.measure_span, *extra}))

    @property
    def searched(self) -> tuple[int, ...]:
        """The places of words worth a search; a number after a name may belong to it."""
        named = (
            i
            for amount in self.amounts
            for i in amount.span
            if i and not amount.unit and i - 1 in self.content and self.tokens[i - 1].capital
        )
        return tuple(sorted({*self.content, *self.measure_span, *named}))

    def words(self, span: Sequence[int] | Span) -> str:
        """The words at these places, as they were written."""
        return " ".join(self.tokens[i].text for i in sorted(span))


def read(text: str, today: dt.date, named: Span = NOWHERE) -> Question:
    """Read a sentence. `named` are the places of words that are known to be somebody's or something's name."""
    tokens = tokenize(text)
    lowers = [token.lower for token in tokens]
    spans_of_time = tuple(p for p in periods(tokens, today) if not p.span & named)
    taken = named.union(*(p.span for p in spans_of_time))
    found = tuple(a for a in amounts(tokens, taken) if not a.span & taken)
    compared = tuple(c for c in comparisons(tokens, found) if not c.span & taken)
    taken = taken.union(*(c.span for c in compared))
    counting = _counting(lowers)
    superlative = _superlative(lowers, found, taken | counting)
    measure, measure_span = _measure(lowers, taken | (superlative.span if superlative else NOWHERE))
    refers, varies = _references(lowers, tokens)
    limit = _limit(lowers, found, taken)
    loose = [a for a in found if a.span & taken == NOWHERE]
    ordering = _ordering(lowers)
    skip = taken.union(
        counting,
        measure_span,
        ordering,
        superlative.span if superlative else NOWHERE,
        *(a.span for a in loose),
    )
    overdue = frozenset(i for i, w in enumerate(lowers) if w in lexicon.OVERDUE and i not in skip)
    how = _how(lowers)
    content = tuple(
        i
        for i, token in enumerate(tokens)
        if i not in skip - named
        and (i in named or token.quoted or not _is_noise(token) or _is_letter_of_name(tokens, i))
        and not (how and i and lowers[i - 1] == "how")
        and not (token.lower in lexicon.BREAKING_DOWN and "by" in lowers)
    )
    return Question(
        tokens,
        found,
        compared,
        spans_of_time,
        superlative,
        measure,
        measure_span,
        counting,
        _exists(lowers),
        bool(lowers) and lowers[0] in ("is", "are", "was", "were", "does", "do", "has", "have", "did"),
        how,
        bool(frozenset(lowers[:3]) & lexicon.DETAILS),
        limit,
        tuple(i for i, w in enumerate(lowers) if w in lexicon.GROUPING and i not in taken),
        tuple(i for i, w in enumerate(lowers) if w in lexicon.NEGATIONS),
        overdue,
        refers,
        varies,
        frozenset(i for i, w in enumerate(lowers) if w in lexicon.OWN),
        bool(frozenset(lowers) & lexicon.REASONS) or _how_to(lowers),
        ordering,
        content,
        tuple(i for i in range(1, len(tokens)) if re.search(r"[,;:.!?]", text[tokens[i - 1].end : tokens[i].start])),
    )


def _is_letter_of_name(tokens: Sequence[Token], place: int) -> bool:
    """Whether a single capital belongs to the name before it: "Gate B"."""
    token = tokens[place]
    return (
        len(token.text) == 1
        and token.capital
        and token.lower != "i"
        and place > 0
        and tokens[place - 1].capital
        and not token.possessive
    )


def _is_noise(token: Token) -> bool:
    """Whether a word needs no link of its own."""
    word = token.lower
    if len(word) == 1 and not word.isdigit():
        return True
    return (
        word in lexicon.FUNCTION
        or word in lexicon.FILLERS
        or word in lexicon.RELATING
        or word in lexicon.NEGATIONS
        or word in lexicon.PRONOUNS
        or word in lexicon.VERBS_OF_KINDS
        or word in ("<", ">", "=", ">=", "<=")
    )


def _counting(lowers: Sequence[str]) -> Span:
    for i in range(len(lowers)):
        for phrase in lexicon.COUNTING:
            if tuple(lowers[i : i + len(phrase)]) == phrase and (len(phrase) > 1 or i == 0):
                return frozenset(range(i, i + len(phrase)))
    return NOWHERE


def _superlative(lowers: Sequence[str], found: Sequence[Amount], taken: Span) -> Superlative | None:
    for i, word in enumerate(lowers):
        graded = lexicon.degree(word)
        if i in taken or not graded or graded[2] != "est" or (i and lowers[i - 1] == "at"):
            continue
        kind, direction, _ = graded
        span = {i}
        after = lowers[i + 1] if i + 1 < len(lowers) else ""
        if word in ("most", "least") and (second := lexicon.degree(after)):
            kind, direction = second[0], second[1] * direction
            span.add(i + 1)
        count = 0
        for amount in found:
            if (
                not amount.unit
                and not amount.span & taken
                and (min(amount.span) - max(span) == 1 or min(span) - max(amount.span) == 1)
            ):
                count = int(amount.number)
                span |= amount.span
                break
        if word in ("last", "first") and not count:
            continue
        if word in ("top", "bottom"):  # "top 5 cheapest": the second word says of what
            for j in range(max(span) + 1, min(max(span) + 3, len(lowers))):
                if (second := lexicon.degree(lowers[j])) and second[2] == "est":
                    kind, direction = second[0], second[1]
                    span.add(j)
        return Superlative(kind, direction, count or 1, frozenset(span))
    return None


def _measure(lowers: Sequence[str], taken: Span) -> tuple[str, Span]:
    for i, word in enumerate(lowers):
        if word in lexicon.MEASURES and i not in taken and not (i and lowers[i - 1] == "in" and word == "total"):
            return lexicon.MEASURES[word], frozenset({i})
    return "", NOWHERE


def _references(lowers: Sequence[str], tokens: Sequence[Token]) -> tuple[Span, bool]:
    """Where a pronoun stands for earlier rows, and whether the sentence only varies an earlier question."""
    refers = frozenset(
        i
        for i, word in enumerate(lowers)
        if (word in lexicon.PRONOUNS or (i == 0 and word in ("only", "just")))
        and not (word == "same" and lowers[i + 1 : i + 2] == ["as"])
    )
    varies = tuple(lowers[:2]) in (("what", "about"), ("how", "about")) or tuple(lowers[1:3]) in (
        ("what", "about"),
        ("how", "about"),
    )
    varies = varies or (lowers[:1] == ["and"] and len(tokens) <= 6)
    return refers, varies


def _limit(lowers: Sequence[str], found: Sequence[Amount], taken: Span) -> int:
    """A number of rows asked for: "show 5", "any three"."""
    for amount in found:
        before = lowers[min(amount.span) - 1] if min(amount.span) else ""
        if (
            not amount.unit
            and not amount.span & taken
            and before in ("show", "list", "give", "me", "any", "which", "find", "first")
        ):
            return int(amount.number)
    return 0


def _ordering(lowers: Sequence[str]) -> Span:
    """The places of "sorted by", "ordered by", "ascending" and the like; the field comes after them."""
    for i, word in enumerate(lowers):
        if word in ("sorted", "sort", "ordered", "ranked", "rank") and "by" in lowers[i + 1 : i + 4]:
            return frozenset({i, lowers.index("by", i)}) | _direction(lowers)
    return NOWHERE


def _direction(lowers: Sequence[str]) -> Span:
    words = ("ascending", "descending", "asc", "desc", "first", "last")
    return frozenset(i for i, word in enumerate(lowers) if word in words)


def _exists(lowers: Sequence[str]) -> bool:
    """ "is there", "are there any", "do we have", "any ... ?" """
    pairs = set(itertools.pairwise(lowers))
    if lowers[:1] == ["any"]:
        return True
    opens = lowers[0] in ("is", "are", "do", "does", "was", "were", "have", "has") if lowers else False
    return bool(pairs & {("is", "there"), ("are", "there")} and opens) or (
        opens and bool({"any", "anything", "anybody", "anyone"} & set(lowers))
    )


def _how(lowers: Sequence[str]) -> str:
    """What "how heavy", "how much does it weigh", "how old" ask the amount of; "*" where the adjective has no kind."""
    for word, following in itertools.pairwise(lowers):
        graded = lexicon.degree(following)
        if word == "how" and graded and graded[2] == "base":
            return graded[0] or "*"
    return next((lexicon.VERBS_OF_KINDS[w] for w in lowers if w in lexicon.VERBS_OF_KINDS), "")


def _how_to(lowers: Sequence[str]) -> bool:
    if "how" not in lowers:
        return False
    following = lowers[lowers.index("how") + 1 : lowers.index("how") + 2]
    return bool(following) and following[0] in ("do", "can", "could", "should", "would", "to", "did", "is", "are")
