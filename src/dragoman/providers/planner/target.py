"""Target: the type whose rows a question asks for, and the mentions that only stand beside a name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dragoman.providers.planner.lexicon import ASKING, FUNCTION, PREPOSITIONS, RELATING
from dragoman.providers.planner.link import Mention, Reading
from dragoman.providers.planner.question import NOWHERE, Question, Span


@dataclass(frozen=True, slots=True)
class Target:
    """The type, the mention that says so (None when only a name or a field does), and what was used up on the way."""

    manager: str
    mention: Mention | None


def appositions(question: Question, mentions: Sequence[Mention]) -> Mapping[Span, Reading]:
    """Type mentions that stand beside a row of their type ("bridge Alba", "the Alba bridge"): span to that row."""
    found: dict[Span, Reading] = {}
    for i, mention in enumerate(mentions):
        kind = mention.names_type
        if not kind:
            continue
        for j in (i + 1, i - 1):
            if not 0 <= j < len(mentions):
                continue
            other = mentions[j]
            gap = range(mention.last + 1, other.first) if j > i else range(other.last + 1, mention.first)
            fit = next((r for r in other.of("row") if any(r.manager == t.manager for t in mention.of("type"))), None)
            bare = all(question.lowers[g] in ("the", "named", "called", "number", "of", "no", "is") for g in gap)
            if fit and bare and not (j < i and len(gap)) and fit.score >= other.readings[0].score - 0.3:
                found[mention.span] = fit
                break
    return found


def groups(question: Question, mentions: Sequence[Mention], beside: Mapping[Span, Reading]) -> tuple[Mention, ...]:
    """The mentions that say by what to group: what follows "per" or "each", and "by" where something is counted."""
    found: list[Mention] = []
    for place in question.grouping:
        word = question.lowers[place]
        if word == "by" and (question.superlative or question.lowers[place - 1 : place] == ("made",)):
            continue
        if (
            word == "by"
            and place
            and question.lowers[place - 1].endswith("ed")
            and not (question.measure or question.counting)
        ):
            continue  # "signed by ..."
        if place in question.ordering:
            continue
        following = [m for m in mentions if m.first > place]
        if not following or any(question.lowers[i] not in FUNCTION for i in range(place + 1, following[0].first)):
            continue
        group = following[0]
        if len(following) > 1 and following[1].first == group.last + 1 and group.names_type and following[1].names_type:
            following = following[1:]  # "per owner country": the country of the owner
            group = following[0]
        if group.span in beside or not group.of("type", "field", "relation"):
            continue
        found.append(group)
        if _joined(question, group, following):  # "per town and year"
            found.append(following[1])
    return tuple(found)


def _joined(question: Question, group: Mention, following: Sequence[Mention]) -> bool:
    return (
        len(following) > 1
        and question.lowers[group.last + 1 : following[1].first] == ("and",)
        and bool(following[1].of("type", "field", "relation"))
    )


def choose(
    question: Question,
    mentions: Sequence[Mention],
    beside: Mapping[Span, Reading],
    grouped: Sequence[Mention],
    previous: str,
) -> Target | None:
    """The type asked for: the mention after "which", "how many" and the like first, then the freest one, then what a
    name or a field belongs to; None when nothing tells."""
    scored: list[tuple[float, Mention, Reading]] = []
    fields = [r for m in mentions for r in m.of("field", "relation")]
    for mention in mentions:
        kind = mention.names_type
        if not kind or mention in grouped:
            continue
        score = kind.score - 0.1 * mention.first + _position(question, mentions, mention)
        if mention.span in beside:
            score -= 4
        if question.measure or question.superlative or question.how:
            score += 1.5 * any(r.manager == kind.manager for r in fields)
        if mention.span & question.refers or _points_back(question, mention):
            score -= 5
        scored.append((score, mention, kind))
    if scored:
        _, mention, kind = max(scored, key=lambda entry: entry[0])
        if previous and question.varies and mention.span in beside:
            return Target(previous, None)
        return Target(kind.manager, mention)
    if (question.refers or question.varies or not question.content) and previous:
        return Target(previous, None)
    return _from_names(question, mentions)


def _points_back(question: Question, mention: Mention) -> bool:
    before = question.lowers[mention.first - 1] if mention.first else ""
    return before in ("those", "these")


def _position(question: Question, mentions: Sequence[Mention], mention: Mention) -> float:
    """How the words before a mention speak for it: +4 right after an asking word, -2 after a preposition."""
    at = mention.first - 1
    modifiers = frozenset().union(*(m.span for m in mentions if m.of("flag", "choice", "row") and m is not mention))
    extra = question.superlative.span if question.superlative else NOWHERE
    numbers = frozenset().union(*(a.span for a in question.amounts)) if question.amounts else NOWHERE
    while at >= 0:
        word = question.lowers[at]
        ranked = question.superlative and question.counting and at > max(question.superlative.span)
        if (at in question.counting and not ranked) or (
            word in ASKING and word not in ("when", "where", "who", "whose", "how")
        ):
            return 4.0
        if word in ("all", "any", "most", "fewest") and at not in extra:
            return 3.0
        if word in PREPOSITIONS or (word in RELATING and word not in ("different", "distinct", "various")):
            starts = not ranked and question.lowers[at - 1 : at] in (("list",), ("number",), ("count",), ("show",))
            return 3.0 if starts else -2.0
        if at in modifiers or at in extra or at in numbers or at in question.negations or word in FUNCTION:
            at -= 1
            continue
        return 0.0
    return 1.5


def _from_names(question: Question, mentions: Sequence[Mention]) -> Target | None:
    rows = [r for m in mentions for r in m.of("row")[:1]]
    owners = [r.manager for m in mentions for r in m.of("field", "relation", "flag", "choice")]
    for mention in mentions:
        for row in mention.of("row"):
            if row.manager in owners:
                return Target(row.manager, None)
    if rows:
        return Target(max(rows, key=lambda r: r.score).manager, None)
    if question.measure or question.superlative:
        named = [r for m in mentions for r in m.of("field") if r.score >= 0.7]
        if named and len({r.manager for r in named if r.score >= named[0].score - 0.05}) == 1:
            return Target(named[0].manager, None)
    whole = [r for m in mentions for r in m.readings if r.sort in ("flag", "choice", "field") and r.whole]
    managers = {r.manager for r in whole}
    return Target(managers.pop(), None) if len(managers) == 1 else None
