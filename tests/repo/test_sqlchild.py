"""Each limit of the process that answers a statement, alone: what it ends runs to its end without it."""

import resource
import signal
import subprocess
import sys

import pytest

from dragoman.repo import sqlchild

# The limits of the process as they are, with all but one of them taken away again.
BEGIN = """
import resource, sys, time
sys.path.insert(0, {folder!r})
import sqlchild
whole = resource.setrlimit
def one(what, most):
    if what == {kept}: whole(what, most)
resource.setrlimit = one
sqlchild.confine({seconds})
"""
MEMORY = "bytearray(600 << 20)"
FILE = "import tempfile\nwith tempfile.TemporaryFile() as file:\n    for _ in range(70):\n        file.write(bytes(1 << 20))\n        file.flush()"
TIME = "while time.process_time() < 2.5: pass"


def run(attack: str, kept: int) -> subprocess.CompletedProcess[str]:
    folder = str(sqlchild.__file__).rpartition("/")[0]
    program = BEGIN.format(folder=folder, kept=kept, seconds=-1) + attack + "\nprint('through')"
    return subprocess.run([sys.executable, "-I", "-c", program], check=False, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("attack", "limit", "sign"),
    [
        (MEMORY, resource.RLIMIT_AS, "MemoryError"),
        (FILE, resource.RLIMIT_FSIZE, "File too large"),
        (TIME, resource.RLIMIT_CPU, ""),
    ],
    ids=["memory", "file", "time"],
)
def test_a_limit_of_the_process_holds_alone_and_the_attack_works_without_it(attack: str, limit: int, sign: str) -> None:
    ended = run(attack, limit)
    assert ended.returncode != 0
    assert "through" not in ended.stdout
    assert sign in ended.stderr
    if limit == resource.RLIMIT_CPU:
        assert ended.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
    assert run(attack, -1).stdout == "through\n"


# A process that starts another, which runs a statement without an end.
ORPHAN = """
import os, sqlite3, sys
sys.path.insert(0, {folder!r})
import sqlchild
if os.fork():
    sys.stdin.read()
    os._exit(0)
connection = sqlite3.connect(":memory:")
sqlchild.cap(connection, 600)
print("begun", flush=True)
try:
    connection.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n").fetchone()
except sqlite3.OperationalError as error:
    print(error)
"""


def test_a_statement_ends_when_the_process_that_asked_is_gone() -> None:
    program = ORPHAN.format(folder=str(sqlchild.__file__).rpartition("/")[0])
    with subprocess.Popen(
        [sys.executable, "-I", "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as asker:
        assert asker.stdout is not None
        assert asker.stdout.readline() == "begun\n"
        asker.kill()
        assert asker.stdout.read() == "interrupted\n"
