"""Clauses: what of a message is the question, and what was only said around it."""

import re

from dragoman.providers.planner.lexicon import GREETINGS, MISSPELT
from dragoman.providers.planner.words import plain

_CUT = re.compile(r"(?<=[a-zA-Z)\"'])\s*[,;:]\s+|(?<=[.!?])\s+|\s+[-–—]\s+")
_CONDITIONAL = re.compile(r"\b(if|unless|except|without|not|but|only|or)\b", re.IGNORECASE)
_OWN_BUSINESS = re.compile(
    r"^(because |since |as |so |and )?(i|we|my|our)('m| am|'ve| have| need| want| must| was| got| will|'ll| would|'d| just| are)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\b(which|what|who|whose|how|list|show|give|find|tell|know|see|is|are|do|does|did)\b", re.IGNORECASE
)


def split(text: str) -> tuple[str, str]:
    """The question of a message and what was left out of it, such as "I need it for a call" after the question.

    Nothing is left out that may be a condition, and nothing of a message of one clause.
    """
    text = _respelt(text)
    pieces = [piece.strip() for piece in _CUT.split(text) if piece and piece.strip()]
    if len(pieces) < 2:
        return text, ""
    aside = [piece for piece in pieces if _is_aside(piece, pieces, text)]
    if not aside or len(aside) == len(pieces):
        return text, ""
    for piece in aside:
        text = text.replace(piece, " ", 1)
    kept = re.sub(r"^[\s,;:.!?–—-]+|[\s,;:–—-]+$", "", re.sub(r"\s+", " ", text))
    told = [piece.strip(" .!?") for piece in aside if plain(piece.strip(" .!?,")) not in GREETINGS]
    return kept, "; ".join(told)


def _is_aside(piece: str, pieces: list[str], text: str) -> bool:
    words = [plain(word) for word in re.findall(r"[^\W\d_]+", piece)]
    if words and all(word in GREETINGS or word in ("good", "there", "dear", "all", "team") for word in words):
        return True
    if _CONDITIONAL.search(piece) or re.search(r"\d", piece):
        return False
    others = [other for other in pieces if other is not piece]
    if _OWN_BUSINESS.match(piece) and not piece.endswith("?"):
        return any(_ASKS.search(other) for other in others)
    purpose = words[:1] == ["for"] and piece[1:].islower() and not _ASKS.search(piece)
    return purpose and f"{piece}:" in text and any(_ASKS.match(other) for other in others)


def _respelt(text: str) -> str:
    """Asking words as they should be spelt."""
    return re.sub(r"[^\W\d_]+", lambda match: MISSPELT.get(match[0].lower(), match[0]), text)
