"""Wording: symbols, calls and commits as short lines, each with its path and line or its short sha."""

from collections.abc import Mapping, Sequence
from typing import Any

from dragoman.providers.planner.words import plural

LINES = 10
LINE = "(on the default branch's own line, where a merge is one commit)"

Item = Mapping[str, Any]


def counted(number: int, noun: str) -> str:
    """`1 commit`, `12 commits`, `no commits`."""
    return f"{number:,} {noun if number == 1 else plural(noun)}" if number else f"no {plural(noun)}"


def place(item: Item) -> str:
    """`path:line`, ready to be opened."""
    return f"`{item.get('path')}:{item.get('line')}`"


def name(item: Item) -> str:
    """What a symbol is called in its file."""
    return f"`{str(item.get('id') or '').partition('::')[2] or item.get('name')}`"


def symbol(item: Item) -> str:
    """One line about a symbol: what it is, where, and its signature."""
    line = f"{name(item)} ({item.get('kind')}) at {place(item)}"
    if signature := str(item.get("signature") or "").strip():
        line += f": `{clipped(signature, 120)}`"
    return line


def commit(item: Item) -> str:
    """One line about a commit; what the diff says comes before what its author says."""
    told = str(item.get("description") or item.get("subject") or "").strip().split("\n")[0]
    size = f"{counted(int(item.get('files_changed') or 0), 'file')}, +{item.get('insertions', 0)} -{item.get('deletions', 0)}"
    return f"`{short(item)}` {day(item)} {item.get('author')}: {clipped(told, 140)} ({size})"


def short(item: Item) -> str:
    """The short sha of a commit."""
    return str(item.get("sha", ""))[:10]


def day(item: Item) -> str:
    """The day of a commit."""
    return str(item.get("date", ""))[:10]


def period(since: str, until: str) -> str:
    """The time a question was about, to stand at the end of a sentence; empty where it was about none."""
    if since and until:
        return f" on {since}" if since == until else f" from {since} to {until}"
    return f" since {since}" if since else f" until {until}" if until else ""


def newest(lines: Sequence[str], noun: str, most: int) -> str:
    """The last `most` lines of a list in the order of time, and how many there were before."""
    left = len(lines) - most
    before = [f"... {left:,} earlier {noun if left == 1 else plural(noun)} left out."] if left > 0 else []
    return "\n".join([*before, *(f"- {line}" for line in lines[-most:])])


def listed(lines: Sequence[str], found: int, noun: str, most: int = LINES) -> str:
    """Lines as a list, at most `most` of them, and how many there are more."""
    shown = [f"- {line}" for line in lines[:most]]
    if found > len(shown):
        shown.append(f"... and {found - len(shown):,} more {noun if found - len(shown) == 1 else plural(noun)}.")
    return "\n".join(shown)


def choice(data: Item, said: str) -> str:
    """The question back where a name is that of several symbols."""
    choices: list[Item] = list(data.get("choices") or [])
    found = int(data.get("found") or len(choices))
    lines = [f"`{one.get('id')}` ({one.get('kind')}) at {place(one)}" for one in choices]
    return f"{found} symbols are called `{said}`. Which one do you mean?\n{listed(lines, found, 'symbol')}"


def clipped(text: str, most: int) -> str:
    """A text on one line, cut where it is too long."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 3].rstrip() + "..."


def fenced(text: str) -> str:
    """A text between fences that nothing in it can close."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text.rstrip()}\n{fence}"
