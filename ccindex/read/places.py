"""Where Claude Code keeps its transcripts, by its own conventions."""

import os
from collections.abc import Mapping
from pathlib import Path


def home_folder() -> Path | None:
    """Return the user's own folder; None: HOME is not set, and the system does not know who this is."""
    try:
        return Path.home()
    except RuntimeError:
        return None


def default_places(environ: Mapping[str, str], home: Path | None) -> tuple[Path, ...]:
    """Return the projects folders, whether they exist or not; CLAUDE_CONFIG_DIR may list several."""
    named = [part.strip() for part in environ.get("CLAUDE_CONFIG_DIR", "").split(",")]
    roots = [
        *([home / ".claude"] if home else []),
        *(Path(os.path.expanduser(part)) for part in named if part),
        *([home / ".config" / "claude"] if home else []),
    ]
    return tuple(dict.fromkeys(root / "projects" for root in roots))
