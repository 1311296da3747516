"""Rename a whole world: every type, field and value of a schema gets an invented name, consistently in both directions.

`cobalt` becomes another word of the same shape wherever it occurs - in questions, prompts, tool definitions, results and
expectations - and a call that uses the new word reaches the old one. Inflections follow: whatever `inspect` becomes,
`inspected` and `inspections` become with it. What is everybody's (`plain_words`) and what has digits in it stays.
"""

import difflib
import random
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from dragoman.evals.cases import Case, Expectations, ExpectedCall, Fact
from dragoman.harness.caller import Caller
from dragoman.harness.grounding import Grounding
from dragoman.harness.tools import Operation, Tool, Toolbox, ToolDefinition, ToolError
from tests.evals.plain_words import PLAIN

_WORD = re.compile(r"(?<![\d])(?:[A-Z]?[a-z]+|[A-Z]+(?![a-z]))(?![\d])")
_ENDINGS = (
    "iers",
    "ies",
    "ied",
    "ier",
    "ments",
    "ment",
    "ions",
    "ion",
    "ings",
    "ing",
    "ers",
    "er",
    "ors",
    "or",
    "al",
    "ed",
    "es",
    "s",
    "y",
    "e",
)
_VOWELS, _CONSONANTS = "aeiou", "bcdfghjklmnprstvwz"

# Names of the tools' own arguments and answers, which no schema gave.
PROTOCOL = frozenset(
    "manager about fields relations values value field filters exclude mutations mutation input more more_fields rows "
    "total_count has_more next_offset order_by group_by measures aggregate limit offset part from to path steps "
    "filter_prefix message error code field_errors errors notes note ok object computed_over complete row_id query "
    "withheld unit units status reason managers".split()
)


def stem(word: str) -> str:
    """What the inflections of a word have in common: `deliver` of `delivery`, `deliveries` and `delivered`."""
    while True:
        for ending in _ENDINGS:
            cut = word[: -len(ending)]
            if word.endswith(ending) and len(cut) >= 3 and not (ending == "s" and cut[-1] in "sui"):
                word = cut
                break
        else:
            return word


@dataclass(frozen=True, slots=True)
class Renaming:
    """Old stems to new ones, and back."""

    there: Mapping[str, str]
    back: Mapping[str, str]

    @classmethod
    def of(cls, names: Iterable[str], seed: int = 1) -> "Renaming":
        """A renaming of every word in these names that is not a plain one. The same names give the same renaming."""
        words = {word.casefold() for name in names for word in _WORD.findall(name)}
        own = sorted({stem(word) for word in words if word not in PLAIN and len(word) > 2})
        draw, taken = random.Random(seed), set(own) | {stem(word) for word in PLAIN} | set(PLAIN)
        there: dict[str, str] = {}
        for old in own:
            new = next(word for word in _inventions(old, draw) if word not in taken and stem(word) == word)
            taken.add(new)
            there[old] = new
        return cls(there, {new: old for old, new in there.items()})

    def rename(self, text: str) -> str:
        """The text in the new world's words."""
        return _translated(text, self.there)

    def restore(self, text: str) -> str:
        """The text in the old world's words, mistakes and all: the old world is asked what the new one was."""
        return _translated(_WORD.sub(lambda match: _misspelt(match.group(), self.back), text), self.back)

    def question(self, text: str) -> str:
        """A question in the new world's words; a misspelt old word becomes the new word with the same mistake."""
        return self.rename(_WORD.sub(lambda match: _misspelt(match.group(), self.there), text))


def _misspelt(word: str, words: Mapping[str, str]) -> str:
    """What a misspelt word becomes; every other word as it is."""
    low = word.casefold()
    if len(low) < 5 or low in PLAIN or stem(low) in words:
        return word
    near = difflib.get_close_matches(stem(low), words, 1, 0.8)
    if not near:
        return word
    new, told = words[near[0]], ""
    for what, a, b, c, d in difflib.SequenceMatcher(None, near[0], low, autojunk=False).get_opcodes():
        told += new[a:b] if what == "equal" else low[c:d]
    return _cased(told, word)


def _inventions(old: str, draw: random.Random) -> Iterable[str]:
    while True:
        letters = [draw.choice(_VOWELS if letter in "aeiouy" else _CONSONANTS) for letter in old[:-1]]
        yield "".join(letters) + old[-1]
        yield "".join(letters) + draw.choice(_VOWELS if old[-1] in "aeiouy" else _CONSONANTS)


def _translated(text: str, words: Mapping[str, str]) -> str:
    def one(match: re.Match[str]) -> str:
        word = match.group()
        low = word.casefold()
        base = stem(low)
        if low in PLAIN or base not in words:
            return word
        return _cased(words[base] + low[len(base) :], word)

    return _WORD.sub(one, text)


def _cased(new: str, like: str) -> str:
    if like.isupper():
        return new.upper()
    return new.capitalize() if like[0].isupper() else new


# ---- JSON -----------------------------------------------------------------------------------------


def over(value: Any, translate: Callable[[str], str]) -> Any:
    """A JSON value with every name and text translated; the tools' own keys stay."""
    match value:
        case str():
            return value if value in PROTOCOL else translate(value)
        case Mapping():
            return {
                key if key in PROTOCOL else translate(str(key)): over(inner, translate) for key, inner in value.items()
            }
        case list() | tuple():
            return [over(inner, translate) for inner in value]
        case _:
            return value


# ---- a grounding ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Renamed:
    """A Grounding whose every word is that of the new world, over one of the old."""

    inner: Grounding
    renaming: Renaming

    async def tools(self, caller: Caller) -> Toolbox:
        """The inner tools, called and answering in the new words."""
        box = await self.inner.tools(caller)
        return Toolbox.of(self._tool(tool) for tool in box.tools.values())

    async def prompt(self, caller: Caller) -> str:
        """The inner prompt in the new words."""
        return _prose(await self.inner.prompt(caller), self.renaming.rename)

    def _tool(self, tool: Tool) -> Tool:
        rename, restore = self.renaming.rename, self.renaming.restore

        async def run(arguments: Mapping[str, Any]) -> Any:
            try:
                return over(await tool.run(over(arguments, restore)), rename)
            except ToolError as error:
                details = over(error.details, rename)
                raise ToolError(_prose(error.message, rename), error.code, **details) from error

        def operation(arguments: Mapping[str, Any]) -> Operation:
            found = tool.operation_of(over(arguments, restore))
            return Operation(rename(found.name), over(found.input, rename))

        definition = ToolDefinition(
            tool.definition.name,
            _prose(tool.definition.description, rename),
            _schema(tool.definition.parameters, rename),
        )
        return replace(
            tool,
            definition=definition,
            run=run,
            confirm=lambda arguments: tool.confirm(over(arguments, restore)),
            operation=operation,
        )


def _prose(text: str, translate: Callable[[str], str]) -> str:
    """Translate a text, but leave the words of the tools' own vocabulary that stand in it as `order_by` does."""
    kept = re.compile(rf"\b(?:{'|'.join(sorted((word for word in PROTOCOL if '_' in word), key=len, reverse=True))})\b")
    pieces, place = [], 0
    for match in kept.finditer(text):
        pieces += [translate(text[place : match.start()]), match.group()]
        place = match.end()
    return "".join([*pieces, translate(text[place:])])


def _schema(value: Any, translate: Callable[[str], str]) -> Any:
    """A JSON Schema with its descriptions and choices translated; its keywords and properties stay."""
    match value:
        case Mapping():
            return {
                key: (
                    _prose(inner, translate)
                    if key == "description" and isinstance(inner, str)
                    else [translate(item) if isinstance(item, str) and item not in PROTOCOL else item for item in inner]
                    if key == "enum"
                    else _schema(inner, translate)
                )
                for key, inner in value.items()
            }
        case list() | tuple():
            return [_schema(inner, translate) for inner in value]
        case _:
            return value


# ---- cases ----------------------------------------------------------------------------------------


def renamed_case(case: Case, renaming: Renaming, ask: Callable[[str], str] = lambda question: question) -> Case:
    """The case in the new world; `ask` may turn the words of a question around before they are renamed."""
    return replace(
        case,
        conversation=tuple(
            replace(turn, user=renaming.question(ask(turn.user)), expect=_expectations(turn.expect, renaming))
            for turn in case.conversation
        ),
        expectations=_expectations(case.expectations, renaming),
    )


def _expectations(old: Expectations | None, renaming: Renaming) -> Expectations | None:
    if old is None:
        return None

    def facts(listed: Iterable[Fact]) -> tuple[Fact, ...]:
        return tuple(tuple(renaming.rename(spelling) for spelling in fact) for fact in listed)

    return Expectations(
        tool_calls=None
        if old.tool_calls is None
        else tuple(ExpectedCall(c.name, over(c.args_contain, renaming.rename)) for c in old.tool_calls),
        results_contain=facts(old.results_contain),
        results_exclude=facts(old.results_exclude),
        answer_contains=facts(old.answer_contains),
        rows=None if old.rows is None else tuple(over(row, renaming.rename) for row in old.rows),
        honest=old.honest,
    )


# ---- word order -----------------------------------------------------------------------------------

_PREPOSITION = re.compile(r" (?=(?:with|in|from|for|by|per|without|before) )", re.IGNORECASE)
_VERB = re.compile(r"\b(?:are|is|was|were|used)\b", re.IGNORECASE)
_ASKS = re.compile(r"^(?:what|which|how|who|list|show|is|do|are|top|total|parts|materials|sites)\b", re.IGNORECASE)


def reordered(question: str) -> str:
    """The question with its last condition in front, as a person might put it; unchanged where it has none.

    `What projects contain parts with cobalt?` becomes `With cobalt, what projects contain parts?`.
    """
    body = question.rstrip(" ?.!")
    mark = question[len(body) :]
    places = [match.start() for match in _PREPOSITION.finditer(body)]
    if not places or not _ASKS.match(body):
        return question
    rest, condition = body[: places[-1]], body[places[-1] + 1 :]
    if _VERB.search(condition):  # what follows belongs to the sentence, not to the condition
        return question
    return f"{condition[0].upper()}{condition[1:]}, {rest[0].lower()}{rest[1:]}{mark}"
