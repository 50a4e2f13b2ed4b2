"""Where Claude Code keeps its transcripts, by its own conventions."""

from collections.abc import Mapping
from pathlib import Path


def default_places(environ: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """Return the projects folders, whether they exist or not; CLAUDE_CONFIG_DIR may list several."""
    named = [part.strip() for part in environ.get("CLAUDE_CONFIG_DIR", "").split(",")]
    roots = [
        home / ".claude",
        *(Path(part).expanduser() for part in named if part),
        home / ".config" / "claude",
    ]
    return tuple(dict.fromkeys(root / "projects" for root in roots))
