"""The names of symbols: which shapes resolve, the words one is made of, and its dotted form."""

import re

# Every tool that takes a name says this; a test resolves these examples and proves that the last ones do not.
NAME_SHAPES = (
    "A name: window.fit or package.window.Window.fit (dotted, from any part on), Window.fit (class and method), "
    "src/package/window.py::Window.fit (path::name), src/package/window.py:12 (path:line), or fit alone; case counts. "
    "Not: fit(), Window::fit, Window#fit, fit*."
)

_WORD = re.compile(r"[A-ZÀ-ÖØ-Þ]?[a-zß-öø-ÿ]+|[A-ZÀ-ÖØ-Þ]+(?![a-zß-öø-ÿ])|\d+|[^\W\d_a-zA-Zß-öø-ÿÀ-ÖØ-Þ]+")
# What stands before the first package.
_ROOT = re.compile(
    r"^(?:.*/)?src/(?:main|test)/(?:java|kotlin|scala)/|^(?:.*/)?(?:src|lib)/(?=.*\.pyi?$)|^(?:src|lib)/"
)
_TEST = re.compile(
    r"(?:^|/)(?:tests?|testing|__tests__|specs?|e2e)/|(?:^|/)(?:test_[^/]*|conftest|[^/]*_tests?)\.[^/]+$"
    r"|\.(?:test|spec)\.[^/]+$|(?:^|/)[^/]*Tests?\.(?:java|cs|php)$"
)


def words(name: str) -> list[str]:
    """`HTTPServer_run2` is http, server, run, 2."""
    return [word.lower() for word in _WORD.findall(name)]


def module(path: str) -> str:
    """The dotted name of a file: `src/package/window.py` is package.window, `package/__init__.py` is package."""
    *parts, file = _ROOT.sub("", path).split("/")
    stem = file.partition(".")[0] or file
    if stem not in ("__init__", "index", "mod") or not parts:
        parts.append(stem)
    return ".".join(parts)


def is_test(path: str) -> bool:
    """Whether a file is a test or belongs to some, by its name."""
    return bool(_TEST.search(path))
