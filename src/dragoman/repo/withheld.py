"""Names of which nothing is ever shown: git's and our own state and configuration, and .env files."""

import re
import unicodedata
from functools import lru_cache

_OWN = frozenset({".git", ".codegraph", ".dragoman", "dragoman.toml"})
_ENV = ".env"
_BEGIN = "diff --git"
_LEFT_OUT = f"{_BEGIN} (a file of which nothing is shown)\n"


def denied(path: str) -> bool:
    """Whether a part of the path is such a name, whatever way it is spelled."""
    return any(map(_is_one, path.split("/")))


def without(diff: str) -> str:
    """A diff without what it says of such files, each replaced by a line that says so."""
    if f"{_BEGIN} " not in diff:
        return diff
    first, *sections = re.split(rf"^(?={_BEGIN} )", diff, flags=re.MULTILINE)
    return first + "".join(_LEFT_OUT if denied(_header(section)) else section for section in sections)


def _header(section: str) -> str:
    """The line that names the files of a section, each word of it as a part of a path."""
    return section.partition("\n")[0].replace(" ", "/")


@lru_cache(maxsize=8192)
def _is_one(part: str) -> bool:
    name = _plain(part)
    return name in _OWN or name.startswith(_ENV)


def _plain(part: str) -> str:
    """A name as a careless file system would compare it: without case, odd spaces, invisible letters and streams."""
    folded = unicodedata.normalize("NFKC", part).casefold()
    seen = "".join(letter for letter in folded if unicodedata.category(letter) not in ("Cf", "Cc"))
    seen = seen.partition(":")[0].rstrip(". ")
    return ".git" if seen == "git~1" else seen
