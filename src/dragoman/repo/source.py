"""The lines of a symbol, as they stand in its file now, secrets masked."""

from dragoman.repo import tree
from dragoman.repo.repository import Repository
from dragoman.repo.secrets import mask

MOST_LINES = 80


def of(repository: Repository, path: str, line: int, end_line: int) -> str:
    """Lines `line` to `end_line`, both included, the rest clipped with a word about it; empty where the file is gone."""
    entry = tree.at(repository, path)
    if entry is None:
        return ""
    with tree.reading(repository) as content:
        # As a whole, since a secret may begin above the symbol.
        text, _ = mask((content(entry) or b"").decode("utf-8", "replace"))
    lines = text.split("\n")[line - 1 : end_line]
    if len(lines) > MOST_LINES:
        more = len(lines) - MOST_LINES
        lines = [*lines[:MOST_LINES], f"... {more} more lines: read_file with offset {line + MOST_LINES}"]
    return "\n".join(lines)
