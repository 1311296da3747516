"""COVERAGE.md says which server plays which case for which dialect; here it is held to the tests that do."""

from pathlib import Path

from tests.providers import test_dialects, test_mock_servers
from tests.providers.replay import WIRE
from tests.providers.world import DIALECTS

TABLE = Path(__file__).with_name("COVERAGE.md")

# A case, and the file of ours that plays it; without one it is a fault put upon another case's file.
CASES = {
    "text": "text",
    "one call": "one",
    "two calls at once": "two",
    "arguments in fragments": "fragmented",
    "malformed arguments": "malformed",
    "thinking": "thinking",
    "refusal": "refusal",
    "cut at its length": "length",
    "error in mid-stream": "error_mid",
    "cut stream": "",
    "stall": "",
    "unknown events": "unknown",
    "hang-up": "",
}
MOCKED_AS = {"cut stream": "cut", "stall": "stall"}


def test_the_table_says_what_the_tests_play():
    rows = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    assert rows == list(table())


def test_each_case_is_played_for_each_dialect_or_has_a_reason():
    told = TABLE.read_text(encoding="utf-8")
    for case in CASES:
        for name in DIALECTS:
            if not played(case, name):
                assert f"- {case}, {name}: " in told


def table():
    yield f"| | {' | '.join(DIALECTS)} |"
    yield "|---" * (len(DIALECTS) + 1) + "|"
    for case in CASES:
        yield f"| {case} | {' | '.join(played(case, name) or 'n/a' for name in DIALECTS)} |"


def played(case: str, name: str) -> str:
    """The servers that play it: replay, aimock, llmock."""
    file = CASES[case]
    key = MOCKED_AS.get(case, file)
    servers = ["replay"] if not file or any(WIRE.glob(f"{name}_{file}.*")) else []
    if name in test_mock_servers.AIMOCK.get(key, ()):
        servers.append("aimock")
    if name in test_mock_servers.LLMOCK.get(key, ()):
        servers.append("llmock")
    return ", ".join(servers)


def test_what_no_dialect_lacks_is_what_the_replayed_tests_leave_out():
    assert tuple(name for name in DIALECTS if played("arguments in fragments", name)) == test_dialects.FRAGMENTING
    assert tuple(name for name in DIALECTS if played("refusal", name)) == test_dialects.REFUSING
