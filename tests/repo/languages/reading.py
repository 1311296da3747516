"""Small repositories as texts, and what is understood of them."""

from textwrap import dedent

from dragoman.repo.languages import configs, registry
from dragoman.repo.languages.edges import Resolution
from dragoman.repo.languages.resolve import resolve


def understand(files: dict[str, str]) -> Resolution:
    """The edges between a few files, and what their configs say of modules."""
    told = {path: dedent(text).encode() for path, text in files.items()}
    kept = {path: found for path, text in told.items() if (found := configs.read(path, text)) is not None}
    return resolve({path: registry.read(path, text) for path, text in told.items() if path not in kept}, kept)


def calls(files: dict[str, str]) -> set[tuple[str, str]]:
    """Who calls whom, as pairs."""
    return {(edge.caller, edge.callee) for edge in understand(files).edges}


def callees(text: str, path: str = "a.py", **others: str) -> list[tuple[str, str]]:
    """What is called from `use` in one file, with the tier, in the order of the text; other files by their stem."""
    suffix = "." + path.rpartition(".")[2]
    found = understand({path: text, **{name + suffix: other for name, other in others.items()}})
    return [(e.callee.removeprefix(f"{path}::"), e.tier) for e in found.edges if e.caller == f"{path}::use"]
