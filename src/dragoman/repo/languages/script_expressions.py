"""JavaScript and TypeScript expressions and types as the small rows that facts keep."""

from tree_sitter import Node

from dragoman.repo.languages.draft import Draft

DEEP = 40  # an expression nested deeper says nothing
LITERALS = {
    "string": "String",
    "template_string": "String",
    "number": "Number",
    "true": "Boolean",
    "false": "Boolean",
    "array": "Array",
    "object": "Object",
    "regex": "RegExp",
}
TYPES = {"array_type": "Array", "tuple_type": "Array", "template_literal_type": "String", "type_predicate": "Boolean"}
ANYTHING = frozenset(("any", "unknown", "object", "never", "void"))
WORDS = frozenset(
    "identifier property_identifier private_property_identifier type_identifier shorthand_property_identifier this".split()
)


def name(node: Node) -> str:
    """The text of a node that is one word."""
    return (node.text or b"").decode("utf-8", "replace")


def string(node: Node | None) -> str | None:
    """What a string says; None for anything else."""
    if node is None or node.type != "string":
        return None
    return "".join(name(child) for child in node.named_children)


def expression(draft: Draft, node: Node | None, depth: int = 0) -> int:
    """The index of what `node` says, -1 where it says nothing that could be followed."""
    if node is None or depth > DEEP:
        return -1
    kind = node.type
    match kind:
        case "identifier" | "this" | "type_identifier" | "shorthand_property_identifier":
            return draft.expression("name", name(node))
        case "super":
            return draft.expression("super")
        case "member_expression" | "nested_identifier" | "nested_type_identifier":
            fields = ("module", "name") if kind == "nested_type_identifier" else ("object", "property")
            owner, last = (node.child_by_field_name(field) for field in fields)
            return draft.expression("attr", expression(draft, owner, depth + 1), name(last)) if last is not None else -1
        case "call_expression" | "new_expression":
            called = node.child_by_field_name("function" if kind == "call_expression" else "constructor")
            of = expression(draft, called, depth + 1)
            return draft.expression("call" if kind == "call_expression" else "new", of) if of >= 0 else -1
        case "await_expression":
            of = expression(draft, first(node), depth + 1)
            return draft.expression("await", of) if of >= 0 else -1
        case "parenthesized_expression" | "non_null_expression":
            return expression(draft, first(node), depth + 1)
        case "as_expression" | "satisfies_expression" | "type_assertion":
            parts = node.named_children
            value, kind_of = (parts[0], parts[-1]) if kind != "type_assertion" else (parts[-1], parts[0])
            told = annotation(draft, kind_of, depth + 1)
            return draft.expression("as", told) if told >= 0 else expression(draft, value, depth + 1)
        case "assignment_expression":
            return expression(draft, node.child_by_field_name("right"), depth + 1)
        case "null" | "undefined":
            return draft.expression("none")
        case "ternary_expression":
            ways = (node.child_by_field_name(field) for field in ("consequence", "alternative"))
            return draft.expression("or", *[expression(draft, way, depth + 1) for way in ways])
        case "binary_expression":
            operator = node.child_by_field_name("operator")
            if operator is None or operator.type not in ("||", "??"):
                return -1
            ways = (node.child_by_field_name(field) for field in ("left", "right"))
            return draft.expression("or", *[expression(draft, way, depth + 1) for way in ways])
    return draft.expression("literal", LITERALS[kind]) if kind in LITERALS else -1


def annotation(draft: Draft, node: Node | None, depth: int = 0) -> int:
    """The index of a type, -1 where it names nothing that could be followed."""
    if node is None or depth > DEEP:
        return -1
    kind = node.type
    match kind:
        case "type_annotation" | "parenthesized_type" | "readonly_type" | "type_arguments":
            return annotation(draft, first(node), depth + 1)
        case "identifier" | "type_identifier" | "nested_type_identifier" | "member_expression":
            return expression(draft, node, depth + 1)
        case "generic_type":
            named, arguments = node.child_by_field_name("name"), node.child_by_field_name("type_arguments")
            of = annotation(draft, named, depth + 1)
            inner = arguments.named_children[:4] if arguments is not None else []
            told = (annotation(draft, each, depth + 1) for each in inner)
            return draft.expression("item", of, *told) if of >= 0 else -1
        case "union_type":
            return draft.expression("or", *_parts(draft, node, depth))
        case "predefined_type":
            return -1 if name(node) in ANYTHING else draft.expression("literal", name(node))
        case "literal_type":
            inner_type = first(node)
            nothing = inner_type is None or inner_type.type in ("null", "undefined")
            return draft.expression("none") if nothing else draft.expression("literal", "String")
    return draft.expression("literal", TYPES[kind]) if kind in TYPES else -1


def first(node: Node) -> Node | None:
    """The first child that is no comment."""
    return next((child for child in node.named_children if child.type != "comment"), None)


def _parts(draft: Draft, node: Node, depth: int) -> list[int]:
    found = []
    for each in node.named_children:
        if each.type == "union_type" and depth < DEEP:
            found += _parts(draft, each, depth + 1)
        else:
            found.append(annotation(draft, each, depth + 1))
    return found
