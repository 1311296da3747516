"""Talk: the next round of a turn about a repository - the calls to make, or the answer."""

import re
from collections.abc import Callable, Sequence

from dragoman.harness.provider import ToolRequest
from dragoman.harness.tools import ToolDefinition
from dragoman.providers.planner.history import History
from dragoman.providers.planner.lexicon import GREETINGS, THANKS
from dragoman.providers.planner.repo import authors, changes, code, figures, files, most, question, relations
from dragoman.providers.planner.repo.plan import Calls, follow
from dragoman.providers.planner.repo.question import Asked
from dragoman.providers.planner.words import tokenize

# A grounding that offers these is a repository.
TELLING = frozenset({"search_symbols", "get_symbol"})


def _unsure(asked: Asked) -> Calls:
    """A question that was not understood, and what there is to say of the one thing it names."""
    subject = asked.subject
    said = yield from (files.show if subject.line else files.inside if subject.path else code.where)(asked)
    return f"I did not understand the question. This is what I know of `{subject.said}`:\n{said}"


PLANS: dict[str, Callable[[Asked], Calls]] = {
    "where": code.where,
    "explain": code.explain,
    "callers": code.callers,
    "callees": code.callees,
    "symbols": code.symbols,
    "show": files.show,
    "lines": files.show,
    "inside": files.inside,
    "text": files.text,
    "recent": changes.recent,
    "changes": changes.changes,
    "about": changes.about,
    "by": changes.by,
    "path": changes.path,
    "last": changes.last,
    "born": changes.born,
    "first_about": changes.first_about,
    "commit": changes.commit,
    "why": changes.why,
    "per": figures.per,
    "busiest": figures.busiest,
    "folders": most.folders,
    "fullest": most.fullest,
    "largest": figures.largest,
    "tested": relations.tested,
    "heirs": relations.heirs,
    "raised": relations.raised,
    "importers": relations.importers,
    "together": relations.together,
    "who": authors.who,
    "count": figures.count,
    "overview": figures.overview,
    "unsure": _unsure,
}

_FILLERS = frozenset("there you all everybody again dear dragoman".split())
_EXAMPLES = (
    '"where is NAME", "who calls NAME", "what does NAME call", "what changed lately in PATH", "what changed about WORDS", '
    '"show PATH:LINE", "what is in FOLDER", "busiest files", "commits per month as a chart", "who works on PATH" or '
    '"when was NAME changed last"'
)
# The line of the prompt that says how far the index is behind; an answer over an old index says so.
_BEHIND = re.compile(r"^The index is behind: .+$", re.MULTILINE)
_WAY_OUT = "A language model would understand more: set ANTHROPIC_API_KEY or OPENAI_API_KEY, or start Ollama."


def reply(history: History, tools: Sequence[ToolDefinition]) -> str | list[ToolRequest]:
    """The answer to the current turn, or the calls that are still to be made for it."""
    text = history.current.text
    words = [token.lower for token in tokenize(text)]
    if words and words[0] in GREETINGS and all(word in GREETINGS | _FILLERS for word in words):
        return f"Hello! What would you like to know about this repository? Ask {_EXAMPLES}."
    if words and words[0] in THANKS and len(words) <= 6:
        return "You are welcome."
    asked = question.read(text, history)
    if asked.kind == "abilities":
        return (
            "I look things up in this repository's code, history and files, and change nothing. I work without a "
            f"language model, so I understand plain questions only. Ask {_EXAMPLES}.\n{_WAY_OUT}"
        )
    plan = PLANS.get(asked.kind)
    if plan is None:
        return f"I did not understand that as a question about this repository. Ask {_EXAMPLES}.\n{_WAY_OUT}"
    said = follow(plan(asked), history.current, tools)
    behind = _BEHIND.search(history.prompt)
    return f"{said}\n({behind[0]})" if isinstance(said, str) and behind else said
