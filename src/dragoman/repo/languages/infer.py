"""What an expression is, where that can be proven from the facts; None everywhere else."""

from collections.abc import Mapping

from dragoman.repo.languages import outside
from dragoman.repo.languages.facts import Binding
from dragoman.repo.languages.found import File, Found, agreed, none
from dragoman.repo.languages.members import Members
from dragoman.repo.languages.modules import PythonModules

KINDS = {"class": "class", "object": "instance", "namespace": "namespace"}  # of a scope, to what it is found to be
DEEP = 60  # steps of one chain; a longer one, or a circle of aliases, ends here


class Inference(Members):
    """Asks the facts of all files together. Everything it finds is a step the code itself states."""

    def __init__(self, files: Mapping[str, File], python: PythonModules) -> None:
        super().__init__(files)
        self.python = python
        self._depth = 0

    def infer(self, file: File, scope: int, at: int, awaited: bool = False) -> Found | None:
        """What the expression `at` is, seen from a scope."""
        if at < 0 or self._depth > DEEP:
            return None
        key = (scope, at, awaited)
        known = file.inferred
        if key in known:
            return known[key]
        known[key] = None  # a circle meets this and ends
        self._depth += 1
        found = known[key] = self._infer(file, scope, at, awaited)
        self._depth -= 1
        return found

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
        if at < 0 or self._depth > DEEP:
            return None
        key = (scope, at, awaited)
        known = file.annotated
        if key in known:
            return known[key]
        known[key] = None
        self._depth += 1
        found = known[key] = self._annotation(file, scope, at, awaited)
        self._depth -= 1
        return found

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
        first = True
        while scope >= 0:
            each = file.scopes[scope]
            if each.kind not in ("class", "object") or (first and not file.script):
                binding = each.names.get(name)
                if binding is not None:
                    return binding, scope
            first = False if each.kind != "block" else first
            scope = each.parent
        return None

    def _name(self, file: File, scope: int, name: str) -> Found | None:
        bound = self.lookup(file, scope, name)
        if bound is not None:
            return self.follow(file, bound[0], bound[1])
        if file.script:
            return Found("outside", name)
        for module in file.facts.stars:
            starred = file.modules.find(file.path, module)
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
                bound = self.lookup(file, 0, name)
                return self.follow(file, *bound) if bound else None
            case ("mod", str(module)):
                target = file.modules.find(file.path, module)
                if target is not None:
                    whole = self.files[target].facts.exports.get("=") if target in self.files else None
                    return self.follow(self.files[target], whole, 0) if whole else Found("module", target)
                return None if file.modules.knows(file.path, module) else Found("outside", module)
            case ("from", str(module), str(name)):
                return self._imported(file, module, name)
            case ("var", *votes) if votes:
                return self._voted(file, votes)
        return None

    def _imported(self, file: File, module: str, name: str) -> Found | None:
        target = file.modules.find(file.path, module)
        if target is not None:
            return self.member(target, name)
        if not file.modules.knows(file.path, module):
            return Found("outside", f"{module}.{name}")
        return None

    def member(self, module: str, name: str) -> Found | None:
        """What a module has under a name."""
        if self._depth > DEEP:
            return None
        self._depth += 1
        found = self._member(module, name)
        self._depth -= 1
        return found

    def _member(self, module: str, name: str) -> Found | None:
        file = self.files.get(module)
        if file is None:  # a folder that is a namespace package
            within = self.python.within(module, name)
            return Found("module", within) if within else None
        if file.script:
            if name in file.facts.exports:
                return self.follow(file, file.facts.exports[name], 0)
            if "=" in file.facts.exports:
                whole = self.follow(file, file.facts.exports["="], 0)
                return whole if name == "default" else self.attribute(whole, name)
        elif name in file.scopes[0].names:
            found = self.follow(file, file.scopes[0].names[name], 0)
            # `from . import name` in a package names its own module.
            return found or self._submodule(file, name)
        submodule = self._submodule(file, name)
        if submodule:
            return submodule
        if name.startswith("_") or name == "default":
            return None
        starred = (file.modules.find(file.path, star) for star in file.facts.stars)
        return next((found for each in starred if each and each != module and (found := self.member(each, name))), None)

    def _submodule(self, file: File, name: str) -> Found | None:
        within = file.modules.within(file.path, name)
        return Found("module", within) if within else None

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
        given = scope.attributes.get("return")
        if given is None or len(given) < 2:
            return None
        found = self._voted(file, list(given[1:]))
        own = next((bound for bound in scope.names.values() if bound[0] == "inst"), None)
        if own and found and receiver and (found.kind, found.path, found.scope) == ("instance", file.path, own[1]):
            return receiver if receiver.kind == "instance" else found
        return found

    def _method_of(self, file: File, scope: int) -> int:
        while scope >= 0:
            each = file.scopes[scope]
            if each.kind == "function" and each.parent >= 0 and file.scopes[each.parent].kind in KINDS:
                return each.parent
            scope = each.parent
        return -1
