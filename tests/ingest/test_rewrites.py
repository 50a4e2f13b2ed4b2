"""Rewritten files: every rewrite starts a generation, and nothing is lost."""

import shutil
from pathlib import Path

from tests.making.files import append, write
from tests.making.indexes import ask, broken, everything, index, one, rebuild
from tests.making.transcripts import line


def occurrences(db: Path) -> list[tuple[object, ...]]:
    return ask(db, "select uuid, line_no, generation, is_current from v1_occurrences order by generation, line_no")


def test_rewritten_file_starts_a_generation_and_old_entries_are_kept(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", line("u1"), line("u2"), line("u3"))
    index(db, project)
    write(path, line("u3"), line("u4"))
    report = index(db, project)
    assert report.files["rewritten"] == 1
    assert occurrences(db) == [("u1", 1, 1, 0), ("u2", 2, 1, 0), ("u3", 1, 2, 1), ("u4", 2, 2, 1)]
    assert ask(db, "select state, generations, lines from v1_sources") == [("rewritten", 2, 2)]
    assert ask(db, "select kind, source_path from v1_diagnostics where uuid is null") == [
        ("source-rewritten", str(path))
    ]
    assert one(db, "select count(*) from v1_entries") == 4
    assert broken(db) == {}
    snapshot = everything(db)
    rebuild(db)
    assert everything(db) == snapshot


def test_object_in_two_generations_has_one_row(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", line("u1"), line("u2"), '{"type":"mode"}')
    index(db, project)
    write(path, line("u1"))
    index(db, project)
    assert occurrences(db) == [("u2", 2, 1, 0), (None, 3, 1, 0), ("u1", 1, 2, 1)]
    append(path, '{"type":"mode"}\n' + line("u2") + "\n")
    index(db, project)
    assert occurrences(db) == [("u1", 1, 2, 1), (None, 2, 2, 1), ("u2", 3, 2, 1)]
    assert one(db, "select count(*) from v1_records") == 1
    assert broken(db) == {}


def test_current_occurrence_is_preferred_as_owner(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", line("u1", parent="p", message={"content": "before"}), line("u2"))
    index(db, project)
    write(path, line("u1", message={"content": "after"}), line("u2"))
    index(db, project)
    assert ask(db, "select text, recorded_parent_uuid from v1_entries where uuid = 'u1'") == [("after", None)]
    assert ask(db, "select is_owner, is_current from v1_occurrences where uuid = 'u1' order by generation") == [
        (0, 0),
        (1, 1),
    ]
    assert broken(db) == {}


def test_rebuild_replays_three_generations(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", line("a"), line("b"), "broken one")
    index(db, project)
    write(path, line("b"), line("c"))
    index(db, project)
    write(path, line("a"), line("d"), "broken two")
    index(db, project)
    assert occurrences(db) == [("b", 1, 2, 0), ("c", 2, 2, 0), ("a", 1, 3, 1), ("d", 2, 3, 1)]
    assert ask(db, "select kind, line_no, detail from v1_diagnostics where line_no is not null and uuid is null") == [
        ("malformed-line", 3, "broken two")
    ]
    snapshot = everything(db)
    rebuild(db)
    assert everything(db) == snapshot
    assert broken(db) == {}


def test_shrunk_or_replaced_file_is_read_again(db: Path, project: Path, tmp_path: Path) -> None:
    path = write(project / "s1.jsonl", line("u1"), line("u2"))
    index(db, project)
    path.write_bytes(path.read_bytes()[: len(line("u1")) + 1])
    assert index(db, project).files["rewritten"] == 1
    other = write(tmp_path / "other.jsonl", line("v1"), line("v2"), line("v3"))
    other.replace(path)
    assert index(db, project).files["rewritten"] == 1
    assert one(db, "select count(*) from v1_entries") == 5


def test_replacement_that_starts_with_the_same_bytes_is_an_append(db: Path, project: Path, tmp_path: Path) -> None:
    path = write(project / "s1.jsonl", line("u1"))
    index(db, project)
    other = tmp_path / "copy.jsonl"
    shutil.copy(path, other)
    append(other, line("u2") + "\n")
    other.replace(path)
    report = index(db, project)
    assert (report.files["rewritten"], report.files["appended"], report.entries_added) == (0, 1, 1)
    assert one(db, "select state from v1_sources") == "present"


def test_longer_file_with_different_start_is_a_rewrite(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", line("u1"))
    index(db, project)
    data = path.read_bytes()
    with path.open("r+b") as file:
        file.write(data.replace(b"say u1", b"SAY u1") + data.replace(b"u1", b"u2"))
    assert index(db, project).files["rewritten"] == 1
    assert ask(db, "select uuid, text from v1_entries order by 1") == [("u1", "SAY u1"), ("u2", "say u2")]


def test_rewrite_of_a_file_with_a_torn_tail_loses_nothing(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", line("u1"))
    append(path, line("u2")[:30])
    index(db, project)
    write(path, line("u3"))
    index(db, project)
    assert ask(db, "select kind from v1_diagnostics where uuid is null") == [("source-rewritten",)]
    assert occurrences(db) == [("u1", 1, 1, 0), ("u3", 1, 2, 1)]
