"""Read a JavaScript or TypeScript file: classes, functions, objects, and where the calls are."""

import tree_sitter_javascript
import tree_sitter_typescript
from tree_sitter import Language, Node

from dragoman.repo.languages import script_bindings as bindings
from dragoman.repo.languages.draft import Draft, DraftScope
from dragoman.repo.languages.facts import FileFacts
from dragoman.repo.languages.script_expressions import annotation, expression, first, name
from dragoman.repo.languages.script_reader import FUNCTIONS, Reader, comment, last_word, plain, words
from dragoman.repo.languages.source import parse
from dragoman.repo.languages.walker import Handler

LANGUAGES = {
    "javascript": Language(tree_sitter_javascript.language()),
    "typescript": Language(tree_sitter_typescript.language_typescript()),
    "tsx": Language(tree_sitter_typescript.language_tsx()),
}
BLOCKS = frozenset("lexical_declaration class_declaration function_declaration".split())


def read(content: bytes, language: str) -> FileFacts:
    """The facts of one file; `language` is javascript, typescript or tsx."""
    source = parse(content, LANGUAGES[language])
    draft = Draft(source, language)
    opening = source.root.named_children[0] if source.root.named_child_count else None
    if opening is not None and opening.type == "comment" and opening.next_sibling is not None:
        after = opening.next_sibling
        draft.doc = comment(draft, after) if after.start_point[0] > opening.end_point[0] + 1 else ""
    reader = Reader(draft, HANDLERS)
    reader.walk(source.root, draft.module)
    reader.refer()
    return draft.finish()


def on_class(reader: Reader, node: Node, scope: DraftScope) -> bool | None:
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if body is None:
        return None
    draft, outer, symbol = reader.draft, scope, -1
    if node.child_by_field_name("type_parameters") is not None:
        scope = draft.scope("block", scope)
        reader.type_parameters(node, scope)
    interface = node.type == "interface_declaration"
    if named is not None or (node.parent is not None and node.parent.type == "export_statement"):
        word = name(named) if named is not None else "default"
        symbol = reader.symbol(node, word, "interface" if interface else "class", outer, body)
    inner = draft.scope("class", scope, symbol)
    if named is not None and not (interface and name(named) in outer.names):
        reader.bind(outer, name(named), ("def", inner.index))
    inner.bases = tuple(_bases(draft, node))
    bindings.exported(reader, node, ("def", inner.index))
    reader.push(body.named_children, inner)
    reader.push([child for child in node.named_children if child.type in ("decorator", "class_heritage")], scope)
    return True


def on_method(reader: Reader, node: Node, scope: DraftScope) -> bool | None:
    named = node.child_by_field_name("name")
    if named is None:
        return None
    word = name(named)
    symbol = reader.symbol(node, word, "method", scope, node.child_by_field_name("body"))
    inner = reader.function(node, scope, symbol)
    sets = any(child.type == "set" for child in node.children)
    overload = node.type.endswith("signature")
    if scope.kind in ("class", "object") and not (word in scope.names and (sets or overload)):
        reader.bind(scope, word, ("def", inner.index))
    return True


def on_field(reader: Reader, node: Node, scope: DraftScope) -> bool | None:
    named = node.child_by_field_name("name") or node.child_by_field_name("property")
    if named is None or scope.kind != "class":
        return None
    draft, word, value = reader.draft, name(named), node.child_by_field_name("value")
    starts = _initializer(reader, scope, any(child.type == "static" for child in node.children))
    if value is not None and value.type in FUNCTIONS:
        symbol = reader.symbol(node, word, "method", scope, value.child_by_field_name("body"))
        inner = reader.function(value, starts, symbol)
        reader.bind(scope, word, ("def", inner.index))
        return True
    shown = draft.source.text(node.start_byte, node.end_byte, 120).rstrip(";")
    line, end = node.start_point[0] + 1, node.end_point[0] + 1
    draft.symbol(word, "attribute", scope, shown, comment(draft, node), line, end)
    at = annotation(draft, node.child_by_field_name("type"))
    how = "type" if at >= 0 else "value"
    draft.vote(scope.attributes, word, how, at if at >= 0 else expression(draft, value), starts)
    reader.hand_over(value, starts)
    reader.push([child for child in node.named_children if child.type == "decorator"], scope)
    reader.push([value] if value is not None else [], starts)
    return True


def on_function(reader: Reader, node: Node, scope: DraftScope) -> bool:
    named = node.child_by_field_name("name")
    if named is None:
        whole = node.parent is not None and node.parent.type == "export_statement"
        made = reader.symbol(node, "default", "function", scope, node.child_by_field_name("body")) if whole else -1
        inner = reader.function(node, plain(reader, scope), made)
        bindings.exported(reader, node, ("def", inner.index))
        return True
    word = name(named)
    if node.type in ("function_expression", "generator_function", "function"):
        reader.function(node, plain(reader, scope), -1)
        return True
    symbol = reader.symbol(node, word, "function", scope, node.child_by_field_name("body"))
    inner = reader.function(node, plain(reader, scope), symbol)
    reader.bind(scope, word, ("def", inner.index))
    bindings.exported(reader, node, ("def", inner.index))
    return True


def on_namespace(reader: Reader, node: Node, scope: DraftScope) -> bool | None:
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if named is None or body is None or named.type == "string":
        return None
    inner = reader.draft.scope("namespace", scope, reader.symbol(node, name(named), "namespace", scope, body))
    reader.bind(scope, name(named), ("def", inner.index), weak=True)
    bindings.exported(reader, node, ("local", name(named)))
    reader.push(body.named_children, inner)
    return True


def on_type(reader: Reader, node: Node, scope: DraftScope) -> None:
    named = node.child_by_field_name("name")
    if named is None:
        return
    kind = "enum" if node.type == "enum_declaration" else "type"
    reader.symbol(node, name(named), kind, scope, node.child_by_field_name("body"))
    at = annotation(reader.draft, node.child_by_field_name("value"))
    at = reader.draft.head(at)
    alias = reader.draft.is_plain(at)
    reader.bind(scope, name(named), ("var", "value", at, scope.index) if alias else ("var",), weak=True)
    bindings.exported(reader, node, ("local", name(named)))


def on_block(reader: Reader, node: Node, scope: DraftScope) -> bool | None:
    children = node.named_children
    if not any(child.type in BLOCKS for child in children) and node.type != "catch_clause":
        return None
    inner = reader.draft.scope("block", scope)
    if node.type == "catch_clause":
        for word in words(node.child_by_field_name("parameter")):
            inner.names[word] = ("var",)
    reader.push(children, inner)
    return True


def on_for(reader: Reader, node: Node, scope: DraftScope) -> bool | None:
    if node.type == "for_in_statement":
        declared = node.child_by_field_name("kind") is not None
        inner = reader.draft.scope("block", scope) if declared else scope
        for word in words(node.child_by_field_name("left")):
            reader.bind(inner, word, ("var",))
        reader.push(node.named_children[1:], inner)
        return True
    return on_block(reader, node, scope)


def on_call(reader: Reader, node: Node, scope: DraftScope) -> None:
    called = node.child_by_field_name("function") or node.child_by_field_name("constructor")
    if called is not None and called.type != "import":
        at = expression(reader.draft, called)
        if called.type == "super":
            at = reader.draft.expression("attr", at, "constructor")
        named = called.type in ("identifier", "member_expression", "super")
        place = last_word(called) if named else node.child_by_field_name("arguments") or called
        reader.call("call", called, place, scope, at)


def on_values(reader: Reader, node: Node, scope: DraftScope) -> None:
    for child in node.named_children:
        reader.hand_over(child, scope)


def on_element(reader: Reader, node: Node, scope: DraftScope) -> None:
    named = node.child_by_field_name("name")
    if named is not None and (named.type == "member_expression" or name(named)[:1].isupper()):
        reader.hand_over(named, scope)


def on_return(reader: Reader, node: Node, scope: DraftScope) -> None:
    given, function = first(node), scope
    while function.kind == "block" and function.parent is not None:
        function = function.parent
    reader.hand_over(given, scope)
    if given is not None and function.kind == "function":
        reader.draft.vote(function.attributes, "return", "value", expression(reader.draft, given), scope)


def _bases(draft: Draft, node: Node) -> list[int]:
    found: list[int] = []
    for child in node.named_children:
        if child.type == "extends_type_clause":
            found += [annotation(draft, each) for each in child.children_by_field_name("type")]
        elif child.type == "class_heritage":
            clauses = [each for each in child.named_children if each.type == "extends_clause"]
            typed = [clause.child_by_field_name("value") for clause in clauses]
            plain = [each for each in child.named_children if not each.type.endswith("_clause")]
            found += [expression(draft, each) for each in [*typed, *plain]]
    return [draft.head(at) for at in found]


def _initializer(reader: Reader, scope: DraftScope, static: bool) -> DraftScope:
    """A class's field values see its `this` as a method does."""
    inner = reader.draft.scope("function", scope)
    inner.names["this"] = ("class" if static else "inst", scope.index)
    return inner


HANDLERS: dict[str, Handler[Reader]] = {
    **dict.fromkeys(("class_declaration", "abstract_class_declaration", "class", "interface_declaration"), on_class),
    **dict.fromkeys(("method_definition", "method_signature", "abstract_method_signature"), on_method),
    **dict.fromkeys(("public_field_definition", "field_definition", "property_signature"), on_field),
    **dict.fromkeys((*FUNCTIONS, "function_signature"), on_function),
    **dict.fromkeys(("internal_module", "module"), on_namespace),
    **dict.fromkeys(("type_alias_declaration", "enum_declaration"), on_type),
    **dict.fromkeys(("statement_block", "catch_clause", "switch_body"), on_block),
    **dict.fromkeys(("for_in_statement", "for_statement"), on_for),
    **dict.fromkeys(("call_expression", "new_expression"), on_call),
    **dict.fromkeys(("arguments", "array", "decorator", "jsx_expression"), on_values),
    **dict.fromkeys(("jsx_opening_element", "jsx_self_closing_element"), on_element),
    "return_statement": on_return,
    "variable_declarator": bindings.on_variable,
    "assignment_expression": bindings.on_assignment,
    "import_statement": bindings.on_import,
    "export_statement": bindings.on_export,
    "object": bindings.on_object,
}
