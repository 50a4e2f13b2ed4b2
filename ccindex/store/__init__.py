"""Schema, connections, and functions that read and write tables."""
