"""What a room may rest on beside the rooms below it, and what nobody writes; each rule yields sentences, none when kept."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

# A library is named where it is spoken to and nowhere else. The longest matching path counts, with all above it.
LIBRARIES: dict[str, set[str]] = {
    "harness": set(),
    "graphql": {"graphql", "rapidfuzz"},
    "providers": set(),
    "providers/anthropic.py": {"anthropic", "httpx2"},
    "providers/google.py": {"google", "httpx2"},
    "providers/ollama.py": {"httpx", "ollama"},
    "providers/openai.py": {"httpx2", "openai"},
    "providers/planner": {"rapidfuzz"},
    "providers/transport.py": {"httpx2"},
    "evals": {"yaml", "rich"},
    "repo": {"httpx2", "rapidfuzz"},
    "repo/languages": {
        "tree_sitter",
        "tree_sitter_python",
        "tree_sitter_javascript",
        "tree_sitter_typescript",
        "tree_sitter_go",
        "tree_sitter_rust",
        "tree_sitter_java",
        "tree_sitter_c",
        "tree_sitter_cpp",
        "tree_sitter_c_sharp",
        "tree_sitter_ruby",
        "tree_sitter_php",
    },
    "mcp": {"mcp", "mcp_types"},
    "django": {"django", "channels", "asgiref", "graphql", "rich"},
    "django/mcp.py": {"mcp"},
    "django/telemetry.py": {"opentelemetry"},
    "django/hosts/general_manager.py": {"general_manager", "graphene", "pint"},
    "django/hosts/general_manager": {"general_manager", "graphene"},
    "django/hosts/graphene.py": {"graphene", "graphene_django", "django_filters"},
    "django/hosts/strawberry.py": {"strawberry", "strawberry_django"},
    "panel": {"django", "channels", "asgiref", "uvicorn"},
    "cli": {"celery", "kombu", "rich", "uvicorn"},
}
NO_ROOM_NAMES = {"types.py", "utils.py", "helpers.py", "common.py", "misc.py"}


def strangers(package: Path) -> Iterator[str]:
    """Imports of a library in a room that may not know it, wherever in the file they stand."""
    for path, tree in _sources(package):
        room = path.relative_to(package).as_posix()
        allowed = {name for place, names in LIBRARIES.items() if _inside(room, place) for name in names}
        for line, name in _imports(tree):
            if name not in allowed and name not in sys.stdlib_module_names and name != package.name:
                yield f"{room}:{line} imports {name}, which it may not know (tests/house/rules.py says who may)."


def type_only_imports(package: Path) -> Iterator[str]:
    """A value needed for its type alone lives a floor too high."""
    for path, tree in _sources(package):
        for node in ast.walk(tree):
            if isinstance(node, ast.Name | ast.Attribute | ast.alias) and _name(node) == "TYPE_CHECKING":
                yield f"{path.relative_to(package)}:{node.lineno} uses TYPE_CHECKING: move the value down instead."


def relative_imports(package: Path) -> Iterator[str]:
    for path, tree in _sources(package):
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.level:
                yield f"{path.relative_to(package)}:{node.lineno} imports relatively: name the room in full."


def doors_without_a_sign(package: Path) -> Iterator[str]:
    """Every file with code in it opens with the sentence that says what the room is."""
    for path, tree in _sources(package):
        generated = "migrations" in path.parts
        if tree.body and not generated and not ast.get_docstring(tree):
            yield f"{path.relative_to(package)} has no docstring: open it with the sentence for its door."


def rooms_named_for_nothing(package: Path) -> Iterator[str]:
    for path in package.rglob("*.py"):
        if path.name in NO_ROOM_NAMES:
            yield f"{path.relative_to(package)} is named for nothing in particular: name it for what is in it."


def undrawn_rooms(package: Path) -> Iterator[str]:
    for path in package.iterdir():
        if path.is_dir() and any(path.rglob("*.py")) and path.name not in LIBRARIES:
            yield f"{path.name} is not in LIBRARIES of tests/house/rules.py: say there what it may rest on."


RULES = (strangers, type_only_imports, relative_imports, doors_without_a_sign, rooms_named_for_nothing, undrawn_rooms)


def _sources(package: Path) -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(package.rglob("*.py")):
        yield path, _parsed(path, path.read_text(encoding="utf-8"))


@cache
def _parsed(path: Path, source: str) -> ast.Module:
    return ast.parse(source, str(path))


def _imports(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name.partition(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.lineno, node.module.partition(".")[0]


def _inside(room: str, place: str) -> bool:
    return room == place or room.startswith(place + "/")


def _name(node: ast.Name | ast.Attribute | ast.alias) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
            return name
