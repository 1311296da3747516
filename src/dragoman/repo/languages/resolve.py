"""Put the facts of files together: who calls whom, only where every step is certain."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType

from dragoman.repo.languages.asking import Cell
from dragoman.repo.languages.cells import OF_PATHS, Cells
from dragoman.repo.languages.edges import Edge, ImportTarget, Possible, Reference, Resolution, Unresolved
from dragoman.repo.languages.facts import Call, FileFacts
from dragoman.repo.languages.found import File, Found
from dragoman.repo.languages.infer import Inference
from dragoman.repo.languages.modules import OtherModules, PythonModules, is_test
from dragoman.repo.languages.script_modules import ScriptModules

SCRIPTS = frozenset(("typescript", "tsx", "javascript"))
FOLLOWED = SCRIPTS | {"python"}  # the languages whose calls are resolved
_NO_CONFIGS: Mapping[str, str] = MappingProxyType({})
CANDIDATES = 10  # a name that more things share tells nothing; its calls stay unresolved

# What may be called by a name alone: is it a script, is it a method (otherwise a function or class of a module), its name.
type Name = tuple[bool, bool, str]
type Named = Callable[[Name], list[str]]  # uids, in their order


def resolve(files: Mapping[str, FileFacts], kept: Mapping[str, str] = _NO_CONFIGS) -> Resolution:
    """The edges between `files`, by path from the repository's root; `kept` is what configs.read gave for its configs.

    The same facts and configs give the same value.
    A name that more than CANDIDATES methods share has no possible callees; its calls are listed as unresolved.
    """
    languages = {path: facts.language for path, facts in files.items()}
    resolver = Resolver(languages, files.__getitem__, named(files), kept)
    for path in sorted(files):
        resolver.add(path)
    return resolver.resolution()


def names(path: str, facts: FileFacts) -> Iterable[tuple[Name, str]]:
    """What in a file may be called by its name alone, each with its uid."""
    if facts.language in FOLLOWED:
        script = facts.language in SCRIPTS
        for symbol in facts.symbols:
            if symbol.kind == "method" or (symbol.kind in ("function", "class") and not symbol.parent):
                yield (script, symbol.kind == "method", symbol.name), f"{path}::{symbol.qualname}"


def named(files: Mapping[str, FileFacts]) -> Named:
    """Looks names up in these files."""
    known: dict[Name, list[str]] = defaultdict(list)
    for path, facts in files.items():
        for name, uid in names(path, facts):
            known[name].append(uid)
    return lambda name: sorted(known.get(name, ()))


def candidates(uids: list[str], from_test: bool) -> list[str]:
    """Those of the things with one name that a call in a test, or elsewhere, may mean; none where they are too many."""
    found = uids if from_test else [uid for uid in uids if not is_test(uid.partition("::")[0])]
    return found if len(found) <= CANDIDATES else []


class Sources(dict[str, File]):
    """The files whose calls are followed, each looked at when it is first asked for."""

    def __init__(self, made: Mapping[str, Callable[[], File]]) -> None:
        super().__init__()
        self._made = made

    def __missing__(self, path: str) -> File:
        file = self[path] = self._made[path]()
        return file

    def __contains__(self, path: object) -> bool:
        return path in self._made

    def get(self, path: str, default: File | None = None) -> File | None:  # type: ignore[override]
        """The file, or nothing where it is none of them."""
        return self[path] if path in self._made else default


class Resolver:
    """Resolves one file after the other, in any order, among all of them; `reads` is what each of them was told on the way.

    `languages` are all files of which there are facts, and `load` gives those of one. `kept` are the configs; see `resolve`.
    """

    def __init__(
        self,
        languages: Mapping[str, str],
        load: Callable[[str], FileFacts],
        named: Named,
        kept: Mapping[str, str] = _NO_CONFIGS,
    ) -> None:
        self.languages, self._load, self._named = languages, load, named
        self.python = PythonModules([path for path, language in languages.items() if language == "python"])
        self.scripts = ScriptModules([path for path, language in languages.items() if language in SCRIPTS], kept)
        self.others = OtherModules([path for path, language in languages.items() if language not in FOLLOWED])
        followed = {path: language in SCRIPTS for path, language in languages.items() if language in FOLLOWED}
        self.files = Sources({path: partial(self._file, path, script) for path, script in followed.items()})
        self.inference = Inference(self.files, self.python)
        self.reads: dict[str, set[int]] = {}
        self._said: dict[str, Cells] = {}
        self._edges: list[Edge] = []
        self._references: list[Reference] = []
        self._possible: list[Possible] = []
        self._unresolved: list[Unresolved] = []
        self._imports: list[ImportTarget] = []

    def resolution(self) -> Resolution:
        """The edges of the files that were added, in that order."""
        return Resolution(
            tuple(self._edges),
            tuple(self._possible),
            tuple(self._unresolved),
            tuple(self._imports),
            tuple(self._references),
        )

    def add(self, path: str) -> None:
        """Resolve one file."""
        self.inference.reads = self.reads[path] = set()
        if path in self.files:
            file = self.inference.home = self.files[path]
            for call in file.facts.calls:
                self._call(file, call)
            self._import(file)
            file.own.clear()
        else:
            for each in self._load(path).imports:
                number = self.inference.number(Cell(path, "f", 0, each.module))
                self.inference.reads.add(number)
                self._imports.append(ImportTarget(path, each.line, each.module, self.place("f", path, each.module)))

    def place(self, kind: str, path: str, text: str) -> str | None:
        """What is looked up among the paths: the module `text` as written in a file, or (`kind` w) inside a package."""
        if kind == "w":
            return self.python.within(path, text)
        language = self.languages.get(path, "")
        if language in FOLLOWED:
            return (self.scripts if language in SCRIPTS else self.python).find(path, text)
        return self.others.find(path, text, language)

    def key(self, number: int) -> tuple[str, str]:
        """The path and the key of a cell that was looked up, as they are kept."""
        path, kind, _, text = cell = self.inference.cells[number]
        return path, f"{kind}{text}" if kind in OF_PATHS else self._cells(path).key(cell) if path else kind

    def said(self, path: str, key: str) -> str:
        """What stands there now under a key: a path, or a digest."""
        if key[0] in OF_PATHS:
            return self.place(key[0], path, key[1:]) or self._open(key[0], path, key[1:])
        return self._cells(path).digest(key) if path in self.files else ""

    def _open(self, kind: str, path: str, text: str) -> str:
        """What is said of a script's module that is not found: whether it may lie in the repository depends on the configs."""
        is_script = kind == "f" and self.languages.get(path) in SCRIPTS
        return "?" if is_script and self.scripts.knows(path, text) else ""

    def _cells(self, path: str) -> Cells:
        if path not in self._said:
            file = self.files[path]
            self._said[path] = Cells(file.facts, file.script)
        return self._said[path]

    def _file(self, path: str, script: bool) -> File:
        facts = self._load(path)
        return File(path, facts, self.scripts if script else self.python, script, facts.scopes)

    def _call(self, file: File, call: Call) -> None:
        found = self.inference.whole(lambda: self._callee(file, call)) if call.expression >= 0 else None
        target = self._uid(found) if found and found.kind in ("class", "function") else ""
        holder = self._holder(file, call.scope)
        if target and found:
            tier = "typed" if found.typed else "proven"
            if call.kind == "call":
                self._edges.append(Edge(holder, target, file.path, call.line, call.column, tier))
            else:
                self._references.append(Reference(holder, target, file.path, call.line, call.column, tier))
            return
        if call.kind != "call":
            return
        row = file.facts.expressions[call.expression] if call.expression >= 0 else ("",)
        name = str(row[-1]) if row[0] in ("name", "attr") else ""
        external = found is not None and found.kind in ("outside", "made outside")
        self._unresolved.append(Unresolved(holder, file.path, call.line, call.text, name, external))
        if not external and found is None and name and call.text.endswith(name):
            for callee in self._candidates(file, call, row, name):
                self._possible.append(Possible(holder, callee, file.path, call.line, call.column))

    def _callee(self, file: File, call: Call) -> Found | None:
        inference = self.inference
        found = inference.infer(file, call.scope, call.expression)
        if found and found.kind == "instance" and call.kind == "call":
            return inference.attribute(found, "__call__") or found
        return found

    def _candidates(self, file: File, call: Call, row: tuple[str | int, ...], name: str) -> list[str]:
        method = row[0] == "attr"
        if not method and self.inference.lookup(file, call.scope, name) is not None:
            return []
        return candidates(self._named((file.script, method, name)), is_test(file.path))

    def _uid(self, found: Found) -> str:
        file = self.files[found.path]
        self.inference.note(file, "H", found.scope, "")
        symbol = file.scopes[found.scope].symbol
        return f"{found.path}::{file.facts.symbols[symbol].qualname}" if symbol >= 0 else ""

    def _holder(self, file: File, scope: int) -> str:
        while scope >= 0:
            each = file.scopes[scope]
            if each.symbol >= 0:
                return f"{file.path}::{file.facts.symbols[each.symbol].qualname}"
            scope = each.parent
        return file.path

    def _import(self, file: File) -> None:
        for each in file.facts.imports:
            target = self.inference.find(file, each.module)
            shown = target if target and not target.endswith("/") else None
            self._imports.append(ImportTarget(file.path, each.line, each.module, shown))
            if target and not file.script:
                joined = each.module if each.module.endswith(".") else f"{each.module}."
                for name in each.names:
                    path = self.inference.within(target, name)
                    if path and not path.endswith("/"):
                        self._imports.append(ImportTarget(file.path, each.line, f"{joined}{name}", path))
