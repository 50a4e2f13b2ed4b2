"""Bring the index up to date with the transcript files on disk."""
