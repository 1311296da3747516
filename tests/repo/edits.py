"""Small programs in which nearly every name means something elsewhere, and the edits that people make to them, by a seed."""

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random

from tests.repo.clones import put

PYTHON = ("a.py", "b.py", "pkg/__init__.py", "pkg/a.py", "pkg/b.py", "pkg/sub/__init__.py", "pkg/sub/c.py", "src/lib/d.py", "tests/test_a.py")  # fmt: skip
SCRIPT = ("x.ts", "y.ts", "web/index.ts", "web/z.js", "web/x.test.ts")
CONFIGS = (
    "tsconfig.json",
    "web/tsconfig.json",
    "web/jsconfig.json",
    "web/base.json",
    "package.json",
    "web/package.json",
)
_CLASSES, _FUNCTIONS, _METHODS, _VALUES = ("A", "B"), ("f", "g"), ("run", "make", "a"), ("one", "two")
_MODULES = ("a", "a", "b", "b", "pkg", "pkg", "pkg.a", "pkg.b", "pkg.sub", "pkg.sub.c", "lib.d", ".", ".a", ".b", ".sub", "..a", ".c", "os")  # fmt: skip
_PLACES = (
    "./x",
    "./y",
    "./web",
    "../x",
    "./z",
    "./index",
    ".",
    "web/z",
    "react",
    "@/x",
    "@/z",
    "@/y",
    "x",
    "z",
    "kit",
    "kit/z",
)


class Edits:
    """Edits the files of these groups in one folder, by default of all, step by step. The same seed makes the same edits."""

    def __init__(self, root: Path, seed: int, *groups: Sequence[str]) -> None:
        self.root, self.random = root, Random(seed)
        self.groups = groups or (PYTHON, SCRIPT, CONFIGS)
        self.texts: dict[str, list[str]] = {}  # the statements of each file
        for path in self._paths():
            if self.random.random() < 0.8:
                self._write(path, self._some(path, 3, 9))

    def step(self) -> str:
        """One edit; what it was."""
        path = self.random.choice(sorted(self.texts) or self._paths())
        match self.random.choices(
            ("add", "remove", "change", "new", "delete", "move", "several"), (5, 3, 5, 2, 1, 2, 1)
        )[0]:
            case "remove" if self.texts.get(path):
                gone = self.texts[path].pop(self.random.randrange(len(self.texts[path])))
                self._write(path, self.texts[path])
                return f"remove from {path}: {gone}"
            case "change" if self.texts.get(path):
                at = self.random.randrange(len(self.texts[path]))
                self.texts[path][at] = (
                    self._renamed(self.texts[path][at]) if self.random.random() < 0.5 else self._statement(path)
                )
                self._write(path, self.texts[path])
                return f"change in {path}: {self.texts[path][at]}"
            case "new":
                path = self.random.choice(self._paths())
                self._write(path, self._some(path, 0, 8))
                return f"write {path}"
            case "delete" if path in self.texts:
                del self.texts[path]
                (self.root / path).unlink()
                return f"delete {path}"
            case "move" if path in self.texts:
                to = self.random.choice(next(group for group in self.groups if path in group))
                told = self.texts.pop(path)
                (self.root / path).unlink()
                self._write(to, told)
                return f"move {path} to {to}"
            case "several":
                return "; ".join(self.step() for _ in range(3))
        told = self._statement(path)
        if path in CONFIGS:
            self._write(path, [told])
            return f"write {path}: {told}"
        self._write(path, [*self.texts.get(path, []), told])
        return f"add to {path}: {told}"

    def _paths(self) -> list[str]:
        return [path for group in self.groups for path in group]

    def _write(self, path: str, statements: list[str]) -> None:
        self.texts[path] = list(statements)
        put(self.root, {path: "\n".join(statements) + "\n"})

    def _renamed(self, statement: str) -> str:
        """With one name in the place of another, everywhere in it."""
        names = self.random.choice((_CLASSES, _FUNCTIONS, _METHODS, _VALUES))
        old, new = self.random.sample(names, 2)
        return "".join(new if word == old else word for word in _words(statement))

    def _statement(self, path: str) -> str:
        return self._config(path) if path in CONFIGS else self._script() if path in SCRIPT else self._python()

    def _some(self, path: str, least: int, most: int) -> list[str]:
        return [self._statement(path) for _ in range(1 if path in CONFIGS else self.random.randint(least, most))]

    def _one(self, *names: str) -> str:
        return self.random.choice(names)

    # ---- Python ------------------------------------------------------------------------------------------------------

    def _python(self) -> str:
        one, module = self._one, self._one(*_MODULES)
        name = one(*_CLASSES, *_FUNCTIONS, *_VALUES, "a", "b", "sub", "c")
        match self.random.randrange(12):
            case 0 | 1:
                return f"from {module} import {name}{one('', '', f' as {one(*_CLASSES, *_FUNCTIONS, *_VALUES)}')}"
            case 2:
                return f"from {module} import *"
            case 3:
                return f"import {module.strip('.') or 'a'}{one('', f' as {one(*_VALUES)}')}"
            case 4 | 5 | 6:
                bases = one("", "", *_CLASSES, "a.A", "pkg.B", "one", "A, B", "Exception")
                members = [self._member() for _ in range(self.random.randint(0, 4))] or ["    pass"]
                return "\n".join([f"class {one(*_CLASSES)}({bases}):", *members])
            case 7 | 8:
                told = one("", "", f" -> {one(*_CLASSES)}", f" -> '{one(*_CLASSES)}'")
                taken = one("", "", f"it: {one(*_CLASSES)}", "it")
                kind = one("def", "def", "def", "async def")
                return f"{kind} {one(*_FUNCTIONS)}({taken}){told}:\n    here = {self._value()}\n    {self._value()}\n    return {one('here', 'it', self._value())}"
            case 9:
                return f"{one(*_VALUES)}{one('', f': {one(*_CLASSES)}')} = {self._value()}"
        return self._value()

    def _member(self) -> str:
        one = self._one
        match self.random.randrange(6):
            case 0:
                return f"    def __init__(self):\n        self.{one(*_METHODS, *_VALUES)} = {self._value()}"
            case 1:
                return f"    {one(*_METHODS, *_VALUES)} = {self._value()}"
            case 2:
                return f"    class {one(*_CLASSES)}({one('', *_CLASSES)}):\n        def {one(*_METHODS)}(self): return {self._value()}"
            case 3:
                return f"    @{one('property', 'classmethod', 'staticmethod')}\n    def {one(*_METHODS)}(self): return {one('self', 'self()', self._value())}"
        return f"    def {one(*_METHODS)}(self){one('', '', f' -> {one(*_CLASSES)}')}: return {self._value()}"

    def _value(self) -> str:
        one = self._one
        first = one(*_CLASSES, *_FUNCTIONS, *_VALUES, "self", "super()", "a", "pkg", "pkg.a", "it")
        match self.random.randrange(8):
            case 0:
                return f"{first}.{one(*_METHODS, *_CLASSES, *_FUNCTIONS)}()"
            case 1:
                return f"{one(*_CLASSES)}().{one(*_METHODS)}().{one(*_METHODS)}()"
            case 2:
                return f"{first}.{one(*_METHODS, *_VALUES)}.{one(*_METHODS)}()"
            case 3:
                return one(first, "None", f"{first} or {one(*_CLASSES)}()", f"{one(*_VALUES)} or {one(*_VALUES)}")
            case 4:
                return f"{one(*_FUNCTIONS)}({first})"
            case 5:
                return f"{first}()"
        return f"{one(*_CLASSES, *_FUNCTIONS)}()"

    # ---- TypeScript --------------------------------------------------------------------------------------------------

    def _script(self) -> str:
        one, place = self._one, self._one(*_PLACES)
        name, other = one(*_CLASSES, *_FUNCTIONS, *_VALUES), one(*_CLASSES, *_FUNCTIONS)
        match self.random.randrange(11):
            case 0 | 1:
                return f"import {one(f'{{ {name} }}', f'{{ {name} as {other} }}', f'* as {one(*_VALUES)}', other)} from '{place}'"
            case 2:
                return f"export {one('*', '*', f'{{ {name} }}', f'{{ {name} as {other} }}', f'{{ default as {name} }}')} from '{place}'"
            case 3 | 4:
                parent = one("", "", f" extends {one(*_CLASSES)}", f" extends {one(*_VALUES)}.{one(*_CLASSES)}")
                members = "; ".join(self._script_member() for _ in range(self.random.randint(0, 3)))
                return f"{one('', 'export ', 'export default ')}class {one(*_CLASSES)}{parent} {{ {members} }}"
            case 5 | 6:
                told = one("", f": {one(*_CLASSES)}")
                return f"{one('', 'export ')}function {one(*_FUNCTIONS)}(){told} {{ const here = {self._script_value()}; return here }}"
            case 7:
                return f"{one('', 'export ')}const {one(*_VALUES, *_FUNCTIONS)}{one('', f': {one(*_CLASSES)}')} = {self._script_value()}"
            case 8:
                return one(
                    f"module.exports = {{ {name}, {other} }}", f"module.exports = {name}", f"exports.{name} = {other}"
                )
            case 9:
                return f"const {one(name, f'{{ {name} }}')} = require('{place}')"
        return self._script_value()

    def _script_member(self) -> str:
        one = self._one
        told = one("", f": {one(*_CLASSES)}")
        return one(
            f"{one(*_METHODS)}(){told} {{ return {self._script_value()} }}",
            f"{one(*_VALUES)}{told} = {self._script_value()}",
        )

    def _script_value(self) -> str:
        one = self._one
        first = one(*_CLASSES, *_FUNCTIONS, *_VALUES, "this")
        return one(
            f"{first}.{one(*_METHODS)}()", f"new {one(*_CLASSES)}().{one(*_METHODS)}()", f"{one(*_FUNCTIONS)}()",
            f"{one(*_FUNCTIONS)}({first})", f"new {one(*_CLASSES, *_VALUES)}()", f"{{ run() {{ return {one(*_FUNCTIONS)}() }} }}",
            f"{one(*_VALUES)}.{one(*_CLASSES, *_FUNCTIONS)}()", first,
        )  # fmt: skip

    # ---- Configs -----------------------------------------------------------------------------------------------------

    def _config(self, path: str) -> str:
        one = self._one
        if path.endswith("package.json"):
            linked = {"kit": one("workspace:*", "*", "^1.0.0")}
            exports = one('"./index.ts"', '{".": "./index.ts", "./*": "./*.js"}', '"./dist/index.js"', "null")
            return f'{{"name": "{one("kit", "kit", "shop")}", "workspaces": ["web"], "exports": {exports}, "dependencies": {json.dumps(linked)}}}'
        told = []
        if self.random.random() < 0.4:
            told.append(
                f'"extends": "{one("./base", "./web/base.json", "../tsconfig.json", "./missing.json", "library/base")}"'
            )
        if self.random.random() < 0.3:
            told.append(
                one(
                    '"include": ["**/*.ts"]',
                    '"include": ["web"]',
                    '"exclude": ["web"]',
                    '"files": [], "references": [{"path": "./web"}]',
                )
            )
        options = [one('"allowJs": true', '"strict": true')]
        if self.random.random() < 0.4:
            options.append(f'"baseUrl": "{one(".", "./web", "..")}"')
        if self.random.random() < 0.7:
            targets = one('["./*"]', '["./web/*"]', '["../*"]', '["./missing/*", "./*"]', '["./web/*", "./*"]')
            options.append(
                f'"paths": {{"{one("@/*", "@/*", "@/*", "*", "kit")}": {targets}, "@/x": {one('["./y"]', '["./x"]', '["./z"]')}}}'
            )
        told.append(f'"compilerOptions": {{ {", ".join(options)}{one("", ",")} }}')
        return f"{{ {one('', '// As of late')}\n{', '.join(told)} }}{one('', '', '', '', '}')}"


def _words(text: str) -> list[str]:
    found = [""]
    for letter in text:
        if (letter.isalnum() or letter == "_") == (found[-1][-1:].isalnum() or found[-1][-1:] == "_"):
            found[-1] += letter
        else:
            found.append(letter)
    return found
