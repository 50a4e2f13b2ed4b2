"""Files restored from the archive are complete, private, and never outside the target folder."""

import hashlib
import os
from pathlib import Path

import pytest

from ccindex.errors import CannotWrite, NoSuchGeneration, NoSuchSource, WouldOverwrite
from ccindex.maintain.restore import RestoredFile, restore
from ccindex.store.connection import changing, reading
from tests.making.files import append, write
from tests.making.in_process import run
from tests.making.indexes import index
from tests.making.transcripts import line


def restore_all(
    db: Path, out: Path, *, requested_path: str | None = None, generation: int | None = None, force: bool = False
) -> list[RestoredFile]:
    with reading(db) as connection:
        restored, errors = restore(connection, out, requested_path=requested_path, generation=generation, force=force)
    assert errors == []
    return restored


def restored_path(out: Path, path: Path) -> Path:
    return out / path.relative_to("/")


def test_deleted_files_are_restored_byte_for_byte(db: Path, project: Path, tmp_path: Path) -> None:
    files = {
        write(project / "s1.jsonl", line("u1"), "malformed", b"\xff\0\xfe", line("torn")[:20], end=""): b"",
        write(project / "s1" / "subagents" / "agent-a.jsonl", line("g1"), end="\r\n"): b"",
        write(project / "s1" / "subagents" / "agent-a.meta.json", '{"agentType": "x"}', end=""): b"",
        write(project / "s1" / "tool-results" / "image.png", os.urandom(3_000_000), end=""): b"",
        write(project / "empty.jsonl"): b"",
    }
    for path in files:
        files[path] = path.read_bytes()
    index(db, project)
    mtime_ns = (project / "s1.jsonl").stat().st_mtime_ns
    for path in files:
        path.unlink()
    index(db, project)
    restored = restore_all(db, tmp_path / "out")
    assert {Path(file.path): (file.bytes, file.sha256) for file in restored} == {
        path: (len(data), hashlib.sha256(data).hexdigest()) for path, data in files.items()
    }
    assert {path: restored_path(tmp_path / "out", path).read_bytes() for path in files} == files
    assert restored_path(tmp_path / "out", project / "s1.jsonl").stat().st_mtime_ns == mtime_ns


def test_file_appended_to_over_many_runs_is_restored_completely(db: Path, project: Path, tmp_path: Path) -> None:
    path = write(project / "s1.jsonl", line("u0"))
    for number in range(1, 12):
        text = line(f"u{number}")
        append(path, text[: number * 7])
        index(db, project)
        append(path, text[number * 7 :] + "\n")
    index(db, project)
    restore_all(db, tmp_path / "out")
    assert restored_path(tmp_path / "out", path).read_bytes() == path.read_bytes()


def test_older_generation_can_be_restored(db: Path, project: Path, tmp_path: Path) -> None:
    path, other = write(project / "s1.jsonl", line("u1")), write(project / "s2.jsonl", line("u2"))
    first = path.read_bytes()
    index(db, project)
    write(path, line("x1"), line("x2"))
    index(db, project)
    assert [Path(file.path) for file in restore_all(db, tmp_path / "one", generation=1)] == [path, other]
    assert restored_path(tmp_path / "one", path).read_bytes() == first
    assert [Path(file.path) for file in restore_all(db, tmp_path / "two", generation=2)] == [path]
    assert restored_path(tmp_path / "two", path).read_bytes() == path.read_bytes()
    for requested_path in (str(path), None):
        with pytest.raises(NoSuchGeneration, match="generation 3; the latest is 2"):
            restore_all(db, tmp_path / "three", requested_path=requested_path, generation=3)


def test_damaged_file_does_not_prevent_restoring_others(db: Path, project: Path, tmp_path: Path) -> None:
    write(project / "a.jsonl", line("u1"))
    good = write(project / "b.jsonl", line("u2"))
    index(db, project)
    with changing(db, create=False) as connection:
        connection.execute("update chunks set data = x'00' where id = 1")
    with reading(db) as connection:
        restored, errors = restore(connection, tmp_path / "out", requested_path=None, generation=None, force=False)
    assert [file.path for file in restored] == [str(good)]
    assert [str(error) for error in errors if "a.jsonl' is damaged" in str(error)]
    assert [path.name for path in restored_path(tmp_path / "out", project).iterdir()] == ["b.jsonl"]


def test_single_file_or_folder_can_be_restored(
    db: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first_file, second_file = (
        write(project / "a" / "s1.jsonl", line("u1")),
        write(project / "b" / "s2.jsonl", line("u2")),
    )
    index(db, project)
    out = tmp_path / "out"
    assert [file.path for file in restore_all(db, out, requested_path=str(first_file))] == [str(first_file)]
    assert [file.path for file in restore_all(db, out, requested_path=str(second_file.parent))] == [str(second_file)]
    monkeypatch.chdir(project)
    assert [file.path for file in restore_all(db, out, requested_path="b/s2.jsonl")] == [str(second_file)]
    with pytest.raises(NoSuchSource, match=r"no file 'b/s3\.jsonl'"):
        restore_all(db, out, requested_path="b/s3.jsonl")


def test_file_with_different_content_is_replaced_only_with_force(db: Path, project: Path, tmp_path: Path) -> None:
    path = write(project / "s1.jsonl", line("u1"))
    index(db, project)
    out = tmp_path / "out"
    restore_all(db, out)
    inode = restored_path(out, path).stat().st_ino
    restore_all(db, out)
    assert restored_path(out, path).stat().st_ino == inode
    restored_path(out, path).write_text("mine")
    with pytest.raises(WouldOverwrite, match="exists with different content"):
        restore_all(db, out)
    assert restored_path(out, path).read_text() == "mine"
    assert [file.name for file in restored_path(out, path).parent.iterdir()] == ["s1.jsonl"]
    restore_all(db, out, force=True)
    assert restored_path(out, path).read_bytes() == path.read_bytes()


def test_unwritable_folder_is_an_error(db: Path, project: Path, tmp_path: Path) -> None:
    write(project / "s1.jsonl", line("u1"))
    index(db, project)
    (tmp_path / "out").write_text("a file")
    with pytest.raises(CannotWrite, match="Not a directory"):
        restore_all(db, tmp_path / "out")


def test_file_name_that_is_not_utf8_is_restored(db: Path, project: Path, tmp_path: Path) -> None:
    name = os.fsencode(project) + b"/caf\xe9.jsonl"
    with open(name, "wb") as file:
        file.write(line("u1").encode())
    index(db, project)
    assert index(db, project).run_id is None
    restore_all(db, tmp_path / "out")
    with open(os.fsencode(tmp_path / "out") + name, "rb") as file:
        assert file.read() == line("u1").encode()


def set_source_paths(db: Path, *paths: str | bytes) -> None:
    """Change the paths of the sources, as in an index received from somebody else."""
    with changing(db, create=False) as connection:
        for number, path in enumerate(paths, start=1):
            name = path if isinstance(path, str) else f"name {number}"
            connection.execute("update sources set path = ? where id = ?", (name, number))
            if isinstance(path, bytes):
                connection.execute("update sources set raw_path = ? where id = ?", (path, number))


@pytest.mark.parametrize(
    "path", ["/../../escaped", "../escaped", "/w/../../escaped", "..", "/", ".", "", "/w/a\0b", b"/w/../../escaped"]
)
def test_path_outside_the_folder_is_reported_and_not_restored(
    db: Path, project: Path, tmp_path: Path, path: str | bytes
) -> None:
    write(project / "a.jsonl", line("u1"))
    write(project / "b.jsonl", line("u2"))
    index(db, project)
    set_source_paths(db, path, "/w/good.jsonl")
    out = tmp_path / "below" / "deep" / "out"
    with reading(db) as connection:
        restored, errors = restore(connection, out, requested_path=None, generation=None, force=True)
    assert [file.path for file in restored] == ["/w/good.jsonl"]
    assert [str(error).endswith(f"would be written outside {str(out)!r}, so it was skipped") for error in errors] == [
        True
    ]
    assert [path for path in out.rglob("*") if path.is_file()] == [out / "w" / "good.jsonl"]
    assert list(tmp_path.rglob("*escaped*")) == []


@pytest.mark.parametrize("linked", ["w", "w/deep"])
def test_link_to_outside_the_folder_is_not_followed(db: Path, project: Path, tmp_path: Path, linked: str) -> None:
    write(project / "a.jsonl", line("u1"))
    write(project / "b.jsonl", line("u2"))
    index(db, project)
    set_source_paths(db, "/w/deep/a.jsonl", "/x/b.jsonl")
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    (elsewhere / "deep").mkdir(parents=True)
    (out / linked).parent.mkdir(parents=True)
    (out / linked).symlink_to(elsewhere)
    with reading(db) as connection:
        restored, [error] = restore(connection, out, requested_path=None, generation=None, force=True)
    assert [file.path for file in restored] == ["/x/b.jsonl"]
    assert "'/w/deep/a.jsonl' would be written outside" in str(error)
    assert [path for path in elsewhere.rglob("*") if not path.is_dir()] == []


def test_link_within_the_folder_is_followed(db: Path, project: Path, tmp_path: Path) -> None:
    write(project / "a.jsonl", line("u1"))
    index(db, project)
    set_source_paths(db, "/w/a.jsonl")
    (tmp_path / "out" / "real").mkdir(parents=True)
    (tmp_path / "out" / "w").symlink_to("real")
    restore_all(db, tmp_path / "out")
    assert (tmp_path / "out" / "real" / "a.jsonl").exists()


def test_link_in_place_of_a_file_is_replaced_only_with_force(db: Path, project: Path, tmp_path: Path) -> None:
    path = write(project / "s1.jsonl", line("u1"))
    index(db, project)
    other_file = write(tmp_path / "theirs", "precious")
    target = restored_path(tmp_path / "out", path)
    target.parent.mkdir(parents=True)
    target.symlink_to(other_file)
    with pytest.raises(WouldOverwrite):
        restore_all(db, tmp_path / "out")
    restore_all(db, tmp_path / "out", force=True)
    assert (target.is_symlink(), target.read_bytes()) == (False, path.read_bytes())
    assert other_file.read_text() == "precious\n"


def test_command_lists_every_file_that_was_not_restored(db: Path, project: Path, tmp_path: Path) -> None:
    for name in "abcd":
        write(project / f"{name}.jsonl", line(f"u{name}", sessionId=name))
    index(db, project)
    set_source_paths(db, "/w/../a.jsonl", "/w/b.jsonl", "/w/c\x1b.jsonl", "/w/d.jsonl")
    with changing(db, create=False) as connection:
        connection.execute("update chunks set data = x'00' where id in (3, 4)")
    process = run(["restore", "--out", str(tmp_path / "out"), "--db", str(db)], tmp_path)
    assert (process.code, process.out.decode().split()[1:]) == (1, ["/w/b.jsonl"])
    first, *messages = process.stderr.splitlines()
    assert first == "ccindex: 3 files were not restored:"
    for name, message in zip(("a.jsonl", r"c\x1b.jsonl", "d.jsonl"), messages, strict=True):
        assert name in message
