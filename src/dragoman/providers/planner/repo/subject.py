"""Subject: what a question about a repository is about - a name, a path with lines, or plain words."""

import re
from dataclasses import dataclass

from dragoman.providers.planner.history import History

_KINDS = {
    "function": "function", "functions": "function", "method": "method", "methods": "method", "class": "class",
    "classes": "class", "file": "file", "files": "file", "module": "file", "modules": "file", "folder": "folder",
    "folders": "folder", "directory": "folder", "directories": "folder", "package": "folder", "packages": "folder",
    "interface": "interface", "type": "", "variable": "variable", "constant": "variable", "symbol": "", "symbols": "",
    "component": "", "struct": "", "enum": "", "trait": "", "field": "", "attribute": "", "property": "",
    "helper": "", "decorator": "", "script": "file",
}  # fmt: skip
_LEADING = frozenset("the a an our my this that these those of in at to from on all any every named called".split())
_TRAILING = frozenset(
    "defined declared implemented located exactly again now please here right currently itself code definition"
    " implementation source there live lives anyway actually today".split()
)
_PRONOUNS = frozenset("it its they them this that these those there".split())
_EXTENSIONS = frozenset(
    "py pyi js jsx mjs cjs ts tsx mts vue svelte go rs java kt c h cc cpp hpp cs rb php md rst txt toml yaml yml json"
    " cfg ini lock html css scss sql sh proto graphql xml csv svg png".split()
)
_LINES = re.compile(r"^(?P<path>[^\s:]+?):(?P<first>\d+)(?:\s*[-–]\s*(?P<last>\d+))?$")
_WORD = re.compile(r"`[^`]+`|\"[^\"]+\"|“[^”]+”|'[^']+'(?!\w)|\S+")


@dataclass(frozen=True, slots=True)
class Subject:
    """At most one of `name` (a symbol), `path` and `words` is filled; `line` and `last_line` belong to a path.

    `guessed` says that `name` is a plain word that may as well be no symbol at all.
    """

    name: str = ""
    path: str = ""
    words: str = ""
    line: int = 0
    last_line: int = 0
    kind: str = ""
    guessed: bool = False
    whole: bool = False

    @property
    def said(self) -> str:
        """The subject as it was written."""
        return self.name or self.path or self.words

    @property
    def empty(self) -> bool:
        """Whether nothing was named."""
        return not self.said and not self.whole


def read(text: str, history: History) -> Subject:
    """The subject in a piece of a question; a pronoun is what the turns before were about."""
    pieces = [piece.rstrip(",;!?") for piece in _WORD.findall(text.strip().rstrip("?!.,;: "))]
    pieces = [piece for piece in pieces if piece]
    kind = ""
    while pieces and (pieces[0].lower() in _LEADING or _kind(pieces, 0)):
        if len(pieces) == 1 and (pieces[0].lower() in _PRONOUNS):
            break
        kind = _KINDS.get(pieces[0].lower(), "") or kind
        pieces.pop(0)
    while len(pieces) > 1 and pieces[-1].lower() in _TRAILING:
        pieces.pop()
    while len(pieces) > 1 and pieces[-1].lower() in _KINDS:
        kind = _KINDS[pieces[-1].lower()] or kind
        pieces.pop()
    if len(pieces) == 1 and kind == "folder" and pieces[0].lower() in ("root", "top", "main", "top-level"):
        return Subject(whole=True, kind=kind)
    if pieces and pieces[-1].lower() in ("repo", "repository", "project", "codebase") and len(pieces) == 1:
        return Subject(whole=True, kind=kind)
    if len(pieces) == 1 and pieces[0].lower() in _KINDS and pieces[0][:1].isupper():  # a class that is called Interface
        return Subject(name=bare(pieces[0]), kind=kind)
    if not pieces or (len(pieces) == 1 and pieces[0].lower() in _PRONOUNS | set(_KINDS)):
        return remembered(history, kind if not pieces else _KINDS.get(pieces[0].lower(), kind))
    if len(pieces) == 1:
        return one(pieces[0], kind)
    telling = [piece for piece in pieces if is_code(piece) or is_path(piece)]
    if len(telling) == 1:
        return one(telling[0], kind)
    if named := _named_in_path(pieces, telling):
        return named
    return Subject(words=" ".join(bare(piece) for piece in pieces), kind=kind)


def one(piece: str, kind: str = "") -> Subject:
    """The subject one word stands for."""
    word = bare(piece)
    if (match := _LINES.match(word)) and "::" not in word:
        first = int(match["first"])
        return Subject(path=clean_path(match["path"]), line=first, last_line=int(match["last"] or first), kind=kind)
    if kind in ("file", "folder") and (is_path(word) or "." not in word):
        return Subject(path=clean_path(word), kind=kind)
    if is_path(word):
        return Subject(path=clean_path(word), kind="folder" if word.endswith("/") else kind)
    if re.search(r"\s", word):
        return Subject(words=word, kind=kind)
    return Subject(name=word, kind=kind, guessed=not is_code(piece) and not kind)


def is_path(piece: str) -> bool:
    """Whether a word looks like a path: a slash in it, or the ending of a file."""
    word = bare(piece)
    if "::" in word or "://" in word:
        return False
    stem, _, ending = word.rpartition(".")
    return ("/" in word.strip("/") and " " not in word) or word.endswith("/") or bool(stem and ending in _EXTENSIONS)


def is_code(piece: str) -> bool:
    """Whether a word looks like a name in code and not like English."""
    word = bare(piece)
    if piece[:1] in "`" or piece.endswith("()"):
        return True
    return bool(
        re.fullmatch(r"[\w.:#/<>$-]+", word)
        and ("_" in word or "::" in word or re.search(r"[a-z][A-Z]", word) or re.search(r"\w\.\w", word))
    )


def bare(piece: str) -> str:
    """A word without its quotation marks, its call brackets and the possessive after it."""
    word = piece.strip().strip("`\"“”'").removesuffix("'s").removesuffix("’s")
    return re.sub(r"\(\)?$", "", word).rstrip("?!,;")


def clean_path(path: str) -> str:
    """A path as the tools take it: from the root, without `./` and a slash at the end; the root is empty."""
    path = path.removeprefix("./").strip("/")
    return "" if path == "." else path


def remembered(history: History, kind: str = "") -> Subject:
    """What the newest earlier turn was about: the symbol or the path of its last fitting call."""
    for turn in reversed(history.earlier):
        for step in reversed(turn.steps):
            data, arguments = step.data, step.call.arguments
            symbol = data.get("symbol")
            if isinstance(symbol, dict) and kind not in ("file", "folder"):
                return Subject(name=str(symbol.get("id", "")), kind=kind)
            if isinstance(symbol, dict) and kind == "file":
                return Subject(path=str(symbol.get("path", "")), kind=kind)
            if not step.failed and (path := arguments.get("path")):
                return Subject(path=clean_path(str(path)), kind=kind)
    return Subject(kind=kind)


def _kind(pieces: list[str], place: int) -> bool:
    """A word for a kind in front of something it can be the kind of."""
    return len(pieces) > place + 1 and pieces[place].lower() in _KINDS


def _named_in_path(pieces: list[str], telling: list[str]) -> Subject | None:
    """`render in render.py`: a name, and the file it stands in."""
    if len(pieces) == 3 and pieces[1].lower() in ("in", "of", "from", "inside") and is_path(pieces[2]):
        return Subject(name=f"{clean_path(bare(pieces[2]))}::{bare(pieces[0])}")
    paths = [piece for piece in telling if is_path(piece)]
    names = [piece for piece in telling if not is_path(piece)]
    if len(paths) == 1 and len(names) == 1:
        return Subject(name=f"{clean_path(bare(paths[0]))}::{bare(names[0])}")
    return None
