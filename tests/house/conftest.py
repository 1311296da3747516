"""A suite of its own in a temporary folder, with this suite's plugins: to see them at work from outside."""

from collections.abc import Callable
from pathlib import Path

import pytest

RunSuite = Callable[..., pytest.RunResult]


@pytest.fixture
def run_suite(pytester: pytest.Pytester, root: Path, monkeypatch: pytest.MonkeyPatch) -> RunSuite:
    """Run `tests` (Python source) in a fresh pytest process with `plugins` of ours; `options` are handed to pytest."""

    def run(tests: str, *options: str, plugins: tuple[str, ...] = (), conftest: str = "") -> pytest.RunResult:
        pytester.makeini(f"[pytest]\npythonpath = {root}\nxfail_strict = true\n")
        pytester.makeconftest(f"pytest_plugins = {list(plugins)!r}\n{conftest}")
        pytester.makepyfile(test_story=tests)
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", *options)

    return run
