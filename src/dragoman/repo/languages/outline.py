"""Read what a file of another language defines and imports. Its calls are left alone, since nothing could prove them."""

import re

from tree_sitter import Node

from dragoman.repo.languages.facts import FileFacts, Import, Symbol
from dragoman.repo.languages.source import SIGNATURE, Source, error_share, parse
from dragoman.repo.languages.tables import CLASSES, TABLES, Table, grammar

COMMENTS = frozenset(("comment", "line_comment", "block_comment"))
BETWEEN = frozenset(
    ("attribute_item", "attribute_list", "annotation")
)  # may stand between a comment and its definition
PLAIN = frozenset(
    ("identifier", "type_identifier", "field_identifier", "destructor_name", "operator_name", "constant", "name")
)
MOST_WORDS = 8  # names in one declaration
_MARKS = re.compile(r"^\s*(/\*+!?|\*+/|///?!?|//!|#+|\*)?\s?")
type Place = tuple[Node, str, str]  # a node, the qualname it stands in, and that one's kind


def read(content: bytes, language: str) -> FileFacts:
    """The symbols, their containment and the imports of one file, `language` being one of TABLES."""
    source = parse(content, grammar(language))
    return _Outline(source, language).facts()


class _Outline:
    def __init__(self, source: Source, language: str) -> None:
        self.source, self.language, self.table = source, language, TABLES[language]
        self.symbols: list[Symbol] = []
        self.imports: list[Import] = []
        self.taken: dict[str, int] = {}

    def facts(self) -> FileFacts:
        waiting: list[Place] = [(child, "", "") for child in reversed(self.source.root.named_children)]
        while waiting:
            node, parent, kind = waiting.pop()
            within, inner = self._visit(node, parent, kind)
            if inner is not None:
                waiting.extend([(child, within, inner) for child in reversed(node.named_children)])
        known = {symbol.qualname for symbol in self.symbols}
        symbols = tuple(s if s.parent in known else _orphan(s) for s in self.symbols)
        return FileFacts(
            self.language, self.source.lines, symbols, tuple(self.imports), error_share=error_share(self.source)
        )

    def _visit(self, node: Node, parent: str, around: str) -> tuple[str, str | None]:
        """Where the children of `node` stand, and in what kind; None for a kind says not to look at them."""
        table, kind = self.table, self.table.defines.get(node.type)
        if node.type in table.imports and (found := _imported(self.language, node)):
            self.imports += found
            return parent, around
        if node.type in table.holds:
            held = node.child_by_field_name("type")
            while held is not None and held.child_by_field_name("type") is not None:
                held = held.child_by_field_name("type")
            return f"{parent}.{_text(held)}".lstrip(".") if held is not None else parent, "impl"
        if kind is None:
            return parent, around
        names = _names(node, table)
        if not names or (around in ("function", "method") and kind in ("variable", "attribute")):
            return parent, None if table.declared and kind == "function" and not _body(node) else around
        if self.language == "go":
            kind, parent = _go(node, kind, parent)
        if kind in ("function", "variable") and around in CLASSES - {"module", "namespace"}:
            kind = {"function": "method", "variable": "attribute"}[kind]
        elif kind == "function" and self.language == "ruby" and around == "module":
            kind = "method"
        qualname = ""
        for name in names[:MOST_WORDS]:
            qualname = self._add(node, name, kind, parent)
        goes_in = kind not in ("function", "method") or table.bodies
        return (qualname, kind if goes_in else None) if kind not in ("variable", "attribute") else (parent, around)

    def _add(self, node: Node, name: str, kind: str, parent: str) -> str:
        above, _, last = name.rpartition(".")
        parent = ".".join(filter(None, (parent, above)))
        if above and kind == "function":
            kind = "method"
        base = f"{parent}.{last}" if parent else last
        count = self.taken[base] = self.taken.get(base, 0) + 1
        qualname = base if count == 1 else f"{base}#{count}"
        body = _body(node)
        shown = self.source.text(node.start_byte, body.start_byte if body else node.end_byte, SIGNATURE)
        if self.language == "ruby":
            shown = self.source.text(node.start_byte, node.start_byte + len(_text(node).split("\n", 1)[0]), SIGNATURE)
            shown = shown.partition(";")[0]
        line, end = node.start_point[0] + 1, max(node.start_point[0], node.end_point[0] - (node.end_point[1] == 0)) + 1
        doc = self._doc(node)
        self.symbols.append(Symbol(qualname, last, kind, parent, shown.rstrip(" {;="), doc, line, end))
        return qualname

    def _doc(self, node: Node) -> str:
        while node.parent is not None and node.parent.type in self.table.wraps and node.prev_named_sibling is None:
            node = node.parent
        if node.parent is not None and node.parent.type == "template_declaration":
            node = node.parent
        found: list[str] = []
        row, before = node.start_point[0], node.prev_sibling
        while before is not None and before.type in COMMENTS | BETWEEN:
            end = before.end_point[0] - (before.end_point[1] == 0)
            if before.type in COMMENTS:
                if row - end > 1 or len(found) > 60:
                    break
                found.append(_text(before))
            row, before = before.start_point[0], before.prev_sibling
        lines = [_MARKS.sub("", line, count=1) for text in reversed(found) for line in text.splitlines()]
        return "\n".join(line.removesuffix("*/").rstrip() for line in lines).strip()


def _orphan(symbol: Symbol) -> Symbol:
    """A method of a type that is defined in another file keeps its name and stands in the file itself."""
    return Symbol(
        symbol.qualname, symbol.name, symbol.kind, "", symbol.signature, symbol.doc, symbol.line, symbol.end_line
    )


def _text(node: Node | None) -> str:
    return "".join((node.text or b"").decode("utf-8", "replace").splitlines(keepends=True)) if node is not None else ""


def _body(node: Node) -> Node | None:
    for word in ("body", "accessors"):
        if (found := node.child_by_field_name(word)) is not None:
            return found
    kind = node.child_by_field_name("type")  # Go's struct and interface types stand in their own node
    if kind is not None and kind.type in ("struct_type", "interface_type") and kind.named_children:
        return kind.named_children[0]
    return None


def _go(node: Node, kind: str, parent: str) -> tuple[str, str]:
    """A Go type is what it is made of, and a method belongs to the type of its receiver."""
    if node.type == "type_spec":
        made = node.child_by_field_name("type")
        return {"struct_type": "struct", "interface_type": "interface"}.get(made.type if made else "", "type"), parent
    receiver = node.child_by_field_name("receiver")
    if receiver is not None:
        found = re.search(r"(\w+)\s*(\[[^\]]*\])?\s*\)$", _text(receiver))
        return kind, found[1] if found else parent
    return kind, parent


def _names(node: Node, table: Table) -> list[str]:
    """The names a definition gives; dotted ones say what they belong to."""
    named = node.child_by_field_name(table.named.get(node.type, "name"))
    if table.declared and node.type in ("function_definition", "declaration", "field_declaration", "type_definition"):
        return _declared(node)
    if node.type == "assignment" and (named is None or named.type != "constant"):
        return []
    if node.type == "mod_item" and _body(node) is None:
        return []
    if table.declared and node.type.endswith("_specifier") and _body(node) is None:
        return []
    if node.type in ("const_spec", "var_spec"):
        return [_text(each) for each in node.children_by_field_name("name")]
    if named is not None:
        return [re.sub(r"\s*(::|\\|\.)\s*", ".", _text(named))]
    waiting, found = list(node.named_children), []
    while waiting:  # fields and constants: the names of their declarators
        child = waiting.pop(0)
        if child.type in ("variable_declarator", "property_element", "const_element"):
            word = child.child_by_field_name("name") or (child.named_children[0] if child.named_children else None)
            found.append(_text(word).lstrip("$"))
        elif child.type == "variable_declaration":
            waiting.extend(child.named_children)
    return found


def _declared(node: Node) -> list[str]:
    """The name inside the declarators of C: functions and types, and no plain variables."""
    at, function = node.child_by_field_name("declarator"), node.type == "type_definition"
    while at is not None and at.type not in PLAIN | {"qualified_identifier", "primitive_type"}:
        function = function or at.type == "function_declarator"
        inner = at.child_by_field_name("declarator")
        at = inner if inner is not None else next((c for c in at.named_children if c.type.endswith("declarator")), None)
    if at is None or not function:
        return []
    return [re.sub(r"<[^<>]*>", "", _text(at)).replace(" ", "").strip(":").replace("::", ".")]


def _imported(language: str, node: Node) -> list[Import]:
    line = node.start_point[0] + 1
    text = " ".join(_text(node).split()).rstrip(";").strip()
    match language:
        case "go":
            alias = node.child_by_field_name("name")
            path = _text(node.child_by_field_name("path")).strip('"`')
            return [Import(line, path, (_text(alias),) if alias is not None else ())]
        case "rust" if node.type == "mod_item":
            return [Import(line, f"mod {_text(node.child_by_field_name('name'))}")] if _body(node) is None else []
        case "rust":
            return [Import(line, re.sub(r"^(pub(\([^)]*\))? )?(use|extern crate) ", "", text))]
        case "java":
            whole = re.sub(r"^import (static )?", "", text).replace(" ", "")
            return [Import(line, whole.removesuffix(".*"), ("*",) if whole.endswith(".*") else ())]
        case "c" | "cpp":
            return [Import(line, _text(node.child_by_field_name("path")).strip('"'))]
        case "csharp":
            return [Import(line, re.sub(r"^(global )?using (static )?", "", text).rpartition("= ")[2])]
        case "php" if node.type == "namespace_use_declaration":
            return _used(line, re.sub(r"^use (function |const )?", "", text))
        case "php" | "ruby":
            return _required(line, node)
    return []


def _used(line: int, text: str) -> list[Import]:
    """PHP's `A\\B, C as D` and `A\\{B, C}`."""
    head, brace, rest = text.partition("{")
    words = [word.strip().partition(" as ")[0].strip() for word in (rest.rstrip("} ") if brace else head).split(",")]
    return [Import(line, (head.strip() if brace else "") + word) for word in words if word]


def _required(line: int, node: Node) -> list[Import]:
    method, given = node.child_by_field_name("method"), node.child_by_field_name("arguments")
    if node.type == "call" and (method is None or _text(method) not in ("require", "require_relative", "load")):
        return []
    holder = given if given is not None else node
    string = next((child for child in holder.named_children if child.type in ("string", "encapsed_string")), None)
    if string is None:
        return []
    written = _text(string).strip("\"'")
    near = method is not None and _text(method) == "require_relative" and not written.startswith(".")
    return [Import(line, f"./{written}" if near else written)]
