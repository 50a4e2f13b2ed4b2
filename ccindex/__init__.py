"""ccindex: a lossless SQLite index of Claude Code transcripts."""

__version__ = "0.2.0"
