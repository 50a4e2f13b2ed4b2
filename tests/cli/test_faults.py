"""Full disks, missing permissions and crashes: one message, nothing lost, and the next run recovers."""

import json
import os
import random
import resource
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ccindex.store.connection import reading
from tests.making.commands import CCINDEX, ccindex, crashing_command
from tests.making.files import write
from tests.making.indexes import ask, broken, everything, index, one, rebuild
from tests.making.permissions import NOBODY, allow_all_users
from tests.making.transcripts import line

WRITE_STEP = "check the path, its permissions and the free disk space"
FULL = "free some disk space and run the command again; nothing was lost"
# for text that does not compress well
RNG = random.Random(1)  # noqa: S311


@pytest.fixture(scope="module")
def transcripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write transcripts whose index is too large for the test disks."""
    folder = tmp_path_factory.mktemp("transcripts").resolve() / "-w"
    for name in ("a", "b", "c"):
        lines = (
            line(f"{name}{n}", sessionId=name, message={"content": f"{name}{n} {RNG.randbytes(6_000).hex()}"})
            for n in range(40)
        )
        write(folder / f"{name}.jsonl", *lines)
    return folder


@pytest.fixture(scope="module")
def whole(transcripts: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Index all transcripts."""
    db = tmp_path_factory.mktemp("whole").resolve() / "x.db"
    index(db, transcripts)
    return db


@pytest.fixture(scope="module")
def part(transcripts: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Index one of the transcripts."""
    db = tmp_path_factory.mktemp("part").resolve() / "x.db"
    index(db, transcripts / "a.jsonl")
    return db


@cache
def cached_views(db: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of all views. Only for indexes that no test changes."""
    return everything(db)


def unusable(db: Path, reason: str, step: str) -> str:
    return f"ccindex: cannot use '{db}': {reason}; {step}\n"


# --- a separate disk ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def namespace() -> list[str]:
    """Return the command prefix that runs a command in its own mount namespace."""
    for arguments in (["unshare", "-m"], ["unshare", "-Urm"]):
        try:
            result = subprocess.run(
                [*arguments, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False
            )
        except FileNotFoundError:
            break
        if result.returncode == 0:
            return arguments
    pytest.skip("this system does not allow mounts, not even in a namespace")


@dataclass(frozen=True, slots=True)
class Disk:
    """A folder where scripts can mount a disk with limited space."""

    arguments: list[str]
    folder: Path

    def run(self, script: str, **variables: object) -> tuple[str, str]:
        """Run a shell script that can use `ccindex` and `disk MOUNT_OPTIONS`; return stdout and stderr."""
        functions = (
            f'ccindex() {{ "{sys.executable}" -m ccindex "$@"; echo "code $?"; }}\n'
            'disk() { mount -t tmpfs -o "$1" none "$DISK"; }\n'
        )
        values = {name.upper(): str(value) for name, value in variables.items()}
        result = subprocess.run(
            [*self.arguments, "sh", "-c", functions + script],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | values | {"DISK": str(self.folder)},
        )
        return result.stdout, result.stderr


@pytest.fixture
def disk(tmp_path: Path, namespace: list[str]) -> Disk:
    folder = tmp_path.resolve() / "disk"
    folder.mkdir()
    return Disk(namespace, folder)


@pytest.mark.parametrize(("share", "left"), [(0.6, "x.db.lock"), (1.3, "x.db\nx.db.lock")])
def test_disk_full_during_creation_leaves_a_complete_index_or_none(  # noqa: PLR0917
    disk: Disk, tmp_path: Path, transcripts: Path, whole: Path, share: float, left: str
) -> None:
    empty = tmp_path / "empty.db"
    index(empty, tmp_path)
    stdout, stderr = disk.run(
        'disk "size=$SIZE"; ccindex ingest "$TRANSCRIPTS" --db "$DISK/x.db"; ls "$DISK"; cp -a "$DISK" "$LEFT"',
        size=int(share * empty.stat().st_size),
        transcripts=transcripts,
        left=tmp_path / "left",
    )
    assert (stdout, stderr) == (f"code 1\n{left}\n", unusable(disk.folder / "x.db", "database or disk is full", FULL))
    db = tmp_path / "left" / "x.db"
    index(db, transcripts)
    assert everything(db) == cached_views(whole)
    assert broken(db) == {}


# runs ccindex with a first load in shards, even for small files
_FIRST_LOAD = """
from ccindex.ingest import first_load
first_load.MIN_LOAD_BYTES, first_load.NEWEST_BYTES = 0, 1
first_load.MIN_SHARD_BYTES = first_load.MAX_SHARD_BYTES = 1
from ccindex.cli import main
main()
"""


def test_disk_full_during_a_first_load_is_reported_and_leaves_no_temporary_files(
    disk: Disk, tmp_path: Path, transcripts: Path
) -> None:
    empty = tmp_path / "empty.db"
    index(empty, tmp_path)
    stdout, stderr = disk.run(
        'disk "size=$SIZE"; "$PYTHON" -c "$FIRST_LOAD" ingest "$TRANSCRIPTS" --jobs 2 --db "$DISK/x.db"; '
        'echo "code $?"; ls "$DISK"',
        size=int(1.3 * empty.stat().st_size),
        python=sys.executable,
        first_load=_FIRST_LOAD,
        transcripts=transcripts,
    )
    assert stdout == "code 1\nx.db\nx.db.lock\n"
    assert stderr == unusable(disk.folder / "x.db", "No space left on device", FULL)


def test_disk_full_during_ingest_rebuild_or_vacuum_loses_nothing(
    disk: Disk, tmp_path: Path, transcripts: Path, part: Path, whole: Path
) -> None:
    names = ["ingest", "rebuild", "vacuum"]
    stdout, stderr = disk.run(
        'try() { name=$1; shift; disk "size=$SIZE"; cp "$PART" "$DISK/x.db"; ccindex "$@" --db "$DISK/x.db"; '
        'cp -a "$DISK" "$LEFT/$name"; umount "$DISK"; }\n'
        'try ingest ingest "$TRANSCRIPTS"; try rebuild db rebuild; try vacuum db vacuum',
        size=part.stat().st_size + 200_000,
        part=part,
        transcripts=transcripts,
        left=tmp_path,
    )
    assert stdout == "code 1\n" * 3
    assert stderr == unusable(disk.folder / "x.db", "database or disk is full", FULL) * 3
    for name in names:
        db = tmp_path / name / "x.db"
        assert everything(db) == cached_views(part), name
        if name == "rebuild":
            rebuild(db)
        index(db, transcripts)
        assert everything(db) == cached_views(whole), name
        assert broken(db) == {}, name


def test_disk_without_space_for_lock_or_shared_memory_file_is_reported(disk: Disk, part: Path) -> None:
    db = disk.folder / "x.db"
    stdout, stderr = disk.run(
        'disk nr_inodes=2; cp "$PART" "$DISK/x.db"; ccindex db vacuum --db "$DISK/x.db"; umount "$DISK"\n'
        'disk "size=$SIZE"; cp "$PART" "$DISK/x.db"; ccindex sessions --db "$DISK/x.db"',
        part=part,
        size=part.stat().st_size,
    )
    assert stdout == "code 1\n" * 2
    assert stderr.splitlines(keepends=True)[1] == unusable(db, "disk I/O error", FULL)
    # either the shared-memory file or the lock cannot be created
    assert stderr.splitlines(keepends=True)[0] in (
        unusable(db, "No space left on device", FULL),
        unusable(db, "unable to open database file", "check the permissions of the file and its folder"),
    )


def test_read_only_disk_can_be_read_and_writing_is_refused(disk: Disk, transcripts: Path, part: Path) -> None:
    stdout, stderr = disk.run(
        'disk size=64m; cp "$PART" "$DISK/x.db"; mount -o remount,ro "$DISK"\n'
        'ccindex sessions --csv --db "$DISK/x.db"; ccindex ingest "$TRANSCRIPTS" --db "$DISK/x.db"\n'
        # a reader can leave an empty log behind
        'mount -o remount,rw "$DISK"; touch "$DISK/x.db-wal"; mount -o remount,ro "$DISK"\n'
        'ccindex sql "select count(*) as n from v1_entries" --csv --db "$DISK/x.db"; ls "$DISK"',
        part=part,
        transcripts=transcripts,
    )
    assert stdout.splitlines()[1].startswith("a,")
    assert stdout.splitlines()[2:] == ["code 0", "code 1", "n", "40", "code 0", "x.db", "x.db-wal"]
    assert stderr == unusable(disk.folder / "x.db", "Read-only file system", FOLDER)


# --- a file size limit ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rebuild", "vacuum"])
def test_reaching_the_file_size_limit_loses_nothing(tmp_path: Path, part: Path, name: str) -> None:
    db = Path(shutil.copy(part, tmp_path.resolve() / "x.db"))
    result = ccindex(
        "db", name, "--db", db, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
    )
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == unusable(db, "disk I/O error", "check the disk and run the command again; nothing was lost")
    assert everything(db) == cached_views(part)
    assert broken(db) == {}


def test_run_that_fails_in_its_second_batch_keeps_the_first(tmp_path: Path, transcripts: Path, whole: Path) -> None:
    db = tmp_path.resolve() / "x.db"
    index(db, tmp_path)
    # under this limit, the write-ahead log has space for only one of the three files
    script = (
        "import resource\nimport ccindex.ingest.run as run\nfrom ccindex.cli import main\n"
        f"run.COMMIT_BYTES = {(transcripts / 'a.jsonl').stat().st_size}\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))\nmain()\n"
    )
    arguments = [sys.executable, "-c", script, "ingest", str(transcripts), "--json", "--db", str(db)]
    result = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (
        1,
        unusable(db, "disk I/O error", "check the disk and run the command again; nothing was lost"),
    )
    report = json.loads(result.stdout)
    assert (report["status"], report["run_id"], report["entries_added"]) == ("failed", 1, 40)
    assert one(db, "select count(*) from v1_entries") == 40
    assert broken(db) == {}
    index(db, transcripts)
    assert ask(db, "select status from v1_ingest_runs order by run_id") == [("failed",), ("ok",)]
    assert everything(db) == cached_views(whole)


# --- permissions, and files that are not an index -------------------------------------------------------------------

# Runs every command in a forked child as another user. The parent runs some commands first, because the child cannot
# import modules that only the user who runs the tests can read.
_AS_OTHER_USER = """
import json, os, sys
from ccindex.cli import main
import ccindex.cli.app, ccindex.store.migrate
def run(words, user, env):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(writer, 1), os.dup2(writer, 2)
        for name, value in env.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})
        if user is not None and os.geteuid() == 0:
            os.setgroups([]), os.setgid(user), os.setuid(user)
        sys.argv, sys.stdout = ["ccindex", *words], out
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code
        out.flush(), sys.stderr.flush()
        os._exit(code)  # faster than a normal exit
    os.close(writer)
    with open(reader) as file:
        output = file.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), output
def warm(*words):
    from ccindex.cli.app import app
    app([*words, "--db", sys.argv[1]], standalone_mode=False)
out, sys.stdout = sys.stdout, open(os.devnull, "w")
warm("ingest", sys.argv[2]), warm("sessions", "--csv"), warm("sql", "select 1", "--csv")
warm("restore", "--out", sys.argv[1] + ".out"), warm("export", "--all", "--out", sys.argv[1] + ".out")
json.dump([run(**command) for command in json.load(sys.stdin)], out)
"""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A command, the user who runs it, and its expected exit code and output."""

    arguments: list[str | Path]
    code: int
    output: str
    user: int | None = NOBODY
    home: Path | None = None

    def request(self) -> dict[str, Any]:
        home = {"HOME": None if self.home is None else str(self.home), "XDG_DATA_HOME": None, "CCINDEX_DB": None}
        return {"words": [str(word) for word in self.arguments], "user": self.user, "env": home}


def run_attempts(attempts: list[Attempt], folder: Path, part: Path, source: Path) -> list[tuple[int, str]]:
    """Run all attempts; return their exit codes and outputs."""
    warm = shutil.copy(part, folder / "warm.db")
    result = subprocess.run(
        [sys.executable, "-c", _AS_OTHER_USER, warm, source],
        input=json.dumps([attempt.request() for attempt in attempts]),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert result.returncode == 0, result.stderr
    return [(code, output) for code, output in json.loads(result.stdout)]


FILE, FOLDER = "check the file or choose another one with --db", "check the folder or choose another one with --db"
COUNT = ["sql", "select count(*) as n from v1_entries", "--csv"]
ACCESS = "check the permissions of the file and its folder"
NO_HOME = "ccindex: the home folder is unknown; set HOME, or specify --db and the paths to index\n"
DAMAGED = "it is damaged: restore a backup, or move it and its -wal file out of the way and run: ccindex ingest"


def test_missing_permissions_and_foreign_files_give_one_message_each(
    public_folder: Path, part: Path, transcripts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write(public_folder / "s1.jsonl", line("u1", sessionId="s1"))
    copies = {
        name: public_folder / name / "x.db" for name in ("shut file", "shut folder", "kept folder", "kept file", "open")
    }
    for db in copies.values():
        db.parent.mkdir()
        shutil.copy(part, db)
    (public_folder / "out").mkdir()
    (public_folder / "home").mkdir()
    allow_all_users(public_folder)
    for name, mode in {"shut file/x.db": 0, "shut folder": 0, "kept folder": 0o555, "kept file/x.db": 0o444}.items():
        (public_folder / name).chmod(mode)
    (public_folder / "out").chmod(0o555)
    (public_folder / "home").chmod(0o555)
    monkeypatch.chdir(public_folder)  # socket paths must be short
    special = [public_folder / path for path in _special_files()]
    half = public_folder / "half.db"
    half.write_bytes(part.read_bytes()[: part.stat().st_size // 2])
    attempts = [
        *_refused(copies["shut file"], source, unusable(copies["shut file"], "Permission denied", FILE)),
        *_refused(copies["shut folder"], source, unusable(copies["shut folder"], "Permission denied", FILE)),
        Attempt([*COUNT, "--db", copies["kept folder"]], 0, "n\n40\n"),
        *_refused(copies["kept folder"], source, unusable(copies["kept folder"], "Permission denied", FOLDER))[1:],
        Attempt([*COUNT, "--db", copies["kept file"]], 0, "n\n40\n"),
        *_refused(
            copies["kept file"],
            source,
            unusable(copies["kept file"], "attempt to write a readonly database", ACCESS),
        )[1:],
        *_unwritable_folder(public_folder / "out", copies["open"], transcripts / "a.jsonl"),
        *_unusable_homes(public_folder / "home", copies["open"], source),
        *(attempt for path in special for attempt in _refused(path, source, _not_an_index(path), user=None)),
        *_refused(half, source, unusable(half, "database disk image is malformed", DAMAGED), user=None),
        Attempt(["ingest", source, "--db", copies["open"]], 0, ""),
        Attempt([*COUNT, "--db", copies["open"]], 0, "n\n41\n"),
    ]
    modes = [path.stat().st_mode for path in special]
    results = run_attempts(attempts, public_folder, part, source)
    for attempt, (code, output) in zip(attempts, results, strict=True):
        assert (code, output) == (attempt.code, attempt.output), attempt
    assert [path.stat().st_mode for path in special] == modes
    assert half.stat().st_size == part.stat().st_size // 2
    assert [*(public_folder / "out").iterdir(), *(public_folder / "home").iterdir()] == []
    for name in ("shut file", "shut folder", "kept folder"):
        copies[name].parent.chmod(0o700)
        copies[name].chmod(0o600)
        assert copies[name].read_bytes() == part.read_bytes()


def _refused(db: Path, source: Path, output: str, *, user: int | None = NOBODY) -> list[Attempt]:
    """Return attempts to read and to write that are expected to fail with the same message."""
    commands: list[list[str | Path]] = [["sessions"], ["ingest", source]]
    return [Attempt([*arguments, "--db", db], 1, output, user) for arguments in commands]


def _not_an_index(path: Path) -> str:
    return f"ccindex: '{path}' is not a ccindex index; choose another file with --db\n"


def _unwritable_folder(out: Path, db: Path, source: Path) -> list[Attempt]:
    """Return attempts to write to a folder that is not writable."""
    names = {"restore": out / str(source).lstrip("/"), "export --all": out / "transcript_a.md"}
    messages = {
        command: f"ccindex: cannot write '{name}': Permission denied; {WRITE_STEP}\n" for command, name in names.items()
    }
    return [Attempt([*command.split(), "--out", out, "--db", db], 1, text) for command, text in messages.items()]


def _unusable_homes(shut: Path, db: Path, source: Path) -> list[Attempt]:
    """Return attempts with a read-only home, a home that is a file, and, if run as root, no home at all."""
    inside = Path(".local/share/ccindex/ccindex.db")
    attempts = [
        Attempt(["ingest"], 1, unusable(shut / inside, "Permission denied", FOLDER), home=shut),
        Attempt(["ingest"], 1, unusable(source / inside, "Not a directory", FILE), home=source),
    ]
    if os.geteuid() != 0:
        return attempts
    unknown: list[list[str | Path]] = [["sessions"], ["ingest"], ["ingest", "--db", db]]
    attempts += [Attempt(arguments, 1, NO_HOME, user=54_321) for arguments in unknown]
    return [*attempts, Attempt([*COUNT, "--db", db], 0, "n\n40\n", user=54_321)]


def _special_files() -> Iterator[Path]:
    os.mkfifo("pipe")
    yield Path("pipe")
    with closing(socket.socket(socket.AF_UNIX)) as server:
        server.bind("socket")
    yield Path("socket")
    try:
        os.mknod("device", 0o20600, os.makedev(1, 3))
    except PermissionError:
        return
    yield Path("device")


# --- files that a killed process leaves next to an index ------------------------------------------------------------

_KILLED = """
import os, sys
from pathlib import Path
from ccindex.ingest.ingest import ingest
from ccindex.maintain.update import begin_run
from ccindex.store.connection import changing
with changing(Path(sys.argv[1]), create=False) as connection:
    ingest(begin_run(connection), [Path(sys.argv[2])], must_exist=True)
    os.kill(os.getpid(), 9)
"""


@pytest.fixture(scope="module")
def torn(part: Path, transcripts: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an index whose last run exists only in the write-ahead log, because the process was killed."""
    db = Path(shutil.copy(part, tmp_path_factory.mktemp("torn").resolve() / "x.db"))
    assert subprocess.run([sys.executable, "-c", _KILLED, db, transcripts], check=False).returncode == -9
    assert db.read_bytes() == part.read_bytes()
    assert {path.name for path in db.parent.iterdir()} == {"x.db", "x.db-wal", "x.db-shm", "x.db.lock"}
    return db


def sibling(db: Path, suffix: str) -> Path:
    return db.with_name(db.name + suffix)


@pytest.mark.parametrize("case", ["unchanged", "no shm", "foreign shm", "no wal", "half a wal", "foreign wal"])
def test_leftover_wal_is_used_if_complete_and_otherwise_its_sources_are_read_again(  # noqa: PLR0917
    tmp_path: Path, transcripts: Path, torn: Path, part: Path, whole: Path, case: str
) -> None:
    shutil.copytree(torn.parent, tmp_path / "copy")
    db = tmp_path.resolve() / "copy" / "x.db"
    wal, shm = sibling(db, "-wal"), sibling(db, "-shm")
    if case == "no shm":
        shm.unlink()
    if case == "foreign shm":
        shm.write_bytes(bytes(range(256)) * 128)
    if case == "no wal":
        wal.unlink()
    if case == "half a wal":
        wal.write_bytes(wal.read_bytes()[: wal.stat().st_size // 2])
    if case == "foreign wal":
        wal.write_bytes(b"of another index" * 1_000)
    is_whole = case in ("unchanged", "no shm", "foreign shm")
    with reading(db) as connection:
        [(count,)] = connection.execute("select count(*) from v1_entries")
    assert count == (120 if is_whole else 40)
    assert everything(db) == cached_views(whole if is_whole else part)
    assert index(db, transcripts).entries_added == (0 if is_whole else 80)
    assert everything(db) == cached_views(whole)
    assert ask(db, "pragma integrity_check") == [("ok",)]
    assert broken(db) == {}


# --- closed streams and a deleted working folder --------------------------------------------------------------------


def test_closed_streams_are_not_an_error(tmp_path: Path, transcripts: Path, part: Path, whole: Path) -> None:
    db = Path(shutil.copy(part, tmp_path / "x.db"))
    arguments = ["sh", "-c", '"$@" <&- >&- 2>&-', "sh", *CCINDEX]
    assert subprocess.run([*arguments, "ingest", transcripts, "--db", db], check=False).returncode == 0
    assert everything(db) == cached_views(whole)
    assert subprocess.run([*arguments, "sessions", "--db", tmp_path / "none.db"], check=False).returncode == 1
    command = ["sh", "-c", '"$@" <&-', "sh", *CCINDEX, "sql", "-", "--db", str(db)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (
        1,
        "",
        "ccindex: cannot run the query: it has no result; specify a statement that returns rows\n",
    )


def test_deleted_working_folder_is_reported_for_relative_paths_only(tmp_path: Path, part: Path) -> None:
    script = 'mkdir "$0" && cd "$0" && rmdir "$0" && exec "$@"'
    gone = ["sh", "-c", script, str(tmp_path / "gone"), *CCINDEX]
    for arguments in (
        ["sessions", "--db", "x.db"],
        ["ingest", ".", "--db", str(part)],
        ["restore", "--out", "x", "--db", str(part)],
    ):
        result = subprocess.run([*gone, *arguments], capture_output=True, text=True, check=False)
        assert (result.returncode, result.stdout, result.stderr) == (
            1,
            "",
            "ccindex: the current folder no longer exists; change to another folder and try again\n",
        )
    assert subprocess.run([*gone, "sessions", "--db", str(part)], capture_output=True, check=False).returncode == 0


def test_interrupt_during_exit_is_ignored(part: Path) -> None:
    script = (
        "import atexit, os, signal\n"
        "atexit.register(os.kill, os.getpid(), signal.SIGINT)\n"
        "from ccindex.cli import main\nmain()\n"
    )
    arguments = [sys.executable, "-c", script, "db", "path", "--db", str(part)]
    result = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, f"{part}\n", "")


def test_bug_is_described_in_the_message_if_the_crash_report_cannot_be_written(tmp_path: Path, part: Path) -> None:
    db = Path(shutil.copy(part, tmp_path / "x.db"))
    with closing(sqlite3.connect(db)) as connection:
        connection.execute("pragma journal_mode = delete")  # in WAL mode, the file size limit would prevent opening it
    result = subprocess.run(
        crashing_command(db),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (3, "", 1)
    assert result.stderr.startswith(
        "ccindex: this is a bug in ccindex (TypeError); \"'NoneType' object is not callable\" at line "
    )
    assert "of connection.py; cannot write a crash report: No usable temporary directory found in [" in result.stderr
