"""Create private folders, and write files completely or not at all."""

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ccindex.errors import CannotWrite

PRIVATE_FOLDER_MODE = 0o700
_OTHERS_MODE = 0o077  # permission bits for the group and for other users
_SQLITE_SUFFIXES = ("-wal", "-shm")


def make_private_folder(folder: Path) -> None:
    """Create a folder and its missing parents so that only the owner can access them, whatever the umask."""
    missing = []
    for path in (folder, *folder.parents):
        if path.exists():
            break
        missing.append(path)
    # parents=True would create the parents with the permissions that the umask allows
    for path in (*missing[:0:-1], folder):
        path.mkdir(mode=PRIVATE_FOLDER_MODE, exist_ok=True)


def copy_with_mode(source: Path, target: Path) -> None:
    """Copy a file and its permissions. Until the copy is complete, only the owner can access it."""
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    shutil.copyfile(source, target)
    shutil.copymode(source, target)


def replace_durably(source: Path, target: Path) -> None:
    """Rename a file; after a power failure, the target is either the old or the new file."""
    sync(source)
    source.replace(target)
    sync(target.parent)


def sync(path: Path) -> None:
    """Write a file or a folder to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def files_open_to_others(database: Path) -> list[Path]:
    """Return the index if other users can access it; otherwise, return its -wal and -shm files that they can access."""
    if os.name != "posix":
        return []
    sqlite_files = [database.with_name(database.name + suffix) for suffix in _SQLITE_SUFFIXES]
    # SQLite creates the -wal and -shm files with the permissions of the index, so reporting the index is enough
    return [database] if _is_open(database) else list(filter(_is_open, sqlite_files))


def _is_open(path: Path) -> bool:
    try:
        return bool(path.stat().st_mode & _OTHERS_MODE)
    except FileNotFoundError:
        return False


def make_output_folder(folder: Path) -> None:
    """Create a private folder for output, and its missing parents; raises CannotWrite."""
    try:
        make_private_folder(folder)
    except OSError as error:
        raise CannotWrite(folder, error.strerror or error) from error


@contextmanager
def temporary_file(target: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file in the target's folder for the caller to rename; it is removed if it was not renamed."""
    with tempfile.NamedTemporaryFile(prefix=".ccindex-", dir=target.parent, delete=False) as file:
        try:
            yield file
        finally:
            Path(file.name).unlink(missing_ok=True)


def write_atomically(target: Path, pieces: Iterable[str | bytes]) -> int:
    """Write `pieces` to a temporary file, rename the file to `target`, and return the number of bytes written."""
    try:
        with temporary_file(target) as file:
            for piece in pieces:
                file.write(piece if isinstance(piece, bytes) else piece.encode("utf-8", "backslashreplace"))
            file.flush()
            os.fsync(file.fileno())  # otherwise a crash could leave an empty file under the new name
            size = file.tell()
            os.replace(file.name, target)
    except OSError as error:
        raise CannotWrite(target, error.strerror or error) from error
    return size
