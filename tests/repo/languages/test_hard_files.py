"""Files nobody wrote for a parser: whatever stands in one, its facts come back."""

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.repo.languages import facts, registry
from dragoman.repo.languages.resolve import resolve

ENDINGS = "py ts tsx js go rs java c cpp cs rb php".split()
PIECES = st.sampled_from(
    "def f(a: 'x[', *b): \nclass A(B, *c): |    self.x = x|\n|\t|    |return |import a as b, c|from . import *|from .. import (a, b)"
    "|lambda x: |[x for x in y]|async |await |yield |global a|nonlocal b|@d|with a as (b, c):|except* E as e:|match x:\n case {'a': b}:"
    "|function f(|export default |import {a as b} from './c'|module.exports = {|...a|class A extends B {|<T extends |=> |;|}|{|(|)|\"|'|`${"
    '|pub fn a() {}|impl X for Y {|func (a *B) C() {}|struct |#define A|#include "x"|namespace a::b {|use A\\{B, C};|<?php |=begin\n|\x00|é|\ufeff'.split(
        "|"
    )
)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("text", [b"", b"\n", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"(((", b"}" * 500, b"\xff" * 50])
def test_a_file_without_sense_has_facts(ending, text):
    found = registry.read(f"a.{ending}", text)
    assert facts.load(facts.dump(found)) == found
    assert 0 <= found.error_share <= 1


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(ENDINGS), st.lists(PIECES, max_size=40).map("".join))
def test_no_text_stops_the_reading_or_the_resolving(ending, text):
    files = {path: registry.read(path, text.encode()) for path in (f"a.{ending}", f"pkg/b.{ending}", "pkg/__init__.py")}
    assert resolve(files) == resolve({path: facts.load(facts.dump(each)) for path, each in files.items()})


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "x = " + "(" * 3000 + ")" * 3000),
        ("a.py", "x = " + "a." * 3000 + "b()"),
        ("a.py", "x = " + "f(" * 2000 + ")" * 2000),
        ("a.py", "x: " + "A[" * 2000 + "]" * 2000),
        ("a.py", "".join(f"{' ' * n}def f{n}():\n" for n in range(300)) + " " * 300 + "pass\n"),
        ("a.py", "class A(A): ...\nclass B(C): ...\nclass C(B): ...\nC().go()\n"),
        ("a.py", "a = b\nb = a\na()\nfrom a import a\nfrom .a import *\n"),
        ("a.py", "".join(f"def f{n}(): return f{n + 1}()\n" for n in range(2000)) + "f0().go()\n"),
        ("a.ts", "let x = " + "[" * 3000 + "]" * 3000),
        ("a.ts", "let x: " + "A<" * 2000 + ">" * 2000),
        ("a.ts", "{" * 3000 + "let a = 1" + "}" * 3000),
        ("a.go", "package a\nvar x = " + "(" * 3000 + ")" * 3000),
        ("a.rs", "mod a {" * 1000 + "}" * 1000),
    ],
    ids=range(13),
)
def test_deep_nesting_and_circles_end(path, text):
    resolve({path: registry.read(path, text.encode())})
    assert sys.getrecursionlimit() <= 3000


def test_a_byte_order_mark_and_odd_line_ends_do_not_shift_a_line():
    found = registry.read("a.py", b"\xef\xbb\xbfdef a():\r\n\tgo()\r\n\r\ndef go():\r\n\tpass\r\n")
    assert [(s.name, s.line, s.end_line, s.signature) for s in found.symbols] == [
        ("a", 1, 2, "def a()"),
        ("go", 4, 5, "def go()"),
    ]
    assert found.calls[0].line == 2


def test_bytes_that_are_no_text_cost_their_characters_only():
    found = registry.read("a.py", b"# caf\xe9\ndef a():\n    '''caf\xe9'''\n    b()\n")
    assert [(s.name, s.doc) for s in found.symbols] == [("a", "caf\ufffd")]
    assert found.calls[0].line == 4


def test_utf_16_is_read():
    assert [s.name for s in registry.read("a.py", "def a(): ...\n".encode("utf-16")).symbols] == ["a"]


def test_what_does_not_parse_is_told_and_the_rest_is_kept():
    found = registry.read("a.py", b"def a(): ...\n" * 5 + b"$$$ !!! ???\n" + b"def b(): ...\n")
    assert 0 < found.error_share < 0.5
    assert found.symbols[0].name == "a"


def test_a_very_long_line_is_cut_where_it_is_shown():
    found = registry.read("a.py", b"x = [" + b"1, " * 50_000 + b"]\n" + b"a" * 5000 + b"()\n")
    assert max(len(s.signature) for s in found.symbols) <= 300
    assert len(found.calls[0].text) == 80


def test_an_unknown_language_has_its_lines_and_nothing_else():
    assert registry.language_of("README.md") == ""
    assert registry.read("README.md", b"a\nb") == facts.FileFacts("", 2)
