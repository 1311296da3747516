"""Amounts: numbers, their units and how they are compared."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dragoman.providers.planner.lexicon import LESS, MORE, degree
from dragoman.providers.planner.words import Token

Sign = Literal["gt", "gte", "lt", "lte", "exact"]

NUMBERS = dict(
    zip("zero one two three four five six seven eight nine ten eleven twelve".split(), range(13), strict=True)
)
_FACTORS = {"k": 1e3, "thousand": 1e3, "million": 1e6, "mio": 1e6, "billion": 1e9, "dozen": 12, "hundred": 100}
_UNITS: dict[str, tuple[str, ...]] = {
    "heavy": ("kg kilogram kilograms kilo kilos", "g gram grams", "mg milligram milligrams", "t tonne tonnes ton tons",
              "lb lbs pound_lb", "oz ounce ounces"),
    "length": ("m meter meters metre metres", "cm", "mm", "km kilometer kilometers kilometre kilometres",
               "inch inches", "ft feet foot"),
    "money": ("EUR eur euro euros €", "USD usd dollar dollars $", "GBP gbp pound pounds £", "CHF chf franc francs",
              "JPY jpy yen ¥", "CNY cny yuan", "SEK sek", "NOK nok", "DKK dkk", "PLN pln", "CAD cad", "AUD aud", "INR inr"),
    "lasting": ("day days", "week weeks", "month months", "year years", "hour hours h", "minute minutes", "second seconds"),
    "share": ("% percent",),
    "warm": ("degC °c celsius", "degF fahrenheit", "K kelvin"),
    "volume": ("l liter liters litre litres", "ml"),
    "watts": ("W watt watts", "kW", "MW"),
}  # fmt: skip
_SPELLING = {
    spelling: (names.split()[0], kind)
    for kind, group in _UNITS.items()
    for names in group
    for spelling in names.split()
}


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with the unit it was given in ("" for none), the unit's kind, and where its words stand."""

    number: float
    unit: str
    kind: str
    span: frozenset[int]

    @property
    def bare(self) -> int | float:
        """The number, an int where it is whole."""
        return int(self.number) if self.number.is_integer() else self.number

    @property
    def text(self) -> str:
        """The amount as filters take it: `12.5 kg`."""
        return f"{self.bare} {self.unit}".strip()


@dataclass(frozen=True, slots=True)
class Comparison:
    """A bound on a quantity: `kind` is what its words or its unit say is measured, "" when they do not."""

    sign: Sign
    amount: Amount
    kind: str
    span: frozenset[int]


def kind_of_unit(unit: str) -> str:
    """What a unit measures: heavy, length, money, lasting ... ; "" for an unknown one. Any three capitals are money."""
    if unit in _SPELLING:
        return _SPELLING[unit][1]
    return "money" if re.fullmatch(r"[A-Z]{3}", unit) else ""


def short(unit: str) -> str:
    """The usual sign of a unit: kg for kilogram, kg/m³ for kilogram / meter ** 3; an unknown unit as it is."""
    pieces = re.split(r"(\s*/\s*|\s*\*\*\s*)", unit)
    signs = [_SPELLING[p][0] if p in _SPELLING and len(p) > 2 else p.strip() for p in pieces]
    return "".join(signs).replace("**3", "³").replace("**2", "²")


def amounts(tokens: Sequence[Token], taken: frozenset[int]) -> tuple[Amount, ...]:
    """Every number of the sentence outside `taken`, with its factor and unit."""
    found: list[Amount] = []
    at = 0
    while at < len(tokens):
        amount = None if at in taken or tokens[at].quoted else _amount(tokens, at)
        if amount:
            found.append(amount)
        at = max(amount.span) + 1 if amount else at + 1
    return tuple(found)


def comparisons(tokens: Sequence[Token], found: Sequence[Amount]) -> tuple[Comparison, ...]:
    """The amounts that something is compared with."""
    result: list[Comparison] = []
    pending = list(found)
    while pending:
        amount = pending.pop(0)
        first, last = min(amount.span), max(amount.span)
        before = [tokens[i].lower for i in range(max(0, first - 4), first)]
        if pending and "between" in before and min(pending[0].span) - last <= 2:
            upper = pending.pop(0)
            lower = amount if amount.unit else Amount(amount.number, upper.unit, upper.kind, amount.span)
            factors = [_FACTORS[tokens[i].lower] for i in upper.span if tokens[i].lower in _FACTORS]
            if factors and len(amount.span) == 1 and amount.number < upper.number / factors[0] * 10:
                lower = Amount(amount.number * factors[0], lower.unit, lower.kind, amount.span)  # 2 and 2.5 million
            words = frozenset(range(first - len(before) + before.index("between"), max(upper.span) + 1))
            result += [Comparison("gte", lower, lower.kind, words), Comparison("lte", upper, upper.kind, words)]
            continue
        after = [token.lower for token in tokens[last + 1 : last + 4]]
        if bound := _bound(before, after):
            sign, kind, back, ahead = bound
            words = amount.span | frozenset(range(first - back, first)) | frozenset(range(last + 1, last + 1 + ahead))
            result.append(Comparison(sign, amount, amount.kind or kind, words))
    return tuple(result)


def _amount(tokens: Sequence[Token], at: int) -> Amount | None:
    token, span, front = tokens[at], {at}, ""
    if token.text in "€$£¥" and at + 1 < len(tokens):
        front, token, at = _SPELLING[token.text][0], tokens[at + 1], at + 1
        span.add(at)
    number = _number(token.lower)
    unit = ""
    if number is None:
        glued = re.fullmatch(r"(\d+(?:\.\d+)?)([^\W\d_]+)", token.text)
        if not glued or (glued[2] not in _SPELLING and glued[2].lower() not in _FACTORS):
            return None
        number = float(glued[1]) * _FACTORS.get(glued[2].lower(), 1)
        unit = _SPELLING.get(glued[2], ("", ""))[0]
    while at + 1 < len(tokens) and tokens[at + 1].lower in _FACTORS and not unit:
        at += 1
        span.add(at)
        number *= _FACTORS[tokens[at].lower]
    if not unit and not front and at + 1 < len(tokens):
        following = tokens[at + 1]
        spelled = following.text if following.text in _SPELLING else following.lower
        if spelled in _SPELLING and (len(spelled) > 1 or not following.text.isalpha() or following.text in "gtmhlKW"):
            unit = _SPELLING[spelled][0]
            span.add(at + 1)
        elif re.fullmatch(r"[A-Z]{3}", following.text):
            unit = following.text
            span.add(at + 1)
        elif re.fullmatch(r"[A-Za-z]{1,3}[23]|[A-Za-z]{1,3}/[A-Za-z]{1,3}[23]?", following.text):
            unit = re.sub(r"([A-Za-z])([23])", r"\1**\2", following.text)  # kg/m3
            span.add(at + 1)
    unit = unit or front
    return Amount(number, unit, kind_of_unit(unit), frozenset(span))


def _number(word: str) -> float | None:
    if re.fullmatch(r"\d[\d,]*(?:\.\d+)?", word):
        return float(word.replace(",", ""))
    return float(NUMBERS[word]) if word in NUMBERS and word not in ("one", "zero") else None


def _bound(before: list[str], after: list[str]) -> tuple[Sign, str, int, int] | None:
    """The sign, the kind, how many words before and after the number belong to the comparison."""
    for back, word in enumerate(reversed(before), 1):
        rest = before[len(before) - back + 1 :]
        previous = before[len(before) - back - 1] if back < len(before) else ""
        if word in (">", "<", ">=", "≥", "<=", "≤", "=") and back == 1:
            return (
                {">": "gt", "<": "lt", ">=": "gte", "≥": "gte", "<=": "lte", "≤": "lte", "=": "exact"}[word],
                "",
                1,
                0,
            )  # type: ignore[return-value]
        if word in MORE and back == 1:
            return "gt", "", 1, 0
        if word in LESS and back == 1:
            return "lt", "", 1, 0
        if word in ("least", "most") and previous == "at":
            return ("gte" if word == "least" else "lte"), "", back + 1, 0
        if word == "exactly":
            return "exact", "", back, 0
        if word == "to" and previous == "up":
            return "lte", "", back + 1, 0
        if word == "than":
            graded = degree(previous)
            direction = {"more": 1, "less": -1, "fewer": -1}.get(previous, graded[1] if graded else 0)
            if not direction:
                return None
            sign: Sign = "gt" if direction > 0 else "lt"
            return sign, graded[0] if graded and previous not in ("more", "less", "fewer") else "", back + 1, 0
        if rest and word not in ("than", "a", "an", "the", "of"):
            break
    if after[:2] in (
        ["or", "more"],
        ["and", "more"],
        ["or", "above"],
        ["and", "above"],
        ["or", "higher"],
        ["or", "over"],
    ):
        return "gte", "", 0, 2
    if after[:2] in (
        ["or", "less"],
        ["or", "fewer"],
        ["or", "below"],
        ["and", "below"],
        ["or", "under"],
        ["or", "lower"],
    ):
        return "lte", "", 0, 2
    return None
