"""Which file an import means that is no relative path: what the nearest config says, and nothing where it leaves a doubt."""

import json

import pytest

from dragoman.repo.languages import configs
from tests.repo.languages.reading import understand

HERE = "export function here() {}\n"


def target(files: dict[str, str], module: str, path: str = "web/a.ts") -> str | None:
    """The file that the module means, imported by the one at `path`."""
    (found,) = understand(files | {path: f"import {{ here }} from '{module}'\nhere()\n"}).imports
    return found.target


def config(more: str = "", **options: object) -> str:
    return f'{{"compilerOptions": {json.dumps(options)}{more}}}'


AT = config(paths={"@/*": ["./src/*"]})
FOUND = {
    "an alias of a folder": ({"tsconfig.json": AT, "src/lib/x.ts": HERE}, "@/lib/x", "src/lib/x.ts"),
    "its index": ({"tsconfig.json": AT, "src/lib/index.tsx": HERE}, "@/lib", "src/lib/index.tsx"),
    "the suffix it will have": ({"tsconfig.json": AT, "src/x.ts": HERE}, "@/x.js", "src/x.ts"),
    "the folder of the config": ({"web/tsconfig.json": AT, "web/src/x.ts": HERE}, "@/x", "web/src/x.ts"),
    "a whole name": (
        {"tsconfig.json": config(paths={"kit/x": ["./one"], "kit/*": ["./kit/*"]}), "one.ts": HERE, "kit/x.ts": HERE},
        "kit/x",
        "one.ts",
    ),
    "the longest start": (
        {"tsconfig.json": config(paths={"*": ["./*"], "@/*": ["./a/*"], "@/b/*": ["./b/*"]}), "a/b/x.ts": HERE, "b/x.ts": HERE},
        "@/b/x",
        "b/x.ts",
    ),
    "an end behind the star": (
        {"tsconfig.json": config(paths={"@/*.view": ["./views/*"]}), "views/x.ts": HERE},
        "@/x.view",
        "views/x.ts",
    ),
    "the first target that is there": (
        {"tsconfig.json": config(paths={"@/*": ["./a/*", "./b/*", "./c/*"]}), "b/x.ts": HERE, "c/x.ts": HERE},
        "@/x",
        "b/x.ts",
    ),
    "TypeScript before JavaScript": (
        {"tsconfig.json": config(paths={"@/*": ["./a/*", "./b/*"]}), "a/x.js": HERE, "b/x.ts": HERE},
        "@/x",
        "b/x.ts",
    ),
    "the folder that baseUrl names": ({"tsconfig.json": config(baseUrl="src"), "src/lib/x.ts": HERE}, "lib/x", "src/lib/x.ts"),
    "targets below baseUrl": (
        {"tsconfig.json": config(baseUrl="./src", paths={"@/*": ["lib/*"]}), "src/lib/x.ts": HERE},
        "@/x",
        "src/lib/x.ts",
    ),
    "the nearest config": (
        {"tsconfig.json": config(paths={"@/*": ["./a/*"]}), "web/tsconfig.json": config(paths={"@/*": ["./b/*"]}), "a/x.ts": HERE, "web/b/x.ts": HERE},
        "@/x",
        "web/b/x.ts",
    ),
    "tsconfig.json before jsconfig.json": (
        {"tsconfig.json": config(paths={"@/*": ["./a/*"]}), "jsconfig.json": config(paths={"@/*": ["./b/*"]}), "a/x.ts": HERE, "b/x.ts": HERE},
        "@/x",
        "a/x.ts",
    ),
    "what a parent says, from its own folder": (
        {"web/tsconfig.json": '{"extends": "../conf/base"}', "conf/base.json": config(paths={"@/*": ["./src/*"]}), "conf/src/x.ts": HERE},
        "@/x",
        "conf/src/x.ts",
    ),
    "what a parent's parent says": (
        {"tsconfig.json": '{"extends": "./one.json"}', "one.json": '{"extends": ["./two.json"]}', "two.json": AT, "src/x.ts": HERE},
        "@/x",
        "src/x.ts",
    ),
    "the last of several parents": (
        {"tsconfig.json": '{"extends": ["./one", "./two"]}', "one.json": AT, "two.json": config(paths={"@/*": ["./b/*"]}), "src/x.ts": HERE, "b/x.ts": HERE},
        "@/x",
        "b/x.ts",
    ),
    "its own words before a parent's": (
        {"tsconfig.json": config(', "extends": "./one"', paths={"@/*": ["./b/*"]}), "one.json": AT, "src/x.ts": HERE, "b/x.ts": HERE},
        "@/x",
        "b/x.ts",
    ),
    "paths below a parent's baseUrl": (
        {"tsconfig.json": config(', "extends": "./conf/one"', paths={"@/*": ["b/*"]}), "conf/one.json": config(baseUrl="../src"), "src/b/x.ts": HERE},
        "@/x",
        "src/b/x.ts",
    ),
    "a library's parent, which knows nothing of our folders": (
        {"tsconfig.json": config(', "extends": "@tsconfig/node22/tsconfig.json"', paths={"@/*": ["./src/*"]}), "src/x.ts": HERE},
        "@/x",
        "src/x.ts",
    ),
    "a parent in a package of the repository": (
        {"tsconfig.json": '{"extends": "@own/conf/base.json"}', "conf/package.json": '{"name": "@own/conf"}', "conf/base.json": config(paths={"@/*": ["../src/*"]}), "src/x.ts": HERE},
        "@/x",
        "src/x.ts",
    ),
    "what a config says that leaves nothing to a missing parent": (
        {"tsconfig.json": config(', "extends": "./.made/tsconfig.json", "files": [], "include": ["web"], "exclude": []', baseUrl=".", paths={"@/*": ["./src/*"]}), "src/x.ts": HERE},
        "@/x",
        "src/x.ts",
    ),
    "the config of those referred to that takes the file in": (
        {
            "tsconfig.json": '{"files": [], "references": [{"path": "./tsconfig.node.json"}, {"path": "./tsconfig.app.json"}]}',
            "tsconfig.node.json": config(', "include": ["vite.config.ts"]', paths={"@/*": ["./a/*"]}),
            "tsconfig.app.json": config(', "include": ["web"]', paths={"@/*": ["./b/*"]}),
            "a/x.ts": HERE, "b/x.ts": HERE,
        },
        "@/x",
        "b/x.ts",
    ),
    "a config above one that leaves the file out": (
        {"tsconfig.json": AT, "web/tsconfig.json": config(', "exclude": ["**/a.*"]', paths={"@/*": ["./b/*"]}), "src/x.ts": HERE, "web/b/x.ts": HERE},
        "@/x",
        "src/x.ts",
    ),
    "comments and commas at the end": (
        {"tsconfig.json": '// One.\n{ "compilerOptions": { /* "paths": {}, */ "paths": { "@/*": ["./src/*", // here, "there"\n ], }, }, }\n', "src/x.ts": HERE},
        "@/x",
        "src/x.ts",
    ),
    "no comment in a string": (
        {"tsconfig.json": config(paths={"//kit/*": ["./src/*"], "/*": [], "*/": []}), "src/x.ts": HERE},
        "//kit/x",
        "src/x.ts",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FOUND)
def test_an_import_means(case: str) -> None:
    files, module, expected = FOUND[case]
    assert target(files, module) == expected


NOTHING = {
    "no config": {"src/x.ts": HERE, "x.ts": HERE, "web/x.ts": HERE},
    "a config beside": {"other/tsconfig.json": AT, "src/x.ts": HERE, "other/src/x.ts": HERE},
    "a target that is not there": {"tsconfig.json": AT, "x.ts": HERE},
    "a target outside of the repository": {"tsconfig.json": config(paths={"@/*": ["../src/*", "/src/*"]}), "src/x.ts": HERE},
    "a base outside of the repository": {"tsconfig.json": config(baseUrl="../..", paths={"@/*": ["src/*"]}), "src/x.ts": HERE},
    "no target": {"tsconfig.json": config(baseUrl=".", paths={"@/*": []}), "@/x.ts": HERE},
    "broken JSON": {"tsconfig.json": AT[:-1], "src/x.ts": HERE},
    "broken JSON below a whole one": {"web/tsconfig.json": "{", "tsconfig.json": AT, "src/x.ts": HERE},
    "paths of another shape": {"tsconfig.json": config(paths={"@/*": "./src/*"}), "src/x.ts": HERE},
    "JSON of another shape": {"tsconfig.json": f"[{AT}]", "src/x.ts": HERE},
    "two stars": {"tsconfig.json": config(paths={"@/*/*": ["./src/*"]}), "src/x.ts": HERE},
    "a circle of parents": {"tsconfig.json": config(', "extends": "./one"', paths={"@/*": ["./src/*"]}), "one.json": '{"extends": "./tsconfig.json"}', "src/x.ts": HERE},
    "a config that extends itself": {"tsconfig.json": config(', "extends": "./tsconfig.json"', paths={"@/*": ["./src/*"]}), "src/x.ts": HERE},
    "a parent that is not there and may say from where": {"tsconfig.json": config(', "extends": "./.made/base.json"', paths={"@/*": ["./src/*"]}), "src/x.ts": HERE},
    "a parent outside of the repository": {"tsconfig.json": config(', "extends": "../base.json"', paths={"@/*": ["./src/*"]}), "src/x.ts": HERE},
    "a parent that cannot be read": {"tsconfig.json": config(', "extends": "./one"', paths={"@/*": ["./src/*"]}), "one.json": '{"compilerOptions": ', "src/x.ts": HERE},
    "a folder that depends on who extends it": {"tsconfig.json": config(paths={"@/*": ["${configDir}/src/*"]}), "src/x.ts": HERE},
    "a config that leaves the file out": {"tsconfig.json": config(', "include": ["src"]', paths={"@/*": ["./src/*"]}), "src/x.ts": HERE},
    "a config with no files": {"tsconfig.json": config(', "files": []', paths={"@/*": ["./src/*"]}), "src/x.ts": HERE},
    "two stars at the end": {"tsconfig.json": config(', "include": ["web/**"]', paths={"@/*": ["./src/*"]}), "src/x.ts": HERE},
    "a config that is another's parent only": {"tsconfig.base.json": AT, "src/x.ts": HERE},
}  # fmt: skip


@pytest.mark.parametrize("case", NOTHING)
def test_an_import_means_nothing_for_certain_with(case: str) -> None:
    assert target(NOTHING[case], "@/x") is None


@pytest.mark.parametrize(
    ("name", "told", "expected"),
    [
        ("tsconfig.json", AT, None),
        ("tsconfig.json", config(allowJs=True, paths={"@/*": ["./src/*"]}), "src/x.ts"),
        ("tsconfig.json", config(checkJs=True, paths={"@/*": ["./src/*"]}), "src/x.ts"),
        ("tsconfig.json", config(', "extends": "expo/tsconfig.base"', paths={"@/*": ["./src/*"]}), None),
        ("jsconfig.json", AT, "src/x.ts"),
    ],
)
def test_a_config_counts_for_javascript_where_it_says_so(name: str, told: str, expected: str | None) -> None:
    assert target({name: told, "src/x.ts": HERE}, "@/x", "web/a.js") == expected


@pytest.mark.parametrize(
    ("pattern", "path", "meant"),
    [
        ("web", "web/a.ts", True),
        ("./web/", "web/deep/a.ts", True),
        (".", "web/a.ts", True),
        ("*", "web/a.ts", False),
        ("**/*", "web/deep/a.ts", True),
        ("**/*.tsx", "web/a.ts", False),
        ("w?b/**/a.*", "web/very/deep/a.ts", True),
        ("w?b/**/a.*", "web/a.ts", True),
        ("**/*", "web/.hidden/a.ts", False),
        ("web/.hidden/*", "web/.hidden/a.ts", True),
        ("**/*", "web/node_modules/a.ts", False),
        ("[w]eb/*", "web/a.ts", False),
        ("../web", "web/a.ts", False),
    ],
)
def test_include_means_what_it_means_to_typescript(pattern: str, path: str, meant: bool) -> None:
    told = config(f', "include": ["{pattern}"]', paths={"@/*": ["./src/*"]})
    assert (target({"tsconfig.json": told, "src/x.ts": HERE}, "@/x", path) is not None) is meant


def test_node_and_a_file_of_the_same_name_leave_a_doubt() -> None:
    files = {"tsconfig.json": config(baseUrl="."), "fs.ts": HERE, "fast.ts": HERE}
    assert (target(files, "fs"), target(files, "fast")) == (None, "fast.ts")


def test_a_call_is_followed_through_an_alias() -> None:
    files = {"tsconfig.json": AT, "src/x.ts": "export * from '@/y'\n", "src/y.ts": HERE}
    found = understand(files | {"web/a.ts": "import { here } from '@/x'\nhere()\n"})
    assert [(edge.caller, edge.callee, edge.tier) for edge in found.edges] == [("web/a.ts", "src/y.ts::here", "proven")]


@pytest.mark.parametrize(
    ("told", "module", "external"),
    [
        ({}, "kit/x", True),
        ({"tsconfig.json": config(paths={"kit/*": ["./kit/*"]})}, "kit/x", False),
        ({"tsconfig.json": config(paths={"kit/*": ["./kit/*"]})}, "react", True),
        ({"tsconfig.json": config(paths={"*": ["./types/*"]})}, "react", True),
        ({"tsconfig.json": config(paths={"react": ["./node_modules/preact/compat"]})}, "react", True),
        ({"tsconfig.json": config(baseUrl="."), "kit/y.ts": HERE}, "kit/x", False),
        ({"tsconfig.json": config(baseUrl="."), "kit/y.ts": HERE}, "react", True),
        ({"kit/package.json": '{"name": "kit"}'}, "kit/x", False),
        ({"kit/package.json": '{"name": "@own/kit"}'}, "@own/kit", False),
        ({"kit/package.json": '{"name": "@own/kit"}'}, "@own/other", True),
    ],
)
def test_a_module_that_a_config_speaks_of_may_lie_in_the_repository(
    told: dict[str, str], module: str, external: bool
) -> None:
    found = understand(told | {"web/a.ts": f"import {{ here }} from '{module}'\nhere()\n"})
    assert [call.external for call in found.unresolved] == [external]


# ---- packages of the repository --------------------------------------------------------------------------------------


def package(name: str, version: str = "", **more: object) -> str:
    return json.dumps({"name": name, "dependencies": {"kit": version} if version else {}} | more)


OWN = {"web/package.json": package("web", "workspace:*")}
PACKAGES = {
    "what exports names": (
        OWN | {"kit/package.json": package("kit", exports={".": {"types": "./x.ts", "default": "./dist/x.js"}}), "kit/x.ts": HERE},
        "kit", "kit/x.ts",
    ),
    "what a pattern of exports names": (
        OWN | {"kit/package.json": package("kit", exports={"./*": "./lib/*.ts"}), "kit/lib/x.ts": HERE},
        "kit/x", "kit/lib/x.ts",
    ),
    "what main names": (OWN | {"kit/package.json": package("kit", main="lib/x.js"), "kit/lib/x.ts": HERE}, "kit", "kit/lib/x.ts"),
    "its index": (OWN | {"kit/package.json": package("kit"), "kit/index.js": HERE}, "kit", "kit/index.js"),
    "a file in it": (OWN | {"kit/package.json": package("kit"), "kit/x.ts": HERE}, "kit/x", "kit/x.ts"),
    "the source of what is not there": (
        OWN | {"kit/package.json": package("kit", main="dist/index.js"), "kit/src/index.ts": HERE},
        "kit", "kit/src/index.ts",
    ),
    "a workspace in any version": (
        {"package.json": package("all", workspaces=["web", "packages/*"]), "web/package.json": package("web", "*"), "packages/kit/package.json": package("kit"), "packages/kit/index.ts": HERE},
        "kit", "packages/kit/index.ts",
    ),
    "no workspace": (
        {"package.json": package("all", workspaces=["web"]), "web/package.json": package("web", "*"), "kit/package.json": package("kit"), "kit/index.ts": HERE},
        "kit", None,
    ),
    "a workspace of another whole": (
        {"one/package.json": package("one", workspaces=["*"]), "one/web/package.json": package("web", "*"), "two/package.json": package("two", workspaces=["*"]), "two/kit/package.json": package("kit"), "two/kit/index.ts": HERE},
        "kit", None, "one/web/a.ts",
    ),
    "a workspace that may be left out": (
        {"package.json": package("all", workspaces=["*", "!kit"]), "web/package.json": package("web", "*"), "kit/package.json": package("kit"), "kit/index.ts": HERE},
        "kit", None,
    ),
    "a version": ({"web/package.json": package("web", "^1.0.0"), "kit/package.json": package("kit"), "kit/index.ts": HERE}, "kit", None),
    "nothing that is depended on": ({"web/package.json": package("web"), "kit/package.json": package("kit"), "kit/index.ts": HERE}, "kit", None),
    "another package under this name": (
        {"web/package.json": package("web", "workspace:other@*"), "kit/package.json": package("kit"), "kit/index.ts": HERE},
        "kit", None,
    ),
    "two packages of one name": (
        OWN | {"kit/package.json": package("kit"), "kit/index.ts": HERE, "old/package.json": package("kit")},
        "kit", None,
    ),
    "two files, by condition": (
        OWN | {"kit/package.json": package("kit", exports={"browser": "./a.js", "default": "./b.js"}), "kit/a.js": HERE, "kit/b.js": HERE},
        "kit", None,
    ),
    "what exports does not name": (
        OWN | {"kit/package.json": package("kit", exports={".": "./index.ts"}), "kit/x.ts": HERE},
        "kit/x", None,
    ),
    "itself, where it exports something": (
        {"web/package.json": package("kit", exports="./index.ts"), "web/index.ts": HERE},
        "kit", "web/index.ts",
    ),
    "a package that an alias may hide": (
        OWN | {"web/tsconfig.json": "{", "kit/package.json": package("kit"), "kit/index.ts": HERE},
        "kit", None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", PACKAGES)
def test_a_package_means(case: str) -> None:
    files, module, expected, *by = PACKAGES[case]
    assert target(files, module, *by) == expected


# ---- configs that mean no good ---------------------------------------------------------------------------------------

DEEP = 1_000_000
HOSTILE = {
    "comments without end": "/*" * DEEP,
    "strings without end": '"\\' * DEEP,
    "bytes that are no text": "\udce9{}",
    "brackets": "[" * DEEP,
    "objects": '{"compilerOptions":' * DEEP,
    "commas": '{"extends": [' + ", " * DEEP + "]}",
    "a very long list": json.dumps({"extends": [f"./{at}" for at in range(100_000)]}),
    "numbers": '{"compilerOptions": {"paths": ' + "9" * DEEP + "}}",
}


@pytest.mark.parametrize("name", ["tsconfig.json", "package.json", "data.json"])
@pytest.mark.parametrize("text", HOSTILE)
def test_a_config_that_is_none_is_done_with_soon(text: str, name: str) -> None:
    assert configs.read(name, HOSTILE[text].encode(errors="surrogateescape")) in (None, configs.UNREADABLE)


def test_patterns_and_parents_that_multiply_come_to_an_end() -> None:
    many = {
        f"c{at}.json": json.dumps({"extends": [f"./c{at + 1}.json"] * 900, "compilerOptions": {}}) for at in range(40)
    }
    wild = config(', "include": ["' + "**/*a*/" * 5 + '*.ts"], "extends": "./c0.json"', paths={"@/*": ["./src/*"]})
    deep = "/".join(["a" * 200] * 60)
    assert target({"tsconfig.json": wild, "src/x.ts": HERE} | many, "@/x", f"{deep}/a.ts") is None


def test_exports_however_deep_are_read_or_left() -> None:
    nested = '{"a":' * 5_000 + '"./x.ts"' + "}" * 5_000
    files = OWN | {"kit/package.json": f'{{"name": "kit", "exports": {nested}}}', "kit/x.ts": HERE}
    assert target(files, "kit") in (None, "kit/x.ts")
