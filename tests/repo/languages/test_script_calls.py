"""Who calls whom in TypeScript and JavaScript: only what the code itself proves."""

import pytest

from dragoman.repo.languages import registry
from tests.repo.languages.reading import callees, understand


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("function go() {}\nfunction use() { go() }", [("go", "proven")]),
        ("const go = () => 1\nfunction use() { go() }", [("go", "proven")]),
        (
            "const api = { go() {}, b: () => 1 }\nfunction use() { api.go(); api.b() }",
            [("api.go", "proven"), ("api.b", "proven")],
        ),
        ("class A { go() {} }\nfunction use() { new A().go() }", [("A", "proven"), ("A.go", "proven")]),
        ("class A { go() {} }\nfunction use(a: A) { a.go() }", [("A.go", "typed")]),
        ("class A { go() {} }\nfunction use(a?: A | null) { a?.go() }", [("A.go", "typed")]),
        ("class A { go() {} }\nfunction use(x: any) { (x as A).go() }", [("A.go", "typed")]),
        ("interface I { go(): void }\nfunction use(i: I) { i.go() }", [("I.go", "typed")]),
        ("type B = A\nclass A { go() {} }\nfunction use(b: B) { b.go() }", [("A.go", "typed")]),
        ("class A { go() {} }\nclass B extends A {}\nfunction use(b: B) { b.go() }", [("A.go", "typed")]),
        ("class A<T> { go() {} }\nclass B extends A<string> {}\nfunction use(b: B) { b.go() }", [("A.go", "typed")]),
        (
            "class A { static make(): A { return new A() } go() {} }\nfunction use() { A.make().go() }",
            [("A.make", "proven"), ("A.go", "typed")],
        ),
        (
            "class A { go() {} }\nasync function make(): Promise<A> {}\nasync function use() { (await make()).go() }",
            [("make", "proven"), ("A.go", "typed")],
        ),
        ("class A { get b(): B {} }\nclass B { go() {} }\nfunction use(a: A) { a.b.go() }", [("B.go", "typed")]),
        ("namespace N { export function go() {} }\nfunction use() { N.go() }", [("N.go", "proven")]),
        (
            "class A { go() {} }\nfunction use({ a }: { a: A }) { const { go } = new A(); go() }",
            [("A", "proven"), ("A.go", "proven")],
        ),
    ],
)
def test_every_step_is_followed(text, expected):
    assert callees(text, "a.ts") == expected


@pytest.mark.parametrize(
    "text",
    [
        "class A { get() {} }\nfunction use(m: Map<string, A>) { m.get('a') }",
        "class A { go() {} }\nclass B { go() {} }\nfunction use(x: A | B) { x.go() }",
        "class A { go() {} }\nfunction use(xs: A[]) { xs.go() }",
        "class T { go() {} }\nfunction use<T>(x: T) { x.go() }",
        "class A { go() {} }\nfunction use() { let a = new A(); a = other; a.go() }",
        "function go() {}\nfunction use(go) { go() }",
        "function go() {}\nfunction use() { for (const go of xs) { go() } }",
        "function go() {}\nfunction use() { try {} catch (go) { go() } }",
        "class A { go() {} use2() { xs.map(function () { this.go() }) } }",
        "class A { log() {} }\nfunction use() { console.log(1) }",
        "import { go } from 'library'\nclass A { go() {} }\nfunction use() { go() }",
        "import * as A from './missing'\nfunction go() {}\nfunction use() { A.go() }",
        "class A { async make(): Promise<B> {} }\nclass B { go() {}}\nfunction use(a: A) { a.make().go() }",
        "const api = { ...other, go() {} }\nfunction use() { api.stop() }\nfunction stop() {}",
    ],
)
def test_nothing_is_invented(text):
    found = understand({"a.ts": text}).edges
    assert [edge.callee for edge in found if edge.callee.rpartition("::")[2] not in ("A", "A.make")] == []


def test_this_super_and_fields_are_followed_inside_a_class():
    text = """\
        class Base { constructor() {} close() {} }
        class Mailer { send() {} }
        export class Box extends Base {
          private mailer: Mailer = make()
          other = new Mailer()
          constructor(private readonly third: Mailer) { super(); this.fourth = new Mailer() }
          run = () => { this.mailer.send(); this.close() }
          close() { super.close(); this.other.send(); this.third.send(); [1].map(() => this.fourth.send()) }
        }
        """
    found = understand({"a.ts": text}).edges
    assert [(e.line, e.caller.rpartition("::")[2], e.callee.rpartition("::")[2], e.tier) for e in found] == [
        (5, "Box", "Mailer", "proven"),
        (6, "Box.constructor", "Base.constructor", "proven"),
        (6, "Box.constructor", "Mailer", "proven"),
        (7, "Box.run", "Mailer.send", "typed"),
        (7, "Box.run", "Box.close", "proven"),
        (8, "Box.close", "Base.close", "proven"),
        (8, "Box.close", "Mailer.send", "proven"),
        (8, "Box.close", "Mailer.send", "typed"),
        (8, "Box.close", "Mailer.send", "proven"),
    ]


def test_a_call_is_followed_through_exports_of_every_kind():
    files = {
        "lib/index.ts": "export * from './core'\nexport { go as start } from './core.js'\nexport * as core from './core'\n",
        "lib/core.ts": "export function go() {}\nfunction hidden() {}\nexport { hidden as shown }\nexport default class { run() {} }\n",
        "lib/named.tsx": "export default function Page() { return <Part.Inner /> }\n",
        "old/tool.js": "function help() {}\nmodule.exports = { help, aid: help, more() {} }\nexports.last = help\n",
        "app.ts": """\
            import Core, { shown } from './lib/core'
            import { go, start, core } from './lib'
            import * as all from './lib/index'
            import Page from './lib/named'
            go(); start(); core.go(); all.go(); shown()
            new Core().run()
            Page()
            """,
        "old/run.js": "const { help, aid: second } = require('./tool')\nconst tool = require('./tool.js')\nhelp(); second(); tool.more()\n",
    }
    found = understand(files)
    assert [(e.path, e.line, e.callee) for e in found.edges] == [
        *(("app.ts", 5, "lib/core.ts::go") for _ in range(4)),
        ("app.ts", 5, "lib/core.ts::hidden"),
        ("app.ts", 6, "lib/core.ts::default"),
        ("app.ts", 6, "lib/core.ts::default.run"),
        ("app.ts", 7, "lib/named.tsx::Page"),
        ("old/run.js", 3, "old/tool.js::help"),
        ("old/run.js", 3, "old/tool.js::help"),
        ("old/run.js", 3, "old/tool.js::more"),
    ]
    assert {(i.path, i.module, i.target) for i in found.imports if i.path == "app.ts"} == {
        ("app.ts", "./lib/core", "lib/core.ts"),
        ("app.ts", "./lib", "lib/index.ts"),
        ("app.ts", "./lib/index", "lib/index.ts"),
        ("app.ts", "./lib/named", "lib/named.tsx"),
    }


def test_a_component_and_a_handler_are_references():
    text = "function Part() {}\nfunction press() {}\nfunction use() { return <Part onClick={press} /> }\n"
    found = understand({"a.tsx": text})
    assert [(r.holder, r.target, r.line) for r in found.references] == [
        ("a.tsx::use", "a.tsx::Part", 3),
        ("a.tsx::use", "a.tsx::press", 3),
    ]
    assert found.edges == ()


def test_symbols_tell_what_they_are():
    text = b"""\
/** Holds. */
export class Outer<T> extends Base {
  // How many.
  size = 1
  go(a: string): void {}
}
export interface Shape { area(): number }
type Id = string
enum Color { Red }
export const LIMIT = 3, make = async (x) => { function inner() {} }
"""
    told = [(s.qualname, s.kind, s.parent, s.signature, s.doc, s.line) for s in registry.read("a.ts", text).symbols]
    assert told == [
        ("Outer", "class", "", "class Outer<T> extends Base", "Holds.", 2),
        ("Outer.size", "attribute", "Outer", "size = 1", "How many.", 4),
        ("Outer.go", "method", "Outer", "go(a: string): void", "", 5),
        ("Shape", "interface", "", "interface Shape", "", 7),
        ("Shape.area", "method", "Shape", "area(): number", "", 7),
        ("Id", "type", "", "type Id = string", "", 8),
        ("Color", "enum", "", "enum Color", "", 9),
        ("LIMIT", "variable", "", "LIMIT = 3", "", 10),
        ("make", "function", "", "make = async (x)", "", 10),
        ("make.inner", "function", "make", "function inner()", "", 10),
    ]
