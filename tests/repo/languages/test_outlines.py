"""What other languages define and import: one small sample each, held against its whole outline."""

from pathlib import Path

import pytest

from dragoman.repo.languages import registry
from dragoman.repo.languages.resolve import resolve

SAMPLES = Path(__file__).parent / "samples"


def outline(path: Path) -> str:
    facts = registry.read(path.name, path.read_bytes())
    symbols = (
        f"{s.line}-{s.end_line} {s.kind} {s.qualname} in {s.parent or 'the file'} | {s.signature} | {s.doc}".rstrip(
            " |"
        )
        for s in facts.symbols
    )
    imports = (f"{i.line} imports {i.module} {' '.join(i.names)}".rstrip() for i in facts.imports)
    return "\n".join([f"{facts.language}, {facts.lines} lines", *imports, *symbols]) + "\n"


@pytest.mark.parametrize("name", ["a.go", "a.rs", "A.java", "a.c", "a.cpp", "A.cs", "a.rb", "a.php"])
def test_a_sample_has_exactly_these_symbols_and_imports(name):
    assert outline(SAMPLES / name) == (SAMPLES / f"{name}.txt").read_text()


def test_no_calls_are_guessed_for_a_language_that_is_only_outlined():
    facts = registry.read("a.go", b"package a\nfunc A() { B() }\nfunc B() {}\n")
    found = resolve({"a.go": facts})
    assert (facts.calls, found.edges, found.possible, found.unresolved) == ((), (), (), ())


def test_an_import_that_is_a_path_names_its_file():
    texts = {
        "src/a.c": b'#include "b.h"\n#include "deep/d.h"\n#include <stdio.h>\n',
        "src/b.h": b"",
        "include/deep/d.h": b"",
        "src/lib.rs": b"mod one;\nmod two;\nuse crate::one::X;\n",
        "src/one.rs": b"",
        "src/two/mod.rs": b"",
        "j/a/b/C.java": b"import a.b.D;\nimport java.util.List;\n",
        "j/a/b/D.java": b"",
        "r/a.rb": b"require_relative 'b'\nrequire 'json'\n",
        "r/b.rb": b"",
        "p/a.php": b"<?php require 'b.php';",
        "p/b.php": b"",
    }
    found = resolve({path: registry.read(path, text) for path, text in texts.items()})
    assert [(i.path, i.module, i.target) for i in found.imports] == [
        ("j/a/b/C.java", "a.b.D", "j/a/b/D.java"),
        ("j/a/b/C.java", "java.util.List", None),
        ("p/a.php", "b.php", "p/b.php"),
        ("r/a.rb", "./b", "r/b.rb"),
        ("r/a.rb", "json", None),
        ("src/a.c", "b.h", "src/b.h"),
        ("src/a.c", "deep/d.h", "include/deep/d.h"),
        ("src/a.c", "<stdio.h>", None),
        ("src/lib.rs", "mod one", "src/one.rs"),
        ("src/lib.rs", "mod two", "src/two/mod.rs"),
        ("src/lib.rs", "crate::one::X", None),
    ]
