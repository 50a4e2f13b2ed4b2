"""Recorded rows to derived rows."""
