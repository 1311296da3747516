"""Find a text in the tracked files: a fixed string, upper and lower case alike, or else the lines that hold all of its words.

Git names the files; what is found in them is found in the masked text, so that a search cannot feel its way through a secret.
"""

import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dragoman.harness.tools import ToolError
from dragoman.repo import clamp, paths, tree
from dragoman.repo.files import lines_of
from dragoman.repo.repository import Repository
from dragoman.repo.secrets import Masker

MOST_MATCHES = 100
_WIDTH = 240  # characters of a line that are shown
_LINE_BYTES = 100_000
_LONGEST_QUERY = 200
_MOST_FILES = 5_000


@dataclass(frozen=True, slots=True)
class Match:
    """A line, counted from 1, with what stands around the match."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """A page of matches in the order of their paths; `found` counts all of them, in the files that were searched.

    `words` says that the lines hold all the words and not the text as a whole, `left_out` counts files not searched.
    """

    found: int
    matches: tuple[Match, ...]
    next_offset: int | None = None
    words: bool = False
    left_out: int = 0


def search(repository: Repository, query: str, path: str = "", limit: int = 30, offset: int = 0) -> Found:
    """The lines that hold the query, below `path`. Raises ToolError."""
    query = query.strip()
    if not query or len(query) > _LONGEST_QUERY or any(letter in query for letter in "\0\n\r"):
        raise ToolError(f"Search for one line of text, at most {_LONGEST_QUERY} characters.", "bad_query")
    inside = clamp.spelled(repository, path) if path else ""
    limit, offset = max(1, min(limit, MOST_MATCHES)), max(0, offset)
    found = _search(repository, [query], inside, limit, offset)
    words = query.split()
    if found.found or len(words) < 2:
        return found
    several = _search(repository, words, inside, limit, offset)
    return Found(several.found, several.matches, several.next_offset, bool(several.found), several.left_out)


def _search(repository: Repository, texts: Sequence[str], inside: str, limit: int, offset: int) -> Found:
    files = _files(repository, texts, inside)
    patterns = [re.compile(re.escape(text), re.IGNORECASE) for text in texts]
    count, page = 0, list[Match]()
    for file in files[:_MOST_FILES]:
        for match in _matches(repository, file, patterns):
            if offset <= count < offset + limit:
                page.append(match)
            count += 1
    more = offset + len(page)
    left_out = max(0, len(files) - _MOST_FILES)
    return Found(count, tuple(page), more if page and more < count else None, left_out=left_out)


def _files(repository: Repository, texts: Sequence[str], inside: str) -> list[clamp.Tracked]:
    """The tracked regular files that git finds the texts in."""
    words = [word for text in texts for word in ("--and", "-e", text)][1:]
    command = ["--literal-pathspecs", "grep", "-z", "-l", "-i", "-a", "-F", "--no-textconv", "--no-recurse-submodules"]
    head = tree.head(repository) if repository.bare else ""
    if repository.bare and not head:
        return []
    where = ["--", paths.raw(inside).decode("utf-8", "surrogateescape")] if inside else []
    named = _asked(repository, [*command, *words, *([head] if head else []), *where])
    known = {one.raw: one for one in clamp.tracked(repository, inside) if one.regular}
    start = f"{head}:".encode() if head else b""
    return sorted((known[r] for raw in named if (r := raw.removeprefix(start)) in known), key=lambda one: one.raw)


def _asked(repository: Repository, words: Sequence[str]) -> list[bytes]:
    place = ["--git-dir", str(repository.git_dir)] if repository.bare else ["-C", str(repository.root)]
    done = subprocess.run(
        ["git", *place, "-c", "core.fsmonitor=false", "-c", "grep.fullName=true", "-c", "color.ui=false", *words],
        check=False,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        env=tree.environment(),
    )
    if done.returncode > 1:  # 1 says that nothing was found
        raise ToolError("Git could not search the files.", "search_failed")
    return done.stdout.split(b"\0")[:-1]


def _matches(repository: Repository, file: clamp.Tracked, patterns: Sequence[re.Pattern[str]]) -> Iterator[Match]:
    try:
        with clamp.opened(repository, file) as content:
            masker = Masker()
            for number, (line, _) in enumerate(lines_of(content, _LINE_BYTES), 1):
                # A line is masked where it matters: where it matches, and where a private key begins, goes on or ends.
                if not (masker.inside or "PRIVATE KEY" in line or all(pattern.search(line) for pattern in patterns)):
                    continue
                shown, _ = masker.line(line)
                if all(pattern.search(shown) for pattern in patterns):
                    yield Match(file.path, number, _around(shown, patterns[0]))
    except ToolError:  # binary, gone, or no longer a regular file: nothing of it is shown
        return


def _around(line: str, pattern: re.Pattern[str]) -> str:
    line = line.strip()
    if len(line) <= _WIDTH or (hit := pattern.search(line)) is None:
        return line[:_WIDTH]
    begin = max(0, min(hit.start() - _WIDTH // 3, len(line) - _WIDTH))
    end = begin + _WIDTH
    return f"{'…' if begin else ''}{line[begin:end]}{'…' if end < len(line) else ''}"
