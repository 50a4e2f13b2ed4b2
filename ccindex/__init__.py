"""ccindex: a SQLite index of Claude Code transcripts that loses nothing."""

__version__ = "0.2.0"
