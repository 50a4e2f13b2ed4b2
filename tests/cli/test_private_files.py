"""Whatever the umask, nobody but their owner may read the files that ccindex makes, or look into its folders."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.making.commands import answer, bug, ccindex
from tests.making.files import write
from tests.making.indexes import index
from tests.making.transcripts import line

UMASKS = [0, 0o022, 0o077]


def loose(folder: Path) -> dict[str, str]:
    """What below a folder, and itself, has other rights than 0600 for files and 0700 for folders."""
    found = [folder, *folder.rglob("*")]
    rights = {path: path.stat().st_mode & 0o777 for path in found}
    return {str(path): oct(mode) for path, mode in rights.items() if mode != (0o700 if path.is_dir() else 0o600)}


@pytest.fixture
def transcript(project: Path) -> Path:
    return write(project / "s1.jsonl", line("u1"), line("u2", parent="u1"))


# looks at every file beside the index whenever SQLite opens one, and while the index is open to write
LOOK = """
import os, sys
from pathlib import Path

folder = Path(sys.argv[1])

def look(event="", values=()):
    if event in ("", "sqlite3.connect"):
        for path in folder.iterdir() if folder.exists() else ():
            print(path.name, oct(path.stat().st_mode & 0o777))

from ccindex.store.connection import changing, transaction

sys.addaudithook(look)
with changing(folder / "x.db", create=True) as connection:
    with transaction(connection):
        connection.execute("update meta set value = value")
    look()
"""


@pytest.mark.parametrize("umask", UMASKS)
def test_an_index_and_all_beside_it_are_private_from_their_first_moment_on(tmp_path: Path, umask: int) -> None:
    folder = tmp_path / "made" / "by" / "us"
    done = subprocess.run(
        [sys.executable, "-c", LOOK, str(folder)], capture_output=True, text=True, check=True, umask=umask
    )
    seen = dict(map(str.split, set(done.stdout.splitlines())))
    assert {"x.db", "x.db-wal", "x.db-shm", "x.db.lock", "x.db.new"} <= set(seen)
    assert set(seen.values()) == {"0o600"}
    assert loose(tmp_path / "made") == {}


def test_what_commands_write_is_private_and_so_are_the_folders_they_make(tmp_path: Path, transcript: Path) -> None:
    made = tmp_path / "made"
    db, out = made / "index" / "x.db", made / "out"
    assert ccindex("ingest", transcript, "--db", db, umask=0).returncode == 0
    for form in ("markdown", "json"):
        answer("export", "--all", "--format", form, "--out", out / "deep" / form, "--db", db, umask=0)
    answer("restore", "--out", out / "back", "--db", db, umask=0)
    names = {path.name for path in made.rglob("*") if path.is_file()}
    assert names >= {"x.db", "x.db.lock", "x.db.ran", "transcript_s1.md", "transcript_s1.json", "s1.jsonl"}
    assert loose(made) == {}


def test_folders_that_were_there_keep_their_rights(tmp_path: Path, transcript: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    db = shared / "x.db"
    ccindex("ingest", transcript, "--db", db, umask=0)
    answer("export", "--all", "--out", shared, "--db", db, umask=0)
    assert loose(shared) == {str(shared): "0o755"}


def test_a_report_of_a_bug_is_private(tmp_path: Path, db: Path, transcript: Path) -> None:
    index(db, transcript)
    reports = tmp_path / "reports"
    reports.mkdir(mode=0o700)
    done = subprocess.run(bug(db), umask=0, env=os.environ | {"TMPDIR": str(reports)}, check=False)
    assert done.returncode == 3
    assert len(list(reports.iterdir())) == 1
    assert loose(reports) == {}


def test_an_index_that_others_may_read_is_told_and_left_as_it_is(db: Path, transcript: Path) -> None:
    index(db, transcript)
    assert [step for step in answer("doctor", "--db", db)["advice"] if "chmod" in step] == []
    db.chmod(0o644)
    assert f"others may read the index: chmod 600 {db}" in answer("doctor", "--db", db)["advice"]
    assert f"→ others may read the index: chmod 600 {db}" in ccindex("doctor", "--db", db).stdout
    ccindex("ingest", transcript, "--db", db)
    assert db.stat().st_mode & 0o777 == 0o644
