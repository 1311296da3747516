"""Smalltalk: greetings, thanks, what can be asked, and plain words for what cannot be answered."""

from collections.abc import Sequence

from dragoman.harness.tools import ToolDefinition
from dragoman.providers.planner.lexicon import GREETINGS, THANKS
from dragoman.providers.planner.words import join, plural, say, tokenize

WAY_OUT = "A language model would understand more: set ANTHROPIC_API_KEY or OPENAI_API_KEY, or start Ollama."
_EXAMPLES = (
    'Ask in plain words, such as "which ... have ...", "how many ...", "top 5 ... by ..." or "average ... per ...".'
)
_FILLERS = frozenset(
    "there you very much so a lot for your help to all everybody team again good and the that s is was day how are doing".split()
)
_ABILITIES = (
    frozenset({"what", "can", "you", "do"}),
    frozenset({"who", "are", "you"}),
    frozenset({"how", "do", "you", "work"}),
    frozenset({"what", "can", "i", "ask"}),
    frozenset({"help"}),
    frozenset({"help", "me"}),
    frozenset({"what", "are", "you"}),
)


def answer(text: str, tools: Sequence[ToolDefinition]) -> str:
    """A reply to a greeting, to thanks, or to "what can you do?"; empty for anything else."""
    words = [token.lower for token in tokenize(text)]
    bare = frozenset(words) - {"please", "hi", "hello", "so", "for", "me"}
    if words and any(bare in (ability, ability - {"me"}) for ability in _ABILITIES):
        return abilities(tools)
    if words and words[0] in GREETINGS | {"good"} and all(w in GREETINGS | _FILLERS for w in words):
        return f"Hello! What would you like to know? {_EXAMPLES}"
    if words and words[0] in THANKS and all(w in THANKS | _FILLERS | GREETINGS for w in words):
        return "You are welcome."
    return ""


def abilities(tools: Sequence[ToolDefinition]) -> str:
    """What can be done with these tools."""
    names = {tool.name for tool in tools}
    told = ["look up rows, count them, compare, sort and add up"] if "query" in names else []
    if mutate := next((tool for tool in tools if tool.name == "mutate"), None):
        known = mutate.parameters.get("properties", {}).get("mutation", {}).get("enum") or ()
        told.append(f"change something ({join([say(name) for name in known])})" if known else "change something")
    can = f"I can {join(told)}, with your own rights." if told else "There is nothing I can look up here."
    return f"{can} I work without a language model, so I understand plain questions only. {_EXAMPLES}\n{WAY_OUT}"


def puzzled() -> str:
    """A reply to what is no question about data."""
    return f"I did not understand that as a question about the data. {_EXAMPLES}\n{WAY_OUT}"


def helpless(reason: str) -> str:
    """A reply to what cannot be done here, with what would help."""
    return f"{reason}\n{WAY_OUT}"


def unlinked(words: Sequence[str], manager: str) -> str:
    """A reply to words that nothing explains."""
    about = f" I did see that you ask about {plural(say(manager))}." if manager else ""
    return (
        f"I could not link {join(words)} to anything in the data you may see, so I do not answer by guessing.{about}"
        f" Try other words or the full name.\n{WAY_OUT}"
    )


def stuck(reason: str) -> str:
    """A reply to a question that was understood and cannot be answered."""
    return f"I cannot answer that: {reason}" if not reason.startswith(("I ", "Which ")) else reason
