"""Open an index: made, thrown away, read without being written."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from dragoman.repo import db


def test_a_missing_index_is_told_with_the_command_to_run(tmp_path: Path) -> None:
    with pytest.raises(db.NotIndexed, match="dragoman scan"), db.read(tmp_path / "index.sqlite3"):
        pass


def test_an_index_of_another_version_is_not_read_and_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite3"
    with sqlite3.connect(path) as old:
        old.execute("CREATE TABLE ancient (x)")
        old.execute("PRAGMA user_version = 7")
    old.close()
    with pytest.raises(db.NotIndexed, match="another version"), db.read(path):
        pass
    db.write(path).close()
    with db.read(path) as connection:
        assert connection.execute("SELECT count(*) FROM files").fetchone()[0] == 0


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    db.write(tmp_path / "index.sqlite3").close()
    with db.read(tmp_path / "index.sqlite3") as connection, pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("DELETE FROM files")


def test_an_index_in_a_folder_nobody_may_write_in_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    path = folder / "index.sqlite3"
    connection = db.write(path)
    connection.execute("INSERT INTO state VALUES ('x', '1')")
    connection.commit()
    connection.close()
    folder.chmod(0o555)
    for place in (tmp_path, *tmp_path.parents[:2]):
        place.chmod(place.stat().st_mode | 0o055)
    # An administrator may write everywhere, so the question is asked as nobody.
    code = (
        "import os, sys, urllib.parse; from pathlib import Path; from dragoman.repo import db\n"
        "db.version()\n"  # our own files may lie where nobody reads
        "if os.getuid() == 0: os.setuid(65534)\n"
        "with db.read(Path(sys.argv[1])) as c: print(c.execute('SELECT value FROM state').fetchone()[0])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=False, capture_output=True, text=True)
    folder.chmod(0o755)
    assert done.stdout == "1\n", done.stderr
    assert os.listdir(folder) == ["index.sqlite3"]
