"""Which nodes of a syntax tree define or import something, for languages whose calls are not resolved."""

from dataclasses import dataclass, field
from functools import cache

import tree_sitter_c
import tree_sitter_c_sharp
import tree_sitter_cpp
import tree_sitter_go
import tree_sitter_java
import tree_sitter_php
import tree_sitter_ruby
import tree_sitter_rust
from tree_sitter import Language


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _kinds(**kinds: str) -> dict[str, str]:
    """Node types to kinds, from kinds to node types."""
    return {node: kind for kind, nodes in kinds.items() for node in nodes.split()}


@dataclass(frozen=True, slots=True)
class Table:
    """One language. A function inside a class is a method, a variable inside one an attribute, one inside a function nothing."""

    defines: dict[str, str]  # node type to kind
    holds: frozenset[str] = frozenset()  # nodes that give a name to what is in them without defining it: an impl block
    imports: frozenset[str] = frozenset()
    wraps: frozenset[str] = frozenset()  # nodes around a definition that its comment stands above
    named: dict[str, str] = field(
        default_factory=dict
    )  # node type to the field its name is in, where that is not "name"
    declared: bool = False  # names hide in declarators, as in C
    bodies: bool = True  # whether functions may hold definitions worth telling


CLASSES = _words("class interface struct enum union trait module namespace record annotation impl")

TABLES = {
    "go": Table(
        _kinds(
            function="function_declaration",
            method="method_declaration method_elem",
            type="type_spec type_alias",
            variable="const_spec var_spec",
        ),
        imports=_words("import_spec"),
        wraps=_words("type_declaration const_declaration var_declaration"),
    ),
    "rust": Table(
        _kinds(
            function="function_item function_signature_item",
            struct="struct_item",
            union="union_item",
            enum="enum_item",
            trait="trait_item",
            module="mod_item",
            variable="const_item static_item",
            type="type_item associated_type",
            macro="macro_definition",
        ),
        holds=_words("impl_item"),
        imports=_words("use_declaration mod_item extern_crate_declaration"),
    ),
    "java": Table(
        _kinds(
            **{"class": "class_declaration"},
            interface="interface_declaration",
            enum="enum_declaration",
            record="record_declaration",
            annotation="annotation_type_declaration",
            method="method_declaration constructor_declaration compact_constructor_declaration"
            " annotation_type_element_declaration",
            attribute="field_declaration constant_declaration",
        ),
        imports=_words("import_declaration"),
    ),
    "c": Table(
        _kinds(
            function="function_definition declaration field_declaration",
            struct="struct_specifier",
            union="union_specifier",
            enum="enum_specifier",
            type="type_definition",
            macro="preproc_def preproc_function_def",
        ),
        imports=_words("preproc_include"),
        declared=True,
        bodies=False,
    ),
    "cpp": Table(
        _kinds(
            **{"class": "class_specifier"},
            function="function_definition declaration field_declaration",
            struct="struct_specifier",
            union="union_specifier",
            enum="enum_specifier",
            type="type_definition alias_declaration",
            namespace="namespace_definition",
            macro="preproc_def preproc_function_def",
        ),
        imports=_words("preproc_include"),
        wraps=_words("template_declaration"),
        declared=True,
        bodies=False,
    ),
    "csharp": Table(
        _kinds(
            **{"class": "class_declaration"},
            namespace="namespace_declaration file_scoped_namespace_declaration",
            interface="interface_declaration",
            struct="struct_declaration",
            record="record_declaration",
            enum="enum_declaration",
            method="method_declaration constructor_declaration destructor_declaration",
            function="local_function_statement",
            attribute="property_declaration field_declaration event_field_declaration event_declaration",
            type="delegate_declaration",
        ),
        imports=_words("using_directive"),
    ),
    "ruby": Table(
        _kinds(**{"class": "class"}, module="module", function="method singleton_method", variable="assignment"),
        imports=_words("call"),
        named={"assignment": "left"},
    ),
    "php": Table(
        _kinds(
            **{"class": "class_declaration"},
            interface="interface_declaration",
            trait="trait_declaration",
            enum="enum_declaration",
            function="function_definition",
            method="method_declaration",
            variable="const_declaration",
            attribute="property_declaration",
        ),
        imports=_words(
            "namespace_use_declaration require_expression require_once_expression include_expression"
            " include_once_expression"
        ),
    ),
}


@cache
def grammar(language: str) -> Language:
    """The grammar of a language of TABLES."""
    match language:
        case "go":
            return Language(tree_sitter_go.language())
        case "rust":
            return Language(tree_sitter_rust.language())
        case "java":
            return Language(tree_sitter_java.language())
        case "c":
            return Language(tree_sitter_c.language())
        case "cpp":
            return Language(tree_sitter_cpp.language())
        case "csharp":
            return Language(tree_sitter_c_sharp.language())
        case "ruby":
            return Language(tree_sitter_ruby.language())
        case _:
            return Language(tree_sitter_php.language_php())
