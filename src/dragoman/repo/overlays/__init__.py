"""What others found out about the same code: a SCIP index, a CodeGraph database. Read where they lie in the root, and checked."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from dragoman.repo.languages.edges import Edge, Resolution
from dragoman.repo.languages.facts import FileFacts
from dragoman.repo.overlays import codegraph, scip
from dragoman.repo.repository import Repository


@dataclass(frozen=True, slots=True)
class Overlaid:
    """A resolution without what others know better, and their calls: (caller, callee, line, column, tier, resolver) by path."""

    resolution: Resolution
    calls: Mapping[str, list[tuple[str, str, int, int, str, str]]]


def mark(repository: Repository) -> str:
    """Changes when an overlay comes, goes or changes."""
    return " ".join(overlay.mark(repository) for overlay in (scip, codegraph)).strip()


def lay(repository: Repository, facts: Mapping[str, FileFacts], resolution: Resolution) -> Overlaid:
    """Put what others know over our own edges; where they know a call site, ours give way. Without overlays nothing changes."""
    calls: dict[str, list[tuple[str, str, int, int, str, str]]] = {}
    sites: set[tuple[str, int, int]] = set()
    names: set[tuple[str, int, str]] = set()
    first, references = scip.told(repository, facts)
    compiled = {(edge.path, edge.line, _name(edge)) for edge in first}
    for resolver, edges in (("scip", first), ("codegraph", codegraph.edges(repository, facts))):
        for edge in edges:
            named = (edge.path, edge.line, _name(edge))
            # Two indexes may tell one call, each with a column of its own; the compiler's counts.
            if (edge.path, edge.line, edge.column) in sites or (resolver == "codegraph" and named in compiled):
                continue
            sites.add((edge.path, edge.line, edge.column))
            names.add(named)
            row = (edge.caller, edge.callee, edge.line, edge.column, edge.tier, resolver)
            calls.setdefault(edge.path, []).append(row)
    if not sites and not references:
        return Overlaid(resolution, {})
    told = replace(
        resolution,
        edges=tuple(edge for edge in resolution.edges if not _known(edge, sites)),
        possible=tuple(maybe for maybe in resolution.possible if (maybe.path, maybe.line, maybe.column) not in sites),
        unresolved=tuple(call for call in resolution.unresolved if (call.path, call.line, call.name) not in names),
        references=(*resolution.references, *references),
    )
    return Overlaid(told, calls)


def _name(edge: Edge) -> str:
    return edge.callee.rpartition("::")[2].rpartition(".")[2].partition("#")[0]


def _known(edge: Edge, sites: set[tuple[str, int, int]]) -> bool:
    return (edge.path, edge.line, edge.column) in sites
