"""Find symbols by their names, by the words names are made of, by docstrings, and in spite of a typing mistake."""

import sqlite3
from collections.abc import Iterator

from rapidfuzz import process
from rapidfuzz.distance import DamerauLevenshtein

from dragoman.repo import names

_LIKE_ENOUGH = 0.6
_CANDIDATES = 200
_RAREST = 8  # trigrams asked for; all of them would cost six times as much
_SPREAD = 2_000  # symbols with one of the words that are looked at for the others
_NAMED = frozenset({"module", "variable", "attribute"})  # kinds that come after those one calls
_SEPARATORS = (".", "::", "/", ":")
# Nobody means these when they ask for a symbol.
_IDLE = frozenset(
    "a an and are by does do for from how in is it of on or that the this to what when where which who with".split()
)


def ranked(connection: sqlite3.Connection, query: str, kind: str | None = None) -> list[int]:
    """Rows of `symbols`, the best first. Nothing in the query is a sign to SQLite: `%`, `_`, quotes and stars are letters."""
    query = query.strip()
    found: dict[int, None] = {}
    for rows in _ways(connection, query):
        found |= dict.fromkeys(rows)
    if not found:
        found = dict.fromkeys(_some_of(connection, query) or _alike(connection, query))
    if not found or not kind:
        return list(found)
    fitting = {row for (row,) in connection.execute("SELECT id FROM symbols WHERE kind = ?", (kind,))}
    return [row for row in found if row in fitting]


def _ways(connection: sqlite3.Connection, query: str) -> Iterator[list[int]]:
    if not query:
        return
    last = query
    for separator in _SEPARATORS:
        last = last.rpartition(separator)[2] or last
    if last != query:  # `Window.fit`: what ends in it comes first
        yield _rows(
            connection,
            "s.name = ? AND (s.dotted = ? OR substr(s.dotted, -length(?)) = ?)",
            last,
            query,
            f".{query}",
            f".{query}",
        )
        yield _rows(connection, "s.uid = ?", query)
    yield _rows(connection, "s.name = ?", query)
    yield (
        _rows(
            connection,
            "s.id IN (SELECT rowid FROM symbol_names WHERE name MATCH ?) AND lower(s.name) = lower(?)",
            _quoted(query),
            query,
        )
        if len(query) > 2
        else _rows(connection, "lower(s.name) = lower(?)", query)
    )
    yield _substring(connection, query)
    if last != query:
        yield _substring(connection, last)
    asked = _asked(query)
    if not asked:
        return
    yield _named(connection, asked)
    yield _matching(connection, " AND ".join(f"{_quoted(word)}*" for word in asked))


def _named(connection: sqlite3.Connection, asked: list[str]) -> list[int]:
    """What has all words in its name, then what has some and stands in something with the others: `fit` of a module `window`.

    Tests come last, and what cannot be called after what can.
    """
    every = _matching(connection, "words : (" + " AND ".join(f"{_quoted(word)}*" for word in asked) + ")")
    sql = """
        SELECT s.id, s.dotted, s.kind, f.is_test, length(s.name) FROM symbol_words w JOIN symbols s ON s.id = w.rowid
        JOIN files f ON f.id = s.file_id WHERE symbol_words MATCH ? ORDER BY bm25(symbol_words, 1.0, 0.0), s.id LIMIT ?
    """
    either = "words : (" + " OR ".join(f"{_quoted(word)}*" for word in asked) + ")"
    place = {row: at for at, row in enumerate(every)}
    found = [
        (is_test, row not in place, kind in _NAMED, place.get(row, 0), length, dotted.count("."), dotted, row)
        for row, dotted, kind, is_test, length in connection.execute(sql, (either, _SPREAD + len(every)))
        if row in place or (len(asked) > 1 and _stands_in(names.words(dotted), asked))
    ]
    return list(dict.fromkeys([*(one[-1] for one in sorted(found)), *every]))


def _stands_in(parts: list[str], asked: list[str]) -> bool:
    """Whether each word is one of the parts, or one begins with the other."""
    return all(
        any(part.startswith(word) or (len(part) > 3 and word.startswith(part)) for part in parts) for word in asked
    )


def _asked(query: str) -> list[str]:
    return [word for word in names.words(query) if word not in _IDLE] or names.words(query)


def _some_of(connection: sqlite3.Connection, query: str) -> list[int]:
    """What holds some of the words, where nothing holds all."""
    asked = [word for word in _asked(query) if len(word) > 2]
    return _matching(connection, " OR ".join(map(_quoted, asked))) if len(asked) > 1 else []


def _substring(connection: sqlite3.Connection, text: str) -> list[int]:
    if len(text) > 2:
        return _rows(connection, "s.id IN (SELECT rowid FROM symbol_names WHERE name MATCH ?)", _quoted(text))
    return _rows(connection, "lower(substr(s.name, 1, length(?))) = lower(?)", text, text)


def _rows(connection: sqlite3.Connection, where: str, *values: str) -> list[int]:
    sql = f"""
        SELECT s.id FROM symbols s JOIN files f ON f.id = s.file_id WHERE {where}
        ORDER BY f.is_test, length(s.name), s.parent_id IS NULL, s.kind = 'variable', f.path, s.line
    """
    return [row for (row,) in connection.execute(sql, values)]


def _matching(connection: sqlite3.Connection, match: str) -> list[int]:
    sql = """
        SELECT s.id FROM symbol_words w JOIN symbols s ON s.id = w.rowid JOIN files f ON f.id = s.file_id
        WHERE symbol_words MATCH ? ORDER BY f.is_test, bm25(symbol_words, 8.0, 1.0), length(s.name), f.path, s.line
    """
    return [row for (row,) in connection.execute(sql, (match,))]


def _alike(connection: sqlite3.Connection, query: str) -> list[int]:
    """Names at a small distance; candidates share one of the rarest trigrams."""
    low = query.lower()
    parts = sorted({low[at : at + 3] for at in range(len(low) - 2)})
    marks = ", ".join("?" * len(parts))
    counts = dict(connection.execute(f"SELECT term, doc FROM name_parts WHERE term IN ({marks})", parts))
    rarest = sorted(counts, key=lambda part: (counts[part], part))[:_RAREST]
    if not rarest:
        return []
    sql = "SELECT DISTINCT name FROM (SELECT name FROM symbol_names WHERE symbol_names MATCH ? ORDER BY rank LIMIT ?)"
    near = [name for (name,) in connection.execute(sql, (" OR ".join(map(_quoted, rarest)), _CANDIDATES))]
    scorer = DamerauLevenshtein.normalized_similarity
    best = process.extract(query, near, scorer=scorer, limit=20, score_cutoff=_LIKE_ENOUGH, processor=str.lower)
    best.sort(key=lambda found: (-found[1], -scorer(query, found[0]), found[0]))
    return [row for name, _, _ in best for row in _rows(connection, "s.name = ?", name)]


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""').replace("\0", "") + '"'
