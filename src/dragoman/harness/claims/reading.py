"""Read an answer: what in it claims something, sentence by sentence, without looking at any result."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from dragoman.harness.claims.claim import Kind
from dragoman.harness.claims.numerals import CLOCK, DATE, MONTH, NUMBER, Day, Reading, days, readings
from dragoman.harness.claims.words import COUNTING, LABELLED, LABELS, PERCENT, SCALES, UNITS

_SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!\bz\.)(?<!\bB\.)(?<!\bca\.)(?<!\bNr\.)(?<!\bno\.)(?<!\bvs\.)[\"*_)\u201d\u201c]*\s+(?=[\"*_(\u201e\u201c]*[A-Z\u00c4\u00d6\u00dc\d])"
    rf"(?!(?i:{MONTH})\b)"  # 24. Juli
)
_BULLET = re.compile(r"\s*(?:[-*+\u2022]|\d{1,3}[.)])\s+")
_URL = re.compile(r"https?://[^\s<>)\]]+[^\s<>)\].,;:!?]")
_PATH = re.compile(
    r"(?<![\w/.])(?:\.{0,2}/)?(?:[\w.@-]+/)+[\w.@-]*\w(?:::[\w.]+)?|(?<![\w/.])[\w-]+\.(?:[a-z]{1,4}|toml|yaml|json)\b(?:::[\w.]+)?"
)
_DOTTED = re.compile(r"\.[a-z]")
_ENDED = re.compile(r"\.[A-Za-z]\w{0,5}(?:::[\w.]+)?$")
_HASH = re.compile(r"(?<![\w/.-])(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}(?![\w-])")
_CODE = re.compile(r"(?<![\w/])(?=[A-Za-z])(?=[\w.-]*[A-Z])(?=[\w.-]*\d)[A-Za-z]\w*(?:[-.]\w+)*(?![\w/])")
_MAIL = re.compile(r"(?<![\w.])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_AMOUNT = re.compile(
    rf"(?=[-+\u2212\u20ac$\u00a3\d])(?P<money>[\u20ac$\u00a3]\s?)?(?P<number>(?<![\w.,/])[-+\u2212]?(?:{NUMBER}))"
    rf"(?:(?P<gap>[ \u00a0\u202f]?)(?P<unit>%|\u20ac|\$|\u00a3|[^\W\d_]+))?"
)
_QUOTED = re.compile(
    '"([^"\n]{1,80})"|\u201c([^\u201d\n]{1,80})\u201d|\u201e([^\u201c\u201d\n]{1,80})[\u201c\u201d]'
    "|\u00ab\\s?([^\u00bb\n]{1,80}?)\\s?\u00bb|`([^`\n]{1,80})`|(?<!\\w)'([^'\n]{2,60})'(?!\\w)|\u2018([^\u2019\n]{1,60})\u2019"
)
# "+12 -3": lines added and removed; the sign is none of the number.
_ADDED = re.compile(r"(?<!\w)\+\d[\d,.]*[ ,/]+$")
_HYPHENED = re.compile(r"-[^\W\d]")
_QUOTE = re.compile("[\"'`\u201c\u201e\u00ab\u2018]")
_WORD = re.compile(r"[^\W\d_]+(?:[-'\u2019][^\W\d_]+)*")


Free = Callable[[int, int], bool]


@dataclass(slots=True)
class Candidate:
    """Something that may be a claim. A soft one is dropped, and not marked, where nothing supports it."""

    text: str
    start: int
    end: int
    kind: Kind
    soft: bool = False
    readings: list[Reading] = field(default_factory=list)
    days: list[Day] = field(default_factory=list)
    clock: tuple[int, int] | None = None
    unit: str = ""
    percent: bool = False
    quoted: bool = False
    code: bool = False


@dataclass(slots=True)
class Sentence:
    """A sentence, list item or line of a table, from `start` to `end` of the answer."""

    text: str
    start: int
    end: int
    body: int
    listed: bool = False
    table: bool = False
    heading: bool = False
    asks: bool = False


def sentences(answer: str) -> Iterator[Sentence]:
    """The answer's lines, prose cut at the ends of sentences. `body` is where the text begins after bullets."""
    at = 0
    for line in answer.splitlines(keepends=True):
        bare = line.rstrip()
        start, at = at, at + len(line)
        if not bare.strip(" |-:=*_#"):
            continue
        bullet = _BULLET.match(bare)
        is_table = bare.lstrip().startswith("|")
        heading = bare.lstrip().startswith("#")
        cuts = [0]
        if not is_table and not heading:
            cuts += [m.end() for m in _SENTENCE_END.finditer(bare, bullet.end() if bullet else 0)]
        for n, (low, high) in enumerate(zip(cuts, [*cuts[1:], len(bare)], strict=True)):
            text = bare[low:high]
            body = bullet.end() if bullet and n == 0 else len(text) - len(text.lstrip())
            asks = text.rstrip().endswith("?")
            yield Sentence(text, start + low, start + high, start + low + body, bool(bullet), is_table, heading, asks)


def exact(sentence: Sentence) -> Iterator[Candidate]:
    """Addresses, paths, hashes, dates and times: what has a form of its own. They come in order of trust."""
    # What a pattern cannot do without is looked for first: that costs far less than the pattern.
    text, base = sentence.text, sentence.start
    for match in _URL.finditer(text) if "://" in text else ():
        yield Candidate(match[0], base + match.start(), base + match.end(), "path")
    for match in _MAIL.finditer(text) if "@" in text else ():
        yield Candidate(match[0], base + match.start(), base + match.end(), "name", quoted=True)
    for match in _PATH.finditer(text) if "/" in text or _DOTTED.search(text) else ():
        if (_ENDED.search(match[0]) and not match[0][0].isdigit()) or match[0].count("/") >= 2:
            soft = not _ENDED.search(match[0]) or "." not in match[0]
            yield Candidate(match[0], base + match.start(), base + match.end(), "path", soft=soft)
    for match in _HASH.finditer(text):
        yield Candidate(match[0], base + match.start(), base + match.end(), "hash")
    for match in DATE.finditer(text):
        if found := days(match):
            yield Candidate(match[0], base + match.start(), base + match.end(), "date", days=found)
    for match in CLOCK.finditer(text) if ":" in text else ():
        clock = (int(match[1]), int(match[2]))
        yield Candidate(match[0], base + match.start(), base + match.end(), "date", clock=clock)


def codes(sentence: Sentence) -> Iterator[Candidate]:
    """Order numbers, part numbers and the like: letters with digits."""
    for match in _CODE.finditer(sentence.text):
        soft = sum(c.isdigit() for c in match[0]) < 2
        start = sentence.start + match.start()
        yield Candidate(match[0], start, start + len(match[0]), "name", soft=soft, quoted=True)


def quotes(sentence: Sentence) -> Iterator[Candidate]:
    """What stands in quotes or backticks, without them."""
    for match in _QUOTED.finditer(sentence.text) if _QUOTE.search(sentence.text) else ():
        group = match.lastindex or 0
        text = match[group]
        if any(map(str.isalnum, text)):
            start = sentence.start + match.start(group)
            yield Candidate(text, start, start + len(text), "name", quoted=True, code=group == 5)


def numbers(sentence: Sentence, free: Free = lambda start, end: True) -> Iterator[Candidate]:
    """Numbers with their units, where `free` has no other claim. Numbers of lists, ordinals and labels are none."""
    text, base = sentence.text, sentence.start
    for match in _AMOUNT.finditer(text, sentence.body - base):
        start, end = match.span("number")
        if not free(base + start, base + end):
            continue
        unit, gap, number = (match["unit"] or "").lower(), match["gap"] or "", match["number"]
        if number[0] in "-\u2212" and _ADDED.search(text[max(0, match.start() - 16) : match.start()]):
            number = number[1:]
        known = unit in UNITS or unit in PERCENT or unit in SCALES
        if unit and not gap and not known:
            continue  # 3rd, 2x, 12a: part of a word
        scale = SCALES[unit] if unit in SCALES and (gap == "" or len(unit) > 1) else 1.0
        ways = readings(number, scale)
        if not ways or _is_label(text[max(0, match.start() - 24) : match.start()]):
            continue
        both = readings(number) if scale != 1 and unit in UNITS else []  # 5m: millions or metres
        end = match.end() if known else end
        yield Candidate(
            text[start:end],
            base + start,
            base + end,
            "number",
            soft=bool(_HYPHENED.match(text, end)),  # a 12-month plan
            readings=[*ways, *both],
            unit=(match["money"] or "").strip() or (unit if unit in UNITS else ""),
            percent=unit in PERCENT,
        )


def _is_label(before: str) -> bool:
    return before[:-1].lower().endswith(LABELS) and LABELLED.search(before) is not None


def counted(sentence: Sentence) -> Iterator[Candidate]:
    """Numbers in words: "three projects"."""
    if COUNTING.keys().isdisjoint(_WORD.findall(sentence.text.lower())):
        return
    for match in _WORD.finditer(sentence.text):
        if (number := COUNTING.get(match[0].lower())) is not None:
            start = sentence.start + match.start()
            yield Candidate(match[0], start, start + len(match[0]), "number", soft=True, readings=[Reading(number, 1)])


def words(sentence: Sentence) -> Iterator[re.Match[str]]:
    """The words after the bullet."""
    return _WORD.finditer(sentence.text, sentence.body - sentence.start)
