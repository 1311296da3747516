"""Say of each promise in tests/requirements.yaml whether a test of this run proves it.

A promise is proven by a test function that carries its id, of which every parametrisation ran, passed and went through
a front door (see doors.py), while no other test with that id failed. A skip, an expected failure or a test that only
looks inside proves nothing. `pytest --requirements` prints each promise last and fails while one is missing.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests import doors

MANIFEST = Path(__file__).with_name("requirements.yaml")


@dataclass(frozen=True, slots=True)
class Promise:
    """One line of the manifest; `deferred` is the reason why nothing proves it yet, or empty."""

    id: str
    text: str
    deferred: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """What one test did: its function, the promises it speaks for, how it ended, and the doors it went through."""

    function: str
    ids: tuple[str, ...]
    outcome: str  # "passed", "failed", or why it counts as neither: "skipped", "xfailed"
    doors: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Verdict:
    """`state` is proven, deferred or missing; `why` the proof, the reason, or what is wrong with the tests there are."""

    id: str
    state: str
    why: str


def read_manifest(path: Path) -> tuple[Promise, ...]:
    """The promises in the order written. Raises ValueError for an id that stands there twice or a line of no known shape."""
    entries = yaml.load(path.read_text(encoding="utf-8"), Loader=_OnceEach)
    return tuple(_promise(id, entry) for id, entry in entries.items())


def judge(promises: Sequence[Promise], runs: Sequence[Run]) -> list[Verdict]:
    """One verdict for each promise, in the same order."""
    return [_judge_one(promise, [run for run in runs if promise.id in run.ids]) for promise in promises]


def _judge_one(promise: Promise, runs: list[Run]) -> Verdict:
    by_function: dict[str, list[Run]] = {}
    for run in runs:
        by_function.setdefault(run.function, []).append(run)
    failed = [function for function, parts in by_function.items() if any(part.outcome == "failed" for part in parts)]
    proofs = [function for function, parts in by_function.items() if not _shortcoming(parts)]
    if proofs and not failed:
        return Verdict(promise.id, "proven", proofs[0])
    if promise.deferred and not failed:
        return Verdict(promise.id, "deferred", promise.deferred)
    if not runs:
        return Verdict(promise.id, "missing", "no test carries its id")
    return Verdict(
        promise.id, "missing", "; ".join(f"{f} {_shortcoming(p)}" for f, p in by_function.items() if _shortcoming(p))
    )


def _shortcoming(parts: list[Run]) -> str:
    """What keeps a test function from being a proof, or an empty text."""
    if bad := sorted({part.outcome for part in parts} - {"passed"}):
        return " and ".join(bad)
    if not all(part.doors for part in parts):
        return "passed without going through a transport, the Assistant or the command line"
    return ""


class _OnceEach(yaml.SafeLoader):
    """YAML lets a later key replace an earlier one in silence; two promises of one id would become one."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, object]:
        keys = [key.value for key, _ in node.value]
        if twice := {key for key in keys if keys.count(key) > 1}:
            raise ValueError(f"{', '.join(sorted(twice))} stands more than once in the manifest.")
        return super().construct_mapping(node, deep)


def _promise(id: str, entry: object) -> Promise:
    match entry:
        case str():
            return Promise(id, entry)
        case {"promise": str(text), "deferred": str(reason)} if len(entry) == 2 and reason.strip():
            return Promise(id, text, reason)
        case _:
            raise ValueError(f"{id} is neither a sentence nor 'promise:' and 'deferred:' with a reason.")


# ---- the plugin ------------------------------------------------------------------------------------------------------

_IDS = pytest.StashKey[tuple[str, ...]]()
_OUTCOME = pytest.StashKey[str]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--requirements", action="store_true", help="say of each promise whether this run proves it")
    parser.addoption("--manifest", type=Path, default=MANIFEST, help="the promises (tests/requirements.yaml)")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "requirement(id, ...): proves promises of tests/requirements.yaml")
    config.pluginmanager.register(_Recorder(config, read_manifest(config.getoption("--manifest"))))


class _Recorder:
    def __init__(self, config: pytest.Config, promises: tuple[Promise, ...]) -> None:
        self._config = config
        self._promises = promises
        self._known = {promise.id for promise in promises}
        self._runs: list[Run] = []

    @pytest.hookimpl(tryfirst=True)  # before -m and -k take tests away: a wrong id is wrong in all of them
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            ids = tuple(id for mark in item.iter_markers("requirement") for id in mark.args)
            if unknown := sorted(set(ids) - self._known):
                raise pytest.UsageError(f"{item.nodeid}: {', '.join(unknown)} is not in {MANIFEST.name}.")
            item.stash[_IDS] = ids

    def pytest_collection_finish(self) -> None:
        doors.watch()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        doors.forget()
        item.stash[_OUTCOME] = "not run"
        result = yield
        if ids := item.stash.get(_IDS, ()):
            function = item.nodeid.partition("[")[0]
            self._runs.append(Run(function, ids, item.stash[_OUTCOME], doors.entered()))
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Iterator[None]:
        report = yield
        if report.failed:
            item.stash[_OUTCOME] = "failed"
        elif hasattr(report, "wasxfail"):
            item.stash[_OUTCOME] = "xfailed"
        elif report.skipped:
            item.stash[_OUTCOME] = "skipped"
        elif report.when == "call":
            item.stash[_OUTCOME] = "passed"
        return report

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._config.getoption("--requirements") and any(v.state == "missing" for v in self._verdicts()):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        """After pytest's own closing line, so that the count is the last thing said."""
        if not self._config.getoption("--requirements"):
            return
        verdicts = self._verdicts()
        print()
        for verdict in verdicts:
            print(f"{verdict.state:<8} {verdict.id}: {verdict.why}")
        counts = {state: sum(v.state == state for v in verdicts) for state in ("proven", "deferred", "missing")}
        print("\n" + ", ".join(f"{count} {state}" for state, count in counts.items()) + f", of {len(verdicts)}.")

    def _verdicts(self) -> list[Verdict]:
        return judge(self._promises, self._runs)
