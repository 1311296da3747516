"""Read and list the files of a clone: by lines, with true totals, secrets masked. What may be read says `clamp`."""

from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader

from dragoman.harness.results import to_json
from dragoman.harness.tools import ToolError
from dragoman.repo import clamp, db, paths
from dragoman.repo.repository import Repository
from dragoman.repo.secrets import Masker

MOST_LINES = 400
MOST_BYTES = 100_000
MOST_ENTRIES = 200
_LONGEST = 1 << 29  # bytes of a file that is read through to count its lines


@dataclass(frozen=True, slots=True)
class Page:
    """Lines of a file, counted from 1. `cut` is how many bytes of its only line were left out, `masked` counts secrets."""

    path: str
    first_line: int
    last_line: int
    total_lines: int
    text: str
    next_offset: int | None = None
    masked: int = 0
    cut: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """A name in a folder; `kind` is file, folder, symlink or submodule, `lines` those of a file that is indexed."""

    name: str
    kind: str
    lines: int | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of a folder; `found` is how many entries it has."""

    path: str
    found: int
    entries: tuple[Entry, ...]
    next_offset: int | None = None


def read(repository: Repository, path: str, offset: int = 1, limit: int = MOST_LINES, room: int = 1 << 30) -> Page:
    """Lines of a tracked file from `offset` on, at most 400 and 100 KB, and so many that they fit `room` characters of JSON.

    Raises ToolError.
    """
    file = clamp.the_file(repository, path)
    with clamp.opened(repository, file) as content:
        return _page(content, file.path, max(1, offset), max(1, min(limit, MOST_LINES)), room)


def listing(repository: Repository, path: str = "", offset: int = 0) -> Listing:
    """What is tracked in a folder, 200 entries at most. Raises ToolError."""
    inside = clamp.spelled(repository, path)
    start = f"{inside}/" if inside else ""
    raw = paths.raw(start)
    kinds: dict[str, str] = {}
    for one in clamp.tracked(repository, inside):
        if not one.raw.startswith(raw):
            raise ToolError(f"{path} is a file. read_file shows it.", "not_a_folder")
        name, deeper, _ = one.raw[len(raw) :].partition(b"/")
        kind = {b"120000": "symlink", b"160000": "submodule"}.get(one.mode, "file")
        kinds[paths.text(name)] = "folder" if deeper else kind
    if not kinds and inside:
        raise ToolError(f"Git tracks nothing in a folder {path}. Leave the path out for the root.", "not_tracked")
    ordered = sorted(kinds.items(), key=lambda pair: (pair[1] != "folder", pair[0]))
    offset = max(0, offset)
    shown = ordered[offset : offset + MOST_ENTRIES]
    lines = _lines(repository, [start + name for name, kind in shown if kind == "file"])
    entries = tuple(Entry(name, kind, lines.get(start + name)) for name, kind in shown)
    more = offset + len(shown)
    return Listing(inside, len(ordered), entries, more if more < len(ordered) else None)


def lines_of(content: BufferedReader, most: int) -> Iterator[tuple[str, int]]:
    """Each line without its end, and how many bytes were left out of it because it has more than `most`."""
    while piece := content.readline(most + 1):
        left_out = 0
        kept = piece[:most] if not piece.endswith(b"\n") else piece
        left_out += len(piece) - len(kept)
        while not piece.endswith(b"\n") and (piece := content.readline(1 << 16)):
            left_out += len(piece.rstrip(b"\r\n"))
        yield kept.rstrip(b"\n").removesuffix(b"\r").decode("utf-8", "replace"), left_out


def _page(content: BufferedReader, path: str, offset: int, limit: int, room: int) -> Page:
    masker, kept = Masker(), list[str]()
    number = masked = cut = used = size = 0
    # A little more than is shown, so that no secret is cut in two before it is looked for.
    for line, left_out in lines_of(content, MOST_BYTES + 4_096):
        number += 1
        # A private key that began in the lines before is still one here.
        if number < offset and not masker.inside and "PRIVATE KEY" not in line:
            continue
        if number == offset:
            masker.counted = False
        shown, found = masker.line(line)
        if number < offset:
            continue
        cost, bytes_ = len(to_json(shown)), len(shown.encode("utf-8", "replace")) + 1
        full = len(kept) >= limit or used + cost > room or size + bytes_ > MOST_BYTES
        if full and kept:
            number -= 1
            break
        if full:  # one line alone is more than may be shown
            shown, left = _clipped(shown, min(room, MOST_BYTES))
            left_out += left
        kept.append(shown)
        used, size, masked, cut = used + cost, size + bytes_, masked + found, cut + left_out
        if cut:
            break
    else:
        return _whole(path, offset, number, kept, masked)
    total = number + _counted(content) + (0 if cut else 1)
    last = offset + len(kept) - 1
    return Page(path, offset, last, total, "\n".join(kept), last + 1 if last < total else None, masked, cut)


def _whole(path: str, offset: int, total: int, kept: list[str], masked: int) -> Page:
    """The page that reaches to the end of the file."""
    if not kept and total:
        raise ToolError(f"{path} has {total:,} lines; there is no line {offset:,}.", "no_such_line", total_lines=total)
    return Page(path, offset if kept else 0, total, total, "\n".join(kept), None, masked)


def _clipped(line: str, room: int) -> tuple[str, int]:
    """As much of the line's begin as fits, and how many bytes do not."""
    kept = line[:room]
    while len(to_json(kept)) > room or len(kept.encode("utf-8", "replace")) > room:
        kept = kept[: len(kept) * 9 // 10]
    return kept, len(line.encode("utf-8", "replace")) - len(kept.encode("utf-8", "replace"))


def _counted(content: BufferedReader) -> int:
    """How many lines are left."""
    count, last, seen = 0, b"\n", 0
    while piece := content.read(1 << 20):
        count += piece.count(b"\n")
        last = piece[-1:]
        seen += len(piece)
        if seen > _LONGEST:
            raise ToolError("The file is over 512 MB and is not read.", "too_large")
    return count + (last != b"\n")


def _lines(repository: Repository, names: list[str]) -> dict[str, int]:
    """How many lines these files have, where the index knows."""
    try:
        with db.read(repository.index) as index:
            marks = ", ".join("?" * len(names))
            return dict(
                tuple(row) for row in index.execute(f"SELECT path, lines FROM files WHERE path IN ({marks})", names)
            )
    except db.NotIndexed:
        return {}
