"""Question: what is asked of a repository - one of a few kinds, about a subject, within a period, by an author."""

import re
from dataclasses import dataclass, field, replace

from dragoman.providers.planner.amounts import NUMBERS
from dragoman.providers.planner.history import History
from dragoman.providers.planner.moments import Period, periods
from dragoman.providers.planner.repo import subject as subjects
from dragoman.providers.planner.repo.rules import NEED_A_SUBJECT, RULES
from dragoman.providers.planner.repo.subject import Subject
from dragoman.providers.planner.words import tokenize


@dataclass(frozen=True, slots=True)
class Asked:
    """A question understood: `kind` is a name of `plans.PLANS`, empty where nothing fits.

    `of` is what a kind counts or groups by (commits, files ...; month, author ...), `limit` how many are wanted.
    """

    kind: str
    subject: Subject = field(default_factory=Subject)
    of: str = ""
    since: str = ""
    until: str = ""
    author: str = ""
    limit: int = 0
    chart: str = ""


def read(text: str, history: History) -> Asked:
    """The question in a message."""
    said = " ".join(text.split())
    said = _POLITE.sub("", said)
    while (shorter := _OPENING.sub("", said)) != said:
        said = shorter
    said = _CLOSING.sub("", said).strip()
    chart = _chart(said)
    if chart:
        said = _CHART_WORDS.sub(" ", said).strip()
    said, period = _without_period(said, history)
    found = _match(said.rstrip("?!. "), history)
    if not found.kind and chart:
        found = Asked("per", of="month")
    if found.kind == "recent" and period:
        found = replace(found, kind="changes")
    return replace(
        found,
        since=period.first.isoformat() if period and period.first else "",
        until=period.last.isoformat() if period and period.last else "",
        limit=found.limit or _limit(said),
        chart=chart,
    )


def _match(said: str, history: History) -> Asked:
    for kind, rule in RULES:
        match = rule.search(said)
        if match is None:
            continue
        slots = {name: value for name, value in match.groupdict().items() if value}
        subject = subjects.read(slots["s"], history) if "s" in slots else Subject(whole="whole" in slots)
        if first := slots.get("first"):
            subject = replace(subject, line=int(first), last_line=int(slots.get("last", first)))
        author = subjects.bare(slots.get("author", ""))
        found = Asked(kind, subject, of=_noun(slots.get("of", "")), author=author)
        if kind in NEED_A_SUBJECT and subject.empty:
            continue
        return found
    return _bare_thing(said, history)


def _bare_thing(said: str, history: History) -> Asked:
    """A message that is hardly more than a name or a path."""
    words = said.split()
    telling = [word for word in words if subjects.is_path(word) or subjects.is_code(word)]
    if len(telling) != 1 and len(words) != 1:
        return Asked("")
    found = subjects.one(telling[0] if telling else words[0]) if words else Subject()
    if len(words) > 2:  # more was asked than what this thing is
        return Asked("unsure", found)
    if found.line:
        return Asked("show", found)
    if found.path:
        return Asked("inside", found)
    if found.name and (not found.guessed or len(words) == 1):
        return Asked("where", found)
    return Asked("")


def _without_period(said: str, history: History) -> tuple[str, Period | None]:
    """The words without those that name a time, and the time."""
    tokens = tokenize(said)
    for period in periods(tokens, history.today):
        if not period.span:
            continue
        start, end = tokens[min(period.span)].start, tokens[max(period.span)].end
        if re.search(r"[\w./:-]$", said[:start]) or re.match(r"[\w/:_-]", said[end:]):
            continue  # a piece of a path or a name
        rest = f"{said[:start].rstrip()} {said[end:].lstrip()}".strip()
        return re.sub(r"\s+(?:in|on|of|the|during|within|from)\s*$", "", rest), period
    return said, None


def _limit(said: str) -> int:
    said_of = r"(?<=\b)(?:last|latest|newest|top|recent|first|past|show|list|the)\s+(?=(\d{1,2}|[a-z]+)\b(?!\s*-))"
    for match in re.finditer(said_of, said, re.I):
        number = match[1].lower()
        if number.isdigit() or number in NUMBERS:
            return int(number) if number.isdigit() else int(NUMBERS[number])
    return 0


def _chart(said: str) -> str:
    match = re.search(
        r"\b(?:(line|bar|stacked|horizontal)[ -]?)?(?:chart|graph(?!ql)|plot|diagram|histogram)\b", said, re.I
    )
    if match is None or re.search(
        r"(?<![\w/.])call[ -]graph|[\w/]*(?:chart|graph|plot)\w*[./_(]|[./_](?:chart|graph|plot)", said, re.I
    ):
        return ""
    if not re.search(r"\b(?:as|in|on|with|draw|plot|chart|graph|show|make|give|render|per|by|over)\b", said, re.I):
        return ""
    if not _FIGURES.search(said):
        return ""
    return (match[1] or "").lower() or "line"


def _noun(word: str) -> str:
    word = word.lower()
    return _NOUNS.get(word, word)


_FIGURES = re.compile(
    r"\b(?:commits?|changes?|churn|authors?|contributors?|files|lines|activity|velocity|insertions|deletions)\b", re.I
)
_CHART_WORDS = re.compile(
    r"\b(?:(?:as|in|on|with)\s+)?(?:a\s+)?(?:(?:line|bar|stacked|horizontal)[ -]?)?(?:chart|graph|plot|diagram|histogram)"
    r"(?:\s+(?:of|for|with|showing))?\b",
    re.I,
)
_POLITE = re.compile(r"\b(?:please|kindly)\b[, ]*|\bthanks?\b.*$", re.I)
_OPENING = re.compile(
    r"^(?:hi|hello|hey|ok(?:ay)?|so|and|then|now|well|but|also|um)\b[,!. ]*(?=\S)"
    r"|^(?:can|could|would|will) you (?:please )?(?:tell me|find out|explain to me)?\s*(?=\S)"
    r"|^(?:can|could|may) i (?:see|know|get|have)\s+"
    r"|^(?:do you know|i(?:'d| would) like to (?:know|see)|i want to (?:know|see)|i need to (?:know|see|find)|tell me|let me know|i wonder|any idea|let me (?:see|have|know)|let(?:'s|’s| us) see)\b(?! about)[, ]*",
    re.I,
)
_CLOSING = re.compile(
    r"(?:\s*[?!.]+|,? (?:in|of) (?:this|the|our) (?:repo(?:sitory)?|project|code ?base|code)\s*[?!.]*|\s+for me\s*[?!.]*|,? and (?:by whom|by who|who|when|who did it)\s*[?!.]*)$",
    re.I,
)

_NOUNS = {
    "commit": "commits", "changes": "commits", "file": "files", "symbol": "symbols", "function": "functions",
    "method": "methods", "class": "classes", "author": "authors", "contributors": "authors", "contributor": "authors",
    "people": "authors", "person": "authors", "developers": "authors", "committers": "authors", "committer": "authors",
    "developer": "authors", "loc": "lines", "line": "lines", "directories": "folders", "calls": "calls",
    "months": "month", "weeks": "week", "years": "year", "days": "day", "monthly": "month", "weekly": "week",
    "yearly": "year", "daily": "day", "annually": "year", "tests": "tests", "lines of code": "lines",
    "languages": "languages", "language": "languages",
}  # fmt: skip
