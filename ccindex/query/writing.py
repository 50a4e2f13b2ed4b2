"""A file made whole or not at all."""

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ccindex.errors import CannotWrite
from ccindex.store.private import make_private


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
