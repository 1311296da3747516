"""Keep commits in the index: some at a time, each once, with its files, its words and its author."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from dragoman.repo import people, words
from dragoman.repo.db import transaction
from dragoman.repo.gitlog import Entry

_AT_ONCE = 500  # commits that are kept together
_MOST_CHANGES = 20_000  # files among them after which they are kept sooner

Found = tuple[Entry, str | None]
Counts = tuple[str | None, int, int, int]  # incomplete, files, insertions, deletions

_COMMIT = """
    INSERT INTO commits (id, sha, author_id, identity_id, authored_at, committed_at, parents, subject, body, is_merge,
                         incomplete, files_changed, insertions, deletions)
    SELECT ?, ?, author_id, id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM identities WHERE id = ?
"""
_MENDED = "UPDATE commits SET incomplete = ?, files_changed = ?, insertions = ?, deletions = ? WHERE id = ?"
_FILE = (
    "INSERT OR REPLACE INTO commit_files (sha, path, old_path, status, insertions, deletions) VALUES (?, ?, ?, ?, ?, ?)"
)


@dataclass(slots=True)
class Keeper:
    """Writes what a walk reads. `new` counts the commits nobody had kept before, `odd` their fields that were no text."""

    connection: sqlite3.Connection
    new: int = 0
    odd: int = 0
    _identities: dict[tuple[str, str], int] = field(default_factory=dict)

    def unknown(self, shas: Sequence[str]) -> list[str]:
        """Those that are not kept yet, in the same order; the others are reachable, whatever they were."""
        marks = ",".join("?" * len(shas))
        rows = self.connection.execute(f"SELECT sha, reachable FROM commits WHERE sha IN ({marks})", shas)
        known = {row["sha"]: row["reachable"] for row in rows}
        again = [(sha,) for sha, reachable in known.items() if not reachable]
        if again:
            with transaction(self.connection):
                self.connection.executemany("UPDATE commits SET reachable = 1 WHERE sha = ?", again)
        return [sha for sha in shas if sha not in known]

    def keep(self, found: Iterable[Found]) -> Iterator[int]:
        """Keep them, and tell after each transaction how many of them are kept."""
        waiting: list[Found] = []
        kept = changes = 0
        for one in found:
            waiting.append(one)
            changes += len(one[0].changes)
            if len(waiting) >= _AT_ONCE or changes >= _MOST_CHANGES:
                kept += self._write(waiting)
                yield kept
                waiting, changes = [], 0
        if waiting:
            yield kept + self._write(waiting)

    def _write(self, found: list[Found]) -> int:
        """In few statements: one for each commit would take longer than git takes to tell it."""
        commits: list[tuple[object, ...]] = []
        files: list[tuple[object, ...]] = []
        told: list[tuple[int, str, str]] = []
        with transaction(self.connection):
            known = self._known([entry.sha for entry, _ in found])
            first = self.connection.execute("SELECT coalesce(max(id), 0) + 1 FROM commits").fetchone()[0]
            for entry, incomplete in found:
                counts = _counts(entry, incomplete)
                row_id: int | None = first + len(commits)
                if entry.sha in known:
                    row_id = self._mended(entry, counts)
                else:
                    commits.append((row_id, *self._row(entry, counts)))
                    self.odd += entry.odd
                if row_id is not None:
                    rows = [(entry.sha, c.path, c.old_path, c.status, c.insertions, c.deletions) for c in entry.changes]
                    files += rows
                    paths = words.of_paths(_both(row[1:3] for row in rows))
                    told.append((row_id, _message(entry.subject, entry.body), paths))
            self.connection.executemany(_COMMIT, commits)
            self.connection.executemany(_FILE, files)
            words.add(self.connection, told)
        self.new += len(commits)
        return len(found)

    def _known(self, shas: Sequence[str]) -> set[str]:
        marks = ",".join("?" * len(shas))
        return {row[0] for row in self.connection.execute(f"SELECT sha FROM commits WHERE sha IN ({marks})", shas)}

    def _row(self, entry: Entry, counts: Counts) -> tuple[object, ...]:
        told = (entry.authored_at, entry.committed_at, " ".join(entry.parents), entry.subject, entry.body)
        return (entry.sha, *told, len(entry.parents) > 1, *counts, self._identity(entry.author, entry.email))

    def _mended(self, entry: Entry, counts: Counts) -> int | None:
        """Make room for the files of a commit that was incomplete; None where another scan was faster, or nothing has come."""
        rows = self.connection.execute("SELECT id, incomplete, subject, body FROM commits WHERE sha = ?", (entry.sha,))
        known = rows.fetchone()
        if known["incomplete"] in (None, counts[0]):
            return None
        words.forget(self.connection, known["id"], _message(known["subject"], known["body"]), self._paths(entry.sha))
        self.connection.execute("DELETE FROM commit_files WHERE sha = ?", (entry.sha,))
        self.connection.execute(_MENDED, (*counts, known["id"]))
        return int(known["id"])

    def _identity(self, name: str, email: str) -> int:
        if (name, email) not in self._identities:
            author = people.author_of(self.connection, people.person(name, email))
            self.connection.execute(
                "INSERT INTO identities (name, email, author_id) VALUES (?, ?, ?) ON CONFLICT (name, email) DO NOTHING",
                (name, email, author),
            )
            found = self.connection.execute("SELECT id FROM identities WHERE name = ? AND email = ?", (name, email))
            self._identities[name, email] = found.fetchone()[0]
        return self._identities[name, email]

    def _paths(self, sha: str) -> list[str]:
        return _both(self.connection.execute("SELECT path, old_path FROM commit_files WHERE sha = ?", (sha,)))


def _counts(entry: Entry, incomplete: str | None) -> Counts:
    insertions = sum(change.insertions or 0 for change in entry.changes)
    deletions = sum(change.deletions or 0 for change in entry.changes)
    return incomplete, len(entry.changes), insertions, deletions


def _message(subject: str, body: str) -> str:
    return f"{subject}\n{body}"


def _both(rows: Iterable[Sequence[str | None]]) -> list[str]:
    """The paths of the rows, new ones and old ones, in one order whatever the order of the rows."""
    return sorted({path for row in rows for path in row if path is not None})
