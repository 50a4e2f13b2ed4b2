"""Files and folders without read permission. If the test suite runs as root, these tests switch to another user."""

from pathlib import Path

from tests.making.files import append, write
from tests.making.indexes import ask, broken, index
from tests.making.permissions import allow_all_users, as_nobody
from tests.making.transcripts import line


def file_diagnostics(db: Path) -> list[tuple[object, ...]]:
    return ask(db, "select kind, source_path, detail from v1_diagnostics where uuid is null order by 2")


def test_unreadable_files_are_reported_and_their_entries_are_kept(public_folder: Path) -> None:
    project, db = public_folder / "-w", public_folder / "x.db"
    inner_file = write(project / "shut" / "s2.jsonl", line("u2"))
    locked_file = write(project / "s3.jsonl", line("u3"))
    write(project / "s1.jsonl", line("u1"))
    allow_all_users(public_folder)

    def index_first() -> None:
        assert index(db, project).files["new"] == 3

    def index_locked() -> None:
        report = index(db, project)
        assert (report.status, report.files["missing"]) == ("ok", 0)
        assert file_diagnostics(db) == [
            ("unreadable", str(locked_file), "Permission denied"),
            ("unreadable", str(inner_file.parent), "Permission denied"),
        ]
        assert ask(db, "select distinct state from v1_sources") == [("present",)]
        assert index(db, project).run_id is None

    def index_unlocked() -> None:
        assert index(db, project).entries_added == 1
        assert file_diagnostics(db) == []
        assert broken(db) == {}

    as_nobody(index_first)
    append(locked_file, line("u4") + "\n")
    inner_file.parent.chmod(0)
    locked_file.chmod(0)
    as_nobody(index_locked)
    inner_file.parent.chmod(0o777)
    locked_file.chmod(0o666)
    as_nobody(index_unlocked)
