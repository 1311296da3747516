"""Python expressions and annotations as the small rows that facts keep."""

from functools import lru_cache

import tree_sitter_python
from tree_sitter import Language, Node

from dragoman.repo.languages.draft import Draft
from dragoman.repo.languages.source import Source, parse

LANGUAGE = Language(tree_sitter_python.language())
DEEP = 40  # an expression nested deeper says nothing
LITERALS = {
    "string": "str",
    "concatenated_string": "str",
    "integer": "int",
    "float": "float",
    "true": "bool",
    "false": "bool",
    "list": "list",
    "list_comprehension": "list",
    "dictionary": "dict",
    "dictionary_comprehension": "dict",
    "set": "set",
    "set_comprehension": "set",
    "tuple": "tuple",
    "generator_expression": "generator",
    "lambda": "function",
    "comparison_operator": "bool",
    "not_operator": "bool",
    "ellipsis": "ellipsis",
}


def name(node: Node) -> str:
    """The text of a node that is one word."""
    return (node.text or b"").decode("utf-8", "replace")


def expression(draft: Draft, node: Node | None, depth: int = 0) -> int:
    """The index of what `node` says, -1 where it says nothing that could be followed."""
    if node is None or depth > DEEP:
        return -1
    kind = node.type
    match kind:
        case "identifier":
            return draft.expression("name", name(node))
        case "attribute":
            last = node.child_by_field_name("attribute")
            of = expression(draft, node.child_by_field_name("object"), depth + 1)
            return draft.expression("attr", of, name(last)) if last is not None else -1
        case "call":
            called = node.child_by_field_name("function")
            if called is not None and called.type == "identifier" and called.text == b"super":
                return draft.expression("super")
            of = expression(draft, called, depth + 1)
            told = _told(draft, node, called, depth) if of >= 0 else -1
            if told >= 0:
                return draft.expression("told", of, told)
            return draft.expression("call", of) if of >= 0 else -1
        case "await":
            of = expression(draft, _first(node), depth + 1)
            return draft.expression("await", of) if of >= 0 else -1
        case "parenthesized_expression":
            return expression(draft, _first(node), depth + 1)
        case "named_expression":
            return expression(draft, node.child_by_field_name("value"), depth + 1)
        case "none":
            return draft.expression("none")
        case "conditional_expression":
            parts = node.named_children
            return _either(draft, [parts[0], parts[-1]], depth) if len(parts) == 3 else -1
        case "boolean_operator":
            operator = node.child_by_field_name("operator")
            if operator is None or operator.type != "or":
                return -1
            return _either(draft, [c for c in node.named_children if c.type != "comment"], depth)
        case "subscript":
            of = expression(draft, node.child_by_field_name("value"), depth + 1)
            return draft.expression("item", of) if of >= 0 else -1
    return draft.expression("literal", LITERALS[kind]) if kind in LITERALS else -1


def annotation(draft: Draft, node: Node | None, depth: int = 0) -> int:
    """The index of a type, quoted ones read as if they were not, -1 where it names nothing."""
    if node is None or depth > DEEP:
        return -1
    match node.type:
        case "type" | "parenthesized_expression" | "expression_statement":
            return annotation(draft, _first(node), depth + 1)
        case "string":
            return _quoted(draft, name(node), depth)
        case "identifier" | "attribute":
            return expression(draft, node, depth)
        case "member_type":
            parts = node.named_children
            of = annotation(draft, parts[0], depth + 1) if len(parts) == 2 else -1
            return draft.expression("attr", of, name(parts[1])) if of >= 0 else -1
        case "none":
            return draft.expression("none")
        case "binary_operator" | "union_type":
            return draft.expression("or", *(annotation(draft, c, depth + 1) for c in node.named_children))
        case "generic_type" | "subscript":
            head, *rest = node.named_children
            inner = rest[0].named_children if rest and rest[0].type == "type_parameter" else rest
            of = annotation(draft, head, depth + 1)
            arguments = (annotation(draft, each, depth + 1) for each in inner[:4])
            return draft.expression("item", of, *arguments) if of >= 0 else -1
    return -1


def docstring(body: Node | None) -> str:
    """The string a body opens with, without its quotes; "" where it opens with something else."""
    first = next((c for c in body.named_children if c.type != "comment"), None) if body is not None else None
    if first is not None and first.type == "expression_statement":
        first = _first(first)
    if first is None or first.type not in ("string", "concatenated_string"):
        return ""
    strings = [first] if first.type == "string" else first.named_children
    return "".join(name(c) for each in strings for c in each.named_children if c.type == "string_content")


def _quoted(draft: Draft, written: str, depth: int) -> int:
    root = _parsed(written.strip("\"'rRbBuU \n")).root
    return annotation(draft, _first(root), depth + 1)


@lru_cache(maxsize=4096)
def _parsed(text: str) -> Source:
    return parse(text.encode(), LANGUAGE)


def _told(draft: Draft, call: Node, called: Node | None, depth: int) -> int:
    """The type that `cast(T, value)` and `TypeVar("T", bound=...)` name; -1 for every other call."""
    word = (called.text or b"").rpartition(b".")[2] if called is not None else b""
    given = call.child_by_field_name("arguments") if word in (b"cast", b"TypeVar") else None
    if given is None or given.named_child_count < 2:
        return -1
    if word == b"cast":
        return annotation(draft, given.named_children[0], depth + 1)
    for each in given.named_children:
        named = each.child_by_field_name("name")
        if named is not None and named.text == b"bound":
            return annotation(draft, each.child_by_field_name("value"), depth + 1)
    return -1


def _either(draft: Draft, parts: list[Node], depth: int) -> int:
    found = [expression(draft, part, depth + 1) for part in parts]
    return draft.expression("or", *found)


def _first(node: Node) -> Node | None:
    return next((c for c in node.named_children if c.type != "comment"), None)
