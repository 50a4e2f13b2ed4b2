import hashlib
import os
from pathlib import Path

import pytest

from ccindex.errors import CannotWrite, NoSuchGeneration, NoSuchSource, WouldOverwrite
from ccindex.maintain.restore import Restored, restore
from ccindex.store.connection import changing, reading
from tests.making.files import append, write
from tests.making.in_process import run
from tests.making.indexes import index
from tests.making.transcripts import line


def bring_back(
    db: Path, out: Path, *, wanted: str | None = None, generation: int | None = None, force: bool = False
) -> list[Restored]:
    with reading(db) as connection:
        restored, damaged = restore(connection, out, wanted=wanted, generation=generation, force=force)
    assert damaged == []
    return restored


def below(out: Path, path: Path) -> Path:
    return out / path.relative_to("/")


def test_every_file_comes_back_byte_for_byte_after_its_source_is_gone(db: Path, project: Path, tmp_path: Path) -> None:
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
    stamp = (project / "s1.jsonl").stat().st_mtime_ns
    for path in files:
        path.unlink()
    index(db, project)
    restored = bring_back(db, tmp_path / "out")
    assert {Path(file.path): (file.bytes, file.sha256) for file in restored} == {
        path: (len(data), hashlib.sha256(data).hexdigest()) for path, data in files.items()
    }
    assert {path: below(tmp_path / "out", path).read_bytes() for path in files} == files
    assert below(tmp_path / "out", project / "s1.jsonl").stat().st_mtime_ns == stamp


def test_pieces_appended_over_many_runs_come_back_as_one_file(db: Path, project: Path, tmp_path: Path) -> None:
    path = write(project / "s1.jsonl", line("u0"))
    for number in range(1, 12):
        text = line(f"u{number}")
        append(path, text[: number * 7])
        index(db, project)
        append(path, text[number * 7 :] + "\n")
    index(db, project)
    bring_back(db, tmp_path / "out")
    assert below(tmp_path / "out", path).read_bytes() == path.read_bytes()


def test_an_older_generation_can_be_asked_for(db: Path, project: Path, tmp_path: Path) -> None:
    path, other = write(project / "s1.jsonl", line("u1")), write(project / "s2.jsonl", line("u2"))
    first = path.read_bytes()
    index(db, project)
    write(path, line("x1"), line("x2"))
    index(db, project)
    assert [Path(file.path) for file in bring_back(db, tmp_path / "one", generation=1)] == [path, other]
    assert below(tmp_path / "one", path).read_bytes() == first
    assert [Path(file.path) for file in bring_back(db, tmp_path / "two", generation=2)] == [path]
    assert below(tmp_path / "two", path).read_bytes() == path.read_bytes()
    for wanted in (str(path), None):
        with pytest.raises(NoSuchGeneration, match="generation 3; there are 1 to 2"):
            bring_back(db, tmp_path / "three", wanted=wanted, generation=3)


def test_a_damaged_file_keeps_no_other_from_coming_back(db: Path, project: Path, tmp_path: Path) -> None:
    write(project / "a.jsonl", line("u1"))
    good = write(project / "b.jsonl", line("u2"))
    index(db, project)
    with changing(db, create=False) as connection:
        connection.execute("update chunks set data = x'00' where id = 1")
    with reading(db) as connection:
        restored, damaged = restore(connection, tmp_path / "out", wanted=None, generation=None, force=False)
    assert [file.path for file in restored] == [str(good)]
    assert [str(error) for error in damaged if "a.jsonl' is damaged" in str(error)]
    assert [path.name for path in below(tmp_path / "out", project).iterdir()] == ["b.jsonl"]


def test_one_file_or_a_folder_can_be_named(
    db: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_, two = write(project / "a" / "s1.jsonl", line("u1")), write(project / "b" / "s2.jsonl", line("u2"))
    index(db, project)
    out = tmp_path / "out"
    assert [file.path for file in bring_back(db, out, wanted=str(one_))] == [str(one_)]
    assert [file.path for file in bring_back(db, out, wanted=str(two.parent))] == [str(two)]
    monkeypatch.chdir(project)
    assert [file.path for file in bring_back(db, out, wanted="b/s2.jsonl")] == [str(two)]
    with pytest.raises(NoSuchSource, match=r"no source 'b/s3\.jsonl'"):
        bring_back(db, out, wanted="b/s3.jsonl")


def test_a_file_with_other_content_is_not_replaced_unless_forced(db: Path, project: Path, tmp_path: Path) -> None:
    path = write(project / "s1.jsonl", line("u1"))
    index(db, project)
    out = tmp_path / "out"
    bring_back(db, out)
    inode = below(out, path).stat().st_ino
    bring_back(db, out)
    assert below(out, path).stat().st_ino == inode
    below(out, path).write_text("mine")
    with pytest.raises(WouldOverwrite, match="exists with other content"):
        bring_back(db, out)
    assert below(out, path).read_text() == "mine"
    assert [file.name for file in below(out, path).parent.iterdir()] == ["s1.jsonl"]
    bring_back(db, out, force=True)
    assert below(out, path).read_bytes() == path.read_bytes()


def test_a_place_that_cannot_be_written_gives_one_sentence(db: Path, project: Path, tmp_path: Path) -> None:
    write(project / "s1.jsonl", line("u1"))
    index(db, project)
    (tmp_path / "out").write_text("a file")
    with pytest.raises(CannotWrite, match="Not a directory"):
        bring_back(db, tmp_path / "out")


def test_a_name_that_is_no_utf8_comes_back_as_it_was(db: Path, project: Path, tmp_path: Path) -> None:
    name = os.fsencode(project) + b"/caf\xe9.jsonl"
    with open(name, "wb") as file:
        file.write(line("u1").encode())
    index(db, project)
    assert index(db, project).run_id is None
    bring_back(db, tmp_path / "out")
    with open(os.fsencode(tmp_path / "out") + name, "rb") as file:
        assert file.read() == line("u1").encode()


def foreign(db: Path, *paths: str | bytes) -> None:
    """Give the sources of an index the paths that another's may have, in their order."""
    with changing(db, create=False) as connection:
        for number, path in enumerate(paths, start=1):
            name = path if isinstance(path, str) else f"odd {number}"
            connection.execute("update sources set path = ? where id = ?", (name, number))
            if isinstance(path, bytes):
                connection.execute("update sources set raw_path = ? where id = ?", (path, number))


@pytest.mark.parametrize(
    "path", ["/../../escaped", "../escaped", "/w/../../escaped", "..", "/", ".", "", "/w/a\0b", b"/w/../../escaped"]
)
def test_a_path_that_leads_out_of_the_folder_is_left_out_and_told(
    db: Path, project: Path, tmp_path: Path, path: str | bytes
) -> None:
    write(project / "a.jsonl", line("u1"))
    write(project / "b.jsonl", line("u2"))
    index(db, project)
    foreign(db, path, "/w/good.jsonl")
    out = tmp_path / "below" / "deep" / "out"
    with reading(db) as connection:
        restored, left_out = restore(connection, out, wanted=None, generation=None, force=True)
    assert [file.path for file in restored] == ["/w/good.jsonl"]
    assert [str(error).endswith(f"would be written outside {str(out)!r}; it was left out") for error in left_out] == [
        True
    ]
    assert [found for found in out.rglob("*") if found.is_file()] == [out / "w" / "good.jsonl"]
    assert list(tmp_path.rglob("*escaped*")) == []


@pytest.mark.parametrize("linked", ["w", "w/deep"])
def test_a_link_below_the_folder_is_not_followed_out_of_it(
    db: Path, project: Path, tmp_path: Path, linked: str
) -> None:
    write(project / "a.jsonl", line("u1"))
    write(project / "b.jsonl", line("u2"))
    index(db, project)
    foreign(db, "/w/deep/a.jsonl", "/x/b.jsonl")
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    (elsewhere / "deep").mkdir(parents=True)
    (out / linked).parent.mkdir(parents=True)
    (out / linked).symlink_to(elsewhere)
    with reading(db) as connection:
        restored, [error] = restore(connection, out, wanted=None, generation=None, force=True)
    assert [file.path for file in restored] == ["/x/b.jsonl"]
    assert "'/w/deep/a.jsonl' would be written outside" in str(error)
    assert [found for found in elsewhere.rglob("*") if not found.is_dir()] == []


def test_a_link_within_the_folder_is_as_good_as_a_folder(db: Path, project: Path, tmp_path: Path) -> None:
    write(project / "a.jsonl", line("u1"))
    index(db, project)
    foreign(db, "/w/a.jsonl")
    (tmp_path / "out" / "real").mkdir(parents=True)
    (tmp_path / "out" / "w").symlink_to("real")
    bring_back(db, tmp_path / "out")
    assert (tmp_path / "out" / "real" / "a.jsonl").exists()


def test_a_link_in_the_place_of_a_file_is_replaced_if_forced_and_never_written_through(
    db: Path, project: Path, tmp_path: Path
) -> None:
    path = write(project / "s1.jsonl", line("u1"))
    index(db, project)
    theirs = write(tmp_path / "theirs", "precious")
    place = below(tmp_path / "out", path)
    place.parent.mkdir(parents=True)
    place.symlink_to(theirs)
    with pytest.raises(WouldOverwrite):
        bring_back(db, tmp_path / "out")
    bring_back(db, tmp_path / "out", force=True)
    assert (place.is_symlink(), place.read_bytes()) == (False, path.read_bytes())
    assert theirs.read_text() == "precious\n"


def test_the_command_names_every_file_that_it_left_out(db: Path, project: Path, tmp_path: Path) -> None:
    for name in "abcd":
        write(project / f"{name}.jsonl", line(f"u{name}", sessionId=name))
    index(db, project)
    foreign(db, "/w/../a.jsonl", "/w/b.jsonl", "/w/c\x1b.jsonl", "/w/d.jsonl")
    with changing(db, create=False) as connection:
        connection.execute("update chunks set data = x'00' where id in (3, 4)")
    done = run(["restore", "--out", str(tmp_path / "out"), "--db", str(db)], tmp_path)
    assert (done.code, done.out.decode().split()[1:]) == (1, ["/w/b.jsonl"])
    first, *named = done.said.splitlines()
    assert first == "ccindex: 3 files were not restored:"
    for name, told in zip(("a.jsonl", r"c\x1b.jsonl", "d.jsonl"), named, strict=True):
        assert name in told
