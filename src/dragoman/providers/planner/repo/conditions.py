"""Conditions: the WHERE of a figure, with what people wrote in it quoted."""

from dragoman.providers.planner.repo.question import Asked


def within(asked: Asked) -> str:
    """The commits of the default branch's own line in the time a question is about."""
    parts = ["on_default_branch = 1"]
    parts += [f"committed_at >= '{asked.since}'"] if asked.since else []
    parts += [f"substr(committed_at, 1, 10) <= '{asked.until}'"] if asked.until else []
    return " AND ".join(parts)


def below(path: str) -> str:
    """A further condition: files at or below this path, none where it is empty."""
    return f" AND {at(path)}" if path else ""


def at(path: str, column: str = "path") -> str:
    """Files at this path or below it."""
    return f"({column} = '{quoted(path)}' OR {column} LIKE '{like(path)}/%' ESCAPE '!')"


def quoted(text: str) -> str:
    """A text between quotation marks."""
    return text.replace("'", "''")


def like(text: str) -> str:
    """A text in a pattern of LIKE with the escape `!`."""
    for sign in "!%_":
        text = text.replace(sign, f"!{sign}")
    return quoted(text)
