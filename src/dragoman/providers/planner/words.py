"""Words: cut a sentence into tokens, and say how near two words are."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz.distance import DamerauLevenshtein

_TOKEN = re.compile(
    r"\d{4}-\d{2}-\d{2}"  # a date
    r"|[€$£¥%]"
    r"|(?:>=|<=|≥|≤|>|<|=)"
    r"|\d+(?:,\d{3})*(?:\.\d+)?(?![\w-]*[A-Za-z]{4})(?!-\w)(?!\d)"  # a number, 12.5 of 12.5kg too
    r"|[^\W_]+(?:[-/.@][^\W_]+)*(?:['’]s?(?!\w))?",
    re.UNICODE,
)
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_IRREGULAR = {"people": "person", "persons": "person", "men": "man", "women": "woman", "children": "child"}
_SUFFIXES = (
    "ations ation ments ment ities ity ances ance ences ence ings ing ions ion ives ive ables able ously ous"
    " ally als al ers er ors or ies ied ed es ly s y e i"
).split()


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a sentence: `lower` without its possessive ending; `quoted` is the number of its quotation, 0 for none."""

    text: str
    lower: str
    capital: bool = False
    possessive: bool = False
    quoted: int = 0
    start: int = 0
    end: int = 0

    @property
    def has_digit(self) -> bool:
        """Whether a digit is in it."""
        return any(sign.isdigit() for sign in self.text)


@lru_cache(maxsize=1024)
def tokenize(text: str) -> tuple[Token, ...]:
    """The words, numbers and signs of a text, in the sequence they stand; hyphened words are cut unless they hold digits."""
    quotations = [m.span() for m in re.finditer(r'"[^"]+"|“[^”]+”|(?<!\w)\'[^\']+\'(?!\w)', text)]
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        quoted = next((i for i, (a, b) in enumerate(quotations, 1) if a <= match.start() < b), 0)
        whole = match.group()
        bare = re.sub(r"['’]s?$", "", whole)
        pieces = [bare] if any(c.isdigit() for c in bare) or "@" in bare else re.split(r"[-/.]", bare)
        offset = match.start()
        for i, piece in enumerate(pieces):
            last = i == len(pieces) - 1
            tokens.append(
                Token(
                    piece,
                    plain(piece),
                    piece[:1].isupper(),
                    last and whole != bare,
                    quoted,
                    offset,
                    match.end() if last else offset + len(piece),
                )
            )
            offset += len(piece) + 1
    return tuple(tokens)


def plain(word: str) -> str:
    """Lower case, without accents."""
    folded = unicodedata.normalize("NFKD", word.casefold())
    return "".join(sign for sign in folded if not unicodedata.combining(sign))


@lru_cache(maxsize=16384)
def split(name: str) -> tuple[str, ...]:
    """The lower-case words of a name: `wideRoad`, `wide_road` and `Wide road` are all (wide, road)."""
    return tuple(plain(word) for word in _CAMEL.findall(name))


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """The word without the ending of its plural."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "ches", "shes", "xes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@lru_cache(maxsize=8192)
def root(word: str) -> str:
    """What is left of a word when its endings are taken off, at least four letters (three before -ed, -er, -ing, -s)."""
    word = stem(word)
    for _ in range(2):
        for suffix in _SUFFIXES:
            least = 3 if suffix in ("er", "ed", "ing", "s", "es") else 5 if suffix == "ly" else 4
            if word.endswith(suffix) and len(word) - len(suffix) >= least:
                word = word[: -len(suffix)]
                break
    if len(word) > 4 and word[-1] == word[-2]:
        word = word[:-1]
    return word


@lru_cache(maxsize=65536)
def nearness(asked: str, known: str) -> float:
    """How near a word of a question is to a word of a name: 1 the same, 0.95 but for its number, 0.75 the same root,
    0.7 a slip of the finger, else 0."""
    if asked == known:
        return 1.0
    if stem(asked) == stem(known):
        return 0.95
    if len(asked) >= 3 and len(known) >= 3 and root(asked) == root(known):
        return 0.75
    if len(asked) >= 4 and len(known) >= 5 and asked[0] == known[0] and asked.isalpha() and known.isalpha():
        allowed = 1 if min(len(asked), len(known)) < 8 else 2
        if DamerauLevenshtein.distance(stem(asked), stem(known), score_cutoff=allowed) <= allowed:
            return 0.7
    return 0.0


def say(name: str) -> str:
    """A name as people write it: `wideRoadList` is "wide road", `is_open` "open"."""
    words = list(split(name))
    if len(words) > 1 and words[-1] == "list":
        words.pop()
    if len(words) > 1 and words[0] in ("is", "has"):
        words.pop(0)
    return " ".join(words)


def plural(noun: str) -> str:
    """The plural of an English noun phrase."""
    if noun.endswith("ies"):
        return noun
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    if noun.endswith(("s", "x", "ch", "sh")):
        return noun + "es"
    return noun + "s"


def join(words: Sequence[str], last: str = "and") -> str:
    """a, b and c"""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}" if words else ""
