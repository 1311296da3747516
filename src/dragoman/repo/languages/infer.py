"""What an expression is, where that can be proven from the facts; None everywhere else."""

from collections.abc import Mapping

from dragoman.repo.languages import outside
from dragoman.repo.languages.asking import Cell
from dragoman.repo.languages.facts import Binding
from dragoman.repo.languages.found import KINDS, File, Found, agreed, bound, method_of, none
from dragoman.repo.languages.members import Members
from dragoman.repo.languages.modules import PythonModules


class Inference(Members):
    """Asks the facts of all files together. Everything it finds is a step the code itself states."""

    def __init__(self, files: Mapping[str, File], python: PythonModules) -> None:
        super().__init__(files)
        self.python = python

    def infer(self, file: File, scope: int, at: int, awaited: bool = False) -> Found | None:
        """What the expression `at` is, seen from a scope."""
        return self.ask(file, (scope, at, awaited), self._infer, file, scope, at, awaited) if at >= 0 else None

    def _infer(self, file: File, scope: int, at: int, awaited: bool) -> Found | None:
        row = file.facts.expressions[at]
        match row[0]:
            case "name":
                return self._name(file, scope, str(row[1]))
            case "attr":
                return self.attribute(self.infer(file, scope, int(row[1])), str(row[2]))
            case "call" | "new":
                return self._called(file, scope, int(row[1]), awaited)
            case "await":
                found = self.infer(file, scope, int(row[1]), awaited=True)
                return found if found and found.kind != "made outside" else None
            case "super":
                owner = self._method_of(file, scope)
                return Found("super", file.path, owner) if owner >= 0 else None
            case "or":
                return agreed([self.infer(file, scope, int(a), awaited) for a in row[1:] if not none(file, int(a))])
            case "item":
                found = self.infer(file, scope, int(row[1]))
                return found if found and found.kind in ("class", "outside") else None
            case "as":
                return self.annotation(file, scope, int(row[1]), awaited)
            case "told":
                return self._told(file, scope, int(row[1]), int(row[2]))
            case "literal":
                return Found("made outside", str(row[1]))
        return None

    def _told(self, file: File, scope: int, called: int, at: int) -> Found | None:
        """What a call of typing's says a value is: an instance for `cast`, the class itself for a bound type variable."""
        by = self.infer(file, scope, called)
        name = by.path.rpartition(".")[2] if by and by.kind == "outside" and by.path.startswith("typing") else ""
        found = self.annotation(file, scope, at) if name in ("cast", "TypeVar") else None
        if found and found.kind == "instance" and name == "TypeVar":
            return found._replace(kind="class")
        return found

    def annotation(self, file: File, scope: int, at: int, awaited: bool = False) -> Found | None:
        """What a value of the annotated type is."""
        return self.ask(file, (at, scope, awaited, ""), self._annotation, file, scope, at, awaited) if at >= 0 else None

    def _annotation(self, file: File, scope: int, at: int, awaited: bool) -> Found | None:
        row = file.facts.expressions[at]
        if row[0] == "or":
            found = [self.annotation(file, scope, int(a), awaited) for a in row[1:] if not none(file, int(a))]
            return found[0] if len(found) == 1 else None
        if row[0] == "literal":
            return Found("made outside", str(row[1]), typed=True)
        named = self.infer(file, scope, int(row[1]) if row[0] == "item" else at)
        if named and named.kind == "class":
            return Found("instance", named.path, named.scope, True)
        if row[0] == "item":
            head = str(file.facts.expressions[int(row[1])][-1])
            if head in outside.WRAPPERS and len(row) > 2:
                return self.annotation(file, scope, int(row[2]), awaited)
            if head in ("Type", "type") and len(row) > 2:
                held = self.annotation(file, scope, int(row[2]))
                return Found("class", held.path, held.scope, True) if held and held.kind == "instance" else None
            if head in outside.PROMISES and awaited:
                return self.annotation(file, scope, int(row[-1]))
            if head in ("Union", "Promise"):
                return None
        if named and named.kind == "outside" and named.path.rpartition(".")[2] not in ("Any", "Self", "object", "this"):
            return Found("made outside", named.path, typed=True)
        return None

    def lookup(self, file: File, scope: int, name: str) -> tuple[Binding, int] | None:
        """The binding of a name and the scope it stands in; the bodies of classes are passed by from inside."""
        self.note(file, "L", scope, name)
        return bound(file.scopes, file.script, scope, name)

    def _name(self, file: File, scope: int, name: str) -> Found | None:
        told = self.lookup(file, scope, name)
        if told is not None:
            return self.follow(file, *told)
        if file.script:
            return Found("outside", name)
        self.note(file, "S", 0, "")
        for module in file.facts.stars:
            starred = self.find(file, module)
            if starred is None and not outside.is_builtin(name):
                return None
            found = self.member(starred, name) if starred and not name.startswith("_") else None
            if found:
                return found
        return Found("outside", name) if outside.is_builtin(name) else None

    def follow(self, file: File, binding: Binding, scope: int) -> Found | None:
        """What a binding stands for."""
        match binding:
            case ("def", int(inner)):
                kind = KINDS.get(file.scopes[inner].kind, "function")
                return Found(kind, file.path, inner)
            case ("inst", int(owner)):
                return Found("instance", file.path, owner)
            case ("class", int(owner)):
                return Found("class", file.path, owner)
            case ("local", str(name)):
                told = self.lookup(file, 0, name)
                return self.follow(file, *told) if told else None
            case ("mod", str(module)):
                target = self.find(file, module)
                if target is not None:
                    imported = self.files.get(target)
                    whole = self._exported(imported, "=") if imported else None
                    return self._whole(imported, whole) if imported and whole else Found("module", target)
                return None if self.knows(file, module) else Found("outside", module)
            case ("from", str(module), str(name)):
                return self._imported(file, module, name)
            case ("var", *votes) if votes:
                return self._voted(file, votes)
        return None

    def _imported(self, file: File, module: str, name: str) -> Found | None:
        target = self.find(file, module)
        if target == file.path and self._bound(file, name) == ("from", module, name):
            return self._submodule(file, name)  # `from . import name` in a package names its own module
        if target is not None:
            return self.member(target, name)
        return None if self.knows(file, module) else Found("outside", f"{module}.{name}")

    def _exported(self, file: File, name: str) -> Binding | None:
        self.note(file, "X", 0, name)
        return file.facts.exports.get(name)

    def _whole(self, file: File, exported: Binding) -> Found | None:
        """What a file exports as its only thing."""
        found: Found | None = self.ask(file, ("=",), self.follow, file, exported, 0)
        return found

    def member(self, module: str, name: str) -> Found | None:
        """What a module has under a name."""
        file = self.files.get(module)
        if file is not None:
            found: Found | None = self.ask(file, name, self._member, file, name)
            return found
        within = self.within(module, name)  # a folder that is a namespace package
        return Found("module", within) if within else None

    def _member(self, file: File, name: str) -> Found | None:
        if file.script:
            exported = self._exported(file, name)
            if exported is not None:
                return self.follow(file, exported, 0)
            exported = self._exported(file, "=")
            if exported is not None:
                whole = self._whole(file, exported)
                return whole if name == "default" else self.attribute(whole, name)
        else:
            binding = self._bound(file, name)
            if binding is not None:
                return self.follow(file, binding, 0) or self._submodule(file, name)
        submodule = self._submodule(file, name)
        if submodule:
            return submodule
        if name.startswith("_") or name == "default":
            return None
        self.note(file, "S", 0, "")
        starred = (self.find(file, star) for star in file.facts.stars)
        return next(
            (found for each in starred if each and each != file.path and (found := self.member(each, name))), None
        )

    def _bound(self, file: File, name: str) -> Binding | None:
        self.note(file, "K", 0, name)
        return file.scopes[0].names.get(name)

    def _submodule(self, file: File, name: str) -> Found | None:
        within = None if file.script else self.within(file.path, name)
        return Found("module", within) if within else None

    def within(self, module: str, name: str) -> str | None:
        """The module inside a package. It depends on which files there are, so it is always noted."""
        if module.endswith("/") or module.rpartition("/")[2].startswith("__init__.py"):
            self.reads.add(self.number(Cell(module, "w", 0, name)))
        return self.python.within(module, name)

    def _voted(self, file: File, votes: list[str | int]) -> Found | None:
        found: list[Found | None] = []
        for kind, at, scope in zip(votes[::3], votes[1::3], votes[2::3], strict=True):
            if kind == "type":
                return self.annotation(file, int(scope), int(at))
            if not none(file, int(at)):
                found.append(self.infer(file, int(scope), int(at)))
        return agreed(found)

    def _called(self, file: File, scope: int, called: int, awaited: bool) -> Found | None:
        found = self.infer(file, scope, called)
        match found:
            case Found("class"):
                return Found("instance", found.path, found.scope, found.typed)
            case Found("function"):
                row = file.facts.expressions[called]
                receiver = self.infer(file, scope, int(row[1])) if row[0] == "attr" else None
                if receiver and receiver.kind == "super":
                    receiver = self.infer_receiver(file, scope)
                return self.result(found, receiver, awaited)
            case Found("instance"):
                made = self.attribute(found, "__call__")
                return self.result(made, found, awaited) if made and made.kind == "function" else None
            case Found("outside") if outside.makes_outside(found.path):
                return Found("made outside", found.path, -1, found.typed)
        return None

    def infer_receiver(self, file: File, scope: int) -> Found | None:
        """The instance a method of this place was called on."""
        owner = self._method_of(file, scope)
        return Found("instance", file.path, owner) if owner >= 0 else None

    def result(self, function: Found, receiver: Found | None, awaited: bool = False) -> Found | None:
        """What calling a function gives back."""
        file = self.files[function.path]
        scope = file.scopes[function.scope]
        self.note(file, "H", function.scope, "")
        if "self" in scope.flags:
            good = receiver is not None and receiver.kind in ("instance", "class")
            return Found("instance", receiver.path, receiver.scope, True) if good and receiver else None
        is_async = "async" in scope.flags
        if is_async and not awaited:
            return None
        if scope.returns >= 0:
            where = function.scope if file.script else max(scope.parent, 0)
            return self.annotation(file, where, scope.returns, awaited and (file.script or not is_async))
        if "generator" in scope.flags or "overload" in scope.flags or (awaited and not is_async):
            return None
        self.note(file, "K", function.scope, "return")
        given = scope.attributes.get("return")
        if given is None or len(given) < 2:
            return None
        found = self._voted(file, list(given[1:]))
        own = next((bound for bound in scope.names.values() if bound[0] == "inst"), None)
        if own and found and receiver and (found.kind, found.path, found.scope) == ("instance", file.path, own[1]):
            return receiver if receiver.kind == "instance" else found
        return found

    def _method_of(self, file: File, scope: int) -> int:
        self.note(file, "M", scope, "")
        return method_of(file.scopes, scope)
