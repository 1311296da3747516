"""Walk over a tree in the order of its text, without recursion: source may be nested as deep as it likes."""

from collections.abc import Callable, Mapping
from typing import Any

from tree_sitter import Node

from dragoman.repo.languages.draft import UNKNOWN, Draft, DraftScope
from dragoman.repo.languages.facts import Binding, Call

# True says that the handler has seen to the children itself.
type Handler[W] = Callable[[W, Node, DraftScope], bool | None]


class Walker:
    """One walk over one tree, with a handler for each kind of node that says something."""

    def __init__(self, draft: Draft, handlers: Mapping[str, Handler[Any]]) -> None:
        self.draft, self.handlers = draft, handlers
        self.waiting: list[tuple[Node, DraftScope]] = []
        self.handed: list[tuple[Node, DraftScope]] = []  # names passed on, looked at when every name is bound

    def walk(self, root: Node, scope: DraftScope) -> None:
        """Visit every node."""
        self.push(root.named_children, scope)
        waiting, handlers = self.waiting, self.handlers
        while waiting:
            node, scope = waiting.pop()
            handler = handlers.get(node.type)
            if (handler is None or not handler(self, node, scope)) and node.named_child_count:
                waiting.extend([(child, scope) for child in reversed(node.named_children)])

    def push(self, nodes: list[Node], scope: DraftScope) -> None:
        """Visit these next, in their order, before whatever was pushed earlier."""
        self.waiting.extend([(node, scope) for node in reversed(nodes)])

    def bind(self, scope: DraftScope, word: str, binding: Binding, weak: bool = False) -> None:
        """Bind a name; a definition wins over a later plain assignment, a `weak` one over nothing."""
        where = scope.elsewhere.get(word, scope)
        old = where.names.get(word)
        if where is not scope and old and old[0] == "def":
            binding = UNKNOWN  # defined again from inside another function: who knows which one ran last
            where.names[word] = binding
        scope = where
        if (weak and old) or (old and binding[0] == "var" and old[0] != "var"):
            return
        scope.names[word] = binding

    def call(self, kind: str, called: Node, last: Node, scope: DraftScope, at: int) -> None:
        """A call, or a reference; `last` is its last word."""
        row, column = last.start_point
        shown = self.draft.source.text(called.start_byte, called.end_byte)
        self.draft.calls.append(Call(kind, scope.index, at, row + 1, column, shown))
