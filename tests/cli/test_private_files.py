"""Files and folders that ccindex creates are readable only by their owner, whatever the umask."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.making.commands import ccindex, crashing_command, run_json
from tests.making.files import write
from tests.making.indexes import index
from tests.making.transcripts import line

UMASKS = [0, 0o022, 0o077]


def not_private(folder: Path) -> dict[str, str]:
    """Return the modes of files and folders that others can access: files without mode 0600, folders without 0700."""
    paths = [folder, *folder.rglob("*")]
    modes = {path: path.stat().st_mode & 0o777 for path in paths}
    return {str(path): oct(mode) for path, mode in modes.items() if mode != (0o700 if path.is_dir() else 0o600)}


@pytest.fixture
def transcript(project: Path) -> Path:
    return write(project / "s1.jsonl", line("u1"), line("u2", parent="u1"))


# prints the mode of every file in the folder whenever SQLite opens one, and while the index is open for writing
PRINT_MODES = """
import os, sys
from pathlib import Path

folder = Path(sys.argv[1])

def print_modes(event="", values=()):
    if event in ("", "sqlite3.connect"):
        for path in folder.iterdir() if folder.exists() else ():
            print(path.name, oct(path.stat().st_mode & 0o777))

from ccindex.store.connection import changing, transaction

sys.addaudithook(print_modes)
with changing(folder / "x.db", create=True) as connection:
    with transaction(connection):
        connection.execute("update meta set value = value")
    print_modes()
"""


@pytest.mark.parametrize("umask", UMASKS)
def test_index_and_its_side_files_are_private_from_the_start(tmp_path: Path, umask: int) -> None:
    folder = tmp_path / "created" / "by" / "ccindex"
    result = subprocess.run(
        [sys.executable, "-c", PRINT_MODES, str(folder)], capture_output=True, text=True, check=True, umask=umask
    )
    modes_by_name = dict(map(str.split, set(result.stdout.splitlines())))
    assert {"x.db", "x.db-wal", "x.db-shm", "x.db.lock", "x.db.new"} <= set(modes_by_name)
    assert set(modes_by_name.values()) == {"0o600"}
    assert not_private(tmp_path / "created") == {}


def test_written_files_and_created_folders_are_private(tmp_path: Path, transcript: Path) -> None:
    created = tmp_path / "created"
    db, out = created / "index" / "x.db", created / "out"
    assert ccindex("ingest", transcript, "--db", db, umask=0).returncode == 0
    for form in ("markdown", "json"):
        run_json("export", "--all", "--format", form, "--out", out / "deep" / form, "--db", db, umask=0)
    run_json("restore", "--out", out / "back", "--db", db, umask=0)
    names = {path.name for path in created.rglob("*") if path.is_file()}
    assert names >= {"x.db", "x.db.lock", "x.db.ran", "transcript_s1.md", "transcript_s1.json", "s1.jsonl"}
    assert not_private(created) == {}


def test_existing_folders_keep_their_mode(tmp_path: Path, transcript: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    db = shared / "x.db"
    ccindex("ingest", transcript, "--db", db, umask=0)
    run_json("export", "--all", "--out", shared, "--db", db, umask=0)
    assert not_private(shared) == {str(shared): "0o755"}


def test_crash_report_is_private(tmp_path: Path, db: Path, transcript: Path) -> None:
    index(db, transcript)
    reports = tmp_path / "reports"
    reports.mkdir(mode=0o700)
    result = subprocess.run(crashing_command(db), umask=0, env=os.environ | {"TMPDIR": str(reports)}, check=False)
    assert result.returncode == 3
    assert len(list(reports.iterdir())) == 1
    assert not_private(reports) == {}


def test_index_readable_by_others_is_reported_and_not_changed(db: Path, transcript: Path) -> None:
    index(db, transcript)
    assert [step for step in run_json("doctor", "--db", db)["advice"] if "chmod" in step] == []
    db.chmod(0o644)
    assert f"other users can read the index; run: chmod 600 {db}" in run_json("doctor", "--db", db)["advice"]
    assert f"→ other users can read the index; run: chmod 600 {db}" in ccindex("doctor", "--db", db).stdout
    ccindex("ingest", transcript, "--db", db)
    assert db.stat().st_mode & 0o777 == 0o644
