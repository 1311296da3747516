"""What gives a name to something in JavaScript and TypeScript: imports, exports, variables, objects, assignments."""

from tree_sitter import Node

from dragoman.repo.languages.draft import UNKNOWN, DraftScope
from dragoman.repo.languages.facts import Binding, Import
from dragoman.repo.languages.script_expressions import WORDS, annotation, expression, first, name, string
from dragoman.repo.languages.script_reader import FUNCTIONS, PATTERNS, Reader, comment, plain, words

WHOLE = "="  # what `module.exports = ...` exports


def on_import(reader: Reader, node: Node, scope: DraftScope) -> bool:
    line = node.start_point[0] + 1
    required = next((child for child in node.named_children if child.type == "import_require_clause"), None)
    module = string((required or node).child_by_field_name("source"))
    if module is None:
        return True
    taken: list[str] = []
    if required is not None and (word := first(required)) is not None:
        reader.bind(scope, name(word), ("mod", module))
    clause = next((child for child in node.named_children if child.type == "import_clause"), None)
    for child in clause.named_children if clause is not None else []:
        if child.type == "identifier":
            reader.bind(scope, name(child), ("from", module, "default"))
            taken.append("default")
        elif child.type == "namespace_import" and (word := first(child)) is not None:
            reader.bind(scope, name(word), ("mod", module))
            taken.append("*")
        elif child.type == "named_imports":
            for each in child.named_children:
                real, alias = each.child_by_field_name("name"), each.child_by_field_name("alias")
                if real is not None:
                    reader.bind(scope, name(alias or real), ("from", module, _word(real)))
                    taken.append(_word(real))
    reader.draft.imports.append(Import(line, module, tuple(taken)))
    return True


def on_export(reader: Reader, node: Node, scope: DraftScope) -> None:
    draft, module = reader.draft, string(node.child_by_field_name("source"))
    taken: list[str] = []
    for child in node.named_children:
        if child.type == "export_clause":
            for each in child.named_children:
                real, alias = each.child_by_field_name("name"), each.child_by_field_name("alias")
                if real is not None:
                    binding: Binding = ("from", module, _word(real)) if module else ("local", _word(real))
                    draft.exports[_word(alias or real)] = binding
                    taken.append(_word(real))
        elif child.type == "namespace_export" and module and (word := first(child)) is not None:
            draft.exports[_word(word)] = ("mod", module)
            taken.append("*")
    if module:
        if not taken:
            draft.stars.append(module)
        draft.imports.append(Import(node.start_point[0] + 1, module, tuple(taken or ["*"])))
    value = node.child_by_field_name("value")
    if value is not None and value.type not in FUNCTIONS and value.type not in ("class", "object"):
        draft.exports["default"] = _value(reader, value, scope)
        reader.hand_over(value, scope)
    equals = next((child for child in node.children if child.type == "="), None)
    if equals is not None and (whole := equals.next_named_sibling) is not None and whole.type == "identifier":
        draft.exports[WHOLE] = ("local", name(whole))


def exported(reader: Reader, node: Node, binding: Binding) -> None:
    """Remember a declaration that stands in an export; inside a namespace all names can be reached anyway."""
    above = node.parent
    while above is not None and above.type in (
        "lexical_declaration",
        "variable_declaration",
        "ambient_declaration",
        "expression_statement",
    ):
        above = above.parent
    if above is None or above.type != "export_statement" or above.parent is None or above.parent.type != "program":
        return
    if any(child.type == "default" for child in above.children):
        reader.draft.exports["default"] = binding
    elif (named := node.child_by_field_name("name")) is not None:
        for word in words(named) or [name(named)]:
            reader.draft.exports.setdefault(word, ("local", word))


def on_variable(reader: Reader, node: Node, scope: DraftScope) -> bool | None:
    named, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if named is None:
        return None
    draft, word = reader.draft, name(named)
    where = scope
    if node.parent is not None and node.parent.type == "variable_declaration":  # var: of the whole function
        while where.kind == "block" and where.parent is not None:
            where = where.parent
    exported(reader, node, UNKNOWN)
    required = _required(value)
    if required is not None:
        draft.imports.append(
            Import(node.start_point[0] + 1, required, tuple(words(named)) if named.type in PATTERNS else ())
        )
    if named.type in PATTERNS:
        _destructure(reader, named, value, where, scope, required)
        return None
    if required is not None:
        reader.bind(where, word, ("mod", required))
        return None
    if value is not None and value.type in FUNCTIONS:
        symbol = reader.symbol(node, word, "function", scope, value.child_by_field_name("body"))
        inner = reader.function(value, scope, symbol)
        reader.bind(where, word, ("def", inner.index))
        return True
    if scope.kind in ("module", "namespace") and word not in scope.names:
        shown = draft.source.text(node.start_byte, node.end_byte, 120)
        outer = node.parent if node.parent is not None else node
        line, end = node.start_point[0] + 1, node.end_point[0] + 1
        symbol = draft.symbol(word, "variable", scope, shown, comment(draft, outer), line, end)
    else:
        symbol = -1
    at = annotation(draft, node.child_by_field_name("type"))
    constant = node.parent is not None and any(child.type == "const" for child in node.parent.children)
    if at < 0 and constant and value is not None and value.type == "object":
        inner = _object(reader, value, scope, symbol)
        reader.bind(where, word, ("def", inner.index))
        return True
    how = "type" if at >= 0 else "value"
    if at >= 0 or value is not None or word not in where.names:
        empty = value is None and at < 0
        if empty:
            where.names.setdefault(
                word, UNKNOWN if constant else ("var", "value", draft.expression("none"), scope.index)
            )
        else:
            draft.vote(where.names, word, how, at if at >= 0 else expression(draft, value), scope)
    reader.hand_over(value, scope)
    return None


def on_assignment(reader: Reader, node: Node, scope: DraftScope) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return
    draft = reader.draft
    reader.hand_over(right, scope)
    if left.type == "identifier":
        where: DraftScope | None = scope
        while where is not None and name(left) not in where.names:
            where = where.parent
        if where is not None:
            draft.vote(where.names, name(left), "value", expression(draft, right), scope)
        return
    if left.type != "member_expression":
        return
    of, last = left.child_by_field_name("object"), left.child_by_field_name("property")
    if of is None or last is None:
        return
    if of.type == "this":
        owner = _owner(scope)
        if owner is not None:
            draft.vote(owner.attributes, name(last), "value", expression(draft, right), scope)
    elif name(left) == "module.exports":
        draft.exports[WHOLE] = _value(reader, right, scope)
    elif name(of) in ("exports", "module.exports"):
        draft.exports[name(last)] = _value(reader, right, scope)


def on_object(reader: Reader, node: Node, scope: DraftScope) -> bool:
    inner = _object(reader, node, scope, -1)
    above = node.parent
    if above is not None and above.type == "export_statement":
        reader.draft.exports["default"] = ("def", inner.index)
    elif above is not None and above.type == "assignment_expression":
        left = above.child_by_field_name("left")
        if left is not None and left.text == b"module.exports":
            reader.draft.exports[WHOLE] = ("def", inner.index)
    return True


def _object(reader: Reader, node: Node, scope: DraftScope, symbol: int) -> DraftScope:
    """An object literal as something with members."""
    draft = reader.draft
    inner = draft.scope("object", scope, symbol)
    waiting: list[tuple[Node, DraftScope]] = []
    for child in node.named_children:
        if child.type == "pair":
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            word = (string(key) or name(key)) if key is not None and key.type in (*WORDS, "string") else ""
            if value is None:
                continue
            if word and value.type in FUNCTIONS and symbol >= 0:
                made = draft.symbol(word, "method", inner, *_shown(reader, child, value))
                inner.names[word] = ("def", reader.function(value, plain(reader, scope), made).index)
                continue
            if word:
                draft.vote(inner.names, word, "value", expression(draft, value), scope)
            reader.hand_over(value, scope)
            waiting.append((value, scope))
        elif child.type == "shorthand_property_identifier":
            draft.vote(inner.names, name(child), "value", expression(draft, child), scope)
            reader.handed.append((child, scope))
        elif child.type == "spread_element":
            inner.bases = (-1,)
            waiting.append((child, scope))
        else:
            waiting.append((child, inner))
    reader.waiting.extend(reversed(waiting))
    return inner


def _shown(reader: Reader, node: Node, value: Node) -> tuple[str, str, int, int]:
    body = value.child_by_field_name("body")
    shown = reader.draft.source.text(node.start_byte, body.start_byte if body else node.end_byte, 200)
    line, end = node.start_point[0] + 1, node.end_point[0] + 1
    return shown.removesuffix("=>").rstrip(" {"), comment(reader.draft, node), line, end


def _destructure(
    reader: Reader, pattern: Node, value: Node | None, where: DraftScope, scope: DraftScope, required: str | None
) -> None:
    for word in words(pattern):
        where.names[word] = UNKNOWN
    at = expression(reader.draft, value)
    if pattern.type != "object_pattern":
        return
    for child in pattern.named_children:
        key, alias = child, child
        if child.type == "pair_pattern":
            named, to = child.child_by_field_name("key"), child.child_by_field_name("value")
            if named is None or to is None or to.type != "identifier":
                continue
            key, alias = named, to
        elif child.type != "shorthand_property_identifier_pattern":
            continue
        if required is not None:
            where.names[name(alias)] = ("from", required, name(key))
        elif at >= 0:
            found = reader.draft.expression("attr", at, name(key))
            where.names[name(alias)] = ("var", "value", found, scope.index)


def _value(reader: Reader, node: Node, scope: DraftScope) -> Binding:
    if node.type == "identifier":
        return ("local", name(node))
    return ("var", "value", expression(reader.draft, node), scope.index)


def _required(value: Node | None) -> str | None:
    if value is None or value.type != "call_expression":
        return None
    called, given = value.child_by_field_name("function"), value.child_by_field_name("arguments")
    if called is None or called.text != b"require" or given is None or given.named_child_count != 1:
        return None
    return string(given.named_children[0])


def _owner(scope: DraftScope | None) -> DraftScope | None:
    while scope is not None:
        if "this" in scope.names:
            bound = scope.names["this"]
            return scope.parent if bound[0] in ("inst", "class") and scope.parent is not None else None
        scope = scope.parent
    return None


def _word(node: Node) -> str:
    return string(node) or name(node)
