"""Commands write files completely or not at all, and report files that cannot be written."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ccindex.errors import CannotWrite
from ccindex.files import make_output_folder, write_atomically
from tests.making.permissions import as_nobody


def test_file_is_replaced_completely(tmp_path: Path) -> None:
    target = tmp_path / "x.md"
    assert write_atomically(target, ["a", b"\xff", "é\n"]) == 5
    assert target.read_bytes() == b"a\xff\xc3\xa9\n"
    assert write_atomically(target, []) == 0
    assert target.read_bytes() == b""
    assert write_atomically(target, ["\udcff"]) == 6
    assert os.listdir(tmp_path) == ["x.md"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, MemoryError])
def test_existing_file_is_kept_when_writing_fails(tmp_path: Path, error: type[BaseException]) -> None:
    target = tmp_path / "x.md"
    target.write_text("before")

    def pieces() -> Iterator[str]:
        yield "half" * 100_000
        raise error

    with pytest.raises(error):
        write_atomically(target, pieces())
    assert target.read_text() == "before"
    assert os.listdir(tmp_path) == ["x.md"]


def test_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    other_file = tmp_path / "mine"
    other_file.write_text("mine")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "x.md").symlink_to(other_file)
    write_atomically(tmp_path / "out" / "x.md", ["page"])
    assert (other_file.read_text(), (tmp_path / "out" / "x.md").read_text()) == ("mine", "page")


def test_folder_with_the_same_name_is_not_changed(tmp_path: Path) -> None:
    (tmp_path / "x.md" / "kept").mkdir(parents=True)
    with pytest.raises(CannotWrite, match=r"cannot write '.*x\.md': Is a directory"):
        write_atomically(tmp_path / "x.md", ["page"])
    assert os.listdir(tmp_path) == ["x.md"]
    assert os.listdir(tmp_path / "x.md") == ["kept"]


def test_folder_without_write_permission_is_an_error() -> None:
    folder = Path("/tmp") / f"ccindex-export-{os.getpid()}"  # noqa: S108 - the name is unique
    folder.mkdir(mode=0o555)
    try:

        def write_both() -> None:
            with pytest.raises(CannotWrite, match="Permission denied"):
                write_atomically(folder / "x.md", ["page"])
            with pytest.raises(CannotWrite, match="Permission denied"):
                make_output_folder(folder / "below")

        as_nobody(write_both)
        assert os.listdir(folder) == []
    finally:
        shutil.rmtree(folder)
