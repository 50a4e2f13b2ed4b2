"""When a run was last made, found nothing or not: the time of an empty file beside the index."""

from contextlib import suppress
from pathlib import Path


def stamp_of(database: Path) -> Path:
    """Return the file whose time is that of the last run."""
    return database.with_name(database.name + ".ran")


def touch_stamp(database: Path) -> None:
    """Note that a run was made; a folder that will not have it does not make the run a failure."""
    with suppress(OSError):
        stamp_of(database).touch(mode=0o600)


def last_run_ms(database: Path) -> int | None:
    """Return the instant of the last run; None: there is no telling."""
    try:
        return stamp_of(database).stat().st_mtime_ns // 1_000_000
    except OSError:
        return None
