"""Folders and files for nobody but their owner: conversations are in them."""

import os
from pathlib import Path

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
