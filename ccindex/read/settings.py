"""How long Claude Code keeps transcripts, by its own settings."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import orjson

DEFAULT_DAYS = 30


class Retention(NamedTuple):
    """After how many days transcripts are deleted; `source` is the file that says so, None: nobody does."""

    days: int
    source: Path | None
    problem: str | None = None


def retention_of(projects: Iterable[Path]) -> Retention:
    """Read the settings beside each projects folder; of several the one that deletes first counts."""
    found = [_said_by(folder.parent / "settings.json", is_used=folder.is_dir()) for folder in projects]
    known = [retention for retention in found if retention is not None]
    return min(known, key=lambda retention: retention.days, default=Retention(DEFAULT_DAYS, None))


def _said_by(path: Path, *, is_used: bool) -> Retention | None:
    silent = Retention(DEFAULT_DAYS, None) if is_used else None
    try:
        settings = orjson.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return silent
    except OSError as error:
        return Retention(DEFAULT_DAYS, path, error.strerror)
    except ValueError:
        return Retention(DEFAULT_DAYS, path, "it is no JSON")
    days = settings.get("cleanupPeriodDays") if isinstance(settings, dict) else None
    if not isinstance(days, int) or isinstance(days, bool) or days < 0:
        return silent
    return Retention(days, path)
