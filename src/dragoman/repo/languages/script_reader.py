"""Walk over a JavaScript or TypeScript tree: what all handlers of its nodes do."""

from tree_sitter import Node

from dragoman.repo.languages.draft import UNKNOWN, Draft, DraftScope
from dragoman.repo.languages.script_expressions import WORDS, annotation, expression, first, name
from dragoman.repo.languages.source import SIGNATURE
from dragoman.repo.languages.walker import Walker

FUNCTIONS = frozenset(
    "arrow_function function_expression function generator_function function_declaration generator_function_declaration".split()
)
HANDED = frozenset(("identifier", "member_expression"))
ROOTS = frozenset(("identifier", "this", "shorthand_property_identifier"))
PATTERNS = frozenset(("object_pattern", "array_pattern"))


class Reader(Walker):
    """A walk over a JavaScript or TypeScript tree."""

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

    def symbol(self, node: Node, word: str, kind: str, scope: DraftScope, body: Node | None) -> int:
        """The symbol of a definition; its signature is what stands before its body."""
        outer = node
        while outer.parent is not None and outer.parent.type in WRAPPERS:
            outer = outer.parent
        signature = self.draft.source.text(node.start_byte, body.start_byte if body else node.end_byte, SIGNATURE)
        signature = signature.removesuffix("=>").rstrip(" ={;")
        line, end = node.start_point[0] + 1, node.end_point[0] + 1
        return self.draft.symbol(word, kind, scope, signature, comment(self.draft, outer), line, end)

    def function(self, node: Node, scope: DraftScope, symbol: int) -> DraftScope:
        """The scope of a function, its parameters bound, its body waiting to be visited."""
        draft = self.draft
        inner = draft.scope("function", scope, symbol)
        inner.owner = scope if scope.kind in ("class", "object") else None
        flags = [child.type for child in node.children if child.type in ("async", "get", "set", "static")]
        inner.flags = tuple("property" if flag == "get" else flag for flag in flags if flag != "set")
        if "generator" in node.type or any(child.type == "*" for child in node.children):
            inner.flags += ("generator",)
        if inner.owner is not None:
            inner.names["this"] = ("class" if "static" in inner.flags else "inst", inner.owner.index)
        elif node.type != "arrow_function":
            inner.names["this"] = UNKNOWN
        self.type_parameters(node, inner)
        for parameter in self._parameters(node):
            self.parameter(parameter, inner)
        returned = node.child_by_field_name("return_type")
        inner.returns = annotation(draft, returned)
        if returned is not None and (kind := first(returned)) is not None and kind.type == "this_type":
            inner.flags += ("self",)
        body = node.child_by_field_name("body")
        if body is not None and body.type == "statement_block":
            self.push(body.named_children, inner)
        elif body is not None:
            draft.vote(inner.attributes, "return", "value", expression(draft, body), inner)
            self.hand_over(body, inner)
            self.push([body], inner)
        return inner

    def parameter(self, node: Node, inner: DraftScope) -> None:
        """Bind one parameter; `private x: T` is a field of its class as well."""
        if node.type in ("required_parameter", "optional_parameter"):
            pattern, kind = node.child_by_field_name("pattern"), node.child_by_field_name("type")
            default = node.child_by_field_name("value")
        else:
            pattern, kind = (node.child_by_field_name("left") or node), None
            default = node.child_by_field_name("right")
        if pattern is None:
            return
        if pattern.type in WORDS:
            word, at = name(pattern), annotation(self.draft, kind)
            inner.names[word] = ("var", "type", at, inner.index) if at >= 0 else UNKNOWN
            field = any(child.type in ("accessibility_modifier", "readonly") for child in node.children)
            if field and inner.owner is not None:
                self.draft.vote(inner.owner.attributes, word, "type" if at >= 0 else "value", at, inner)
        else:
            for word in words(pattern):
                inner.names[word] = UNKNOWN
        if default is not None:
            self.hand_over(default, inner)
            self.push([default], inner)

    def type_parameters(self, node: Node, inner: DraftScope) -> None:
        """A type parameter hides a type of its name, and proves nothing."""
        found = node.child_by_field_name("type_parameters")
        for each in found.named_children if found is not None else []:
            word = each.child_by_field_name("name")
            if word is not None:
                inner.names[name(word)] = UNKNOWN

    def _parameters(self, node: Node) -> list[Node]:
        single, listed = node.child_by_field_name("parameter"), node.child_by_field_name("parameters")
        if single is not None:
            return [single]
        return [child for child in listed.named_children if child.type != "comment"] if listed is not None else []


WRAPPERS = frozenset("export_statement lexical_declaration variable_declaration ambient_declaration".split())


def last_word(called: Node) -> Node:
    """The name a callee ends with: `c` of `a.b.c`."""
    return (called.child_by_field_name("property") if called.type == "member_expression" else None) or called


def plain(reader: Reader, scope: DraftScope) -> DraftScope:
    """A scope for a function that stands among the members of a class or object without being written as one."""
    return reader.draft.scope("block", scope) if scope.kind in ("class", "object") else scope


def words(pattern: Node | None) -> list[str]:
    """The names a pattern binds."""
    found: list[str] = []
    waiting = [pattern] if pattern is not None else []
    while waiting:
        node = waiting.pop()
        if node.type in ("identifier", "shorthand_property_identifier_pattern"):
            found.append(name(node))
        elif node.type == "pair_pattern":
            waiting += [child for child in [node.child_by_field_name("value")] if child is not None]
        elif node.type in ("assignment_pattern", "object_assignment_pattern"):
            waiting += [child for child in [node.child_by_field_name("left")] if child is not None]
        elif node.type in PATTERNS or node.type == "rest_pattern":
            waiting.extend(node.named_children)
    return found


def comment(draft: Draft, node: Node) -> str:
    """The comment right above a definition, without its marks."""
    before = node.prev_sibling
    if before is None or before.type != "comment" or before.end_point[0] + 1 < node.start_point[0]:
        return ""
    written = name(before)
    if written.startswith("//"):
        return draft.source.comment_above(node.start_byte, (b"///", b"//"))
    lines = (line.strip().removeprefix("*").strip() for line in written.strip("/").strip("*").splitlines())
    return "\n".join(lines).strip()[:4000]
