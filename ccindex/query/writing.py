"""A file made whole or not at all."""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from ccindex.errors import CannotWrite


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it, unless it is there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotWrite(folder, error.strerror or error) from error


def write_whole(target: Path, pieces: Iterable[str | bytes]) -> int:
    """Write pieces as they come to a file beside the target, which it then replaces; return its size in bytes."""
    try:
        handle, name = tempfile.mkstemp(prefix=".ccindex-", dir=target.parent)
        try:
            size = _fill(handle, pieces)
            os.replace(name, target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise CannotWrite(target, error.strerror or error) from error
    return size


def _fill(handle: int, pieces: Iterable[str | bytes]) -> int:
    with os.fdopen(handle, "wb") as file:
        for piece in pieces:
            file.write(piece if isinstance(piece, bytes) else piece.encode("utf-8", "backslashreplace"))
        file.flush()
        os.fsync(file.fileno())  # or a crash could leave the new name on an empty file
        return file.tell()
