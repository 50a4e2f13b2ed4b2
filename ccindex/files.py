"""Private folders and files that are written completely or not at all."""

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ccindex.errors import CannotWrite

FOLDER = 0o700
_OTHERS = 0o077  # rights of the group and of everybody
_BESIDE = ("-wal", "-shm")


def make_private(folder: Path) -> None:
    """Make a folder unless it is there, and those above it; whatever the umask, others may look into none of them."""
    missing = []
    for place in (folder, *folder.parents):
        if place.exists():
            break
        missing.append(place)
    # not by parents=True, which makes those above as the umask has it
    for place in (*missing[:0:-1], folder):
        place.mkdir(mode=FOLDER, exist_ok=True)


def open_to_others(database: Path) -> list[Path]:
    """Return the index if others than its owner may read or write it, else what SQLite left so beside it."""
    if os.name != "posix":
        return []
    beside = [database.with_name(database.name + suffix) for suffix in _BESIDE]
    # SQLite makes them with the rights of the index, and takes them away: to name that is enough
    return [database] if _is_open(database) else list(filter(_is_open, beside))


def _is_open(path: Path) -> bool:
    try:
        return bool(path.stat().st_mode & _OTHERS)
    except FileNotFoundError:
        return False


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it, unless it is there; others may not look into what is made."""
    try:
        make_private(folder)
    except OSError as error:
        raise CannotWrite(folder, error.strerror or error) from error


@contextmanager
def beside(target: Path) -> Iterator[IO[bytes]]:
    """Open a new file in the target's folder, for the caller to move there; whatever happens, none is left behind."""
    with tempfile.NamedTemporaryFile(prefix=".ccindex-", dir=target.parent, delete=False) as file:
        try:
            yield file
        finally:
            Path(file.name).unlink(missing_ok=True)


def write_whole(target: Path, pieces: Iterable[str | bytes]) -> int:
    """Write pieces as they come to a file beside the target, which it then replaces; return its size in bytes."""
    try:
        with beside(target) as file:
            for piece in pieces:
                file.write(piece if isinstance(piece, bytes) else piece.encode("utf-8", "backslashreplace"))
            file.flush()
            os.fsync(file.fileno())  # or a crash could leave the new name on an empty file
            size = file.tell()
            os.replace(file.name, target)
    except OSError as error:
        raise CannotWrite(target, error.strerror or error) from error
    return size
