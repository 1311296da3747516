"""Walk over a Python tree: what all handlers of its nodes do."""

from tree_sitter import Node

from dragoman.repo.languages.draft import DraftScope
from dragoman.repo.languages.python_expressions import docstring, expression, name
from dragoman.repo.languages.source import SIGNATURE, documentation
from dragoman.repo.languages.walker import Walker

HANDED = frozenset(("identifier", "attribute"))
ROOTS = frozenset(("identifier",))


class Reader(Walker):
    """A walk over a Python tree."""

    def hand_over(self, node: Node | None, scope: DraftScope) -> None:
        """A name that is passed on without being called."""
        if node is not None and node.type in HANDED:
            self.handed.append((node, scope))

    def refer(self) -> None:
        """Keep of the names handed over those that may mean something defined."""
        for node, scope in self.handed:
            first: Node | None = node
            while first is not None and first.type in HANDED and first.type != "identifier":
                first = first.child_by_field_name("object")
            word = name(first) if first is not None and first.type in ROOTS else ""
            if word and not self.draft.names_nothing(word, scope) and (at := expression(self.draft, node)) >= 0:
                self.call("reference", node, last_word(node), scope, at)

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


def last_word(called: Node) -> Node:
    """The name a callee ends with: `c` of `a.b.c`."""
    return (called.child_by_field_name("attribute") if called.type == "attribute" else None) or called
