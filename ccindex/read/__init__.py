"""Bytes to values: which files there are, their objects, and what those say."""
