"""Upgrade and rebuild the index, forget sessions, and restore recorded files."""
