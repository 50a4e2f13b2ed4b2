"""Files that commands write: whole or not at all, and one sentence when they cannot be written."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ccindex.errors import CannotWrite
from ccindex.files import make_folder, write_whole
from tests.making.permissions import as_nobody


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    target = tmp_path / "x.md"
    assert write_whole(target, ["a", b"\xff", "é\n"]) == 5
    assert target.read_bytes() == b"a\xff\xc3\xa9\n"
    assert write_whole(target, []) == 0
    assert target.read_bytes() == b""
    assert write_whole(target, ["\udcff"]) == 6
    assert os.listdir(tmp_path) == ["x.md"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, MemoryError])
def test_what_stood_there_stays_when_writing_is_broken_off(tmp_path: Path, error: type[BaseException]) -> None:
    target = tmp_path / "x.md"
    target.write_text("before")

    def pieces() -> Iterator[str]:
        yield "half" * 100_000
        raise error

    with pytest.raises(error):
        write_whole(target, pieces())
    assert target.read_text() == "before"
    assert os.listdir(tmp_path) == ["x.md"]


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_text("mine")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "x.md").symlink_to(mine)
    write_whole(tmp_path / "out" / "x.md", ["page"])
    assert (mine.read_text(), (tmp_path / "out" / "x.md").read_text()) == ("mine", "page")


def test_a_folder_in_the_way_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "x.md" / "kept").mkdir(parents=True)
    with pytest.raises(CannotWrite, match=r"cannot write '.*x\.md': Is a directory"):
        write_whole(tmp_path / "x.md", ["page"])
    assert os.listdir(tmp_path) == ["x.md"]
    assert os.listdir(tmp_path / "x.md") == ["kept"]


def test_a_folder_that_one_may_not_write_to_gives_one_sentence() -> None:
    place = Path("/tmp") / f"ccindex-export-{os.getpid()}"  # noqa: S108 - its name is ours alone
    place.mkdir(mode=0o555)
    try:

        def deed() -> None:
            with pytest.raises(CannotWrite, match="Permission denied"):
                write_whole(place / "x.md", ["page"])
            with pytest.raises(CannotWrite, match="Permission denied"):
                make_folder(place / "below")

        as_nobody(deed)
        assert os.listdir(place) == []
    finally:
        shutil.rmtree(place)
