"""Walk over a Python tree: one handler a kind of node, and what all of them do."""

from collections.abc import Callable, Mapping

from tree_sitter import Node

from dragoman.repo.languages.draft import Draft, DraftScope
from dragoman.repo.languages.facts import Binding, Call
from dragoman.repo.languages.python_expressions import docstring, expression, name
from dragoman.repo.languages.source import SIGNATURE, documentation

HANDED = frozenset(("identifier", "attribute"))
# True says that the handler has seen to the children itself.
type Handler = Callable[["Reader", Node, DraftScope], bool | None]


class Reader:
    """One walk over one tree, without recursion: source may be nested as deep as it likes."""

    def __init__(self, draft: Draft, handlers: Mapping[str, Handler]) -> None:
        self.draft, self.handlers = draft, handlers
        self.waiting: list[tuple[Node, DraftScope]] = []

    def walk(self, root: Node, scope: DraftScope) -> None:
        """Visit every node in the order of the text."""
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
        scope = scope.elsewhere.get(word, scope)
        old = scope.names.get(word)
        if (weak and old) or (old and binding[0] == "var" and old[0] != "var"):
            return
        scope.names[word] = binding

    def hand_over(self, node: Node | None, scope: DraftScope) -> None:
        """A name that is passed on without being called."""
        if node is not None and node.type in HANDED and (at := expression(self.draft, node)) >= 0:
            self.call("reference", node, scope, at)

    def call(self, kind: str, called: Node, scope: DraftScope, at: int) -> None:
        """A call, or a name handed over."""
        last = called.child_by_field_name("attribute") if called.type == "attribute" else called
        row, column = (last or called).start_point
        shown = self.draft.source.text(called.start_byte, called.end_byte)
        self.draft.calls.append(Call(kind, scope.index, at, row + 1, column, shown))

    def define(self, node: Node, scope: DraftScope, kind: str, decorators: list[str]) -> DraftScope | None:
        """The symbol and the scope of a class or function."""
        named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if named is None or body is None:
            return None
        draft, word = self.draft, name(named)
        shown = "method" if kind == "function" and scope.kind == "class" else kind
        signature = draft.source.text(node.start_byte, body.start_byte, SIGNATURE)
        signature = signature.partition(" #")[0].rstrip().removesuffix(":").rstrip()
        whole = node.parent if node.parent is not None and node.parent.type == "decorated_definition" else node
        doc = documentation(docstring(body)) or draft.source.comment_above(whole.start_byte, (b"#",))
        line, end = node.start_point[0] + 1, node.end_point[0] + 1
        inner = draft.scope(kind, scope, draft.symbol(word, shown, scope, signature, doc, line, end))
        last_words = {decorator.rpartition(".")[2] for decorator in decorators}
        old = scope.names.get(word)
        if not (old and old[0] == "def" and last_words & {"overload", "setter", "deleter", "getter"}):
            self.bind(scope, word, ("def", inner.index))
        return inner
