"""Whether two values are the same to a person: case, blanks and the way a number is written do not count.

`1,200`, `1 200` (with a narrow or fixed space), `1200` and `1200.0` are one number. A comma is never read as the decimal
point and a full stop never as the mark of thousands, since one text cannot mean both.
"""

import re
import unicodedata
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

_NUMBER = re.compile(r"(?<![\d.,])\d{1,3}(?:[,'’\u00a0\u2009\u202f]\d{3})+(?:\.\d+)?(?![\d])|\d+(?:\.\d+)?")
_TYPOGRAPHY = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-", "‐": "-", "\u00ad": None}
)


def normal(text: str) -> str:
    """The text as it is compared: one case, single blanks, plain quotes and dashes, every number in one spelling."""
    text = _NUMBER.sub(_plain_number, text)
    text = unicodedata.normalize("NFKC", text).translate(_TYPOGRAPHY).casefold()
    text = re.sub(r"[*`]+", "", text).replace("_", " ")  # emphasis is no part of a name, and on_hold is on hold
    text = re.sub(r"(\d)\s+(?=[%€$£])", r"\1", text)
    return " ".join(text.split())


def mentions(text: str, fact: str) -> bool:
    """Whether the text names the fact as a word of its own: `12` is neither in `120` nor in `2026-12-01`."""
    wanted = normal(fact)
    if not wanted:
        return False
    before = r"(?<!\w)" if wanted[0].isalnum() else ""
    after = r"(?!\w)" if wanted[-1].isalnum() else ""
    if wanted[0].isdigit():
        before = r"(?<!\w)(?<!\w[-.,:/])"
    if wanted[-1].isdigit():
        after = r"(?!\w)(?![-.,:/]\d)"
    return re.search(before + re.escape(wanted) + after, normal(text)) is not None


def numbers(text: str) -> set[str]:
    """Every number of the text, in one spelling."""
    return {_plain_number(match) for match in _NUMBER.finditer(text)}


def same(expected: Any, actual: Any) -> bool:
    """Whether a value of a row is the expected one. A quantity compares by what is given of it: value, or value and unit."""
    match expected, actual:
        case Mapping(), Mapping():
            given = spelled(actual)
            return all(same(value, given.get(spelling(key))) for key, value in expected.items())
        case (list(), list()):
            return len(expected) == len(actual) and all(map(same, expected, actual))
        case (_, Mapping()) if "value" in actual and "unit" in actual:
            return same(expected, actual["value"]) or same(expected, f"{actual['value']} {actual['unit']}")
        case (bool(), _) | (_, bool()) | (None, _) | (_, None):
            return expected is actual
    left, right = _number(expected), _number(actual)
    if left is not None and right is not None:
        # A mean has more digits than anybody writes down; six significant ones are the same number.
        return abs(left - right) <= abs(left) * Decimal("0.000001")
    return normal(str(expected)) == normal(str(actual))


def contains(expected: Any, actual: Any) -> bool:
    """Whether `expected` is a part of `actual`: keys of mappings and members of lists, recursively; names in any spelling."""
    match expected, actual:
        case Mapping(), Mapping():
            given = spelled(actual)
            return all(
                spelling(key) in given and contains(value, given[spelling(key)]) for key, value in expected.items()
            )
        case (list(), list()):
            return all(any(contains(item, other) for other in actual) for item in expected)
        case (str(), str()):
            return same(expected, actual) or spelling(expected) == spelling(actual)
        case _:
            return same(expected, actual)


def spelling(name: Any) -> str:
    """One spelling of a name: `unitCost` and `unit_cost` are the same, and so are `a__b` and `a.b`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", str(name)).replace(".", "__").casefold()


def spelled(row: Mapping[Any, Any]) -> dict[str, Any]:
    """The row with its keys in one spelling."""
    return {spelling(key): value for key, value in row.items()}


def _plain_number(match: re.Match[str]) -> str:
    digits = re.sub(r"[,'’\u00a0\u2009\u202f]", "", match.group())
    return format(Decimal(digits).normalize(), "f")


def _number(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal, str)):
        return None
    text = str(value).strip()
    sign, text = ("-", text[1:]) if text[:1] in {"-", "−"} else ("", text)
    if not _NUMBER.fullmatch(text) and "e" not in text.casefold():
        return None
    try:
        return Decimal(sign + re.sub(r"[,'’\u00a0\u2009\u202f]", "", text))
    except InvalidOperation:
        return None
