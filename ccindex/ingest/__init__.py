"""Files on disk to recorded rows."""
