"""Commits by words: what is kept of a message, a path and a description to find them by, and a question in those terms."""

import re
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from rapidfuzz import fuzz, process

_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_MOST_PATHS = 2_000  # of one commit whose words are kept
_MOST_WORDS = 12  # of a question
_LONGEST = 2_000  # characters of a question
_CLOSE = 80  # per cent alike, of a word nobody wrote and one that somebody did
_EMPTY = frozenset(
    "a an and are as at be been but by did do does for from had has have how i in is it its me of on or our so than that the "
    "their them then there these they this those to was we were what when where which who why with you your".split()
)


@dataclass(frozen=True, slots=True)
class Question:
    """Words to look for, as the index keeps them, and those that were taken for a misspelling: written to meant."""

    words: tuple[str, ...]
    corrected: tuple[tuple[str, str], ...] = ()

    def match(self, column: str = "", *, any_word: bool = False) -> str:
        """The question in SQLite's full-text language, every word a literal."""
        told = (" OR " if any_word else " AND ").join(f'"{word}"' for word in self.words)
        return f"{column} : ({told})" if column else told


def of_paths(paths: Iterable[str]) -> str:
    """The words of the paths, each once and in order; those of the first 2,000 paths."""
    return " ".join(sorted({part for path in islice(paths, _MOST_PATHS) for part in _parts(path)}))


@lru_cache(maxsize=10_000)  # the same few files are changed again and again
def _parts(path: str) -> tuple[str, ...]:
    return tuple(part for word in _WORD.findall(path) for part in {word, *_CAMEL.split(word)})


def add(connection: sqlite3.Connection, told: Iterable[tuple[int, str, str]]) -> None:
    """Keep the words of new commits: of each its id, its message and `of_paths` of its files."""
    connection.executemany("INSERT INTO commit_words (rowid, message, paths) VALUES (?, ?, ?)", told)


def forget(connection: sqlite3.Connection, commit_id: int, message: str, paths: Iterable[str]) -> None:
    """Take out what `add` kept, told the same again."""
    connection.execute(
        "INSERT INTO commit_words (commit_words, rowid, message, paths) VALUES ('delete', ?, ?, ?)",
        (commit_id, message, of_paths(paths)),
    )


def describe(connection: sqlite3.Connection, sha: str, description: str | None) -> None:
    """Give an indexed commit its description, a new one, or none, and keep its words. An unknown SHA is passed over."""
    row = connection.execute("SELECT id, description FROM commits WHERE sha = ?", (sha,)).fetchone()
    if row is None:
        return
    if row["description"] is not None:
        connection.execute(
            "INSERT INTO description_words (description_words, rowid, description) VALUES ('delete', ?, ?)", tuple(row)
        )
    if description is not None:
        connection.execute("INSERT INTO description_words (rowid, description) VALUES (?, ?)", (row["id"], description))
    connection.execute("UPDATE commits SET description = ? WHERE id = ?", (description, row["id"]))


def question(connection: sqlite3.Connection, text: str) -> Question:
    """What to look for. A word that stands nowhere in the history is taken for the one most like it, if one is close."""
    said = [word for words in _tokens([text[:_LONGEST]], "unicode61") for word in words]
    wanted = list(dict.fromkeys(word for word in said if word not in _EMPTY) or dict.fromkeys(said))[:_MOST_WORDS]
    corrected: list[tuple[str, str]] = []
    words: list[str] = []
    for word, (stem, *_) in zip(wanted, _tokens(wanted, "porter unicode61"), strict=True):
        meant = word if _stands(connection, stem) else _near(connection, word, stem)
        if meant is not None and meant != word:
            corrected.append((word, meant))
        words.append(meant or word)
    return Question(tuple(words), tuple(corrected))


def _stands(connection: sqlite3.Connection, stem: str) -> bool:
    for table in ("message_terms", "description_terms"):
        if connection.execute(f"SELECT 1 FROM {table} WHERE term = ?", (stem,)).fetchone():
            return True
    return False


def _near(connection: sqlite3.Connection, word: str, stem: str) -> str | None:
    """A term that begins alike and is nearly the same; of the equally near the most frequent."""
    if len(word) < 4 or word.isdigit():
        return None
    known: dict[str, int] = {}
    for table in ("message_terms", "description_terms"):
        rows = connection.execute(
            f"SELECT term, doc FROM {table} WHERE term >= ? AND term < ?", (word[0], word[0] + "\U0010ffff")
        )
        for term, count in rows:
            if abs(len(term) - len(stem)) <= 2:
                known[term] = known.get(term, 0) + count
    found = process.extract(stem, list(known), scorer=fuzz.ratio, score_cutoff=_CLOSE, limit=5)
    return max(found, key=lambda one: (one[1], known[one[0]]))[0] if found else None


def _tokens(texts: list[str], tokenizer: str) -> list[list[str]]:
    """The words of each text as SQLite's own tokenizer cuts them, so that a question is never cut otherwise."""
    found: list[list[str]] = [[] for _ in texts]
    with closing(sqlite3.connect(":memory:")) as memory:
        memory.execute(f"CREATE VIRTUAL TABLE said USING fts5 (word, tokenize = '{tokenizer}')")
        memory.execute("CREATE VIRTUAL TABLE cut USING fts5vocab ('said', 'instance')")
        memory.executemany("INSERT INTO said (rowid, word) VALUES (?, ?)", enumerate(texts))
        for doc, term in memory.execute('SELECT doc, term FROM cut ORDER BY doc, "offset"'):
            found[doc].append(term)
    return found
