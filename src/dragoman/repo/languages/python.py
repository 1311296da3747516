"""Read a Python file: what every name in every scope is bound to, and where the calls are."""

from tree_sitter import Node

from dragoman.repo.languages import python_bindings as bindings
from dragoman.repo.languages.draft import UNKNOWN, Draft, DraftScope
from dragoman.repo.languages.facts import FileFacts
from dragoman.repo.languages.python_expressions import LANGUAGE, annotation, docstring, expression, name
from dragoman.repo.languages.python_reader import Reader, last_word
from dragoman.repo.languages.source import documentation, parse
from dragoman.repo.languages.walker import Handler

SPLATS = frozenset(("list_splat_pattern", "dictionary_splat_pattern"))


def read(content: bytes) -> FileFacts:
    """The facts of one Python file."""
    source = parse(content, LANGUAGE)
    draft = Draft(source, "python")
    draft.doc = documentation(docstring(source.root))
    reader = Reader(draft, HANDLERS)
    reader.walk(source.root, draft.module)
    reader.refer()
    return draft.finish()


def on_class(reader: Reader, node: Node, scope: DraftScope) -> bool | None:
    inner = reader.define(node, scope, "class", [])
    if inner is None:
        return None
    bases = node.child_by_field_name("superclasses")
    if bases is not None:
        named = [b for b in bases.named_children if b.type not in ("keyword_argument", "comment")]
        inner.bases = tuple(expression(reader.draft, base) for base in named)
    body = node.child_by_field_name("body")
    reader.push(body.children if body else [], inner)
    if bases is not None:
        reader.push(bases.named_children, scope)
    return True


def on_function(reader: Reader, node: Node, scope: DraftScope) -> bool | None:
    draft = reader.draft
    decorators = _decorators(node)
    inner = reader.define(node, scope, "function", decorators)
    parameters = node.child_by_field_name("parameters")
    if inner is None or parameters is None:
        return None
    inner.owner = scope if scope.kind == "class" else None
    kinds = {each.rpartition(".")[2] for each in decorators}
    written = node.child_by_field_name("return_type")
    inner.returns = annotation(draft, written)
    flags: list[str] = [kind for kind in ("overload", "staticmethod", "classmethod") if kind in kinds]
    flags += ["property"] if any("property" in kind for kind in kinds) else []
    flags += ["async"] if node.children[0].type == "async" else []
    defaults: list[Node] = []
    first = True
    receiver_type = ""
    for parameter in parameters.named_children:
        at = _parameter(parameter)
        if at is None:
            continue
        word, kind = name(at).lstrip("*"), parameter.child_by_field_name("type")
        if first and inner.owner is not None and "staticmethod" not in kinds:
            on_class = "classmethod" in kinds or word in ("cls", "mcs", "mcls")
            inner.names[word], inner.receiver = ("class" if on_class else "inst", scope.index), word
            receiver_type = name(kind) if kind is not None else ""
        else:
            typed = kind is not None and at.type == "identifier"
            found = annotation(draft, kind) if typed else -1
            inner.names[word] = ("var", "type", found, scope.index) if found >= 0 else UNKNOWN
        first = False
        default = parameter.child_by_field_name("value")
        if default is not None:
            defaults.append(default)
            reader.hand_over(default, scope)
    returned = name(written) if written is not None else ""
    if returned and (returned.strip("\"'").rpartition(".")[2] == "Self" or returned == receiver_type):
        flags.append("self")
    inner.flags = tuple(flags)
    body = node.child_by_field_name("body")
    reader.push(body.children if body else [], inner)
    reader.push(defaults, scope)
    return True


def on_decorator(reader: Reader, node: Node, scope: DraftScope) -> None:
    reader.hand_over(node.named_children[0] if node.named_child_count else None, scope)


def on_lambda(reader: Reader, node: Node, scope: DraftScope) -> bool:
    inner = reader.draft.scope("function", scope)
    parameters, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
    for parameter in parameters.named_children if parameters else []:
        at = _parameter(parameter)
        if at is not None:
            inner.names[name(at).lstrip("*")] = UNKNOWN
    reader.push([body] if body else [], inner)
    return True


def on_comprehension(reader: Reader, node: Node, scope: DraftScope) -> bool:
    inner = reader.draft.scope("block", scope)
    for clause in node.named_children:
        if clause.type == "for_in_clause":
            for word in bindings.targets(clause.child_by_field_name("left")):
                inner.names[word] = UNKNOWN
    reader.push(node.named_children, inner)
    return True


def on_call(reader: Reader, node: Node, scope: DraftScope) -> None:
    called = node.child_by_field_name("function")
    if called is not None:
        # What is called without a name, as the second of `f()()`, stands where its arguments do: no two calls share a place.
        named = called.type in ("identifier", "attribute")
        place = last_word(called) if named else node.child_by_field_name("arguments") or called
        reader.call("call", called, place, scope, expression(reader.draft, called))


def on_arguments(reader: Reader, node: Node, scope: DraftScope) -> None:
    for child in node.named_children:
        reader.hand_over(child, scope)


def on_value(reader: Reader, node: Node, scope: DraftScope) -> None:
    reader.hand_over(node.child_by_field_name("value"), scope)


def on_return(reader: Reader, node: Node, scope: DraftScope) -> None:
    given = node.named_children[0] if node.named_child_count else None
    reader.hand_over(given, scope)
    if given is not None and scope.kind == "function":
        at = expression(reader.draft, given)
        reader.draft.vote(scope.attributes, "return", "value", at, scope)


def on_yield(reader: Reader, node: Node, scope: DraftScope) -> None:
    if scope.kind == "function" and "generator" not in scope.flags:
        scope.flags = (*scope.flags, "generator")


HANDLERS: dict[str, Handler[Reader]] = {
    "class_definition": on_class,
    "function_definition": on_function,
    "decorator": on_decorator,
    "lambda": on_lambda,
    "list_comprehension": on_comprehension,
    "set_comprehension": on_comprehension,
    "dictionary_comprehension": on_comprehension,
    "generator_expression": on_comprehension,
    "global_statement": bindings.on_global,
    "nonlocal_statement": bindings.on_nonlocal,
    "import_statement": bindings.on_import,
    "import_from_statement": bindings.on_import_from,
    "future_import_statement": bindings.on_import_from,
    "assignment": bindings.on_assignment,
    "for_statement": bindings.on_for,
    "named_expression": bindings.on_named_expression,
    "as_pattern": bindings.on_as_pattern,
    "case_clause": bindings.on_case,
    "call": on_call,
    "argument_list": on_arguments,
    "list": on_arguments,
    "tuple": on_arguments,
    "keyword_argument": on_value,
    "pair": on_value,
    "return_statement": on_return,
    "yield": on_yield,
}


def _decorators(node: Node) -> list[str]:
    above = node.parent
    if above is None or above.type != "decorated_definition":
        return []
    found = [child.named_children[0] for child in above.children if child.type == "decorator" and child.named_children]
    return [name(each).partition("(")[0] for each in found]


def _parameter(node: Node) -> Node | None:
    if node.type == "identifier" or node.type in SPLATS:
        return node
    named = node.child_by_field_name("name")
    return named or next((c for c in node.named_children if c.type == "identifier" or c.type in SPLATS), None)
