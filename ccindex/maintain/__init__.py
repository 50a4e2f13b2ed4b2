"""Rebuild the index, forget sessions, and restore recorded files."""
