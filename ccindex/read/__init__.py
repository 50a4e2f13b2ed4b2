"""Bytes of files to events: discovery, JSON lines, parsing."""
