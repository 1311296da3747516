"""Which files' calls rest on what other files say: kept when they are resolved, asked when something has changed."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from dragoman.repo.languages.cells import OF_PATHS, Cells
from dragoman.repo.languages.facts import FileFacts
from dragoman.repo.languages.modules import is_test
from dragoman.repo.languages.resolve import FOLLOWED, SCRIPTS, Name, Named, Resolver, candidates, names

_ALWAYS = ("", "*")


@dataclass(frozen=True, slots=True)
class Change:
    """What changed since files were resolved last: `facts` of those that are new or another now, and the paths that are gone,
    or of which there are no facts any more. `moved`: the paths of which there are facts are others than before, or configs say something else of modules."""

    facts: Mapping[str, FileFacts]
    gone: Collection[str]
    moved: bool

    @property
    def paths(self) -> frozenset[str]:
        """All of them."""
        return frozenset((*self.facts, *self.gone))


def affected(connection: sqlite3.Connection, change: Change, resolver: Resolver, now: Named) -> set[str]:
    """The files, beside the changed ones, that have to be resolved anew, since something they looked up is another now."""
    found = set(_readers(connection, *_ALWAYS))
    for path in change.paths:
        facts = change.facts.get(path)
        found |= _of_facts(connection, path, Cells(facts, _is_script(facts)) if facts else None)
    if change.moved:
        found |= _of_paths(connection, resolver)
    return (found | _of_names(connection, change, now)) - change.paths


def keep(connection: sqlite3.Connection, resolver: Resolver, ids: Mapping[str, int], change: Change | None) -> None:
    """Note what the files that were resolved looked up; `ids` are the files' by path. Without `change` all were resolved."""
    if change is None:
        connection.execute("DELETE FROM lookups")
        connection.execute("DELETE FROM answers")
    asked: dict[str, set[str]] = defaultdict(set)
    rows = []
    for path, reads in resolver.reads.items():
        for where, keys in _grouped(resolver, path, reads).items():
            asked[where].update(keys)
            rows.append((where, ids[path], json.dumps(keys)))
    connection.executemany("DELETE FROM lookups WHERE file_id = ?", [(ids[path],) for path in resolver.reads])
    connection.executemany("INSERT INTO lookups (path, file_id, keys) VALUES (?, ?, ?)", rows)
    if change:
        connection.executemany("DELETE FROM answers WHERE path = ?", [(path,) for path in change.gone])
    anew = change.facts.keys() if change else frozenset()
    others = {path for (path,) in connection.execute("SELECT path FROM answers")} if change and change.moved else set()
    for where in asked.keys() | anew | others:
        told = {} if where in anew else _told(connection, where)
        if change and change.moved:
            told = {key: was for key, was in told.items() if key[0] not in OF_PATHS}
        wanted = _asked(connection, where) if where in anew or where in others else asked[where]
        told |= {key: resolver.said(where, key) for key in wanted if key not in told}
        connection.execute("INSERT OR REPLACE INTO answers (path, told) VALUES (?, ?)", (where, json.dumps(told)))


def named(connection: sqlite3.Connection, change: Change | None = None) -> Named:
    """Looks names up in the index as it is published, and where something changed in what is about to be."""
    new: dict[Name, list[str]] = defaultdict(list)
    for path, facts in change.facts.items() if change else ():
        for name, uid in names(path, facts):
            new[name].append(uid)
    left = change.paths if change else frozenset()

    def look(name: Name) -> list[str]:
        script, method, word = name
        rows = connection.execute(
            "SELECT s.uid, f.path, f.language FROM symbols s JOIN files f ON f.id = s.file_id WHERE s.name = ? AND "
            + (_METHODS if method else _OTHERS),
            (word,),
        )
        there = [uid for uid, path, language in rows if path not in left and _has(language, script)]
        return sorted(there + new.get(name, []))

    return look


_METHODS = "s.kind = 'method'"
_OTHERS = (
    "s.kind IN ('function', 'class') AND s.parent_id = (SELECT id FROM symbols AS module WHERE module.uid = f.path)"
)


def _has(language: str, script: bool) -> bool:
    return language in SCRIPTS if script else language in FOLLOWED - SCRIPTS


def _is_script(facts: FileFacts) -> bool:
    return facts.language in SCRIPTS


def _readers(connection: sqlite3.Connection, path: str, *keys: str) -> set[str]:
    """The files that looked up one of these keys at a path."""
    wanted = set(keys)
    rows = connection.execute(
        "SELECT f.path, l.keys FROM lookups l JOIN files f ON f.id = l.file_id WHERE l.path = ?", (path,)
    )
    return {reader for reader, told in rows if not wanted.isdisjoint(json.loads(told))}


def _told(connection: sqlite3.Connection, path: str) -> dict[str, str]:
    row = connection.execute("SELECT told FROM answers WHERE path = ?", (path,)).fetchone()
    return json.loads(row[0]) if row else {}


def _of_facts(connection: sqlite3.Connection, path: str, cells: Cells | None) -> set[str]:
    other = [
        key
        for key, told in _told(connection, path).items()
        if key[0] not in OF_PATHS and (cells is None or cells.digest(key) != told)
    ]
    return _readers(connection, path, *other) if other else set()


def _of_paths(connection: sqlite3.Connection, resolver: Resolver) -> set[str]:
    found: set[str] = set()
    for path, told in connection.execute("SELECT path, told FROM answers").fetchall():
        other = [key for key, was in json.loads(told).items() if key[0] in OF_PATHS and resolver.said(path, key) != was]
        if other:
            found.update(_readers(connection, path, *other))
    return found


def _of_names(connection: sqlite3.Connection, change: Change, now: Named) -> set[str]:
    """The files with calls that may mean something whose name came or went."""
    was: set[tuple[Name, str]] = set()
    for path in change.paths:
        rows = connection.execute(
            "SELECT s.uid, s.name, s.kind, f.language FROM symbols s JOIN files f ON f.id = s.file_id"
            f" WHERE f.path = ? AND ({_METHODS} OR {_OTHERS})",
            (path,),
        )
        was |= {((_has(language, True), kind == "method", name), uid) for uid, name, kind, language in rows
                if language in FOLLOWED}  # fmt: skip
    new = {each for path, facts in change.facts.items() for each in names(path, facts)}
    before = named(connection)
    found: set[str] = set()
    for name in {name for name, _ in was ^ new}:
        old, now_there = before(name), now(name)
        for from_test in (False, True):
            if candidates(old, from_test) != candidates(now_there, from_test):
                rows = connection.execute(
                    "SELECT DISTINCT f.path, f.language FROM unresolved_calls u JOIN files f ON f.id = u.file_id"
                    " WHERE u.name = ? AND u.is_external = 0",
                    (name[2],),
                )
                found |= {path for path, language in rows if _has(language, name[0]) and is_test(path) is from_test}
    return found


def _asked(connection: sqlite3.Connection, path: str) -> set[str]:
    """The keys that anybody looked up at a path."""
    rows = connection.execute("SELECT keys FROM lookups WHERE path = ?", (path,))
    return {key for (told,) in rows for key in json.loads(told)}


def _grouped(resolver: Resolver, path: str, reads: Iterable[int]) -> dict[str, list[str]]:
    """The keys of what a file looked up, by where; what it says itself is left out, for then it has changed itself."""
    found: dict[str, list[str]] = defaultdict(list)
    for number in reads:
        where, key = resolver.key(number)
        if where != path or key[0] in OF_PATHS:
            found[where].append(key)
    return found
