"""Files and folders that the user may not read, run as another user if the tests run as root."""

from pathlib import Path

from tests.making.files import append, write
from tests.making.indexes import ask, broken, index
from tests.making.permissions import as_nobody, open_all
from tests.making.transcripts import line


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
