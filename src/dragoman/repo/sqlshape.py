"""Whether a statement has the shape of a statistic: one SELECT whose rows are aggregates, not records.

It looks at words and brackets alone. A SELECT counts when it aggregates or groups, or when all it selects from are
subqueries or WITH tables that do.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

AGGREGATES = frozenset({"count", "sum", "total", "avg", "min", "max", "group_concat"})

_TOKEN = re.compile(
    r"(?P<space>\s+|--[^\n]*|/\*.*?(?:\*/|\Z))"
    r"|(?P<text>'(?:[^']|'')*')"
    r"|(?P<name>\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)*`|\[[^\]]*\])"
    r"|(?P<word>[A-Za-z_\x80-\U0010ffff][\w$\x80-\U0010ffff]*)"
    r"|(?P<mark>.)",
    re.DOTALL,
)
_LONGEST = 20_000  # characters
_DEEPEST = 50
_ENDS = frozenset({"where", "group", "having", "order", "limit", "window", "union", "intersect", "except"})
_JOINS = frozenset({"join", "left", "right", "full", "inner", "outer", "cross", "natural"})
_HINT = "Use count, sum, avg, min, max or GROUP BY; for single commits or files take the other tools."


@dataclass(frozen=True, slots=True)
class Token:
    """A word in lower case, a mark, or a quoted thing without its quotes; `kind` is word, name, text, mark or group."""

    kind: str
    value: str
    inner: tuple["Token", ...] = ()


def objection(sql: str) -> str | None:
    """What is wrong with the statement's shape, as a sentence, or None."""
    if len(sql) > _LONGEST:
        return f"The statement has {len(sql):,} characters; at most {_LONGEST:,} are read."
    try:
        tokens = _grouped(_tokens(sql))
    except ValueError as wrong:
        return f"The statement cannot be read: {wrong}."
    while tokens and _is(tokens[-1], ";"):
        tokens = tokens[:-1]
    if any(_is(token, ";") for token in tokens):
        return "One statement at a time: there is something after the semicolon."
    if not tokens or tokens[0].kind != "word" or tokens[0].value not in ("select", "with"):
        return "Only a SELECT (or WITH ... SELECT) is answered here."
    return None if _aggregates(tokens, {}) else f"Only statistics are answered here, not single records. {_HINT}"


def _tokens(sql: str) -> Iterator[Token]:
    for found in _TOKEN.finditer(sql):
        kind, value = found.lastgroup or "", found.group()
        if kind == "mark" and value in "'\"`[":
            raise ValueError("a quotation is not closed")
        if kind != "space":
            yield Token(kind, value.lower() if kind == "word" else value[1:-1] if kind in ("text", "name") else value)


def _grouped(tokens: Iterator[Token], depth: int = 0) -> list[Token]:
    """The tokens with every bracket's content as one group. Raises ValueError."""
    if depth > _DEEPEST:
        raise ValueError(f"brackets are nested more than {_DEEPEST} deep")
    found: list[Token] = []
    for token in tokens:
        if _is(token, "("):
            found.append(Token("group", "", tuple(_grouped(tokens, depth + 1))))
        elif _is(token, ")"):
            if not depth:
                raise ValueError("a bracket is closed that was not opened")
            return found
        else:
            found.append(token)
    if depth:
        raise ValueError("a bracket is not closed")
    return found


def _aggregates(tokens: Sequence[Token], known: dict[str, bool]) -> bool:
    """Whether every SELECT of a (compound) query gives aggregates; `known` says it of the WITH tables in scope."""
    known = dict(known)
    tokens = _without_tables(tokens, known)
    return all(_one_aggregates(part, known) for part in _parted(tokens))


def _without_tables(tokens: Sequence[Token], known: dict[str, bool]) -> Sequence[Token]:
    if not _word(tokens, 0, "with"):
        return tokens
    at, name = 1, ""
    while at < len(tokens) and not _word(tokens, at, "select"):
        token = tokens[at]
        if token.kind in ("word", "name") and token.value not in ("as", "not", "materialized", "recursive"):
            name = token.value.lower()
        elif token.kind == "group" and (_word(token.inner, 0, "select") or _word(token.inner, 0, "with")):
            known[name] = _aggregates(token.inner, known)
        at += 1
    return tokens[at:]


def _parted(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    begin = 0
    for at, token in enumerate(tokens):
        if token.kind == "word" and token.value in ("union", "intersect", "except"):
            yield tokens[begin:at]
            begin = at + (2 if _word(tokens, at + 1, "all") else 1)
    yield tokens[begin:]


def _one_aggregates(tokens: Sequence[Token], known: dict[str, bool]) -> bool:
    if not _word(tokens, 0, "select"):
        return False
    begin = next((at for at in range(len(tokens)) if _word(tokens, at, "from")), len(tokens))
    grouped = any(_word(tokens, at, "group") and _word(tokens, at + 1, "by") for at in range(begin, len(tokens)))
    if grouped or _has_aggregate(tokens[:begin]):
        return True
    sources = list(_sources(tokens[begin + 1 :]))
    return bool(sources) and all(
        _aggregates(one.inner, known) if one.kind == "group" else known.get(one.value.lower(), False) for one in sources
    )


def _has_aggregate(tokens: Sequence[Token]) -> bool:
    """An aggregate at this level or inside an expression of it; neither a window function's nor a subquery's counts."""
    for at, token in enumerate(tokens):
        if token.kind != "group" or _word(token.inner, 0, "select") or _word(token.inner, 0, "with"):
            continue
        before = tokens[at - 1] if at else None
        after = at + 1
        if _word(tokens, after, "filter"):
            after += 2
        called = before is not None and before.kind in ("word", "name") and before.value.lower() in AGGREGATES
        if _word(tokens, after, "over"):
            continue
        # min and max of several values are plain functions.
        several = any(_is(inner, ",") for inner in token.inner)
        if called and before is not None and not (several and before.value.lower() in ("min", "max")):
            return True
        if _has_aggregate(token.inner):
            return True
    return False


def _sources(tokens: Sequence[Token]) -> Iterator[Token]:
    """What stands after FROM and after each comma or JOIN, to the end of the clause."""
    expected = True
    for token in tokens:
        if token.kind == "word" and token.value in _ENDS:
            return
        if _is(token, ",") or (token.kind == "word" and token.value in _JOINS):
            expected = True
        elif expected:
            yield token
            expected = False


def _is(token: Token, mark: str) -> bool:
    return token.kind == "mark" and token.value == mark


def _word(tokens: Sequence[Token], at: int, word: str) -> bool:
    return at < len(tokens) and tokens[at].kind == "word" and tokens[at].value == word
