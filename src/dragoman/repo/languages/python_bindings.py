"""What gives a name to something in Python: imports, assignments, loops, patterns."""

from collections.abc import Iterator

from tree_sitter import Node

from dragoman.repo.languages.draft import UNKNOWN, Draft, DraftScope
from dragoman.repo.languages.facts import Import
from dragoman.repo.languages.python_expressions import annotation, expression, name
from dragoman.repo.languages.python_reader import Reader

TARGETS = frozenset(
    "pattern_list tuple_pattern list_pattern list_splat_pattern as_pattern_target tuple list parenthesized_expression".split()
)


def on_global(reader: Reader, node: Node, scope: DraftScope) -> bool:
    for child in node.named_children:
        scope.elsewhere[name(child)] = reader.draft.module
    return True


def on_nonlocal(reader: Reader, node: Node, scope: DraftScope) -> bool:
    for child in node.named_children:
        word, outer = name(child), scope.parent
        while outer is not None and word not in outer.names:
            outer = outer.parent
        scope.elsewhere[word] = outer or reader.draft.module
    return True


def on_import(reader: Reader, node: Node, scope: DraftScope) -> bool:
    line = node.start_point[0] + 1
    for child in node.named_children:
        alias, at = child.child_by_field_name("alias"), child.child_by_field_name("name")
        whole = name(at if at is not None else child).replace(" ", "")
        reader.draft.imports.append(Import(line, whole))
        if alias is not None:
            reader.bind(scope, name(alias), ("mod", whole))
        else:
            head = whole.partition(".")[0]
            reader.bind(scope, head, ("mod", head))
    return True


def on_import_from(reader: Reader, node: Node, scope: DraftScope) -> bool:
    at = node.child_by_field_name("module_name")
    base = "".join(name(at).split()) if at is not None else "__future__"
    taken = []
    for child in node.children_by_field_name("name"):
        real, alias = child.child_by_field_name("name"), child.child_by_field_name("alias")
        word = name(real if real is not None else child)
        taken.append(word)
        reader.bind(scope, name(alias) if alias is not None else word, ("from", base, word))
    if any(child.type == "wildcard_import" for child in node.children):
        reader.draft.stars.append(base)
        taken.append("*")
    reader.draft.imports.append(Import(node.start_point[0] + 1, base, tuple(taken)))
    return True


def on_assignment(reader: Reader, node: Node, scope: DraftScope) -> None:
    left, right, kind = (node.child_by_field_name(each) for each in ("left", "right", "type"))
    if left is None:
        return
    draft = reader.draft
    reader.hand_over(right, scope)
    if left.type in TARGETS:
        for word in targets(left):
            reader.bind(scope, word, UNKNOWN)
        return
    found = annotation(draft, kind) if kind is not None else -1
    how = "type" if found >= 0 else "value"
    if found < 0:
        found = expression(draft, right)
    if right is not None and right.type == "assignment":  # a = b = value: the rightmost tells
        while right is not None and right.type == "assignment":
            right = right.child_by_field_name("right")
        found = expression(draft, right) if how == "value" else found
    if left.type == "identifier":
        word = name(left)
        where = scope.elsewhere.get(word, scope)
        if where.kind in ("module", "class") and word not in where.names and where is scope:
            _variable(draft, node, where, word)
        draft.vote(where.names, word, how, found, scope)
    elif left.type == "attribute":
        owner, last = _receiver(left, scope), left.child_by_field_name("attribute")
        if owner is not None and last is not None:
            draft.vote(owner.attributes, name(last), how, found, scope)


def on_for(reader: Reader, node: Node, scope: DraftScope) -> None:
    for word in targets(node.child_by_field_name("left")):
        reader.bind(scope, word, UNKNOWN)


def on_named_expression(reader: Reader, node: Node, scope: DraftScope) -> None:
    at = node.child_by_field_name("name")
    while scope.kind == "block" and scope.parent is not None:
        scope = scope.parent
    if at is not None:
        value = expression(reader.draft, node.child_by_field_name("value"))
        reader.draft.vote(scope.elsewhere.get(name(at), scope).names, name(at), "value", value, scope)


def on_as_pattern(reader: Reader, node: Node, scope: DraftScope) -> None:
    alias = node.child_by_field_name("alias")
    words = list(targets(alias))
    draft = reader.draft
    if len(words) != 1 or alias is None or alias.named_child_count != 1 or alias.named_children[0].type != "identifier":
        for word in words:
            reader.bind(scope, word, UNKNOWN)
        return
    held, above = expression(draft, node.named_children[0]), node.parent
    at = -1
    if held >= 0 and above is not None and above.type == "with_item":
        statement = above.parent.parent if above.parent is not None else None
        is_async = statement is not None and statement.children[0].type == "async"
        entered = draft.expression("attr", held, "__aenter__" if is_async else "__enter__")
        at = draft.expression("call", entered)
        at = draft.expression("await", at) if is_async else at
    elif held >= 0 and above is not None and above.type == "except_clause":
        at = draft.expression("new", held)
    draft.vote(scope.elsewhere.get(words[0], scope).names, words[0], "value", at, scope)


def on_case(reader: Reader, node: Node, scope: DraftScope) -> None:
    waiting = list(node.named_children)
    while waiting:
        child = waiting.pop()
        if child.type == "identifier" or (child.type == "dotted_name" and child.named_child_count == 1):
            before = child.prev_sibling
            if before is None or before.type != "class_pattern":
                reader.bind(scope, name(child), UNKNOWN, weak=True)
        elif child.type == "class_pattern":
            waiting.extend(child.named_children[1:])
        elif child.type not in ("attribute", "dotted_name"):
            waiting.extend(child.named_children)


def targets(node: Node | None) -> Iterator[str]:
    """The names a target binds."""
    waiting = [node] if node is not None else []
    while waiting:
        each = waiting.pop()
        if each.type == "identifier":
            yield name(each)
        elif each.type in TARGETS:
            waiting.extend(reversed(each.named_children))


def _receiver(left: Node, scope: DraftScope | None) -> DraftScope | None:
    """The class whose instance or class `left` assigns to, when it does so through a method's own receiver."""
    while scope is not None and not (scope.kind == "function" and scope.receiver):
        scope = scope.parent
    at = left.child_by_field_name("object")
    if scope is None or at is None or at.type != "identifier" or name(at) != scope.receiver:
        return None
    return scope.owner


def _variable(draft: Draft, node: Node, scope: DraftScope, word: str) -> None:
    kind = "variable" if scope.kind == "module" else "attribute"
    shown = draft.source.text(node.start_byte, node.end_byte, 120)
    doc = draft.source.comment_above(node.start_byte, (b"#",))
    draft.symbol(word, kind, scope, shown, doc, node.start_point[0] + 1, node.end_point[0] + 1)
