"""Which language a file is in, and who reads it."""

from pathlib import PurePosixPath

from dragoman.repo.languages import outline, python, script
from dragoman.repo.languages.facts import FileFacts
from dragoman.repo.languages.tables import TABLES

LANGUAGES = {
    "python": "py pyi pyw",
    "typescript": "ts mts cts",
    "tsx": "tsx",
    "javascript": "js jsx mjs cjs",
    "go": "go",
    "rust": "rs",
    "java": "java",
    "c": "c h",
    "cpp": "cc cpp cxx c++ hh hpp hxx h++ ipp",
    "csharp": "cs",
    "ruby": "rb rake gemspec",
    "php": "php",
}
_BY_SUFFIX = {f".{suffix}": language for language, suffixes in LANGUAGES.items() for suffix in suffixes.split()}


def language_of(path: str) -> str:
    """The language `path` is written in, by its name; "" where it is none that is read here."""
    return _BY_SUFFIX.get(PurePosixPath(path).suffix.lower(), "")


def read(path: str, source: bytes) -> FileFacts:
    """The facts of one file. Whatever stands in it, this returns: `error_share` tells how much could not be read."""
    language = language_of(path)
    if language == "python":
        return python.read(source)
    if language in script.LANGUAGES:
        return script.read(source, language)
    if language in TABLES:
        return outline.read(source, language)
    return FileFacts(language, source.count(b"\n") + (not source.endswith(b"\n") and bool(source)))
