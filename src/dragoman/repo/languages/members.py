"""What belongs to a class, an instance or a module: attributes along the order in which Python looks for them."""

from abc import ABC, abstractmethod
from collections.abc import Mapping

from dragoman.repo.languages import outside
from dragoman.repo.languages.asking import Asking
from dragoman.repo.languages.facts import Binding
from dragoman.repo.languages.found import File, Found, both, merged


class Members(Asking, ABC):
    """The half of the inference that looks into things; the other half says what an expression is."""

    def __init__(self, files: Mapping[str, File]) -> None:
        super().__init__()
        self.files = files

    @abstractmethod
    def infer(self, file: File, scope: int, at: int, awaited: bool = False) -> Found | None:
        """What an expression is, seen from a scope."""

    @abstractmethod
    def follow(self, file: File, binding: Binding, scope: int) -> Found | None:
        """What a binding stands for."""

    @abstractmethod
    def member(self, module: str, name: str) -> Found | None:
        """What a module has under a name."""

    @abstractmethod
    def result(self, function: Found, receiver: Found | None, awaited: bool = False) -> Found | None:
        """What calling a function gives back."""

    def attribute(self, owner: Found | None, name: str) -> Found | None:
        """What `owner.name` is."""
        match owner:
            case None:
                return None
            case Found("module", path):
                return self.member(path, name)
            case Found("class" | "instance" | "namespace"):
                return self._attribute_of(owner, (owner.path, owner.scope), name, self.order(owner.path, owner.scope))
            case Found("super", path, scope):
                order = self.order(path, scope)
                return self._attribute_of(Found("instance", path, scope), (path, scope), name, order[1:])
            case Found("outside" | "made outside"):
                return Found("outside", f"{owner.path}.{name}", -1, owner.typed)
        return None

    def _attribute_of(
        self, owner: Found, start: tuple[str, int], name: str, order: list[tuple[str, int]]
    ) -> Found | None:
        for path, scope in order:
            if scope < 0:
                known = outside.has(path, name) if path else None
                if known is False:
                    continue
                return Found("outside", f"{path}.{name}") if known else None
            file = self.files[path]
            each = file.scopes[scope]
            self.note(file, "K", scope, name)
            binding, assigned = each.names.get(name), each.attributes.get(name)
            if binding is not None and assigned is not None and binding[0] == assigned[0] == "var":
                binding = (
                    binding
                    if binding[1:2] == ("type",)
                    else assigned
                    if assigned[1:2] == ("type",)
                    else both(binding, assigned)
                )
            binding = binding if binding is not None else assigned
            if binding is None:
                continue
            found = self.follow(file, binding, scope)
            if binding is assigned and found and found.kind == "function" and self._defined(name, order, (path, scope)):
                return None  # a method that some instances replace: which one is called cannot be told
            if found and found.kind == "function" and self._is_property(found):
                return self.result(found, owner) if owner.kind == "instance" else None
            return found._replace(typed=found.typed or owner.typed) if found else None
        return None

    def _is_property(self, function: Found) -> bool:
        file = self.files[function.path]
        self.note(file, "H", function.scope, "")
        return "property" in file.scopes[function.scope].flags

    def _defined(self, name: str, order: list[tuple[str, int]], after: tuple[str, int]) -> bool:
        """Whether a class further up defines the name."""
        for path, scope in order[order.index(after) + 1 :]:
            if scope >= 0:
                self.note(self.files[path], "K", scope, name)
                if name in self.files[path].scopes[scope].names:
                    return True
        return False

    def order(self, path: str, scope: int) -> list[tuple[str, int]]:
        """The classes an attribute is looked for in, as Python orders them; (name, -1) for one from outside, ("", -1) for an unknown one."""
        file = self.files[path]
        return self.ask(file, scope, self._order, file, scope) or [(path, scope), ("", -1)]

    def _order(self, file: File, scope: int) -> list[tuple[str, int]]:
        self.note(file, "H", scope, "")
        key = (file.path, scope)
        outer = file.scopes[scope].parent
        lines: list[list[tuple[str, int]]] = []
        for base in file.scopes[scope].bases:
            found = self.infer(file, outer, base)
            if found and found.kind == "class" and (found.path, found.scope) != key:
                lines.append(list(self.order(found.path, found.scope)))
            elif found and found.kind == "outside":
                lines.append([(found.path, -1)])
            else:
                lines.append([("", -1)])
        return [key, *merged(lines)]
