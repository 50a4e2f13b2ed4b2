"""What a disk, its rights and a crash can do: one sentence, nothing lost, and the next run recovers."""

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
from tests.making.commands import CCINDEX, bug, ccindex
from tests.making.files import write
from tests.making.indexes import ask, broken, everything, index, one, rebuild
from tests.making.permissions import NOBODY, open_all
from tests.making.transcripts import line

FULL = "make room on the disk and run it again: nothing was lost"
# Few words, many bytes that cannot be packed well
DICE = random.Random(1)  # noqa: S311


@pytest.fixture(scope="module")
def talks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Transcripts that take far more room than a full disk has."""
    folder = tmp_path_factory.mktemp("talks").resolve() / "-w"
    for name in ("a", "b", "c"):
        told = (
            line(f"{name}{n}", sessionId=name, message={"content": f"{name}{n} {DICE.randbytes(6_000).hex()}"})
            for n in range(40)
        )
        write(folder / f"{name}.jsonl", *told)
    return folder


@pytest.fixture(scope="module")
def whole(talks: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of all of them."""
    db = tmp_path_factory.mktemp("whole").resolve() / "x.db"
    index(db, talks)
    return db


@pytest.fixture(scope="module")
def part(talks: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of one of them."""
    db = tmp_path_factory.mktemp("part").resolve() / "x.db"
    index(db, talks / "a.jsonl")
    return db


@cache
def said_by(kept: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All that an index says which no test changes."""
    return everything(kept)


def used(db: Path, why: str, step: str) -> str:
    return f"ccindex: cannot use '{db}': {why}; {step}\n"


# --- a disk of its own -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def namespace() -> list[str]:
    """The command that runs another with mounts of its own, which end with it."""
    for words in (["unshare", "-m"], ["unshare", "-Urm"]):
        try:
            done = subprocess.run([*words, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False)
        except FileNotFoundError:
            break
        if done.returncode == 0:
            return words
    pytest.skip("nothing can be mounted here, not even by a process for itself alone")


@dataclass(frozen=True, slots=True)
class Disk:
    """A folder on which scripts mount a disk of some size."""

    words: list[str]
    folder: Path

    def run(self, script: str, **variables: object) -> tuple[str, str]:
        """Run a script with `ccindex` in it, and `disk` with the options of the mount; return stdout and stderr."""
        begin = (
            f'ccindex() {{ "{sys.executable}" -m ccindex "$@"; echo "code $?"; }}\n'
            'disk() { mount -t tmpfs -o "$1" none "$DISK"; }\n'
        )
        values = {name.upper(): str(value) for name, value in variables.items()}
        done = subprocess.run(
            [*self.words, "sh", "-c", begin + script],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | values | {"DISK": str(self.folder)},
        )
        return done.stdout, done.stderr


@pytest.fixture
def disk(tmp_path: Path, namespace: list[str]) -> Disk:
    folder = tmp_path.resolve() / "disk"
    folder.mkdir()
    return Disk(namespace, folder)


@pytest.mark.parametrize(("share", "left"), [(0.6, "x.db.lock"), (1.3, "x.db\nx.db.lock")])
def test_a_disk_that_fills_up_while_an_index_is_made_leaves_a_whole_one_or_none(  # noqa: PLR0917
    disk: Disk, tmp_path: Path, talks: Path, whole: Path, share: float, left: str
) -> None:
    empty = tmp_path / "empty.db"
    index(empty, tmp_path)
    out, said = disk.run(
        'disk "size=$SIZE"; ccindex ingest "$TALKS" --db "$DISK/x.db"; ls "$DISK"; cp -a "$DISK" "$LEFT"',
        size=int(share * empty.stat().st_size),
        talks=talks,
        left=tmp_path / "left",
    )
    assert (out, said) == (f"code 1\n{left}\n", used(disk.folder / "x.db", "database or disk is full", FULL))
    db = tmp_path / "left" / "x.db"
    index(db, talks)
    assert everything(db) == said_by(whole)
    assert broken(db) == {}


# a first load with others that help, of however little
_HELPED = """
from ccindex.ingest import file_changes, workers
file_changes.MIN_BULK_BYTES = workers.MIN_PARALLEL_BYTES = 0
from ccindex.cli import main
main()
"""


def test_a_disk_that_fills_up_in_a_first_load_with_workers_is_told_as_full_and_nothing_else_stays_on_it(
    disk: Disk, tmp_path: Path, talks: Path
) -> None:
    empty = tmp_path / "empty.db"
    index(empty, tmp_path)
    out, said = disk.run(
        'disk "size=$SIZE"; "$PYTHON" -c "$HELPED" ingest "$TALKS" --jobs 2 --db "$DISK/x.db"; echo "code $?"; '
        'ls "$DISK"',
        size=int(1.3 * empty.stat().st_size),
        python=sys.executable,
        helped=_HELPED,
        talks=talks,
    )
    assert out == "code 1\nx.db\nx.db.lock\n"
    assert said == used(disk.folder / "x.db", "database or disk is full", FULL)


def test_a_full_disk_during_house_keeping_or_a_run_loses_nothing(
    disk: Disk, tmp_path: Path, talks: Path, part: Path, whole: Path
) -> None:
    names = ["ingest", "rebuild", "vacuum"]
    out, said = disk.run(
        'try() { name=$1; shift; disk "size=$SIZE"; cp "$PART" "$DISK/x.db"; ccindex "$@" --db "$DISK/x.db"; '
        'cp -a "$DISK" "$LEFT/$name"; umount "$DISK"; }\n'
        'try ingest ingest "$TALKS"; try rebuild db rebuild; try vacuum db vacuum',
        size=part.stat().st_size + 200_000,
        part=part,
        talks=talks,
        left=tmp_path,
    )
    assert out == "code 1\n" * 3
    assert said == used(disk.folder / "x.db", "database or disk is full", FULL) * 3
    for name in names:
        db = tmp_path / name / "x.db"
        assert everything(db) == said_by(part), name
        if name == "rebuild":
            rebuild(db)
        index(db, talks)
        assert everything(db) == said_by(whole), name
        assert broken(db) == {}, name


def test_a_disk_without_room_for_another_name_or_for_a_readers_notes_says_so(disk: Disk, part: Path) -> None:
    db = disk.folder / "x.db"
    out, said = disk.run(
        'disk nr_inodes=2; cp "$PART" "$DISK/x.db"; ccindex db vacuum --db "$DISK/x.db"; umount "$DISK"\n'
        'disk "size=$SIZE"; cp "$PART" "$DISK/x.db"; ccindex sessions --db "$DISK/x.db"',
        part=part,
        size=part.stat().st_size,
    )
    assert out == "code 1\n" * 2
    assert said.splitlines(keepends=True)[1] == used(db, "disk I/O error", FULL)
    # the first to miss a name may be the reader's notes, or the lock
    assert said.splitlines(keepends=True)[0] in (
        used(db, "No space left on device", FULL),
        used(db, "unable to open database file", "check the rights of the file and its folder"),
    )


def test_on_a_disk_that_can_only_be_read_readers_work_and_writers_say_why(disk: Disk, talks: Path, part: Path) -> None:
    out, said = disk.run(
        'disk size=64m; cp "$PART" "$DISK/x.db"; mount -o remount,ro "$DISK"\n'
        'ccindex sessions --csv --db "$DISK/x.db"; ccindex ingest "$TALKS" --db "$DISK/x.db"\n'
        # a reader leaves an empty log behind
        'mount -o remount,rw "$DISK"; touch "$DISK/x.db-wal"; mount -o remount,ro "$DISK"\n'
        'ccindex sql "select count(*) as n from v1_entries" --csv --db "$DISK/x.db"; ls "$DISK"',
        part=part,
        talks=talks,
    )
    assert out.splitlines()[1].startswith("a,")
    assert out.splitlines()[2:] == ["code 0", "code 1", "n", "40", "code 0", "x.db", "x.db-wal"]
    assert said == used(disk.folder / "x.db", "Read-only file system", FOLDER)


# --- a limit on the size of files, which every system has ----------------------------------------------------------


@pytest.mark.parametrize("name", ["rebuild", "vacuum"])
def test_files_that_may_grow_no_further_lose_nothing(tmp_path: Path, part: Path, name: str) -> None:
    db = Path(shutil.copy(part, tmp_path.resolve() / "x.db"))
    done = ccindex(
        "db", name, "--db", db, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == used(db, "disk I/O error", "check the disk and run it again: nothing was lost")
    assert everything(db) == said_by(part)
    assert broken(db) == {}


def test_a_run_that_failed_in_its_second_batch_keeps_the_first_and_says_so(
    tmp_path: Path, talks: Path, whole: Path
) -> None:
    db = tmp_path.resolve() / "x.db"
    index(db, tmp_path)  # its log has room for one of the three files
    script = (
        "import resource\nimport ccindex.ingest.run as run\nfrom ccindex.cli import main\n"
        f"run.BATCH_BYTES = {(talks / 'a.jsonl').stat().st_size}\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))\nmain()\n"
    )
    words = [sys.executable, "-c", script, "ingest", str(talks), "--json", "--db", str(db)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        1,
        used(db, "disk I/O error", "check the disk and run it again: nothing was lost"),
    )
    report = json.loads(done.stdout)
    assert (report["status"], report["run_id"], report["entries_added"]) == ("failed", 1, 40)
    assert one(db, "select count(*) from v1_entries") == 40
    assert broken(db) == {}
    index(db, talks)
    assert ask(db, "select status from v1_ingest_runs order by run_id") == [("failed",), ("ok",)]
    assert everything(db) == said_by(whole)


# --- rights, and what stands at the place of an index ------------------------------------------------------------

# A process for each command, begun once with the rights of the tests: what they need is imported before it is out of
# reach, by doing it once
_AS_ANOTHER = """
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
        os._exit(code)  # taking it all down would last longer
    os.close(writer)
    with open(reader) as file:
        said = file.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said
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
    """A command that somebody runs, and what comes of it."""

    words: list[str | Path]
    code: int
    said: str
    user: int | None = NOBODY
    home: Path | None = None

    def told(self) -> dict[str, Any]:
        home = {"HOME": None if self.home is None else str(self.home), "XDG_DATA_HOME": None, "CCINDEX_DB": None}
        return {"words": [str(word) for word in self.words], "user": self.user, "env": home}


def attempts(made: list[Attempt], folder: Path, part: Path, talk: Path) -> list[tuple[int, str]]:
    """Run them all; return their exit codes and what they said."""
    warm = shutil.copy(part, folder / "warm.db")
    done = subprocess.run(
        [sys.executable, "-c", _AS_ANOTHER, warm, talk],
        input=json.dumps([attempt.told() for attempt in made]),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return [(code, said) for code, said in json.loads(done.stdout)]


FILE, FOLDER = "check the file or name another with --db", "check the folder or name another with --db"
COUNT = ["sql", "select count(*) as n from v1_entries", "--csv"]
RIGHTS = "check the rights of the file and its folder"
NO_HOME = "ccindex: there is no home folder to look in; set HOME, or give --db and the PATHs to index\n"
DAMAGED = "it is damaged: restore a backup, or move it away with its -wal file and run: ccindex ingest"


def test_rights_that_are_missing_and_files_that_are_no_index_are_one_sentence_each(
    open_place: Path, part: Path, talks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write(open_place / "s1.jsonl", line("u1", sessionId="s1"))
    copies = {
        name: open_place / name / "x.db" for name in ("shut file", "shut folder", "kept folder", "kept file", "open")
    }
    for db in copies.values():
        db.parent.mkdir()
        shutil.copy(part, db)
    (open_place / "out").mkdir()
    (open_place / "home").mkdir()
    open_all(open_place)
    for name, mode in {"shut file/x.db": 0, "shut folder": 0, "kept folder": 0o555, "kept file/x.db": 0o444}.items():
        (open_place / name).chmod(mode)
    (open_place / "out").chmod(0o555)
    (open_place / "home").chmod(0o555)
    monkeypatch.chdir(open_place)  # the names of sockets must be short
    odd = [open_place / path for path in _odd_files()]
    half = open_place / "half.db"
    half.write_bytes(part.read_bytes()[: part.stat().st_size // 2])
    made = [
        *_refused(copies["shut file"], source, used(copies["shut file"], "Permission denied", FILE)),
        *_refused(copies["shut folder"], source, used(copies["shut folder"], "Permission denied", FILE)),
        Attempt([*COUNT, "--db", copies["kept folder"]], 0, "n\n40\n"),
        *_refused(copies["kept folder"], source, used(copies["kept folder"], "Permission denied", FOLDER))[1:],
        Attempt([*COUNT, "--db", copies["kept file"]], 0, "n\n40\n"),
        *_refused(
            copies["kept file"], source, used(copies["kept file"], "attempt to write a readonly database", RIGHTS)
        )[1:],
        *_out(open_place / "out", copies["open"], talks / "a.jsonl"),
        *_homes(open_place / "home", copies["open"], source),
        *(attempt for path in odd for attempt in _refused(path, source, _foreign(path), user=None)),
        *_refused(half, source, used(half, "database disk image is malformed", DAMAGED), user=None),
        Attempt(["ingest", source, "--db", copies["open"]], 0, ""),
        Attempt([*COUNT, "--db", copies["open"]], 0, "n\n41\n"),
    ]
    modes = [path.stat().st_mode for path in odd]
    found = attempts(made, open_place, part, source)
    for attempt, (code, said) in zip(made, found, strict=True):
        assert (code, said) == (attempt.code, attempt.said), attempt
    assert [path.stat().st_mode for path in odd] == modes
    assert half.stat().st_size == part.stat().st_size // 2
    assert [*(open_place / "out").iterdir(), *(open_place / "home").iterdir()] == []
    for name in ("shut file", "shut folder", "kept folder"):
        assert copies[name].read_bytes() == part.read_bytes()


def _refused(db: Path, source: Path, said: str, *, user: int | None = NOBODY) -> list[Attempt]:
    """Nobody can read it or write to it."""
    commands: list[list[str | Path]] = [["sessions"], ["ingest", source]]
    return [Attempt([*words, "--db", db], 1, said, user) for words in commands]


def _foreign(path: Path) -> str:
    return f"ccindex: '{path}' is not a ccindex index; name another file with --db\n"


def _out(out: Path, db: Path, talk: Path) -> list[Attempt]:
    """What cannot be written is named."""
    names = {"restore": out / str(talk).lstrip("/"), "export --all": out / "transcript_a.md"}
    said = {command: f"ccindex: cannot write '{name}': Permission denied\n" for command, name in names.items()}
    return [Attempt([*command.split(), "--out", out, "--db", db], 1, told) for command, told in said.items()]


def _homes(shut: Path, db: Path, source: Path) -> list[Attempt]:
    """A home that may not be written, one that is a file, and none at all, which only root can bring about."""
    inside = Path(".local/share/ccindex/ccindex.db")
    made = [
        Attempt(["ingest"], 1, used(shut / inside, "Permission denied", FOLDER), home=shut),
        Attempt(["ingest"], 1, used(source / inside, "Not a directory", FILE), home=source),
    ]
    if os.geteuid() != 0:
        return made
    unknown: list[list[str | Path]] = [["sessions"], ["ingest"], ["ingest", "--db", db]]
    made += [Attempt(words, 1, NO_HOME, user=54_321) for words in unknown]
    return [*made, Attempt([*COUNT, "--db", db], 0, "n\n40\n", user=54_321)]


def _odd_files() -> Iterator[Path]:
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


# --- what a killed process leaves beside an index --------------------------------------------------------------------

_KILLED = """
import os, sys
from pathlib import Path
from ccindex.ingest.ingest import ingest
from ccindex.maintain.update import begin_run
from ccindex.store.connection import changing
with changing(Path(sys.argv[1]), create=False) as connection:
    ingest(begin_run(connection), [Path(sys.argv[2])], named=True)
    os.kill(os.getpid(), 9)
"""


@pytest.fixture(scope="module")
def torn(part: Path, talks: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index whose last run is in its log alone, as a kill right after it leaves it."""
    db = Path(shutil.copy(part, tmp_path_factory.mktemp("torn").resolve() / "x.db"))
    assert subprocess.run([sys.executable, "-c", _KILLED, db, talks], check=False).returncode == -9
    assert db.read_bytes() == part.read_bytes()
    assert {path.name for path in db.parent.iterdir()} == {"x.db", "x.db-wal", "x.db-shm", "x.db.lock"}
    return db


def beside(db: Path, suffix: str) -> Path:
    return db.with_name(db.name + suffix)


@pytest.mark.parametrize("case", ["as it is", "no shm", "strange shm", "no wal", "half a wal", "strange wal"])
def test_a_log_left_behind_is_taken_if_it_is_whole_and_what_it_held_is_read_again_if_not(  # noqa: PLR0917
    tmp_path: Path, talks: Path, torn: Path, part: Path, whole: Path, case: str
) -> None:
    shutil.copytree(torn.parent, tmp_path / "copy")
    db = tmp_path.resolve() / "copy" / "x.db"
    log, notes = beside(db, "-wal"), beside(db, "-shm")
    if case == "no shm":
        notes.unlink()
    if case == "strange shm":
        notes.write_bytes(bytes(range(256)) * 128)
    if case == "no wal":
        log.unlink()
    if case == "half a wal":
        log.write_bytes(log.read_bytes()[: log.stat().st_size // 2])
    if case == "strange wal":
        log.write_bytes(b"of another index" * 1_000)
    is_whole = case in ("as it is", "no shm", "strange shm")
    with reading(db) as connection:
        [(count,)] = connection.execute("select count(*) from v1_entries")
    assert count == (120 if is_whole else 40)
    assert everything(db) == said_by(whole if is_whole else part)
    assert index(db, talks).entries_added == (0 if is_whole else 80)
    assert everything(db) == said_by(whole)
    assert ask(db, "pragma integrity_check") == [("ok",)]
    assert broken(db) == {}


# --- where nobody listens, and where there is nowhere to stand -------------------------------------------------------


def test_streams_that_are_closed_are_nobodys_business(tmp_path: Path, talks: Path, part: Path, whole: Path) -> None:
    db = Path(shutil.copy(part, tmp_path / "x.db"))
    words = ["sh", "-c", '"$@" <&- >&- 2>&-', "sh", *CCINDEX]
    assert subprocess.run([*words, "ingest", talks, "--db", db], check=False).returncode == 0
    assert everything(db) == said_by(whole)
    assert subprocess.run([*words, "sessions", "--db", tmp_path / "none.db"], check=False).returncode == 1
    asking = ["sh", "-c", '"$@" <&-', "sh", *CCINDEX, "sql", "-", "--db", str(db)]
    done = subprocess.run(asking, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (
        1,
        "",
        "ccindex: cannot run that query: it returns no rows; only queries can be run\n",
    )


def test_in_a_folder_that_is_gone_relative_paths_are_one_sentence_and_others_work(tmp_path: Path, part: Path) -> None:
    script = 'mkdir "$0" && cd "$0" && rmdir "$0" && exec "$@"'
    gone = ["sh", "-c", script, str(tmp_path / "gone"), *CCINDEX]
    for words in (
        ["sessions", "--db", "x.db"],
        ["ingest", ".", "--db", str(part)],
        ["restore", "--out", "x", "--db", str(part)],
    ):
        done = subprocess.run([*gone, *words], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (
            1,
            "",
            "ccindex: the folder that this was started in is gone; go to another and run it again\n",
        )
    assert subprocess.run([*gone, "sessions", "--db", str(part)], capture_output=True, check=False).returncode == 0


def test_an_interrupt_after_the_end_is_nobodys_business(part: Path) -> None:
    script = (
        "import atexit, os, signal\n"
        "atexit.register(os.kill, os.getpid(), signal.SIGINT)\n"
        "from ccindex.cli import main\nmain()\n"
    )
    words = [sys.executable, "-c", script, "db", "path", "--db", str(part)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{part}\n", "")


def test_a_bug_without_a_place_for_its_report_says_what_there_is_to_say(tmp_path: Path, part: Path) -> None:
    db = Path(shutil.copy(part, tmp_path / "x.db"))
    with closing(sqlite3.connect(db)) as connection:
        connection.execute("pragma journal_mode = delete")  # or it could not even be opened
    done = subprocess.run(
        bug(db),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1)
    assert done.stderr.startswith(
        "ccindex: this is a bug in ccindex (TypeError); it says \"'NoneType' object is not callable\" at line "
    )
    assert "of connection.py; the details could not be written: No usable temporary directory found in [" in done.stderr
