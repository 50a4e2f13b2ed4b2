"""What a user may not read: run as one who may not, in a process of its own if the tests run as root."""

import os
import shutil
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import ccindex.store.migrate  # noqa: F401 - the one who may not read may not import it either
from tests.support import append, ask, broken, index, line, write

NOBODY = 65534


def as_nobody(deed: Callable[[], None]) -> None:
    """Run assertions without the rights of root."""
    if os.geteuid() != 0:
        deed()
        return
    child = os.fork()
    if child == 0:
        try:
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            deed()
        except BaseException:  # noqa: BLE001 - told on stderr, and by the exit code
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.fixture
def open_place(tmp_path: Path) -> Iterator[Path]:
    """A folder that everybody may use, outside pytest's own, which only its owner may enter."""
    place = Path("/tmp") / f"ccindex-rights-{os.getpid()}"  # noqa: S108 - its name is ours alone
    place.mkdir(mode=0o777)
    place.chmod(0o777)
    yield place.resolve()
    for folder, _, _ in os.walk(place):
        os.chmod(folder, 0o700)
    shutil.rmtree(place)
    assert tmp_path.exists()


def open_all(place: Path) -> None:
    for folder, _, names in os.walk(place):
        os.chmod(folder, 0o777)  # noqa: S103
        for name in names:
            os.chmod(os.path.join(folder, name), 0o666)  # noqa: S103


def told(db: Path) -> list[tuple[object, ...]]:
    return ask(db, "select kind, source_path, detail from v1_diagnostics where uuid is null order by 2")


def test_an_unreadable_folder_or_file_is_told_and_what_was_known_of_it_stays(open_place: Path) -> None:
    project, db = open_place / "-w", open_place / "x.db"
    behind = write(project / "shut" / "s2.jsonl", line("u2"))
    shut_file = write(project / "s3.jsonl", line("u3"))
    write(project / "s1.jsonl", line("u1"))
    open_all(open_place)

    def first() -> None:
        assert index(db, project).files["new"] == 3

    def shut() -> None:
        report = index(db, project)
        assert (report.status, report.files["missing"]) == ("ok", 0)
        assert told(db) == [
            ("unreadable", str(shut_file), "Permission denied"),
            ("unreadable", str(behind.parent), "Permission denied"),
        ]
        assert ask(db, "select distinct state from v1_sources") == [("present",)]
        assert index(db, project).run_id is None

    def opened() -> None:
        assert index(db, project).entries_added == 1
        assert told(db) == []
        assert broken(db) == {}

    as_nobody(first)
    append(shut_file, line("u4") + "\n")
    behind.parent.chmod(0)
    shut_file.chmod(0)
    as_nobody(shut)
    behind.parent.chmod(0o777)
    shut_file.chmod(0o666)
    as_nobody(opened)


def test_an_index_in_a_folder_without_write_rights_can_be_read(open_place: Path) -> None:
    from ccindex.query.doctor import examine  # noqa: PLC0415
    from ccindex.store.connection import reading  # noqa: PLC0415

    db = open_place / "kept" / "x.db"
    index(db, write(open_place / "s1.jsonl", line("u1")))
    open_all(open_place)
    db.parent.chmod(0o555)
    db.chmod(0o444)

    def read() -> None:
        with reading(db) as connection:
            assert all(check.ok for check in examine(connection))

    as_nobody(read)
