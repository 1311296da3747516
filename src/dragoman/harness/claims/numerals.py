"""Numbers and dates as people and machines write them: 1.234,5 and 1,234.5, 3 May 2026 and 2026-05-03."""

import re
from dataclasses import dataclass

from dragoman.harness.claims.words import MONTHS

_GROUP = " \u00a0\u202f\u2009'\u2019.,"
NUMBER = rf"\d{{1,3}}(?:[{_GROUP}]\d{{3}})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?"
_BLANKS = re.compile("[ \u00a0\u202f\u2009'\u2019]")
_SIGNED = re.compile(rf"[-+\u2212]?(?:{NUMBER})")

_ALONE = re.compile(r"\s*([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)(?:\s?[^\W\d]{1,12}|\s?[%€$£])?\s*")

MONTH = "|".join(sorted((re.escape(name) for name in MONTHS), key=len, reverse=True))
# What a date may begin with: looked for before all the months are tried at the beginning of every word.
_BEGINS = "|".join(
    f"{first}[{''.join({name[1] for name in MONTHS if name[0] == first})}]" for first in {name[0] for name in MONTHS}
)
DATE = re.compile(
    rf"""(?<![\w])(?=\d|q[1-4]|{_BEGINS})(?:
      (?P<iso>\d{{4}}-\d{{2}}(?:-\d{{2}})?(?:[T ]\d{{2}}:\d{{2}}(?::\d{{2}}(?:\.\d+)?)?(?:Z|[+-]\d{{2}}:?\d{{2}})?)?)
    | (?P<dotted>\d{{1,2}}\.\d{{1,2}}\.(?:\d{{4}})?)
    | (?P<slashed>\d{{1,2}}/\d{{1,2}}/\d{{4}})
    | (?P<d1>\d{{1,2}})(?:st|nd|rd|th|\.|er)?\ (?:of\ )?(?P<m1>{MONTH})(?:\.?,?\ (?P<y1>\d{{4}}))?
    | (?P<m2>{MONTH})\.?\ (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?![\d.,]\d|\d)(?:,?\ (?P<y2>\d{{4}}))?
    | (?P<m3>{MONTH})\.?,?\ (?P<y3>\d{{4}})
    | Q(?P<q>[1-4])[ /](?P<yq>\d{{4}})
    )(?!\w)""",
    re.IGNORECASE | re.VERBOSE,
)
CLOCK = re.compile(r"(?<![\w:])([01]?\d|2[0-3]):([0-5]\d)(?::[0-5]\d)?(?![\w:])")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a written number may mean: its value, and the place of its last digit (1, 0.1, 1000 ...)."""

    value: float
    place: float


@dataclass(frozen=True, slots=True)
class Day:
    """A date, or a part of one; 0 is what was not said. A quarter is a month with its two followers."""

    year: int = 0
    month: int = 0
    day: int = 0
    quarter: int = 0


def readings(text: str, scale: float = 1) -> list[Reading]:
    """The ways to read a written number: "1.234" is one thousand or one and a bit, "1.234,5" only one thing."""
    if text.isdecimal():
        return [_reading(text, 1, scale)]
    text = text.replace("\u2212", "-").lstrip("+")
    sign = -1 if text.startswith("-") else 1
    bare = _BLANKS.sub("", text.lstrip("-"))
    seps = [c for c in bare if c in ".,"]
    forms: list[str] = []
    if not seps:
        forms = [bare]
    elif len(set(seps)) == 2:
        last = seps[-1]
        if seps.count(last) == 1:  # 1,234.500.00 is no number
            forms = [bare.replace("," if last == "." else ".", "").replace(last, ".")]
    else:
        whole = bare.replace(",", ".")
        if all(len(group) == 3 for group in whole.split(".")[1:]):
            forms.append(whole.replace(".", ""))
        if len(seps) == 1:
            forms.append(whole)
    return [_reading(form, sign, scale) for form in forms]


def number_in(text: str) -> Reading | None:
    """The number a cell's text is, such as "12.50" or "5 kg"; machines write decimals with a dot."""
    match = _ALONE.fullmatch(text)
    return Reading(float(match[1]), 1) if match else None


def days(match: re.Match[str]) -> list[Day]:
    """The ways to read what DATE found; none when it is no date at all."""
    if iso := match["iso"]:
        month = int(iso[5:7])
        return [Day(int(iso[:4]), month, int(iso[8:10]) if iso[7:8] == "-" else 0)] if month <= 12 else []
    found = match.groupdict()
    if dotted := found["dotted"]:
        day, month, year, *_ = [*(int(piece) for piece in dotted.split(".") if piece), 0]
        return [Day(year, month, day)] if 1 <= month <= 12 and 1 <= day <= 31 else []
    if slashed := found["slashed"]:
        one, two, year = map(int, slashed.split("/"))
        return [Day(year, m, d) for m, d in {(one, two), (two, one)} if 1 <= m <= 12 and d <= 31]
    if found["q"]:
        return [Day(int(found["yq"]), quarter=int(found["q"]))]
    for number in "123":
        if name := found[f"m{number}"]:
            return [Day(int(found[f"y{number}"] or 0), MONTHS[name.lower()], int(found.get(f"d{number}") or 0))]
    return []


def _reading(form: str, sign: int, scale: float) -> Reading:
    decimals = len(form.partition(".")[2])
    return Reading(sign * float(form) * scale, 10.0**-decimals * scale)
