"""Who is who among the authors: by mailmap, by a forge's private addresses, by equal e-mail; never by name, bots apart."""

import re
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dragoman.repo.git import Git

# Private addresses that forges give out: a number that stays when somebody renames, then the name.
_PRIVATE = re.compile(r"(?:(?P<number>\d+)[+-])?(?P<login>[^@+]+)@users\.noreply\.(?P<forge>[\w.-]+)")
_BOT = re.compile(
    r"\[bot\]|^(?:dependabot|renovate|greenkeeper|pyup|pre-commit-ci|github-actions?|semantic-release)(?:[-_ ]?bot)?$",
    re.I,
)
# Addresses that many share say nothing of who it is; the name has to be told apart there.
_SHARED = re.compile(
    r"(?:no-?reply@.*|(?:root|nobody|git|user|admin|build|jenkins|ci)@.*|[^@]*@localhost(?:\..*)?|[^@]*|unknown@.*|you@example\.com)"
)


@dataclass(frozen=True, slots=True)
class Person:
    """A spelling of an author, and what it comes down to: `key` is equal for spellings of one person."""

    key: str
    name: str
    email: str
    is_bot: bool = False


def person(name: str, email: str, logins: Mapping[str, str] | None = None) -> Person:
    """Who writes under this name and address. `logins` tells the number behind a private address that lacks it."""
    address = email.strip().casefold()
    if _BOT.search(name) or "[bot]" in address:
        return Person(f"bot {name.strip().casefold()}", name, email, True)
    if private := _PRIVATE.fullmatch(address):
        forge, number, login = private["forge"], private["number"], private["login"]
        number = number or (logins or {}).get(f"{login}@{forge}")
        return Person(f"{forge} {number or login}", name, email)
    if _SHARED.fullmatch(address):
        return Person(f"{address} {name.strip().casefold()}", name, email)
    return Person(address, name, email)


def logins(emails: Iterable[str]) -> dict[str, str]:
    """`login@forge` to the number, from the private addresses that hold both."""
    found = (_PRIVATE.fullmatch(email.strip().casefold()) for email in emails)
    return {f"{one['login']}@{one['forge']}": one["number"] for one in found if one and one["number"]}


def unify(connection: sqlite3.Connection, git: Git) -> None:
    """Give every spelling its author as the mailmap has it now, and every commit the author of its spelling."""
    rows = connection.execute("SELECT id, name, email, author_id FROM identities ORDER BY id").fetchall()
    mapped = _mapped(git, [(row["name"], row["email"]) for row in rows])
    numbers = logins(email for _, email in mapped)
    keys: dict[str, int] = {}
    changed: list[tuple[int, int]] = []
    for row, (name, email) in zip(rows, mapped, strict=True):
        who = person(name, email, numbers)
        author = keys.get(who.key)
        if author is None:
            author = keys[who.key] = author_of(connection, who)
        if author != row["author_id"]:
            changed.append((author, row["id"]))
    connection.executemany("UPDATE identities SET author_id = ? WHERE id = ?", changed)
    connection.executemany("UPDATE commits SET author_id = ? WHERE identity_id = ?", changed)
    _name(connection, {row["id"]: pair for row, pair in zip(rows, mapped, strict=True)})
    connection.execute("DELETE FROM authors WHERE id NOT IN (SELECT author_id FROM identities)")


def author_of(connection: sqlite3.Connection, who: Person) -> int:
    """The author's id, a new one where nobody has this key."""
    connection.execute(
        "INSERT INTO authors (key, name, email, is_bot) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO NOTHING",
        (who.key, who.name, who.email, who.is_bot),
    )
    return int(connection.execute("SELECT id FROM authors WHERE key = ?", (who.key,)).fetchone()[0])


def _name(connection: sqlite3.Connection, mapped: Mapping[int, tuple[str, str]]) -> None:
    """Call every author what they were called in their newest commit."""
    newest = connection.execute(
        "SELECT author_id, identity_id, max(id) FROM commits GROUP BY author_id"  # the columns are those of the newest
    ).fetchall()
    connection.executemany(
        "UPDATE authors SET name = ?, email = ? WHERE id = ?",
        [(*mapped[row["identity_id"]], row["author_id"]) for row in newest if row["identity_id"] in mapped],
    )


def _mapped(git: Git, pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The pairs as git's mailmap has them, in the same order."""
    asked = [i for i, pair in enumerate(pairs) if not re.search(r"[<>\n\r\0]", "".join(pair))]
    given = "".join(f"{pairs[i][0]} <{pairs[i][1]}>\n" for i in asked).encode()
    told = git.run("check-mailmap", "--stdin", given=given) if asked else None
    answers = told.out.decode("utf-8", "replace").split("\n")[:-1] if told and told.ok else []
    result = list(pairs)
    if len(answers) == len(asked):
        for i, answer in zip(asked, answers, strict=True):
            name, _, email = answer.rpartition(" <")
            result[i] = name.strip(), email.removesuffix(">")
    return result
