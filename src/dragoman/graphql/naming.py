"""Names: spellings made one, words taken apart, and the nearest known name for an unknown one."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_ENDINGS = (
    ("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("ings", ""), ("ing", ""), ("ed", ""),
    ("es", "e"), ("s", ""),
)  # fmt: skip


def camel(name: str) -> str:
    """The usual GraphQL spelling of a Python name: `name__icontains` becomes `name_Icontains`."""
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() if part else "_" for part in rest)


def snake(name: str) -> str:
    """The Python spelling of a GraphQL name: `unitCost` becomes `unit_cost`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


@lru_cache(maxsize=50_000)
def fold(name: str) -> str:
    """What all spellings of a name have in common: `unit_cost`, `unitCost` and `UnitCost` are `unitcost`."""
    return name.replace("_", "").replace("-", "").replace(" ", "").casefold()


def words(text: str) -> list[str]:
    """The words of a name or a sentence in lower case, camelCase and snake_case taken apart."""
    return [word.casefold() for word in _WORD.findall(text)]


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A word without its ending, so that plural and singular meet; made for matching, not for reading."""
    if word.endswith(("ss", "us", "is")):
        return word
    for ending, rest in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            short = word[: -len(ending)] + rest
            return short[:-1] if short.endswith("e") and len(short) > 3 else short
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def alike(word: str, known: Sequence[str], most: int = 3) -> list[tuple[str, float]]:
    """The known words that `word` is a slip of, each with its likeness below 1: one slip, two in a long word."""
    slips = 1 if len(word) < 8 else 2
    found = process.extract(word, known, scorer=OSA.distance, score_cutoff=slips, limit=most)
    return [(other, 1 - distance / len(word)) for other, distance, _ in found if len(other) >= 4]


def resolve(name: str, known: Iterable[str]) -> str | None:
    """The known name that is spelled `name` in one way or another, or None."""
    candidates = list(known)
    if name in candidates:
        return name
    folded = fold(name)
    return next((candidate for candidate in candidates if fold(candidate) == folded), None)


def near(name: str, known: Sequence[str], most: int = 3) -> list[str]:
    """The known names most like `name`, best first; none when nothing is like it."""
    by_fold = {fold(candidate): candidate for candidate in known}
    found = process.extract(fold(name), list(by_fold), scorer=fuzz.WRatio, limit=most, score_cutoff=72)
    return [by_fold[folded] for folded, _, _ in found]


def listing(names: Sequence[str], most: int = 400) -> str:
    """Names joined by commas in at most about `most` characters, the rest counted."""
    kept: list[str] = []
    size = 0
    for name in names:
        size += len(name) + 2
        if size > most and kept:
            return f"{', '.join(kept)} and {len(names) - len(kept)} more"
        kept.append(name)
    return ", ".join(kept) or "nothing"


def unknown(what: str, name: str, owner: str, known: Sequence[str]) -> str:
    """A sentence for a name that is not known: what is near, and what there is."""
    close = near(name, known)
    hint = f" Did you mean {' or '.join(close)}?" if close else ""
    return f"Unknown {what} {name!r} on {owner!r}.{hint} It has: {listing(known)}."


def first_sentence(text: str, most: int = 160) -> str:
    """The first sentence of a text on one line, cut at a word when it is longer than `most` characters."""
    line = " ".join(text.split())
    end = re.search(r"[.!?](?=\s|$)", line)
    sentence = line[: end.end()] if end else line
    if len(sentence) <= most:
        return sentence
    return sentence[: most - 3].rsplit(" ", 1)[0] + "..."
