"""A promise is proven only by a test that ran, passed, and went through a front door."""

import pytest

from tests.requirements_plugin import MANIFEST, Promise, Run, Verdict, judge, read_manifest

DOOR = frozenset({"http"})


def verdict(*runs: Run, deferred: str = "") -> Verdict:
    (answer,) = judge([Promise("g.one", "It does.", deferred)], runs)
    return answer


def run(outcome: str = "passed", doors: frozenset[str] = DOOR, function: str = "test_a") -> Run:
    return Run(function, ("g.one",), outcome, doors)


def test_a_passing_test_that_went_through_a_door_proves_its_promise():
    assert verdict(run()) == Verdict("g.one", "proven", "test_a")


@pytest.mark.parametrize("outcome", ["skipped", "xfailed", "failed", "not run"])
def test_a_test_that_did_not_pass_proves_nothing(outcome: str):
    assert verdict(run(outcome)) == Verdict("g.one", "missing", f"test_a {outcome}")


def test_a_passing_test_that_went_through_no_door_proves_nothing():
    assert verdict(run(doors=frozenset())).state == "missing"


def test_every_parametrisation_has_to_pass_and_to_go_through_a_door():
    assert verdict(run(), run("skipped")).state == "missing"
    assert verdict(run(), run(doors=frozenset())).state == "missing"


def test_another_test_may_be_skipped_but_not_fail():
    assert verdict(run(), run("skipped", function="test_b")).state == "proven"
    assert verdict(run(), run("failed", function="test_b")).state == "missing"


def test_a_promise_without_a_test_is_missing_or_deferred_with_its_reason():
    assert verdict() == Verdict("g.one", "missing", "no test carries its id")
    assert verdict(deferred="after the panel") == Verdict("g.one", "deferred", "after the panel")
    assert verdict(run(), deferred="after the panel").state == "proven"
    assert verdict(run("failed"), deferred="after the panel").state == "missing"


def test_the_manifest_is_read_whole():
    promises = read_manifest(MANIFEST)
    assert len(promises) == 144
    assert all(promise.id.startswith(("g.", "r.")) and promise.text for promise in promises)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("g.one: It does.\ng.one: It does not.\n", "g.one stands more than once"),
        ("g.one: {promise: It does., deferred: ''}\n", "g.one is neither"),
        ("g.one: {deferred: later}\n", "g.one is neither"),
        ("g.one:\n", "g.one is neither"),
    ],
)
def test_a_manifest_that_could_hide_a_promise_is_refused(tmp_path, text: str, complaint: str):
    path = tmp_path / "requirements.yaml"
    path.write_text(text)
    with pytest.raises(ValueError, match=complaint):
        read_manifest(path)


STORY = """
import subprocess, sys
import pytest

proves = pytest.mark.requirement

def ask():
    subprocess.run([sys.executable, "-c", "", "dragoman_eval"], check=True)

@proves("g.driven")
@pytest.mark.parametrize("n", [1, 2])
def test_driven(n): ask()

@proves("g.looks-inside")
def test_looks_inside(): pass

@proves("g.skipped")
def test_skipped():
    ask()
    pytest.skip("no")

@proves("g.xfailed")
@pytest.mark.xfail
def test_xfailed():
    ask()
    assert False

@proves("g.half")
@pytest.mark.parametrize("door", [True, False])
def test_half(door):
    if door: ask()
"""

IDS = ["driven", "looks-inside", "skipped", "xfailed", "half", "nobody", "later"]


def test_the_run_says_of_each_promise_what_it_is(run_suite, tmp_path):
    manifest = tmp_path / "manifest.yaml"
    lines = [f"g.{id}: It does." for id in IDS if id != "later"] + ["g.later: {promise: It does., deferred: not yet}"]
    manifest.write_text("\n".join(lines))
    result = run_suite(STORY, "--requirements", f"--manifest={manifest}", plugins=("tests.requirements_plugin",))
    assert result.ret == 1
    inside = "passed without going through a transport, the Assistant or the command line"
    assert result.outlines[-9:] == [
        "proven   g.driven: test_story.py::test_driven",
        f"missing  g.looks-inside: test_story.py::test_looks_inside {inside}",
        "missing  g.skipped: test_story.py::test_skipped skipped",
        "missing  g.xfailed: test_story.py::test_xfailed xfailed",
        f"missing  g.half: test_story.py::test_half {inside}",
        "missing  g.nobody: no test carries its id",
        "deferred g.later: not yet",
        "",
        "1 proven, 1 deferred, 5 missing, of 7.",
    ]


def test_the_run_succeeds_when_nothing_is_missing(run_suite, tmp_path):
    manifest = tmp_path / "manifest.yaml"
    manifest.write_text("g.driven: It does.")
    story = STORY.split('@proves("g.looks-inside")')[0]
    result = run_suite(story, "--requirements", f"--manifest={manifest}", plugins=("tests.requirements_plugin",))
    assert result.ret == 0
    assert result.outlines[-1] == "1 proven, 0 deferred, 0 missing, of 1."


def test_a_marker_with_an_unknown_id_is_an_error_at_collection(run_suite):
    story = "import pytest\n@pytest.mark.requirement('g.confirm.ever')\ndef test_it(): pass\n"
    result = run_suite(story, "-k", "nothing", plugins=("tests.requirements_plugin",))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*test_it: g.confirm.ever is not in requirements.yaml*"])
