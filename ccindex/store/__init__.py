"""Schema, connections, and the readers and writers of tables."""
