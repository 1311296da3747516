"""Hold the edges of one repository against a SCIP index of it."""

import os
import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from bench.graph.scip import Index
from dragoman.repo.languages import configs, registry
from dragoman.repo.languages.facts import FileFacts
from dragoman.repo.languages.resolve import resolve


@dataclass(slots=True)
class Verdict:
    """Counts of one repository, or of several added up.

    `judged` edges are those whose call the type checker placed on a function or class; `on_variable` are left out, since
    it names the variable and not what is in it. `known` are the calls it places on a function or class of the repository.
    """

    edges: int = 0
    judged: int = 0
    right: int = 0
    on_variable: int = 0
    known: int = 0
    found: int = 0
    disagreements: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        """Of the judged edges, the share that is right."""
        return self.right / max(1, self.judged)

    @property
    def recall(self) -> float:
        """Of the known calls, the share that has the right edge."""
        return self.found / max(1, self.known)

    def __add__(self, other: "Verdict") -> "Verdict":
        return Verdict(*(getattr(self, each) + getattr(other, each) for each in self.__slots__))


def read(root: Path, language: str) -> dict[str, FileFacts]:
    """The facts of all files of a language below `root`."""
    wanted = {"python"} if language == "python" else {"typescript", "tsx", "javascript"}
    files = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = Path(folder, name)
            relative = path.relative_to(root).as_posix()
            if registry.language_of(relative) in wanted:
                files[relative] = registry.read(relative, path.read_bytes())
    return files


def read_configs(root: Path) -> dict[str, str]:
    """What is kept of the configs below `root` that say where modules are."""
    read = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*.json")}
    return {path: kept for path, content in read.items() if (kept := configs.read(path, content)) is not None}


def judge(name: str, files: dict[str, FileFacts], index: Index, kept: dict[str, str] | None = None) -> Verdict:
    """What is right, wrong and missing. `kept` is what `read_configs` gave."""
    verdict = Verdict()
    defined: dict[tuple[str, int], list[str]] = defaultdict(list)  # a definition's place to uids
    for path, facts in files.items():
        for symbol in facts.symbols:
            if symbol.kind not in ("variable", "attribute"):
                defined[path, symbol.line].append(f"{path}::{symbol.qualname}")
    edges = {(edge.path, edge.line, edge.column): edge for edge in resolve(files, kept or {}).edges}
    verdict.edges = len(edges)
    for path, facts in sorted(files.items()):
        for call in facts.calls:
            place = (path, call.line, call.column)
            symbols = index.occurrences.get(place, [])
            if call.kind != "call" or not symbols:
                continue
            truth, elsewhere, variable = _truth(symbols, index, defined)
            edge = edges.get(place)
            right = edge is not None and _plain(edge.callee) in {_plain(uid) for uid in truth}
            if truth:
                verdict.known += 1
                verdict.found += right
                if edge is None:
                    verdict.missed.append(_line(name, place, call.text, "nothing", truth))
            if edge is not None and (truth or elsewhere):
                verdict.judged += 1
                verdict.right += right
                if not right:
                    verdict.disagreements.append(_line(name, place, call.text, edge.callee, truth or symbols))
            elif edge is not None and variable:
                verdict.on_variable += 1
    return verdict


def _truth(symbols: list[str], index: Index, defined: dict[tuple[str, int], list[str]]) -> tuple[list[str], bool, bool]:
    """The uids the type checker means, whether it means something of a library, and whether a variable or parameter.

    A symbol of the repository that is defined nowhere is a name whose import it could not follow.
    """
    truth: list[str] = []
    elsewhere = variable = False
    for symbol in symbols:
        places = index.definitions.get(symbol, [])
        if not places and " local " not in symbol and "python-stdlib" in symbol:
            elsewhere = True
        last = _word(symbol)
        for path, line, _ in places:
            here = [uid for uid in defined.get((path, line), []) if " local " in symbol or _last(uid) == last]
            truth += here
            variable = variable or not here
    return truth, elsewhere, variable


def _word(symbol: str) -> str:
    """The name a symbol ends with: `run` of `... module/Class#run().`"""
    return re.split(r"[/#.]", re.sub(r"(\(\+?\d*\))?[.#/:]?$", "", symbol))[-1].strip("`")


def _last(uid: str) -> str:
    return _plain(uid).rpartition("::")[2].rpartition(".")[2]


def _plain(uid: str) -> str:
    """A uid without its counters: an overload and what implements it are one function."""
    return re.sub(r"#\d+", "", uid)


def _line(name: str, place: tuple[str, int, int], text: str, ours: str, theirs: list[str]) -> str:
    return f"{name}/{place[0]}:{place[1]}:{place[2]} `{text}` ours: {ours} | theirs: {', '.join(sorted(set(theirs)))}"
