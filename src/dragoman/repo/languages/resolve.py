"""Put the facts of all files together: who calls whom, only where every step is certain."""

from collections import defaultdict
from collections.abc import Mapping

from dragoman.repo.languages.edges import Edge, ImportTarget, Possible, Reference, Resolution, Unresolved
from dragoman.repo.languages.facts import Call, FileFacts
from dragoman.repo.languages.found import File, Found
from dragoman.repo.languages.infer import Inference
from dragoman.repo.languages.modules import OtherModules, PythonModules, ScriptModules, is_test

SCRIPTS = frozenset(("typescript", "tsx", "javascript"))
CANDIDATES = 10  # a name that more things share tells nothing; its calls stay unresolved


def resolve(files: Mapping[str, FileFacts]) -> Resolution:
    """The edges between `files`, by path from the repository's root. The same facts give the same value.

    A name that more than CANDIDATES methods share has no possible callees; its calls are listed as unresolved.
    """
    paths = sorted(files)
    python = PythonModules([path for path in paths if files[path].language == "python"])
    scripts = ScriptModules([path for path in paths if files[path].language in SCRIPTS])
    read = {
        path: File(
            path, facts, scripts if facts.language in SCRIPTS else python, facts.language in SCRIPTS, facts.scopes
        )
        for path, facts in ((path, files[path]) for path in paths)
        if facts.scopes
    }
    calls = _Calls(read, python)
    for file in read.values():
        for call in file.facts.calls:
            calls.add(file, call)
    others = OtherModules([path for path in paths if path not in read])
    imports: list[ImportTarget] = []
    for path in paths:
        if path in read:
            imports += _imports(read[path])
        else:
            language = files[path].language
            found = ((each, others.find(path, each.module, language)) for each in files[path].imports)
            imports += [ImportTarget(path, each.line, each.module, target) for each, target in found]
    return Resolution(
        tuple(calls.edges), tuple(calls.possible), tuple(calls.unresolved), tuple(imports), tuple(calls.references)
    )


class _Calls:
    def __init__(self, files: Mapping[str, File], python: PythonModules) -> None:
        self.files = files
        self.inference = Inference(files, python)
        self.edges: list[Edge] = []
        self.references: list[Reference] = []
        self.possible: list[Possible] = []
        self.unresolved: list[Unresolved] = []
        self.methods: dict[tuple[bool, str], list[str]] = defaultdict(list)
        self.functions: dict[tuple[bool, str], list[str]] = defaultdict(list)
        for path, file in files.items():
            for symbol in file.facts.symbols:
                uid = f"{path}::{symbol.qualname}"
                if symbol.kind == "method":
                    self.methods[file.script, symbol.name].append(uid)
                elif symbol.kind in ("function", "class") and not symbol.parent:
                    self.functions[file.script, symbol.name].append(uid)
        self.tests = {path for path in files if is_test(path)}

    def add(self, file: File, call: Call) -> None:
        inference = self.inference
        found = inference.infer(file, call.scope, call.expression) if call.expression >= 0 else None
        if found and found.kind == "instance" and call.kind == "call":
            found = inference.attribute(found, "__call__") or found
        target = self._uid(found) if found and found.kind in ("class", "function") else ""
        if call.kind != "call":
            if target and found:
                holder = self._holder(file, call.scope)
                tier = "typed" if found.typed else "proven"
                self.references.append(Reference(holder, target, file.path, call.line, call.column, tier))
            return
        caller = self._holder(file, call.scope)
        if target and found:
            tier = "typed" if found.typed else "proven"
            self.edges.append(Edge(caller, target, file.path, call.line, call.column, tier))
            return
        row = file.facts.expressions[call.expression] if call.expression >= 0 else ("",)
        name = str(row[-1]) if row[0] in ("name", "attr") else ""
        external = found is not None and found.kind in ("outside", "made outside")
        self.unresolved.append(Unresolved(caller, file.path, call.line, call.text, name, external))
        if not external and found is None and name and call.text.endswith(name):
            for callee in self._candidates(file, call, row, name):
                self.possible.append(Possible(caller, callee, file.path, call.line, call.column))

    def _candidates(self, file: File, call: Call, row: tuple[str | int, ...], name: str) -> list[str]:
        if row[0] == "attr":
            found = self.methods.get((file.script, name), [])
        elif self.inference.lookup(file, call.scope, name) is None:
            found = self.functions.get((file.script, name), [])
        else:
            found = []
        if file.path not in self.tests:
            found = [uid for uid in found if uid.partition("::")[0] not in self.tests]
        return found if len(found) <= CANDIDATES else []

    def _uid(self, found: Found) -> str:
        facts = self.files[found.path].facts
        symbol = facts.scopes[found.scope].symbol
        return f"{found.path}::{facts.symbols[symbol].qualname}" if symbol >= 0 else ""

    def _holder(self, file: File, scope: int) -> str:
        while scope >= 0:
            each = file.scopes[scope]
            if each.symbol >= 0:
                return f"{file.path}::{file.facts.symbols[each.symbol].qualname}"
            scope = each.parent
        return file.path


def _imports(file: File) -> list[ImportTarget]:
    found = []
    for each in file.facts.imports:
        target = file.modules.find(file.path, each.module)
        shown = target if target and not target.endswith("/") else None
        found.append(ImportTarget(file.path, each.line, each.module, shown))
        if target and not file.script:
            joined = each.module if each.module.endswith(".") else f"{each.module}."
            within = ((name, file.modules.within(target, name)) for name in each.names)
            found += [
                ImportTarget(file.path, each.line, f"{joined}{name}", path)
                for name, path in within
                if path and not path.endswith("/")
            ]
    return found
